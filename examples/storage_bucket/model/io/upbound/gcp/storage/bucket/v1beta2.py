"""Kind Bucket of storage.gcp.upbound.io/v1beta2.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Bucket": "@storage.gcp.upbound.io/v1beta2;Cluster !spec >spec metadata:metav1.ObjectMeta spec:BucketSpec status:BucketStatus",
        "BucketSpec": "!forProvider >providerConfigRef,writeConnectionSecretToRef ?location &deletionPolicy=Orphan,Delete &managementPolicies=Observe,Create,Update,Delete,LateInitialize,%2a deletionPolicy:s forProvider:ForProvider initProvider:InitProvider managementPolicies:[s providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "BucketStatus": "atProvider:AtProvider conditions:[ConditionsItem#type lastHandledReconcileAt:s observedGeneration:i",
        "ForProvider": "autoclass:Autoclass cors:[CorsItem customPlacementConfig:CustomPlacementConfig defaultEventBasedHold:b enableObjectRetention:b encryption:Encryption forceDestroy:b hierarchicalNamespace:HierarchicalNamespace ipFilter:IpFilter labels:{s lifecycleRule:[LifecycleRuleItem location:s logging:Logging project:s publicAccessPrevention:s requesterPays:b retentionPolicy:RetentionPolicy rpo:s softDeletePolicy:SoftDeletePolicy storageClass:s uniformBucketLevelAccess:b versioning:Versioning website:Website",
        "InitProvider": "autoclass:Autoclass cors:[CorsItem customPlacementConfig:CustomPlacementConfig defaultEventBasedHold:b enableObjectRetention:b encryption:Encryption forceDestroy:b hierarchicalNamespace:HierarchicalNamespace ipFilter:IpFilter labels:{s lifecycleRule:[LifecycleRuleItem location:s logging:Logging project:s publicAccessPrevention:s requesterPays:b retentionPolicy:RetentionPolicy rpo:s softDeletePolicy:SoftDeletePolicy storageClass:s uniformBucketLevelAccess:b versioning:Versioning website:Website",
        "ProviderConfigRef": "=commonv1.Reference",
        "WriteConnectionSecretToRef": "=commonv1.SecretReference",
        "AtProvider": "autoclass:Autoclass cors:[CorsItem customPlacementConfig:CustomPlacementConfig defaultEventBasedHold:b effectiveLabels:{s enableObjectRetention:b encryption:AtProviderEncryption forceDestroy:b hierarchicalNamespace:HierarchicalNamespace id:s ipFilter:IpFilter labels:{s lifecycleRule:[LifecycleRuleItem location:s logging:Logging project:s projectNumber:f publicAccessPrevention:s requesterPays:b retentionPolicy:RetentionPolicy rpo:s selfLink:s softDeletePolicy:AtProviderSoftDeletePolicy storageClass:s terraformLabels:{s timeCreated:s uniformBucketLevelAccess:b updated:s url:s versioning:Versioning website:Website",
        "ConditionsItem": "=metav1.Condition",
        "Autoclass": "enabled:b terminalStorageClass:s",
        "CorsItem": "maxAgeSeconds:f method:[s origin:[s responseHeader:[s",
        "CustomPlacementConfig": "dataLocations:[s",
        "Encryption": "customerManagedEncryptionEnforcementConfig:CustomerManagedEncryptionEnforcementConfig customerSuppliedEncryptionEnforcementConfig:CustomerSuppliedEncryptionEnforcementConfig defaultKmsKeyName:s googleManagedEncryptionEnforcementConfig:GoogleManagedEncryptionEnforcementConfig",
        "HierarchicalNamespace": "enabled:b",
        "IpFilter": "allowAllServiceAgentAccess:b allowCrossOrgVpcs:b mode:s publicNetworkSource:PublicNetworkSource vpcNetworkSources:[VpcNetworkSourcesItem",
        "LifecycleRuleItem": "action:Action condition:Condition",
        "Logging": "logBucket:s logObjectPrefix:s",
        "RetentionPolicy": "isLocked:b retentionPeriod:f",
        "SoftDeletePolicy": "retentionDurationSeconds:f",
        "Versioning": "enabled:b",
        "Website": "mainPageSuffix:s notFoundPage:s",
        "Policy": "=commonv1.Policy",
        "AtProviderEncryption": "~Encryption customerManagedEncryptionEnforcementConfig:AtProviderEncryptionCustomerManagedEncryptionEnforcementConfig customerSuppliedEncryptionEnforcementConfig:AtProviderEncryptionCustomerSuppliedEncryptionEnforcementConfig defaultKmsKeyName:s googleManagedEncryptionEnforcementConfig:AtProviderEncryptionGoogleManagedEncryptionEnforcementConfig",
        "AtProviderSoftDeletePolicy": "~SoftDeletePolicy effectiveTime:s retentionDurationSeconds:f",
        "CustomerManagedEncryptionEnforcementConfig": "restrictionMode:s",
        "CustomerSuppliedEncryptionEnforcementConfig": "restrictionMode:s",
        "GoogleManagedEncryptionEnforcementConfig": "restrictionMode:s",
        "PublicNetworkSource": "allowedIpCidrRanges:[s",
        "VpcNetworkSourcesItem": "allowedIpCidrRanges:[s network:s",
        "Action": "storageClass:s type:s",
        "Condition": "age:f createdBefore:s customTimeBefore:s daysSinceCustomTime:f daysSinceNoncurrentTime:f matchesPrefix:[s matchesStorageClass:[s matchesSuffix:[s noncurrentTimeBefore:s numNewerVersions:f sendAgeIfZero:b sendDaysSinceCustomTimeIfZero:b sendDaysSinceNoncurrentTimeIfZero:b sendNumNewerVersionsIfZero:b sizeAboveBytes:f sizeBelowBytes:f withState:s",
        "AtProviderEncryptionCustomerManagedEncryptionEnforcementConfig": "~CustomerManagedEncryptionEnforcementConfig effectiveTime:s restrictionMode:s",
        "AtProviderEncryptionCustomerSuppliedEncryptionEnforcementConfig": "~CustomerSuppliedEncryptionEnforcementConfig effectiveTime:s restrictionMode:s",
        "AtProviderEncryptionGoogleManagedEncryptionEnforcementConfig": "~GoogleManagedEncryptionEnforcementConfig effectiveTime:s restrictionMode:s",
    },
    commonv1="crossplane_lite.models.io.crossplane.common.v1",
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
