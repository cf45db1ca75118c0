"""The second step: gives every bucket of previous steps the owner's tags, and a policy that refuses
plain HTTP.

It knows nothing of the first step but what Crossplane hands on, desired state and context, and
could be written in another language just as well.
"""

import json

import attrs

from crossplane_lite import Unstructured, composition

from .model.com.example.platform.storage.v1alpha1 import Storage
from .model.io.upbound.m.aws.s3.bucket import v1beta1 as s3

OWNER = "platform.example.com/owner"


@attrs.define
class Input:
    """What the composition tells this step.

    Attributes:
        tags: Tags that every bucket gets.
    """

    tags: dict[str, str] = attrs.Factory(dict)


@composition.function(name="baseline", auto_ready=True)
def compose(ctx: composition.Context) -> None:
    owner = ctx.context[OWNER]
    tags = {**ctx.input_as(Input).tags, "team": owner["team"], "cost-centre": owner["costCentre"]}
    buckets = [name for name, desired in ctx.desired.items() if desired.kind == "Bucket"]

    for name in buckets:
        # Only what is set here goes over what the previous step desires.
        bucket = ctx.resource(
            name, s3.Bucket(spec=s3.BucketSpec(forProvider=s3.ForProvider(tags=tags)))
        )

        statement = {
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:*",
            "Resource": f"{bucket.observed.status.atProvider.arn}/*",
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        }
        policy = ctx.resource(
            f"{name}-policy", Unstructured("s3.aws.m.upbound.io/v1beta1", "BucketPolicy")
        )
        policy.spec.forProvider = {
            "region": bucket.spec.forProvider.region,
            "bucket": bucket.observed.external_name,
            "policy": json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
        }

    ctx.composite(Storage).status.costCentre = owner["costCentre"]


if __name__ == "__main__":
    compose.main()
