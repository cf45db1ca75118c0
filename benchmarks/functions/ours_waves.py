"""The function of the waves: half of its Buckets take a value of the other half, as it is or in
texts.

With `texts`, each of the former sets two fields to texts that are made from the value, else one
field to the value itself. What is compared with the texts, `direct`, sets the same two fields to
the value.
"""

from lite_models import bucket as v1beta2

from crossplane_lite import Unstructured, composition
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1


def _metadata():
    return metav1.ObjectMeta(
        labels={"example.org/team": "platform", "example.org/stage": "prod"},
        annotations={"example.org/owner": "storage"},
    )


@composition.function(name="waves")
def compose(ctx):
    parameters = ctx.composite(Unstructured).observed.spec.parameters
    fields = parameters.fields
    for index in range(parameters.pairs):
        bucket = ctx.resource(
            f"bucket-{index}",
            v1beta2.Bucket(
                metadata=_metadata(),
                spec=v1beta2.BucketSpec(
                    forProvider=v1beta2.ForProvider(
                        location="EU", versioning=v1beta2.Versioning(enabled=True)
                    ),
                    providerConfigRef=v1beta2.ProviderConfigRef(name="default"),
                ),
            ),
        )
        url = bucket.observed.status.atProvider.url
        if fields == "value":
            used = v1beta2.ForProvider(location="EU", project=url)
        elif fields == "direct":
            used = v1beta2.ForProvider(location=url, project=url)
        else:
            used = v1beta2.ForProvider(location=f"{url}/{index}", project=f"logs of {url}")
        ctx.resource(
            f"logs-{index}",
            v1beta2.Bucket(
                metadata=_metadata(),
                spec=v1beta2.BucketSpec(
                    forProvider=used, providerConfigRef=v1beta2.ProviderConfigRef(name="default")
                ),
            ),
        )


def main():
    import sys

    compose.main(["--insecure", "--address", sys.argv[1]])
