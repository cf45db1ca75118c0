"""Kind NATGateway of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "NATGateway": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:NATGatewaySpec status:NATGatewayStatus",
        "NATGatewaySpec": "!forProvider >forProvider forProvider:ForProvider",
        "NATGatewayStatus": "atProvider:AtProvider conditions:[ConditionsItem#type",
        "ForProvider": "!region allocationId:s connectivityType:s region:s subnetId:s tags:{s",
        "AtProvider": "associationId:s id:s networkInterfaceId:s privateIp:s publicIp:s region:s tags:{s",
        "ConditionsItem": "=metav1.Condition",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
