"""Our side without generated models."""

from crossplane_lite import Unstructured, composition


@composition.function(name="benchmark")
def compose(ctx):
    xr = ctx.composite(Unstructured)
    bucket = Unstructured("storage.gcp.upbound.io/v1beta2", "Bucket")
    bucket.spec.forProvider.location = xr.observed.spec.parameters.location
    bucket = ctx.resource("bucket-0", bucket)
    xr.status.urls = [bucket.observed.status.atProvider.url]


def main():
    import sys

    compose.main(["--insecure", "--address", sys.argv[1]])
