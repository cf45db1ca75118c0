"""Kind Application of platform.example.com/v1alpha1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Application": "@platform.example.com/v1alpha1;Namespaced !spec >spec metadata:metav1.ObjectMeta spec:ApplicationSpec status:ApplicationStatus",
        "ApplicationSpec": "!environment,image >crossplane crossplane:Crossplane environment:s image:s port:i",
        "ApplicationStatus": "conditions:[ConditionsItem#type connections:[s replicas:i url:s",
        "Crossplane": ">compositionRef,compositionRevisionRef,compositionRevisionSelector,compositionSelector,resourceRefs &compositionUpdatePolicy=Automatic,Manual compositionRef:CompositionRef compositionRevisionRef:CompositionRevisionRef compositionRevisionSelector:CompositionRevisionSelector compositionSelector:CompositionSelector compositionUpdatePolicy:s resourceRefs:[ResourceRefsItem",
        "ConditionsItem": "=metav1.Condition",
        "CompositionRef": "!name name:s",
        "CompositionRevisionRef": "!name name:s",
        "CompositionRevisionSelector": "!matchLabels matchLabels:{s",
        "CompositionSelector": "!matchLabels matchLabels:{s",
        "ResourceRefsItem": "!apiVersion,kind apiVersion:s kind:s name:s",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
