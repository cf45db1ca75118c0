"""The changes that Crossplane makes to a desired composed resource before applying it.

Crossplane sets name, namespace, labels, owner references and the annotation
`crossplane.io/composition-resource-name`, and removes the status.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ..._core.base.texts import articled, json_type_in_words, type_in_words
from ..._core.paths.text import show
from ..._core.resources.object_meta import metadata_problem
from ...errors import InputError
from ..manifests.objects import (
    CLAIM_LABELS,
    COMPOSITE_LABEL,
    RESOURCE_NAME,
    child_name,
    composite_uid,
    controller_of,
    metadata_of,
    quoted,
    scope_of,
    text_of,
)
from ..manifests.yaml import Document
from . import inputs
from .rendered import RenderError, Result

_METADATA: Final = {
    "annotations": (dict, "an object"),
    "generateName": (str, "a string"),
    "labels": (dict, "an object"),
    "name": (str, "a string"),
    "namespace": (str, "a string"),
    "ownerReferences": (list, "a list"),
}


class Owner(NamedTuple):
    """The parts of a composite that go into its composed resources, for example into their labels.

    Attributes:
        api_version: The composite's apiVersion.
        kind: The composite's kind.
        name: The composite's name.
        namespace: The composite's namespace; empty if the composite is cluster-scoped.
        uid: The composite's uid.
        prefix: The value of the label `crossplane.io/composite` on composed resources. Generated
            names begin with it, too. If the composite has this label (because it is itself
            composed), this is the label's value. Else it is the composite's name.
        claim: The two labels that name the composite's claim; empty if either label is missing.
        scope: The scope of the composite's kind, `Cluster` or `Namespaced`; empty if it isn't
            known.
    """

    api_version: str
    kind: str
    name: str
    namespace: str
    uid: str
    prefix: str
    claim: Mapping[str, str]
    scope: str = ""

    @classmethod
    def of(cls, composite: Mapping[str, Any], scope: str = "") -> Owner:
        """Return the parts of a composite that go into its composed resources.

        A missing uid is made from kind and name.
        """
        metadata = metadata_of(composite)
        labels = metadata.get("labels")
        labels = labels if isinstance(labels, Mapping) else {}
        name = text_of(metadata.get("name"))
        return cls(
            text_of(composite.get("apiVersion")),
            text_of(composite.get("kind")),
            name,
            text_of(metadata.get("namespace")),
            composite_uid(composite),
            text_of(labels.get(COMPOSITE_LABEL)) or name,
            (
                {key: labels[key] for key in CLAIM_LABELS}
                if all(text_of(labels.get(key)) for key in CLAIM_LABELS)
                else {}
            ),
            scope,
        )

    @property
    def reference(self) -> dict[str, Any]:
        """The owner reference that makes the composite the controller of a composed resource."""
        return {
            "apiVersion": self.api_version,
            "blockOwnerDeletion": True,
            "controller": True,
            "kind": self.kind,
            "name": self.name,
            "uid": self.uid,
        }


def by_name(observed: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return observed resources by composition resource name.

    Raises:
        InputError: A resource has no apiVersion, kind or composition resource name, or two have the
            same name.
    """
    documents = []
    for number, resource in enumerate(observed):
        if not isinstance(resource, Mapping):
            raise InputError(
                f"an observed resource must be a mapping (got {type_in_words(resource)})"
            )
        documents.append(Document(f"observed resource {number + 1}", dict(resource)))
        inputs.check(documents[-1])
    return {name: document.content for name, document in inputs.by_name(documents).items()}


def composed_resource(
    name: str,
    resource: dict[str, Any],
    owner: Owner,
    observed: Mapping[str, Any] | None,
    cluster: object | None = None,
    results: list[Result] | None = None,
    notes: list[str] | None = None,
) -> dict[str, Any]:
    """Return a desired composed resource as Crossplane applies it.

    Args:
        name: The composition resource name.
        resource: The desired resource, which is changed and returned.
        owner: The parts of the composite that the resource gets.
        observed: The observed resource, which keeps its name, `generateName` and namespace; None if
            it doesn't exist.
        cluster: The cluster, which may know whether a kind is cluster-scoped; see
            `is_cluster_scoped`.
        results: A list to which a warning is added if the functions want a namespace other than the
            composite's; None for no warning.
        notes: A list to which a line is added if Crossplane silently drops labels or annotations;
            None for no lines.

    Raises:
        RenderError: Crossplane or the API server would refuse the resource.
    """
    what = f"composed resource {quoted(name)}"
    for key in ("apiVersion", "kind"):
        if not text_of(resource.get(key)):
            raise RenderError(f"{what} has no {key}")
    metadata = _checked_metadata(what, resource.get("metadata"))
    resource.pop("status", None)  # only the resource's own controller sets the status
    resource["metadata"] = metadata
    for key in ("annotations", "labels"):
        _drop_others(what, key, metadata, notes)
    wanted = _place(what, resource, metadata, owner, observed, cluster)
    if owner.namespace and wanted not in ("", owner.namespace) and results is not None:
        instead = f"using XR namespace {quoted(owner.namespace)} instead"
        text = f"cannot create {what} in namespace {quoted(wanted)}, {instead}"
        results.append(Result("Warning", "NamespaceOverridden", text, ""))
    metadata["annotations"] = {**metadata.get("annotations", {}), RESOURCE_NAME: name}
    metadata["labels"] = {
        **metadata.get("labels", {}),
        COMPOSITE_LABEL: owner.prefix,
        **owner.claim,
    }
    metadata["ownerReferences"] = _owner_references(what, resource, metadata, owner)
    uid = metadata.get("uid")
    if uid and uid != metadata_of(observed or {}).get("uid"):
        raise RenderError(
            f"{what}: metadata.uid: {quoted(str(uid))} isn't the uid of what exists; leave it out"
        )
    _name(what, name, resource, metadata, owner)
    return resource


def _checked_metadata(what: str, metadata: Any) -> dict[str, Any]:
    """Return a resource's metadata. Remove null fields from it that this module reads. For None,
    return `{}`.

    Raises:
        RenderError: The metadata isn't an object, or a field that this module reads has the wrong
            type.
    """
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise RenderError(
            f"{what}: metadata must be an object (got {json_type_in_words(metadata)})"
        )
    for key, (type_, shown) in _METADATA.items():
        if metadata.get(key) is None:
            metadata.pop(key, None)
        elif not isinstance(metadata[key], type_):
            raise RenderError(
                f"{what}: metadata.{key} must be {shown} (got {json_type_in_words(metadata[key])})"
            )
    return metadata


def _drop_others(what: str, key: str, metadata: dict[str, Any], notes: list[str] | None) -> None:
    """Drop all labels or all annotations if the value of one of them isn't a string, as Crossplane
    does.

    A null value doesn't count as wrong: it becomes an empty string. `key` is `labels` or
    `annotations`. A line is added to `notes` if they are dropped.
    """
    values = metadata.get(key, {})
    wrong = [
        name for name, value in values.items() if not isinstance(value, str) and value is not None
    ]
    if not wrong:
        values.update((name, "") for name, value in values.items() if value is None)
        return
    del metadata[key]
    if notes is not None:
        notes.append(
            f"{what}: Crossplane drops all {key} that the functions desire, {len(values)} of them,"
            f" because {show(['metadata', key, wrong[0]])} is not a string (it is"
            f" {json_type_in_words(values[wrong[0]])})"
        )


def _place(
    what: str,
    resource: Mapping[str, Any],
    metadata: dict[str, Any],
    owner: Owner,
    observed: Mapping[str, Any] | None,
    cluster: object | None,
) -> str:
    """Set a resource's name, namespace and `generateName` to the observed ones, if the resource is
    observed.

    A namespace or `generateName` that the observed resource lacks is removed. Then the composite's
    namespace is set, if the composite has one. Returns the namespace that the composite's replaced,
    or an empty string. Raises RenderError if the resource is cluster-scoped and the composite has a
    namespace, or if the resource needs a namespace and neither has one. A composite without a
    namespace may get one from kubectl, unless its kind is cluster-scoped.
    """
    one = articled(resource["kind"], resource["apiVersion"])
    is_known = owner.namespace or owner.scope == "Cluster"
    scope = scope_of(resource["apiVersion"], resource["kind"], cluster) if is_known else ""
    if owner.namespace and scope == "Cluster":
        raise RenderError(
            f"{what}: {one} is cluster-scoped, and the composite is in namespace"
            f" {quoted(owner.namespace)}; a namespaced composite can't compose cluster-scoped"
            " resources"
        )
    if observed is not None:
        for key in ("name", "namespace", "generateName"):
            found = text_of(metadata_of(observed).get(key))
            if found:
                metadata[key] = found
            elif key != "name":
                metadata.pop(key, None)
    wanted: str = metadata.get("namespace", "")
    if owner.namespace:
        metadata["namespace"] = owner.namespace
    elif scope == "Namespaced" and not wanted:
        raise RenderError(
            f"{what}: {one} needs a namespace, and neither it nor the composite has one; set"
            " metadata.namespace"
        )
    return wanted


def _owner_references(
    what: str, resource: Mapping[str, Any], metadata: Mapping[str, Any], owner: Owner
) -> list[dict[str, Any]]:
    references = metadata.get("ownerReferences", [])
    for at, one in enumerate(references):
        if not isinstance(one, dict):
            raise RenderError(
                f"{what}: metadata.ownerReferences[{at}] must be an object (got"
                f" {json_type_in_words(one)})"
            )
    controller = controller_of(resource)
    if controller is not None and controller.get("uid") != owner.uid:
        raise RenderError(
            f"{what}: cannot set controller reference: it is already controlled by"
            f" {controller.get('kind')} {controller.get('name')} (UID {controller.get('uid')})"
        )
    return [*(one for one in references if one.get("uid") != owner.uid), owner.reference]


def _name(
    what: str, name: str, resource: Mapping[str, Any], metadata: dict[str, Any], owner: Owner
) -> None:
    """Generate a name for a resource that has none. Check that an API server would accept the
    metadata.

    Raises:
        RenderError: An API server would refuse the metadata.
    """
    if not metadata.get("name"):
        metadata["generateName"] = metadata.get("generateName") or owner.prefix + "-"
        metadata["name"] = child_name(metadata["generateName"], owner.uid, name)
    problem = metadata_problem(metadata, resource["apiVersion"], resource["kind"])
    if problem:
        raise RenderError(f"{what}: {problem}")
