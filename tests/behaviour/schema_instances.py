"""Random objects from the schemas of kinds, and ways to break them in one known place.

It reads Kubernetes' dialect by itself, and so is a second opinion beside what is tested.
"""

from __future__ import annotations

__all__ = ["Broken", "Grower", "crd_files", "inlined", "openapi_kinds", "schema_of"]

import copy
import functools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
"""Real API definitions, which may lie beside the checkout."""

Steps = tuple["str | int", ...]
Json = dict[str, Any]

_WRONG: dict[str, list[Any]] = {
    "string": [5, True, {"x": "y"}, ["a"]],
    "integer": ["five", 1.5, True, {"x": 1}, [1]],
    "number": ["five", False, {"x": 1}, [1]],
    "boolean": ["true", 1, {"x": True}, [True]],
    "object": ["text", 5, ["a"]],
    "array": ["text", 5, {"x": "y"}],
}


def crd_files() -> list[Path]:
    """Return the files with CustomResourceDefinitions; none where they aren't there."""
    return sorted((DATA / "crds").glob("*.yaml"))


@functools.cache
def schema_of(path: Path) -> tuple[str, str, Json]:
    """Return apiVersion, kind and schema of the last version in a CustomResourceDefinition."""
    import yaml

    with path.open(encoding="utf-8") as file:
        spec = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["spec"]
    version = spec["versions"][-1]
    return f"{spec['group']}/{version['name']}", spec["names"]["kind"], version["schema"]["openAPIV3Schema"]


@functools.cache
def openapi_kinds(name: str) -> dict[str, Json]:
    """Return the schemas of an OpenAPI document by kind, as Crossplane hands them over; none where it isn't there."""
    path = DATA / "openapi" / name
    if not path.exists():
        return {}
    components = json.loads(path.read_text(encoding="utf-8"))["components"]["schemas"]
    found = {}
    for schema in components.values():
        kinds = schema.get("x-kubernetes-group-version-kind", [])
        if len(kinds) == 1:
            found[kinds[0]["kind"]] = inlined(schema, components)
    return found


def inlined(schema: Any, components: dict[str, Json], inside: tuple[str, ...] = ()) -> Any:
    """Return a schema with every `$ref` replaced by what it refers to, and cycles by `{type: object}`."""
    if isinstance(schema, list):
        return [inlined(item, components, inside) for item in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        return {"type": "object"} if name in inside else inlined(components[name], components, (*inside, name))
    return {key: inlined(item, components, inside) for key, item in schema.items()}


class Broken(NamedTuple):
    """An object with one mistake.

    Attributes:
        value: The object.
        steps: Where the mistake is reported.
        what: What kind of mistake it is.
    """

    value: Json
    steps: Steps
    what: str


def _unwrapped(schema: Json) -> Json:
    while "type" not in schema and len(schema.get("allOf", [])) == 1:
        schema = {**schema["allOf"][0], **{key: item for key, item in schema.items() if key != "allOf"}}
    return schema


class Grower:
    """Grows objects of one kind.

    Args:
        seed: Decides what they look like.
        full: How likely an optional field is given, on the upper levels.
    """

    def __init__(self, seed: int, full: float = 0.5) -> None:
        self._random = random.Random(seed)
        self._full = full
        self._places: list[tuple[Steps, Json]] = []

    def grow(self, api_version: str, kind: str, schema: Json) -> Json:
        """Return an object that fits a schema, without status."""
        self._places = []
        value: Json = self._value(schema, ())
        value.pop("status", None)
        self._places = [place for place in self._places if place[0][:1] != ("status",)]
        return value | {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", "labels": {"a/b": "c"}}}

    def mistakes(self, value: Json) -> Iterator[Broken]:
        """Give broken copies of the object that was grown last, a few for each way to break it."""
        places = [place for place in self._places if place[0] and place[0][0] not in ("metadata", "apiVersion", "kind")]
        self._random.shuffle(places)
        for steps, schema in places[:10]:
            wrong = _WRONG.get(schema.get("type", ""))
            if wrong:
                yield Broken(_with(value, steps, self._random.choice(wrong)), steps, "wrong type")
            if schema.get("enum"):
                yield Broken(_with(value, steps, "no such option"), steps, "not in the enum")
        objects = [place for place in places if place[1].get("properties")]
        for steps, schema in objects[:10]:
            if not schema.get("x-kubernetes-preserve-unknown-fields"):
                at = (*steps, "noSuchField")
                yield Broken(_with(value, at, "x"), at, "unknown field")
        required = [
            (*steps, name)
            for steps, schema in objects
            for name in schema.get("required", [])
            if "default" not in schema["properties"][name]
        ]
        for at in required[:10]:
            yield Broken(_without(value, at), at, "missing")

    def _value(self, schema: Json, steps: Steps) -> Any:
        schema = _unwrapped(schema)
        self._places.append((steps, schema))
        if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string":
            return self._random.choice([0, 80, "50%", "http"])
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        if "type" not in schema and "oneOf" in schema:
            schema = self._random.choice(schema["oneOf"])
        return {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": lambda _, __: self._random.choice([0, -1, 2.5, 1e6]),
            "boolean": lambda _, __: self._random.random() < 0.5,
            "": lambda _, __: self._random.choice([None, 1, "x", [1, {}], {"any": {"thing": [True]}}]),
        }[schema.get("type", "")](schema, steps)

    def _object(self, schema: Json, steps: Steps) -> Json:
        value: Json = {}
        likely = self._full / (1 + len(steps) / 4)
        # Fields of which a rule in CEL or a oneOf says more are in the nature of providers' objects, and stay optional.
        for name, inner in schema.get("properties", {}).items():
            if name in schema.get("required", []) or self._random.random() < likely:
                value[name] = self._value(inner, (*steps, name))
        if schema.get("x-kubernetes-embedded-resource"):
            value |= {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x"}}
        others = schema.get("additionalProperties")
        if isinstance(others, dict):
            for name in self._random.sample(
                ["plain", "with space", "a/b", "0", "$ref", ""], self._random.randint(0, 3)
            ):
                value[name] = self._value(others, (*steps, name))
        elif schema.get("x-kubernetes-preserve-unknown-fields") or not schema.get("properties"):
            value |= self._random.choice([{}, {"free": [1, None, {"x": "y"}]}])
        return value

    def _array(self, schema: Json, steps: Steps) -> list[Any]:
        kind = schema.get("x-kubernetes-list-type")
        count = self._random.choice([1, 1, 2]) if kind not in ("map", "set") else 1
        return [self._value(schema.get("items", {}), (*steps, at)) for at in range(count)]

    def _string(self, schema: Json, _: Steps) -> str:
        given = {
            "date-time": "2024-02-29T12:30:00.5+01:00",
            "byte": "c2VjcmV0Cg==",
            "date": "2024-02-29",
        }.get(schema.get("format", ""))
        if given is not None:
            return given
        # No pattern of the definitions refuses this, which the test of them shows.
        return self._random.choice(["a", "abc-1", "x" * schema.get("minLength", 1)]).ljust(
            schema.get("minLength", 0), "x"
        )

    def _integer(self, schema: Json, _: Steps) -> int:
        lowest = schema.get("minimum", -(2**31))
        highest = schema.get("maximum", 2**31 - 1)
        return self._random.choice([lowest, highest, max(lowest, 0)])


def _with(value: Json, steps: Steps, new: Any) -> Json:
    copied = copy.deepcopy(value)
    holder: Any = copied
    for step in steps[:-1]:
        holder = holder[step]
    holder[steps[-1]] = new
    return copied


def _without(value: Json, steps: Steps) -> Json:
    copied = copy.deepcopy(value)
    holder: Any = copied
    for step in steps[:-1]:
        holder = holder[step]
    holder.pop(steps[-1], None)
    return copied
