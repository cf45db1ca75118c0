"""Our side: a function with models of GKE Cluster and GCS Bucket imported."""

from lite_models import bucket as v1beta2
from lite_models import cluster  # noqa: F401  # what is measured is that it is imported

from crossplane_lite import composition
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "XBuckets": (
            "@platform.example.org/v1alpha1 metadata:meta.ObjectMeta spec:Spec status:Status"
        ),
        "Spec": "parameters:Parameters",
        "Parameters": "emit:i read:i location:s describe:b",
        "Status": "urls:[s about:s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)


@composition.function(name="benchmark")
def compose(ctx):
    xr = ctx.composite(__getattr__("XBuckets"))
    parameters = xr.observed.spec.parameters
    location, read, describe = parameters.location, parameters.read, parameters.describe
    urls = []
    for index in range(parameters.emit):
        bucket = ctx.resource(
            f"bucket-{index}",
            v1beta2.Bucket(
                metadata=metav1.ObjectMeta(
                    labels={"example.org/team": "platform", "example.org/stage": "prod"},
                    annotations={"example.org/owner": "storage"},
                ),
                spec=v1beta2.BucketSpec(
                    forProvider=v1beta2.ForProvider(
                        location=location,
                        labels={"team": "platform", "index": str(index)},
                        storageClass="STANDARD",
                        forceDestroy=True,
                        uniformBucketLevelAccess=True,
                        versioning=v1beta2.Versioning(enabled=True),
                        lifecycleRule=[
                            v1beta2.LifecycleRuleItem(
                                action=v1beta2.Action(type="Delete"),
                                condition=v1beta2.Condition(age=30, withState="ANY"),
                            )
                        ],
                    ),
                    providerConfigRef=v1beta2.ProviderConfigRef(name="default"),
                ),
            ),
        )
        if index < read:
            urls.append(bucket.observed.status.atProvider.url)
        if describe:
            xr.status.about = f"the last one is at {bucket.observed.status.atProvider.url}"
    xr.status.urls = urls


def main():
    import sys

    compose.main(["--insecure", "--address", sys.argv[1]])
