"""Kind Bucket of storage.gcp.upbound.io/v1beta1: the fields that functions set and read most."""

from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Bucket": "@storage.gcp.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:BucketSpec status:BucketStatus",
        "BucketSpec": "deletionPolicy:s forProvider:ForProvider managementPolicies:[s"
        " providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "ForProvider": "cors:[CorsItem encryption:[EncryptionItem forceDestroy:b labels:{s"
        " lifecycleRule:[LifecycleRuleItem location:s project:s publicAccessPrevention:s requesterPays:b"
        " storageClass:s uniformBucketLevelAccess:b versioning:[VersioningItem",
        "CorsItem": "maxAgeSeconds:f method:[s origin:[s responseHeader:[s",
        "EncryptionItem": "defaultKmsKeyName:s",
        "LifecycleRuleItem": "action:[ActionItem condition:[ConditionItem",
        "ActionItem": "storageClass:s type:s",
        "ConditionItem": "age:f createdBefore:s matchesPrefix:[s matchesStorageClass:[s matchesSuffix:[s"
        " numNewerVersions:f withState:s",
        "VersioningItem": "enabled:b",
        "ProviderConfigRef": "name:s policy:Policy",
        "Policy": "resolution:s resolve:s",
        "WriteConnectionSecretToRef": "name:s namespace:s",
        "BucketStatus": "atProvider:AtProvider conditions:[meta.Condition#type observedGeneration:i",
        "AtProvider": "effectiveLabels:{s id:s labels:{s location:s project:s projectNumber:f"
        " publicAccessPrevention:s selfLink:s storageClass:s url:s versioning:[VersioningItem",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
