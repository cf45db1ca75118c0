"""Files as a ResourceList and back, for a function that is run without an orchestrator.

A document goes into the list as its own text, two columns to the right, and comes back the same way. Where the function
hasn't changed it, its file keeps it byte for byte. Where it is from goes along in the annotations that orchestrators
use, and these are taken out again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..errors import InputError
from ._text import Text, YamlNode, parse
from .annotations import INDEXES, PATHS, file_of

__all__ = ["Package", "unwrapped"]

_SUFFIXES: Final = (".yaml", ".yml")
_LABEL: Final = "the list of all items"

# What is between documents: markers with the rest of their line where that is empty or a comment.
_MARKER: Final = re.compile(r"^(?:---|\.\.\.)(?:[ \t]*(?:#.*)?(?:\n|\Z)|[ \t]+)", re.MULTILINE)
_DASH: Final = re.compile(r"^( *)-(?=[ \r\n])", re.MULTILINE)
# Line breaks that only YAML 1.1 knows; what stands behind one can't be moved to the right.
_OTHER_BREAKS: Final = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


class _File:
    """A file that was read.

    Attributes:
        path: Where it is; empty for stdin.
        data: What it held.
        pieces: Its text in pieces, with a bare newline at the ends of lines: documents and what is between them.
        documents: The index in `pieces` of each document.
    """

    def __init__(self, name: str, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self.pieces: list[str] = []
        self.documents: list[int] = []
        text = parse(data, name)
        other = _OTHER_BREAKS.search(text.text)
        if other is not None:
            raise InputError(
                f"{text.at(other.start())}: a U+{ord(other[0]):04X} ends a line here; write it as an escape"
            )
        self._newline = text.newline
        self._mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
        self._split(text.text.replace("\r\n", "\n"), [node.line for node in text.documents])

    def _split(self, text: str, lines: list[int]) -> None:
        at = 0
        for marker in [*_MARKER.finditer(text), None]:
            end = len(text) if marker is None else marker.start()
            begin = _first(text, at, end)
            first, last = (text.count("\n", 0, place) + 1 for place in (begin, end))
            holds = any(first <= line <= last for line in lines) and begin < end
            self.pieces.append(text[at : begin if holds else end])
            if holds:
                self.documents.append(len(self.pieces))
                self.pieces.append(text[begin:end])
            if marker is not None:
                self.pieces.append(marker[0])
                at = marker.end()

    def text(self, index: int) -> str:
        """Return the text of a document."""
        return self.pieces[self.documents[index]]

    def rewritten(self, texts: Mapping[int, str], more: Sequence[str]) -> bytes | None:
        """Return what the file is to hold, None where nothing is left of it.

        Args:
            texts: The texts of the documents that stay, by their index.
            more: Documents to append.
        """
        if not more and texts == {index: self.text(index) for index in range(len(self.documents))}:
            return self.data
        if not texts and not more:
            return None
        pieces = list(self.pieces)
        for index, at in enumerate(self.documents):
            pieces[at] = texts.get(index, "")
            if index not in texts:
                # With a document goes one of the markers around it.
                around = [one for one in (at + 1, at - 2) if 0 <= one < len(pieces) and pieces[one].startswith("---")]
                for one in around[:1]:
                    pieces[one] = ""
        text = "".join(pieces)
        return self._mark + _joined([text, *more] if text.strip() else more).replace("\n", self._newline).encode()


def _first(text: str, at: int, end: int) -> int:
    """Return where a document's own text begins: behind empty lines and directives."""
    while at < end:
        stop = text.find("\n", at, end) + 1 or end
        line = text[at:stop]
        if line.strip() and not line.startswith("%"):
            break
        at = stop
    return at


def _joined(documents: Sequence[str]) -> str:
    """Return documents as one stream."""
    text = ""
    for document in documents:
        if text:
            text = text if text.endswith("\n") else text + "\n"
            text += "---\n"
        text += document
    return text


class Package:
    """The files that a function is run on.

    Args:
        config: The file of functionConfig, None for none.
        items: Files, directories and `-` for stdin. Of a directory, and of those in it, the files that end in .yaml and
            .yml are read in the order of their names; hidden ones are left out.
        stdin: What `-` stands for.
        root: A directory that files are called relative to; empty for as they are given.

    Raises:
        InputError: One can't be read, or isn't YAML.
    """

    def __init__(self, config: str | None, items: Sequence[str], stdin: bytes = b"", *, root: str = "") -> None:
        self._root = root
        self._files: dict[str, _File] = {}
        for name, path in _paths(items, root):
            self._files.setdefault(name, _File(name, path, _read(path) if path else stdin))
        self._order = [(name, index) for name, file in self._files.items() for index in range(len(file.documents))]
        self.data = self._list(config)
        """The ResourceList that the function is to get."""
        self._before = dict(_items(self.data, _LABEL))

    def _list(self, config: str | None) -> bytes:
        lines = ["apiVersion: config.kubernetes.io/v1", "kind: ResourceList"]
        lines.append("items:" if self._order else "items: []")
        lines += [_moved(self._files[name].text(index), "- ") for name, index in self._order]
        if config is not None:
            file = _File(config, config, _read(config))
            if len(file.documents) != 1:
                raise InputError(
                    f"{config} must hold one document, the functionConfig (it holds {len(file.documents)})"
                )
            lines += ["functionConfig:", _moved(file.text(0), "  ")]
        text = parse(("\n".join(lines) + "\n").encode(), _LABEL)
        for (name, index), node in zip(self._order, _nodes(text), strict=True):
            for key, value in ((INDEXES[0], str(index)), (PATHS[0], name)):
                node.set(["metadata", "annotations", key], value)
        return text.dump()

    @property
    def contents(self) -> dict[str, bytes]:
        """What each file holds, by what it is called."""
        return {name: file.data for name, file in self._files.items()}

    def documents(self, output: bytes) -> str:
        """Return the items of a ResourceList as a stream of documents."""
        return _joined([text for _, _, text in self._placed(output)])

    def changes(self, output: bytes) -> Iterator[tuple[str, bytes | None, bytes | None]]:
        """Yield what a ResourceList makes of files: name, what it held and what it is to hold; None for no file."""
        texts: dict[str, dict[int, str]] = {name: {} for name in self._files}
        more: dict[str, list[str]] = {}
        for name, index, text in self._placed(output):
            if (name, index) in self._order and index not in texts[name]:
                texts[name][index] = text
            else:
                more.setdefault(name, []).append(text)
        for name, file in self._files.items():
            now = file.rewritten(texts[name], more.pop(name, []))
            if now != file.data:
                yield name, file.data, now
        for name, added in more.items():
            yield name, None, _joined(added).encode()

    def path(self, name: str) -> str:
        """Return where a file is, or will be, that is called by a name."""
        file = self._files.get(name)
        if file is not None:
            return file.path or name
        return os.path.normpath(os.path.join(self._root, name)) if self._root else name

    def _placed(self, output: bytes) -> Iterator[tuple[str, int, str]]:
        """Yield the file, the index in it and the text of each item, without what was added for the list."""
        for place, text in _items(output, "the function's output"):
            name, index = place
            if self._before.get(place) == text:
                yield name, index, self._files[name].text(index)
            else:
                yield name, index, _clean(text, name)

    def write(self, output: bytes) -> list[str]:
        """Write to files what a ResourceList makes of them, and return their paths.

        Raises:
            InputError: One can't be written, or is outside of the package.
        """
        written = []
        changes = list(self.changes(output))
        for name, _, _ in changes:
            if name not in self._files and (os.path.isabs(name) or ".." in name.split("/")):
                raise InputError(f"can't write {name}: an item's file must be within the package; nothing was written")
        for name, _, now in changes:
            path = self.path(name)
            try:
                _replace(path, now)
            except OSError as e:
                raise InputError(f"can't write {path}: {e.strerror or e}") from e
            written.append(path)
        return written


def _paths(items: Sequence[str], root: str) -> Iterator[tuple[str, str]]:
    """Yield what files are called, with slashes, and their paths."""
    for item in items:
        if item == "-":
            yield "stdin", ""
        elif not os.path.isdir(item):
            yield _called(item, root), item
        else:
            for folder, folders, names in os.walk(item):
                folders[:] = sorted(one for one in folders if not one.startswith("."))
                for one in sorted(names):
                    if one.endswith(_SUFFIXES) and not one.startswith("."):
                        path = os.path.normpath(os.path.join(folder, one))
                        yield _called(path, root), path


def _called(path: str, root: str) -> str:
    return (os.path.relpath(path, root) if root else os.path.normpath(path)).replace(os.sep, "/")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as e:
        raise InputError(f"can't read {path}: {e.strerror or e}") from e


def _replace(path: str, data: bytes | None) -> None:
    """Write a file in one step, so that a full disk leaves what there is; None removes it."""
    if data is None:
        os.unlink(path)
        return
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    beside = os.path.join(folder, f".{name[:100]}-{os.getpid()}.tmp")
    try:
        with open(beside, "xb") as file:
            file.write(data)
        if os.path.exists(path):
            os.chmod(beside, os.stat(path).st_mode & 0o7777)
        os.replace(beside, path)
    finally:
        if os.path.lexists(beside):
            os.unlink(beside)


def unwrapped(data: bytes) -> str:
    """Return the items of any ResourceList as a stream of documents."""
    label = "the function's output"
    text = parse(data, label)
    node = text.root.child("items")
    if node is not None and not node.style and not text.root.style and node.children():
        return _joined([_clean(document, label) for _, document in _items(data, label)])
    from .._manifests.yaml import dump

    return dump([one.value() for one in _nodes(text)], sort_keys=False)


def _moved(text: str, first: str) -> str:
    """Return a document's text two columns to the right."""
    lines = text.removesuffix("\n").split("\n")
    return "\n".join(f"{'  ' if at else first}{line}" if line else line for at, line in enumerate(lines))


def _nodes(text: Text) -> list[YamlNode]:
    node = text.root.child("items")
    return [] if node is None else node.children()


def _items(data: bytes, label: str) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield the file and index of each item of a list in block style, and its text as a document."""
    text = parse(data, label)
    nodes = _nodes(text)
    if not nodes:
        return
    dashes = [dash for dash in _DASH.finditer(text.text, 0, nodes[0].start) if len(dash[1]) < _column(text, nodes[0])]
    deep = len(dashes[-1][1])
    tops = [top.start() for top in re.compile(rf"^ {{0,{deep}}}[^ \n#]", re.MULTILINE).finditer(text.text)]
    for node in nodes:
        begin = max(top for top in tops if top <= node.start)
        end = min((top for top in tops if top > node.start), default=len(text.text))
        document = text.text[begin:end].replace("\r\n", "\n").split("\n")
        yield _place(node.value()), "\n".join(_shifted(line, deep + 2) for line in document)


def _column(text: Text, node: YamlNode) -> int:
    return node.start - (text.text.rfind("\n", 0, node.start) + 1)


def _shifted(line: str, columns: int) -> str:
    """Return a line of an item without the columns before the item's text."""
    before = line[:columns]
    return line[columns:] if not before.strip(" -") else line.lstrip(" ")


def _place(item: Mapping[str, Any]) -> tuple[str, int]:
    """Return the file and index that an item is for; for a new one a file that is called after it."""
    metadata = item.get("metadata") or {}
    found = file_of(metadata.get("annotations"))
    if found is not None:
        return found
    name = "_".join(str(part).lower() for part in (item.get("kind", "item"), metadata.get("name", "")) if part)
    return re.sub(r"[^a-z0-9._-]+", "-", name) + ".yaml", 0


def _clean(document: str, name: str) -> str:
    """Return a document's text without the annotations that say where it is from."""
    text = parse(document.encode(), name)
    node = text.root
    found = node.get(["metadata", "annotations"])
    if isinstance(found, dict):
        mine = [key for key in found if key in (*PATHS, *INDEXES)]
        for key in mine:
            node.delete(["metadata", "annotations", key])
        if mine and len(mine) == len(found):
            node.delete(["metadata", "annotations"])
    written = text.dump().decode()
    return _as_json(text, written) if name.endswith(".json") else written


def _as_json(text: Text, written: str) -> str:
    """Return a document's text as JSON."""
    import json

    try:
        json.loads(written)
    except ValueError:
        return json.dumps(text.root.value(), indent=2, ensure_ascii=False) + "\n"
    return written
