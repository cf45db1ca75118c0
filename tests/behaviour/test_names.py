"""Field names: misspelt ones, and those that Python or the SDK wants for itself (design section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite.errors import UnknownFieldError
from tests.behaviour.models import (
    Bucket,
    ConfigMap,
    ForProvider,
    Odd,
    OddSpec,
    Renamed,
)
from tests.support import call


@pytest.mark.parametrize(
    "use",
    [
        lambda: ForProvider(locaton="x"),
        lambda: setattr(ForProvider(), "locaton", "x"),
        lambda: setattr(Bucket().spec.forProvider, "locaton", "x"),
    ],
)
def test_a_misspelt_field_suggests_the_near_name(use: Callable[[], Any]) -> None:
    """A misspelt field in a constructor or an assignment is an error that names the field that was meant."""
    with pytest.raises(UnknownFieldError, match="location") as caught:
        use()
    assert "locaton" in str(caught.value)


def test_reading_a_misspelt_field_is_an_error() -> None:
    """Reading a field that the class doesn't have is an AttributeError, in observed state too."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        for instance in (bucket, bucket.observed):
            with pytest.raises(AttributeError, match="locaton"):
                _ = instance.spec.forProvider.locaton
        assert not hasattr(bucket, "speck")

    call(compose)


def test_wire_names_are_kept() -> None:
    """Fields whose names are keywords or no identifiers are read and emitted under their names on the wire."""

    def compose(ctx: Any) -> None:
        odd = ctx.resource("odd", Odd(spec=OddSpec(from_="f", my_field="m")))
        odd.spec._ref = "r"
        odd.spec.observed = "o"
        odd.spec.name = "n"
        odd.spec.ready = True
        assert odd.spec.from_ == "f"
        assert odd.spec._ref == "r"
        assert odd.spec.plain == "inherited"
        observed = odd.observed.spec
        assert (observed.from_, observed.my_field, observed._ref) == ("1", "2", "3")
        assert (observed.observed, observed.name, observed.ready) == ("4", "5", False)

    seen = {
        "apiVersion": "example.org/v1",
        "kind": "Odd",
        "spec": {"from": "1", "my-field": "2", "$ref": "3", "observed": "4", "name": "5", "ready": False},
    }
    earlier = {"apiVersion": "example.org/v1", "kind": "Odd", "spec": {"from": "old", "plain": "inherited"}}
    _, answer = call(compose, observed={"odd": seen}, desired={"odd": earlier})
    assert answer.resources["odd"]["spec"] == {
        "from": "f",
        "my-field": "m",
        "$ref": "r",
        "observed": "o",
        "name": "n",
        "ready": True,
        "plain": "inherited",
    }


def test_fields_that_collide_with_the_sdk_get_an_underscore() -> None:
    """Top-level fields called observed, name and ready are reached with an underscore; the SDK's own stay."""

    def compose(ctx: Any) -> None:
        odd = ctx.resource("odd", Odd(observed_="o", name_="n"))
        odd.ready_ = False
        odd.ready = True
        assert odd.name == "odd"
        assert odd.name_ == "n"
        assert isinstance(odd.observed, Odd)

    _, answer = call(compose)
    assert answer.ready == {"odd": True}
    expected = {"apiVersion": "example.org/v1", "kind": "Odd", "observed": "o", "name": "n", "ready": False}
    assert answer.resources["odd"] == expected


def test_the_path_of_a_renamed_field() -> None:
    """A renamed field that is unresolved still holds its resource back and is named in the condition."""

    def compose(ctx: Any) -> None:
        odd = ctx.resource("odd", Odd())
        user = ctx.resource("user", Odd())
        user.spec.plain = odd.observed.spec.from_

    _, answer = call(compose)
    assert list(answer.resources) == ["odd"]
    assert "odd.spec.from" in answer.conditions["DependenciesResolved"][2]


def test_kind_may_differ_from_the_class_name() -> None:
    """apiVersion and kind are emitted as the table says, and core resources have no group."""

    def compose(ctx: Any) -> None:
        ctx.resource("one", Renamed())
        config = ctx.resource("two", ConfigMap(data={"k": "v"}))
        assert config.kind == "ConfigMap"
        assert config.apiVersion == "v1"

    _, answer = call(compose)
    assert answer.resources["one"] == {"apiVersion": "example.org/v1", "kind": "RealKind"}
    assert answer.resources["two"] == {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "v"}}
