"""What a function must not desire is named with its path (design section 5, "Violations")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.behaviour.models import AtProvider, Bucket, BucketStatus, XStorageBucket
from tests.support import fatal, run


def _xr(ctx: Any, cls: Any = XStorageBucket) -> Any:
    return ctx.composite(cls)


VIOLATIONS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "spec": (lambda ctx: setattr(_xr(ctx).spec.parameters, "location", "x"), "xr.spec.parameters.location"),
    "spec, no schema": (
        lambda ctx: setattr(_xr(ctx, Unstructured).spec.parameters, "location", "x"),
        "xr.spec.parameters.location",
    ),
    "map in spec": (lambda ctx: _xr(ctx).spec.parameters.labels.update(a="b"), "xr.spec.parameters.labels"),
    "label": (lambda ctx: _xr(ctx).metadata.labels.update(a="b"), "xr.metadata.labels"),
    "external name": (lambda ctx: setattr(_xr(ctx), "external_name", "x"), "xr.metadata.annotations"),
    "status": (
        lambda ctx: setattr(ctx.resource("bucket", Bucket()).status.atProvider, "id", "x"),
        "bucket.status.atProvider.id",
    ),
    "status, constructor": (
        lambda ctx: ctx.resource("bucket", Bucket(status=BucketStatus(atProvider=AtProvider(id="x")))),
        "bucket.status.atProvider.id",
    ),
    "status, no schema": (
        lambda ctx: setattr(ctx.resource("bucket", Unstructured("v1", "Thing")).status.deep, "er", 1),
        "bucket.status.deep.er",
    ),
}


@pytest.mark.parametrize("violation", VIOLATIONS)
def test_a_violation_names_the_field(violation: str) -> None:
    """What a function must not desire is named with its whole path."""
    violate, path = VIOLATIONS[violation]
    assert path in fatal(violate)


@pytest.mark.parametrize("violation", [name for name, (_, path) in VIOLATIONS.items() if path.startswith("xr.")])
def test_a_violation_does_not_name_what_earlier_functions_left(violation: str) -> None:
    """Over a previous function's spec and metadata only the field that this function has set is named."""
    earlier = {
        "apiVersion": "example.org/v1alpha1",
        "kind": "XStorageBucket",
        "metadata": {"labels": {"theirs": "1"}, "annotations": {"also-theirs": "1"}},
        "spec": {"parameters": {"acl": "1", "labels": {"theirs": "1"}, "size": 1, "versioning": True}},
    }
    violate, path = VIOLATIONS[violation]
    text = fatal(violate, desired_xr=earlier)
    assert path in text
    assert "theirs" not in text
    assert "acl" not in text


def test_every_violation_is_named() -> None:
    """Several violations are all named."""

    @composition.function
    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        xr.spec.parameters.location = "x"
        xr.metadata.labels = {"a": "b"}
        ctx.resource("bucket", Bucket()).status.atProvider.id = "x"

    text = "\n".join(run(compose).fatal)
    for path in ("xr.spec.parameters.location", "xr.metadata.labels.a", "bucket.status.atProvider.id"):
        assert path in text
