"""Kind RouteTableAssociation of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa

from crossplane_lite.model import Items, Leaf, Model, Nested, Resource, Seen
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1
from typing import Literal

__all__ = [
    "AtProvider",
    "ConditionsItem",
    "ForProvider",
    "RouteTableAssociation",
    "RouteTableAssociationSpec",
    "RouteTableAssociationStatus",
]

class RouteTableAssociation(Resource):
    apiVersion: Literal["ec2.aws.upbound.io/v1beta1"] = "ec2.aws.upbound.io/v1beta1"
    kind: Literal["RouteTableAssociation"] = "RouteTableAssociation"
    metadata: Nested[metav1.ObjectMeta] = ...
    spec: Nested[RouteTableAssociationSpec] = ...
    status: Nested[RouteTableAssociationStatus] = ...

class RouteTableAssociationSpec(Model):
    forProvider: Nested[ForProvider] = ...

class RouteTableAssociationStatus(Model):
    atProvider: Nested[AtProvider] = ...
    conditions: Items[ConditionsItem] = ...

class ForProvider(Model):
    region: Leaf[str] = ...
    routeTableId: Leaf[str] = ...
    subnetId: Leaf[str] = ...

class AtProvider(Model):
    id: Seen[str] = ...
    region: Seen[str] = ...
    routeTableId: Seen[str] = ...
    subnetId: Seen[str] = ...

ConditionsItem = metav1.Condition
