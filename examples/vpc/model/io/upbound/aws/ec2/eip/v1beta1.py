"""Kind EIP of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "EIP": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:EIPSpec status:EIPStatus",
        "EIPSpec": "!forProvider >forProvider forProvider:ForProvider",
        "EIPStatus": "atProvider:AtProvider conditions:[ConditionsItem#type",
        "ForProvider": "!region domain:s region:s tags:{s",
        "AtProvider": "allocationId:s id:s publicIp:s region:s tags:{s",
        "ConditionsItem": "=metav1.Condition",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
