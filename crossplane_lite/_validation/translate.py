"""Translating Kubernetes' dialect of OpenAPI v3.0 to plain JSON Schema (2020-12), which validators know.

Only keywords that restrict a value are translated, so the result has no `$ref`, no `$id` and no descriptions. Two
keywords are added for `check`, and validators ignore them: `NULLABLE` and `MERGE_KEYS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .._base.type_names import json_value_in_words
from .._paths.text import show
from .._terminal.excerpts import short_repr
from ..errors import CrossplaneLiteError

__all__ = ["DEEPEST_SCHEMA", "MERGE_KEYS", "NULLABLE", "SchemaError", "key_of", "name_of", "translate"]

DEEPEST_SCHEMA: Final = 100
"""How deep schemas may be nested. Validators recurse, in C and Rust too, and the stack of a thread is small."""

_TOO_DEEP: Final = f"the schema can't be used: it is nested more than {DEEPEST_SCHEMA} levels deep"

NULLABLE: Final = "x-nullable"
"""The keyword of a schema that allows null."""

MERGE_KEYS: Final = "x-merge-keys"
"""The keyword for a list's merge keys, which identify the list's elements. Its value maps each key to its default."""

Json = dict[str, Any]

_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_RANGES: Final = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
# Other formats, such as `duration`, don't mean the same in Kubernetes and in JSON Schema.
_FORMATS: Final = frozenset({"byte", "date", "date-time", "ipv4", "ipv6", "uuid"})
_COPIED: Final = (
    *("multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties"),
    "maxProperties",
)
_HEAD: Final[Mapping[str, Json]] = {
    "apiVersion": {"type": ["string"]},
    "kind": {"type": ["string"]},
    "metadata": {"type": ["object"]},
}
# The groups of the API server's own kinds.
_OWN_GROUPS: Final = frozenset(
    f"{group}.k8s.io"
    for group in (
        *("admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization"),
        *("certificates", "coordination", "discovery", "events", "flowcontrol.apiserver", "internal.apiserver"),
        *("networking", "node", "rbac.authorization", "resource", "scheduling", "storage", "storagemigration"),
    )
)


def key_of(name: str) -> str:
    """Return the name that a field gets in a translated schema.

    An empty name, and a name that begins with a digit, "+" or "=", gets the prefix "=". Without the prefix, the
    validator's paths would leave out an empty name, and would have a name such as "5" as an index.
    """
    return "=" + name if name[:1] in "=+0123456789" else name


def name_of(key: str) -> str:
    """Return the field's name for its name in a translated schema: the reverse of `key_of`."""
    return key[1:] if key[:1] == "=" else key


class SchemaError(CrossplaneLiteError, ValueError):
    """A schema can't be used: it isn't an OpenAPI schema, is nested too deep, or has a rule the validator refuses."""


class _Place:
    """A schema that must be translated: the schema of the kind, or a schema inside of that.

    Attributes:
        source: The schema as the API server has it.
        target: The dict to which the translation is added.
        path: The path of this schema in the schema of the kind.
        depth: The number of schemas around this schema.
        structural: Whether a field that the schema doesn't list is a mistake. In allOf, anyOf, oneOf and not, such a
            field is allowed, because a schema there only adds rules to the schema around it.
        defaults: Whether a required field may be missing if the schema has a default for it.
    """

    __slots__ = ("defaults", "depth", "path", "source", "structural", "target")

    def __init__(
        self,
        source: Any,
        target: Json,
        path: tuple[str | int, ...] = (),
        depth: int = 0,
        *,
        structural: bool,
        defaults: bool,
    ) -> None:
        self.source = source
        self.target = target
        self.path = path
        self.depth = depth
        self.structural = structural
        self.defaults = defaults

    def inner(self, source: Any, target: Json, *steps: str | int, structural: bool = True) -> _Place:
        """Return the `_Place` of a schema inside of this schema.

        `steps` lead to it. If `structural` is true, this schema's setting holds.
        """
        structural = structural and self.structural
        path = (*self.path, *steps)
        return _Place(source, target, path, self.depth + 1, structural=structural, defaults=self.defaults)

    def error(self, problem: str) -> SchemaError:
        """Return a SchemaError whose text has the path of this schema and `problem`."""
        return SchemaError(f"the schema can't be used: {': '.join(filter(None, (show(self.path), problem)))}")


def translate(schema: Mapping[str, Any]) -> Json:
    """Return the schema of a kind as plain JSON Schema.

    All `$ref`s are replaced already. Raises SchemaError if `schema` isn't an OpenAPI schema, or is nested more than
    `DEEPEST_SCHEMA` deep.
    """
    root: Json = {}
    # The API server sets the defaults of custom resources before it validates. In its own kinds nearly every required
    # field has an empty default, which isn't used.
    work = [_Place(schema, root, structural=True, defaults=not _is_own_kind(schema))]
    while work:
        place = work.pop()
        if place.depth > DEEPEST_SCHEMA:
            raise SchemaError(_TOO_DEEP)
        work.extend(_translate_one(place))
    if "properties" in root:
        # Every object has these fields, although a CustomResourceDefinition may leave them out.
        root["properties"] = {**_HEAD, **root["properties"]}
    return root


def _is_own_kind(schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("x-kubernetes-group-version-kind")
    group = kinds[0].get("group") if isinstance(kinds, list) and kinds and isinstance(kinds[0], Mapping) else None
    return isinstance(group, str) and ("." not in group or group in _OWN_GROUPS)


def _translate_one(place: _Place) -> Iterator[_Place]:
    """Translate one schema without the schemas inside of it, and yield these, which must be translated next.

    Raises:
        SchemaError: The schema isn't an OpenAPI schema, or too many schemas are nested in its allOf.
    """
    if isinstance(place.source, bool):
        if not place.source:
            place.target["not"] = {}
        return
    source = _unwrapped(place)
    target = place.target
    types = _types_of(source, place)
    if types:
        target["type"] = types
    if source.get("nullable") is True or "null" in types:
        target[NULLABLE] = True
    target.update((keyword, source[keyword]) for keyword in _COPIED if keyword in source)
    # JSON Schema's regular expressions don't know classes such as [:alpha:], and read them differently.
    if "pattern" in source and "[:" not in str(source["pattern"]):
        target["pattern"] = source["pattern"]
    options = source.get("enum")
    if isinstance(options, list) and not any(isinstance(option, (dict, list)) for option in options):
        target["enum"] = options
    if isinstance(source.get("format"), str) and source["format"] in _FORMATS:
        target["format"] = source["format"]
    if "integer" in types or "number" in types or not types:
        target.update(_range_of(source))
    yield from _object_parts(source, place)
    yield from _list_parts(source, place)
    yield from _junctions(source, place)


def _unwrapped(place: _Place) -> Mapping[str, Any]:
    """Return the schema of `place`. If the schema only wraps another schema in an allOf, return the two merged.

    Such a wrapper has no `type`, no `properties`, and an allOf with one schema, which can be a wrapper, too. The API
    server's own kinds refer to shared schemas by wrappers. Where both have a keyword, the wrapper's value counts.
    """
    source = _mapping(place.source, "a schema", place)
    for _ in range(DEEPEST_SCHEMA):
        members = source.get("allOf")
        if "type" in source or "properties" in source or not isinstance(members, list) or len(members) != 1:
            return source
        source = {**_mapping(members[0], "a schema", place), **{key: source[key] for key in source if key != "allOf"}}
    raise SchemaError(_TOO_DEEP)


def _mapping(value: Any, what: str, place: _Place) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise place.error(f"{what} must be an object (got {json_value_in_words(value, short_repr(value))})")
    return value


def _types_of(source: Mapping[str, Any], place: _Place) -> list[str]:
    """Return the JSON types that a value may have, such as `["integer", "string"]`; an empty list if any type is right.

    They come from `type`, from an `anyOf` or `oneOf` that only lists types, or from an extension of Kubernetes.

    Raises:
        SchemaError: `type` has something else than JSON types.
    """
    if source.get("x-kubernetes-int-or-string") is True or source.get("format") == "int-or-string":
        return ["integer", "string"]
    declared = source.get("type")
    if declared is None:
        listed = next((source[name] for name in ("anyOf", "oneOf") if _lists_types(source.get(name))), ())
        default = ["object"] if source.get("x-kubernetes-embedded-resource") is True else []
        return [member["type"] for member in listed] or default
    types = declared if isinstance(declared, list) else [declared]
    if not all(isinstance(one, str) and one in _TYPES for one in types):
        raise place.error(f"'type' must be a JSON type such as 'string' (got {declared!r:.60})")
    return list(types)


def _lists_types(members: Any) -> bool:
    """Return whether each member of an anyOf or oneOf has a `type` and nothing else, as in the schema of a quantity."""
    return (
        isinstance(members, list)
        and all(isinstance(one, Mapping) and list(one) == ["type"] and isinstance(one["type"], str) for one in members)
        and {one["type"] for one in members} <= _TYPES
    )


def _range_of(source: Mapping[str, Any]) -> Json:
    """Return the limits of a number as JSON Schema has them, such as `{"exclusiveMinimum": 5}`.

    OpenAPI v3.0 has `{"minimum": 5, "exclusiveMinimum": true}` for that. The formats int32 and int64 add the limits of
    their range, unless the schema has a `minimum` or `maximum` of its own.
    """
    limits: Json = {}
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        excluded = source.get(exclusive, False)
        if bound in source:
            limits[exclusive if excluded is True else bound] = source[bound]
        if not isinstance(excluded, bool):
            limits[exclusive] = excluded
    lowest, highest = _RANGES.get(str(source.get("format")), (None, None))
    if lowest is not None:
        limits.setdefault("minimum", lowest)
        limits.setdefault("maximum", highest)
    return limits


def _object_parts(source: Mapping[str, Any], place: _Place) -> Iterator[_Place]:
    target = place.target
    declared = _mapping(source.get("properties", {}), "'properties'", place)
    required = _required_of(source, declared, place)
    properties: Json = {}
    for name, inner in declared.items():
        made: Json = {}
        properties[key_of(name)] = made
        yield place.inner(inner, made, "properties", name)
    if source.get("x-kubernetes-embedded-resource") is True:
        properties = {**_HEAD, **properties}
        required = list(dict.fromkeys([*required, "apiVersion", "kind"]))
    if properties:
        target["properties"] = properties
    if required:
        target["required"] = required
    others = source.get("additionalProperties")
    if isinstance(others, Mapping):
        made = {}
        target["additionalProperties"] = made
        yield place.inner(others, made, "additionalProperties")
    elif others is False:
        target["additionalProperties"] = False
    elif others is None and declared and place.structural:
        # If a schema has no fields, its fields aren't known (it may be a cycle that was cut): any field is allowed.
        if source.get("x-kubernetes-preserve-unknown-fields") is not True:
            target["additionalProperties"] = False


def _required_of(source: Mapping[str, Any], declared: Mapping[str, Any], place: _Place) -> list[str]:
    """Return the names that the required fields have in the translated schema (see `key_of`).

    If `place.defaults` is true, fields with a default other than null are left out.

    Raises:
        SchemaError: `required` isn't a list of strings.
    """
    required = source.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise place.error(f"'required' must be a list of names (got {required!r:.60})")
    return [key_of(name) for name in required if not (place.defaults and _default_of(declared, name) is not None)]


def _default_of(properties: Any, name: str) -> Any:
    field = properties.get(name) if isinstance(properties, Mapping) else None
    return field.get("default") if isinstance(field, Mapping) else None


def _list_parts(source: Mapping[str, Any], place: _Place) -> Iterator[_Place]:
    target = place.target
    items = source.get("items")
    if items is not None:
        made: Json = {}
        target["items"] = made
        yield place.inner(items, made, "items")
    kind = source.get("x-kubernetes-list-type")
    keys = source.get("x-kubernetes-list-map-keys")
    if kind == "set":
        target["uniqueItems"] = True
    elif kind == "map" and isinstance(keys, list) and isinstance(items, Mapping):
        properties = _unwrapped(place.inner(items, {}, "items")).get("properties")
        target[MERGE_KEYS] = {key: _default_of(properties, key) for key in keys if isinstance(key, str)}


def _junctions(source: Mapping[str, Any], place: _Place) -> Iterator[_Place]:
    target = place.target
    for junction in ("allOf", "anyOf", "oneOf"):
        members = source.get(junction)
        if isinstance(members, list) and members:
            target[junction] = []
            for at, member in enumerate(members):
                made: Json = {}
                target[junction].append(made)
                yield place.inner(member, made, junction, at, structural=False)
    if "not" in source:
        made = {}
        target["not"] = made
        yield place.inner(source["not"], made, "not", structural=False)
