"""Plain data of any origin: comparing, copying and walking it, and its limit of depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite._core.paths import trees
from crossplane_lite.errors import UsageError


def nested(levels: int) -> Any:
    """Return objects and lists inside of each other."""
    value: Any = "leaf"
    for level in range(levels):
        value = {"a": value} if level % 2 else [value]
    return value


def same(one: Any, other: Any) -> bool:
    """Compare two scalars by class and value."""
    return type(one) is type(other) and bool(one == other)


def test_leaves() -> None:
    """Each scalar and each empty object or list comes with its steps."""
    found = dict(trees.leaves({"a": [1, {"b": None}], "c": {}, "d": []}))
    assert found == {("a", 0): 1, ("a", 1, "b"): None, ("c",): {}, ("d",): []}
    assert list(trees.leaves("x")) == [((), "x")]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True),
        ({"a": True}, {"a": 1}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ({"a": None}, {}, False),
        ({}, [], False),
    ],
)
def test_equal(one: Any, other: Any, expected: bool) -> None:
    """Values are equal if objects, lists and all that is in them are; the order of keys doesn't count."""
    assert trees.equal(one, other, same) is expected
    assert (trees.canonical(one) == trees.canonical(other)) is expected


def test_copied() -> None:
    """A copy shares no object or list with the original, and each value is what the function gives for it."""
    original = {"a": [1, (2, None)], "b": {}}
    made = trees.copied(original, lambda item: 0 if item is None else item, ValueError, 10)
    assert made == {"a": [1, [2, 0]], "b": {}}
    assert original == {"a": [1, (2, None)], "b": {}}
    assert made["a"] is not original["a"]
    assert made["b"] is not original["b"]
    with pytest.raises(ValueError, match=r"^$"):
        trees.copied(nested(12), lambda item: item, ValueError, 10)


@pytest.mark.parametrize(
    ("element", "expected"),
    [({"a": 1, "b": "x", "c": []}, (1, "x")), ({"a": 1}, None), ({"a": 1, "b": {}}, None), ("a", None), (None, None)],
)
def test_identity(element: Any, expected: Any) -> None:
    """An element is known by its merge keys, if each of them has a scalar."""
    assert trees.identity(element, ("a", "b")) == expected


@pytest.mark.parametrize(
    "use", [lambda data: list(trees.leaves(data)), trees.canonical, lambda data: trees.equal(data, data, same)]
)
def test_the_limit(use: Callable[[Any], object]) -> None:
    """Data with 500 levels is taken; with more, also without an end, the error names the path."""
    use(nested(500))
    with pytest.raises(UsageError, match=r"^a\.a\[0\].* more than 500 levels"):
        use({"a": nested(500)})
    endless: dict[str, Any] = {}
    endless["own"] = endless
    with pytest.raises(UsageError, match=r"^own\.own"):
        use(endless)
