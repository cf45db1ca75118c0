"""Files that become a ResourceList, and what a ResourceList makes of files."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.manifests.yaml import parse_documents
from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.krm import ResourceList
from crossplane_lite.krm.annotations import INDEXES, PATHS
from crossplane_lite.krm.files import Package, unwrapped
from tests.krm.processes import LIST

NEW = {"apiVersion": "v1", "kind": "New", "metadata": {"name": "n"}}

STREAMS = {
    "plain": "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n",
    "head comment": "# head\napiVersion: v1\nkind: A\nmetadata:\n  name: a # why\n",
    "markers": "---\napiVersion: v1\nkind: A\nmetadata: {name: a}\n---\napiVersion: v1\nkind: B\nmetadata: {name: b}\n",
    "ends with a marker": "apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n",
    "empty documents": "---\n# nothing\n---\n\n---\nkind: A\napiVersion: v1\nmetadata: {name: a}\n---\n# end\n",
    "content beside the marker": "--- {kind: A, metadata: {name: a}}\n--- # why\nkind: B\nmetadata: {name: b}\n",
    "document end": "kind: A\nmetadata: {name: a}\n...\n# between\n---\nkind: B\nmetadata: {name: b}\n...\n",
    "directive": "%YAML 1.1\n---\nkind: A\nmetadata: {name: a}\n",
    "no newline at the end": "kind: A\nmetadata:\n  name: a",
    "foot comment": "kind: A\nmetadata:\n  name: a\n# foot\n\n# far foot\n\n",
    "block scalars": "kind: A\nmetadata: {name: a}\na: |\n    x\n\n      y\nb: >-\n    x\n    y\nc: |2\n      z\n\n\n",
    "kept newlines": "kind: A\nmetadata: {name: a}\na: |+\n  x\n\n\n---\nkind: B\nmetadata: {name: b}\n",
    "long scalars": "kind: A\nmetadata: {name: a}\na: one\n  two\nb: 'one\n\n  two'\nc: \"one\\\n  two\"\n",
    "flow over lines": "{\n  kind: A,\n  metadata: {\n    name: a\n}}\n",
    "anchors": "kind: A\nmetadata: {name: &n a}\nb: *n\n---\nkind: B\nmetadata: {name: &n b}\nb: *n\n",
    "indented": "  kind: A\n  metadata:\n    name: a\n",
    "wide": "kind: A\nmetadata:\n    name: a\nlist:\n  -   a\n  -\n      b\n",
    "crlf": "kind: A\r\nmetadata:\r\n  name: a\r\n---\r\nkind: B\r\nmetadata:\r\n  name: b\r\n",
    "bom": "\ufeffkind: A\nmetadata:\n  name: a\n",
    "not ascii": "kind: A\nmetadata:\n  name: a\n  labels: {ä: \U0001f600}\n",
    "annotations": "kind: A\nmetadata:\n  name: a\n  annotations:\n    a: b\n",
}


@pytest.fixture
def any_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take each document for a resource, for the tests of how documents are written."""
    monkeypatch.setattr("crossplane_lite.krm.files._is_resource", lambda root: True)
    monkeypatch.setattr("crossplane_lite.krm.files._has_fields", lambda text: True)


pytestmark = pytest.mark.usefixtures("any_document")


def package(folder: Path, **texts: str) -> Package:
    """Return the package of files with these texts."""
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_bytes(text.encode())
    return Package(None, [str(folder)], root=str(folder))


def contents(text: str) -> list[Any]:
    """Return what the documents of a stream say."""
    return [document.content for document in parse_documents(text.removeprefix("\ufeff"), "x", extra="krm")]


def without_places(data: bytes) -> list[Any]:
    """Return what the items of a list say, without the annotations that say where they are from."""
    items = [item.to_dict() for item in ResourceList.read(data).items]
    for item in items:
        annotations = item["metadata"]["annotations"]
        for key in [key for key in annotations if key.startswith("internal.config")]:
            del annotations[key]
        if not annotations:
            del item["metadata"]["annotations"]
    return items


@pytest.mark.parametrize("text", STREAMS.values(), ids=STREAMS)
def test_there_and_back(tmp_path: Path, text: str) -> None:
    """What is in a stream is in the list, and an unchanged list changes no file."""
    made = package(tmp_path, a=text)
    assert without_places(made.as_list(made.read())) == contents(text)
    assert list(made.changes(made.read())) == []
    assert contents(made.documents(made.read()).decode()) == contents(text)


@pytest.mark.parametrize("text", STREAMS.values(), ids=STREAMS)
def test_one_label(tmp_path: Path, text: str) -> None:
    """A label in the last document changes only that document, whose other values stay."""
    made = package(tmp_path, a=text)
    rl = made.read()
    rl.items[-1].labels["added"] = "here"
    ((name, before, now),) = made.changes(rl)
    assert (name, before) == ("a.yaml", text.encode())
    assert now is not None
    wanted = contents(text)
    wanted[-1]["metadata"].setdefault("labels", {})["added"] = "here"
    assert contents(now.decode()) == wanted
    assert now.startswith(b"\xef\xbb\xbf") == text.startswith("\ufeff")
    assert now.count(b"\r\n") in (0, now.count(b"\n"))
    assert b"internal.config" not in now
    lines = text.splitlines()
    kept = [line for line in lines if line in now.decode().splitlines()]
    assert len(kept) >= len(lines) - 2


def test_places(tmp_path: Path) -> None:
    """Items carry the file and index that they are from, in the order of names; results say so as well."""
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.yaml").write_text("kind: Hidden\n")
    (tmp_path / "notes.txt").write_text("kind: Text\n")
    (tmp_path / "sub" / "c.yml").write_text("apiVersion: v1\nkind: C\nmetadata: {name: c}\n")
    made = package(tmp_path, b=STREAMS["markers"], a=STREAMS["plain"])
    rl = made.read()
    assert [rl.results.info("x", item).file for item in rl.items] == [
        {"path": "a.yaml"},
        {"path": "b.yaml"},
        {"path": "b.yaml", "index": 1},
        {"path": "sub/c.yml"},
    ]


def test_removed_items(tmp_path: Path) -> None:
    """A removed document goes with one marker; a file without documents goes."""
    made = package(tmp_path, a=STREAMS["markers"], b=STREAMS["head comment"])
    rl = made.read()
    rl.items.remove(rl.items[1])
    rl.items.remove(rl.items[1])
    assert list(made.changes(rl)) == [
        ("a.yaml", STREAMS["markers"].encode(), b"---\napiVersion: v1\nkind: A\nmetadata: {name: a}\n"),
        ("b.yaml", STREAMS["head comment"].encode(), None),
    ]


def test_added_and_moved_items(tmp_path: Path) -> None:
    """A new item gets a file called after it, or the one that it was moved to."""
    made = package(tmp_path, a=STREAMS["plain"])
    rl = made.read()
    rl.items.add({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "New/../x"}})
    moved = rl.items.add({"apiVersion": "v1", "kind": "Other", "metadata": {"name": "o"}})
    moved.move_to("a.yaml", 1)
    assert list(made.changes(rl)) == [
        (
            "a.yaml",
            STREAMS["plain"].encode(),
            f"{STREAMS['plain']}---\napiVersion: v1\nkind: Other\nmetadata:\n  name: o\n".encode(),
        ),
        ("service_New-..-x.yaml", None, b"apiVersion: v1\nkind: Service\nmetadata:\n  name: New/../x\n"),
    ]


def test_into_nothing(tmp_path: Path) -> None:
    """Without files the list is empty, and what a generator adds is new."""
    made = Package(None, [])
    rl = made.read()
    assert list(rl.items) == []
    rl.items.add({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}})
    assert made.documents(rl) == b"apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n"


def test_json_stays_json(tmp_path: Path) -> None:
    """A changed JSON file is JSON again."""
    file = tmp_path / "a.json"
    file.write_text('{\n  "kind": "A",\n  "metadata": {"name": "a"}\n}\n')
    made = Package(None, [str(file)], root=str(tmp_path))
    rl = made.read()
    rl.items[0].labels["a"] = "b"
    ((_, _, now),) = made.changes(rl)
    import json

    assert now is not None
    assert json.loads(now)["metadata"] == {"name": "a", "labels": {"a": "b"}}


def test_config(tmp_path: Path) -> None:
    """functionConfig is the one document of its file."""
    file = tmp_path / "config.yaml"
    file.write_text("# why\nkind: C\nmetadata: {name: c}\na: |\n  x\n")
    rl = Package(str(file), []).read()
    assert rl.function_config == {"kind": "C", "metadata": {"name": "c"}, "a": "x\n"}
    file.write_text("kind: C\n---\nkind: C\n")
    with pytest.raises(InputError, match=r"must hold one document, the functionConfig \(it holds 2\)"):
        Package(str(file), [])


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    """A missing file and one that isn't YAML are named."""
    with pytest.raises(InputError, match="can't read .*not-there.yaml: No such file"):
        Package(None, [str(tmp_path / "not-there.yaml")])
    (tmp_path / "a.yaml").write_text("kind: A\n- b\n")
    with pytest.raises(InputError, match=r"a\.yaml, line 2"):
        Package(None, [str(tmp_path)])


def test_rare_ends_of_lines(tmp_path: Path) -> None:
    """A line break that only YAML 1.1 knows stays where it is, in files and as an item of a list."""
    (tmp_path / "a.yaml").write_text("kind: A\na: 'x\u2028  b'\nc: 1\n", encoding="utf-8")
    made = Package(None, [str(tmp_path)], root=str(tmp_path))
    rl = made.read()
    rl.items[0]["c"] = 2
    ((_, _, now),) = made.changes(rl)
    assert now is not None
    assert contents(now.decode()) == [{"kind": "A", "a": "x\u2028b", "c": 2}]
    (item,) = without_places(made.as_list(rl))
    assert item["a"] == "x\u2028b"


def edited(tmp_path: Path, text: str, edit: Callable[[Any], object], name: str = "a.yaml") -> str:
    """Return what becomes of a file by an edit of its ResourceList."""
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    folder.mkdir()
    (folder / name).write_bytes(text.encode())
    made = Package(None, [str(folder / name)], root=str(folder))
    rl = made.read()
    edit(rl)
    changes = made.changes(rl)
    if not changes:
        return text
    ((_, _, now),) = changes
    assert now is not None
    return now.decode()


def test_nothing_but_the_edit(tmp_path: Path) -> None:
    """No metadata, annotations, final newline or indentation comes or goes with an edit elsewhere in the document."""

    def added(rl: Any) -> None:
        rl.items[0]["added"] = "x"

    assert edited(tmp_path, "resources:\n- a.yaml\n", added) == "resources:\n- a.yaml\nadded: x\n"
    assert edited(tmp_path, "a: 1\nmetadata: {}\n", added) == "a: 1\nmetadata: {}\nadded: x\n"
    assert edited(tmp_path, "a: 1\nmetadata:\n", added) == "a: 1\nmetadata:\nadded: x\n"
    own = "metadata:\n  annotations: {}\n"
    assert edited(tmp_path, own, added) == f"{own}added: x\n"
    own = (
        "metadata:\n  annotations:\n    config.kubernetes.io/index: '7'\n"
        "    internal.config.kubernetes.io/path: mine.yaml\n"
    )
    assert edited(tmp_path, own, added) == f"{own}added: x\n"
    assert edited(tmp_path, "a: 1", added) == "a: 1\nadded: x"
    assert edited(tmp_path, "b: 1\na: |\n  x", lambda rl: rl.items[0].update(b=2)) == "b: 2\na: |\n  x"
    assert edited(tmp_path, "metadata: text\n", added) == "metadata: text\nadded: x\n"


def test_json_in_its_own_form(tmp_path: Path) -> None:
    """JSON keeps its indentation in files of any name, and beside documents of YAML."""

    def label(rl: Any) -> None:
        rl.items[-1].labels["a"] = "b"

    wide = '{\n    "kind": "A",\n    "metadata": {\n        "name": "a"\n    }\n}'
    labelled = wide.replace('"name": "a"', '"name": "a",\n        "labels": {\n            "a": "b"\n        }')
    for name in ("a.json", "a.yaml"):
        assert edited(tmp_path, wide, label, name) == labelled
    assert edited(tmp_path, f"a: 1\n---\n{wide}\n", label) == f"a: 1\n---\n{labelled}\n"
    assert edited(tmp_path, '{"a":{}}', lambda rl: rl.items[0].a.update(b="c")) == '{"a":{"b":"c"}}'


def test_places_are_shown(tmp_path: Path) -> None:
    """A function sees where an item is from in the annotations of orchestrators, and can't change these."""
    made = package(tmp_path, a="kind: A\nmetadata: {name: a}\n---\na: 1\n")
    rl = made.read()
    assert rl.items[1].annotations == {PATHS[0]: "a.yaml", INDEXES[0]: "1"}
    assert [len(rl.items.where(annotations={PATHS[0]: "a.yaml", INDEXES[0]: index})) for index in "01"] == [1, 1]
    with pytest.raises(UsageError, match=r"A a \(a.yaml\): the annotation internal.* can't be changed"):
        rl.items[0].annotations[PATHS[0]] = "b.yaml"
    rl.items[0].annotations.clear()
    rl.items[1].metadata = {}
    assert made.changes(rl) == []


def test_moved_documents(tmp_path: Path) -> None:
    """A document that moves takes its comments along, into the place of another one or to the end."""
    made = package(tmp_path, a="# one\na: 1 # x\n---\nb: 2\n", c="c: 3")
    rl = made.read()
    one, two, three = rl.items
    one.move_to("c.yaml", 5)
    three.move_to("a.yaml")
    assert made.changes(rl) == [
        ("a.yaml", b"# one\na: 1 # x\n---\nb: 2\n", b"c: 3\n---\nb: 2\n"),
        ("c.yaml", b"c: 3", b"# one\na: 1 # x\n"),
    ]
    two.move_to("new/d.yaml")
    assert made.changes(rl)[0] == ("a.yaml", b"# one\na: 1 # x\n---\nb: 2\n", b"c: 3\n")
    assert made.changes(rl)[-1] == ("new/d.yaml", None, b"b: 2\n")


def test_appended_behind_a_block_without_an_end(tmp_path: Path) -> None:
    """What comes behind a last block of text that has no line break doesn't give it one."""
    text = "a: |\n  x"
    now = edited(tmp_path, text, lambda rl: rl.items.add({**NEW}).move_to("a.yaml", 1))
    assert contents(now)[0] == {"a": "x"}
    assert "\n---\n" in now


@pytest.mark.parametrize(
    ("header", "stays"),
    [
        ("# Copyright 2026 The Shop\n# SPDX-License-Identifier: MIT\n", True),
        ("# anything\n\n", True),
        ("# Licensed to you\n\n# of the document\n", True),
        ("# of the document\n", False),
    ],
)
def test_header_of_a_file(tmp_path: Path, header: str, stays: bool) -> None:
    """A licence, and what is apart from the first document, survives that document; its own comment doesn't."""
    text = f"{header}a: 1\n---\nb: 2\n"
    kept = header.replace("# of the document\n", "") if stays else ""
    assert edited(tmp_path, text, lambda rl: rl.items.remove(rl.items[0])) == f"{kept}b: 2\n"


def test_skipping_what_can_not_be_read(tmp_path: Path) -> None:
    """Documents that can't be read stop everything; where they are passed over, they stay and the others are edited."""
    template = "a: {{ .Values.a }}\nb:   x\n"
    text = f"# one\na: 1\n---\n{template}---\na: 1\na: 2\n---\nb: !mine x\n---\nc: 3"
    (tmp_path / "a.yaml").write_text(text)
    (tmp_path / "b.yaml").write_text(template)
    (tmp_path / "c.yaml").write_bytes(b"a: \xff\n")
    (tmp_path / "d.yaml").write_text("d: 1\n")
    with pytest.raises(InputError, match=r"c.yaml, line 1: this is not UTF-8"):
        Package(None, [str(tmp_path)], root=str(tmp_path))
    made = Package(None, [str(tmp_path)], root=str(tmp_path), skip_unreadable=True)
    assert [problem.partition(": ")[0] for problem in made.problems] == [
        *("a.yaml, line 4", "a.yaml, line 8", "a.yaml, line 10", "b.yaml, line 1", "c.yaml, line 1"),
    ]
    rl = made.read()
    assert [item.to_dict().get("metadata", {}).get("annotations", {}).get(PATHS[0]) for item in rl.items] == [
        "a.yaml",
        "a.yaml",
        "d.yaml",
    ]
    assert made.changes(rl) == []
    rl = made.read()
    rl.items[0]["new"] = 1
    rl.items[1]["c"] = 4
    wanted = text.replace("# one\na: 1\n", "# one\na: 1\nnew: 1\n").replace("c: 3", "c: 4")
    assert made.changes(rl) == [("a.yaml", text.encode(), wanted.encode())]
    rl = made.read()
    rl.items.add(NEW).move_to("c.yaml", 1)
    with pytest.raises(InputError, match=r"can't be added to c.yaml, because this file can't be read; choose"):
        made.changes(rl)
    rl = made.read()
    rl.items.remove(rl.items[0])
    rl.items.remove(rl.items[0])
    ((_, _, now),) = made.changes(rl)
    assert now is not None
    assert template in now.decode()


def test_write(tmp_path: Path) -> None:
    """Files are written where they are: mode and links stay, a file without items goes, and nothing else is left."""
    folder = tmp_path / "items"
    folder.mkdir()
    (tmp_path / "real.yaml").write_text(STREAMS["plain"])
    (tmp_path / "real.yaml").chmod(0o640)
    (folder / "a.yaml").symlink_to(tmp_path / "real.yaml")
    (folder / "b.yaml").write_text(STREAMS["head comment"].replace("name: a", "name: b"))
    made = Package(None, [str(folder)], root=str(folder))
    rl = made.read()
    rl.items[0].labels["a"] = "b"
    rl.items.remove(rl.items[1])
    assert made.write(made.changes(rl)) == [str(folder / "a.yaml"), str(folder / "b.yaml")]
    assert [file.name for file in folder.iterdir()] == ["a.yaml"]
    assert (folder / "a.yaml").is_symlink()
    assert (tmp_path / "real.yaml").read_text() == f"{STREAMS['plain']}  labels:\n    a: b\n"
    assert (tmp_path / "real.yaml").stat().st_mode & 0o777 == 0o640


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """The error names the file, and the files that were written before it."""
    (tmp_path / "d.yaml").mkdir()
    package = Package(None, [], root=str(tmp_path))
    with pytest.raises(InputError, match=r"can't write .*d\.yaml: .*; nothing was written$"):
        package.write([("d.yaml", None, b"a: 1\n")])
    changes = [("c.yaml", None, b"a: 1\n"), ("d.yaml", None, b"a: 1\n")]
    with pytest.raises(InputError, match=r"can't write .*d\.yaml: .*; these files were written before: .*c\.yaml$"):
        package.write(changes)
    assert (tmp_path / "c.yaml").read_bytes() == b"a: 1\n"


def test_unwrapped() -> None:
    """Items of an orchestrator's list become documents with their comments, without the annotations of their place."""
    text = unwrapped(LIST)
    assert text.startswith("# The shop's own.\napiVersion: v1\nkind: Service\nmetadata:\n  name: web # as in the DNS\n")
    assert len(contents(text)) == 2
    wide = LIST.replace(b"\n", b"\n  ").replace(b"\n  items", b"\nitems").replace(b"\n  kind: R", b"\nkind: R", 1)
    assert contents(unwrapped(wide)) == contents(text)


PLACED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  annotations:
    internal.config.kubernetes.io/path: a.yaml
    config.kubernetes.io/index: "0"
    internal.config.kubernetes.io/id: "1"
  name: a
data:
  text: |
    one
    two
---
kind: ConfigMap
metadata:
  name: b
  annotations:
    internal.config.kubernetes.io/path: a.yaml
    internal.config.kubernetes.io/index: "1"
---
kind: ConfigMap
metadata:
  annotations:
    config.kubernetes.io/path: a.yaml
"""
UNPLACED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  annotations:
    internal.config.kubernetes.io/id: "1"
  name: a
data:
  text: |
    one
    two
---
kind: ConfigMap
metadata:
  name: b
---
kind: ConfigMap
metadata: {}
"""


@pytest.mark.parametrize("style", ["block", "flow", "JSON", "JSON on many lines"])
def test_unwrapped_in_every_style(style: str) -> None:
    """Documents are the same, and without the annotations of their place, in whatever style the list is written."""
    head = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
    items = contents(PLACED)
    if style == "block":
        text = "".join(f"{key}: {value}\n" for key, value in head.items()) + "items:\n"
        text += "".join("- " + textwrap.indent(one, "  ")[2:] for one in PLACED.split("---\n"))
    elif style == "flow":
        text = "".join(f"{key}: {value}\n" for key, value in head.items()) + f"items: {json.dumps(items)}\n"
    else:
        text = json.dumps({**head, "items": items}, indent=2 if "many" in style else None)
    assert unwrapped(text.encode()) == UNPLACED


KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n"


def test_what_is_no_resource_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only documents with apiVersion and kind are items; other files, also such as aren't YAML, stay as they are."""
    monkeypatch.undo()
    others = {
        "values.yaml": "replicas: 1\n",
        "list.yaml": "- a\n- b\n",
        "broken.yaml": "a: [\n",
        "package.json": '{"kind": "x"}',
        "tsconfig.json": "{ // why\n}",
        "bytes.yaml": "\udcff",
        "notes.txt": STREAMS["plain"],
    }
    for name, text in others.items():
        (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / "a.json").write_text(json.dumps(NEW))
    made = package(tmp_path, a="a: 1\n---\n" + STREAMS["plain"])
    rl = made.read()
    assert [(one.path, one.index) for one in rl.items] == [("Kptfile", 0), ("a.json", 0), ("a.yaml", 1)]
    assert rl.kptfile is rl.items[0]
    for one in rl.items:
        one.labels["a"] = "b"
    assert [name for name, _, _ in made.changes(rl)] == ["Kptfile", "a.json", "a.yaml"]
    assert {name: now for name, _, now in made.changes(rl)}["a.yaml"] == (
        f"a: 1\n---\n{STREAMS['plain']}  labels:\n    a: b\n".encode()
    )
    (tmp_path / "broken.yaml").write_text("apiVersion: v1\nkind: A\na: [\n")
    with pytest.raises(InputError, match=r"broken\.yaml, line 4"):
        package(tmp_path)


def test_krmignore(tmp_path: Path) -> None:
    """Files and directories that a .krmignore names aren't read; patterns are those of .gitignore."""
    names = [
        "a.yaml",
        "gen/b.yaml",
        "gen/keep.yaml",
        "sub/c.yaml",
        "sub/x/d.yaml",
        "sub/y/d.yaml",
        "z1.yaml",
        "z2.yaml",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(STREAMS["plain"])

    def left() -> list[str]:
        return [one.path for one in Package(None, [str(tmp_path)], root=str(tmp_path)).read().items]

    assert left() == ["a.yaml", "z1.yaml", "z2.yaml", *names[1:6]]
    (tmp_path / ".krmignore").write_text("# why\n\ngen/*\n!gen/keep.yaml\n/c.yaml\nz[1-1].yaml\n")
    (tmp_path / "sub" / ".krmignore").write_text("x/\n**/d.yaml\n!y/d.yaml\n")
    assert left() == ["a.yaml", "z2.yaml", "gen/keep.yaml", "sub/c.yaml", "sub/y/d.yaml"]


@pytest.mark.parametrize(
    "problem", ["a: 1\na: 2", "a: !mine x", "a: .nan", "? [a]\n: b", "a: *b", "l:\n- |\n  x\n- {[a]: b}"]
)
def test_documents_that_can_not_be_read(tmp_path: Path, problem: str) -> None:
    """A document that is YAML, but can't be read, is an item that goes out as it came; reading it names the place."""
    text = (
        f"# one\n{STREAMS['plain']}---\n# two\napiVersion: v1\nkind: B\n{problem} # why\n# end\n---\n{STREAMS['plain']}"
    )
    made = package(tmp_path, a=text)
    rl = made.read()
    one, bad, three = rl.items
    one.labels["x"] = three.labels["x"] = "z"
    assert (bad.is_readable, bad.path, len(rl.items.where()), len(rl.items.where(kind="A"))) == (False, "a.yaml", 2, 2)
    for read in (lambda: bad.kind, lambda: bad["a"], lambda: bad.get("a"), lambda: bad.labels, bad.to_dict):
        with pytest.raises(InputError, match=r"a.yaml, line 9|a.yaml, line 1[0-3]"):
            read()
    labelled = f"{STREAMS['plain']}  labels:\n    x: z\n"
    ((_, _, now),) = made.changes(rl)
    assert now == text.replace(STREAMS["plain"], labelled).encode()
    rl = made.read()
    rl.items.remove(rl.items[1])
    ((_, _, now),) = made.changes(rl)
    assert now is not None and b"kind: B" not in now and now.count(b"kind: A") == 2


@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(STREAMS)), st.sampled_from(["---\n", "--- # x\n", "---\n# x\n---\n"])),
        max_size=4,
    ),
    st.data(),
)
def test_any_streams(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Documents of all kinds, one behind the other: what isn't changed stays byte for byte, in the file too."""
    skipped = {"crlf", "bom", "directive", "kept newlines", "no newline at the end"}
    text = "".join(marker + STREAMS[name].removeprefix("---\n") for name, marker in parts if name not in skipped)
    made = package(tmp_path_factory.mktemp("streams"), a=text)
    rl = made.read()
    assert without_places(made.as_list(made.read())) == contents(text)
    wanted = contents(text)
    for at, item in enumerate(rl.items):
        if data.draw(st.booleans()):
            item.labels["added"] = "here"
            wanted[at]["metadata"].setdefault("labels", {})["added"] = "here"
    ((_, _, now),) = [*made.changes(rl)] or [("", b"", text.encode())]
    assert now is not None
    assert contents(now.decode()) == wanted


def test_a_rare_form_in_a_document_that_moves(tmp_path: Path) -> None:
    """A document that is edited beside a block that keeps its blank lines has its values in another file, too."""
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: A\nmetadata: {name: a}\na: |+\n  x\n\nb: 1\n\nc: 2\n")
    made = Package(None, [str(tmp_path)], root=str(tmp_path))
    rl = made.read()
    del rl.items[0]["b"]
    rl.items[0].move_to("b.yaml")
    after = {name: now for name, _, now in made.changes(rl)}
    assert after["a.yaml"] is None
    (found,) = contents(after["b.yaml"].decode())
    assert (found["a"], found["c"], "b" in found) == ("x\n\n", 2, False)
