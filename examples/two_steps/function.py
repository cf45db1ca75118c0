"""The first step: composes the buckets, and tells later steps whose they are."""

from crossplane_lite import composition

from .model.com.example.platform.storage.v1alpha1 import Storage
from .model.io.upbound.m.aws.s3.bucket import v1beta1 as s3

OWNER = "platform.example.com/owner"
COST_CENTRES = {"shop": "4711", "search": "4712"}


@composition.function(name="buckets")
def compose(ctx: composition.Context) -> None:
    xr = ctx.composite(Storage)
    wanted = xr.observed.spec
    for use in wanted.buckets:
        bucket = ctx.resource(f"bucket-{use}", s3.Bucket())
        bucket.spec.forProvider = s3.ForProvider(region=wanted.region, tags={"use": use})
        xr.status.buckets[str(use)] = bucket.observed.external_name
    ctx.context[OWNER] = {
        "team": wanted.team,
        "costCentre": COST_CENTRES.get(str(wanted.team), "unknown"),
    }
