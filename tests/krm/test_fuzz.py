"""Several random edits of random resources, as items of a list and as documents of a file.

Each comment of a document is unique, and each line is known by the value that it belongs to. So after the edits it can
be said of each comment and each line whether it must still be there. What comes out is read by two other parsers.

The environment variable CROSSPLANE_LITE_FUZZ says how many runs the slow test makes.
"""

from __future__ import annotations

import copy
import io
import os
import re
from collections import Counter
from random import Random
from typing import Any

import pytest

from crossplane_lite.krm.files import Package
from crossplane_lite.krm.resource_list import ResourceList
from tests.krm.text.test_random_edits import equal, read

RUNS = int(os.environ.get("CROSSPLANE_LITE_FUZZ", "6000"))
_MARK = re.compile(r"# ~\d+~")

Path = tuple[Any, ...]


class Source:
    """A random document: its lines, each with the path of the value that it belongs to, and what it says."""

    def __init__(self, r: Random) -> None:
        self._r = r
        self._number = 0
        self._offset = r.choice([0, 0, 2])
        self.lines: list[tuple[str, Path]] = []
        self.owners: dict[str, Path] = {}
        self.value: dict[str, Any] = {}
        self._head(0, ())
        fields = {
            "apiVersion": "v1", "kind": f"A{r.randrange(10**6)}", "metadata": self._metadata(),
            "spec": self._any(3), "data": self._any(1),
        }  # fmt: skip
        keys = list(fields)
        r.shuffle(keys)
        self.value = {key: fields[key] for key in keys}
        for at, (key, one) in enumerate(self.value.items()):
            self._field(key, one, 0, (key,), is_first=at == 0)

    def _metadata(self) -> dict[str, Any]:
        found: dict[str, Any] = {"name": f"n{self._r.randrange(9)}"}
        for key in ("labels", "annotations"):
            if self._r.random() < 0.6:
                found[key] = {f"l{at}": self._text() for at in range(self._r.randint(1, 3))}
        return found

    def _text(self) -> str:
        return self._r.choice(
            ["x", "two words", "1", "yes", "a:b", "ä", "-x", "", "https://x/y", "it's", "1.0", "null"]
        )

    def _scalar(self) -> Any:
        return self._r.choice([self._text(), self._text(), 1, 2.5, True, False, None, "one\ntwo\n", "# no\ncomment"])

    def _any(self, depth: int) -> Any:
        kind = self._r.randrange(5 if depth else 1)
        if kind == 0:
            return self._scalar()
        if kind <= 2:
            return {f"k{at}": self._any(depth - 1) for at in self._r.sample(range(9), self._r.randint(1, 4))}
        if kind == 3:
            return [self._scalar() for _ in range(self._r.randint(1, 4))]
        key = self._r.choice(["name", "step", "path"])
        return [{key: f"e{at}", "v": self._any(depth - 1)} for at in range(self._r.randint(1, 4))]

    # Text

    def _mark(self, owner: Path) -> str:
        self._number += 1
        mark = f"# ~{self._number}~"
        self.owners[mark] = owner
        return mark

    def _add(self, line: str, owner: Path) -> None:
        self.lines.append((line, owner))

    def _head(self, column: int, owner: Path) -> None:
        if self._r.random() < 0.25:
            self._add(" " * column + self._mark(owner), owner)

    def _line(self, owner: Path) -> str:
        return f" {self._mark(owner)}" if self._r.random() < 0.25 else ""

    def _plain(self, one: Any) -> str:
        if not isinstance(one, str):
            return "null" if one is None else str(one).lower()
        if one in ("x", "two words", "a:b", "ä", "-x", "https://x/y") and self._r.random() < 0.7:
            return one
        return "'" + one.replace("'", "''") + "'" if self._r.random() < 0.5 and "\n" not in one else _quoted(one)

    def _field(self, key: str, one: Any, column: int, path: Path, *, is_first: bool = False, lead: str = "") -> None:
        pad = lead or " " * column
        if not is_first:
            self._head(column, path)
        self._slot(f"{pad}{key}:", one, column, path, in_list=False)

    def _slot(self, head: str, one: Any, column: int, path: Path, *, in_list: bool) -> None:
        """Write what stands behind a colon or dash."""
        if isinstance(one, (dict, list)) and self._r.random() < 0.2 and not _long(one):
            self._add(f"{head} {self._flow(one)}{self._line(path)}", path)
        elif isinstance(one, dict) and in_list:
            for at, (key, child) in enumerate(one.items()):
                self._field(key, child, column + 2, (*path, key), is_first=at == 0, lead=f"{head} " if at == 0 else "")
        elif isinstance(one, dict):
            self._add(head + self._line(path), path)
            for key, child in one.items():
                self._field(key, child, column + 2, (*path, key))
        elif isinstance(one, list):
            self._add(head + self._line(path), path)
            inner = column + self._offset
            for at, child in enumerate(one):
                self._head(inner, (*path, at))
                self._slot(" " * inner + "-", child, inner, (*path, at), in_list=True)
        elif isinstance(one, str) and "\n" in one and self._r.random() < 0.8:
            self._add(f"{head} |{'' if one.endswith(chr(10)) else '-'}{self._line(path)}", path)
            for line in one.removesuffix("\n").split("\n"):
                self._add(" " * (column + 2) + line, path)
        else:
            self._add(f"{head} {self._plain(one)}{self._line(path)}", path)

    def _flow(self, one: Any) -> str:
        if isinstance(one, dict):
            return "{" + ", ".join(f"{key}: {self._flow(child)}" for key, child in one.items()) + "}"
        if isinstance(one, list):
            return "[" + ", ".join(self._flow(child) for child in one) + "]"
        return _quoted(one) if isinstance(one, str) else self._plain(one)


def _long(one: Any) -> bool:
    return len(str(one)) > 60


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _paths(one: Any, kinds: tuple[type, ...], at: Path = ()) -> list[Path]:
    found = [at] if isinstance(one, kinds) and at else []
    children = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
    for key, child in children:
        found += _paths(child, kinds, (*at, key))
    return found


def _at(one: Any, path: Path) -> Any:
    for step in path:
        one = one[step]
    return one


class Edited:
    """A resource under edit, the value that it is to have, and the paths of the source that are touched."""

    def __init__(self, r: Random, item: Any, source: Source) -> None:
        self._r = r
        self._item = item
        self._source = source
        self.model = copy.deepcopy(source.value)
        # Of each value that was there, the path in the source, by the identity of its container and its key there.
        self._origins: dict[int, list[Any]] = {}
        self.touched: set[Path] = set()  # these values are others now, or gone, with all that is in them
        self.opened: set[Path] = set()  # in these, something came or went
        self._remember(self.model, ())

    def _remember(self, one: Any, path: Path) -> None:
        self._origins[id(one)] = [one, path]
        for key, child in one.items() if isinstance(one, dict) else enumerate(one):
            if isinstance(child, (dict, list)):
                self._remember(child, (*path, key))

    def _origin(self, holder: Any) -> Path | None:
        found = self._origins.get(id(holder))
        return None if found is None else found[1]

    def _touch(self, holder: Any, key: Any) -> None:
        """Note that a value of an object or list is another one from now on, or gone."""
        path = self._origin(holder)
        if path is None:
            return
        child = holder[key]
        own = self._origin(child) if isinstance(child, (dict, list)) else None
        self.touched.add(own if own is not None else (*path, key))
        self.opened.add(path)

    def edit(self) -> None:
        """Make one edit."""
        kind = self._r.randrange(7)
        holders = [path for path in _paths(self.model, (dict, list)) if path[0] not in ("apiVersion", "kind")]
        path = self._r.choice(holders)
        model, view = _at(self.model, path), _at(self._item, path)
        if kind == 0:
            self.model["metadata"].setdefault("labels", {})["new"] = "label"
            self._item.labels["new"] = "label"
            self.opened |= {("metadata",), ("metadata", "labels")}
        elif kind == 1:
            name = f"m{self._r.randrange(99)}"
            self._touch(self.model["metadata"], "name")
            self.model["metadata"]["name"] = name
            self._item.name = name
        elif isinstance(model, dict):
            self._edit_object(model, view, path)
        else:
            self._edit_list(model, view)

    def _new(self, path: Path) -> Any:
        if path[0] == "metadata":
            return self._r.choice(["t", "other words", "7", "no"])
        return self._r.choice(["t", "other words", 7, False, None, "no", ["a", "b"], {"x": "y"}, "three\nfour\n"])

    def _edit_object(self, model: Any, view: Any, path: Path) -> None:
        key = self._r.choice([*model, "added"])
        if path == ("metadata",) and key in ("name", "labels", "annotations"):
            return
        if key in model and self._r.random() < 0.4:
            self._touch(model, key)
            del model[key]
            del view[key]
            return
        value = self._new(path)
        if path == ("metadata",):
            key, value = "generateName", "x"
        if key in model:
            self._touch(model, key)
        else:
            self.opened.add(self._origin(model) or ())
        model[key] = copy.deepcopy(value)
        view[key] = value

    def _edit_list(self, model: list[Any], view: Any) -> None:
        origin = self._origin(model)
        what = self._r.randrange(5)
        if origin is not None:
            self.opened.add(origin)
            # Texts and numbers in a list that changes are known by nothing but their places.
            scalars = any(not isinstance(one, (dict, list)) for one in model)
            if scalars or what == 4:
                self.touched.add(origin)
        if what == 0:
            model.append("last")
            view.append("last")
        elif what == 1:
            at = self._r.randint(0, len(model))
            model.insert(at, {"name": "inserted"})
            view.insert(at, {"name": "inserted"})
        elif what == 2 and model:
            at = self._r.randrange(len(model))
            if isinstance(model[at], (dict, list)):
                self._touch(model, at)
            del model[at]
            del view[at]
        elif what == 3:
            model.reverse()
            view.reverse()
        else:
            model[:] = [*copy.deepcopy(model), "last"]
            view[:] = [*view.copy(), "last"]

    # What must be there still

    def stays(self, path: Path) -> bool:
        """Say whether a value of the source is as it was, and where it was."""
        return not any(path[: len(one)] == one for one in self.touched)

    def keeps_line(self, path: Path) -> bool:
        """Say whether a line of a value must be as it was."""
        return (
            self.stays(path) and path not in self.opened and not any(one[: len(path)] == path for one in self._inside)
        )

    @property
    def _inside(self) -> set[Path]:
        """The touched values: a line that holds one in brackets changes with it."""
        return self.touched | self.opened


def check(seed: int) -> None:
    """Make one run, in both modes."""
    r = Random(seed)
    sources = [Source(r) for _ in range(r.randint(1, 3))]
    newline = r.choice(["\n", "\n", "\r\n"])
    texts = ["".join(f"{line}\n" for line, _ in source.lines) for source in sources]
    state = r.getstate()
    for in_files in (False, True):
        r.setstate(state)
        if in_files:
            data = "---\n".join(texts)
            package = Package(None, ["-"], data.replace("\n", newline).encode())
            rl = package.read()
        else:
            items = "".join("- " + text.replace("\n", "\n  ").removesuffix("  ") for text in texts)
            data = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}"
            rl = ResourceList.read(data.replace("\n", newline).encode())
        edits = [Edited(r, item, source) for item, source in zip(rl.items, sources, strict=True)]
        for edited in edits:
            for _ in range(r.randint(0, 4)):
                edited.edit()
        if in_files:
            changes = package.changes(rl)
            out = (changes[0][2] or b"").decode() if changes else data.replace("\n", newline)
            parts = re.split(r"(?m)^---\r?\n", out)
        else:
            out = rl.write().decode()
            parts = re.split(r"(?m)^- ", out.partition(f"items:{newline}")[2])[1:]
        if in_files:
            # With the last annotation their object goes: orchestrators add some of their own.
            for edited in edits:
                if edited.model["metadata"].get("annotations") == {}:
                    del edited.model["metadata"]["annotations"]
                    edited.touched.add(("metadata", "annotations"))
                    edited.opened.add(("metadata",))
        assert newline == "\n" or "\n" not in out.replace("\r\n", ""), seed
        found = [read(part) for part in re.split(r"(?m)^---\r?\n", out)] if in_files else read(out)["items"]
        assert equal(found, [edited.model for edited in edits]), (seed, found, [edited.model for edited in edits], out)
        for edited, source, part in zip(edits, sources, parts, strict=True):
            compare(seed, edited, source, part.replace("\r\n", "\n"))
        if seed % 25 == 0:
            read_by_ruamel(out, [edited.model for edited in edits], in_files)


def compare(seed: int, edited: Edited, source: Source, text: str) -> None:
    """Compare the comments and lines of a document with what must be there."""
    marks = Counter(_MARK.findall(text))
    assert set(marks.values()) <= {1}, (seed, "a comment twice", marks)
    assert set(marks) <= set(source.owners), (seed, "a comment from nowhere")
    lost = [owner for mark, owner in source.owners.items() if mark not in marks and edited.stays(owner)]
    assert lost == [], (seed, "comments of values that stay are gone", lost, text)
    left = Counter(line.lstrip(" -") for line in text.splitlines())
    for line, owner in source.lines:
        if edited.keeps_line(owner):
            assert left[line.lstrip(" -")] > 0, (seed, "a line is gone", line, owner, text)
    if not edited.touched and not edited.opened:
        assert [line for line, _ in source.lines] == [line.removeprefix("  ") for line in text.splitlines()] or [
            line for line, _ in source.lines
        ] == text.splitlines(), (seed, "an unedited document differs", text)


def read_by_ruamel(text: str, models: list[Any], in_files: bool) -> None:
    """Read what came out with ruamel.yaml, which follows YAML 1.2."""
    ruamel = pytest.importorskip("ruamel.yaml", reason="the second parser is not installed")
    reader = ruamel.YAML(typ="safe", pure=True)
    found = list(reader.load_all(io.StringIO(text))) if in_files else reader.load(io.StringIO(text))["items"]
    assert equal(found, models)


@pytest.mark.slow
def test_some() -> None:
    """Values are right by two parsers, comments stay with values that stay, and other lines are as they were."""
    for seed in range(60):
        check(seed)


@pytest.mark.slow
def test_many() -> None:
    """The same, of many more documents."""
    for seed in range(1000, 1000 + RUNS // 2):  # each run is two: a list and a file
        check(seed)
