"""Searches people's YAML files for edits that go wrong: `python -m tests.krm.search FOLDER [--edits N] [--runs N]`.

Each file must come out byte for byte without an edit. Then single edits, and runs of several ones, are made in its
documents: values are set, removed, moved and renamed, also from one document to another, and lists get another order.
Another reader reads the file then: it must have the values of the edits, and each comment of each value that is still
there. A single edit must not change more lines than those of the values that it is about.
"""

from __future__ import annotations

import argparse
import collections
import difflib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from crossplane_lite._tools.manifests.yaml import parse_documents
from crossplane_lite.errors import CrossplaneLiteError
from crossplane_lite.krm._text import Text, Unreadable, parse
from crossplane_lite.krm.resource import Resource

__all__ = ["Box", "changed", "check", "main", "marked", "notes_in", "read", "usable"]

VALUES = ["new", "yes", "1", "", 7, None, True, "two\nlines\n", {"x": ["y", {"z": 1}]}, ["a", "b"], {}, []]
MARKS = 12


class Box:
    """A value of the model, with the comments that belong to it.

    Attributes:
        value: A scalar, or a dict or a list of boxes.
        notes: The lines of its own comments.
        lines: How many lines of the text are its own, with those of the values in it.
        is_flow: Whether it is written in brackets, or in a value that is.
        is_moved: Whether it has got another key or place.
        is_set: Whether it was set; a text or number is another one then, and moves without the comments of the old one.
    """

    def __init__(self, value: Any, notes: Sequence[str] = (), lines: int = 1, *, is_flow: bool = False) -> None:
        self.value = value
        self.notes = list(notes)
        self.lines = lines
        self.is_flow = is_flow
        self.is_moved = self.is_set = False

    @classmethod
    def of(cls, value: Any) -> Box:
        """Return a new value without comments."""
        if isinstance(value, dict):
            inner: Any = {key: cls.of(one) for key, one in value.items()}
            return cls(inner, lines=1 + sum(one.lines for one in inner.values()))
        if isinstance(value, list):
            inner = [cls.of(one) for one in value]
            return cls(inner, lines=1 + sum(one.lines for one in inner))
        return cls(value, lines=1 + str(value).count("\n"))

    def plain(self) -> Any:
        """Return the value as plain data."""
        if isinstance(self.value, dict):
            return {key: one.plain() for key, one in self.value.items()}
        return [one.plain() for one in self.value] if isinstance(self.value, list) else self.value

    def all_notes(self) -> Iterator[str]:
        """Yield the lines of its comments, and of those of the values in it."""
        yield from self.notes
        for one in self.children():
            yield from one.all_notes()

    def children(self) -> list[Box]:
        """Return the values in it."""
        if isinstance(self.value, dict):
            return list(self.value.values())
        return list(self.value) if isinstance(self.value, list) else []


def _boxed(node: Any, value: Any, notes: dict[Any, list[str]], path: tuple[Any, ...], *, is_flow: bool) -> Box:
    """Return the model of a value in a document."""
    while node is not None and hasattr(node.content, "content"):
        node, is_flow = node.content, True  # an alias: what it stands for isn't written there
    flow = is_flow or node is None or node.style in ("{", "[") or node.anchor is not None
    inner: Any = value
    if isinstance(value, (dict, list)):
        keys: Any = value if isinstance(value, dict) else range(len(value))
        boxes = [
            _boxed(None if node is None else node.child(key), value[key], notes, (*path, key), is_flow=flow)
            for key in keys
        ]
        inner = dict(zip(keys, boxes, strict=True)) if isinstance(value, dict) else boxes
    box = Box(inner, notes.get(path, ()), is_flow=flow)
    if node is None:
        box.lines = Box.of(value).lines
    else:
        end = node.end if node.end >= 0 else node.start
        box.lines = node.doc.text.count("\n", node.start, end) + 2 + len(box.notes)
    return box


class Document:
    """A document of a stream, and its model."""

    def __init__(self, root: Any) -> None:
        self.resource = Resource._of_node(root, "it")
        notes: dict[Any, list[str]] = {}
        for one in self.resource.all_comments():
            text = "\n".join((one.head, one.line, one.foot))
            notes[one._steps] = [line for line in text.split("\n") if line.strip()]
        self.model = _boxed(root, root.value(), notes, (), is_flow=False)

    def holders(self) -> list[tuple[tuple[Any, ...], Box]]:
        """Return the paths and the models of all objects and lists, without the metadata."""
        found: list[tuple[tuple[Any, ...], Box]] = []
        work: list[tuple[tuple[Any, ...], Box]] = [((), self.model)]
        while work:
            path, box = work.pop()
            if path[:1] in (("metadata",), ("apiVersion",), ("kind",)) or not isinstance(box.value, (dict, list)):
                continue
            found.append((path, box))
            items = box.value.items() if isinstance(box.value, dict) else enumerate(box.value)
            work += [((*path, key), one) for key, one in items]
        return found

    def view(self, path: tuple[Any, ...]) -> Any:
        """Return the live view at a path."""
        found: Any = self.resource
        for step in path:
            found = found[step]
        return found


_FIXED = ("metadata", "apiVersion", "kind")


def _keys(path: tuple[Any, ...], box: Box) -> list[Any]:
    """Return the keys or indexes of the values that may be edited."""
    if isinstance(box.value, list):
        return list(range(len(box.value)))
    return [key for key in box.value if path or key not in _FIXED]


def _edit(r: Random, documents: list[Document]) -> int:
    """Make one random edit in a document, or in two, and the same one in the models.

    Args:
        r: The source of chance.
        documents: The documents of one stream.

    Returns:
        How many lines of the text it may change.
    """
    one = r.choice(documents)
    has_aliases = bool(one.resource._node.doc.aliases)  # type: ignore[union-attr]
    path, box = r.choice(one.holders())
    view, keys = one.view(path), _keys(path, box)
    kind = r.choice(("set", "add", "delete", "order", "move", "move", "rename", "rename", "wrap"))
    if not keys or kind == "add":
        return _add(r, view, box)
    key = r.choice(keys)
    if kind == "set":
        return _set(r, view, box, key)
    if kind == "order" and isinstance(box.value, list):
        order = list(range(len(box.value)))
        r.shuffle(order)
        view[:] = [view[at] for at in order]
        box.value[:] = [box.value[at] for at in order]
        return 2 * box.lines
    if kind == "order":
        order = [key for key in box.value if path or key in keys]
        r.shuffle(order)
        for key in order:
            view[key], box.value[key] = view.pop(key), box.value.pop(key)
        return 2 * box.lines
    moved = view.pop(key)
    inner = box.value.pop(key)
    if inner.is_set:
        inner.notes = []
    emptied = 0 if box.value else 2  # it is written `{}` or `[]`, on the line of its key
    if kind == "delete":
        return int(inner.lines) + emptied
    if kind == "rename" and isinstance(box.value, dict):
        name = f"renamed{r.randrange(99)}"
        view[name], box.value[name] = moved, inner
        inner.is_moved = True
        return 2 * int(inner.lines)
    if not isinstance(inner.value, (dict, list)):
        # A number has nothing by which it could be known again.
        is_known = isinstance(inner.value, str) and len(inner.value) > 1 and not has_aliases
        inner = Box(inner.value, inner.notes if is_known else (), inner.lines)
        inner.is_moved = True
    other = r.choice(documents)
    path, target = r.choice(other.holders())
    there = other.view(path)
    if target.is_flow:
        inner = Box(Box.of(inner.plain()).value, lines=inner.lines)  # in brackets comments have no place
    if kind == "wrap":
        moved, inner = {"in": moved, "z": 1}, Box({"in": inner, "z": Box(1)}, lines=inner.lines + 2)
    if isinstance(target.value, list):
        at = r.randint(0, len(target.value))
        there.insert(at, moved)
        target.value.insert(at, inner)
    else:
        name = f"moved{r.randrange(99)}"
        there[name], target.value[name] = moved, inner
    return 2 * int(inner.lines) + 2 + emptied + (Box.of(target.plain()).lines if target.is_flow else 0)


def _add(r: Random, view: Any, box: Box) -> int:
    value = r.choice(VALUES)
    if isinstance(box.value, list):
        at = r.randint(0, len(box.value))
        view.insert(at, value)
        box.value.insert(at, Box.of(value))
    else:
        key = f"added{r.randrange(9)}"
        view[key], box.value[key] = value, Box.of(value)
    return Box.of(value).lines


def _set(r: Random, view: Any, box: Box, key: Any) -> int:
    value, before = r.choice(VALUES), box.value[key]
    view[key] = value
    made = Box.of(value)
    made.is_flow = before.is_flow
    lines = int(before.lines) + made.lines
    is_scalar = not isinstance(before.value, (dict, list)) and not isinstance(value, (dict, list))
    # An element has no key: if others go, it is known by its value only.
    is_kept = is_scalar and isinstance(box.value, dict) and not before.is_moved
    made.notes = before.notes if is_kept else []
    made.is_set = True
    box.value[key] = made
    return lines


def read(data: bytes) -> list[Any]:
    return [one.content for one in parse_documents(data.decode("utf-8-sig"), "it", extra="krm", as_written=True)]


def notes_in(data: bytes) -> collections.Counter[str]:
    """Return all that may be a comment in a text: for each sign the rest of the line."""
    found: collections.Counter[str] = collections.Counter()
    for line in data.decode("utf-8-sig").splitlines():
        for at in re.finditer("#", line):
            found[line[at.end() :].removeprefix(" ").rstrip()] += 1
    return found


def marked(r: Random, data: bytes) -> bytes:
    """Return a stream in which some values have comments of their own, which occur once."""
    text = parse(data)
    for at, root in enumerate(text.documents):
        resource = Resource._of_node(root, "it")
        places = [(one, place) for one in resource.all_comments() for place in ("head", "line")]
        for number, (one, place) in enumerate(r.sample(places, min(MARKS, len(places)))):
            if not getattr(one, place):
                try:
                    setattr(one, place, f"mark {at} {number}")
                except CrossplaneLiteError:
                    continue  # YAML has no place for it there
        try:
            resource._write()
        except CrossplaneLiteError:
            return data  # a comment would become another value's there
    return text.dump()


def check(r: Random, data: bytes, edits: int) -> str:
    """Edit the documents of a stream; return what went wrong, an empty text if nothing did."""
    text: Text = parse(data)
    documents = [Document(root) for root in text.documents]
    most = sum(_edit(r, documents) for _ in range(edits))
    try:
        for one in documents:
            one.resource._write()
        out = text.dump()
    except CrossplaneLiteError as error:
        return f"refused: {error}"
    try:
        found = read(out)
    except CrossplaneLiteError:
        return "invalid"
    models = [one.model.plain() for one in documents]
    if not _equal(found, models):
        return "wrong"
    if not text.aliases and "<<" not in text.text and repr(_keys_of(found)) != repr(_keys_of(models)):
        return "another order"
    wanted = collections.Counter(note.rstrip() for one in documents for note in one.model.all_notes())
    lost = wanted - notes_in(out)
    if lost:
        return f"lost: {dict(lost)}"
    if edits == 1 and not text.aliases and (many := changed(data, out)) > most + 2:
        return f"lines: {many} and not {most}"
    return ""


def changed(before: bytes, after: bytes) -> int:
    """Return how many lines of two texts are only in one of them."""
    matcher = difflib.SequenceMatcher(None, before.decode().splitlines(), after.decode().splitlines(), autojunk=False)
    return sum(two - one + four - three for kind, one, two, three, four in matcher.get_opcodes() if kind != "equal")


def _keys_of(value: Any) -> Any:
    """Return the keys of all objects in a value, in their order."""
    if isinstance(value, dict):
        return [(key, _keys_of(one)) for key, one in value.items()]
    return [_keys_of(one) for one in value] if isinstance(value, list) else None


def _equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON: 2.0 is 2, and true isn't 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def usable(files: Sequence[Path], largest: int) -> tuple[list[tuple[Path, bytes]], int, int]:
    """Return the files that can be edited, how many can't be read, and how many come out otherwise without an edit."""
    found: list[tuple[Path, bytes]] = []
    unread = changed = 0
    for file in files:
        data = file.read_bytes()
        if len(data) > largest:
            continue
        try:
            text = parse(data)
        except CrossplaneLiteError:
            unread += 1
            continue
        changed += text.dump() != data
        if text.documents and not any(isinstance(root.content, Unreadable) for root in text.documents):
            found.append((file, data))
    return found, unread, changed


def main(argv: Sequence[str] | None = None) -> int:
    """Search, and print how many edits went wrong. Return 1 if one did."""
    parser = argparse.ArgumentParser(prog="python -m tests.krm.search")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=38_000, help="single edits; default: %(default)s")
    parser.add_argument("--runs", type=int, default=15_000, help="runs of 2 to 6 edits; default: %(default)s")
    parser.add_argument("--largest", type=int, default=60_000, help="bytes of the largest file that is edited")
    given = parser.parse_args(argv)
    files = sorted(one for folder in given.folders for one in folder.rglob("*") if one.suffix in (".yaml", ".yml"))
    found, unread, changed = usable(files, given.largest)
    print(f"{len(files)} files: {changed} changed, {unread} can't be read; {len(found)} are edited", flush=True)
    bad = changed
    for name, many, least, most in (("edits", given.edits, 1, 1), ("runs", given.runs, 2, 6)):
        wrong = 0
        for seed in range(many):
            r = Random(f"{name} {seed}")
            file, data = r.choice(found)
            problem = check(r, marked(r, data), r.randint(least, most))
            if problem:
                wrong += 1
                print(f"{name} {seed}, {file}: {problem}", flush=True)
        bad += wrong
        print(f"{many} {name}: {many - wrong} right", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
