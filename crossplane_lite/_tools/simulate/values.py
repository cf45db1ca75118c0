"""Makes the simplest values that the schemas of fields allow. The same field gets the same value in
every run.

Schemas are in Kubernetes' dialect of OpenAPI v3.0, with their references inlined.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..._core.base.scalars import EXACT
from ..._core.paths.schema import Schema
from ..manifests.objects import TRANSITION_TIME
from .merging import copied

MOST_ELEMENTS: Final = 200
"""The most elements of a list that is made here."""

_DEEPEST: Final = 12

_FORMATS: Final[Mapping[str, str]] = {
    "byte": "c2ltdWxhdGVk",
    "cidr": "192.0.2.0/24",
    "date": "2024-01-01",
    "date-time": TRANSITION_TIME,
    "datetime": TRANSITION_TIME,
    "duration": "1h0m0s",
    "email": "someone@example.org",
    "hostname": "host.example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "mac": "00:00:5e:00:53:01",
    "uri": "https://example.org",
    "url": "https://example.org",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_NOT_PLAIN: Final = re.compile(r"[^a-z0-9]+")

Steps = Sequence["str | int"]


class Target(NamedTuple):
    """The resource that values are made up for.

    Attributes:
        name: The resource's composition resource name.
        api_version: The resource's apiVersion.
        kind: The resource's kind.
    """

    name: str
    api_version: str
    kind: str


class Made(NamedTuple):
    """A value that was made up.

    Attributes:
        value: The value.
        is_assumed: Whether the value is a guess: the schema says too little about it, or no value
            that fits was found.
    """

    value: Any
    is_assumed: bool


def value_for(schema: Mapping[str, Any], owner: Target, steps: Steps) -> Made:
    """Return a value for a field, and whether the value is a guess. Every run makes the same value.

    Args:
        schema: The field's schema. A value that is a guess may not fit the schema.
        owner: The resource that gets the value.
        steps: The path of the field in the resource.
    """
    return _Maker(owner).value(schema, list(steps), 0)


def required_values(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return values for the required fields of an object, for an example: as little as is valid.

    Fields with a default or without a schema are left out.

    Args:
        schema: The schema of the object.
    """
    whole = {**_with_parameters(schema), "type": "object"}
    made: dict[str, Any] = _Maker(Target("", "", ""), is_least=True).value(whole, [], 0).value
    return made


def _with_parameters(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a kind with upjet's required parameters among the required fields."""
    spec = Schema(schema).field("spec")
    provider = None if spec is None else spec.field("forProvider")
    if spec is None or provider is None or not spec.parameters:
        return schema
    inner = {**provider.source, "required": [*provider.required, *spec.parameters]}
    outer = {**spec.source, "required": [*spec.required, "forProvider"]}
    outer["properties"] = {**spec.source["properties"], "forProvider": inner}
    return {**schema, "properties": {**schema["properties"], "spec": outer}}


def text_for(owner: Target, steps: Steps) -> str:
    """Return a text made of the names of a resource and a field. It is a valid DNS label of at most
    63 characters.
    """
    shown = [
        str(step) for step in steps if step not in ("status", "atProvider", "spec", "forProvider")
    ]
    text = _NOT_PLAIN.sub("-", "-".join([owner.name, *shown]).lower()).strip("-") or "x"
    if len(text) <= 63:
        return text
    import hashlib

    return f"{text[:50]}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


class _Maker:
    """Makes up values for one resource.

    Args:
        owner: The resource.
        is_least: Whether objects get only required fields without a default, and lists only as many
            elements as they must have.
    """

    def __init__(self, owner: Target, *, is_least: bool = False) -> None:
        self._owner = owner
        self._is_least = is_least

    def value(self, schema: Mapping[str, Any], steps: list[str | int], depth: int) -> Made:
        """Return a value for a schema. Lists and objects at a depth of 12 levels or more stay
        empty.
        """
        one = _combined(schema)
        if one.get("default") is not None:
            return Made(copied(one["default"]), False)
        choices = one.get("enum")
        if isinstance(choices, list) and any(choice is not None for choice in choices):
            return Made(copied(next((c for c in choices if c), choices[0])), False)
        dialect = Schema(one)
        if dialect.is_int_or_string:
            return Made(1, False)
        kind = dialect.kind
        if kind == "boolean":
            return Made(True, False)
        if kind in ("integer", "number"):
            return Made(_number(one, kind == "integer"), False)
        if kind == "array":
            return self._list(one, steps, depth)
        if kind == "object":
            return self._object(one, steps, depth)
        if kind == "string":
            return self._text(one, steps)
        return Made(text_for(self._owner, steps), True)

    def _list(self, schema: Mapping[str, Any], steps: list[str | int], depth: int) -> Made:
        if depth >= _DEEPEST:
            return Made([], True)
        items = Schema(schema).items
        least = 0 if self._is_least else 1
        length = max(min(_integer(schema.get("minItems"), least), MOST_ELEMENTS), least)
        made = [
            self.value({} if items is None else items.source, [*steps, at], depth + 1)
            for at in range(length)
        ]
        return Made([one.value for one in made], any(one.is_assumed for one in made))

    def _object(self, schema: Mapping[str, Any], steps: list[str | int], depth: int) -> Made:
        """Return an object with its required fields; if the schema requires none, with all its
        scalar fields.

        If the schema names no fields, but describes the values of a map, the object has one field:
        `key`.
        """
        dialect = Schema(schema)
        fields = {key: below.source for key, below in dialect.properties.items()}
        wanted = [key for key in dialect.required if key in fields]
        if self._is_least:
            wanted = [key for key in wanted if "default" not in fields[key]]
        elif not wanted:
            wanted = [
                key
                for key, one in fields.items()
                if _combined(one).get("type") not in ("array", "object", None)
            ]
        if depth >= _DEEPEST:
            wanted = []
        made = {key: self.value(fields[key], [*steps, key], depth + 1) for key in sorted(wanted)}
        others = dialect.others
        if not fields and isinstance(others, Schema) and depth < _DEEPEST and not self._is_least:
            made = {"key": self.value(others.source, [*steps, "key"], depth + 1)}
        # An embedded resource needs apiVersion, kind and metadata.
        whole = (
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "example"}}
            if dialect.is_embedded
            else {}
        )
        is_assumed = not made or any(one.is_assumed for one in made.values())
        return Made({**whole, **{key: one.value for key, one in made.items()}}, is_assumed)

    def _text(self, schema: Mapping[str, Any], steps: list[str | int]) -> Made:
        """Return an example of the schema's format, or else the text for the field; it is a guess
        if it doesn't fit.
        """
        shortest = _integer(schema.get("minLength"), 0)
        longest = _integer(schema.get("maxLength"), 1_000_000)
        text = _FORMATS.get(str(schema.get("format"))) or text_for(self._owner, steps)
        fitting = _of_length(text, shortest, longest)
        pattern = schema.get("pattern")
        is_assumed = isinstance(pattern, str) and not _matches(pattern, fitting)
        return Made(fitting, is_assumed)


def _matches(pattern: str, text: str) -> bool:
    """Return whether a pattern is found in a text. If Python can't compile the pattern, the result
    is True.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a later Python may read the pattern differently
            compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return True
    return compiled.search(text) is not None


def _combined(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema merged with the schemas in its allOf, anyOf and oneOf.

    Their `properties` are merged, too. If several schemas have the same key or property, the first
    one counts.
    """
    combined: dict[str, Any] = {}
    for one in Schema(schema).alternatives():
        fields = [part.get("properties") for part in (one.source, combined)]
        properties = {
            key: value
            for found in fields
            if isinstance(found, Mapping)
            for key, value in found.items()
        }
        combined = {**one.source, **combined, **({"properties": properties} if properties else {})}
    return combined


def _of_length(text: str, shortest: int, longest: int) -> str:
    if len(text) < shortest <= 10_000:
        text = text.ljust(shortest, "x")
    return text[: max(longest, 0)]


def _number(schema: Mapping[str, Any], whole: bool) -> float:
    """Return 1 if the schema allows it.

    Else return a number that fits the schema's limits and its multipleOf, if possible.
    """
    lowest, highest = (_bound(schema, key) for key in ("minimum", "maximum"))
    step = _bound(schema, "multipleOf")
    least = -math.inf if lowest is None else lowest
    unit: float = 1 if whole else 0.5
    if lowest is not None and schema.get("exclusiveMinimum") is True:
        least += unit
    value = max(1, least)
    if step is not None and step > 0:
        value = math.ceil(value / step) * step
    if highest is not None and value > highest:
        value = highest - (unit if schema.get("exclusiveMaximum") is True else 0)
        if step is not None and step > 0:
            value = math.floor(value / step) * step
    return int(value) if whole or float(value).is_integer() else value


def _bound(schema: Mapping[str, Any], key: str) -> float | None:
    value = schema.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= EXACT:
        return None
    return value


def _integer(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default
