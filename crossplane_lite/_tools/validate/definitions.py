"""What an API server and Crossplane refuse of definitions of kinds: CustomResourceDefinitions and
XRDs.

Their schemas must be structural, which
https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
describes: each value has a type, and what stands in `allOf`, `anyOf`, `oneOf` and `not` only
restricts values that are declared outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.base.texts import json_type_in_words, near_name, short_repr, short_text
from ..._core.paths.schema import HEAD, SCALARS
from ..._core.paths.trees import lookup
from ..._core.schemas.check import is_pattern
from ..._core.schemas.rules import wrong_rule
from ..._core.schemas.schema import errors_in
from ..._core.schemas.translate import SchemaError
from ...errors import InputError
from ..manifests.crd import crds_in
from ..manifests.objects import metadata_of
from ..render.definition import defaulted

if TYPE_CHECKING:
    from typing import TypeGuard

_Path = tuple["str | int", ...]

_TYPES: Final = ("array", "object", *SCALARS)
_MEMBERS: Final = ("allOf", "anyOf", "oneOf")
_DEEPEST: Final = 100
# The fields at the top that an XRD's schema may have.
_TAKEN: Final = (*HEAD, "spec", "status")
_X: Final = "x-kubernetes-"
_EMBEDDED: Final = f"{_X}embedded-resource"
_INT_OR_STRING: Final = f"{_X}int-or-string"
_PRESERVE: Final = f"{_X}preserve-unknown-fields"
_LIST_TYPE: Final = f"{_X}list-type"
_MAP_KEYS: Final = f"{_X}list-map-keys"
_RULES: Final = f"{_X}validations"
# How values are merged: the keyword, the type that it is for, and its values.
_MERGING: Final = (
    (_LIST_TYPE, "array", ("atomic", "set", "map")),
    (f"{_X}map-type", "object", ("atomic", "granular")),
)
_REASONS: Final = (
    "FieldValueInvalid",
    "FieldValueForbidden",
    "FieldValueRequired",
    "FieldValueDuplicate",
)
_FORBIDDEN: Final = (
    "$ref",
    "additionalItems",
    "definitions",
    "dependencies",
    "id",
    "patternProperties",
)
_KEYWORDS: Final = (
    *(
        "$schema",
        "description",
        "type",
        "format",
        "title",
        "default",
        "nullable",
        "enum",
        "pattern",
        "multipleOf",
    ),
    *(
        "maximum",
        "exclusiveMaximum",
        "minimum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "maxItems",
        "minItems",
    ),
    *(
        "uniqueItems",
        "maxProperties",
        "minProperties",
        "required",
        "items",
        "properties",
        "additionalProperties",
    ),
    *(
        "not",
        "externalDocs",
        "example",
        *_MEMBERS,
        *_FORBIDDEN,
        _INT_OR_STRING,
        _PRESERVE,
        _LIST_TYPE,
        _MAP_KEYS,
    ),
    *(_RULES, _EMBEDDED, f"{_X}map-type"),
)
# The keywords that say what a value is, which a restriction can't.
_EITHER: Final = [{"type": "integer"}, {"type": "string"}]
_DECLARING: Final = (
    *("additionalProperties", "default", "description", "nullable", "title", "type"),
    *(_PRESERVE, _INT_OR_STRING, _LIST_TYPE, _MAP_KEYS, _RULES, _EMBEDDED, f"{_X}map-type"),
)


class Problem(NamedTuple):
    """What is wrong with a field of an object.

    Attributes:
        path: The field's keys and indexes; empty for the object itself.
        text: What is wrong.
    """

    path: _Path
    text: str


def problems(where: str, content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong with a definition whose fields have the right types
    (`kind_sources.of_definition`).

    Args:
        where: The definition's place, for messages.
        content: The definition.
    """
    crds = crds_in(where, content) or ()
    for crd in crds[:1]:  # the definition of a claim has the same schemas
        spec = crd["spec"]
        # An XRD's own names and versions; Crossplane makes the rest.
        name = f"{spec['names'].get('plural')}.{spec['group']}"
        if metadata_of(content).get("name") != name:
            yield Problem(("metadata", "name"), f"must be {name}, the plural and the group")
        is_xrd = crd is not content
        yield from _of_versions(spec["versions"], "referenceable" if is_xrd else "storage")
        for number, version in enumerate(spec["versions"]):
            path = ("spec", "versions", number, "schema", "openAPIV3Schema")
            yield from _of_schema(version["schema"]["openAPIV3Schema"], path)
            if is_xrd:
                yield from _dropped(
                    content["spec"]["versions"][number]["schema"]["openAPIV3Schema"], path
                )


def _dropped(schema: Mapping[str, Any], path: _Path) -> Iterator[Problem]:
    """Yield what Crossplane doesn't take from the schema of an XRD."""
    yield from _of_keywords(schema, path)
    for name, below in (schema.get("properties") or {}).items():
        at = (*path, "properties", name)
        if name not in _TAKEN:
            yield Problem(at, "isn't taken: the fields of composites lie in spec and status")
        elif isinstance(below, Mapping):
            yield from _of_keywords(below, at)


def _of_versions(versions: Sequence[Mapping[str, Any]], key: str) -> Iterator[Problem]:
    """Yield what is wrong with the versions together; `key` is what marks one of them."""
    names = [one["name"] for one in versions]
    for number, name in enumerate(names):
        if name in names[:number]:
            yield Problem(
                ("spec", "versions", number, "name"), f"is {name} as that of a version before it"
            )
    marked = [one["name"] for one in versions if one["storage"]]
    if len(marked) != 1:
        those = f"{len(marked)}: {', '.join(marked)}" if marked else "none"
        yield Problem(("spec", "versions"), f"must have one version with {key}: true (got {those})")


def _of_schema(schema: Mapping[str, Any], path: _Path) -> Iterator[Problem]:
    """Yield what is wrong with the schema of a version, which lies at a path."""
    found = [*_structural(schema, path)]
    for key, value in (("type", "object"), ("nullable", None), ("additionalProperties", None)):
        if schema.get(key, value) != value:
            found.append(
                Problem(
                    (*path, key),
                    f"must be {value} at the top" if value else "can't be used at the top",
                )
            )
    metadata = lookup(schema, ("properties", "metadata"))
    if isinstance(metadata, Mapping):
        others = [one for one in metadata if one not in ("type", "properties")]
        fields = metadata.get("properties") or {}
        others += [one for one in fields if one not in ("name", "generateName")]
        for key in others:
            at = (*path, "properties", "metadata", *(("properties",) if key in fields else ()), key)
            found.append(
                Problem(at, "can't be used: metadata may only restrict name and generateName")
            )
    if not found:
        try:
            errors_in({"apiVersion": "a/v1", "kind": "A"}, schema)
        except SchemaError as error:
            found = [Problem(path, str(error))]
    yield from found
    if not found:
        yield from _wrong_defaults(schema, path)


def _structural(schema: Any, path: _Path) -> Iterator[Problem]:
    """Yield what keeps a schema from being structural, and its rules from being compiled."""
    if not _is_schema(schema, path):
        yield _no_schema(schema, path)
        return
    yield from _of_keywords(schema, path)
    yield from _of_type(schema, path)
    yield from _of_lists(schema, path)
    yield from _of_rules(schema, path)
    yield from _restricting(schema, path)
    for at, below in _below(schema):
        yield from _structural(below, (*path, *at))


def _is_schema(schema: Any, path: _Path) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is a schema that isn't nested too deep."""
    return isinstance(schema, Mapping) and len(path) <= 2 * _DEEPEST


def _no_schema(schema: Any, path: _Path) -> Problem:
    """Return why a value isn't such a schema."""
    if isinstance(schema, Mapping):
        return Problem(path, f"is nested more than {_DEEPEST} levels deep")
    return Problem(path, f"must be a schema (got {json_type_in_words(schema)})")


def _below(schema: Mapping[str, Any]) -> Iterator[tuple[_Path, Any]]:
    """Yield the schemas of the values in a value, with their paths in its schema."""
    properties = schema.get("properties")
    for name, below in properties.items() if isinstance(properties, Mapping) else ():
        yield ("properties", name), below
    if schema.get("items") is not None:
        yield ("items",), schema["items"]
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield ("additionalProperties",), schema["additionalProperties"]


def _of_keywords(schema: Mapping[str, Any], path: _Path) -> Iterator[Problem]:
    """Yield the keywords that no schema of a kind can have."""
    for key in schema:
        if key in _FORBIDDEN:
            yield Problem((*path, key), "can't be used in the schema of a kind")
        elif key not in _KEYWORDS:
            yield Problem(
                (*path, key), f"isn't a keyword of schemas{near_name(str(key), _KEYWORDS)}"
            )
    if schema.get("uniqueItems") is True:
        yield Problem((*path, "uniqueItems"), f"can't be true; {_LIST_TYPE}: set is for this")
    if schema.get("properties") and schema.get("additionalProperties") not in (None, True):
        yield Problem(
            (*path, "additionalProperties"), "can't stand beside properties; give one of the two"
        )
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and not is_pattern(pattern):
        yield Problem(
            (*path, "pattern"), f"can't be read as a regular expression (got {short_repr(pattern)})"
        )
    if schema.get(_PRESERVE) is False:
        yield Problem((*path, _PRESERVE), "must be true, or be left out")


def _of_type(schema: Mapping[str, Any], path: _Path) -> Iterator[Problem]:
    """Yield what is wrong with the type of a value."""
    kind = schema.get("type")
    if kind is None:
        if schema.get(_PRESERVE) is not True and schema.get(_INT_OR_STRING) is not True:
            yield Problem(
                path, f"has no type; give one of {', '.join(_TYPES)}, or {_PRESERVE}: true"
            )
    elif kind not in _TYPES:
        hint = near_name(str(kind), _TYPES)
        yield Problem(
            (*path, "type"), f"must be one of {', '.join(_TYPES)} (got {short_repr(kind)}){hint}"
        )
    if schema.get(_EMBEDDED) is True:
        if kind != "object":
            yield Problem((*path, "type"), f"must be object beside {_EMBEDDED}")
        if "additionalProperties" in schema:
            yield Problem((*path, "additionalProperties"), f"can't stand beside {_EMBEDDED}")
        if not schema.get("properties") and schema.get(_PRESERVE) is not True:
            yield Problem(
                path, f"has {_EMBEDDED} without properties; give some, or {_PRESERVE}: true"
            )
    for key in (_PRESERVE, _EMBEDDED) if schema.get(_INT_OR_STRING) is True else ():
        if schema.get(key) is True:
            yield Problem((*path, key), f"can't stand beside {_INT_OR_STRING}")
    if kind == "array" and schema.get("items") is None:
        yield Problem(path, "has no items, the schema of the elements")


def _of_lists(schema: Mapping[str, Any], path: _Path) -> Iterator[Problem]:
    """Yield what is wrong with how a list or an object is merged."""
    for key, kind, values in _MERGING:
        value = schema.get(key)
        if value is not None and value not in values:
            yield Problem(
                (*path, key), f"must be one of {', '.join(values)} (got {short_repr(value)})"
            )
        if value is not None and schema.get("type") != kind:
            yield Problem((*path, key), f"can only stand beside type: {kind}")
    keys, items = schema.get(_MAP_KEYS), schema.get("items")
    is_map = schema.get(_LIST_TYPE) == "map"
    if keys and not is_map:
        yield Problem((*path, _MAP_KEYS), f"can only stand beside {_LIST_TYPE}: map")
    if schema.get(_LIST_TYPE) in ("map", "set") and lookup(items, ("nullable",)) is True:
        yield Problem(
            (*path, "items", "nullable"), f"can't be true beside {_LIST_TYPE}: {schema[_LIST_TYPE]}"
        )
    if is_map:
        yield from _of_map_keys(keys, items, path)


def _of_map_keys(keys: Any, items: Any, path: _Path) -> Iterator[Problem]:
    """Yield what is wrong with the keys that tell the elements of a list apart."""
    if not isinstance(keys, list) or not keys:
        yield Problem(
            path, f"has {_LIST_TYPE}: map without {_MAP_KEYS}, which names the keys of the elements"
        )
        return
    known = lookup(items, ("properties",))
    required = lookup(items, ("required",))
    for number, key in enumerate(keys):
        at = (*path, _MAP_KEYS, number)
        field = known.get(key) if isinstance(known, Mapping) and isinstance(key, str) else None
        if key in keys[:number]:
            yield Problem(at, f"is {short_repr(key)} as a key before it")
        if not isinstance(field, Mapping):
            yield Problem(at, f"is {short_repr(key)}, which isn't a field of the elements")
        elif "default" not in field and not (isinstance(required, list) and key in required):
            yield Problem(at, f"is {short_text(key)}, which must be required or have a default")
        elif field.get("nullable") is True:
            yield Problem(at, f"is {short_text(key)}, which can't be nullable")


def _of_rules(schema: Mapping[str, Any], path: _Path) -> Iterator[Problem]:
    """Yield the rules in CEL that can't be compiled."""
    rules = schema.get(_RULES)
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        at = (*path, _RULES, number)
        if not isinstance(rule, Mapping) or not isinstance(rule.get("rule"), str):
            yield Problem(at, "must be an object with a rule")
        elif (
            "\n" in str(rule.get("message", "")).strip()
            or rule.get("reason", _REASONS[0]) not in _REASONS
        ):
            yield Problem(
                at, f"must have a message in one line, and a reason of {', '.join(_REASONS)}"
            )
        elif why := wrong_rule(rule):
            yield Problem(
                (*at, "rule"), f"the rule {short_text(rule['rule'])} can't be checked here: {why}"
            )


def _restricting(
    schema: Mapping[str, Any], path: _Path, *, outermost: bool = True
) -> Iterator[Problem]:
    """Yield what is wrong in `allOf`, `anyOf`, `oneOf` and `not` of a schema.

    Args:
        schema: The schema.
        path: Its path.
        outermost: Whether the schema declares a value, or is in the first element of its `allOf`:
            there `anyOf` may say that a value is an integer or a string.
    """
    for key in _MEMBERS:
        found = schema.get(key)
        if outermost and key == "anyOf" and found == _EITHER:
            continue
        if isinstance(found, list):
            for at, member in enumerate(found):
                yield from _restriction(
                    member, (*path, key, at), outermost=outermost and (key, at) == ("allOf", 0)
                )
        elif found is not None:
            yield Problem(
                (*path, key), f"must be a list of schemas (got {json_type_in_words(found)})"
            )
    if schema.get("not") is not None:
        yield from _restriction(schema["not"], (*path, "not"))


def _restriction(schema: Any, path: _Path, *, outermost: bool = False) -> Iterator[Problem]:
    """Yield what is wrong with a schema that restricts a value which is declared elsewhere."""
    if not _is_schema(schema, path):
        yield _no_schema(schema, path)
        return
    yield from _of_keywords(schema, path)
    for key in _DECLARING:
        if schema.get(key):
            yield Problem((*path, key), "can only stand outside of allOf, anyOf, oneOf and not")
    yield from _restricting(schema, path, outermost=outermost)
    for at, below in _below(schema):
        if at == ("properties", "metadata"):
            yield Problem((*path, *at), "can only stand outside of allOf, anyOf, oneOf and not")
        elif at != ("additionalProperties",):
            yield from _restriction(below, (*path, *at))


def _wrong_defaults(schema: Mapping[str, Any], path: _Path) -> Iterator[Problem]:
    """Yield the defaults that don't fit their own schemas."""
    places: dict[str, _Path] = {}
    fields: dict[str, Any] = {}
    values: dict[str, Any] = {}
    work: list[tuple[_Path, Mapping[str, Any]]] = [((), schema)]
    while work:
        at, one = work.pop()
        if one.get("default") is not None:
            name = f"default{len(places)}"
            places[name], fields[name], values[name] = (*path, *at, "default"), one, one["default"]
        work += [((*at, *steps), below) for steps, below in _below(one)]
    whole = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    try:
        resource = defaulted({"apiVersion": "a/v1", "kind": "A", "spec": values}, whole)
        found = errors_in(resource, whole)
    except (InputError, SchemaError) as error:
        yield Problem(path, str(error))
        return
    for wrong in found:
        name, _, rest = wrong.path.removeprefix("spec.").partition(".")
        yield Problem(places[name.partition("[")[0]], f"{rest}{rest and ' '}{wrong.problem}")
