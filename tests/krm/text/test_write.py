"""New values are written such that every reader takes them for the same, in the style around them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.manifests.yaml import parse_documents
from crossplane_lite.errors import UsageError
from crossplane_lite.krm import _text
from crossplane_lite.krm._text._nodes import checked

from . import editing, styles

_TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text(alphabet="019+-._eExob:aTyn~=<>|#&*!%@`'\"{}[], \t\n?", max_size=8),
    st.sampled_from(styles.WORDS),
)


def written(value: Any, source: str = "x: y\n", path: tuple[str | int, ...] = ("a",)) -> str:
    """Return a document with a value put into it."""
    text = _text.parse(source.encode())
    editing.put(text.root, path, value)
    result = text.dump().decode()
    assert _text.parse(result.encode()).root.get(path) == value
    return result


def readers(source: str) -> list[Any]:
    """Return what readers of YAML 1.1, of Kubernetes' older rules and of its newer ones make of a document."""
    old, new = (list(parse_documents(source, "text", extra="krm", as_written=one)) for one in (False, True))
    return [pyyaml.safe_load(source), old[0].content, new[0].content]


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(_TEXTS, st.sampled_from(["x: y\n", "x: 'y'\n", 'x: "y"\n', "{x: y}\n", "x:\n- 'y'\n"]))
def test_strings(text: str, source: str) -> None:
    """A string is the same string for every reader, in every style, as value and as key."""
    for one in readers(written(text, source)):
        assert one["a"] == text
    if len(text) < 200:
        for one in readers(written(1, source, (text,))):
            assert one[text] == 1


@settings(max_examples=300, deadline=None)
@given(
    _TEXTS,
    st.sampled_from(["a: |\n  x\n  y\n", "a: >-\n    x\nb: 1\n", "a: |+\n x\n\n\nb: 1\n", "a: 'b'\n", "- a: x\n"]),
)
def test_strings_in_place(text: str, source: str) -> None:
    """A string in the place of another is the same string for every reader, and nothing beside it changes."""
    source = "l:\n" + source if source.startswith("-") else source
    path = ("l", 0, "a") if source.startswith("l") else ("a",)
    result = written(text, source, path)
    for one in readers(result):
        assert (one["l"][0] if "l" in one else one)["a"] == text
        assert one.get("b", 1) == 1


def test_strings_as_ruamel_reads() -> None:
    """A reader of YAML 1.2 reads the same strings."""
    ruamel = pytest.importorskip("ruamel.yaml", reason="the reader of YAML 1.2 is not installed")
    words = [word for word in styles.WORDS if "\ufeff" not in word]
    result = written(words)
    assert ruamel.YAML(typ="safe", pure=True).load(result)["a"] == words


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none()))
def test_numbers(value: Any) -> None:
    """A number is the same number for every reader."""
    for source in ("x: y\n", "{x: y}\n"):
        assert [one["a"] for one in readers(written(value, source))] == [value] * 3
    assert written(1e16) == "x: y\na: 1.0e+16\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            (word, word)
            for word in ["x", "a b", "a:b", "http://x/y", "1.2.3", "--flag", "-x", "a#b", "größe", "v1", "/x"]
        ),
        *(
            (word, f'"{word}"')
            for word in ["yes", "y", "012", "1e3", "=", "<<", "~", "null", "1:30", "2024-01-01", "", "-"]
        ),
        *(
            (word, f'"{word}"')
            for word in ["a: b", "a #b", "x:", " x", "x ", "*x", "&x", "!x", "%x", "@x", "{x", "[x", "---"]
        ),
        ('a"b', 'a"b'),
        ('"', '"\\""'),
        ("a\tb", '"a\\tb"'),
        ("a\x07\x7f\u2028\xa0", '"a\\u0007\\u007f\\u2028\\u00a0"'),
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
        (" a\nb\n", "|2\n   a\n  b"),
        ("a\n\nb\n\n", '"a\\n\\nb\\n\\n"'),
        ("\na", '"\\na"'),
        ("\ta\nb", '"\\ta\\nb"'),  # Go's readers refuse it as a block
        ("x" * 300, "x" * 300),
    ],
)
def test_style(text: str, expected: str) -> None:
    """Strings are plain where they can be, in blocks where they have lines, and else in quotes."""
    assert written(text) == f"x: y\na: {expected}\n"


@pytest.mark.parametrize(
    ("source", "value", "expected"),
    [
        ("x:\n  y: 1\n", {"b": {"c": [1, [2, {"d": 3}]]}}, "a:\n  b:\n    c:\n    - 1\n    - - 2\n      - d: 3\n"),
        ("x:\n    y:\n      - 1\n", {"b": [1]}, "a:\n    b:\n      - 1\n"),
        ("x:\n  - 1\n", [{"b": [], "c": {}}], "a:\n  - b: []\n    c: {}\n"),
        ("x: 'y'\n", "z", "a: 'z'\n"),
        ("x: 'y'\n", ["1", "z"], "a:\n- '1'\n- z\n"),
        ("x: 'y'\n", "it's", "a: 'it''s'\n"),
        ("x: 'y'\n", 5, "a: 5\n"),
        ("x: ''\ny: z\n", "q", "a: q\n"),
        ("x:\r\n  y: 1\r\n", "b\nc\n", "a: |\r\n  b\r\n  c\r\n"),
    ],
)
def test_around(source: str, value: Any, expected: str) -> None:
    """Indentation, quotes and line ends are those that are around a value."""
    text = _text.parse(source.encode())
    editing.put(text.root, ["a"], value)
    assert text.dump().decode() == source + expected


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"b": [object()]}, r"b\[0\]: an object is not a value of JSON"),
        ({"b": {1: 2}}, r"b: a key must be a string \(got 1\)"),
        (float("inf"), "the value: inf can't be used, because JSON has no such number"),
        (["\ud800"], r"\[0\]: '\\ud800' has half of a character"),
        ({"\ud800": 1}, r"'\\ud800' has half of a character"),
        (b"x", "the value: bytes is not a value of JSON"),
    ],
)
def test_refused(value: Any, said: str) -> None:
    """A value that isn't JSON is refused with its place, before it comes near a text."""
    with pytest.raises(UsageError, match=said):
        checked(value)


def test_a_key_that_is_too_long() -> None:
    """A key that no reader of YAML takes is refused when it is written."""
    text = _text.parse(b"a: 1\n")
    text.root.assign({"a": {"k" * 2000: 1}})
    with pytest.raises(UsageError, match=r"the key '.*'\.\.\. is too long"):
        text.dump()


def test_deep() -> None:
    """A value that is nested too deeply, or holds itself, is refused; one of many levels is written."""
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(UsageError, match="nested more than 200 levels deep"):
        checked(loop)
    value: Any = 1
    for at in range(190):
        value = [value] if at % 2 else {"a": value}
    assert written(value, "x: {}\n", ("x",))
    assert written(value, "{x: {}}\n", ("x",))
