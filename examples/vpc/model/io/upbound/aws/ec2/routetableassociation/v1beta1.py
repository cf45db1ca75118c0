"""Kind RouteTableAssociation of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "RouteTableAssociation": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:RouteTableAssociationSpec status:RouteTableAssociationStatus",
        "RouteTableAssociationSpec": "!forProvider >forProvider forProvider:ForProvider",
        "RouteTableAssociationStatus": "atProvider:AtProvider conditions:[ConditionsItem#type",
        "ForProvider": "!region region:s routeTableId:s subnetId:s",
        "AtProvider": "id:s region:s routeTableId:s subnetId:s",
        "ConditionsItem": "=metav1.Condition",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
