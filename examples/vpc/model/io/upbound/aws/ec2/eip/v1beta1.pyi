"""Kind EIP of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa

from crossplane_lite.model import Items, Leaf, Map, Model, Nested, Resource, Seen
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1
from typing import Literal

__all__ = [
    "AtProvider",
    "ConditionsItem",
    "EIP",
    "EIPSpec",
    "EIPStatus",
    "ForProvider",
]

class EIP(Resource):
    apiVersion: Literal["ec2.aws.upbound.io/v1beta1"] = "ec2.aws.upbound.io/v1beta1"
    kind: Literal["EIP"] = "EIP"
    metadata: Nested[metav1.ObjectMeta] = ...
    spec: Nested[EIPSpec] = ...
    status: Nested[EIPStatus] = ...

class EIPSpec(Model):
    forProvider: Nested[ForProvider] = ...

class EIPStatus(Model):
    atProvider: Nested[AtProvider] = ...
    conditions: Items[ConditionsItem] = ...

class ForProvider(Model):
    domain: Leaf[str] = ...
    region: Leaf[str] = ...
    tags: Map[str] = ...

class AtProvider(Model):
    allocationId: Seen[str] = ...
    id: Seen[str] = ...
    publicIp: Seen[str] = ...
    region: Seen[str] = ...
    tags: Map[str] = ...

ConditionsItem = metav1.Condition
