"""Kind BucketACL of storage.gcp.upbound.io/v1beta1."""

from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "BucketACL": "@storage.gcp.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:BucketACLSpec"
        " status:BucketACLStatus",
        "BucketACLSpec": "deletionPolicy:s forProvider:ACLForProvider managementPolicies:[s"
        " providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "ACLForProvider": "bucket:s bucketRef:BucketRef bucketSelector:BucketSelector defaultAcl:s predefinedAcl:s"
        " roleEntity:[s",
        "BucketRef": "name:s policy:Policy",
        "BucketSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "ProviderConfigRef": "name:s policy:Policy",
        "Policy": "resolution:s resolve:s",
        "WriteConnectionSecretToRef": "name:s namespace:s",
        "BucketACLStatus": "atProvider:AtProvider conditions:[meta.Condition#type observedGeneration:i",
        "AtProvider": "bucket:s defaultAcl:s id:s predefinedAcl:s roleEntity:[s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
