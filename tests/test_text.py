"""Texts from elsewhere, as a terminal gets them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._core.base.texts import escaped, line, some


@given(st.text())
def test_plain(text: str) -> None:
    """A text is one line of what can be seen, can be encoded, and stays as it is where it is so already."""
    shown = escaped(text)
    assert shown.isprintable()
    shown.encode()
    if text.isprintable():
        assert shown == text


def test_control_characters() -> None:
    """Line ends, escape sequences, bidirectional marks and lone surrogates are written as escapes."""
    assert escaped("a\nb\x1b[31m\x9b\u202e\ud800é") == "a\\nb\\x1b[31m\\x9b\\u202e\\ud800é"


@given(st.text(), st.integers(0, 20_000), st.text())
def test_line(before: str, count: int, after: str) -> None:
    """A line is never longer than people read, and never more than one."""
    shown = line(before + "x" * count + after)
    assert len(shown) <= 100_000
    assert shown.isprintable()


def test_long_values() -> None:
    """A long value is shortened in the middle, and what stands around it stays."""
    shown = line(f"the name {'x' * 5000}y is too long")
    assert shown.startswith("the name xxx")
    assert "…" in shown
    assert shown.endswith("xy is too long")
    assert len(shown) < 350
    usual = " ".join(["a value of usual length"] * 100)
    assert line(usual) == usual


def test_long_lines() -> None:
    """A line of many words is shortened too."""
    assert len(line("word " * 100_000)) <= 10_000


def test_some() -> None:
    """Of a list the first texts are shown, and how many follow."""
    assert some([], 2) == ""
    assert some(["a", "b"], 2) == "a, b"
    assert some(["a", "b", "c"], 2) == "a, b and 1 more"
    assert some(["a", "b", "c"], 1, "; ") == "a; and 2 more"
