"""Kind Application of platform.example.com/v1alpha1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Application": "@platform.example.com/v1alpha1;Namespaced metadata:metav1.ObjectMeta spec:ApplicationSpec status:ApplicationStatus",
        "ApplicationSpec": "crossplane:Crossplane environment:s image:s port:i",
        "ApplicationStatus": "conditions:[ConditionsItem#type connections:[s replicas:i url:s",
        "Crossplane": "compositionRef:CompositionRef compositionRevisionRef:CompositionRevisionRef compositionRevisionSelector:CompositionRevisionSelector compositionSelector:CompositionSelector compositionUpdatePolicy:s resourceRefs:[ResourceRefsItem",
        "ConditionsItem": "lastTransitionTime:s message:s observedGeneration:i reason:s status:s type:s",
        "CompositionRef": "name:s",
        "CompositionRevisionRef": "name:s",
        "CompositionRevisionSelector": "matchLabels:{s",
        "CompositionSelector": "matchLabels:{s",
        "ResourceRefsItem": "apiVersion:s kind:s name:s",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
