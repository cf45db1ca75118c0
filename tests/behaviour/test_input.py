"""The input as a class of the author's: strict, with every error in one text (design section 6)."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import attrs
import pytest

from crossplane_lite import composition
from crossplane_lite.errors import InputError
from tests.support import call, run


class Tier(str, enum.Enum):
    """A choice."""

    SMALL = "small"
    LARGE = "large"


@attrs.define
class Zone:
    """A part of the input."""

    name: str
    weight: int = 1


@attrs.define
class Input:
    """An input with a field of every type."""

    name: str = ""
    count: int = 0
    ratio: float = 0.0
    public: bool = False
    tier: Tier = Tier.SMALL
    size: Union[int, str] = 0  # noqa: UP007
    either: int | str | None = None
    maybe: Optional[str] = None  # noqa: UP045
    names: list[str] = attrs.Factory(list)
    words: Sequence[str] = ()
    zones: list[Zone] = attrs.Factory(list)
    labels: dict[str, str] = attrs.Factory(dict)
    counts: Mapping[str, int] = attrs.Factory(dict)
    by_name: dict[str, Zone] = attrs.Factory(dict)
    matrix: list[list[int]] = attrs.Factory(list)
    tiers: list[Tier] = attrs.Factory(list)
    anything: Any = None


def structured(**values: Any) -> Any:
    """Return the input as structured."""
    return call(lambda ctx: ctx.input_as(Input), input=values)[0]


@pytest.mark.parametrize(
    ("values", "field", "expected"),
    [
        ({"tier": "large"}, "tier", Tier.LARGE),
        ({"tiers": ["small", "large"]}, "tiers", [Tier.SMALL, Tier.LARGE]),
        ({"size": 5}, "size", 5),
        ({"size": "5"}, "size", "5"),
        ({"either": 5}, "either", 5),
        ({"either": "x"}, "either", "x"),
        ({"either": None}, "either", None),
        ({"maybe": None}, "maybe", None),
        ({"maybe": "x"}, "maybe", "x"),
        ({"names": ["a", "b"]}, "names", ["a", "b"]),
        ({"names": []}, "names", []),
        ({"words": ["a"]}, "words", ["a"]),
        ({"zones": [{"name": "a"}]}, "zones", [Zone("a")]),
        ({"labels": {"a": "b"}}, "labels", {"a": "b"}),
        ({"counts": {"a": 1}}, "counts", {"a": 1}),
        ({"by_name": {"a": {"name": "a", "weight": 2}}}, "by_name", {"a": Zone("a", 2)}),
        ({"matrix": [[1], [2, 3]]}, "matrix", [[1], [2, 3]]),
        ({"ratio": 1}, "ratio", 1.0),
        ({"ratio": 1.5}, "ratio", 1.5),
        ({"count": 3}, "count", 3),
        ({"anything": {"a": [1, None]}}, "anything", {"a": [1, None]}),
    ],
)
def test_what_fits_is_taken(values: dict[str, Any], field: str, expected: Any) -> None:
    """Values of the right type are taken, enums, unions, lists and mappings of every kind among them."""
    value = getattr(structured(**values), field)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"names": "abc"}, ["input.names", "list", "abc"]),
        ({"names": {"a": 1}}, ["input.names", "list"]),
        ({"names": 5}, ["input.names", "list"]),
        ({"names": None}, ["input.names", "list"]),
        ({"names": ["a", 5]}, ["input.names[1]", "5"]),
        ({"words": "abc"}, ["input.words", "list"]),
        ({"zones": {"name": "a"}}, ["input.zones", "list"]),
        ({"zones": "abc"}, ["input.zones", "list"]),
        ({"zones": ["abc"]}, ["input.zones[0]"]),
        ({"zones": [{"name": "a"}, {"name": 5}]}, ["input.zones[1].name"]),
        ({"labels": "abc"}, ["input.labels", "mapping"]),
        ({"labels": ["a"]}, ["input.labels", "mapping"]),
        ({"labels": {"a": 5}}, ["input.labels['a']"]),
        ({"counts": {"a": 1, "b": "x"}}, ["input.counts['b']"]),
        ({"by_name": {"a": {"nam": "a"}}}, ["input.by_name['a']", "nam"]),
        ({"matrix": [[1], ["x"]]}, ["input.matrix[1][0]"]),
        ({"matrix": ["12"]}, ["input.matrix[0]", "list"]),
        ({"tier": "huge"}, ["input.tier", "huge"]),
        ({"tier": 5}, ["input.tier"]),
        ({"tiers": ["small", "huge"]}, ["input.tiers[1]", "huge"]),
        ({"name": 5}, ["input.name", "str"]),
        ({"name": True}, ["input.name"]),
        ({"name": None}, ["input.name"]),
        ({"name": ["a"]}, ["input.name"]),
        ({"count": "5"}, ["input.count", "int"]),
        ({"count": 1.5}, ["input.count"]),
        ({"count": True}, ["input.count"]),
        ({"ratio": "1.5"}, ["input.ratio"]),
        ({"public": "false"}, ["input.public", "bool"]),
        ({"public": 0}, ["input.public"]),
        ({"size": [1]}, ["input.size"]),
        ({"size": 1.5}, ["input.size"]),
        ({"maybe": 5}, ["input.maybe"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_does_not_fit_is_refused(values: dict[str, Any], words: list[str]) -> None:
    """Nothing is converted by guessing: what isn't of the type is an error with its path."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.input_as(Input)

    (text,) = run(compose, input=values).fatal
    assert "InputError" in text
    assert all(word in text for word in words), text


def test_every_error_is_in_one_text_with_its_path() -> None:
    """All errors of an input, at every depth, are in the one error."""

    def compose(ctx: Any) -> str:
        with pytest.raises(InputError) as caught:
            ctx.input_as(Input)
        return str(caught.value)

    values = {
        "nmae": "x",
        "count": "5",
        "tier": "huge",
        "names": "abc",
        "labels": {"a": 1, "b": "fine", "c": 2},
        "zones": [{"name": 1}, {"name": "fine"}, {"weight": "x"}],
        "matrix": [[1, "x"], "y"],
    }
    text, _ = call(compose, input=values)
    for part in (
        "nmae",
        "input.count",
        "input.tier",
        "input.names",
        "input.labels['a']",
        "input.labels['c']",
        "input.zones[0].name",
        "input.zones[2].weight",
        "input.matrix[0][1]",
        "input.matrix[1]",
    ):
        assert part in text
    assert "labels['b']" not in text
    assert "zones[1]" not in text


def test_what_every_object_has_is_left_out() -> None:
    """apiVersion, kind and metadata of the input are left out where the class doesn't have them."""
    assert structured(apiVersion="x/v1", kind="Input", metadata={"name": "n"}, name="x").name == "x"
