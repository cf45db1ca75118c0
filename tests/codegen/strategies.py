"""Random schemas, schemas that grew out of others, and random instances of schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from tests.codegen.generated import SCALARS

__all__ = [
    "NAMES",
    "Instances",
    "descriptions",
    "grown",
    "object_schemas",
    "places",
    "rich_schemas",
    "shuffled",
    "wire_names",
]

Json = dict[str, Any]

# Few names, so that objects of one name and different shapes are the rule.
NAMES = ("a", "item", "spec", "status", "template", "z")

_texts = st.text(max_size=6)
_integers = st.integers(-(2**53), 2**53)
_numbers = st.floats(allow_nan=False, allow_infinity=False) | _integers

wire_names = st.one_of(
    st.sampled_from(
        [
            *("class", "from", "None", "import", "$ref", "$schema", "3d", "x-y", "x.y", "x_y", "x y", "self", "_node"),
            *("__class__", "__init__", "__dict__", "__slots__", "_", "__", "-", "--", "___"),
            *("name", "ready", "observed"),
            *("external_name", "connection_details", "condition", "str", "int", "list", "dict", "Any", "Leaf", "Thing"),
            *("a:b", "a=b", "a#b", "a%b", "a,b", "%41", "'", '"', "\\", "\n", "a\u2028b", "\ufb01eld", "field"),
            *("\u00aa", "\u4e2d", "e\u0301", "\u00e9", "\uff4bind", "apiVersion", "@", "*", "* a", "@a", "mro"),
        ]
    ),
    st.text(min_size=1, max_size=4),
)
"""Names of properties, those that Python or a table would take for something else among them."""

descriptions = st.one_of(
    st.text(st.characters(), max_size=30),
    st.text(st.sampled_from("\"'\\\n\r\t\x00\x1b\ud800 aNu{}\u00e9\u2028\U0001f600"), max_size=20),
)
"""Descriptions of any characters, quotes, backslashes and lone surrogates among them."""


def _tree(schema: Any) -> Any:
    """Return a copy in which no two places are one object."""
    if isinstance(schema, dict):
        return {key: _tree(value) for key, value in schema.items()}
    return [_tree(value) for value in schema] if isinstance(schema, list) else schema


@st.composite
def object_schemas(draw: st.DrawFn, most: int = 4) -> Json:
    """Return the schema of an object, made of a few objects that occur in several places of it.

    Args:
        draw: Given by hypothesis.
        most: How many different objects there are at most below the whole.
    """
    scalars = list(SCALARS.values())
    found: list[Json] = []
    for _ in range(draw(st.integers(1, most))):
        one = _object_of(draw, [*scalars, *found])
        found += [one, one, {"type": "array", "items": one}, {"type": "object", "additionalProperties": one}]
    whole: Json = _tree(_object_of(draw, found))
    return whole


def _object_of(draw: st.DrawFn, choice: list[Json]) -> Json:
    """Return the schema of an object whose fields are some of a choice, the last of them rather than others."""
    fields = st.sampled_from(choice[-4:]) | st.sampled_from(choice)
    return {
        "type": "object",
        "properties": draw(st.dictionaries(st.sampled_from(NAMES), fields, min_size=2, max_size=4)),
    }


def _within(schema: Json) -> Json:
    """Return the object that lists and maps hold in the end."""
    while True:
        if "items" in schema:
            schema = schema["items"]
        elif isinstance(schema.get("additionalProperties"), dict):
            schema = schema["additionalProperties"]
        else:
            return schema


def places(schema: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield path and schema of every object with properties."""
    yield path, schema
    for name, below in schema["properties"].items():
        inner = _within(below)
        if "properties" in inner:
            yield from places(inner, (*path, name))


@st.composite
def grown(draw: st.DrawFn, schema: Json) -> Json:
    """Return a schema with properties added to some of its objects, wherever they stand."""
    schema = _tree(schema)
    objects = [place for _, place in places(schema)]
    added: Json = draw(st.just({}) | st.builds(lambda one: one["properties"], object_schemas(2)))
    # What there is already, in other places, makes the most trouble; so does a field more in one of two equal objects.
    added = _tree({**added, draw(st.sampled_from(NAMES)): draw(st.sampled_from(objects))})
    for place in draw(st.lists(st.sampled_from(objects), min_size=1, max_size=2)):
        for name, below in added.items():
            place["properties"].setdefault(name, _tree(below))
    return schema


# Those of `wire_names` that can be told apart by eye where a test fails.
_odd_names = st.sampled_from(
    [
        "a",
        "b",
        "spec",
        "status",
        "class",
        "x-y",
        "x.y",
        "$ref",
        "3d",
        "name",
        "ready",
        "a:b",
        "c d",
        "\u4e2d",
        "e,#%=",
        "self",
    ]
)


@st.composite
def rich_schemas(draw: st.DrawFn) -> Json:
    """Return the schema of an object with any of the constructs that there are."""
    found: list[Json] = [
        *SCALARS.values(),
        {"type": "string", "enum": ["on", "=", ""]},
        {"type": "integer", "enum": [1, 2], "nullable": True},
        {"type": "string", "nullable": True, "default": "x"},
        {"type": "string", "format": "int-or-string"},
        {"oneOf": [{"type": "string"}, {"type": "number"}]},
        {"type": "object", "additionalProperties": True},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "additionalProperties": {"type": "number"}},
    ]
    for _ in range(draw(st.integers(1, 5))):
        choice = st.one_of(st.sampled_from(found[-4:]), st.sampled_from(found))
        one: Json = {
            "type": "object",
            "properties": draw(st.dictionaries(_odd_names, choice, min_size=1, max_size=5)),
        }
        one |= draw(
            st.sampled_from(
                [
                    *[{}] * 4,
                    {"x-kubernetes-preserve-unknown-fields": True},
                    {"x-kubernetes-embedded-resource": True},
                    {"nullable": True},
                ]
            )
        )
        array = {"type": "array", "items": one}
        found += [one, array, {"type": "object", "additionalProperties": one}]
        found += draw(
            st.sampled_from(
                [
                    [],
                    [{"type": "array", "items": array}],
                    [{"type": "object", "additionalProperties": array}],
                    [{"type": "array", "items": {"type": "object", "additionalProperties": one}}],
                    [{"type": "array", "items": found[0], "x-kubernetes-list-type": "set"}],
                ]
            )
        )
    top = draw(st.dictionaries(_odd_names, st.sampled_from(found[-6:]), min_size=1, max_size=4))
    whole: Json = _tree({"type": "object", "properties": top})
    return whole


@st.composite
def shuffled(draw: st.DrawFn, schema: Any) -> Any:
    """Return a schema whose keys stand in another order."""
    if isinstance(schema, dict):
        return {key: draw(shuffled(schema[key])) for key in draw(st.permutations(list(schema)))}
    return schema


_any: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _integers | _texts,
    lambda below: st.lists(below, max_size=2) | st.dictionaries(_texts, below, max_size=2),
    max_leaves=4,
)


class Instances:
    """Instances of a schema, small ones.

    Args:
        schema: The schema of an object.
        resolve: Looks a `$ref` up; by default there are none.
        most: How many fields an object has at most.
    """

    def __init__(self, schema: Json, resolve: Callable[[str], Json] = lambda _ref: {}, most: int = 4) -> None:
        self._schema = schema
        self._resolve = resolve
        self._most = most

    def strategy(self) -> st.SearchStrategy[Json]:
        """Return a strategy of instances."""

        @st.composite
        def instances(draw: st.DrawFn) -> Any:
            return self._draw(draw, self._schema, 0)

        return instances()

    def flat(self, schema: Mapping[str, Any]) -> Json:
        """Return a schema with what it refers to, and the members of its `allOf`, laid into it."""
        whole = dict(schema)
        for part in [self._resolve(whole.pop("$ref"))] if "$ref" in whole else []:
            whole = {**self.flat(part), **whole}
        for part in whole.pop("allOf", ()):
            part = self.flat(part)
            properties = {**part.get("properties", {}), **whole.get("properties", {})}
            whole = {**part, **whole} | ({"properties": properties} if properties else {})
        return whole

    def _draw(self, draw: st.DrawFn, schema: Json, depth: int) -> Any:
        schema = self.flat(schema)
        if schema.get("nullable") is True and draw(st.integers(0, 3)) == 0:
            return None
        if schema.get("x-kubernetes-int-or-string") is True or schema.get("format") == "int-or-string":
            return draw(_integers | _texts)
        if "enum" in schema:
            return draw(st.sampled_from(schema["enum"]))
        kind = schema.get("type")
        if kind == "array":
            most = 2 if depth < 6 else 1
            return [self._draw(draw, schema.get("items", {}), depth + 1) for _ in range(draw(st.integers(0, most)))]
        if kind == "object" or "properties" in schema:
            return self._object(draw, schema, depth)
        if kind is None:
            kinds = {one.get("type") for key in ("oneOf", "anyOf") for one in schema.get(key, ())} - {None}
            if kinds == {"string", "number"}:
                return draw(_texts | _numbers)
            return draw(_any)
        return draw({"string": _texts, "integer": _integers, "number": _numbers, "boolean": st.booleans()}[kind])

    def _object(self, draw: st.DrawFn, schema: Json, depth: int) -> Json:
        properties = schema.get("properties", {})
        found: Json = {}
        kinds = schema.get("x-kubernetes-group-version-kind", ())
        if len(kinds) == 1:
            properties = {name: below for name, below in properties.items() if name not in ("apiVersion", "kind")}
            group, version = kinds[0]["group"], kinds[0]["version"]
            found = {"apiVersion": f"{group}/{version}" if group else version, "kind": kinds[0]["kind"]}
        if schema.get("x-kubernetes-embedded-resource") is True:
            found = {"apiVersion": "v1", "kind": "Other", "metadata": {"name": "other"}}
        if properties:
            most = max(1, self._most - depth // 3)
            names = sorted(properties)
            chosen = draw(st.lists(st.sampled_from(names), max_size=most, min_size=depth < 3, unique=True))
            for name in chosen:
                found[name] = self._draw(draw, properties[name], depth + 1)
        below = schema.get("additionalProperties")
        if isinstance(below, dict):
            for key in draw(st.lists(_texts, max_size=2, unique=True)):
                if key not in properties:
                    found[key] = self._draw(draw, below, depth + 1)
        elif below is True or schema.get("x-kubernetes-preserve-unknown-fields") is True or not properties:
            unknown = draw(st.dictionaries(_texts.filter(lambda key: key not in properties), _any, max_size=2))
            found.update({key: value for key, value in unknown.items() if key not in found})
        return found
