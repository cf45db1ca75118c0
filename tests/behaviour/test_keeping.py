"""What an existing resource keeps while something is unresolved: lists, and the policy (design section 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import samples
from tests.behaviour.helpers import provider_of, unresolved
from tests.behaviour.models import (
    Bucket,
    BucketSpec,
    ForProvider,
    Rule,
    VersioningItem,
)
from tests.support import call

# --- lists -------------------------------------------------------------------------------------------------------


def keep(provider: Callable[[Any], Any], seen: dict[str, Any]) -> dict[str, Any]:
    """Return forProvider as emitted for an existing bucket with `seen`."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider(unresolved(ctx)))))

    return provider_of(call(compose, observed={"bucket": samples.bucket(seen)})[1])


def test_list_elements_match_by_the_list_map_key() -> None:
    """Where the schema has a list-map key, elements are matched by it, in whatever order they are observed."""
    emitted = keep(
        lambda o: ForProvider(rules=[Rule(name="a", age=o), Rule(name="b", age=2), Rule(name="c", action=f"{o}")]),
        {
            "rules": [
                {"name": "c", "action": "seen-c", "age": 1},
                {"name": "b", "age": 5},
                {"name": "x"},
                {"name": "a", "age": 7, "action": "seen-a"},
            ]
        },
    )
    expected = [{"name": "a", "age": 7}, {"name": "b", "age": 2}, {"name": "c", "action": "seen-c"}]
    assert emitted == {"rules": expected}


def test_list_elements_match_by_index_when_lengths_agree() -> None:
    """Without a key, elements are matched by index when the lists are of one length."""
    emitted = keep(
        lambda o: ForProvider(
            versioning=[VersioningItem(enabled=o), VersioningItem(enabled=False)],
            zones=["a", f"{o}"],
            extra=[{"k": o, "l": 1}, o],
        ),
        {
            "versioning": [{"enabled": True}, {"enabled": True}],
            "zones": ["x", "y"],
            "extra": [{"k": "K", "l": 2}, "last"],
        },
    )
    assert emitted == {
        "versioning": [{"enabled": True}, {"enabled": False}],
        "zones": ["a", "y"],
        "extra": [{"k": "K", "l": 1}, "last"],
    }


@pytest.mark.parametrize("seen", [["x"], ["x", "y", "z"]])
def test_a_list_of_another_length_comes_whole_from_observed_state(seen: list[str]) -> None:
    """Without a key and with other lengths the whole list is the observed one."""
    emitted = keep(lambda o: ForProvider(zones=["a", o], location="US"), {"zones": seen})
    assert emitted == {"zones": seen, "location": "US"}


def test_a_list_of_models_of_another_length_comes_whole_from_observed_state() -> None:
    """The same for lists of models, what the model doesn't know included."""
    seen = [{"enabled": True, "unknown": 1}, {"enabled": False}]
    emitted = keep(lambda o: ForProvider(versioning=[VersioningItem(enabled=o)]), {"versioning": seen})
    assert emitted == {"versioning": seen}


def test_a_resolved_list_beside_an_unresolved_one_is_ours() -> None:
    """Only lists with something unresolved inside look at observed state."""
    seen = {"zones": ["x", "y"], "project": "p"}
    emitted = keep(lambda o: ForProvider(zones=["a"], matrix=[[1, 2]], project=o), seen)
    assert emitted == {"zones": ["a"], "matrix": [[1, 2]], "project": "p"}


def test_a_key_that_is_missing() -> None:
    """Where the key itself has no value nobody can tell which element it is, so the whole list is the observed one."""
    seen = [{"name": "b", "age": 5}, {"name": "a", "age": 7}]
    assert keep(lambda o: ForProvider(rules=[Rule(name=o, age=1), Rule(name="b")]), {"rules": seen}) == {"rules": seen}


def test_elements_without_a_key() -> None:
    """An element that lacks the key is matched by index; observed elements without one are passed over."""
    seen: list[Any] = [{"age": 5}, {"name": "a", "age": 7}]
    emitted = keep(lambda o: ForProvider(rules=[Rule(age=o), Rule(name="a", age=o)]), {"rules": seen})
    assert emitted == {"rules": seen}
    emitted = keep(lambda o: ForProvider(rules=[Rule(name="a", age=o)]), {"rules": ["odd", *seen]})
    assert emitted == {"rules": [{"name": "a", "age": 7}]}


def test_several_missing_values_in_a_list_of_another_length() -> None:
    """The list is replaced once, and its other missing values ask for nothing more."""
    assert keep(lambda o: ForProvider(zones=["a", o, f"{o}"], extra=[o, {"k": o}]), {"zones": ["x"], "extra": [1]}) == {
        "zones": ["x"],
        "extra": [1],
    }


def test_a_list_that_no_list_was_observed_for() -> None:
    """A list in a list can't be left out without shifting others, so the one around it comes from observed state."""
    assert keep(lambda o: ForProvider(matrix=[[1, o], [5]]), {"matrix": [3, [50]]}) == {"matrix": [3, [50]]}
    assert keep(lambda o: ForProvider(location="US", matrix=[[1, o], [5]]), {}) == {"location": "US"}


def test_lists_within_lists() -> None:
    """The rules hold for lists inside lists, each by itself."""
    emitted = keep(
        lambda o: ForProvider(matrix=[[1, o], [o], [5]]),
        {"matrix": [[10, 20], [30, 40], [50, 60]]},
    )
    assert emitted == {"matrix": [[1, 20], [30, 40], [5]]}


def test_unresolved_inside_a_map_of_models() -> None:
    """Unresolved leaves in a map's models keep their observed values by key."""
    emitted = keep(
        lambda o: ForProvider(byName={"x": Rule(age=o), "y": Rule(age=o, action="a")}),
        {"byName": {"x": {"age": 3}, "z": {"age": 4}}},
    )
    assert emitted["byName"]["x"] == {"age": 3}
    assert emitted["byName"]["y"] == {"action": "a"}
    assert "z" not in emitted["byName"]
