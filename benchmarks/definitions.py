"""CustomResourceDefinitions to measure with where there are no real ones, made in code, the same in
every run.

They have the shape of two kinds of Crossplane's GCP provider, GKE's Cluster and GCS's Bucket: about
as many objects and fields on each level, types in the same proportions, descriptions as long. The
numbers below were counted in the real ones (the storage version). No text of those is in here: but
for the fields that a managed resource has anyway, and those that the measured functions set and
read, names and descriptions are put together from lists of words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count, cycle, islice
from typing import Any

__all__ = ["CLASSES", "META", "bucket", "cluster", "meta_schemas", "objects"]

Json = dict[str, Any]
Levels = Sequence[tuple[int, int]]
"""How many objects each level has, and how many fields all of them have together."""

CLASSES = {"Bucket": 31, "Cluster": 177}
"""How many classes `crossplane-lite generate` makes of each: objects of one name and shape share a
class.

Other names of classes that crossplane-lite ships don't count."""

META = "io.k8s.apimachinery.pkg.apis.meta.v1."

# GKE's node configuration is most of its depth: it stands in forProvider, and once more in the node
# pools of atProvider; a part of it is in the defaults of node pools as well.
_CONTAINERS: Levels = ((1, 2), (3, 5), (2, 9), (4, 6), (2, 2))
_NODE: Levels = ((1, 48), (24, 76), (15, 41), (4, 6))
_NODE_POOL: Levels = ((1, 17), (7, 27), (4, 7))
_CLUSTER: Levels = ((1, 74), (38, 104), (41, 75), (12, 21), (1, 2), (1, 3))
_CLUSTER_REFERENCES = ("network", "nodeServiceAccount", "serviceAccount", "subnetwork")
_CLUSTER_OUTPUTS = 15
_BUCKET: Levels = ((1, 15), (10, 24), (5, 20))

_TYPES: dict[str, Json] = {
    "s": {"type": "string"},
    "b": {"type": "boolean"},
    "f": {"type": "number"},
    "i": {"type": "integer", "format": "int64"},
    "t": {"type": "string", "format": "date-time"},
}
# 18 strings, 10 booleans, 4 numbers, 2 lists and 1 map of 35 fields.
_LEAVES = "s b s s f s b s [s s b s s b s f s b s {s b s s b s f s b s [s b s s b f s".split()
_EACH_LIST = 6  # one of so many objects is in a list
_FIRST = (
    *(
        "access",
        "address",
        "archive",
        "backup",
        "balancer",
        "capacity",
        "channel",
        "cipher",
        "compute",
        "control",
    ),
    *(
        "default",
        "disk",
        "edge",
        "export",
        "fabric",
        "gateway",
        "health",
        "image",
        "ingress",
        "journal",
        "kernel",
    ),
    *(
        "lease",
        "logging",
        "machine",
        "memory",
        "mesh",
        "metric",
        "mirror",
        "network",
        "notify",
        "origin",
        "policy",
    ),
    *(
        "pool",
        "private",
        "proxy",
        "queue",
        "quota",
        "region",
        "release",
        "replica",
        "route",
        "sandbox",
        "scale",
    ),
    *(
        "secret",
        "security",
        "session",
        "shard",
        "snapshot",
        "storage",
        "stream",
        "subnet",
        "tenant",
        "traffic",
    ),
)
_SECOND = (
    *(
        "Config",
        "Configuration",
        "Options",
        "Settings",
        "Reservation",
        "Threshold",
        "Maintenance",
        "Destination",
    ),
    "Enforcement",
)
_LENGTHS = (97, 48, 140, 80, 330, 62, 97, 190, 0, 110, 75, 260, 97, 130, 40, 88, 330, 120)
_WORDS = (
    "the {} of this part is applied when its owner starts and stays until the next change, which"
    " may take some minutes to arrive at every place that depends on it; nothing happens to those"
    " that are there already"
).split()


class _Filler:
    """Makes names, types and descriptions, one after the other."""

    def __init__(self) -> None:
        self._numbers = count()
        self._leaves = cycle(_LEAVES)
        self._lengths = cycle(_LENGTHS)
        self._objects = count(1)

    def name(self) -> str:
        # The two lists have lengths without a common divisor, so that names repeat only after all
        # have been there.
        number = next(self._numbers)
        return _FIRST[number % len(_FIRST)] + _SECOND[number % len(_SECOND)]

    def leaf(self, name: str) -> Json:
        return self.described(name, _type(next(self._leaves)))

    def described(self, name: str, schema: Json) -> Json:
        length = next(self._lengths)
        return {"description": _text(name, length), **schema} if length else schema

    def object(self, levels: Levels, more: Mapping[str, Json] | None = None) -> Json:
        """Return an object with so many objects and fields below it.

        Args:
            levels: What to make, the object itself on the first level.
            more: Fields that the object has besides.
        """
        root: Json = {"type": "object", "properties": dict(more or {})}
        owners = [root]
        for (_, fields), (below, _) in zip(levels, (*levels[1:], (0, 0)), strict=True):
            sizes = _dealt(fields, len(owners))
            slots = [owner for owner, size in zip(owners, sizes, strict=True) for _ in range(size)]
            chosen = {at * len(slots) // below for at in range(below)}
            owners = []
            for at, owner in enumerate(slots):
                name = next(
                    name for name in iter(self.name, None) if name not in owner["properties"]
                )
                if at in chosen:
                    # which the next level fills in
                    owners.append({"type": "object", "properties": {}})
                    is_list = next(self._objects) % _EACH_LIST == 0
                    schema = self.described(
                        name, {"type": "array", "items": owners[-1]} if is_list else owners[-1]
                    )
                else:
                    schema = self.leaf(name)
                owner["properties"][name] = schema
        return root


def _dealt(fields: int, owners: int) -> list[int]:
    """Deal fields to objects as they are in reality: each has one, and a few have many."""
    sizes = [1] * owners
    for at in range(fields - owners):
        sizes[at * (at + 1) // 2 % owners] += 1
    return sizes


def _text(name: str, length: int) -> str:
    words = " ".join(islice(cycle(_WORDS), length)).replace("{}", name)
    return words[: length - 1].rstrip().capitalize() + "."


def _type(code: str) -> Json:
    """Return the schema of a type such as `s`, `[s` or `{s`, or of a reference to one of
    `meta_schemas()`.
    """
    if code[0] == "[":
        return {"type": "array", "items": _type(code[1:])}
    if code[0] == "{":
        return {
            "type": "object",
            "additionalProperties": _type(code[1:]),
            "x-kubernetes-map-type": "granular",
        }
    return (
        dict(_TYPES[code])
        if code in _TYPES
        else {"allOf": [{"$ref": f"#/components/schemas/{META}{code}"}]}
    )


def _fields(text: str, lengths: Iterable[int] = (110,)) -> Json:
    """Return fields from a text such as `name:s labels:{s`."""
    found = {}
    for part, length in zip(text.split(), cycle(lengths)):
        name, _, code = part.partition(":")
        found[name] = {"description": _text(name, length), **_type(code)}
    return found


def _object(text: str, **more: Json) -> Json:
    return {"type": "object", "properties": _fields(text) | more}


def _policy() -> Json:
    fields = _fields("resolution:s resolve:s", (280,))
    fields["resolution"] |= {"enum": ["Required", "Optional"], "default": "Required"}
    fields["resolve"]["enum"] = ["Always", "IfNotPresent"]
    return {"type": "object", "description": _text("policy", 26), "properties": fields}


def _references(names: Iterable[str]) -> Json:
    found = {}
    for name in names:
        found[f"{name}Ref"] = _object("name:s", policy=_policy()) | {"required": ["name"]}
        found[f"{name}Selector"] = _object("matchControllerRef:b matchLabels:{s", policy=_policy())
    return found


def _managed(group: str, kind: str, parts: tuple[Json, Json, Json]) -> Json:
    """Return the CRD of a managed resource of Crossplane.

    Args:
        group: The API group.
        kind: The kind.
        parts: The schemas of forProvider, initProvider and atProvider.
    """
    for_provider, init_provider, at_provider = parts
    plural = f"{kind.lower()}s"
    long = (790, 300, 480)
    condition = _object(
        "lastTransitionTime:t message:s observedGeneration:i reason:s status:s type:s"
    )
    condition["required"] = ["lastTransitionTime", "reason", "status", "type"]
    spec = _fields("deletionPolicy:s managementPolicies:[s", long)
    spec["deletionPolicy"] |= {"enum": ["Orphan", "Delete"], "default": "Delete"}
    spec["managementPolicies"]["items"]["enum"] = [
        "Observe",
        "Create",
        "Update",
        "Delete",
        "LateInitialize",
        "*",
    ]
    spec["managementPolicies"]["default"] = ["*"]
    spec |= {
        "forProvider": for_provider,
        "initProvider": {"description": _text("initProvider", 610), **init_provider},
        "providerConfigRef": {
            **_references(["providerConfig"])["providerConfigRef"],
            "default": {"name": "default"},
        },
        "writeConnectionSecretToRef": (
            _object("name:s namespace:s") | {"required": ["name", "namespace"]}
        ),
    }
    status = _fields("lastHandledReconcileAt:s observedGeneration:i")
    status["atProvider"] = at_provider
    status["conditions"] = {
        "type": "array",
        "items": condition,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
    }
    schema = {
        "type": "object",
        "description": _text(kind, 80),
        "required": ["spec"],
        "properties": {
            **_fields("apiVersion:s kind:s", long),
            "metadata": {"type": "object"},
            "spec": {"type": "object", "required": ["forProvider"], "properties": spec},
            "status": {"type": "object", "properties": status},
        },
    }
    version = {
        "name": "v1beta2",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": kind.lower(),
            },
            "scope": "Cluster",
            "versions": [version],
        },
    }


def _observed(part: Json, more: Mapping[str, Json], every: int) -> Json:
    """Return a part as atProvider has it: with more fields, and one more in each so many objects
    two levels down.
    """
    made = {**part, "properties": {**part["properties"], **more}}
    number = 0
    for name, schema in made["properties"].items():
        fields = {}
        for inner, below in schema.get("properties", {}).items():
            if "properties" in below:
                number += 1
                if number % every == 0:
                    below = {
                        **below,
                        "properties": {**below["properties"], **_fields("observedState:s")},
                    }
            fields[inner] = below
        if fields:
            made["properties"][name] = {**schema, "properties": fields}
    return made


def cluster() -> Json:
    """Return a CRD with the shape of GKE's Cluster, which has 600 objects on 10 levels, and 1,912
    fields.
    """
    filler = _Filler()
    containers = filler.object(_CONTAINERS)
    node = filler.object(_NODE, {"containerdConfig": containers})
    defaults = _object("loggingVariant:s imageType:s machineType:s", containerdConfig=containers)
    node_parts = {"nodeConfig": node, "nodePoolDefaults": _object("", nodeConfigDefaults=defaults)}
    common = filler.object(_CLUSTER, node_parts)
    references = _references(_CLUSTER_REFERENCES)
    named = {**common, "properties": common["properties"] | references}
    # One field can't be set at first only.
    first = next(
        name for name, schema in common["properties"].items() if schema["type"] == "string"
    )
    initial = {
        **named,
        "properties": {name: field for name, field in named["properties"].items() if name != first},
    }
    # Only a description differs: ours has one class for both, pydantic's generator two.
    reworded = {"containerdConfig": {"description": _text("containerdConfig", 120), **containers}}
    pool_node = {**node, "properties": node["properties"] | reworded}
    pool = {"type": "array", "items": filler.object(_NODE_POOL, {"nodeConfig": pool_node})}
    outputs = {
        f"{name}Output": filler.leaf(name)
        for name in (filler.name() for _ in range(_CLUSTER_OUTPUTS))
    }
    observed = _observed(common, {"nodePool": pool, **outputs}, every=10)
    return _managed("container.gcp.upbound.io", "Cluster", (named, initial, observed))


def bucket() -> Json:
    """Return a CRD with the shape of GCS's Bucket, which has 67 objects on 5 levels, and 264
    fields.
    """
    rule = _object(
        "",
        action=_object("storageClass:s type:s"),
        condition=_object("age:f matchesPrefix:[s withState:s"),
    )
    used = _fields(
        "forceDestroy:b labels:{s location:s project:s storageClass:s uniformBucketLevelAccess:b"
    )
    used |= {"lifecycleRule": {"type": "array", "items": rule}, "versioning": _object("enabled:b")}
    part = _Filler().object(_BUCKET, used)
    outputs = (
        "effectiveLabels:{s id:s projectNumber:f selfLink:s terraformLabels:{s timeCreated:s"
        " updated:s url:s"
    )
    return _managed(
        "storage.gcp.upbound.io", "Bucket", (part, part, _observed(part, _fields(outputs), every=1))
    )


def meta_schemas() -> Json:
    """Return the types of metadata, by the names that Kubernetes' OpenAPI documents have for
    them.
    """
    texts = {
        "ObjectMeta": (
            "annotations:{s creationTimestamp:Time deletionGracePeriodSeconds:i"
            " deletionTimestamp:Time finalizers:[s generateName:s generation:i labels:{s"
            " managedFields:[ManagedFieldsEntry name:s namespace:s ownerReferences:[OwnerReference"
            " resourceVersion:s selfLink:s uid:s"
        ),
        "OwnerReference": "apiVersion:s blockOwnerDeletion:b controller:b kind:s name:s uid:s",
        "ManagedFieldsEntry": (
            "apiVersion:s fieldsType:s fieldsV1:FieldsV1 manager:s operation:s subresource:s "
            "time:Time"
        ),
    }
    found: Json = {
        META + name: {"type": "object", "properties": _fields(text, (380, 110, 620, 300))}
        for name, text in texts.items()
    }
    found[META + "OwnerReference"]["required"] = ["apiVersion", "kind", "name", "uid"]
    found |= {META + "FieldsV1": {"type": "object"}, META + "Time": _type("t")}
    return {
        name: {"description": _text(name.removeprefix(META), 150), **schema}
        for name, schema in found.items()
    }


def objects(schema: Json) -> list[int]:
    """Return how many objects with fields a schema has on each level, itself on the first."""
    found, level = [], [schema]
    while level:
        found.append(len(level))
        below = [field.get("items", field) for one in level for field in one["properties"].values()]
        level = [one for one in below if "properties" in one]
    return found
