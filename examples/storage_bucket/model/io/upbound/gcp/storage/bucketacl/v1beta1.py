"""Kind BucketACL of storage.gcp.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "BucketACL": "@storage.gcp.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:BucketACLSpec status:BucketACLStatus",
        "BucketACLSpec": "!forProvider >forProvider,initProvider,providerConfigRef,writeConnectionSecretToRef &deletionPolicy=Orphan,Delete &managementPolicies=Observe,Create,Update,Delete,LateInitialize,%2a deletionPolicy:s forProvider:ForProvider initProvider:InitProvider managementPolicies:[s providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "BucketACLStatus": "atProvider:AtProvider conditions:[ConditionsItem#type lastHandledReconcileAt:s observedGeneration:i",
        "ForProvider": ">bucketRef,bucketSelector bucket:s bucketRef:BucketRef bucketSelector:BucketSelector defaultAcl:s predefinedAcl:s roleEntity:[s",
        "InitProvider": ">bucketRef,bucketSelector bucket:s bucketRef:BucketRef bucketSelector:BucketSelector defaultAcl:s predefinedAcl:s roleEntity:[s",
        "ProviderConfigRef": "=commonv1.Reference",
        "WriteConnectionSecretToRef": "=commonv1.SecretReference",
        "AtProvider": "bucket:s defaultAcl:s deletionPolicy:s id:s predefinedAcl:s roleEntity:[s",
        "ConditionsItem": "=metav1.Condition",
        "BucketRef": "=commonv1.Reference",
        "BucketSelector": "=commonv1.Selector",
        "Policy": "=commonv1.Policy",
    },
    commonv1="crossplane_lite.models.io.crossplane.common.v1",
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
