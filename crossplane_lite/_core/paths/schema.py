"""Reads schemas in Kubernetes' dialect of OpenAPI v3: the one place that knows what the keywords
mean.

These are the rules for types (the letters are those of `crossplane_lite.table`):

- An object with properties has fields of its own. Without properties, an object with
  `additionalProperties` is a map, and any other object has no schema.
- `x-kubernetes-preserve-unknown-fields`, or `additionalProperties` beside properties, make an
  object open: it takes any other field, too.
- `x-kubernetes-int-or-string` is an integer or a string. Scalar types in `anyOf` or `oneOf` are a
  union of these types.
- `x-kubernetes-embedded-resource` adds apiVersion, kind and metadata to the object's properties.
- The properties of all members of `allOf` count. Other conditions (`not`, other members of `anyOf`
  and `oneOf`) only restrict values.
- The words of YAML 1.1, such as `yes`, are booleans where a boolean is expected, as Kubernetes
  reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..base.api_version import joined
from ..base.scalars import booleans_of_1_1
from ..base.texts import json_type_in_words, json_value_in_words, short_repr

Steps = tuple["str | int", ...]
Wrong = Callable[[Steps, str], Exception]
"""Makes the error for a wrong schema, from the keys and indexes that lead to it, and the
problem.
"""

Follow = Callable[["Schema"], "Mapping[str, Any] | None"]
"""Gets a schema with a `$ref`, and returns the schema that it refers to; None to leave it out."""

SCALARS: Final = {"string": "s", "integer": "i", "number": "f", "boolean": "b"}
"""The scalar types with their letters in tables."""

TYPES: Final = frozenset({*SCALARS, "array", "object", "null"})
HEAD: Final = ("apiVersion", "kind", "metadata")
"""The fields that every resource has, whether its schema lists them or not."""

_WORDS: Final[dict[type[Any], str]] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
}
_BOOLEANS: Final = booleans_of_1_1()
_MOST_PARTS: Final = 1000
# The characters that mean something in a table's language.
_SPECIAL: Final = frozenset(" :=#,%@*")
# The keywords of ranges are `min` and `max` with these words, by the type's letter in tables.
_RANGES: Final = {"i": ("~", "imum"), "f": ("~", "imum"), "s": ("^", "Length"), "[": ("^", "Items")}
_LIMITING: Final = frozenset(
    (
        "enum",
        "items",
        *(end + what for end in ("min", "max") for what in ("imum", "Length", "Items")),
    )
)
# Upjet's rule for a field that the provider needs to create or update an object.
PARAMETER: Final = re.compile(
    r"!\('\*' in self\.managementPolicies \|\| 'Create' in self\.managementPolicies "
    r"\|\| 'Update' in self\.managementPolicies\) \|\| has\(self\.forProvider\.(\w+)\)"
    r"( \|\| \(has\(self\.initProvider\) && has\(self\.initProvider\.\1\)\))?$"
)
"""The rule by which upjet\'s providers require a field of forProvider: the policies that write need
it there.
"""


def boolean(value: Any) -> Any:
    """Return the boolean for a string that is a boolean in YAML 1.1 only, such as `yes`; any other
    value unchanged.
    """
    return _BOOLEANS.get(value, value) if isinstance(value, str) else value


def kinds_in(source: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return each apiVersion and kind in `x-kubernetes-group-version-kind` of a schema or an
    operation.
    """
    marks = source.get("x-kubernetes-group-version-kind")
    return [
        (joined(mark.get("group", ""), mark["version"]), mark["kind"])
        for mark in (marks if isinstance(marks, list) else [marks])
        if isinstance(mark, Mapping)
        and all(
            isinstance(one, str)
            for one in (mark.get("group", ""), mark.get("version"), mark.get("kind"))
        )
    ]


def place_of(steps: Sequence[str | int]) -> str:
    """Return the path of the values that a schema describes, such as `spec.rules[].name`, from the
    steps to it.
    """
    place = ""
    way = iter(steps)
    for step in way:
        if step == "properties":
            place += f".{next(way)}"
        elif step in ("items", "additionalProperties"):
            place += "[]" if step == "items" else "{}"
        else:  # allOf, anyOf, oneOf: the same value
            next(way, None)
    return place.lstrip(".")


def quoted(text: str) -> str:
    """Return a text for tables: what has a meaning there is written as `%` and two hex digits for
    each byte.
    """
    return "".join(
        (
            "".join(f"%{byte:02x}" for byte in character.encode())
            if character in _SPECIAL or character.isspace()
            else character
        )
        for character in text
    )


class Schema:
    """A schema, whose keywords are read when they are asked for.

    Args:
        source: The schema as plain data.
        wrong: Makes the error to raise for a part that is wrong. None to read it as missing.
        steps: The keys and indexes that lead to this schema.
    """

    __slots__ = ("_wrong", "source", "steps")

    def __init__(
        self, source: Mapping[str, Any], wrong: Wrong | None = None, steps: Steps = ()
    ) -> None:
        self.source = source
        self.steps = steps
        self._wrong = wrong

    @property
    def place(self) -> str:
        """The path of the values that the schema describes, such as `spec.rules[]`."""
        return place_of(self.steps)

    @property
    def types(self) -> list[str]:
        """The types in `type`, without `null`. OpenAPI 3.1 allows a list of several types there."""
        return [kind for kind in self.named if kind != "null"]

    @property
    def named(self) -> list[str]:
        """The types in `type`, with `null`."""
        named = self.source.get("type")
        kinds = named if isinstance(named, list) else [] if named is None else [named]
        for kind in kinds:
            if not isinstance(kind, str) or kind not in TYPES:
                known = ", ".join((*SCALARS, "array", "object"))
                self._fail(f"'type' must be one of {known} (got {short_repr(kind)})")
                return []
        return kinds

    @property
    def kind(self) -> str:
        """The one type of the values, such as `object`; empty if several types, or any type, are
        allowed.

        Without a `type`, other keys can imply it: properties mean `object`, for example, and items
        mean `array`.
        """
        named = self.types
        if named:
            return named[0] if len(named) == 1 else ""
        if "properties" in self.source or isinstance(
            self.source.get("additionalProperties"), Mapping
        ):
            return "object"
        if "items" in self.source:
            return "array"
        values = self.enum
        return "string" if values and all(isinstance(value, str) for value in values) else ""

    def code(self, follow: Follow | None = None) -> str:
        """Return the type's letter in tables: `[` for a list, `{` for a map, and `N` for an object
        with fields.

        `q` is an integer or a string, `o` an object without a schema, `x` anything; a union of
        scalars is `b|s`. `follow` is the same as for `merged`.
        """
        if self.is_int_or_string:
            return "q"
        kind = self.kind
        if kind == "array":
            return "["
        if kind == "object":
            if self.fields:
                return "N"
            return "o" if self.is_embedded or self.others is False else "{"
        return SCALARS.get(kind) or self._choice(follow)

    def _choice(self, follow: Follow | None) -> str:
        kinds = set(self.types)
        for member in (*self.members("anyOf"), *self.members("oneOf")):
            one = member.merged(follow)
            kinds.update(one.types if "type" in one.source else [""])
        if not kinds or not kinds <= SCALARS.keys():
            return "x"
        letters = "|".join(sorted(SCALARS[kind] for kind in kinds))
        return "q" if letters == "i|s" else letters

    @property
    def is_int_or_string(self) -> bool:
        return (
            self.flag("x-kubernetes-int-or-string") or self.source.get("format") == "int-or-string"
        )

    @property
    def is_embedded(self) -> bool:
        """Whether the object is a whole resource, with apiVersion, kind and metadata."""
        return self.flag("x-kubernetes-embedded-resource")

    @property
    def is_preserved(self) -> bool:
        """Whether the schema says that unknown fields stay."""
        return self.flag("x-kubernetes-preserve-unknown-fields")

    @property
    def is_nullable(self) -> bool:
        return self.flag("nullable")

    @property
    def is_open(self) -> bool:
        """Whether the object takes fields that its schema doesn't list."""
        return self.others is not False or self.is_preserved

    @property
    def properties(self) -> dict[str, Schema]:
        """The schemas of the fields that the schema lists."""
        return {name: self.child("properties", name) for name in self.get("properties", dict)}

    def field(self, name: str) -> Schema | None:
        """Return the schema of a field that the schema lists; None if it lists no such field."""
        return self.child("properties", name) if name in self.get("properties", dict) else None

    @property
    def fields(self) -> bool:
        """Whether the schema lists fields, besides those that every embedded resource has."""
        names = self.get("properties", dict).keys()
        return bool(names - frozenset(HEAD) if self.is_embedded else names)

    @property
    def items(self) -> Schema | None:
        """The schema of a list's elements; None without `items`."""
        below = self.source.get("items")
        return None if below is None else self.child("items")

    @property
    def others(self) -> Schema | bool:
        """The schema of all fields that aren't listed, `additionalProperties`; True for anything,
        False without it.
        """
        below = boolean(self.source.get("additionalProperties"))
        if isinstance(below, Mapping):
            return Schema(below, self._wrong, (*self.steps, "additionalProperties"))
        if below is not None and not isinstance(below, bool):
            problem = (
                "'additionalProperties' must be a schema, true or false (got"
                f" {json_type_in_words(below)})"
            )
            self._fail(problem)
        return below is True

    @property
    def required(self) -> list[str]:
        """The names of the fields that an object must have."""
        names: list[str] = self.get("required", list)
        if all(isinstance(name, str) for name in names):
            return (
                [*names, *(name for name in HEAD[:2] if name not in names)]
                if self.is_embedded
                else names
            )
        self._fail(f"'required' must be a list of names (got {short_repr(names)})")
        return []

    @property
    def enum(self) -> list[Any]:
        values: list[Any] = self.get("enum", list)
        return values

    @property
    def default(self) -> Any:
        return self.source.get("default")

    @property
    def description(self) -> str:
        text = self.source.get("description")
        return text.strip() if isinstance(text, str) else ""

    @property
    def rules(self) -> list[str]:
        """The rules in CEL, `x-kubernetes-validations`."""
        listed = self.source.get("x-kubernetes-validations")
        rules = (
            [one.get("rule") for one in listed if isinstance(one, Mapping)]
            if isinstance(listed, list)
            else []
        )
        return [rule for rule in rules if isinstance(rule, str)]

    @property
    def parameters(self) -> list[str]:
        """The fields of `forProvider` that upjet's rules require there or in `initProvider`, for
        most policies.
        """
        found = (PARAMETER.match(rule) for rule in self.rules)
        # CEL writes its own words, such as `in`, with underscores around them.
        return sorted(
            {match[1].removeprefix("__").removesuffix("__") for match in found if match is not None}
        )

    @property
    def limit(self) -> str:
        """What values are allowed, as tables have it (see `crossplane_lite.table`); empty if
        nothing limits them.

        Of a list, the choice is that of its elements.
        """
        if _LIMITING.isdisjoint(self.source):
            return ""
        values = self.enum or (self.items.enum if self.items is not None else [])
        if values:
            texts = [quoted(str(one)) for one in values if type(one) in (str, int)]
            return f"={','.join(texts)}" if len(texts) == len(values) and all(texts) else ""
        mark, what = _RANGES.get(self.code(), ("", ""))
        ends = [self.source.get("min" + what), self.source.get("max" + what)]
        shown = [f"{end:.15g}" if type(end) in (int, float) else "" for end in ends]
        return f"{mark}{shown[0]}..{shown[1]}" if any(shown) else ""

    @property
    def list_type(self) -> str:
        """How API servers merge a list: `atomic`, `set` or `map`; empty if the schema doesn't say
        it.
        """
        found = self.source.get("x-kubernetes-list-type")
        return found if isinstance(found, str) else ""

    @property
    def list_keys(self) -> tuple[str, ...]:
        """The fields that identify the elements of a list that is merged like a map; empty for
        other lists.
        """
        if self.list_type != "map":
            return ()
        keys = self.source.get("x-kubernetes-list-map-keys")
        if not keys:
            self._fail(
                "'x-kubernetes-list-type' is map, so 'x-kubernetes-list-map-keys' must name at"
                " least one key"
            )
        elif not isinstance(keys, list) or not all(isinstance(key, str) and key for key in keys):
            self._fail(
                "'x-kubernetes-list-map-keys' must be a list of non-empty strings (got"
                f" {short_repr(keys)})"
            )
        else:
            return tuple(keys)
        return ()

    @property
    def merge_keys(self) -> tuple[str, ...] | None:
        """The keys of a strategic merge: `list_keys`, or the patch merge key; empty for a set, None
        for other lists.
        """
        patch_key = self.source.get("x-kubernetes-patch-merge-key")
        return self.list_keys or (
            (str(patch_key),) if patch_key else () if self.list_type == "set" else None
        )

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """Each apiVersion and kind in `x-kubernetes-group-version-kind`."""
        return kinds_in(self.source)

    def members(self, key: str) -> list[Schema]:
        """Return the schemas in `allOf`, `anyOf` or `oneOf`."""
        listed = self.source.get(key) or []
        if not isinstance(listed, list) or not all(
            isinstance(member, Mapping) for member in listed
        ):
            self._fail(f"{key!r} must be a list of schemas (got {short_repr(listed)})")
            listed = (
                [one for one in listed if isinstance(one, Mapping)]
                if isinstance(listed, list)
                else []
            )
        return [
            Schema(member, self._wrong, (*self.steps, key, at)) for at, member in enumerate(listed)
        ]

    def merged(self, follow: Follow | None = None) -> Schema:
        """Return the schema with the schemas of its `allOf`, and of its `$ref`, merged into it.

        If several of the schemas have a key, the value nearest to this schema counts. But the lists
        `required` are joined, and several definitions of a property are joined in an `allOf`.

        Args:
            follow: Finds the schema of a `$ref`. Without this function, a `$ref` stays.
        """
        if "allOf" not in self.source and (follow is None or "$ref" not in self.source):
            return self
        whole: dict[str, Any] = {}
        properties: dict[str, Any] = {}
        required: list[Any] = []
        for part in self._parts(follow):
            for name, below in part.get("properties", dict).items():
                known = properties.get(name)
                # both count; the nearer one wins
                if isinstance(known, Mapping) and isinstance(below, Mapping):
                    below = {**known, "allOf": [*(known.get("allOf") or ()), below]}
                properties[name] = below
            required += part.required
            whole = {**part.source, **whole}
        whole.pop("allOf", None)
        if follow is not None:
            whole.pop("$ref", None)
        if properties:
            whole["properties"] = properties
        if required:
            whole["required"] = required
        return Schema(whole, self._wrong, self.steps)

    def _parts(self, follow: Follow | None) -> Iterator[Schema]:
        yield self
        found = follow(self) if follow is not None and "$ref" in self.source else None
        if found is not None:
            yield from Schema(found, self._wrong, self.steps)._parts(follow)
        for member in self.members("allOf"):
            yield from member._parts(follow)

    def alternatives(self) -> Iterator[Schema]:
        """Yield the schema and the schemas in its allOf, anyOf and oneOf, and in theirs, and so on;
        at most 1,000.
        """
        work = [self]
        for _ in range(_MOST_PARTS):
            if not work:
                return
            one = work.pop(0)
            yield one
            work += [member for key in ("allOf", "anyOf", "oneOf") for member in one.members(key)]

    def below(self, step: str | int) -> Schema | None:
        """Return the schema of the field `step` of an object, or of the element `step` of a list.

        If several `alternatives` have the field, the first one counts. The result is empty if any
        value is allowed, and None if the schema has no such field or element.
        """
        for one in self.alternatives():
            if isinstance(step, int):
                found: Schema | bool | None = one.items or one.kind == "array"
            else:
                found = one.field(step) or one.others
            if found:
                return found if isinstance(found, Schema) else Schema({}, self._wrong)
        return Schema({}, self._wrong) if self.is_free else None

    def at(self, steps: Iterable[str | int]) -> Schema | None:
        """Return the schema at a path of keys and indexes; None if the schema has no such place."""
        place: Schema | None = self
        for step in steps:
            place = None if place is None else place.below(step)
        return place

    @property
    def is_free(self) -> bool:
        """Whether any content is allowed: unknown fields stay, or an object is allowed and nothing
        else is said.
        """
        for one in self.alternatives():
            if one.is_preserved:
                return True
            if any(
                key in one.source for key in ("properties", "additionalProperties", "items", "enum")
            ):
                return False
            if one.source.get("type", "object") != "object" or one.is_int_or_string:
                return False
        return True

    def flag(self, key: str) -> bool:
        """Return whether a keyword is true."""
        return key in self.source and bool(self.get(key, bool))

    def get(self, key: str, kind: type[Any]) -> Any:
        """Return the value of a keyword. If the keyword is missing or null, return `kind()`, such
        as an empty dict.
        """
        value = self.source.get(key)
        if value is None:
            return kind()
        if type(value) is kind:
            return value
        if kind is bool:
            value = boolean(value)
        if not isinstance(value, Mapping if kind is dict else kind):
            self._fail(
                f"{key!r} must be {_WORDS[kind]} (got"
                f" {json_value_in_words(value, short_repr(value))})"
            )
            return kind()
        return value

    def error(self, problem: str, above: int = 0) -> Exception:
        """Return the error for a problem of this schema, or of the one to which all steps but the
        last `above` lead.
        """
        steps = self.steps[: len(self.steps) - above]
        return ValueError(problem) if self._wrong is None else self._wrong(steps, problem)

    def child(self, *steps: str) -> Schema:
        """Return the schema under keys, such as `not`. True is a schema that allows anything, and
        false nothing.
        """
        below: Any = self.source
        for step in steps:
            below = below[step]
        if isinstance(below, bool):
            below = {} if below else {"not": {}}
        if not isinstance(below, Mapping):
            problem = (
                f"a schema must be an object (got {json_value_in_words(below, short_repr(below))})"
            )
            self._fail(problem, *steps)
            below = {}
        return Schema(below, self._wrong, (*self.steps, *steps))

    def _fail(self, problem: str, *below: str | int) -> None:
        if self._wrong is not None:
            raise self._wrong((*self.steps, *below), problem)
