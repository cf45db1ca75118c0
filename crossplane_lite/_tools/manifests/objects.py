"""Functions for Kubernetes objects that are plain dicts: metadata, owners, names, scopes,
conditions and Secrets.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..._core import codec
from ..._core.base.api_version import group_of, split
from ..._core.base.scalars import EXACT
from ..._core.base.texts import json_type_in_words, short_text
from ..._core.paths.text import EXTERNAL_NAME
from ..._core.paths.text import RESOURCE_NAME as RESOURCE_NAME
from ...errors import EncodeError, InputError

COMPOSITE_LABEL: Final = "crossplane.io/composite"
"""The label with the name of the composite that a resource belongs to."""

CLAIM_LABELS: Final = ("crossplane.io/claim-name", "crossplane.io/claim-namespace")
"""The labels with the name and the namespace of a claim, on its composite and composed
resources.
"""

APPLIED_BY: Final = "apiextensions.crossplane.io/composed/simulated"
"""A field manager whose fields count as those of Crossplane's composed resources."""
TRANSITION_TIME: Final = "2024-01-01T00:00:00Z"
"""The transition time of every condition. It is constant, so that two runs have the same output."""

_LONGEST_LABEL: Final = 63
_HASH_LENGTH: Final = 12

# Cluster-scoped kinds of every API server and of every Crossplane, by group.
_CLUSTER_KINDS: Final = {
    "": "ComponentStatus Namespace Node PersistentVolume",
    "admissionregistration.k8s.io": (
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"
        " MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding"
        " ValidatingWebhookConfiguration"
    ),
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    "apiextensions.crossplane.io": (
        "CompositeResourceDefinition Composition CompositionRevision EnvironmentConfig"
        " ManagedResourceActivationPolicy ManagedResourceDefinition Usage"
    ),
    "ops.crossplane.io": "CronOperation Operation WatchOperation",
    "pkg.crossplane.io": (
        "Configuration ConfigurationRevision DeploymentRuntimeConfig Function FunctionRevision"
        " ImageConfig Lock Provider ProviderRevision"
    ),
    "protection.crossplane.io": "ClusterUsage",
}


# Groups of Kubernetes in which all other kinds have a namespace.
_NAMESPACED_GROUPS: Final = frozenset(
    {"", "apps", "autoscaling", "batch", "networking.k8s.io", "policy", "rbac.authorization.k8s.io"}
)


def quoted(text: str) -> str:
    """Return a name in double quotes, with escapes as in JSON, as it is in Crossplane's
    messages.
    """
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'  # ten times as fast, and enough for nearly all names
    return json.dumps(text, ensure_ascii=False)


def text_of(value: Any) -> str:
    """Return a value if it is a string; an empty string for anything else."""
    return value if isinstance(value, str) else ""


def metadata_of(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object's metadata; an empty mapping if `metadata` is missing or isn't a mapping."""
    metadata = resource.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _member(metadata: Mapping[str, Any], field: str, key: str) -> str:
    values = metadata.get(field)
    return text_of(values.get(key)) if isinstance(values, Mapping) else ""


def resource_name(resource: Mapping[str, Any]) -> str:
    """Return an object's composition resource name, which is an annotation; an empty string without
    the annotation.
    """
    return _member(metadata_of(resource), "annotations", RESOURCE_NAME)


def controller_of(resource: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the first owner reference of an object that has `controller: true`; None if there is
    no such reference.
    """
    references = metadata_of(resource).get("ownerReferences")
    for reference in references if isinstance(references, list) else ():
        if isinstance(reference, Mapping) and reference.get("controller") is True:
            return reference
    return None


def composite_uid(composite: Mapping[str, Any]) -> str:
    """Return a composite's uid. For a composite without a uid, return the uid that
    `crossplane render` gives it.

    That uid depends only on apiVersion, kind, namespace and name. So names that are generated from
    the uid are the same in each run.
    """
    import uuid  # takes as long to import as all of this module

    metadata = metadata_of(composite)
    found = text_of(metadata.get("uid"))
    if found:
        return found
    api_version = text_of(composite.get("apiVersion"))
    group, version = split(api_version)
    kind = f"{group}/{version}, Kind={text_of(composite.get('kind'))}"
    place = f"{text_of(metadata.get('namespace'))}\0{text_of(metadata.get('name'))}"
    return str(uuid.uuid5(uuid.UUID(int=0), f"{kind}\0{place}"))


def child_name(generate_name: str, uid: str, name: str) -> str:
    """Return the name that Crossplane generates for a composed resource.

    `generate_name` is the resource's metadata.generateName, `uid` is the composite's, and `name` is
    the composition resource name. The result is a prefix and twelve hexadecimal digits, together at
    most 63 characters. The prefix is `generate_name`, cut if it is too long, with a hyphen at its
    end; it is empty if `generate_name` is. The same arguments always give the same name.
    """
    digest = hashlib.sha256((uid + name).encode()).hexdigest()[:_HASH_LENGTH]
    longest = _LONGEST_LABEL - _HASH_LENGTH
    prefix = (
        generate_name if generate_name.endswith("-") or not generate_name else f"{generate_name}-"
    )
    if len(prefix) > longest:
        cut = prefix[:longest]
        prefix = cut if cut.endswith("-") else f"{cut[:-1]}-"
    return prefix + digest


def is_cluster_scoped(api_version: str, kind: str, cluster: object | None = None) -> bool:
    """Return whether a kind is known to be cluster-scoped; False for an unknown kind. See
    `scope_of`.
    """
    return scope_of(api_version, kind, cluster) == "Cluster"


def scope_of(api_version: str, kind: str, cluster: object | None = None) -> str:
    """Return the scope of a kind, `Cluster` or `Namespaced`; an empty string for an unknown kind.

    The kinds of Kubernetes and of Crossplane itself are known, and the kinds that `cluster` knows.

    Args:
        api_version: The kind's apiVersion.
        kind: The kind.
        cluster: An object that may have a method `scope(api_version, kind)`, which is called first.
            The method returns `Cluster`, `Namespaced`, or None for an unknown kind. Its exceptions
            aren't caught.
    """
    ask = getattr(cluster, "scope", None)
    scope: str | None = None if ask is None else ask(api_version, kind)
    if scope is not None:
        return scope
    group = group_of(api_version)
    if kind in _CLUSTER_KINDS.get(group, "").split():
        return "Cluster"
    return "Namespaced" if group in _NAMESPACED_GROUPS else ""


def some_names(names: Iterable[str]) -> str:
    """Return up to three names, sorted, and how many follow, as in Crossplane's conditions:
    `a, b, c, and 2 more`.
    """
    ordered = sorted(names)
    if len(ordered) > 3:
        return f"{', '.join(ordered[:3])}, and {len(ordered) - 3} more"
    if len(ordered) == 3:
        return f"{ordered[0]}, {ordered[1]}, and {ordered[2]}"
    return ", ".join(ordered)


def with_condition(conditions: list[dict[str, Any]], condition: Mapping[str, Any]) -> None:
    """Put a copy of a condition into a list, in place: replace the first condition of the same
    type, or append it.

    A condition without `lastTransitionTime` gets `TRANSITION_TIME`.
    """
    made = {"lastTransitionTime": TRANSITION_TIME, **condition}
    for index, old in enumerate(conditions):
        if old.get("type") == made["type"]:
            conditions[index] = made
            return
    conditions.append(made)


def secret_place(resource: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the namespace and name of the Secret for a resource's connection details, or None.

    Returns:
        The name is the one in `spec.writeConnectionSecretToRef`; None if the resource has no such
        name. The namespace is the resource's own, else the reference's; an empty string if both
        have none.
    """
    spec = resource.get("spec")
    reference = spec.get("writeConnectionSecretToRef") if isinstance(spec, Mapping) else None
    name = text_of(reference.get("name")) if isinstance(reference, Mapping) else ""
    if not isinstance(reference, Mapping) or not name:
        return None
    # The Secret of a namespaced resource is always in the resource's namespace, so the reference's
    # doesn't count.
    return (
        text_of(metadata_of(resource).get("namespace")) or text_of(reference.get("namespace")),
        name,
    )


def secret_data(secret: Mapping[str, Any], where: str) -> dict[str, bytes]:
    """Return a Secret's values as bytes, by key. If `data` and `stringData` have the same key,
    `stringData` counts.

    `where` is the Secret's name in messages. Raises InputError for anything but mappings of
    strings, and for wrong base64.
    """
    found: dict[str, bytes] = {}
    for field in ("data", "stringData"):
        values = secret.get(field)
        if values is None:
            continue
        if not isinstance(values, Mapping):
            raise InputError(
                f"{where}: {field} must be a mapping (got {json_type_in_words(values)})"
            )
        for key, value in values.items():
            place = f"{where}: {field}.{short_text(str(key))}"
            if not isinstance(value, str):
                raise InputError(f"{place} must be a string (got {json_type_in_words(value)})")
            found[str(key)] = value.encode() if field == "stringData" else _decoded(value, place)
    return found


def _decoded(text: str, where: str) -> bytes:
    import base64
    import binascii

    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        # The message doesn't show the value, because it is a secret.
        raise InputError(f"{where} is not base64; use stringData for plain text") from None


def applied(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an observed object with `metadata.managedFields`, as every object of an API server has
    them.

    Files that people write have none. Then all its fields count as applied by Crossplane, but for
    the status and the external name, which providers write.
    """
    metadata = resource.get("metadata")
    if not isinstance(metadata, Mapping) or "managedFields" in metadata:
        return resource
    entry = applied_entry(resource)
    entry["fieldsV1"]["f:metadata"].get("f:annotations", {}).pop(f"f:{EXTERNAL_NAME}", None)
    return {**resource, "metadata": {**metadata, "managedFields": [entry]}}


def applied_entry(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of managedFields by which all fields of an object but the status are applied
    by Crossplane.

    A list counts as one field.
    """

    def below(holder: Any) -> dict[str, Any]:
        return (
            {f"f:{key}": below(value) for key, value in holder.items()}
            if isinstance(holder, Mapping)
            else {}
        )

    return {
        "manager": APPLIED_BY,
        "operation": "Apply",
        "apiVersion": text_of(resource.get("apiVersion")),
        "fieldsType": "FieldsV1",
        "fieldsV1": below(
            {
                key: value
                for key, value in resource.items()
                if key not in ("apiVersion", "kind", "status")
            }
        ),
    }


def observed_bytes(resource: Mapping[str, Any], what: str) -> bytes:
    """Return an observed object as the bytes of a Struct, as Crossplane sends it to functions.

    Integers beyond 2^53, which other controllers may have written, become the nearest doubles
    without a message, as in Crossplane. Raises InputError, with the name `what`, if the object has
    a value that a Struct can't hold.
    """
    try:
        return codec.encode_struct(resource)
    except EncodeError:
        return encode(_with_doubles(resource), what)


def _with_doubles(value: Any) -> Any:
    """Return a copy of a JSON value in which integers beyond 2^53 are doubles, except those beyond
    a double's range.
    """
    if isinstance(value, Mapping):
        return {key: _with_doubles(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_doubles(inner) for inner in value]
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and abs(value) > EXACT
        and value.bit_length() < 1024
    ):
        return float(value)
    return value


def merged(under: Any, over: Any) -> Any:
    """Return `over` merged into a copy of `under`: mappings are merged, any other value of `over`
    replaces the old.

    The result may share parts with both.
    """
    if not isinstance(under, Mapping) or not isinstance(over, Mapping):
        return over
    return {**under, **{key: merged(under.get(key), value) for key, value in over.items()}}


def encode(resource: Mapping[str, Any], what: str) -> bytes:
    """Return an object as the bytes of a Struct.

    Raises InputError, with the name `what`, if it has a value that a Struct can't hold, such as an
    integer beyond 2^53.
    """
    try:
        return codec.encode_struct(resource)
    except EncodeError as e:
        raise InputError(f"{what}: {e}") from e
