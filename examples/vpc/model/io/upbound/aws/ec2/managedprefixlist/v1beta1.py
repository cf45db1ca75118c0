"""Kind ManagedPrefixList of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "ManagedPrefixList": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:ManagedPrefixListSpec status:ManagedPrefixListStatus",
        "ManagedPrefixListSpec": "!forProvider >forProvider forProvider:ForProvider",
        "ManagedPrefixListStatus": "atProvider:AtProvider conditions:[ConditionsItem#type",
        "ForProvider": "!region addressFamily:s entry:[EntryItem maxEntries:f name:s region:s tags:{s",
        "AtProvider": "arn:s id:s region:s tags:{s version:f",
        "ConditionsItem": "=metav1.Condition",
        "EntryItem": "cidr:s description:s",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
