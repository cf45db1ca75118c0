"""Makes the schema that an API server publishes for a custom resource, from the schema in a
CustomResourceDefinition.

An API server adds apiVersion, kind and metadata. It also adds plain JSON Schema for two extensions
of Kubernetes: for embedded objects (`x-kubernetes-embedded-resource`), and for values that are an
integer or a string (`x-kubernetes-int-or-string`). Apart from descriptions, the result is the
schema that `kubectl get --raw /openapi/v3/apis/<group>/<version>` shows, with references inlined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_EITHER: Final = [{"type": "integer"}, {"type": "string"}]


_MOST_REPLICAS: Final = 2**31 - 1
_TEXT: Final = {"type": "string"}
_WORD: Final = {"type": "string", "default": ""}
_TIME: Final = {"type": "string", "format": "date-time"}
_INTEGER: Final = {"type": "integer", "format": "int64"}
_LABELS: Final = {"type": "object", "additionalProperties": _WORD}
_MERGED: Final = {"x-kubernetes-patch-strategy": "merge"}


def _list_of(items: Mapping[str, Any], list_type: str, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "x-kubernetes-list-type": list_type, **more}


_OWNER: Final = {
    "type": "object",
    "required": ["apiVersion", "kind", "name", "uid"],
    "properties": {
        **dict.fromkeys(("apiVersion", "kind", "name", "uid"), _WORD),
        **dict.fromkeys(("blockOwnerDeletion", "controller"), {"type": "boolean"}),
    },
    "x-kubernetes-map-type": "atomic",
}
_OWNER_KEYS: Final = {
    "x-kubernetes-list-map-keys": ["uid"],
    "x-kubernetes-patch-merge-key": "uid",
    **_MERGED,
}
_MANAGER: Final = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("apiVersion", "fieldsType", "manager", "operation", "subresource"), _TEXT),
        "fieldsV1": {"type": "object"},
        "time": _TIME,
    },
}
_METADATA: Final[dict[str, Any]] = {
    "type": "object",
    "description": "The object's metadata, such as its name, namespace and labels.",
    "properties": {
        **dict.fromkeys(
            ("generateName", "name", "namespace", "resourceVersion", "selfLink", "uid"), _TEXT
        ),
        **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), _TIME),
        **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), _INTEGER),
        **dict.fromkeys(("annotations", "labels"), _LABELS),
        "finalizers": _list_of(_WORD, "set", **_MERGED),
        "managedFields": _list_of(_MANAGER, "atomic"),
        "ownerReferences": _list_of(_OWNER, "map", **_OWNER_KEYS),
    },
}
_OF_OBJECTS: Final = {
    "apiVersion": {**_TEXT, "description": "The API group and version of this object."},
    "kind": {**_TEXT, "description": "The kind of this object."},
    "metadata": _METADATA,
}


def published(schema: Mapping[str, Any], group: str, version: str, kind: str) -> dict[str, Any]:
    """Return the schema that an API server publishes for one version of a custom resource.

    The `schema`, the version's `openAPIV3Schema`, isn't changed, but the result shares unchanged
    parts with it.
    """
    root = _spelt_out(schema)
    properties = root.get("properties")
    declared = properties if isinstance(properties, Mapping) else {}
    root["properties"] = {
        **declared,
        **_OF_OBJECTS,
        "metadata": _metadata(declared.get("metadata")),
    }
    root["x-kubernetes-group-version-kind"] = [{"group": group, "kind": kind, "version": version}]
    return root


def with_replicas(schema: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """Return a schema whose field at a path, such as `.spec.replicas`, has the range of the
    subresource `scale`.
    """
    name, _, rest = path.removeprefix(".").partition(".")
    properties: Any = schema.get("properties")
    inner = properties.get(name) if isinstance(properties, Mapping) else None
    if not isinstance(inner, Mapping):
        return schema
    if rest:
        inner = with_replicas(inner, rest)
    else:
        inner = {"minimum": 0, "maximum": _MOST_REPLICAS, **inner}
    return {**schema, "properties": {**properties, name: inner}}


def _metadata(declared: Any) -> Mapping[str, Any]:
    """Return the schema of metadata with the limits of names that a definition declares."""
    limits = declared.get("properties") if isinstance(declared, Mapping) else None
    if not isinstance(limits, Mapping):
        return _METADATA
    names = {
        key: one for key in ("name", "generateName") if isinstance(one := limits.get(key), Mapping)
    }
    return {**_METADATA, "properties": {**_METADATA["properties"], **names}}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _spelt_out(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a schema with plain JSON Schema added for Kubernetes' extensions (see the
    module's description).

    Values in the place of schemas that aren't schemas are kept, because nothing is checked here.
    """
    made = dict(source)
    for part in ("items", "additionalProperties"):
        if isinstance(source.get(part), Mapping):
            made[part] = _spelt_out(source[part])
    properties = source.get("properties")
    if isinstance(properties, Mapping):
        inner = properties.items()
        made["properties"] = {
            name: _spelt_out(one) if isinstance(one, Mapping) else one for name, one in inner
        }
    if source.get(_EMBEDDED) is True:
        made["properties"] = {
            **(made["properties"] if isinstance(properties, Mapping) else {}),
            **_OF_OBJECTS,
        }
        required = _list(source.get("required"))
        made["required"] = [
            *required,
            *(name for name in ("kind", "apiVersion") if name not in required),
        ]
    if source.get(_INT_OR_STRING) is True and not _says_either(source):
        if source.get("anyOf") is None:
            made["anyOf"] = _EITHER
        else:
            made["allOf"] = [{"anyOf": _EITHER}, *_list(source.get("allOf"))]
    return made


def _says_either(source: Mapping[str, Any]) -> bool:
    """Return whether the `anyOf` of a schema, or of the first schema in its `allOf`, is exactly
    integer or string.
    """
    first = next(iter(_list(source.get("allOf"))), None)
    return source.get("anyOf") == _EITHER or (
        isinstance(first, Mapping) and first.get("anyOf") == _EITHER
    )
