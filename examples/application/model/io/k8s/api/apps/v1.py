"""Models of io.k8s.api.apps.v1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Deployment": "@apps/v1;Namespaced >spec metadata:metav1.ObjectMeta spec:DeploymentSpec status:DeploymentStatus",
        "DeploymentCondition": "lastTransitionTime:s lastUpdateTime:s message:s reason:s status:s type:s",
        "DeploymentSpec": "!selector,template >selector,template minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i selector:metav1.LabelSelector strategy:DeploymentStrategy template:corev1.PodTemplateSpec",
        "DeploymentStatus": "availableReplicas:i collisionCount:i conditions:[DeploymentCondition#type observedGeneration:i readyReplicas:i replicas:i terminatingReplicas:i unavailableReplicas:i updatedReplicas:i",
        "DeploymentStrategy": "rollingUpdate:RollingUpdateDeployment type:s",
        "RollingUpdateDeployment": "maxSurge:q maxUnavailable:q",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
    corev1="..core.v1",
)
