"""Composes a Google Cloud Storage bucket and the access control of it."""

from crossplane_lite import composition

from .model.com.example.platform.xstoragebucket import v1alpha1 as xstoragebucketv1alpha1
from .model.io.upbound.gcp.storage.bucket import v1beta2 as bucketv1beta2
from .model.io.upbound.gcp.storage.bucketacl import v1beta1 as bucketaclv1beta1


@composition.function(name="storage-bucket", auto_ready=True)
def compose(ctx: composition.Context):
    # XR follows same pattern as composed resources
    xr = ctx.composite(xstoragebucketv1alpha1.XStorageBucket)

    # Read from observed XR (user's input parameters)
    location = xr.observed.spec.parameters.location
    versioning = xr.observed.spec.parameters.versioning
    acl_param = xr.observed.spec.parameters.acl

    # Compose a Bucket - full IDE autocomplete on kwargs
    bucket = ctx.resource("bucket", bucketv1beta2.Bucket(
        spec=bucketv1beta2.BucketSpec(
            forProvider=bucketv1beta2.ForProvider(
                location=location,
                versioning=bucketv1beta2.Versioning(enabled=versioning),
            )
        )
    ))

    # Compose an ACL that depends on the Bucket's external name
    # If Bucket isn't observed yet, bucket.observed.external_name returns Observable
    acl = ctx.resource("acl", bucketaclv1beta1.BucketACL(
        spec=bucketaclv1beta1.BucketACLSpec(
            forProvider=bucketaclv1beta1.ForProvider(
                bucket=bucket.observed.external_name,  # Observable if not ready
                predefinedAcl=acl_param,
            )
        )
    ))

    # Update XR status with computed values
    xr.status.bucketName = bucket.observed.external_name
