"""Files as a ResourceList and back, for a function that is run without an orchestrator.

Items are the documents of the files, and are edited where they stand: an item that the function hasn't changed keeps
its text byte for byte. Annotations name an item's file, as those of an orchestrator do; they are never written into the
text of the document (`_placed`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..errors import InputError
from ._item_text import as_document, as_element, indented, joined, whole
from ._placed import Placed
from ._text import Text, YamlNode, parse
from ._text._documents import masked
from .resource import Resource
from .resource_list import ResourceList

__all__ = ["Package"]

_SUFFIXES: Final = (".yaml", ".yml")
_LABEL: Final = "the list of all items"

Changes = list[tuple[str, "bytes | None", "bytes | None"]]
"""Changes of files: name, old and new content; None stands for a file that doesn't exist."""


class _File:
    """One file of a package.

    Attributes:
        name: The file's name in messages.
        path: The file's path; empty for stdin.
        data: The file's content.
        problems: The mistakes in documents that are skipped.
        is_text: Whether the content is UTF-8 text.

    Raises:
        InputError: A document can't be read, and `skip` isn't set.
    """

    def __init__(self, name: str, path: str, data: bytes, *, skip: bool = False) -> None:
        self.name = name
        self.path = path
        self.data = data
        self.problems: list[str] = []
        self.is_text = True
        self._masked: tuple[str, str] | None = None
        try:
            self._read: Text | None = parse(data, name)
        except InputError as error:
            if not skip:
                raise
            self._read = None
            self._pass_over(error)

    def _pass_over(self, error: InputError) -> None:
        """Note the mistakes of the documents that can't be read, and read the file with spaces in place of them."""
        try:
            text = self.data.decode().removeprefix("\ufeff")
        except UnicodeDecodeError:
            text, left, problems = "", "", [str(error)]
            self.is_text = False
        else:
            left, problems = masked(text, self.name)
        self.problems = problems or [str(error)]
        self._masked = text, left
        self._read = self.text()

    def text(self) -> Text:
        """Return a `Text` of the file without edits; from the second call on, the content is read again."""
        found, self._read = self._read, None
        if found is not None:
            return found
        if self._masked is None:
            return parse(self.data, self.name)
        text, left = self._masked
        found = parse(left.encode(), self.name)
        found._data = self.data
        found.shown = text
        return found


class _Documents:
    """The documents of a package, read for one run of a function."""

    def __init__(self, files: Mapping[str, _File]) -> None:
        self.texts = {name: file.text() for name, file in files.items()}
        self.roots = {
            (name, index): root for name, text in self.texts.items() for index, root in enumerate(text.documents)
        }

    def resources(self) -> list[Resource]:
        """Return the documents as resources, in the order of the files."""
        many = {name: len(text.documents) for name, text in self.texts.items()}
        return [
            Resource._of_node(
                root, name if many[name] == 1 else f"{name}, document {index + 1}", placed=Placed(name, index)
            )
            for (name, index), root in self.roots.items()
        ]


class Package:
    """The files that a function is run on.

    Args:
        config: The file of functionConfig; None if there is none.
        items: Files, directories, and `-` for stdin. In a directory and the directories below it, the files that end in
            .yaml and .yml are read in the order of their names; hidden files and directories are left out.
        stdin: The content that `-` stands for.
        root: The directory that the names of files are relative to; empty to keep the names as given.
        skip_unreadable: Skip documents that can't be read; `problems` names them.

    Raises:
        InputError: A file can't be read or isn't YAML, or the file of functionConfig doesn't hold one document.
    """

    def __init__(
        self,
        config: str | None,
        items: Sequence[str],
        stdin: bytes = b"",
        *,
        root: str = "",
        skip_unreadable: bool = False,
    ) -> None:
        self._root = root
        self._files: dict[str, _File] = {}
        for name, path in _paths(items, root):
            if name not in self._files:
                data = _read(path) if path else stdin
                self._files[name] = _File(name, path, data, skip=skip_unreadable)
        self._config = None if config is None else _config(config)
        self._documents = _Documents({})

    @property
    def problems(self) -> list[str]:
        """The mistakes in the documents that are skipped."""
        return [problem for file in self._files.values() for problem in file.problems]

    @property
    def contents(self) -> dict[str, bytes]:
        """The content of each file, by its name in messages."""
        return {name: file.data for name, file in self._files.items()}

    # In

    def read(self, config_class: Any = None, needed: bool = False) -> ResourceList[Any]:
        """Return the documents as a new ResourceList.

        `changes`, `documents` and `as_list` take only the ResourceList that was read last.

        Args:
            config_class: The class of functionConfig; None to leave functionConfig as it is.
            needed: Whether a missing functionConfig is an error unless all fields of the class have defaults.

        Raises:
            UsageError: The config class has a field of a type that no functionConfig can have.
        """
        self._documents = _Documents(self._files)
        wrapper = parse(self._wrapper().encode(), _LABEL)
        return ResourceList(wrapper, config_class, self._documents.resources(), needed=needed)

    def _wrapper(self) -> str:
        lines = ["apiVersion: config.kubernetes.io/v1", "kind: ResourceList", "items: []"]
        if self._config is not None:
            lines += ["functionConfig:", indented(whole(self._config), "  ")]
        return "\n".join(lines) + "\n"

    # Out

    def changes(self, rl: ResourceList[Any]) -> Changes:
        """Return the changes of files that a ResourceList makes; empty if it makes none.

        Raises:
            InputError: The changes can't be written without changing other values, or a file that can't be read would
                get an item.
            UsageError: A value or a comment that was set can't be written.
        """
        added = self._settled(rl)
        found: Changes = []
        for name, text in self._documents.texts.items():
            now = self._after(text)
            if now != self._files[name].data:
                found.append((name, self._files[name].data, now))
        return found + [(name, None, joined(texts).encode()) for name, texts in added.items()]

    def _after(self, text: Text) -> bytes | None:
        """Return the new content of a file; None if all its documents were removed."""
        left = [root for root in text.documents if root not in text.gone or root in text.slots]
        if text.gone and not left and not text.added and text.shown is None:
            return None
        return text.dump()

    def _settled(self, rl: ResourceList[Any]) -> dict[str, list[str]]:
        """Bring the changed items into the texts of the files.

        Returns:
            The texts of the documents of each new file, by the file's name.

        Raises:
            InputError: An item would go into a file that can't be read.
            UsageError: A value or a comment that was set can't be written.
        """
        for one in rl.items:
            one._write()
        staying: set[tuple[str, int]] = set()
        others: list[tuple[tuple[str, int], Resource]] = []
        for one in rl.items:
            place = _place(one)
            if one._node is not None and self._documents.roots.get(place) is one._node:
                staying.add(place)
            else:
                others.append((place, one))
        for text in self._documents.texts.values():
            text.gone, text.added, text.slots = [], [], {}
        for place, root in self._documents.roots.items():
            if place not in staying:
                self._documents.texts[place[0]].gone.append(root)
        added: dict[str, list[str]] = {}
        for place, one in sorted(others, key=lambda other: other[0][1]):
            written = as_document(one, is_json=place[0].endswith(".json"))
            target = self._documents.texts.get(place[0])
            slot = self._documents.roots.get(place)
            if target is not None and not self._files[place[0]].is_text:
                raise InputError(
                    f"{one._what} can't be added to {place[0]}, because this file can't be read; choose another file "
                    "with move_to()"
                )
            if target is None:
                added.setdefault(place[0], []).append(written)
            elif slot is not None and slot in target.gone and slot not in target.slots:
                target.slots[slot] = written
            else:
                target.added.append(written)
        return added

    def documents(self, rl: ResourceList[Any]) -> str:
        """Return the items of a ResourceList as a stream of YAML documents; the errors are those of `changes`."""
        self.changes(rl)  # it checks the edited text
        return joined([as_document(one) for one in rl.items])

    def as_list(self, rl: ResourceList[Any]) -> bytes:
        """Return the text of a ResourceList. Annotations name the items' files; the errors are those of `changes`."""
        self.changes(rl)
        lines = [as_element(as_document(one), *_place(one)) for one in rl.items]
        head = rl._write_wrapper().decode()
        if lines:
            head = head.replace("items: []\n", "items:\n" + "\n".join(lines) + "\n", 1)
        return head.encode()

    def path(self, name: str) -> str:
        """Return the path of the file with this name in messages; for a new file, a path below the package's root."""
        file = self._files.get(name)
        if file is not None:
            return file.path or name
        return os.path.normpath(os.path.join(self._root, name)) if self._root else name

    def write(self, changes: Changes) -> list[str]:
        """Write changes to files, and return the paths of these files.

        Args:
            changes: The name, the old and the new content of each file. A file whose new content is None is removed.

        Raises:
            InputError: A file can't be written or removed; files before it stay written. Or a new file lies outside the
                package; then nothing was written.
        """
        written: list[str] = []
        for name, _, _ in changes:
            if name not in self._files and (os.path.isabs(name) or ".." in name.split("/")):
                raise InputError(f"can't write {name}: an item's file must be within the package; nothing was written")
        for name, _, now in changes:
            path = self.path(name)
            try:
                _replace(path, now)
            except OSError as e:
                before = f"these files were written before: {', '.join(written)}" if written else "nothing was written"
                raise InputError(f"can't write {path}: {e.strerror or e}; {before}") from e
            written.append(path)
        return written


def _config(path: str) -> YamlNode:
    """Return the functionConfig in a file; InputError if the file can't be read or doesn't hold one document."""
    text = parse(_read(path), path)
    if len(text.documents) != 1:
        raise InputError(f"{path} must hold one document, the functionConfig (it holds {len(text.documents)})")
    return text.documents[0]


def _paths(items: Sequence[str], root: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each file, with slashes, and its path, which is empty for stdin."""
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
    """Write a file in one step, so that a full disk leaves the old file; if `data` is None, remove the file.

    Raises:
        OSError: The file can't be written or removed.
    """
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


def _place(item: Resource) -> tuple[str, int]:
    """Return an item's file and its index there; if no annotation names them, a file named after the item, and 0."""
    found = item._place
    if found is not None:
        return found
    kind, name = item._peek("kind"), item._peek("metadata", "name")
    called = "_".join(str(part).lower() for part in (kind or "item", name) if part)
    return re.sub(r"[^a-z0-9._-]+", "-", called) + ".yaml", 0
