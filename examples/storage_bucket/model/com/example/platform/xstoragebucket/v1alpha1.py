"""Kind XStorageBucket of platform.example.com/v1alpha1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "XStorageBucket": "@platform.example.com/v1alpha1;Cluster metadata:metav1.ObjectMeta spec:XStorageBucketSpec status:XStorageBucketStatus",
        "XStorageBucketSpec": "crossplane:Crossplane parameters:Parameters",
        "XStorageBucketStatus": "bucketName:s conditions:[ConditionsItem#type",
        "Crossplane": "compositionRef:CompositionRef compositionRevisionRef:CompositionRevisionRef compositionRevisionSelector:CompositionRevisionSelector compositionSelector:CompositionSelector compositionUpdatePolicy:s resourceRefs:[ResourceRefsItem",
        "Parameters": "acl:s location:s versioning:b",
        "ConditionsItem": "lastTransitionTime:s message:s observedGeneration:i reason:s status:s type:s",
        "CompositionRef": "name:s",
        "CompositionRevisionRef": "name:s",
        "CompositionRevisionSelector": "matchLabels:{s",
        "CompositionSelector": "matchLabels:{s",
        "ResourceRefsItem": "apiVersion:s kind:s name:s namespace:s",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
