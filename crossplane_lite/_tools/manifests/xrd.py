"""Makes the CustomResourceDefinitions (CRDs) that Crossplane creates from a
CompositeResourceDefinition (XRD).

There is a CRD for the composite, and another for the claim if the XRD offers a claim. The CRDs have
only the parts that models need: group, names, scope, versions and schemas. They don't have printer
columns, conversion and owner references. The rules are those of Crossplane 2:

- From an XRD's schema, the description, the validation rules, `spec` and `status` are taken. Other
  fields at the top are dropped, and so are unusual keywords of `spec` and `status`. If Crossplane
  and the author define the same field, Crossplane's definition counts.
- The fields that control composition, such as `compositionRef`, are in `spec.crossplane`. For the
  scope LegacyCluster they are directly in `spec`. LegacyCluster is the scope of an XRD v1 without a
  `scope`. Only LegacyCluster composites have claims and connection secrets.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from ..._core.base.texts import short_repr
from ...errors import InputError
from .values import NEEDED, check_name, one_of, typed_at

_GROUP: Final = "apiextensions.crossplane.io"
_LEGACY: Final = "LegacyCluster"
# The apiVersions of XRDs, with the scope of an XRD that names none.
_DEFAULT_SCOPES: Final = {f"{_GROUP}/v1": _LEGACY, f"{_GROUP}/v2": "Namespaced"}
# The scopes of XRDs, with the scopes of the definitions that are made from them.
_SCOPES: Final = {"Namespaced": "Namespaced", "Cluster": "Cluster", _LEGACY: "Cluster"}
_UPDATE_POLICIES: Final = ("Automatic", "Manual")
_DELETE_POLICIES: Final = ("Background", "Foreground")

# The keywords that are taken from an XRD's schema, and from the schemas of its status and spec.
_OF_SCHEMA: Final = {"description": str, "x-kubernetes-validations": list}
_OF_STATUS: Final = {**_OF_SCHEMA, "required": list, "oneOf": list}
_OF_SPEC: Final = {**_OF_STATUS, "x-kubernetes-preserve-unknown-fields": bool}
_NAMES: Final = ("kind", "plural")
# The name of a composite becomes the value of a label.
_LONGEST_NAME: Final = 63

_Get = functools.partial[Any]
"""Reads a field of an XRD by its path, as `typed_at` does."""


def crds_of(where: str, xrd: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the CustomResourceDefinitions of an XRD: the composite's, then the claim's if the XRD
    offers a claim.

    The CRDs have all versions of the XRD in the same order, so that a path in a message, such as
    `spec.versions[1]`, is right for the XRD, too. The CRDs share parts with the XRD: don't change
    them. Raises InputError, with the field's path, if a field of the XRD is missing or wrong.
    """
    get = functools.partial(typed_at, where, xrd)
    api_version = _chosen(get, "apiVersion", tuple(_DEFAULT_SCOPES))
    scope = _chosen(get, "spec.scope", tuple(_SCOPES), _DEFAULT_SCOPES[api_version])
    policy = _chosen(get, "spec.defaultCompositionUpdatePolicy", _UPDATE_POLICIES, "Automatic")
    crds = [
        _crd(
            get,
            "spec.names",
            _SCOPES[scope],
            _composite_spec(scope, policy),
            _composite_status(scope),
        )
    ]
    if get("spec.claimNames", dict, None) is not None:
        if scope != _LEGACY:
            raise InputError(
                f"{where}: spec.claimNames can be given with the scope {_LEGACY} only (the scope is"
                f" {scope}): remove it"
            )
        for key in ("kind", "plural"):
            name = get(f"spec.claimNames.{key}", str)
            if name == get(f"spec.names.{key}", str):
                raise InputError(
                    f"{where}: spec.claimNames.{key} must differ from spec.names.{key} (both are"
                    f" {short_repr(name)})"
                )
        policy = _chosen(get, "spec.defaultCompositeDeletePolicy", _DELETE_POLICIES, "Background")
        crds.append(
            _crd(
                get,
                "spec.claimNames",
                "Namespaced",
                _claim_spec(policy),
                _composite_status(_LEGACY),
            )
        )
    return crds


def _chosen(get: _Get, path: str, choices: tuple[str, ...], default: Any = NEEDED) -> str:
    value: str = get(path, str, default)
    if value not in choices:
        raise InputError(
            f"{get.args[0]}: {path} must be {one_of(choices)} (got {short_repr(value)})"
        )
    return value


def _some(get: _Get, at: str, kinds: Mapping[str, type[Any]]) -> dict[str, Any]:
    """Return the fields of the object at `at` that `kinds` has types for, without missing
    fields.
    """
    return {
        key: value
        for key, kind in kinds.items()
        if (value := get(f"{at}.{key}", kind, None)) is not None
    }


def _crd(
    get: _Get, names: str, scope: str, own_spec: Mapping[str, Any], own_status: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the CustomResourceDefinition of an XRD's composite or claim.

    `get` reads fields of the XRD; `names` is the path of its names; `own_spec` and `own_status` are
    the properties that Crossplane adds. Raises InputError if a field of the XRD is missing or
    wrong.
    """
    group = get("spec.group", str)
    for path, name in (
        ("spec.group", group),
        *((f"{names}.{key}", get(f"{names}.{key}", str)) for key in _NAMES),
    ):
        check_name(get.args[0], path, name)
    versions = [
        _version(get, f"spec.versions[{number}]", own_spec, own_status)
        for number in range(len(get("spec.versions", list)))
    ]
    if not versions:
        raise InputError(f"{get.args[0]}: spec.versions is empty")
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{get(f'{names}.plural', str)}.{group}"},
        "spec": {"group": group, "names": get(names, dict), "scope": scope, "versions": versions},
    }


def _version(
    get: _Get, at: str, own_spec: Mapping[str, Any], own_status: Mapping[str, Any]
) -> dict[str, Any]:
    schema = f"{at}.schema.openAPIV3Schema"
    get(schema, dict)
    longest = min(
        _LONGEST_NAME,
        get(f"{schema}.properties.metadata.properties.name.maxLength", int, _LONGEST_NAME),
    )
    return {
        "name": get(f"{at}.name", str),
        "served": get(f"{at}.served", bool),
        "storage": get(f"{at}.referenceable", bool),
        **_some(get, at, {"deprecated": bool, "deprecationWarning": str}),
        "schema": {
            "openAPIV3Schema": {
                "type": "object",
                **_some(get, schema, _OF_SCHEMA),
                "required": ["spec"],
                "properties": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "metadata": {
                        "type": "object",
                        "properties": {"name": {"type": "string", "maxLength": longest}},
                    },
                    "spec": _part(get, f"{schema}.properties.spec", _OF_SPEC, own_spec),
                    "status": _part(get, f"{schema}.properties.status", _OF_STATUS, own_status),
                },
            }
        },
    }


def _part(
    get: _Get, at: str, taken: Mapping[str, type[Any]], own: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "type": "object",
        **_some(get, at, taken),
        "properties": {**get(f"{at}.properties", dict, {}), **own},
    }


def _composite_spec(scope: str, policy: str) -> dict[str, Any]:
    reference = {
        "apiVersion": _text("The resource's apiVersion."),
        "kind": _text("The resource's kind."),
        "name": _text("The resource's name."),
    }
    if scope != "Namespaced":  # a namespaced composite composes resources of its own namespace
        reference["namespace"] = _text("The resource's namespace, if it is in one.")
    properties = {
        **_composition(policy),
        "resourceRefs": {
            "type": "array",
            "description": (
                "References to the composed resources, which Crossplane keeps up to date."
            ),
            "items": _object("A composed resource.", reference, "apiVersion", "kind"),
            "x-kubernetes-list-type": "atomic",
        },
    }
    if scope != _LEGACY:
        return {"crossplane": _object("How Crossplane composes this resource.", properties)}
    claim = {
        "apiVersion": _text("The claim's apiVersion."),
        "kind": _text("The claim's kind."),
        "namespace": _text("The claim's namespace."),
        "name": _text("The claim's name."),
    }
    secret = {"name": _text("The secret's name."), "namespace": _text("The secret's namespace.")}
    return {
        **properties,
        "claimRef": _object("The claim that this composite was made for, if any.", claim, *claim),
        "writeConnectionSecretToRef": _object(
            "The secret that gets the connection details.", secret, *secret
        ),
    }


def _claim_spec(policy: str) -> dict[str, Any]:
    composite = {
        "apiVersion": _text("The composite's apiVersion."),
        "kind": _text("The composite's kind."),
        "name": _text("The composite's name."),
    }
    return {
        **_composition(None),
        "compositeDeletePolicy": _choice(
            "How the composite is deleted with the claim: Background, or Foreground for before the"
            " claim is gone.",
            _DELETE_POLICIES,
            policy,
        ),
        "resourceRef": _object(
            "The composite that was made for this claim.", composite, *composite
        ),
        "writeConnectionSecretToRef": _object(
            "The secret, in the claim's namespace, that gets the connection details.",
            {"name": _text("The secret's name.")},
            "name",
        ),
    }


def _composition(policy: str | None) -> dict[str, Any]:
    """Return the schemas of the fields that choose a composition, such as `compositionRef`, by the
    fields' names.

    Args:
        policy: The default of `compositionUpdatePolicy`; None for no default.
    """
    return {
        "compositionRef": _object(
            "The composition to use. If it isn't set, Crossplane chooses a composition and"
            " sets it.",
            {"name": _text("The composition's name.")},
            "name",
        ),
        "compositionSelector": _selector("Chooses the composition by its labels."),
        "compositionRevisionRef": _object(
            "The composition revision to use. With the update policy Manual, users set it.",
            {"name": _text("The revision's name.")},
            "name",
        ),
        "compositionRevisionSelector": _selector(
            "Chooses the composition's revision by its labels."
        ),
        "compositionUpdatePolicy": _choice(
            "Whether a new revision of the composition is used automatically.",
            _UPDATE_POLICIES,
            policy,
        ),
    }


def _composite_status(scope: str) -> dict[str, Any]:
    condition = {
        "lastTransitionTime": _text("When the status last changed.", format="date-time"),
        "message": _text("An explanation for people."),
        "reason": _text("Why the condition has this status, in one CamelCase word."),
        "status": _text("True, False or Unknown."),
        "type": _text("The condition's type, such as Ready or Synced."),
        "observedGeneration": {
            "type": "integer",
            "format": "int64",
            "description": "The metadata.generation for which the condition was set.",
        },
    }
    properties: dict[str, Any] = {
        "conditions": {
            "type": "array",
            "description": (
                "The conditions of this resource, as Crossplane and the functions set them."
            ),
            "items": _object(
                "A condition.", condition, "lastTransitionTime", "reason", "status", "type"
            ),
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
        }
    }
    if scope == _LEGACY:
        published = {
            "lastPublishedTime": _text(
                "When the connection details last changed.", format="date-time"
            )
        }
        properties["connectionDetails"] = _object(
            "When connection details were published.", published
        )
        properties["claimConditionTypes"] = {
            "type": "array",
            "description": "The types of conditions that the claim gets, too.",
            "items": {"type": "string"},
            "x-kubernetes-list-type": "set",
        }
    return properties


def _object(description: str, properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "description": description}
    if required:
        schema["required"] = list(required)
    return {**schema, "properties": properties}


def _selector(description: str) -> dict[str, Any]:
    labels = {
        "type": "object",
        "description": "The labels that it must have, all of them.",
        "additionalProperties": {"type": "string"},
    }
    return _object(description, {"matchLabels": labels}, "matchLabels")


def _choice(description: str, values: tuple[str, ...], default: str | None) -> dict[str, Any]:
    schema = _text(description, enum=list(values))
    return schema if default is None else {**schema, "default": default}


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}
