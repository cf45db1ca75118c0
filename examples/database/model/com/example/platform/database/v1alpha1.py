"""Kind Database of platform.example.com/v1alpha1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Database": "@platform.example.com/v1alpha1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:DatabaseSpec status:DatabaseStatus",
        "DatabaseSpec": "!region,subnetIds,writeConnectionSecretToRef >crossplane,writeConnectionSecretToRef &size=small,large &storageGB~20.. &subnetIds^2.. crossplane:Crossplane region:s size:s storageGB:i subnetIds:[s writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "DatabaseStatus": "address:s conditions:[ConditionsItem#type version:s",
        "Crossplane": ">compositionRef,compositionRevisionRef,compositionRevisionSelector,compositionSelector,resourceRefs &compositionUpdatePolicy=Automatic,Manual compositionRef:CompositionRef compositionRevisionRef:CompositionRevisionRef compositionRevisionSelector:CompositionRevisionSelector compositionSelector:CompositionSelector compositionUpdatePolicy:s resourceRefs:[ResourceRefsItem",
        "WriteConnectionSecretToRef": "=commonv1.SecretReference",
        "ConditionsItem": "=metav1.Condition",
        "CompositionRef": "!name name:s",
        "CompositionRevisionRef": "!name name:s",
        "CompositionRevisionSelector": "!matchLabels matchLabels:{s",
        "CompositionSelector": "!matchLabels matchLabels:{s",
        "ResourceRefsItem": "!apiVersion,kind apiVersion:s kind:s name:s namespace:s",
    },
    commonv1="crossplane_lite.models.io.crossplane.common.v1",
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
