"""Objects made from definitions, half of them broken in one place, and what the API server and previews say of them.

`python -m tests.cluster.gate FOLDER` prints tables of what was accepted and refused, and each disagreement, for kinds
whose definitions are in the folder.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import random
import re
import sys
import tempfile
import urllib.parse
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from crossplane_lite import composition, testing
from crossplane_lite._core import codec
from crossplane_lite.errors import InputError
from crossplane_lite.proto.v1 import run_function_pb2

from . import programs
from .kube import ApiError, wait
from .patterns import matching
from .plane import Plane

__all__ = ["Case", "Grown", "answers", "cases_of", "definitions", "previewed", "table"]

Json = dict[str, Any]
Steps = tuple["str | int", ...]

XR: Json = {"apiVersion": "example.org/v1", "kind": "XGate", "metadata": {"name": "gate", "namespace": "default"}}
_MANAGER = "apiextensions.crossplane.io/composed/gate"
_DEEPEST = 12


class Case(NamedTuple):
    """An object for the API server and for previews.

    Attributes:
        what: The kind of breakage; `none` for an object as it has grown.
        where: Where it is broken.
        content: The object.
        observed: The object as it exists, with managedFields; None if it doesn't exist.
    """

    what: str
    where: str
    content: Json
    observed: Json | None = None


class Answer(NamedTuple):
    """What the API server and a preview say of a case: why it is refused; empty if it is accepted."""

    case: Case
    server: str
    preview: str


# -- definitions


def definitions(folders: Iterable[Path]) -> list[Json]:
    """Return the CustomResourceDefinitions in the YAML files of folders, each kind once, with one version each."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Json] = {}
    for path in sorted(path for folder in folders for path in folder.rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if "CustomResourceDefinition" not in text or "{{" in text:
            continue
        try:
            documents = [one for one in yaml.load_all(text, Loader=loader) if isinstance(one, dict)]
        except yaml.YAMLError:
            continue
        for one in documents:
            if one.get("kind") == "CustomResourceDefinition" and one.get("apiVersion") == "apiextensions.k8s.io/v1":
                plain = _of_one_version(one)
                if plain is not None:
                    found.setdefault(one["metadata"]["name"], plain)
    return list(found.values())


def _of_one_version(crd: Json) -> Json | None:
    spec = crd.get("spec", {})
    versions = [one for one in spec.get("versions", ()) if one.get("storage") and one.get("schema")]
    if not versions or "names" not in spec:
        return None
    kept = {key: spec[key] for key in ("group", "names", "scope") if key in spec}
    names = {"annotations": {"api-approved.kubernetes.io": "https://example.org"}}  # some groups are protected
    return {
        "apiVersion": crd["apiVersion"],
        "kind": crd["kind"],
        "metadata": {"name": crd["metadata"]["name"], **names},
        "spec": {**kept, "versions": [{**versions[0], "served": True}]},
    }


# -- objects


_FORMATS = {
    "date-time": "2024-02-29T12:30:00Z",
    "date": "2024-02-29",
    "duration": "1h30m",
    "uri": "https://example.org/a",
    "email": "a@example.org",
    "hostname": "example.org",
    "ipv4": "10.0.0.1",
    "ipv6": "::1",
    "cidr": "10.0.0.0/8",
    "mac": "00:00:5e:00:53:01",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "byte": "c2VjcmV0Cg==",
    "password": "secret",
}
_TEXTS = ("a", "abc-1", "example.org", "10m", "https://example.org", "1")


# Each object has a name of its own, because one object under two names is a mistake.
_NUMBERS = itertools.count()


class Grown:
    """Grows objects of one kind.

    Args:
        crd: The definition, with one version.
        seed: Decides what they look like.
    """

    def __init__(self, crd: Json, seed: int) -> None:
        spec = crd["spec"]
        version = spec["versions"][0]
        self.crd = crd
        self.schema: Json = version["schema"]["openAPIV3Schema"]
        self.scale: Json = (version.get("subresources") or {}).get("scale") or {}
        self.head = {"apiVersion": f"{spec['group']}/{version['name']}", "kind": spec["names"]["kind"]}
        self.plural: str = spec["names"]["plural"]
        self.is_namespaced = spec.get("scope") == "Namespaced"
        self.chance = random.Random(f"{crd['metadata']['name']}/{seed}")

    def grow(self, full: float) -> Json:
        """Return an object; `full` is how likely an optional field of the upper levels is given."""
        made = self._value(self.schema, 0, full)
        made = made if isinstance(made, dict) else {}
        metadata = {"name": f"o-{next(_NUMBERS)}", "labels": {"app": "gate"}}
        if self.is_namespaced:
            metadata["namespace"] = "default"
        made.pop("status", None)
        return {**made, **self.head, "metadata": metadata}

    def _value(self, schema: Json, depth: int, full: float) -> Any:
        if schema.get("x-kubernetes-int-or-string"):
            return self.chance.choice([1, 80, "50%"])
        if schema.get("enum"):
            return self.chance.choice(schema["enum"])
        kind = schema.get("type", "object" if "properties" in schema else "")
        if kind == "object":
            return self._object(schema, depth, full)
        if kind == "array":
            count = max(schema.get("minItems", 0), self.chance.choice([0, 1, 1, 2]))
            count = min(count, schema.get("maxItems", count))
            made = [self._value(schema.get("items", {}), depth + 1, full) for _ in range(count)]
            is_unique = schema.get("x-kubernetes-list-type") in ("set", "map")
            return made[:1] if is_unique and schema.get("minItems", 0) < 2 else made
        if kind == "string":
            return self._text(schema)
        if kind in ("integer", "number"):
            lowest, highest = schema.get("minimum", 0), schema.get("maximum", 1000)
            return self.chance.choice([lowest, min(lowest + 1, highest), highest])
        if kind == "boolean":
            return self.chance.random() < 0.5
        return self.chance.choice([1, "x", {"any": [1]}])

    def _object(self, schema: Json, depth: int, full: float) -> Json:
        properties = schema.get("properties", {})
        needed = set(schema.get("required", ()))
        left_out: set[str] = set()
        for key in ("oneOf", "anyOf"):
            members = [one["required"] for one in schema.get(key, ()) if one.get("required")]
            if members:
                chosen = self.chance.choice(members)
                needed.update(chosen)
                left_out.update(name for one in members for name in one if name not in chosen)
        likely = full / (1 + depth / 2) if depth < _DEEPEST else 0
        value = {}
        for name, inner in properties.items():
            is_wanted = name not in left_out and self.chance.random() < likely
            if name in needed or is_wanted:
                value[name] = self._value(inner, depth + 1, full)
        if schema.get("x-kubernetes-embedded-resource"):
            value |= {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x"}}
        others = schema.get("additionalProperties")
        if isinstance(others, dict):
            count = max(schema.get("minProperties", 0), self.chance.choice([0, 1, 2]))
            for name in ("plain", "a.b/c", "d-e", "f")[:count]:
                value[name] = self._value(others, depth + 1, full)
        elif schema.get("x-kubernetes-preserve-unknown-fields") and not properties:
            value |= self.chance.choice([{}, {"free": [1, {"x": "y"}]}])
        return value

    def _text(self, schema: Json) -> str:
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        texts = [*_TEXTS]
        pattern = schema.get("pattern")
        if pattern:
            made = matching(pattern)
            texts = [one for one in (made, *texts) if one is not None and _finds(pattern, one)] or texts
        text = self.chance.choice(texts)
        lowest = schema.get("minLength", 0)
        return text.ljust(lowest, "x")[: schema.get("maxLength", 10**6)]

    def places(self, value: Any, schema: Json | None = None, steps: Steps = ()) -> Iterator[tuple[Steps, Json, Any]]:
        """Yield the place, the schema and the value of each part of an object but its metadata."""
        schema = self.schema if schema is None else schema
        if steps not in ((), ("apiVersion",), ("kind",)):
            yield steps, schema, value
        if isinstance(value, dict):
            others = schema.get("additionalProperties")
            for name, one in value.items():
                inner = schema.get("properties", {}).get(name, others if isinstance(others, dict) else {})
                if (*steps, name) != ("metadata",):
                    yield from self.places(one, inner, (*steps, name))
        elif isinstance(value, list):
            for at, one in enumerate(value):
                yield from self.places(one, schema.get("items", {}), (*steps, at))


def _finds(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


def put(value: Json, steps: Sequence[str | int], new: Any) -> Json:
    """Return a copy of an object with another value at a path."""
    copied = copy.deepcopy(value)
    holder: Any = copied
    for step in steps[:-1]:
        holder = holder.setdefault(step, {}) if isinstance(holder, dict) else holder[step]
    holder[steps[-1]] = new
    return copied


def drop(value: Json, steps: Sequence[str | int]) -> Json:
    """Return a copy of an object without the value at a path."""
    copied = copy.deepcopy(value)
    holder: Any = copied
    for step in steps[:-1]:
        holder = holder[step]
    del holder[steps[-1]]
    return copied


# -- breakages

_WRONG = {
    "string": [5, True, {"x": "y"}, ["a"]],
    "integer": ["five", 1.5, True, {"x": 1}, [1]],
    "number": ["five", False, {"x": 1}],
    "boolean": ["true", 1, {"x": True}],
    "object": ["text", 5, ["a"]],
    "array": ["text", 5, {"x": "y"}],
}
_ODD_TEXTS = ("", " ", "!", "A b", "\u00e9", "x" * 300, "1", "-", "a/b", "*", "0", "a\nb")
_LENGTHS = (63, 64, 253, 254)
_NAMES = ("A", "a_b", "a.b", "-a", "a-", "a..b", "1", "a:b", "a b", "", "\u00e9", *("a" * n for n in _LENGTHS))
_KEYS = ("a", "a/b", "/b", "a/", "a/b/c", "A.b/c", "-a", "a_b.c", "a b", "x" * 63, "x" * 64, "x" * 253 + "/a")
_VALUES = ("", "a", "A_b.c-1", "-a", "a-", "a b", "a/b", "x" * 63, "x" * 64, "\u00e9", "a\n")
_OWNERS = (
    {},
    {"apiVersion": "v1"},
    {"kind": "Pod"},
    {"name": "x"},
    {"uid": "x"},
    {"apiVersion": ""},
    {"uid": ""},
    {"apiVersion": "a/b/c"},
    {"kind": "Event"},
    {"more": "x"},
    {"controller": "yes"},
)


def _of_values(name: str, wanted: Callable[[Json, Any], Iterable[Any]]) -> Callable[[Grown, Json], Iterator[Case]]:
    """Return a breakage that puts other values into places: those that `wanted` yields for a schema and a value."""

    def cases(grown: Grown, value: Json) -> Iterator[Case]:
        for steps, schema, one in grown.places(value):
            for new in wanted(schema, one):
                yield Case(name, f"{steps}={new!r:.60}", put(value, steps, new))

    return cases


def _limits(schema: Json, value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        if schema.get("minLength", 0) > 0:
            yield "x" * (schema["minLength"] - 1)
        if "maxLength" in schema:
            yield "x" * (schema["maxLength"] + 1)
            yield "\u00e9" * schema["maxLength"]
    if type(value) in (int, float):
        if "minimum" in schema:
            yield schema["minimum"] - 1
        if "maximum" in schema:
            yield schema["maximum"] + 1
    if isinstance(value, list) and value:
        if "maxItems" in schema and schema["maxItems"] < 1000:
            yield [copy.deepcopy(value[0]) for _ in range(schema["maxItems"] + 1)]
        if schema.get("minItems", 0) > 0:
            yield []


def _free(schema: Json, value: Any) -> Iterator[Any]:
    kept = "x-kubernetes-preserve-unknown-fields"
    is_bare = not any(key in schema for key in ("properties", "additionalProperties", kept))
    if isinstance(value, dict) and is_bare and schema.get("type") == "object":
        yield {**value, "extra": "x"}


def _unknown(schema: Json, value: Any) -> Iterator[Any]:
    if isinstance(value, dict) and "properties" in schema:
        yield {**value, "noSuchField": "x"}
        yield {**value, "noSuchField": None}


def _twins(schema: Json, value: Any) -> Iterator[Any]:
    if isinstance(value, list) and value and schema.get("x-kubernetes-list-type") in ("set", "map"):
        yield [*value, copy.deepcopy(value[-1])]


def _embedded(schema: Json, value: Any) -> Iterator[Any]:
    if not isinstance(value, dict) or not schema.get("x-kubernetes-embedded-resource"):
        return
    for new in ("", "a/b/c", 5, "v1"):
        yield {**value, "apiVersion": new}
    for new in ("", "a b", 5, "1a", "Thing-a", "a.b"):
        yield {**value, "kind": new}
    for key, options in (("name", _NAMES), ("generateName", _NAMES), ("namespace", _NAMES)):
        for new in options:
            yield {**value, "metadata": {"name": "x", key: new}}
    for new in _KEYS:
        yield {**value, "metadata": {"labels": {new: "x"}}}
        yield {**value, "metadata": {"annotations": {new: "x"}}}
        yield {**value, "metadata": {"finalizers": [new]}}
    for new in _VALUES:
        yield {**value, "metadata": {"labels": {"a": new}}}
    yield {**value, "metadata": {"noSuchField": "x"}}
    yield {**value, "metadata": {"labels": {"a": 5}}}
    yield {**value, "metadata": "x"}
    yield {key: one for key, one in value.items() if key != "kind"}


def _missing(grown: Grown, value: Json) -> Iterator[Case]:
    for steps, schema, one in grown.places(value):
        for name in schema.get("required", ()) if isinstance(one, dict) else ():
            if name in one:
                yield Case("missing", str((*steps, name)), drop(value, (*steps, name)))


def _less(grown: Grown, value: Json) -> Iterator[Case]:
    for steps, _, _ in grown.places(value):
        if isinstance(steps[-1], str):
            yield Case("less", str(steps), drop(value, steps))


def _rule(grown: Grown, value: Json) -> Iterator[Case]:
    """Change something that a rule in CEL is about."""
    for steps, schema, one in grown.places(value):
        if "x-kubernetes-validations" not in schema:
            continue
        for below, inner, old in grown.places(one, schema, steps):
            if isinstance(old, str):
                for new in _ODD_TEXTS:
                    yield Case("rule", f"{below}={new!r:.40}", put(value, below, new))
            elif type(old) is int:
                for change in (old + 1, old - 1, 0, 10**6):
                    yield Case("rule", f"{below}={change}", put(value, below, change))
            elif isinstance(old, bool):
                yield Case("rule", f"{below}={not old}", put(value, below, not old))
            if len(below) > len(steps) and isinstance(below[-1], str):
                yield Case("rule", f"without {below}", drop(value, below))
            if isinstance(old, dict):
                for name in inner.get("properties", {}).keys() - old.keys():
                    new = grown._value(inner["properties"][name], len(below), 0.2)
                    yield Case("rule", f"{(*below, name)}={new!r:.40}", put(value, (*below, name), new))


def _metadata(grown: Grown, value: Json) -> Iterator[Case]:
    def case(what: str, new: Any, *path: str) -> Case:
        return Case(what, f"{path}={new!r:.60}", put(value, ("metadata", *path), new))

    for name in _NAMES:
        yield case("name", name, "name")
        yield Case("name", f"generateName={name:.60}", _with_generated(value, name))
    for key in _KEYS:
        yield case("label", {key: "x"}, "labels")
        yield case("annotation", {key: "x"}, "annotations")
        yield case("finalizer", [key], "finalizers")
    for text in _VALUES:
        yield case("label", {"a": text}, "labels")
    yield case("annotation", {"a": "x" * 262144}, "annotations")
    yield case("annotation", {"a": "x" * 262000}, "annotations")
    yield case("finalizer", ["a/b", "a/b"], "finalizers")
    yield case("finalizer", [5], "finalizers")
    right = {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u"}
    for owner in _OWNERS:
        yield case("owner", [{**right, **owner}], "ownerReferences")
    for key in right:
        yield case("owner", [{name: one for name, one in right.items() if name != key}], "ownerReferences")
    yield case("owner", [right, right], "ownerReferences")
    yield case("owner", [{**right, "uid": "v", "controller": True}], "ownerReferences")
    for field in ("noSuchField", "label", "Labels"):
        yield case("metadata field", "x", field)
    for field, new in (
        ("generation", "x"),
        ("creationTimestamp", None),
        ("deletionTimestamp", "2024-01-01T00:00:00Z"),
        ("deletionGracePeriodSeconds", 5),
        ("uid", "abc"),
        ("resourceVersion", "5"),
        ("selfLink", "x"),
        ("generation", 5),
        ("finalizers", "x"),
        ("labels", None),
        ("clusterName", "x"),
    ):
        yield case("metadata field", new, field)


def _with_generated(value: Json, name: str) -> Json:
    made = copy.deepcopy(value)
    made["metadata"]["generateName"] = name
    return made


def _head(grown: Grown, value: Json) -> Iterator[Case]:
    for field in ("sepc", "specs", "Spec", "data"):
        if field not in grown.schema.get("properties", {}):
            yield Case("top field", field, {**value, field: {}})
            yield Case("top field", field, {**value, field: "x"})
    kind = value["kind"]
    for new in (kind.lower(), grown.plural, kind + "s", kind[:-2] + kind[:-3:-1], kind[:-1]):
        if new != kind:
            yield Case("kind", new, {**value, "kind": new})
    group, _, _ = value["apiVersion"].rpartition("/")
    yield Case("kind", "v1z9", {**value, "apiVersion": f"{group}/v1z9"})


def _scale(grown: Grown, value: Json) -> Iterator[Case]:
    path = grown.scale.get("specReplicasPath", "").lstrip(".").split(".")
    holder: Any = value
    for step in path[:-1]:
        holder = holder.get(step) if isinstance(holder, dict) else None
    if isinstance(holder, dict):
        for new in (-1, 0, 2**31 - 1, 2**31, None):
            yield Case("scale", f"{path}={new}", put(value, path, new))


BREAKAGES: tuple[Callable[[Grown, Json], Iterator[Case]], ...] = (
    _of_values("type", lambda schema, _: _WRONG.get(schema.get("type", ""), ())),
    _of_values("null", lambda schema, _: [None]),
    _of_values("null inside", lambda schema, one: [[*one, None]] if isinstance(one, list) else []),
    _of_values("enum", lambda schema, _: ["no such", None, {}] if "enum" in schema else []),
    _of_values("pattern", lambda schema, one: _ODD_TEXTS if "pattern" in schema and isinstance(one, str) else []),
    _of_values("format", lambda schema, one: FORMAT_TEXTS if "format" in schema and isinstance(one, str) else []),
    _of_values("limit", _limits),
    _of_values("integer", lambda schema, one: [2**31, -(2**31) - 1, 2**53 - 1, -5] if type(one) is int else []),
    _of_values("unknown", _unknown),
    _of_values("free", _free),
    _of_values("twin", _twins),
    _of_values("embedded", _embedded),
    _missing,
    _less,
    _rule,
    _metadata,
    _metadata,
    _metadata,
    _head,
    _scale,
)
FORMAT_TEXTS: tuple[str, ...] = ("", "x", "1h", "5 minutes", "2024-02-30", "2024-02-29T12:30:00", "10.0.0.01", "a b")


def cases_of(plane: Plane, crd: Json, seed: int, count: int) -> Iterator[Case]:
    """Yield objects of one kind: as they have grown, and as many with one breakage, each of another kind."""
    grown = Grown(crd, seed)
    made = 0
    wrong_names = set()
    while made < count:
        for full in (0.5, 0.3, 0.15, 0.05, 0.0):
            right = grown.grow(full)
            if not refused(plane, right):
                break
        yield Case("none", "", right)
        groups = [[*breakage(grown, right)] for breakage in BREAKAGES]
        groups = [one for one in groups if one]
        broken = grown.chance.choice(grown.chance.choice(groups))
        if broken.content.get("metadata", {}).get("name") == right["metadata"]["name"]:
            # One object under two names is a mistake.
            broken = broken._replace(content=copy.deepcopy(broken.content))
            broken.content["metadata"]["name"] += "-broken"
        elif broken.what == "name":
            if broken.where in wrong_names:
                continue
            wrong_names.add(broken.where)
        yield broken
        made += 2


def existing_of(plane: Plane, crd: Json, seed: int, count: int) -> Iterator[Case]:
    """Yield objects of one kind that exist, with fields that Crossplane and another manager have set."""
    grown = Grown(crd, seed)
    for number in range(count):
        name = f"there-{seed}-{number}"
        first, second, third = (_named(grown.grow(full), name) for full in (0.4, 0.3, 0.4))
        steps: list[tuple[Json, str]] = [(first, _MANAGER), (_mixed(grown, first, second), "other")]
        live = None
        for one, manager in steps:
            try:
                path = f"{plane.kube.path(one)}?fieldManager={manager}&force=true"
                live = plane.kube.request("PATCH", path, one, "application/apply-patch+yaml")
            except ApiError:
                continue
        if live is None:
            continue
        wanted = grown.chance.choice([third, _mixed(grown, first, third), _less_of(grown, first)])
        yield Case("existing", name, wanted, live)


def _named(one: Json, name: str) -> Json:
    return {**one, "metadata": {**one["metadata"], "name": name}}


def _mixed(grown: Grown, one: Any, other: Any) -> Any:
    """Return an object with some fields of both objects."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return grown.chance.choice([one, other])
    made = {}
    for key in {**one, **other}:
        if key in one and key in other:
            made[key] = _mixed(grown, one[key], other[key])
        elif grown.chance.random() < 0.7:
            made[key] = one[key] if key in one else other[key]
    return made


def _less_of(grown: Grown, one: Any) -> Any:
    """Return an object without some of its fields and elements."""
    if isinstance(one, dict):
        is_head = "apiVersion" in one
        kept = {key for key in one if is_head or grown.chance.random() < 0.7}
        return {key: one[key] if key == "metadata" else _less_of(grown, one[key]) for key in one if key in kept}
    return one[: grown.chance.randint(0, len(one))] if isinstance(one, list) else one


# -- answers


_OWN = {
    "labels": {"crossplane.io/composite": "gate"},
    "annotations": {"crossplane.io/composition-resource-name": "x"},
}


_OWNER = {
    "apiVersion": "example.org/v1",
    "kind": "XGate",
    "name": "gate",
    "uid": "gate",
    "controller": True,
    "blockOwnerDeletion": True,
}


def as_applied(one: Json) -> Json:
    """Return an object with what Crossplane adds to a composed resource."""
    made = copy.deepcopy(one)
    metadata = made["metadata"]
    for key, new in _OWN.items():
        old = metadata.get(key)
        if old is None or isinstance(old, dict):
            metadata[key] = {**(old or {}), **new}
    owners = metadata.get("ownerReferences") or []
    if isinstance(owners, list):
        metadata["ownerReferences"] = [*owners, _OWNER]
    if not metadata.get("name"):
        metadata["generateName"] = metadata.get("generateName") or "gate-"
        metadata["name"] = f"{metadata['generateName']}0123456789ab"
    return made


def _lost(sent: Any, stored: Any, path: str = "") -> str:
    """Return the path of a field that an object has, and that was dropped; empty if there is none."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        for key, one in sent.items():
            if key not in stored and path and one != []:  # an empty list may go
                return f"{path}.{key}"
            if lost := _lost(one, stored.get(key), f"{path}.{key}"):
                return lost
    if isinstance(sent, list) and isinstance(stored, list):
        for at, one in enumerate(sent):
            # Elements of other managers may stand in front, where an object exists.
            lost_in = [_lost(one, other, f"{path}[{at}]") for other in stored]
            if lost_in and all(lost_in):
                return lost_in[0]
    return ""


def refused(plane: Plane, one: Json, *, is_composite: bool = False) -> str:
    """Apply an object as Crossplane does, but without effect, and return why the API server refuses it."""
    one = one if is_composite else as_applied(one)
    try:
        path = urllib.parse.quote(plane.kube.path({**one, "metadata": {"namespace": "default", **one["metadata"]}}))
        query = f"fieldManager={_MANAGER}&force=true&dryRun=All&fieldValidation=Strict"
        stored = plane.kube.request("PATCH", f"{path}?{query}", one, "application/apply-patch+yaml")
    except ApiError as error:
        return str(error) or "refused"
    lost = _lost({**one, "metadata": {}}, stored)
    return f"drops {lost}" if lost else ""


class _Composer:
    """A function that desires objects."""

    def __init__(self, objects: dict[str, Json]) -> None:
        self._objects = objects

    def RunFunction(self, request: Any, context: Any) -> Any:
        response = run_function_pb2.RunFunctionResponse()
        for name, one in self._objects.items():
            response.desired.resources[name].resource.MergeFromString(codec.encode_struct(one))
        return response


def previewed(cases: Sequence[Case], crds: Sequence[Json], xr: Json = XR) -> list[str]:
    """Return why a preview refuses each of the cases; empty where it doesn't."""
    found = [""] * len(cases)
    left = {f"o{at}": one.content for at, one in enumerate(cases)}
    observed = {f"o{at}": one.observed for at, one in enumerate(cases) if one.observed is not None}
    step = {"step": "gate", "functionRef": {"name": "gate"}}
    pipeline = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "gate"},
        "spec": {
            "compositeTypeRef": {key: xr[key] for key in ("apiVersion", "kind")},
            "mode": "Pipeline",
            "pipeline": [step],
        },
    }
    while left:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                there = {name: one for name, one in observed.items() if name in left}
                testing.render(xr, pipeline, functions={"gate": _Composer(left)}, observed=there, crds=list(crds))
            break
        except testing.InvalidResourceError as error:
            for text in error.errors:
                name = re.match(r"o\d+", text)
                assert name is not None, text
                found[int(name[0][1:])] += text + "; "
            break
        except testing.RenderError as error:
            name = re.search(r'"(o\d+)"', str(error))
            assert name is not None, error
            found[int(name[1][1:])] = str(error)
            del left[name[1]]
    return found


def xrd_of(crd: Json) -> Json:
    """Return a CompositeResourceDefinition whose spec is that of a definition."""
    version = crd["spec"]["versions"][0]
    spec = version["schema"]["openAPIV3Schema"].get("properties", {}).get("spec", {"type": "object"})
    kind = f"X{crd['spec']['names']['kind']}"
    names = {"kind": kind, "plural": f"{kind.lower()}s"}
    limit = len(kind) % 30 + 40  # lower or higher than Crossplane's own
    schema = {
        "type": "object",
        "properties": {
            "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": limit}}},
            "spec": spec,
        },
    }
    served = {"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.crossplane.io/v2",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": f"{names['plural']}.xr.example.org"},
        "spec": {"group": "xr.example.org", "names": names, "scope": crd["spec"]["scope"], "versions": [served]},
    }


def composites_of(plane: Plane, xrd: Json, seed: int, count: int) -> list[Answer] | None:
    """Ask the API server and a preview about composites of one kind; None if Crossplane makes no definition of it."""
    plane.kube.apply(xrd)
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{xrd['metadata']['name']}"
    crd = wait(lambda: plane.kube.find(path), 20)
    if not crd or not wait(lambda: _is_served(plane, xrd), 20):
        return None
    cases = [*cases_of(plane, crd, seed, count)]
    return [Answer(one, refused(plane, one.content, is_composite=True), _as_composite(one, xrd)) for one in cases]


def _is_served(plane: Plane, xrd: Json) -> bool:
    found = plane.kube.find("/apis/xr.example.org/v1")
    return found is not None and any(one["kind"] == xrd["spec"]["names"]["kind"] for one in found["resources"])


def _as_composite(case: Case, xrd: Json) -> str:
    """Return why a preview refuses a composite."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            testing.render(case.content, _nothing, xrd=xrd)
    except (InputError, testing.RenderError) as error:
        return str(error)
    return ""


@composition.function()
def _nothing(ctx: composition.Context) -> None:
    """Compose nothing."""


def answers(plane: Plane, cases: Sequence[Case], crds: Sequence[Json], xr: Json = XR) -> list[Answer]:
    """Ask the API server and a preview about cases."""
    if crds[0]["spec"].get("scope") == "Cluster":
        xr = {**xr, "metadata": {"name": "gate"}}
    said = previewed(cases, crds, xr)
    return [Answer(case, refused(plane, case.content), text) for case, text in zip(cases, said, strict=True)]


def table(found: Iterable[Answer]) -> str:
    """Return the number of answers by breakage, of previews and of the API server, and all disagreements."""
    counts: dict[str, list[int]] = {}
    lines = []
    for one in found:
        row = counts.setdefault(one.case.what, [0, 0, 0, 0])
        at = 2 * bool(one.server) + bool(one.preview)
        row[at] += 1
        if at in (1, 2):
            said = one.server or f"preview: {one.preview}"
            lines.append(
                f"{'refused' if one.preview else 'ACCEPTED'} wrongly: {one.case.what} {one.case.where} "
                f"{one.case.content['kind']}: {said[:700]}"
            )
    head = ["", "both accept", "only preview refuses", "only server refuses", "both refuse"]
    rows = [head, *([what, *map(str, row)] for what, row in sorted(counts.items()))]
    rows.append(["all", *(str(sum(row[at] for row in counts.values())) for at in range(4))])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    shown = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([*shown, *lines])


def kinds_in(plane: Plane, folders: Iterable[Path], count: int, chance: random.Random) -> Iterator[Json]:
    """Yield definitions of kinds that the API server serves, chosen at random."""
    found = definitions(folders)
    chance.shuffle(found)
    served = 0
    for crd in found:
        try:
            plane.kube.apply(crd)
        except ApiError:  # some definitions of public repositories aren't right
            continue
        if wait(lambda crd=crd: not refused(plane, Grown(crd, 0).grow(0)).startswith("404"), 20):  # type: ignore[misc]
            served += 1
            yield crd
        if served == count:
            return


def compare(plane: Plane, folders: Iterable[Path], kinds: int, each: int, seed: int = 1) -> dict[str, list[Answer]]:
    """Compare the API server and previews: new objects, composites, and objects that exist."""
    found: dict[str, list[Answer]] = {"objects": [], "composites": [], "existing objects": []}
    for number, crd in enumerate(kinds_in(plane, folders, kinds, random.Random(seed))):
        found["objects"] += answers(plane, [*cases_of(plane, crd, seed, each)], [crd])
        found["existing objects"] += answers(plane, [*existing_of(plane, crd, seed, max(1, each // 8))], [crd])
        if number % 10 == 0:
            with contextlib.suppress(ApiError):  # Crossplane doesn't take each schema
                found["composites"] += composites_of(plane, xrd_of(crd), seed, each) or []
    return found


def main() -> None:
    """Start a control plane, compare, and print the tables: FOLDER [KINDS [OBJECTS OF EACH [SEED]]]."""
    sources = programs.found()
    if sources is None:
        raise SystemExit(programs.MISSING)
    folder, kinds, each, seed = (*sys.argv[1:], *("", "300", "16", "1")[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as temporary:
        plane = Plane.start(Path(temporary, "run"), sources)
        try:
            for what, found in compare(plane, [Path(folder)], int(kinds), int(each), int(seed)).items():
                names = {one.case.content["kind"] for one in found}
                print(f"{what}: {len(found)} of {len(names)} kinds\n{table(found)}\n")
        finally:
            plane.stop()


if __name__ == "__main__":
    main()
