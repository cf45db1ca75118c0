"""Documents and edits that once lost a comment, changed a value or took too long, each shrunk to its core."""

from __future__ import annotations

import time
from typing import Any

import pytest

from crossplane_lite.errors import InputError
from crossplane_lite.krm import _text

from . import editing
from .test_edits import edited


@pytest.mark.parametrize(
    ("source", "edit", "expected"),
    [
        ("a: [1, # c\n  2]\n", ("put", ["a", 2], 3), "a: [1, # c\n  2,\n  3]\n"),
        ("a: [\n  1, # c\n  2 # d\n]\n", ("delete", ["a", 1]), "a: [\n  1 # c\n]\n"),
        ("a: [ # c\n  1, 2]\n", ("delete", ["a", 1]), "a: [ # c\n  1]\n"),
    ],
)
def test_brackets(source: str, edit: tuple[Any, ...], expected: str) -> None:
    """A comment in brackets stays beside its entry."""
    assert edited(source, edit) == expected


@pytest.mark.parametrize(
    ("source", "path", "expected"),
    [
        ("a:\n  b: 1\n  # c: 2\n", ["a", "b"], "a: {}\n  # c: 2\n"),
        ("a:\n- b: 1\n\n# c\n\n- d\n", ["a", 0, "b"], "a:\n- {}\n\n# c\n\n- d\n"),
        ("l:\n- # c\n  # d\n  a: 1\n", ["l", 0, "a"], "l:\n- {} # c\n  # d\n"),
    ],
)
def test_emptied(source: str, path: list[Any], expected: str) -> None:
    """A comment between the entries of a block is there still when the last of them has gone."""
    assert edited(source, ("delete", path)) == expected


@pytest.mark.parametrize(
    ("source", "value", "expected"),
    [
        ("a: # c\n  # d\n  x # e\n", "b\nc", 'a: # c\n  # d\n  "b\\nc" # e\n'),
        ("a: # c\n  # d\n  x # e\n", {"b": 1}, "a: # c\n  # d\n  # e\n  b: 1\n"),
        ("a: # c\n  # d\n  x # e\nb: 1\n", [], "a: [] # c\n  # d\n  # e\nb: 1\n"),
        ("a: # c\n  x\n", {}, "a: {} # c\n"),
        ("a:\n  # d\n  x\n", "b\nc", "a: |-  # d\n  b\n  c\n"),
    ],
)
def test_between(source: str, value: Any, expected: str) -> None:
    """All comments between a key and its value stay, not just the first of them."""
    assert edited(source, ("put", ["a"], value)) == expected


@pytest.mark.parametrize(
    ("source", "edits", "expected"),
    [
        ("d:\n  ? a # c\n  : 1\n", [("put", ["d", "b"], 2)], "d:\n  ? a # c\n  : 1\n  b: 2\n"),
        ("d:\n  ? a # c\n  # d\n  : 1\n", [("put", ["d", "a"], 2)], "d:\n  ? a # c\n  # d\n  : 2\n"),
        ("d:\n  b: 1\n  ? a # c\n  : 2 # d\n  e: 3\n", [("delete", ["d", "a"])], "d:\n  b: 1\n  e: 3\n"),
        ("l:\n- ? a\n  : 1\n  b: 2\n", [("delete", ["l", 0, "a"])], "l:\n- b: 2\n"),
        ("d:\n  ? a\n  : 1\n", [("put", ["d", "a"], {"b": 1})], "d:\n  ? a\n  :\n    b: 1\n"),
        ("d:\n  ? a\n  b: 1\n", [("put", ["d", "c"], 2)], "d:\n  ? a\n  b: 1\n  c: 2\n"),
        ("d:\n  ? a\n  b: 1\n", [("put", ["d", "a"], 2)], "d:\n  ? a\n  : 2\n  b: 1\n"),
    ],
)
def test_question_marks(source: str, edits: list[tuple[Any, ...]], expected: str) -> None:
    """`? key`, as Go writes keys of more than 128 characters, stays beside what comes and goes, and so do comments."""
    assert edited(source, *edits) == expected


def test_scalars_in_place() -> None:
    """A scalar is replaced by any other in its place in a list, with the comment behind it."""
    assert edited("l:\n- a # a\n- ~ # b\n", ("put", ["l"], ["a", "b"])) == "l:\n- a # a\n- b # b\n"
    assert edited("l: [80, x] # c\n", ("put", ["l"], ["http", "x"])) == "l: [http, x] # c\n"


def test_tab_behind_a_dash() -> None:
    """A comment with a tab before it doesn't get behind a dash in that way: no reader takes that."""
    assert edited("l:\n- []\t# c\n", ("put", ["l", 0, 0], "x")) == "l:\n- # c\n  - x\n"


@pytest.mark.parametrize(
    ("source", "edits"),
    [
        ("a: { # c\n\t\n}\n", [("put", ["a", "b"], 1)]),
        ("a: 1\n    \n", [("put", ["b"], "x\ny\n")]),
        ("a: 1 # c\n   \nb: 1\n  \n", [("put", ["a"], "x\ny\n")]),
        ("a: |\n  x\nb: 1\n    \nc: 2\n", [("delete", ["b"])]),
        ("a: |+\n  x\n\nb: 1\n\nc: 2\n", [("delete", ["b"])]),
        ("a: |\n  x", [("put", ["b"], 2)]),
        ("a: 1\nb: |\n  x\n ", [("delete", ["a"])]),
        ("a: 1\nb: >+\n  x\n ", [("put", ["c"], 1)]),
        ("l:\n- |\n  x\n- y\n    \n- z\n", [("move", ["l"], 0, 1)]),
        ("l:\n- |\n  x\n\n- y\n    \n- z\n   \n", [("move", ["l"], 0, 2)]),
        ("l:\n- |+\n  x\n\n- |+\n  y\n\n# c\n- z\n\n- w\n", [("move", ["l"], 1, 2)]),
        ("l:\n- |+\n  x\n- z\n\n", [("move", ["l"], 0, 1)]),
        ("l:\n- |+\n  x\n- z\n\n", [("move", ["l"], 0, 1), ("put", ["c"], 2)]),
        ("l:\n- - |+\n    x\n  - y\n- z\n\n", [("delete", ["l", 0, 1]), ("delete", ["l", 1])]),
    ],
)
def test_blank_lines_beside_blocks(source: str, edits: list[tuple[Any, ...]]) -> None:
    """A block of text gets none of the blank lines and spaces that an edit brings behind it."""
    wanted = _text.parse(source.encode())
    for name, *rest in edits:
        getattr(editing, name)(wanted.root, *rest)
    assert _text.parse(edited(source, *edits).encode()).root.value() == editing.value_of(wanted.root)


def test_folded_blank_lines() -> None:
    """Blank lines at the end of a folded block are written as Go's readers see them too: they see one more in `>+`."""
    assert edited("a: >+\n  x\n\n", ("put", ["a"], "b\n\n")) == "a: |+\n  b\n\n"


def test_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what aliases bring is limited; a list may be as long as memory allows."""
    monkeypatch.setattr(_text._nodes, "_MOST_VALUES", 20)
    data = b"a: &x [1, 2, 3]\nb: *x\nm: {<<: {c: 1}}\nl:\n" + b"- {a: 1, b: 2}\n" * 1_000
    assert len(_text.parse(data).root.get(["l"])) == 1_000
    with pytest.raises(InputError, match="its aliases stand for more than 20 values"):
        _text.parse(data + b"z: [*x, *x, *x, *x, *x]\n")


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("brackets", [True, False])
def test_many_new_entries(brackets: bool) -> None:
    """Entries that are added to, and at the front of, a long collection each take the same time."""
    many = 3_000
    items = "[" + ", ".join(map(str, range(many))) + "]" if brackets else "\n" + "- 1\n" * many
    text = _text.parse(f"l: {items}\nm: {{{', '.join(f'k{at}: {at}' for at in range(many))}}}\n".encode())
    start = time.process_time()
    editing.put(text.root, ["l"], [*(f"x{at}" for at in range(many)), *editing.value_of(text.root)["l"]])
    fresh = [{"name": at} for at in range(many)]
    for key in ("l", "new"):
        editing.put(text.root, [key], [*fresh, *editing.value_of(text.root).get(key, [])])
    for at in range(many):
        editing.put(text.root, ["m", f"n{at}"], at)
    text.dump()
    assert time.process_time() - start < 4  # 0.3 s; it was 10


@pytest.mark.slow
def test_long_text() -> None:
    """Whether a text of megabytes needs quotes is found out quickly."""
    text = _text.parse(b"a: 1\n")
    start = time.process_time()
    editing.put(text.root, ["a"], "x " * 2_000_000 + "y")
    text.dump()
    assert time.process_time() - start < 0.8  # 0.05 s; it was 1.5
