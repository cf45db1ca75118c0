"""Views that were taken before a resource was registered, and models that stand in two places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import samples
from tests.behaviour.helpers import call, provider_of
from tests.behaviour.models import Bucket, BucketSpec, ForProvider, VersioningItem

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
    """A view that was taken before registering reads what a previous function desires."""

    def compose(ctx: Any) -> tuple[Any, ...]:
        bucket = Bucket()
        view = bucket.spec.forProvider
        labels, versioning = view.labels, view.versioning
        ctx.resource("bucket", bucket)
        return view.project, dict(labels), [one.enabled for one in versioning]

    assert call(compose, desired={"bucket": samples.bucket(EARLIER)})[0] == ("p", {"a": "1"}, [True])


@pytest.mark.parametrize("make", [lambda: ForProvider(project="p"), lambda: {"project": "p"}], ids=["model", "mapping"])
def test_a_model_that_stands_somewhere_is_copied_elsewhere(make: Callable[[], Any]) -> None:
    """A nested model that is set in two resources is two models: a change of one doesn't show in the other."""

    def compose(ctx: Any) -> None:
        one = ctx.resource("one", Bucket(spec=BucketSpec(forProvider=make())))
        two = ctx.resource("two", Bucket(spec=BucketSpec(forProvider=one.spec.forProvider)))
        two.spec.forProvider.location = "EU"
        one.spec.forProvider.size = 1

    _, answer = call(compose)
    assert provider_of(answer, "one") == {"project": "p", "size": 1}
    assert provider_of(answer, "two") == {"project": "p", "location": "EU"}


def test_elements_of_lists_are_copied_elsewhere() -> None:
    """The same for the elements of a list that is set in two resources."""

    def compose(ctx: Any) -> None:
        one = ctx.resource("one", Bucket(spec=BucketSpec(forProvider=ForProvider(versioning=[{"enabled": True}]))))
        two = ctx.resource("two", Bucket(spec=BucketSpec(forProvider=ForProvider())))
        two.spec.forProvider.versioning = one.spec.forProvider.versioning
        two.spec.forProvider.versioning[0].enabled = False

    _, answer = call(compose)
    assert provider_of(answer, "one") == {"versioning": [{"enabled": True}]}
    assert provider_of(answer, "two") == {"versioning": [{"enabled": False}]}
