"""The composite of the example: kind XStorageBucket of platform.example.com/v1alpha1."""

from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "XStorageBucket": "@platform.example.com/v1alpha1 metadata:meta.ObjectMeta spec:XStorageBucketSpec"
        " status:XStorageBucketStatus",
        "XStorageBucketSpec": "parameters:Parameters",
        "Parameters": "acl:s location:s versioning:b",
        "XStorageBucketStatus": "bucketName:s conditions:[meta.Condition#type",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
