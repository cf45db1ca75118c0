"""The composite of the example: kind XStorageBucket of platform.example.com/v1alpha1."""

from typing import Literal

from crossplane_lite.model import Items, Leaf, Model, Nested, Resource, Seen
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1

__all__ = ["Parameters", "XStorageBucket", "XStorageBucketSpec", "XStorageBucketStatus"]

class XStorageBucket(Resource):
    """A bucket with its access control, as users of the platform ask for it."""

    apiVersion: Literal["platform.example.com/v1alpha1"] = "platform.example.com/v1alpha1"
    kind: Literal["XStorageBucket"] = "XStorageBucket"
    metadata: Nested[metav1.ObjectMeta] = ...
    spec: Nested[XStorageBucketSpec] = ...
    status: Nested[XStorageBucketStatus] = ...

class XStorageBucketSpec(Model):
    """What the user asks for."""

    parameters: Nested[Parameters] = ...

class Parameters(Model):
    """The choices that users have."""

    acl: Leaf[str] = ...
    location: Leaf[str] = ...
    versioning: Leaf[bool] = ...

class XStorageBucketStatus(Model):
    """What the user is told."""

    bucketName: Seen[str] = ...
    conditions: Items[metav1.Condition] = ...
