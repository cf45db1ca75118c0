"""Kind Route of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Route": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:RouteSpec status:RouteStatus",
        "RouteSpec": "!forProvider >forProvider forProvider:ForProvider",
        "RouteStatus": "atProvider:AtProvider conditions:[ConditionsItem#type",
        "ForProvider": "!region destinationCidrBlock:s gatewayId:s natGatewayId:s region:s routeTableId:s",
        "AtProvider": "id:s origin:s region:s state:s",
        "ConditionsItem": "=metav1.Condition",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
