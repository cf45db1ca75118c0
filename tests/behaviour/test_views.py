"""Views that were taken before a resource was registered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import samples
from tests.behaviour.helpers import call, provider_of
from tests.behaviour.models import Bucket, VersioningItem

EARLIER = {"location": "US", "project": "p", "labels": {"a": "1"}, "versioning": [{"enabled": True}]}


@pytest.mark.parametrize(
    ("take", "write", "expected"),
    [
        (lambda b: b.spec.forProvider, lambda v: setattr(v, "location", "after"), {**EARLIER, "location": "after"}),
        (lambda b: b.spec, lambda v: setattr(v.forProvider, "size", 1), {**EARLIER, "size": 1}),
        (
            lambda b: b.spec.forProvider.labels,
            lambda v: v.__setitem__("b", "2"),
            {**EARLIER, "labels": {"a": "1", "b": "2"}},
        ),
        (
            lambda b: b.spec.forProvider.versioning,
            lambda v: v.append(VersioningItem(enabled=False)),
            {**EARLIER, "versioning": [{"enabled": True}, {"enabled": False}]},
        ),
    ],
    ids=["model", "outer model", "map", "list"],
)
def test_views_taken_before_registering_count(
    take: Callable[[Any], Any], write: Callable[[Any], None], expected: dict[str, Any]
) -> None:
    """What is written through a view that was taken before registering is emitted, over what is inherited."""

    def compose(ctx: Any) -> None:
        bucket = Bucket()
        view = take(bucket)
        ctx.resource("bucket", bucket)
        write(view)

    _, answer = call(compose, desired={"bucket": samples.bucket(EARLIER)})
    assert provider_of(answer) == expected


def test_views_taken_before_registering_read_what_is_inherited() -> None:
    """A view that was taken before registering reads what an earlier function desires."""

    def compose(ctx: Any) -> tuple[Any, ...]:
        bucket = Bucket()
        view = bucket.spec.forProvider
        labels, versioning = view.labels, view.versioning
        ctx.resource("bucket", bucket)
        return view.project, dict(labels), [one.enabled for one in versioning]

    assert call(compose, desired={"bucket": samples.bucket(EARLIER)})[0] == ("p", {"a": "1"}, [True])
