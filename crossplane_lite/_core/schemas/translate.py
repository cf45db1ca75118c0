"""Translating Kubernetes' dialect of OpenAPI v3.0 to plain JSON Schema (2020-12), which validators
know.

Only keywords that restrict a value are translated, so the result has no `$ref`, no `$id` and no
descriptions. The keywords whose names are constants below are added for `check`, and validators
ignore them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...errors import CrossplaneLiteError
from ..paths.schema import TYPES, Schema, Steps
from ..paths.text import show
from .formats import FORMATS, OF_OWN_KINDS
from .go_patterns import rewritten

DEEPEST_SCHEMA: Final = 100
"""How deep schemas may be nested. Validators recurse, in C and Rust too, and the stack of a thread
is small.
"""

TOO_DEEP: Final = f"the schema can't be used: it is nested more than {DEEPEST_SCHEMA} levels deep"

NULLABLE: Final = "x-nullable"
"""The keyword of a schema that allows null."""

NULL_IS_ABSENT: Final = "x-null-is-absent"
"""The keyword of a schema for which null in a field counts as a missing field."""

PATTERN: Final = "x-pattern"
"""The keyword for a pattern as the schema has it, for messages."""

OBJECT: Final = "x-object"
"""The keyword of a schema of whole resources."""

MERGE_KEYS: Final = "x-merge-keys"
"""The keyword for a list's merge keys, which identify the list's elements. Its value maps each key
to its default.
"""

Json = dict[str, Any]

_RANGES: Final = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
_COPIED: Final = (
    *(
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
    ),
    "maxProperties",
)
_HEAD: Final[Mapping[str, Json]] = {
    "apiVersion": {"type": ["string"], "pattern": "^[^/]+(/[^/]*)?$"},
    "kind": {"type": ["string"], "pattern": "^[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$"},
    "metadata": {"type": ["object"]},
}
# The groups of the API server's own kinds.
_OWN_GROUPS: Final = frozenset(
    f"{group}.k8s.io"
    for group in (
        *(
            "admissionregistration",
            "apiextensions",
            "apiregistration",
            "authentication",
            "authorization",
        ),
        *(
            "certificates",
            "coordination",
            "discovery",
            "events",
            "flowcontrol.apiserver",
            "internal.apiserver",
        ),
        *(
            "networking",
            "node",
            "rbac.authorization",
            "resource",
            "scheduling",
            "storage",
            "storagemigration",
        ),
    )
)


def key_of(name: str) -> str:
    """Return the name that a field gets in a translated schema.

    An empty name, and a name that begins with a digit, "+" or "=", gets the prefix "=". Without the
    prefix, the validator's paths would leave out an empty name, and would have a name such as "5"
    as an index.
    """
    return "=" + name if name[:1] in "=+0123456789" else name


def name_of(key: str) -> str:
    """Return the field's name for its name in a translated schema: the reverse of `key_of`."""
    return key[1:] if key[:1] == "=" else key


class SchemaError(CrossplaneLiteError, ValueError):
    """A schema can't be used: it isn't an OpenAPI schema, is nested too deep, or has a rule the
    validator refuses.
    """


def translate(source: Mapping[str, Any]) -> Json:
    """Return the schema of a kind as plain JSON Schema.

    All `$ref`s are replaced already. Raises SchemaError if `source` isn't an OpenAPI schema, or is
    nested more than `DEEPEST_SCHEMA` deep.
    """
    schema = Schema(source, _wrong)
    root = _Translator(custom=not is_own_kind(schema)).of(schema)
    # Every object has these fields, although a CustomResourceDefinition may leave them out.
    root["properties"] = {**_HEAD, **root.get("properties", {})}
    root[OBJECT] = True
    return root


def _wrong(steps: Steps, problem: str) -> SchemaError:
    return SchemaError(
        f"the schema can't be used: {': '.join(filter(None, (show(steps), problem)))}"
    )


def is_own_kind(schema: Schema) -> bool:
    """Return whether a schema is for a kind that API servers have without a definition."""
    api_version = next((api_version for api_version, _ in schema.kinds), ".")
    group = api_version.partition("/")[0]
    return "." not in group or group in _OWN_GROUPS


class _Translator:
    """Translates the schemas of one kind.

    Args:
        custom: Whether it is a custom resource. The API server sets the defaults of custom
            resources before it validates. In its own kinds nearly every required field has an empty
            default, which isn't used; nulls are removed, and numbers must fit into their types.
            Their schemas may be cycles that were cut.
    """

    def __init__(self, *, custom: bool) -> None:
        self._custom = custom

    def of(self, given: Schema, depth: int = 0, *, structural: bool = True) -> Json:
        """Return the translation of a schema.

        Args:
            given: The schema.
            depth: The number of schemas around it.
            structural: Whether a field that the schema doesn't list is a mistake. In allOf, anyOf,
                oneOf and not, such a field is allowed, because a schema there only adds rules to
                the schema around it.
        """
        if depth > DEEPEST_SCHEMA:
            raise SchemaError(TOO_DEEP)
        schema = _unwrapped(given)
        source = schema.source
        types = _types_of(schema)
        target: Json = {"type": types} if types else {}
        if structural:
            self._put_nulls(target, schema, types)
        target.update((keyword, source[keyword]) for keyword in _COPIED if keyword in source)
        if "pattern" in source:
            target["pattern"] = rewritten(str(source["pattern"]))
            target[PATTERN] = source["pattern"]
        if schema.enum:
            target["enum"] = [_keyed(option) for option in schema.enum if option is not None]
        found = self._format(source.get("format"))
        if found:
            target["format"] = found
        if "integer" in types or "number" in types or not types:
            target.update(_range_of(source, {} if self._custom else _RANGES))
        depth += 1
        self._put_fields(target, schema, depth, structural=structural)
        items = schema.items
        if items is not None:
            target["items"] = self.of(items, depth, structural=structural)
        if schema.list_type == "set":
            target["uniqueItems"] = True
        elif items is not None and schema.list_keys:
            fields = _unwrapped(items).properties
            target[MERGE_KEYS] = {
                key: fields[key].default if key in fields else None for key in schema.list_keys
            }
        for key in ("allOf", "anyOf", "oneOf"):
            if members := schema.members(key):
                target[key] = [self.of(member, depth, structural=False) for member in members]
        refused = source.get("not")
        if refused is not None:
            target["not"] = self.of(schema.child("not"), depth, structural=False)
        return target

    def _format(self, given: Any) -> str:
        name = given.replace("-", "") if isinstance(given, str) else ""
        if self._custom:
            return name if name in FORMATS else ""
        return OF_OWN_KINDS.get(name, "")

    def _put_nulls(self, target: Json, schema: Schema, types: list[str]) -> None:
        """Say whether null is allowed, and whether it stands for a missing field."""
        is_of_any_type = (
            self._custom and "type" not in schema.source and not schema.is_int_or_string
        )
        if schema.is_nullable or "null" in types or is_of_any_type:
            target[NULLABLE] = True
            if schema.enum and types:
                target["type"] = [*types, "null"]  # the enum refuses it
        elif not self._custom or schema.default is not None:
            target[NULL_IS_ABSENT] = True

    def _put_fields(self, target: Json, schema: Schema, depth: int, *, structural: bool) -> None:
        declared = schema.properties
        properties = {}
        for name, inner in declared.items():
            is_metadata = name == "metadata" and (depth == 1 or schema.is_embedded)
            translator = _Translator(custom=False) if is_metadata else self
            properties[key_of(name)] = translator.of(inner, depth, structural=structural)
        required = [
            key_of(name)
            for name in schema.required
            if not (self._custom and _has_default(declared, name))
        ]
        for key in () if self._custom else required:
            # The API server removes a null where the schema allows none, so a required field is
            # missing then.
            if key in properties and not properties[key].keys() & {"type", NULLABLE}:
                properties[key] = {**properties[key], "type": sorted(TYPES - {"null"})}
        if schema.is_embedded:
            target[OBJECT] = True
            for name, own in _HEAD.items():
                properties[name] = {**properties.get(name, {}), **own}
            properties["metadata"].setdefault(NULL_IS_ABSENT, True)
        if properties:
            target["properties"] = properties
        if required:
            target["required"] = required
        others = schema.others
        if isinstance(others, Schema):
            target["additionalProperties"] = self.of(others, depth, structural=structural)
        elif others is False and (
            "additionalProperties" in schema.source or (structural and self._is_closed(schema))
        ):
            target["additionalProperties"] = False

    def _is_closed(self, schema: Schema) -> bool:
        """Return whether an API server drops the fields that a schema doesn't list."""
        if schema.is_preserved:
            return False
        # An API server's own kind without fields may be a cycle that was cut.
        return bool(schema.properties) or (self._custom and (schema.source.get("type") == "object"))


def _has_default(properties: Mapping[str, Schema], name: str) -> bool:
    return name in properties and properties[name].default is not None


def _unwrapped(schema: Schema) -> Schema:
    """Return a schema. If it only wraps another schema in an allOf, return the two merged.

    Such a wrapper has no `type`, no `properties`, and an allOf with one schema, which can be a
    wrapper, too. The API server's own kinds refer to shared schemas by wrappers. Where both have a
    keyword, the wrapper's value counts.
    """
    for _ in range(DEEPEST_SCHEMA):
        if (
            "type" in schema.source
            or "properties" in schema.source
            or len(schema.members("allOf")) != 1
        ):
            return schema
        (member,) = schema.members("allOf")
        own = {key: value for key, value in schema.source.items() if key != "allOf"}
        schema = Schema({**member.source, **own}, _wrong, member.steps)
    raise SchemaError(TOO_DEEP)


def _types_of(schema: Schema) -> list[str]:
    """Return the JSON types that a value may have, such as `["integer", "string"]`; an empty list
    if any type is right.

    They come from `type`, from an `anyOf` or `oneOf` that only lists types, or from an extension of
    Kubernetes.
    """
    if schema.is_int_or_string:
        return ["integer", "string"]
    if "type" in schema.source:
        return schema.named
    for key in ("anyOf", "oneOf"):
        members = schema.members(key)
        if members and all(
            list(member.source) == ["type"] and member.source["type"] in TYPES for member in members
        ):
            return [member.source["type"] for member in members]
    return ["object"] if schema.is_embedded else []


def _keyed(value: Any) -> Any:
    """Return a value with its fields named as `check` names those of the data."""
    if isinstance(value, Mapping):
        return {key_of(name): _keyed(one) for name, one in value.items()}
    return [_keyed(one) for one in value] if isinstance(value, list) else value


def _range_of(source: Mapping[str, Any], ranges: Mapping[str, tuple[int, int]]) -> Json:
    """Return the limits of a number as JSON Schema has them, such as `{"exclusiveMinimum": 5}`.

    OpenAPI v3.0 has `{"minimum": 5, "exclusiveMinimum": true}` for that. Formats that have `ranges`
    add these limits, unless the schema has a `minimum` or `maximum` of its own.
    """
    limits: Json = {}
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        excluded = source.get(exclusive, False)
        if bound in source:
            limits[exclusive if excluded is True else bound] = source[bound]
        if not isinstance(excluded, bool):
            limits[exclusive] = excluded
    lowest, highest = ranges.get(str(source.get("format")), (None, None))
    if lowest is not None:
        limits.setdefault("minimum", lowest)
        limits.setdefault("maximum", highest)
    return limits
