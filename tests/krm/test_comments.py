"""Comments as data: reading and setting them, wherever values are and however they move."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from crossplane_lite.errors import UsageError
from crossplane_lite.krm.files import Package
from crossplane_lite.krm.resource_list import ResourceList
from tests.krm.lists import output, read

ITEM = """\
- # the head
  # and more
  apiVersion: v1
  kind: A
  metadata:
    name: a # kpt-set: ${name}
  spec: # the spec
    # about a
    #
    # a's last
    a: 1
    b: [1, 2] # flow
    # list
    c: # kpt-set: ${c}
    # el
    - x # ex
    - y
      # foot of y
    d: | # block
      text
    e:
    - name: x # nx
      v: 1
    - name: y
      v:
    f: {
      g: 1, # in brackets
      h: 2
    }
  # the end
"""
PLAIN = "- apiVersion: v1\n  kind: B\n  metadata: {name: b}\n"


def said(resource: Any) -> dict[str, tuple[str, str, str]]:
    """Return all comments of a resource."""
    return {one.path: (one.head, one.line, one.foot) for one in resource.all_comments() if one}


def test_reading() -> None:
    """Each value has the lines above it, the rest of its line and the lines below it."""
    rl = read(ITEM + PLAIN)
    assert said(rl.items[0]) == {
        "": ("the head\nand more", "", "the end"),
        "metadata.name": ("", "kpt-set: ${name}", ""),
        "spec": ("", "the spec", ""),
        "spec.a": ("about a\n\na's last", "", ""),
        "spec.b": ("", "flow", ""),
        "spec.c": ("list", "kpt-set: ${c}", ""),
        "spec.c[0]": ("el", "ex", ""),
        "spec.c[1]": ("", "", "foot of y"),
        "spec.d": ("", "block", ""),
        "spec.e[0].name": ("", "nx", ""),
        "spec.f.g": ("", "in brackets", ""),
    }
    assert said(rl.items[1]) == {}
    assert rl.items[0].comments("spec.e[name=x].name").line == "nx"
    assert rl.items[0].spec.c.comments("[0]").head == "el"
    assert [one.comments("name").line for one in rl.items[0].spec.e] == ["nx", ""]
    assert not rl.is_changed


PLACES = [
    ("", "head"), ("", "foot"), ("metadata", "head"), ("metadata", "line"), ("metadata.name", "head"),
    ("metadata.name", "line"), ("metadata.name", "foot"), ("spec", "head"), ("spec", "line"), ("spec.a", "head"),
    ("spec.a", "line"), ("spec.a", "foot"), ("spec.b", "line"), ("spec.b", "head"), ("spec.c", "line"),
    ("spec.c", "head"),
    ("spec.c[0]", "head"), ("spec.c[0]", "line"), ("spec.c[1]", "head"), ("spec.c[1]", "line"), ("spec.c[1]", "foot"),
    ("spec.d", "head"), ("spec.d", "line"), ("spec.d", "foot"), ("spec.e[0]", "head"), ("spec.e[1]", "head"),
    ("spec.e[1].v", "line"), ("spec.e[1].v", "head"), ("spec.f", "head"), ("spec.f", "line"), ("spec.f.g", "line"),
    ("spec.f.h", "line"), ("kind", "head"), ("kind", "line"), ("apiVersion", "line"),
]  # fmt: skip


@pytest.mark.sample(12)
@pytest.mark.parametrize(("path", "place"), PLACES, ids=lambda one: one or "all")
def test_setting_one(path: str, place: str) -> None:
    """A comment that is set is there, no other one and no value changes; and it can be taken away again."""
    rl = read(ITEM + PLAIN)
    before = said(rl.items[0])
    content = rl.items[0].to_dict()
    setattr(rl.items[0].comments(path), place, "new: ${x}")
    assert rl.is_changed
    assert getattr(rl.items[0].comments(path), place) == "new: ${x}"
    text = rl.write()
    again = ResourceList.read(text)
    wanted = dict(before)
    found = dict(zip(("head", "line", "foot"), wanted.get(path, ("", "", "")), strict=True))
    wanted[path] = tuple({**found, place: "new: ${x}"}.values())  # type: ignore[assignment]
    assert said(again.items[0]) == wanted
    assert again.items[0].to_dict() == content
    assert output(again).endswith(PLAIN)
    setattr(again.items[0].comments(path), place, found[place])
    assert said(ResourceList.read(again.write()).items[0]) == before
    setattr(again.items[0].comments(path), place, None)
    left = said(ResourceList.read(again.write()).items[0]).get(path, ("", "", ""))
    assert dict(zip(("head", "line", "foot"), left, strict=True))[place] == ""


def test_a_comment_only_changes_its_line() -> None:
    """One comment is one other line, with the spaces before it as they were."""
    rl = read(ITEM.replace("x # ex", "x   # ex"))
    rl.items[0].comments("spec.c[0]").line = "why"
    rl.items[0].comments("spec").head = "above\n\nbelow"
    expected = ITEM.replace("x # ex", "x   # why").replace("  spec:", "  # above\n  #\n  # below\n  spec:")
    assert output(rl) == expected
    rl.items[0].comments("spec.c[0]").line = "ex"
    rl.items[0].comments("spec").head = ""
    assert output(rl) == ITEM.replace("x # ex", "x   # ex")


def test_values_that_move() -> None:
    """A comment stays with its value when lists are sorted, and goes when that goes; new values can have some."""
    rl = read(ITEM)
    item = rl.items[0]
    item.comments("spec.e[name=y]").head = "the y"
    item.comments("spec.e[name=y].v").line = "vy"
    item.comments("spec.e[name=x].v").line = "vx"
    item.comments("metadata.name").line = "gone"
    item.spec.e.reverse()
    item.spec.new = {"list": [1, {"a": 2}]}
    item.comments("spec.new").head = "new"
    item.comments("spec.new.list[1].a").line = "two"
    item.spec.e[0].v = 7
    del item.spec.e[1]
    assert item.comments("spec.e[0].v").line == "vy"
    item.metadata = {"name": "b"}
    text = output(rl)
    assert "    # the y\n    - name: y\n      v: 7 # vy\n    f:" in text
    assert "    # new\n    new:\n      list:\n      - 1\n      - a: 2 # two\n" in text
    assert "vx" not in text


def test_new_items() -> None:
    """Items that are added can have comments, and lists that were empty get items with some."""
    rl = ResourceList.read(b"kind: ResourceList\nitems: []\n")
    item = rl.items.add({"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}})
    item.comments().head = "made"
    item.comments("metadata.name").line = "its name"
    assert output(rl) == "- # made\n  apiVersion: v1\n  kind: A\n  metadata:\n    name: a # its name\n"
    item.comments().head = "made again"
    assert output(rl).startswith("- # made again\n  apiVersion")


def test_text_that_is_added() -> None:
    """An item that is added as text with comments keeps its text, and can be changed."""
    text = "# head\napiVersion: v1 # v\nkind: N\nmetadata:\n  name: n   # the name\n# more\nx: |\n  y\n"
    for data in (b"kind: ResourceList\nitems: []\n", f"kind: ResourceList\nitems:\n{PLAIN}".encode()):
        rl = ResourceList.read(data)
        item = rl.items.add(text)
        item.labels["a"] = "b"
        wanted = "- " + text.replace("\n", "\n  ").removesuffix("  ").replace(
            "name\n", "name\n    labels:\n      a: b\n"
        )
        assert rl.write().endswith(wanted.encode())
        item.labels["a"] = "c"
        item.comments("kind").line = "why"
        wanted = wanted.replace("a: b", "a: c").replace("kind: N", "kind: N # why")
        assert rl.write().endswith(wanted.encode())


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comments of documents in files are read and set in the same way, also of those that move or have no last line."""
    monkeypatch.setattr("crossplane_lite.krm.files._is_resource", lambda root: True)
    text = "# licence\n\n# head\na: 1 # one\nb:\n- x\n# end\n---\nc: 2"
    (tmp_path / "a.yaml").write_text(text)
    package = Package(None, [str(tmp_path)], root=str(tmp_path))
    rl = package.read()
    assert said(rl.items[0]) == {"": ("licence\n\nhead", "", "end"), "a": ("", "one", "")}
    rl.items[0].comments("b[0]").line = "ex"
    rl.items[1].comments("c").line = "see"
    rl.items[1].comments().head = "two"
    ((_, _, now),) = package.changes(rl)
    assert now is not None
    assert now.decode() == text.replace("- x", "- x # ex").replace("c: 2", "# two\nc: 2 # see")
    rl.items[1].move_to("b.yaml")
    assert package.changes(rl)[-1] == ("b.yaml", None, b"# two\nc: 2 # see\n")


@pytest.mark.parametrize(
    ("path", "place", "text", "problem"),
    [
        ("apiVersion", "head", "x", "a comment above the first field belongs to"),
        ("spec.e[0]", "line", "x", "an object in a list has no line of its own"),
        ("spec.b[0]", "line", "x", "in brackets, only the last value on a line"),
        ("spec.b[0]", "head", "x", "in brackets"),
        ("spec.a", "line", "x\ny", "must be one line"),
        ("spec.a", "line", 7, r"A a: a comment must be a string \(got 7 that is an integer\)"),
        ("spec.a", "line", "# x", "must not begin with '# '"),
        ("spec.a", "head", "x\x07", "spec.a of A a: a comment must not hold control characters"),
        ("spec.nothing", "head", "x", r"A a: spec.nothing isn't there"),
    ],
)
def test_what_can_not_be_set(path: str, place: str, text: Any, problem: str) -> None:
    """Where no comment can stand, and for what is none, an error says so."""
    rl = read(ITEM)
    with pytest.raises(UsageError, match=problem):
        setattr(rl.items[0].comments(path), place, text)
        rl.write()


def test_values_that_are_gone() -> None:
    """A value that the function has removed has no comments, and none can be set; also where others have been set."""
    (item,) = read("- kind: A\n  apiVersion: v1\n  metadata: {name: a}\n").items
    item.set("spec.list", [1, 2])
    item.set("spec.key", 3)
    held = [item.comments(path) for path in ("spec.list[1]", "spec.key", "metadata.name")]
    for _ in range(2):
        item.set("spec.list", [1])
        item.delete("spec.key")
        item.delete("metadata.name")
        for comments in held:
            assert comments.value is None
            assert not comments
            assert comments.head == ""
            comments.line = None  # there is nothing to remove
            with pytest.raises(UsageError, match="isn't there any more, so it can't have a comment"):
                comments.line = "x"
        item.set("spec.list", [1, 2])
        item.comments("spec.list[0]").head = "said"


def test_json_has_no_comments() -> None:
    """In JSON there is no place for one."""
    rl = ResourceList.read(b'{"kind": "ResourceList", "items": [{"kind": "A"}]}')
    for path, place in (("kind", "line"), ("kind", "head"), ("", "head"), ("", "foot")):
        with pytest.raises(UsageError, match="there is no place for a comment .* brackets"):
            setattr(rl.items[0].comments(path), place, "x")


def test_function_config_has_comments_that_stay() -> None:
    """Those of functionConfig can be read, and not set."""
    rl = read(config="kind: C # c\n")
    assert rl.function_config is not None
    assert rl.function_config.comments("kind").line == "c"
    with pytest.raises(UsageError, match="functionConfig can't be changed"):
        rl.function_config.comments("kind").line = "x"


@pytest.mark.slow
def test_random_comments() -> None:
    """Many comments that are set at once are all there, and nothing else changes."""
    for seed in range(150):
        r = Random(seed)
        rl = read(ITEM + PLAIN)
        wanted: dict[str, dict[str, str]] = {}
        for path, place in r.sample(PLACES, r.randint(1, 10)):
            text = r.choice(["", "x", "a: b", "two # signs", "#tag", "[", "kpt-set: ${a-b}"])
            setattr(rl.items[0].comments(path), place, text)
            wanted.setdefault(path, {})[place] = text
        again = ResourceList.read(rl.write())
        assert again.items == rl.items
        for path, places in wanted.items():
            for place, text in places.items():
                assert getattr(again.items[0].comments(path), place) == text, (seed, path, place)


def test_blanks_at_the_end_of_a_comment() -> None:
    """Blanks at the end of a comment's lines, which nobody sees, are left out."""
    rl = ResourceList.read(b"kind: ResourceList\nitems:\n- kind: A\n  spec:\n    a: 1\n")
    rl.items[0].comments("spec.a").line = "why \t"
    rl.items[0].comments("spec").head = "one \ntwo  "
    assert rl.write() == b"kind: ResourceList\nitems:\n- kind: A\n  # one\n  # two\n  spec:\n    a: 1 # why\n"
