"""A value that moves keeps its comments: to another key, object, list or document, wrapped, renamed or put in order."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from crossplane_lite import krm
from tests.krm import packages, public, search
from tests.krm.test_edges import run, run_function

SOURCE = """\
apiVersion: v1
kind: X
metadata: {name: x}
spec:
  # of old
  old: # behind old
    # of k
    k: v # line k
    # below
  list:
  # head a
  - name: a # line a
    # of port
    port: 80
  - name: b # line b
  other:
    - name: c
  # of text
  text: | # header
    one
    two
  team: blue # who
"""
_OLD = "{0}# of old\n{0}{1}: # behind old\n{0}  # of k\n{0}  k: v # line k\n{0}  # below\n"
_A = "{0}# head a\n{0}- name: a # line a\n{0}  # of port\n{0}  port: 80\n"


def _rename(r: Any) -> None:
    r.spec["new"] = r.spec.pop("old")


def _out(r: Any) -> None:
    r["top"] = r.spec.pop("old")


def _copied_first(r: Any) -> None:
    r["top"] = r.spec.old
    del r.spec.old


def _wrap(r: Any) -> None:
    r.spec["wrap"] = {"inner": r.spec.pop("old"), "z": [1]}


def _field_to_element(r: Any) -> None:
    r.spec.other.append(r.spec.pop("old"))


def _element_to_element(r: Any) -> None:
    r.spec.other.insert(0, r.spec["list"].pop(0))


def _element_to_field(r: Any) -> None:
    r.spec["one"] = r.spec["list"].pop(0)


def _string(r: Any) -> None:
    r["owner"] = r.spec.pop("team")
    r["words"] = r.spec.pop("text")


def _changed_on_the_way(r: Any) -> None:
    moved = r.spec.pop("old")
    moved["k"] = "w"
    r["top"] = moved
    r.top["more"] = 1


def _twice(r: Any) -> None:
    r.spec["new"] = r.spec.pop("old")
    r["top"] = {"in": r.spec.pop("new")}


def _swapped(r: Any) -> None:
    r.spec["old"], r.spec["list"] = r.spec.pop("list"), r.spec.pop("old")


def _set_by_path(r: Any) -> None:
    r.set("made.along.the.way", r.spec.pop("old"))


def _replaced(r: Any) -> None:
    content = r.to_dict()
    content["spec"]["new"] = content["spec"].pop("old")
    r.replace(content)


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        (_rename, _OLD.format("  ", "new")),
        (_out, _OLD.format("", "top")),
        (_copied_first, _OLD.format("", "top")),
        (_wrap, "  wrap:\n" + _OLD.format("    ", "inner") + "    z:\n    - 1\n"),
        (_field_to_element, "    # of old\n    - # behind old\n      # of k\n      k: v # line k\n      # below\n"),
        (_element_to_element, "  other:\n" + _A.format("    ") + "    - name: c\n"),
        (_element_to_field, "  # head a\n  one:\n    name: a # line a\n    # of port\n    port: 80\n"),
        (_string, "owner: blue # who\n# of text\nwords: | # header\n  one\n  two\n"),
        (
            _changed_on_the_way,
            _OLD.format("", "top").replace("k: v", "k: w").replace("  # below", "  more: 1\n  # below"),
        ),
        (_twice, "top:\n" + _OLD.format("  ", "in")),
        (_swapped, "  old:\n" + _A.format("  ").replace("  # head a\n", "  # head a\n")),
        (_set_by_path, "made:\n  along:\n    the:\n" + _OLD.format("      ", "way")),
        (_replaced, _OLD.format("  ", "new")),
    ],
)
def test_moves(edit: Callable[[Any], object], lines: str, tmp_path: Path) -> None:
    """The comments above, behind, below and inside of a value go where the value goes, in the indentation there."""
    for newline in ("\n", "\r\n"):
        data = SOURCE.replace("\n", newline).encode()
        made = run(tmp_path, data, edit)
        assert lines in made.decode().replace("\r\n", "\n")
        assert sorted(search.notes_in(made)) == sorted(search.notes_in(data))
        model = krm.Resource(search.read(data)[0])
        edit(model)
        assert search.read(made) == [model.to_dict()]


def test_copies(tmp_path: Path) -> None:
    """A copy of a value that stays has no comments: they belong to the value that they were written for."""

    def edit(r: Any) -> None:
        r["copy"] = r.spec.old

    made = run(tmp_path, SOURCE.encode(), edit).decode()
    assert made == SOURCE + "copy:\n  k: v\n"


def test_comments_of_a_moved_value(tmp_path: Path) -> None:
    """The comments of a moved value can be read and set at its new place."""
    seen = []

    def edit(r: Any) -> None:
        r.comments("spec.old.k").line = "set before"
        r.spec["new"] = r.spec.pop("old")
        seen.append((r.comments("spec.new").head, r.comments("spec.new.k").line))
        r.comments("spec.new.k").head = "set after"

    made = run(tmp_path, SOURCE.encode(), edit).decode()
    lines = _OLD.format("  ", "new").replace("line k", "set before").replace("# of k", "# set after")
    assert lines in made
    assert seen == [("of old", "set before")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("at: {a: 'x', b: [y]} # at\n", "at: # at\n  a: x\n  b:\n  - 'y'\n" + _OLD.format("  ", "new")),
        ("at: [{a: 1}]\n", "at:\n- a: 1\n" + _OLD.format("  ", "new")),
    ],
)
def test_into_brackets(line: str, expected: str, tmp_path: Path) -> None:
    """What is written in brackets is written in lines once comments move into it."""

    def edit(r: Any) -> None:
        holder = r["at"][0] if krm.is_list(r["at"]) else r["at"]
        holder["new"] = r.spec.pop("old")

    data = (SOURCE + line).encode()
    made = run(tmp_path, data, edit)
    assert made.decode().endswith(expected)
    assert sorted(search.notes_in(made)) == sorted(search.notes_in(data))


def test_list_of_equal_elements(tmp_path: Path) -> None:
    """Where a list moves, each of its equal elements keeps its own comments."""
    data = SOURCE.replace("  - name: b # line b\n", "  - name: a # second\n    port: 80\n").encode()

    def edit(r: Any) -> None:
        r.spec.other.append(r.spec["list"].pop(0))
        r["top"] = r.spec.pop("list")

    made = run(tmp_path, data, edit)
    assert b"top:\n- name: a # second\n  port: 80\n" in made
    assert sorted(search.notes_in(made)) == sorted(search.notes_in(data))


def test_brackets_that_move_and_take_something_in(tmp_path: Path) -> None:
    """A list in brackets becomes an element in lines, if it gets a value with comments."""

    def edit(r: Any) -> None:
        r.spec.other.append(r.spec.pop("at"))
        r.spec.other[-1].append(r.spec.pop("old"))

    data = SOURCE.replace("  team: blue", "  at: [x] # at\n  team: blue").encode()
    made = run(tmp_path, data, edit)
    lines = "    # at\n    - - x\n      # of old\n      - # behind old\n        # of k\n        k: v # line k\n"
    assert lines in made.decode()
    assert sorted(search.notes_in(made)) == sorted(search.notes_in(data))


SECOND = "---\n# the second\napiVersion: v1\nkind: Y\nmetadata: {name: y}\n"


def test_to_another_document(tmp_path: Path) -> None:
    """A value keeps its comments in another document, in a new one, and in one of another file."""

    @krm.function
    def second(rl: krm.ResourceList) -> None:
        first, other = rl.items
        other["spec"] = {"of": first.spec.pop("old")}

    made = run_function(tmp_path, (SOURCE + SECOND).encode(), second).decode()
    assert made.endswith(SECOND + "spec:\n" + _OLD.format("  ", "of"))

    @krm.function
    def new(rl: krm.ResourceList) -> None:
        spec = {"spec": rl.items[0].spec.pop("old")}
        rl.items.add({"apiVersion": "v1", "kind": "Z", "metadata": {"name": "z"}} | spec).move_to("z.yaml")

    run_function(tmp_path, SOURCE.encode(), new)
    made = (tmp_path / "z.yaml").read_text()
    assert made == "apiVersion: v1\nkind: Z\nmetadata:\n  name: z\n" + _OLD.format("", "spec")
    (tmp_path / "z.yaml").write_text(SECOND)

    @krm.function
    def another_file(rl: krm.ResourceList) -> None:
        first, other = rl.items
        other["list"] = [first.spec["list"].pop(0)]

    run_function(tmp_path, SOURCE.encode(), another_file)
    assert (tmp_path / "z.yaml").read_text() == SECOND + "list:\n" + _A.format("")


def test_lists_of_items() -> None:
    """An orchestrator's list of items gets the same lines."""

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        for one in rl.items:
            _rename(one)
            _element_to_element(one)

    indented = "".join(f"  {line}" for line in SOURCE.splitlines(keepends=True))
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    made = transform.run(f"{head}- {indented[2:]}".encode()).stdout.decode()
    assert _OLD.format("    ", "new") in made
    assert _A.format("      ") in made
    assert sorted(search.notes_in(made.encode())) == sorted(search.notes_in(SOURCE.encode()))


FILES = sorted(packages.DATA.rglob("*.yaml"))
MORE = packages.DATA.parent / "crds-more.tar.xz"


def _searched(files: list[Path], edits: int, runs: int, largest: int = 60_000) -> list[str]:
    found, _, changed = search.usable(files, largest)
    assert not changed
    problems = []
    for name, many, least, most in (("edits", edits, 1, 1), ("runs", runs, 2, 6)):
        for seed in range(many):
            r = Random(f"{name} {seed}")
            file, data = r.choice(found)
            problem = search.check(r, search.marked(r, data), r.randint(least, most))
            if problem:
                problems.append(f"{name} {seed}, {file.name}: {problem}")
    return problems


@pytest.mark.skipif(not FILES, reason="the packages of kpt's catalog are not there")
def test_random_edits() -> None:
    """Random edits and moves in people's files change no other value, lose no comment, and touch only their lines."""
    assert _searched(FILES, 150, 100) == []


@pytest.mark.slow
@pytest.mark.skipif(not (FILES and MORE.exists()), reason="the public files are not there")
def test_many_random_edits(tmp_path: Path) -> None:
    """The same holds in all public files of a common size."""
    with tarfile.open(MORE) as archive:
        archive.extractall(tmp_path, filter="data")
    assert _searched([*FILES, *sorted(tmp_path.rglob("*.yaml"))], 2_000, 1_000, 20_000) == []


@pytest.mark.real
@pytest.mark.slow
def test_public_files() -> None:
    """The same holds for 15,000 searches in 1,500 files of other projects, which Go's proxy serves."""
    try:
        files = public.files(20_000)
    except public.Unreachable as error:
        pytest.skip(str(error))
    found, _, _ = search.usable(files, 20_000)
    assert len(found) >= 1_500
    assert _searched(files, 10_000, 5_000, 20_000) == []
