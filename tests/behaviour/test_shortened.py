"""Texts and values in messages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._core.base.texts import short_repr, short_text, shortened


@given(st.text(max_size=400), st.integers(2, 300))
def test_shortened(text: str, longest: int) -> None:
    """A text fits, begins and ends as it did, and stays as it is where it fits already."""
    short = shortened(text, longest)
    assert len(short) <= longest
    if len(text) <= longest:
        assert short == text
    else:
        begin, _, end = short.partition("…") if "…" not in text else (short[: longest // 2], "", "")
        assert text.startswith(begin) and text.endswith(end)


def test_names_are_whole() -> None:
    """The longest name of Kubernetes isn't cut, and anything longer is."""
    assert short_text("x" * 253) == "x" * 253
    assert len(short_text("x" * 1_000_000)) == 253
    assert short_text(["a"]) == "['a']"


def nested(levels: int, *, lists: bool) -> Any:
    """Return a value nested so deep."""
    value: Any = 1
    for _ in range(levels):
        value = [value] if lists else {"a": value}
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1]}, "{'a': [1]}"),
        ("x" * 70, f"'{'x' * 29}…{'x' * 28}'"),
    ],
)
def test_shown(value: Any, text: str) -> None:
    """A value is shown as Python writes it, and shortened."""
    assert short_repr(value) == text


def test_values_that_python_can_not_write() -> None:
    """Every value can be shown, however deep or long it is."""
    assert short_repr(nested(100_000, lists=True)) == "[…]"
    assert short_repr(nested(100_000, lists=False)) == "{…}"
    assert len(short_repr([16**10_000])) <= 60
