"""Reads files as a ResourceList and writes its changes back, for a function that is run without kpt or kustomize.

The items are the documents of the files, and are edited there: an item that the function hasn't changed keeps its text
byte for byte. Each item has annotations that name its file, as an orchestrator adds them. They are never written into
the text of the document (`_placed`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from .._manifests.writing import replace_file
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
"""Changes of files, each with the file's name, old content and new content. None means that the file doesn't exist."""


class _File:
    """One file with its documents.

    Args:
        skip: Whether to skip documents that can't be read. The other arguments are described as attributes.

    Attributes:
        name: The file's name in annotations and messages.
        path: The file's path; empty for stdin.
        data: The file's content.
        problems: The mistakes in documents that are skipped.
        is_text: False if the content isn't UTF-8; then the whole file is skipped.

    Raises:
        InputError: A document can't be read, and `skip` is False.
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
        """Put the mistakes in documents that can't be read into `problems`, and read the other documents.

        Args:
            error: The error of the first attempt to read the file.
        """
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
        """Return a new `Text` of the file, without edits, in which documents that are skipped stay as they are."""
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
    """The documents of all files, read for one run of a function.

    Attributes:
        texts: The `Text` of each file, by the file's name.
        roots: The node of each document, by the file's name and the document's index in it.
    """

    def __init__(self, files: Mapping[str, _File]) -> None:
        self.texts = {name: file.text() for name, file in files.items()}
        self.roots = {
            (name, index): root for name, text in self.texts.items() for index, root in enumerate(text.documents)
        }

    def resources(self) -> list[Resource]:
        """Return a resource for each document, in the order of the files and of the documents in them."""
        many = {name: len(text.documents) for name, text in self.texts.items()}
        return [
            Resource._of_node(
                root, name if many[name] == 1 else f"{name}, document {index + 1}", placed=Placed(name, index)
            )
            for (name, index), root in self.roots.items()
        ]


class Package:
    """The files that a function reads and changes.

    Args:
        config: The path of a file with the functionConfig; None if there is none.
        items: Paths of files and directories, and `-` for stdin. In a directory and the directories below it, the files
            that end in .yaml and .yml are read in the order of their names, without hidden ones. A file that is named
            twice is read once.
        stdin: The content that `-` stands for.
        root: The directory that the names of files are relative to; empty to keep the names as they are in `items`.
        skip_unreadable: Whether to skip documents that can't be read. `problems` lists them.

    Raises:
        InputError: A file can't be read, or isn't YAML (unless it is skipped); or the file of functionConfig doesn't
            have exactly one document.
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
        """The messages about all documents that are skipped; empty unless `skip_unreadable` is set."""
        return [problem for file in self._files.values() for problem in file.problems]

    @property
    def contents(self) -> dict[str, bytes]:
        """The content of each file as it was read, by the file's name."""
        return {name: file.data for name, file in self._files.items()}

    # Reading

    def read(self, config_class: Any = None, needed: bool = False) -> ResourceList[Any]:
        """Return the documents as a new ResourceList. Changes that were made in an older one are ignored.

        `changes`, `documents` and `as_list` only take the ResourceList of the last call.

        A functionConfig that doesn't fit the class isn't an exception here. Each mistake becomes a result of severity
        error, and reading `config` raises ConfigError.

        Args:
            config_class: The attrs class that functionConfig is converted to; None to leave it as it is.
            needed: If True, a missing functionConfig is replaced by an instance with the defaults of the class; if a
                field has no default, the results get an error. If False, `config` is None without a functionConfig.

        Raises:
            UsageError: The config class isn't an attrs class, or has a field of a type that isn't supported.
        """
        self._documents = _Documents(self._files)
        wrapper = parse(self._wrapper().encode(), _LABEL)
        return ResourceList(wrapper, config_class, self._documents.resources(), needed=needed)

    def _wrapper(self) -> str:
        lines = ["apiVersion: config.kubernetes.io/v1", "kind: ResourceList", "items: []"]
        if self._config is not None:
            lines += ["functionConfig:", indented(whole(self._config), "  ")]
        return "\n".join(lines) + "\n"

    # Writing

    def changes(self, rl: ResourceList[Any]) -> Changes:
        """Return how the files must change to have the items of a ResourceList. Nothing is written yet.

        Args:
            rl: The ResourceList of the last `read`.

        Returns:
            For each file that changes its name, its old content and its new content. The old content of a new file is
            None, and so is the new content of a file that must be removed.

        Raises:
            InputError: The changes can't be made in the text without changing other values; or an item would go into a
                file that isn't UTF-8.
            UsageError: A value or a comment that the function set can't be written.
        """
        added = self._settled(rl)
        found: Changes = []
        for name, text in self._documents.texts.items():
            now = self._after(text)
            if now != self._files[name].data:
                found.append((name, self._files[name].data, now))
        return found + [(name, None, joined(texts).encode()) for name, texts in added.items()]

    def _after(self, text: Text) -> bytes | None:
        """Return the new content of the file `text`; None to remove the file, because it has no documents any more."""
        left = [root for root in text.documents if root not in text.gone or root in text.slots]
        if text.gone and not left and not text.added and text.shown is None:
            return None
        return text.dump()

    def _settled(self, rl: ResourceList[Any]) -> dict[str, list[str]]:
        """Edit the `Text` of each file, so that it has exactly the items whose annotations name this file.

        Returns:
            The documents of files that don't exist yet, as text, by the file's name.

        Raises:
            InputError: An item would go into a file that isn't UTF-8.
            UsageError: A value or a comment that the function set can't be written.
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
        """Return the items of a ResourceList as one text of YAML documents. Errors as in `changes`."""
        self.changes(rl)  # it checks the edited text
        return joined([as_document(one) for one in rl.items])

    def as_list(self, rl: ResourceList[Any]) -> bytes:
        """Return the text of a ResourceList, whose items have annotations with their files. Errors as in `changes`."""
        self.changes(rl)
        lines = [as_element(as_document(one), *_place(one)) for one in rl.items]
        head = rl._write_wrapper().decode()
        if lines:
            head = head.replace("items: []\n", "items:\n" + "\n".join(lines) + "\n", 1)
        return head.encode()

    def path(self, name: str) -> str:
        """Return the path of a file by its name in annotations and messages. The path of a new file is below `root`."""
        file = self._files.get(name)
        if file is not None:
            return file.path or name
        return os.path.normpath(os.path.join(self._root, name)) if self._root else name

    def write(self, changes: Changes) -> list[str]:
        """Write changes to the files, and return the paths of the files that were written or removed.

        Args:
            changes: For each file its name, its old content, and its new content. None as new content removes the file.
                The old content isn't compared with the file.

        Raises:
            InputError: A file can't be written or removed; files before it stay written. Or a new file isn't below the
                package's directory; then nothing was written.
        """
        written: list[str] = []
        for name, _, _ in changes:
            if name not in self._files and (os.path.isabs(name) or ".." in name.split("/")):
                raise InputError(f"can't write {name}: an item's file must be within the package; nothing was written")
        for name, _, now in changes:
            path = self.path(name)
            try:
                if now is None:
                    os.unlink(path)
                else:
                    replace_file(Path(os.path.realpath(path)), now)
            except OSError as e:
                before = f"these files were written before: {', '.join(written)}" if written else "nothing was written"
                raise InputError(f"can't write {path}: {e.strerror or e}; {before}") from e
            written.append(path)
        return written


def _config(path: str) -> YamlNode:
    """Return the node of the one document in the file `path`.

    Raises:
        InputError: The file can't be read, isn't YAML, or doesn't have exactly one document.
    """
    text = parse(_read(path), path)
    if len(text.documents) != 1:
        raise InputError(f"{path} must hold one document, the functionConfig (it holds {len(text.documents)})")
    return text.documents[0]


def _paths(items: Sequence[str], root: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the path of each file that `items` stands for; `-` has the name `stdin` and an empty path.

    Args:
        items: Paths of files and directories, and `-`.
        root: The directory that the names are relative to; empty to keep them. Names have slashes on all platforms.
    """
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


def _place(item: Resource) -> tuple[str, int]:
    """Return an item's file and its index there. If no annotation names a file, it is named after the item.

    Such a name is `deployment_web.yaml`, with the index 0.
    """
    found = item._place
    if found is not None:
        return found
    kind, name = item._peek("kind"), item._peek("metadata", "name")
    called = "_".join(str(part).lower() for part in (kind or "item", name) if part)
    return re.sub(r"[^a-z0-9._-]+", "-", called) + ".yaml", 0
