"""Edits change their own lines; comments stay with what they belong to."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from crossplane_lite.errors import InputError
from crossplane_lite.krm import _text
from crossplane_lite.krm._text._nodes import nodes_of

from . import editing


def edited(source: str, *edits: tuple[Any, ...]) -> str:
    """Return a document after some edits, each a method's name and its arguments."""
    text = _text.parse(source.encode())
    for name, *arguments in edits:
        getattr(editing, name)(text.root, *arguments)
    result = text.dump()
    value = editing.value_of(text.root)
    assert _text.parse(result).root.value() == value
    again = _text.parse(result)
    if "<<" not in source:  # the fields of a merge key come first in the value, and last where they are written out
        again.root.assign(value)
    assert again.dump() == result
    return result.decode()


FIELDS = """\
# of the document
a: 1 # a

# detached

# of b
# too
b: 2
    # also of b
c: # of c
  # of d
  d: 4

  # of e
  e: 5
  # in c

  # in c too
f: 6
# end
"""


@pytest.mark.parametrize(
    ("path", "gone"),
    [
        (["a"], "a: 1 # a\n"),
        (["b"], "# of b\n# too\nb: 2\n    # also of b\n"),
        (["c"], FIELDS[FIELDS.index("c: #") : FIELDS.index("f: 6")]),
        (["c", "d"], "  # of d\n  d: 4\n"),
        (["c", "e"], "  # of e\n  e: 5\n"),
        (["f"], "f: 6\n"),
    ],
)
def test_delete_field(path: list[str], gone: str) -> None:
    """A field goes with the comments directly above it and those below it that are further to the right."""
    assert FIELDS.count(gone) == 1
    assert edited(FIELDS, ("delete", path)) == FIELDS.replace(gone, "")


def test_delete_and_set() -> None:
    """A field that is deleted and set again is the last one, with its comments; one that is set back stays."""
    field = "# of b\n# too\nb: 2\n    # also of b\n"
    last = FIELDS.replace(field, "").replace("f: 6\n", "f: 6\n" + field)
    assert edited(FIELDS, ("delete", ["b"]), ("put", ["b"], 2)) == last
    assert edited(FIELDS, ("delete", ["b"]), ("put", ["b"], 3)) == last.replace("b: 2", "b: 3")
    assert edited(FIELDS, ("put", ["b"], "x"), ("put", ["b"], 2)) == FIELDS


@pytest.mark.parametrize(
    ("source", "path", "expected"),
    [
        ("a:\n  b: 1 # c\n", ["a", "b"], "a: {}\n"),
        ("a: # x\n  # c\n  b: 1\nd: 2\n", ["a", "b"], "a: {} # x\nd: 2\n"),
        ("a:\n- 1\n", ["a", 0], "a: []\n"),
        ("a: {b: 1}\n", ["a", "b"], "a: {}\n"),
        ("a: {b: 1, c: 2}\n", ["a", "b"], "a: {c: 2}\n"),
        ("a: {b: 1, c: 2}\n", ["a", "c"], "a: {b: 1}\n"),
        ("a: [ 1, 2, ]\n", ["a", 0], "a: [ 2, ]\n"),
        ("a: [\n  1, # one\n  # of two\n  2, # two\n  3 # three\n]\n", ["a", 1], "a: [\n  1, # one\n  3 # three\n]\n"),
        ("a: [\n  1, # one\n  2 # two\n]\n", ["a", 1], "a: [\n  1 # one\n]\n"),
        ("a:\n- b: 1 # b\n  c: 2 # c\n", ["a", 0, "b"], "a:\n- c: 2 # c\n"),
        ("a:\n- b: 1\n  # of c\n  c: 2\n", ["a", 0, "b"], "a:\n- # of c\n  c: 2\n"),
        ("a:\n- # x\n  b: 1\n  c: 2\n", ["a", 0, "b"], "a:\n- # x\n  c: 2\n"),
        ("a:\n- # x\n  b: 1\n", ["a", 0, "b"], "a:\n- {} # x\n"),
        ("a:\n- - 1\n  - 2\n", ["a", 0, 0], "a:\n- - 2\n"),
        ("a: 1\nb: 2", ["b"], "a: 1"),
        ("a: 1\n", ["a"], "{}\n"),
        ('{"a": 1, "b": 2}', ["a"], '{"b": 2}'),
        ('{\n  "a": 1,\n  "b": 2\n}\n', ["b"], '{\n  "a": 1\n}\n'),
    ],
)
def test_delete(source: str, path: list[Any], expected: str) -> None:
    """What is deleted takes its own lines; what becomes empty is written as empty."""
    assert edited(source, ("delete", path)) == expected


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("a: x # c\n", "w", "a: w # c\n"),
        ("a:   'x'   # c\n", "y", "a:   'y'   # c\n"),
        ('a: "x"\n', "y", 'a: "y"\n'),
        ("a: x\n", "yes", 'a: "yes"\n'),
        ("a: 'x'\n", 5, "a: 5\n"),
        ("a: 5\n", "5", 'a: "5"\n'),
        ("a: 1e3\n", 1000, "a: 1e3\n"),
        ("a: 0644\n", 0o644, "a: 0644\n"),
        ("a: 1\n", True, "a: true\n"),
        ("a: ~\n", None, "a: ~\n"),
        ("a:\n", "x", "a: x\n"),
        ("a: # c\n", "x", "a: x # c\n"),
        ("a:\n  x # c\n", "w", "a:\n  w # c\n"),
        ("a: one\n  two # c\n", "x", "a: x # c\n"),
        ('a: "one\n  two" # c\n', "x", 'a: "x" # c\n'),
        ('a: "one\\ntwo"\n', "x\ny", 'a: "x\\ny"\n'),
        ("a: x # c\n", "b\nd\n", "a: | # c\n  b\n  d\n"),
        ("a: |  # c\n    x\n    y\n\n", "b\n\nd", "a: |-  # c\n    b\n\n    d\n\n"),
        ("a: |-\n  x\n", "b", "a: |-\n  b\n"),
        ("a: >\n  x\n  y\n", "b c\nd\n", "a: >\n  b c\n\n  d\n"),
        ("a: >\n  x\n  y\n", "b\n  c\n", "a: |\n  b\n    c\n"),
        ("a: |\n  x\n", 5, "a: 5\n"),
        ("a: | # c\n  x\n", {"b": 1}, "a: # c\n  b: 1\n"),
        ("a: x # c\n", {"b": 1}, "a: # c\n  b: 1\n"),
        ("a: x # c\n", ["b"], "a: # c\n- b\n"),
        ("a: # c\n  b: 1\n  # d\n", "x", "a: x # c\n"),
        ("a: # c\n  b: 1\n", ["x"], "a: # c\n- x\n"),
        ("a: # c\n    b: 1\n", {"d": 2}, "a: # c\n    d: 2\n"),
        ("a: [1, 2] # c\n", {"b": {"c": 1}}, "a: {b: {c: 1}} # c\n"),
        ("a: !!str 5\n", "6", 'a: "6"\n'),
        ("a: &x 5 # c\n", 6, "a: 6 # c\n"),
        ("a: x\n    # deep\n", "b\nc", 'a: "b\\nc"\n    # deep\n'),
        ("a: x\n    # deep\n", ["b\nc"], "a:\n    # deep\n- |-\n  b\n  c\n"),
    ],
)
def test_set(old: str, value: Any, new: str) -> None:
    """A value that is set keeps the quotes, the block and the comments of the one that was there."""
    for before, after in (("", ""), ("z: 1 # z\n", "\n# of y\ny: 2\n")):
        assert edited(before + old + after, ("put", ["a"], value)) == before + new + after


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("- x # c\n", "w", "- w # c\n"),
        ("- x\n", {"a": 1, "b": {"c": 2}}, "- a: 1\n  b:\n    c: 2\n"),
        ("- x # c\n", {"a": 1, "b": 2}, "- a: 1\n  b: 2\n"),
        ("-   a: 1\n    b: 2\n", {"c": 1, "d": 2}, "-   c: 1\n    d: 2\n"),
        ("- # c\n  a: 1\n", {"d": 1}, "- # c\n  d: 1\n"),
        ("- # c\n  a: 1\n", "x", "- x\n"),
        ("- a: 1 # c\n  b: 2\n", "x", "- x\n"),
        ("- |\n  x\n", "y\nz\n", "- |\n  y\n  z\n"),
        ("-\n", "x", "- x\n"),
        ("- - 1\n  - 2\n", [3], "- - 3\n"),
        ("- {a: 1}\n", {"b": 1}, "- {b: 1}\n"),
    ],
)
def test_set_element(old: str, value: Any, new: str) -> None:
    """The same holds for a list's elements."""
    for pad in ("", "  "):
        old_lines, new_lines = ("".join(pad + line for line in text.splitlines(True)) for text in (old, new))
        around = (f"l:\n{pad}- first\n", f"{pad}# of last\n{pad}- last\n")
        assert edited(old_lines.join(around), ("put", ["l", 1], value)) == new_lines.join(around)


@pytest.mark.parametrize(
    ("source", "path", "value", "expected"),
    [
        ("a: {}\n", ["a", "b", "c"], 1, "a:\n  b:\n    c: 1\n"),
        ("a: []\n", ["a", 0, "c"], 1, "a:\n- c: 1\n"),
        ("a: {b: {}}\n", ["a", "b", "c"], 1, "a: {b: {c: 1}}\n"),
        ("a: {b, c: 1}\n", ["a", "b"], 2, "a: {b: 2, c: 1}\n"),
        ("a: {b: , c: 1}\n", ["a", "b"], 2, "a: {b: 2, c: 1}\n"),
        ("a: [b: 1, c]\n", ["a", 0, "b"], 2, "a: [b: 2, c]\n"),
        ("a: [ 1 ]\n", ["a", 1], 2, "a: [ 1, 2 ]\n"),
        ("a: [\n  1 # one\n  ]\n", ["a", 1], {"b": 2}, "a: [\n  1, # one\n  {b: 2}\n  ]\n"),
        ("a: [ # c\n  1]\n", ["a", 1], 2, "a: [ # c\n  1,\n  2]\n"),
        ("a:\n", ["a", "b", 0], 1, "a:\n  b:\n  - 1\n"),
        ("a:\n- b: 1\n  c: 2 # c\n- d\n", ["a", 0, "e"], 1, "a:\n- b: 1\n  c: 2 # c\n  e: 1\n- d\n"),
        ("? a\n: b\n", ["a"], "c", "? a\n: c\n"),
        ("? a\n:\n  b: 1\n", ["a", "b"], 2, "? a\n:\n  b: 2\n"),
        ("m:\n  ? a\n  : b\n  c: d # e\n", ["m", "c"], "x", "m:\n  ? a\n  : b\n  c: x # e\n"),
        ("m: {? a : b, c: d}\n", ["m", "c"], "x", "m: {? a : b, c: x}\n"),
        ("m: {? a : b, c: d}\n", ["m", "e"], "x", "m: {? a : b, c: d, e: x}\n"),
        ("a: b # x\rc: d\r", ["c"], "e", "a: b # x\rc: e\r"),
        ("{}\n", ["a"], [1], '{"a": [1]}\n'),
        ('{\n\t"a": [\n\t\t1\n\t]\n}', ["a", 1], {"b": []}, '{\n\t"a": [\n\t\t1,\n\t\t{\n\t\t\t"b": []\n\t\t}\n\t]\n}'),
        ('{"a":[1]}', ["b"], {"c": [1, 2]}, '{"a":[1],"b":{"c":[1,2]}}'),
    ],
)
def test_add(source: str, path: list[Any], value: Any, expected: str) -> None:
    """What is missing on a path is made, in the style around it."""
    assert edited(source, ("put", path, value)) == expected


def test_kept_blank_lines() -> None:
    """A block that keeps its blank lines may go on doing so; they are its own, not what stands behind it."""
    source = "a: |+\n  x\n\n\nb: 1\n"
    assert edited(source, ("put", ["a"], "b\n\n")) == "a: |+\n  b\n\nb: 1\n"
    assert edited(source, ("put", ["a"], "b")) == "a: |-\n  b\nb: 1\n"


def test_no_final_newline() -> None:
    """A stream without a line break at its end stays without one."""
    source = "a: 1\nl:\n- |\n  x\n- |\n  y"
    assert edited(source, ("put", ["a"], 2)) == source.replace("1", "2")
    assert edited(source, ("delete", ["l", 1])) == "a: 1\nl:\n- |\n  x\n"
    assert edited(source, ("delete", ["l"])) == "a: 1"


def test_named_elements() -> None:
    """A list that is replaced as a whole has its elements told apart by their names; what is left by their places."""
    source = "l:\n# one\n- name: a\n  x: 1 # a\n# two\n- name: b\n  x: 2 # b\n- port: 80 # p\n"
    new = [{"port": 80, "x": 1}, {"name": "b", "x": 3}, {"name": "c"}, {"name": "a", "x": 1}]
    expected = "l:\n- port: 80 # p\n  x: 1\n# two\n- name: b\n  x: 3 # b\n- name: c\n# one\n- name: a\n  x: 1 # a\n"
    assert edited(source, ("put", ["l"], new)) == expected
    assert edited("l:\n- a # a\n- b # b\n- c\n", ("put", ["l"], ["a", "x", "c"])) == "l:\n- a # a\n- x # b\n- c\n"


LIST = """\
l: # list
# of a
- a # a

# of b
- b: 1 # b
  # in b
  c: 2
  # foot of b

# detached

- d
# end
m: 1
"""
_A, _B, _D = "# of a\n- a # a\n", "# of b\n- b: 1 # b\n  # in b\n  c: 2\n  # foot of b\n", "- d\n"


def listed(*parts: str) -> str:
    """Return the list with three parts in the places of its elements."""
    return LIST.replace(_A, "{}").replace(_B, "{}").replace(_D, "{}", 1).format(*parts)


def test_list() -> None:
    """The list of the next tests is made of its parts."""
    assert listed(_A, _B, _D) == LIST


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (("delete", ["l", 0]), listed("", _B, _D).replace("# list\n\n", "# list\n")),
        (("delete", ["l", 1]), listed(_A, "", _D)),
        (("delete", ["l", 2]), listed(_A, _B, "")),
        (("insert", ["l"], 0, "x"), listed("- x\n" + _A, _B, _D)),
        (("insert", ["l"], 1, {"x": 1, "z": 2}), listed(_A + "- x: 1\n  z: 2\n", _B, _D)),
        (("insert", ["l"], 3, "x\ny\n"), listed(_A, _B, _D + "- |\n  x\n  y\n")),
        (("put", ["l", 3], "x"), listed(_A, _B, _D + "- x\n")),
        (("put", ["l", 1, "x"], 1), LIST.replace("  c: 2\n", "  c: 2\n  x: 1\n")),
        (("move", ["l"], 0, 1), listed(_B, _A, _D)),
        (("move", ["l"], 2, 0), listed(_D, _A, _B)),
        (("put", ["l"], ["d", {"b": 1, "c": 2}, "a"]), listed(_D, _B, _A)),
        (("put", ["l"], ["a", "x", "d"]), listed(_A, "- x\n", _D).replace("- x\n", "", 1).replace(_A, _A + "- x\n")),
        (("put", ["l"], ["a", {"b": 2, "c": 2}, "d"]), LIST.replace("b: 1", "b: 2")),
    ],
)
def test_lists(edit: tuple[Any, ...], expected: str) -> None:
    """Elements keep their comments wherever they go; detached comments and blank lines stay where they are."""
    assert edited(LIST, edit) == expected


def test_arrange() -> None:
    """Elements can be filtered, reordered and joined by new ones; each keeps its edits and its comments."""
    text = _text.parse(LIST.encode())
    value = text.root.value()
    text.root.assign(value, nodes_of(text.root, value))
    first, second, third = value["l"]
    second["c"] = 3
    value["l"][:] = [third, second, {"x": 1}, first]
    assert text.dump().decode() == listed(_D, _B.replace("2", "3"), "- x: 1\n" + _A)
    second["c"] = 2
    value["l"][:] = [first, second, third]
    assert text.dump().decode() == LIST
    value["l"][:] = [first, first]
    assert _text.parse(text.dump()).root.value() == {**value, "l": ["a", "a"]}


def test_file_comments_stay() -> None:
    """A comment behind an item's dash stays there, however often and whatever is done to the item."""
    source = "items:\n- # file\n  # more\n  kind: A\n- # other\n  kind: B\n"
    data = source.encode()
    for _ in range(3):
        text = _text.parse(data)
        editing.put(text.root, ["items", 0, "kind"], "C")
        editing.put(text.root, ["items", 0, "data"], {"a": "b"})
        editing.delete(text.root, ["items", 1, "kind"])
        editing.put(text.root, ["items", 1, "kind"], "D")
        data = text.dump()
    assert data.decode() == ("items:\n- # file\n  # more\n  kind: C\n  data:\n    a: b\n- # other\n  kind: D\n")
    text = _text.parse(source.encode())
    editing.move(text.root, ["items"], 0, 1)
    assert text.dump().decode() == "items:\n- # other\n  kind: B\n- # file\n  # more\n  kind: A\n"


ALIASES = "a: &x\n  b: 1 # b\n  c: [2]\nd: *x # d\ne:\n  <<: *x\n  f: 3\ng: [*x, 4]\n"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (("put", ["d", "b"], 5), ALIASES.replace("d: *x # d\n", "d: # d\n  b: 5\n  c:\n  - 2\n")),
        (("put", ["d"], 5), ALIASES.replace("*x # d", "5 # d")),
        (("put", ["e", "b"], 5), ALIASES.replace("f: 3\n", "f: 3\n  b: 5\n")),
        (("put", ["e", "b"], 1), ALIASES),
        (("put", ["e", "c", 0], 5), ALIASES.replace("f: 3\n", "f: 3\n  c:\n  - 5\n")),
        (("delete", ["e", "c"]), ALIASES.replace("  <<: *x\n  f: 3\n", "  f: 3\n  b: 1\n")),
        (("delete", ["g", 0]), ALIASES.replace("*x, 4", "4")),
        (("insert", ["g"], 0, 1), ALIASES.replace("[*x", "[1, *x")),
        (
            ("delete", ["a"]),
            "d: # d\n  b: 1\n  c:\n  - 2\ne:\n  f: 3\n  b: 1\n  c:\n  - 2\ng: [{b: 1, c: [2]}, 4]\n",
        ),
        (
            ("put", ["a", "b"], 5),
            "a: &x\n  b: 5 # b\n  c: [2]\nd: # d\n  b: 1\n  c:\n  - 2\ne:\n  f: 3\n  b: 1\n  c:\n  - 2\n"
            "g: [{b: 1, c: [2]}, 4]\n",
        ),
    ],
)
def test_shared(edit: tuple[Any, ...], expected: str) -> None:
    """An edit of what an anchor or a merge key shares changes one place, and what stands elsewhere keeps its value."""
    assert edited(ALIASES, edit) == expected


def test_moved_anchor() -> None:
    """An alias that would come before its anchor, or get another one, is written out."""
    source = "l:\n- &x {a: 1}\n- *x\n- 2\nm: *x\n"
    assert edited(source, ("move", ["l"], 1, 0)) == "l:\n- a: 1\n- &x {a: 1}\n- 2\nm:\n  a: 1\n"
    assert edited(source, ("move", ["l"], 2, 0)) == "l:\n- 2\n- &x {a: 1}\n- a: 1\nm:\n  a: 1\n"
    source = "a: &x 1\nl:\n- *x\n- &x 2\n"
    assert edited(source, ("move", ["l"], 1, 0)) == "a: &x 1\nl:\n- &x 2\n- 1\n"


def test_new_values() -> None:
    """What has been put in can be edited like anything else before it is written."""
    result = edited(
        "a: 1\n",
        ("put", ["b"], {"c": [1, 2]}),
        ("put", ["b", "c", 2, "d"], 3),
        ("insert", ["b", "c"], 0, 0),
        ("move", ["b", "c"], 0, 3),
        ("delete", ["b", "c", 0]),
        ("put", ["b", "e", "f"], None),
    )
    assert result == "a: 1\nb:\n  c:\n  - 2\n  - d: 3\n  - 0\n  e:\n    f: null\n".replace("  e:", '  "e":').replace(
        '"e"', "e"
    )


def test_deep() -> None:
    """Many levels, each edited, are written without trouble."""
    source = "".join("  " * at + f"a{at}: # c\n" for at in range(190)) + "  " * 190 + "b: 1\n"
    text = _text.parse(source.encode())
    path = [f"a{at}" for at in range(190)]
    for at in range(190):
        editing.put(text.root, [*path[:at], "x"], 1)
    result = text.dump().decode()
    assert result.count("x: 1\n") == 190
    assert result.replace("x: 1\n", "").replace(" ", "") == source.replace(" ", "")


def assigned(text: str, path: list[str | int], value: Any) -> str:
    """Return a text in which a value was set."""
    made = _text.parse(text.encode())
    editing.put(made.root, path, value)
    return made.dump().decode()


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        # One text that changes while another comes: the first that is left becomes the first that is new.
        ("# head\n- x # line\n", ["y1", "z"], "# head\n- y1 # line\n- z\n"),
        ("- a # a\n- b # b\n- c # c\n", ["a", "c", "d"], "- a # a\n- c # c\n- d\n"),
        (
            "# one\n- step: 1 # s1\n  run: x\n# two\n- step: 2 # s2\n  run: y # r2\n",
            [{"step": 1, "run": "x"}, {"step": 9, "run": "w"}, {"step": 2, "run": "z"}],
            "# one\n- step: 1 # s1\n  run: x\n- step: 9\n  run: w\n# two\n- step: 2 # s2\n  run: z # r2\n",
        ),
        (
            "- step: 1 # s1\n  run: x\n- step: 2 # s2\n  run: y\n",
            [{"step": 2, "run": "z"}],
            "- step: 2 # s2\n  run: z\n",
        ),
        # Names tell: a new one is a new element.
        ("- name: a # a\n  v: 1\n", [{"name": "b", "v": 1}, {"name": "c"}], "- name: b\n  v: 1\n- name: c\n"),
        ("- - a # a\n  - b\n", [["new"], ["a", "b", "c"]], "- - new\n- - a # a\n  - b\n  - c\n"),
    ],
)
def test_elements_by_what_they_have_in_common(text: str, value: Any, expected: str) -> None:
    """Where no name tells elements apart, what they have in common and their place does; comments stay with them."""
    assert assigned(f"list:\n{text}", ["list"], value) == f"list:\n{expected}"


@pytest.mark.slow  # size
def test_long_lists_without_names() -> None:
    """Of long lists that have become others altogether, elements are paired only where as many came as went."""
    text = "list:\n" + "".join(f"- {{a: {at}}} # c{at}\n" for at in range(300))
    same = assigned(text, ["list"], [{"a": f"x{at}"} for at in range(300)])
    assert same.count("# c") == 300
    assert assigned(text, ["list"], [{"a": f"x{at}"} for at in range(301)]).count("# c") == 0


MERGED = "builds:\n- <<: &d\n    env: 1\n    b: 2\n- <<: *d\n  c: 3\n"


def test_an_anchor_in_a_merge_key() -> None:
    """Where the merge key goes that holds an anchor, its aliases are written out."""
    text = _text.parse(MERGED.encode())
    editing.delete(text.root, ["builds", 0, "env"])
    assert text.dump().decode() == "builds:\n- b: 2\n- c: 3\n  env: 1\n  b: 2\n"
    text = _text.parse(MERGED.encode())
    editing.put(text.root, ["builds", 0, "env"], 5)
    assert (
        editing.value_of(text.root)
        == _text.parse(text.dump()).root.value()
        == {"builds": [{"env": 5, "b": 2}, {"env": 1, "b": 2, "c": 3}]}
    )


def _broken(right: Any, wrong: str, *args: Any, **more: Any) -> Any:
    """Put edits into a text, with something else than was set."""
    return right(*args, **more).replace("7", wrong)


def test_what_does_not_read_back_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that wouldn't say what the edits say isn't given out, of lists of items and of other documents."""
    from crossplane_lite.krm._text import _splice

    for data in (b"items:\n- a: 1\n- a: 2\n", b"a: 1\n", b'{"a": 1}', b"a: 1\n---\nb: 2\n"):
        text = _text.parse(data)
        root = text.documents[0]
        editing.put(root, ["items", 0, "a"] if b"items" in data else ["a"], 7)
        assert b"7" in text.dump()
        right = _splice.apply
        for wrong in ("8", "'7'", "7]", "7\n- x", "7\n b: c"):
            monkeypatch.setattr(_splice, "apply", partial(_broken, right, wrong))
            with pytest.raises(InputError, match="the changes can't be written.*nothing is written"):
                text.dump()
        monkeypatch.setattr(_splice, "apply", right)
        assert b"7" in text.dump()


def test_blocks_that_say_their_indentation() -> None:
    """One line of a `|2` block is edited, and the others stay where they are."""
    text = "a:\n  b: |2\n      x\n    y\n  c: |4-\n        z\n- no\n".replace("- no\n", "")
    assert assigned(text, ["a", "b"], "  x\nY\n") == text.replace("    y\n", "    Y\n")
    assert assigned(text, ["a", "b"], "w\ny\n") == text.replace("      x\n", "    w\n")
    assert assigned(text, ["a", "c"], "  z\nv").endswith("  c: |4-\n        z\n      v\n")
    text = "a:\n- |2\n    x\n   y\n- # c\n  b\n"
    assert assigned(text, ["a", 0], " x\n z\n").startswith("a:\n- |2\n   x\n")
