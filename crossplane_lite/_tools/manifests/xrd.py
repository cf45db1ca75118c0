"""Makes the CustomResourceDefinitions (CRDs) that Crossplane creates from a CompositeResourceDefinition (XRD).

There is a CRD for the composite, and another for the claim if the XRD offers a claim. The CRDs have only the parts that
models need: group, names, scope, versions and schemas. They don't have printer columns, conversion and owner
references. The rules are those of Crossplane 2:

- From an XRD's schema, the description, the validation rules, `spec` and `status` are taken. Other fields at the top
  are dropped, and so are unusual keywords of `spec` and `status`. If Crossplane and the author define the same field,
  Crossplane's definition counts.
- The fields that control composition, such as `compositionRef`, are in `spec.crossplane`. For the scope LegacyCluster
  they are directly in `spec`. LegacyCluster is the scope of an XRD v1 without a `scope`. Only LegacyCluster composites
  have claims and connection secrets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..._core.base.texts import short_repr
from ...errors import InputError
from .values import one_of, typed

__all__ = ["crds_of"]

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


def crds_of(where: str, xrd: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the CustomResourceDefinitions of an XRD: the composite's, then the claim's if the XRD offers a claim.

    The CRDs have all versions of the XRD in the same order, so that a path in a message, such as `spec.versions[1]`, is
    right for the XRD, too. The CRDs share parts with the XRD: don't change them. Raises InputError, with the field's
    path, if a field of the XRD is missing or wrong.
    """
    top = _Object(where, "", xrd)
    api_version = top.text("apiVersion", choices=tuple(_DEFAULT_SCOPES))
    spec = top.object("spec")
    scope = spec.text("scope", default=_DEFAULT_SCOPES[api_version], choices=tuple(_SCOPES))
    names = spec.object("names")
    policy = spec.text("defaultCompositionUpdatePolicy", default="Automatic", choices=_UPDATE_POLICIES)
    crds = [_crd(spec, names, _SCOPES[scope], _composite_spec(scope, policy), _composite_status(scope))]
    if spec.has("claimNames"):
        if scope != _LEGACY:
            raise spec.error(
                "claimNames", f"can be given with the scope {_LEGACY} only (the scope is {scope}): remove it"
            )
        claim = spec.object("claimNames")
        for key in ("kind", "plural"):
            name = claim.text(key)
            if name == names.text(key):
                raise claim.error(key, f"must differ from spec.names.{key} (both are {short_repr(name)})")
        policy = spec.text("defaultCompositeDeletePolicy", default="Background", choices=_DELETE_POLICIES)
        crds.append(_crd(spec, claim, "Namespaced", _claim_spec(policy), _composite_status(_LEGACY)))
    return crds


class _Object:
    """An object in an XRD, with its place for messages. A field that is null counts as missing.

    The methods that read a field raise InputError, with the field's path, if a needed field is missing, or if a field
    has a wrong value.

    Args:
        where: The XRD's place for messages, such as `xrd.yaml, document 1 (line 1)`.
        path: The object's path in the XRD; an empty string for the XRD itself.
        value: The object.
    """

    def __init__(self, where: str, path: str, value: Mapping[str, Any]) -> None:
        self._where = where
        self._path = path
        self.value = value

    def has(self, key: str) -> bool:
        return self.value.get(key) is not None

    def get(self, key: str, kind: type[Any]) -> Any:
        """Return a field's value, after checking that the field isn't missing and has the type `kind`."""
        if not self.has(key):
            raise self.error(key, "is missing")
        return self._typed(key, self.value[key], kind)

    def text(self, key: str, *, default: str | None = None, choices: tuple[str, ...] = ()) -> str:
        if default is not None and not self.has(key):
            return default
        value: str = self.get(key, str)
        if not value:
            raise self.error(key, "is empty")
        if choices and value not in choices:
            raise self.error(key, f"must be {one_of(choices)} (got {short_repr(value)})")
        return value

    def object(self, key: str, *, is_required: bool = True) -> _Object:
        value = self.get(key, dict) if is_required or self.has(key) else {}
        return _Object(self._where, self._at(key), value)

    def objects(self, key: str) -> Iterator[_Object]:
        for number, value in enumerate(self.get(key, list)):
            place = f"{key}[{number}]"
            yield _Object(self._where, self._at(place), self._typed(place, value, dict))

    def some(self, kinds: Mapping[str, type[Any]]) -> dict[str, Any]:
        """Return the object's fields that `kinds` has types for, after checking the types, without missing fields."""
        return {key: self.get(key, kind) for key, kind in kinds.items() if self.has(key)}

    def error(self, key: str, problem: str) -> InputError:
        return InputError(f"{self._where}: {self._at(key)} {problem}")

    def _typed(self, place: str, value: Any, kind: type[Any]) -> Any:
        return typed(value, kind, lambda problem: self.error(place, problem))

    def _at(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key


def _crd(
    spec: _Object, names: _Object, scope: str, own_spec: Mapping[str, Any], own_status: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the CustomResourceDefinition of an XRD's composite or claim.

    `names` are the XRD's `names` or `claimNames`; `own_spec` and `own_status` are the properties that Crossplane adds.
    Raises InputError if a field of the XRD is missing or wrong.
    """
    group = spec.text("group")
    names.text("kind")
    versions = [_version(version, own_spec, own_status) for version in spec.objects("versions")]
    if not versions:
        raise spec.error("versions", "is empty")
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names.text('plural')}.{group}"},
        "spec": {"group": group, "names": names.value, "scope": scope, "versions": versions},
    }


def _version(version: _Object, own_spec: Mapping[str, Any], own_status: Mapping[str, Any]) -> dict[str, Any]:
    schema = version.object("schema").object("openAPIV3Schema")
    properties = schema.object("properties", is_required=False)
    return {
        "name": version.text("name"),
        "served": version.get("served", bool),
        "storage": version.get("referenceable", bool),
        **version.some({"deprecated": bool, "deprecationWarning": str}),
        "schema": {
            "openAPIV3Schema": {
                "type": "object",
                **schema.some(_OF_SCHEMA),
                "required": ["spec"],
                "properties": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "metadata": {"type": "object"},
                    "spec": _part(properties.object("spec", is_required=False), _OF_SPEC, own_spec),
                    "status": _part(properties.object("status", is_required=False), _OF_STATUS, own_status),
                },
            }
        },
    }


def _part(part: _Object, taken: Mapping[str, type[Any]], own: Mapping[str, Any]) -> dict[str, Any]:
    properties = part.object("properties", is_required=False).value
    return {"type": "object", **part.some(taken), "properties": {**properties, **own}}


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
            "description": "References to the composed resources, which Crossplane keeps up to date.",
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
        "writeConnectionSecretToRef": _object("The secret that gets the connection details.", secret, *secret),
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
            "How the composite is deleted with the claim: Background, or Foreground for before the claim is gone.",
            _DELETE_POLICIES,
            policy,
        ),
        "resourceRef": _object("The composite that was made for this claim.", composite, *composite),
        "writeConnectionSecretToRef": _object(
            "The secret, in the claim's namespace, that gets the connection details.",
            {"name": _text("The secret's name.")},
            "name",
        ),
    }


def _composition(policy: str | None) -> dict[str, Any]:
    """Return the schemas of the fields that choose a composition, such as `compositionRef`, by the fields' names.

    Args:
        policy: The default of `compositionUpdatePolicy`; None for no default.
    """
    return {
        "compositionRef": _object(
            "The composition to use. If it isn't set, Crossplane chooses a composition and sets it.",
            {"name": _text("The composition's name.")},
            "name",
        ),
        "compositionSelector": _selector("Chooses the composition by its labels."),
        "compositionRevisionRef": _object(
            "The composition revision to use. With the update policy Manual, users set it.",
            {"name": _text("The revision's name.")},
            "name",
        ),
        "compositionRevisionSelector": _selector("Chooses the composition's revision by its labels."),
        "compositionUpdatePolicy": _choice(
            "Whether a new revision of the composition is used automatically.", _UPDATE_POLICIES, policy
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
            "description": "The conditions of this resource, as Crossplane and the functions set them.",
            "items": _object("A condition.", condition, "lastTransitionTime", "reason", "status", "type"),
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
        }
    }
    if scope == _LEGACY:
        published = {"lastPublishedTime": _text("When the connection details last changed.", format="date-time")}
        properties["connectionDetails"] = _object("When connection details were published.", published)
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
