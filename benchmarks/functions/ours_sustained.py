"""The function of the sustained load: each Bucket has a companion that needs it, also by a text
made from it.
"""

from crossplane_lite import Unstructured, composition


@composition.function(name="sustained")
def compose(ctx):
    xr = ctx.composite(Unstructured)
    for index in range(xr.observed.spec.parameters.emit):
        bucket = Unstructured("storage.gcp.upbound.io/v1beta2", "Bucket")
        bucket.spec.forProvider.location = xr.observed.spec.parameters.location
        bucket = ctx.resource(f"bucket-{index}", bucket)
        acl = Unstructured("storage.gcp.upbound.io/v1beta2", "BucketACL")
        acl.spec.forProvider.bucket = bucket.observed.external_name
        acl.spec.forProvider.about = f"access to {bucket.observed.status.atProvider.url}"
        ctx.resource(f"acl-{index}", acl)
    xr.status.last = f"{xr.observed.spec.parameters.emit} buckets"


def main():
    import sys

    compose.main(["--insecure", "--address", sys.argv[1]])
