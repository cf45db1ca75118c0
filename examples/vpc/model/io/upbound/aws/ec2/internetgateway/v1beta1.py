"""Kind InternetGateway of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "InternetGateway": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:InternetGatewaySpec status:InternetGatewayStatus",
        "InternetGatewaySpec": "!forProvider >forProvider forProvider:ForProvider",
        "InternetGatewayStatus": "atProvider:AtProvider conditions:[ConditionsItem#type",
        "ForProvider": "!region region:s tags:{s vpcId:s",
        "AtProvider": "arn:s id:s ownerId:s region:s tags:{s vpcId:s",
        "ConditionsItem": "=metav1.Condition",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
