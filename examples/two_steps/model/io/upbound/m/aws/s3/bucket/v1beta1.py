"""Kind Bucket of s3.aws.m.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Bucket": "@s3.aws.m.upbound.io/v1beta1;Namespaced !spec >spec metadata:metav1.ObjectMeta spec:BucketSpec status:BucketStatus",
        "BucketSpec": "!forProvider >forProvider,providerConfigRef,writeConnectionSecretToRef &managementPolicies=Observe,Create,Update,Delete,LateInitialize,%2a forProvider:ForProvider initProvider:InitProvider managementPolicies:[s providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "BucketStatus": "atProvider:AtProvider conditions:[ConditionsItem#type lastHandledReconcileAt:s observedGeneration:i",
        "ForProvider": "!region bucketNamespace:s forceDestroy:b objectLockEnabled:b region:s tags:{s",
        "InitProvider": "bucketNamespace:s forceDestroy:b objectLockEnabled:b tags:{s",
        "ProviderConfigRef": "=commonv1.ProviderConfigReference",
        "WriteConnectionSecretToRef": "=commonv1.LocalSecretReference",
        "AtProvider": "accelerationStatus:s acl:s arn:s bucketDomainName:s bucketNamespace:s bucketRegion:s bucketRegionalDomainName:s corsRule:[CorsRuleItem forceDestroy:b grant:[GrantItem hostedZoneId:s id:s lifecycleRule:[LifecycleRuleItem logging:Logging objectLockConfiguration:ObjectLockConfiguration objectLockEnabled:b policy:s region:s replicationConfiguration:ReplicationConfiguration requestPayer:s serverSideEncryptionConfiguration:ServerSideEncryptionConfiguration tags:{s tagsAll:{s versioning:Versioning website:Website websiteDomain:s websiteEndpoint:s",
        "ConditionsItem": "=metav1.Condition",
        "CorsRuleItem": "allowedHeaders:[s allowedMethods:[s allowedOrigins:[s exposeHeaders:[s maxAgeSeconds:f",
        "GrantItem": "id:s permissions:[s type:s uri:s",
        "LifecycleRuleItem": "abortIncompleteMultipartUploadDays:f enabled:b expiration:Expiration id:s noncurrentVersionExpiration:NoncurrentVersionExpiration noncurrentVersionTransition:[NoncurrentVersionTransitionItem prefix:s tags:{s transition:[TransitionItem",
        "Logging": "targetBucket:s targetPrefix:s",
        "ObjectLockConfiguration": "objectLockEnabled:s rule:Rule",
        "ReplicationConfiguration": "role:s rules:[RulesItem",
        "ServerSideEncryptionConfiguration": "rule:ServerSideEncryptionConfigurationRule",
        "Versioning": "enabled:b mfaDelete:b",
        "Website": "errorDocument:s indexDocument:s redirectAllRequestsTo:s routingRules:s",
        "Expiration": "date:s days:f expiredObjectDeleteMarker:b",
        "NoncurrentVersionExpiration": "days:f",
        "NoncurrentVersionTransitionItem": "days:f storageClass:s",
        "TransitionItem": "date:s days:f storageClass:s",
        "Rule": "defaultRetention:DefaultRetention",
        "RulesItem": "deleteMarkerReplicationStatus:s destination:Destination filter:Filter id:s prefix:s priority:f sourceSelectionCriteria:SourceSelectionCriteria status:s",
        "ServerSideEncryptionConfigurationRule": "~Rule applyServerSideEncryptionByDefault:ApplyServerSideEncryptionByDefault bucketKeyEnabled:b",
        "DefaultRetention": "days:f mode:s years:f",
        "Destination": "accessControlTranslation:AccessControlTranslation accountId:s bucket:s metrics:Metrics replicaKmsKeyId:s replicationTime:ReplicationTime storageClass:s",
        "Filter": "prefix:s tags:{s",
        "SourceSelectionCriteria": "sseKmsEncryptedObjects:SseKmsEncryptedObjects",
        "ApplyServerSideEncryptionByDefault": "kmsMasterKeyId:s sseAlgorithm:s",
        "AccessControlTranslation": "owner:s",
        "Metrics": "minutes:f status:s",
        "ReplicationTime": "minutes:f status:s",
        "SseKmsEncryptedObjects": "enabled:b",
    },
    commonv1="crossplane_lite.models.io.crossplane.common.v1",
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
