"""Models of the Kubernetes API machinery that other models share: metadata, conditions, selectors
and so on.
"""

from crossplane_lite._core.resources.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Condition": "lastTransitionTime:s message:s observedGeneration:i reason:s status:s type:s",
        "DeleteOptions": (
            "apiVersion:s dryRun:[s gracePeriodSeconds:i"
            " ignoreStoreReadErrorWithClusterBreakingPotential:b kind:s orphanDependents:b"
            " preconditions:Preconditions propagationPolicy:s"
        ),
        "LabelSelector": (
            ">matchExpressions matchExpressions:[LabelSelectorRequirement matchLabels:{s"
        ),
        "LabelSelectorRequirement": "!key,operator key:s operator:s values:[s",
        "ListMeta": "continue_=continue:s remainingItemCount:i resourceVersion:s selfLink:s",
        "ManagedFieldsEntry": (
            "apiVersion:s fieldsType:s fieldsV1:o manager:s operation:s subresource:s time:s"
        ),
        "ObjectMeta": (
            "annotations:{s creationTimestamp:s deletionGracePeriodSeconds:i deletionTimestamp:s"
            " finalizers:[s generateName:s generation:i labels:{s managedFields:[ManagedFieldsEntry"
            " name:s namespace:s ownerReferences:[OwnerReference#uid resourceVersion:s selfLink:s"
            " uid:s"
        ),
        "OwnerReference": "apiVersion:s blockOwnerDeletion:b controller:b kind:s name:s uid:s",
        "Preconditions": "resourceVersion:s uid:s",
        "Status": (
            "apiVersion:s code:i details:StatusDetails kind:s message:s metadata:ListMeta reason:s"
            " status:s"
        ),
        "StatusCause": "field:s message:s reason:s",
        "StatusDetails": "causes:[StatusCause group:s kind:s name:s retryAfterSeconds:i uid:s",
    },
)
