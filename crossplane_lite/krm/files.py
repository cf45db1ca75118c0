"""Reads files as a ResourceList and writes its changes back, for a function that is run without kpt
or kustomize.

The items are the documents of the files, and are edited there: an item that the function hasn't
changed keeps its text byte for byte. Each item has annotations that name its file, as an
orchestrator adds them. They are never written into the text of the document (`_placed`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from .._tools.manifests.files import replace_file
from ..errors import InputError
from ._text import Text, Unreadable, YamlNode, parse
from ._text._layout import indented, is_block
from ._text._moves import head_lines
from ._text._splice import document_text
from ._text._write import new_text
from .annotations import INDEXES, PATHS, show_file, without
from .resource import Resource
from .resource_list import ResourceList

__all__ = ["Changes", "Package", "diff", "unwrapped"]


_SUFFIXES: Final = (".yaml", ".yml", ".json")
_KPTFILE: Final = "Kptfile"
_IGNORE: Final = ".krmignore"
_FIELDS: Final = [
    re.compile(rf"""^[{{\s]*["']?{key}["']?\s*:|[,{{]\s*["']?{key}["']?\s*:""", re.M)
    for key in ("apiVersion", "kind")
]
_COLOURS: Final = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_LABEL: Final = "the list of all items"

Changes = list[tuple[str, "bytes | None", "bytes | None"]]
"""Changes of files, each with the file's name, old content and new content. None means that the
file doesn't exist.
"""


class _File:
    """One file with its documents.

    Args:
        skip: Whether to skip documents that can't be read. The other arguments are described as
            attributes.

    Attributes:
        name: The file's name in annotations and messages.
        path: The file's path; empty for stdin.
        data: The file's content.
        text: The file's `Text`, in which documents that are skipped stay as they are.
        problems: The mistakes in documents that are skipped.
        is_text: False if the content isn't text or YAML at all; then the whole file is skipped.

    Raises:
        InputError: A document can't be read, and `skip` is False.
    """

    def __init__(self, name: str, path: str, data: bytes, *, skip: bool = False) -> None:
        self.name = name
        self.path = path
        self.data = data
        self.is_text = True
        self._options: dict[str, Any] = {"skip": True} if skip else {"unreadable": 0}
        self._is_used = False
        is_krm = _has_fields(_shown(data))
        try:
            self.text = parse(data, name, **self._options)
            found = self.text.problems
        except InputError as error:
            if is_krm and not skip:
                raise
            self.is_text = False
            self.text = parse(b"", name)
            self.text._data = data
            found = [str(error)]
        self.problems = found if is_krm else []

    def resources(self) -> list[Resource]:
        """Return a new resource for each document that is one. Others aren't touched, as
        orchestrators have it.

        Of a `kind: List`, each item is a resource.
        """
        if self._is_used and self.is_text:
            self.text = parse(self.data, self.name, **self._options)
        self._is_used = True
        units: list[tuple[str, YamlNode]] = []
        for at, root in enumerate(self.text.documents):
            label = (
                self.name if len(self.text.documents) == 1 else f"{self.name}, document {at + 1}"
            )
            items = _items_of_list(root)
            if items:
                units += [(f"{label}, items[{number}]", one) for number, one in enumerate(items)]
            else:
                units.append((label, root))
        return [
            Resource._of_node(node, label, placed=(self.name, at))
            for at, (label, node) in enumerate(units)
            if _is_resource(node)
        ]

    def remove(self, gone: Sequence[YamlNode]) -> None:
        """Remove resources: documents, and items of a `kind: List`. A List without items goes,
        too.
        """
        removed = {*gone}
        for root in self.text.documents:
            items = _items_of_list(root)
            left = [one for one in items if one not in removed]
            if root in removed or (items and not left):
                self.text.gone.append(root)
            elif len(left) < len(items):
                root.assign({**root.content, "items": left}, {id(left): None})


class Package:
    """The files that a function reads and changes.

    Args:
        config: The path of a file with the functionConfig; None if there is none.
        items: Paths of files and directories, and `-` for stdin. In a directory and the directories
            below it, the files that end in .yaml, .yml and .json and the Kptfile are read in the
            order of their names, without hidden ones and without those that a `.krmignore` names. A
            file that is named twice is read once.
        stdin: The content that `-` stands for.
        root: The directory that the names of files are relative to; empty to keep the names as they
            are in `items`.
        skip_unreadable: Whether to skip documents that can't be read. `problems` lists them.
            Otherwise a document that is YAML, but can't be read, such as one with a key that occurs
            twice, is an item that goes out as it came.

    Raises:
        InputError: A file can't be read, or isn't YAML although it has resources (unless it is
            skipped); or the file of functionConfig doesn't have exactly one document.
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
        # the documents that are resources, by file and index
        self._roots: dict[tuple[str, int], YamlNode] = {}

    @property
    def problems(self) -> list[str]:
        """The messages about all documents that are skipped; empty unless `skip_unreadable` is
        set.
        """
        return [problem for file in self._files.values() for problem in file.problems]

    @property
    def contents(self) -> dict[str, bytes]:
        """The content of each file as it was read, by the file's name."""
        return {name: file.data for name, file in self._files.items()}

    # Reading

    def read(self, config_class: Any = None, needed: bool = False) -> ResourceList[Any]:
        """Return the documents as a new ResourceList. Changes that were made in an older one are
        ignored.

        `changes`, `documents` and `as_list` only take the ResourceList of the last call.

        A functionConfig that doesn't fit the class isn't an exception here. Each mistake becomes a
        result of severity error, and reading `config` raises ConfigError.

        Args:
            config_class: The attrs class that functionConfig is converted to; None to leave it as
                it is.
            needed: If True, a missing functionConfig is replaced by an instance with the defaults
                of the class; if a field has no default, the results get an error. If False,
                `config` is None without a functionConfig.

        Raises:
            UsageError: The config class isn't an attrs class, or has a field of a type that isn't
                supported.
        """
        found = [one for file in self._files.values() for one in file.resources()]
        self._roots = {one._placed: one._node for one in found if one._placed and one._node}
        wrapper = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
        if self._config is not None:
            wrapper += f"functionConfig:\n{indented(whole(self._config), 2)}"
        return ResourceList(parse(wrapper.encode(), _LABEL), config_class, found, needed=needed)

    # Writing

    def changes(self, rl: ResourceList[Any]) -> Changes:
        """Return how the files must change to have the items of a ResourceList. Nothing is written
        yet.

        Args:
            rl: The ResourceList of the last `read`.

        Returns:
            For each file that changes its name, its old content and its new content. The old
            content of a new file is None, and so is the new content of a file that must be removed.

        Raises:
            InputError: The changes can't be made in the text without changing other values; or an
                item would go into a file that isn't UTF-8.
            UsageError: A value or a comment that the function set can't be written.
        """
        added = self._settled(rl)
        found: Changes = []
        for name, file in self._files.items():
            now = self._after(file.text)
            if now != file.data:
                found.append((name, file.data, now))
        return found + [(name, None, joined(texts).encode()) for name, texts in added.items()]

    def _after(self, text: Text) -> bytes | None:
        """Return the new content of the file `text`; None to remove the file, because it has no
        documents any more.
        """
        left = [root for root in text.documents if root not in text.gone or root in text.slots]
        if text.gone and not left and not text.added and not text.problems:
            return None
        return text.dump()

    def _settled(self, rl: ResourceList[Any]) -> dict[str, list[str]]:
        """Edit the `Text` of each file, so that it has exactly the items whose annotations name
        this file.

        Returns:
            The documents of files that don't exist yet, as text, by the file's name.

        Raises:
            InputError: An item would go into a file that isn't UTF-8.
            UsageError: A value or a comment that the function set can't be written.
        """
        for one in rl.items:
            one._write()
        staying: set[YamlNode | None] = set()
        others: list[tuple[tuple[str, int], Resource]] = []
        for one in rl.items:
            place = _place(one)
            if one._node is not None and self._roots.get(place) is one._node:
                staying.add(one._node)
            else:
                others.append((place, one))
        for name, file in self._files.items():
            text = file.text
            text.gone, text.added, text.slots = [], [], {}
            for root in text.documents:
                if _items_of_list(root):
                    text.wanted.pop(root, None)
            file.remove(
                [
                    node
                    for (other, _), node in self._roots.items()
                    if other == name and node not in staying
                ]
            )
        added: dict[str, list[str]] = {}
        for (name, index), one in sorted(others, key=lambda other: other[0][1]):
            written = as_document(one, is_json=name.endswith(".json"))
            target, slot = self._files.get(name), self._roots.get((name, index))
            if target is None:
                added.setdefault(name, []).append(written)
            elif not target.is_text:
                raise InputError(
                    f"{one._what} can't be added to {name}, because this file can't be read; choose"
                    " another file with move_to()"
                )
            elif slot in target.text.gone and slot not in target.text.slots:
                target.text.slots[slot] = written
            else:
                target.text.added.append(written)
        return added

    def documents(self, rl: ResourceList[Any]) -> bytes:
        """Return the items of a ResourceList as one text of YAML documents. Errors as in
        `changes`.
        """
        self.changes(rl)  # it checks the edited text
        return joined([as_document(one) for one in rl.items]).encode()

    def as_list(self, rl: ResourceList[Any]) -> bytes:
        """Return the text of a ResourceList, whose items have annotations with their files. Errors
        as in `changes`.
        """
        self.changes(rl)
        return rl._write_wrapper([_as_item(one) for one in rl.items])

    def path(self, name: str) -> str:
        """Return the path of a file by its name in annotations and messages. The path of a new file
        is below `root`.
        """
        file = self._files.get(name)
        if file is not None:
            return file.path or name
        return os.path.normpath(os.path.join(self._root, name)) if self._root else name

    def write(self, changes: Changes) -> list[str]:
        """Write changes to the files, and return the paths of the files that were written or
        removed.

        Args:
            changes: For each file its name, its old content, and its new content. None as new
                content removes the file. The old content isn't compared with the file.

        Raises:
            InputError: A file can't be written or removed; files before it stay written. Or a new
                file isn't below the package's directory; then nothing was written.
        """
        written: list[str] = []
        for name, _, _ in changes:
            if name not in self._files and (os.path.isabs(name) or ".." in name.split("/")):
                raise InputError(
                    f"can't write {name}: an item's file must be within the package; nothing was"
                    " written"
                )
        for name, _, now in changes:
            path = self.path(name)
            try:
                if now is None:
                    os.unlink(path)
                else:
                    replace_file(Path(os.path.realpath(path)), now)
            except OSError as e:
                before = (
                    f"these files were written before: {', '.join(written)}"
                    if written
                    else "nothing was written"
                )
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
        raise InputError(
            f"{path} must hold one document, the functionConfig (it holds {len(text.documents)})"
        )
    return text.documents[0]


def _paths(items: Sequence[str], root: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the path of each file that `items` stands for; `-` has the name `stdin`
    and an empty path.

    Args:
        items: Paths of files and directories, and `-`.
        root: The directory that the names are relative to; empty to keep them. Names have slashes
            on all platforms.
    """
    for item in items:
        if item == "-":
            yield "stdin", ""
        elif not os.path.isdir(item):
            yield _called(item, root), item
        else:
            ignored: dict[str, _Ignored] = {}
            for folder, folders, names in os.walk(item):
                ignored[folder] = _Ignored(folder, ignored.get(os.path.dirname(folder)))
                folders[:] = sorted(
                    one
                    for one in folders
                    if not one.startswith(".")
                    and not ignored[folder].names(os.path.join(folder, one), is_folder=True)
                )
                for one in sorted(names):
                    path = os.path.join(folder, one)
                    if one == _KPTFILE or (one.endswith(_SUFFIXES) and not one.startswith(".")):
                        if not ignored[folder].names(path, is_folder=False):
                            path = os.path.normpath(path)
                            yield _called(path, root), path


class _Ignored:
    """The patterns of a directory's `.krmignore`, which are those of `.gitignore`, and of the
    directories above it.

    Args:
        folder: The directory.
        above: The patterns of the directory above it; None if it isn't part of the package.
    """

    def __init__(self, folder: str, above: _Ignored | None) -> None:
        self._folder = folder
        self._above = above
        path = os.path.join(folder, _IGNORE)
        lines = _read(path).decode(errors="replace").splitlines() if os.path.isfile(path) else []
        self._patterns = [
            _pattern(line.strip()) for line in lines if line.strip() and not line.startswith("#")
        ]

    def names(self, path: str, *, is_folder: bool) -> bool:
        """Return whether a file or directory below the directory is ignored. The last pattern that
        fits counts.
        """
        name = os.path.relpath(path, self._folder).replace(os.sep, "/")
        for pattern, is_ignored, only_folders in reversed(self._patterns):
            if (is_folder or not only_folders) and pattern.fullmatch(name):
                return is_ignored
        return self._above is not None and self._above.names(path, is_folder=is_folder)


def _pattern(line: str) -> tuple[re.Pattern[str], bool, bool]:
    """Return a line of a `.krmignore`: its pattern, whether it ignores, and whether it is for
    directories only.
    """
    bare = line.removeprefix("!")
    parts = re.split(r"(\*\*/|/\*\*$|\*|\?|\[[^\]]+\])", bare.rstrip("/").removeprefix("/"))
    made = "".join(
        {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}.get(part)
        or (f"[{part[1:-1].replace('!', '^', part[1] == '!')}]" if at % 2 else re.escape(part))
        for at, part in enumerate(parts)
    )
    anywhere = "" if "/" in bare.rstrip("/") else "(?:.*/)?"
    return re.compile(anywhere + made, re.DOTALL), line == bare, bare.endswith("/")


def _items_of_list(root: YamlNode) -> list[YamlNode]:
    """Return the items of a `kind: List`, as `kubectl get` prints it; none for another document.

    A List with a name isn't printed: it is a function's configuration.
    """
    if isinstance(root.content, Unreadable) or (root.get(["apiVersion"]), root.get(["kind"])) != (
        "v1",
        "List",
    ):
        return []
    if root.get(["metadata", "name"]):
        return []
    items = root.content.get("items")
    return [] if items is None else items.children()


def _shown(data: bytes) -> str:
    """Return a content in any encoding as text, in which the fields of a resource can be found."""
    return data.lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\0", b"").decode(errors="replace")


def _has_fields(text: str) -> bool:
    """Return whether a text that isn't read has the fields apiVersion and kind, as every resource
    has.
    """
    return all(field.search(text) for field in _FIELDS)


def _is_resource(root: YamlNode) -> bool:
    if isinstance(root.content, Unreadable):
        return _has_fields(root.content)
    return all(root.child(key) is not None for key in ("apiVersion", "kind"))


def _called(path: str, root: str) -> str:
    return (os.path.relpath(path, root) if root else os.path.normpath(path)).replace(os.sep, "/")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as e:
        raise InputError(f"can't read {path}: {e.strerror or e}") from e


def _place(item: Resource) -> tuple[str, int]:
    """Return an item's file and its index there. If no annotation names a file, it is named as kpt
    does it.

    Such a name is `prod/deployment_web.yaml`, after namespace, kind and name, with the index 0.
    """
    found = item._place
    if found is not None:
        return found
    kind, *names = (
        item._peek("kind"),
        item._peek("metadata", "namespace"),
        item._peek("metadata", "name"),
    )
    folder, name = (re.sub(r"[^A-Za-z0-9._-]+", "-", str(one or "")) for one in names)
    called = "_".join(part for part in (str(kind or "item").lower(), name) if part)
    return (f"{folder}/" if folder.strip(".") else "") + called + ".yaml", 0


# Line breaks that YAML reads as `\n`. U+2028 and U+2029 begin a line, too, but are themselves a
# part of a value.
_BREAKS: Final = re.compile("\r\n?|\x85")


def as_document(item: Resource, *, is_json: bool = False) -> str:
    """Return the text of an item as a document of a file.

    If the item has text, its comments and style stay. A new item gets text without the annotations
    that name its file.

    Args:
        item: The item.
        is_json: Whether to write JSON, without comments, in place of YAML.
    """
    is_text = item._base is not None and (item._base.parent is None or not item._base.parent.style)
    if is_text and not is_json:
        assert item._base is not None
        text = whole(item._base)
        if (
            item._node is not None
            and item._node is not item._base
            and item._node.parent is not None
        ):
            # A text of its own doesn't have the comments above the item in its list.
            text = "".join(line + "\n" for line in head_lines(item._node, 0)) + text
        return text if item._placed is not None else _clean(text, "the new item")
    content = item._own_content() if item._placed is not None else _unplaced(item._own_content())
    if is_json:
        import json

        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    return new_text(content)


def _unplaced(content: dict[str, Any]) -> dict[str, Any]:
    """Return a new item's content without the annotations that name its file and index. `content`
    isn't changed.
    """
    return without(content, (*PATHS, *INDEXES).__contains__)


def whole(root: YamlNode) -> str:
    r"""Return the text of a document in which every line ends with `\n` alone.

    Args:
        root: The node of the document.
    """
    text = _BREAKS.sub("\n", document_text(root))
    return text if text.endswith("\n") else text + "\n"


def _as_item(item: Resource) -> YamlNode:
    """Return the node of an item's text with annotations that name its file.

    If metadata or its annotations aren't an object, no annotations are added.
    """
    root = parse(as_document(item).encode(), item._label).root
    content = root.value()
    show_file(content, *_place(item))
    root.assign(content)
    return root


def _clean(document: str, name: str) -> str:
    """Return the text of a document without the annotations that name its file and its index there.

    Args:
        document: The text.
        name: The text's name in messages.
    """
    text = parse(document.encode(), name)
    node = text.root
    content = node.get(())
    if (now := _unplaced(content)) is not content:
        node.assign(now)
    return text.dump().decode()


def joined(documents: Sequence[str]) -> str:
    """Return the texts of documents as one YAML text, with `---` lines between them."""
    return "---\n".join(one if one.endswith("\n") else one + "\n" for one in documents)


def unwrapped(data: bytes) -> str:
    """Return the items of a ResourceList as one text of YAML documents, without the annotations
    that name files.

    If `items` is a block list, comments and style stay. Otherwise, as for JSON, the result is new
    YAML of the items' values.

    Args:
        data: The text of the ResourceList.

    Raises:
        InputError: The text can't be read.
    """
    node = parse(data, "the function's output").root.child("items")
    found: list[str] = []
    for one in [] if node is None else node.children():
        has_lines = node is not None and is_block(one) and not node.style
        found.append(
            _clean(whole(one), "an item") if has_lines else as_document(Resource(one.value()))
        )
    return joined(found)


def diff(changes: Changes, *, colour: bool) -> str:
    """Return a unified diff of several files; empty if no file changes.

    Args:
        changes: For each file its name, its old content and its new content, as UTF-8. The content
            is None if the file doesn't exist.
        colour: Whether to colour the lines for a terminal.
    """
    import difflib  # rarely needed

    lines: list[str] = []
    for name, before, now in changes:
        label = name.lstrip("/")
        old, new = (
            "/dev/null" if before is None else f"a/{label}",
            "/dev/null" if now is None else f"b/{label}",
        )
        for line in difflib.unified_diff(_split(before), _split(now), old, new):
            whole = line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
            sign = _COLOURS.get(line[:1]) if colour else None
            lines.append(f"{sign}{whole[:-1]}\x1b[0m{whole[-1:]}" if sign else whole)
    return "".join(lines)


def _split(data: bytes | None) -> list[str]:
    # Not splitlines, which ends lines at characters that YAML allows in the middle of one.
    return re.findall(r"[^\n]*\n|[^\n]+", (data or b"").decode(errors="backslashreplace"))
