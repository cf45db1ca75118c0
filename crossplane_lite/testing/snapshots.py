"""Compares rendered resources with snapshots: YAML files that contain the expected resources.

People read snapshots in reviews, and may write them by hand. Documents are matched by their names
and compared by their content. Comments, quotes and the order of keys don't count.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .._core.base.texts import short_repr
from .._tools.manifests.files import replace_file
from .._tools.manifests.objects import RESOURCE_NAME
from .._tools.manifests.yaml import dump, load_documents, parse_documents
from .._tools.render.rendered import Rendered
from ..errors import CrossplaneLiteError, InputError, UsageError
from ._differences import differences
from ._sources import is_single, json_object
from .responses import Response

if TYPE_CHECKING:
    from .._core.compat.protocols import Source
    from .._tools.simulate.simulation import Simulation

    Value: TypeAlias = Rendered | Response | Simulation | str | Source | Iterable[Source]

__all__ = ["FOLDER", "Log", "SnapshotError", "Snapshots"]

FOLDER: Final = "__snapshots__"
"""The name of the folder beside a test's file that holds the snapshots with plain names."""

_LONGEST_NAME: Final = 150


class SnapshotError(CrossplaneLiteError, AssertionError):
    """The rendered resources differ from the snapshot, or the snapshot is missing or can't be
    read.
    """


class Log:
    """The snapshots that a run of tests has compared and written, including the workers of
    pytest-xdist.

    Attributes:
        checked: The files that were compared or written.
        written: Maps each written file to a hash of its content, and whether the file is new.
        clashes: The files that two workers have written with different content.
    """

    def __init__(self) -> None:
        self.checked: set[str] = set()
        self.written: dict[str, tuple[str, bool]] = {}
        self.clashes: set[str] = set()

    def plain(self) -> dict[str, Any]:
        """Return this log as plain data, which a worker sends to the main process."""
        return {
            "checked": sorted(self.checked),
            "written": {file: [*what] for file, what in self.written.items()},
        }

    def add(self, told: dict[str, Any]) -> None:
        """Add the log of a worker, as `plain` returns it."""
        self.checked.update(told["checked"])
        for file, (content, is_new) in told["written"].items():
            known = self.written.get(file, (content, False))
            if known[0] != content:
                self.clashes.add(file)
            self.written[file] = content, is_new or known[1]


class Snapshots:
    """The snapshots of one test.

    Args:
        folder: The folder of the test's file. Paths of snapshots are relative to it.
        module: The name of the test's file without its suffix. A snapshot whose path has no folder
            is in `__snapshots__/<module>/`.
        test: The test's name, which is also the default name of its snapshot.
        update: Whether snapshots are written instead of compared.
        command: The command that writes the snapshots, for messages; empty if messages don't name a
            command.
        log: The log to which compared and written files are added; None for a new log.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        module: str = "",
        test: str = "",
        update: bool = False,
        command: str = "",
        log: Log | None = None,
    ) -> None:
        self._folder = Path(folder)
        self._module = module
        self._test = test
        self._update = update
        self._command = command
        self._log = log if log is not None else Log()
        self._named_by_test = False

    def check(self, value: Value, path: str | os.PathLike[str] | None = None) -> None:
        """Assert that a value equals its snapshot, or write the snapshot with
        `--crossplane-update-snapshots`.

        Args:
            value: The result of `render` or `run`, one resource, several resources, or a string of
                YAML documents. Of a simulation, the snapshot has what appeared and what waited in
                each round, and the last rendering.
            path: The file of the snapshot. A path with a folder, such as `expected/first.yaml`, is
                relative to the test's file. A plain name, such as `first.yaml`, is in
                `__snapshots__/<name of the test's file>/` beside the test's file. The default is
                the test's name.

        Raises:
            SnapshotError: The value differs from the snapshot; or the snapshot is missing or can't
                be read; or another check has written something else to it. This is an
                AssertionError.
            InputError: The snapshot can't be written, or the value contains something that JSON
                doesn't have.
            UnresolvedError: The value contains a value that doesn't exist yet.
            UsageError: The value is of another type; or the path doesn't end in .yaml or .yml; or
                there is no path, and the test has another snapshot without a path, or has no name.
            MissingExtraError: PyYAML isn't installed.
        """
        __tracebackhide__ = True
        documents = _documents(value)
        file = self._file(path)
        problem = self._write(file, documents) if self._update else self._compare(file, documents)
        if problem:
            raise SnapshotError(problem)

    def _file(self, path: str | os.PathLike[str] | None) -> Path:
        if path is None:
            if not self._test:
                raise UsageError(
                    "a snapshot outside of pytest needs a path, as in check(value, 'first.yaml')"
                )
            if self._named_by_test:
                raise UsageError(
                    "a test with several snapshots must name them, as in check(value, 'first.yaml')"
                )
            self._named_by_test = True
            path = _file_name(self._test)
        given = _text_of(path)
        if given is None or not given.endswith((".yaml", ".yml")):
            raise UsageError(
                f"a snapshot's path must end in .yaml or .yml (got {short_repr(path, 300)})"
            )
        file = Path(given)
        if file.name == given:  # no folder
            file = Path(FOLDER, self._module, given)
        return Path(os.path.abspath(self._folder / file))

    def _compare(self, file: Path, documents: list[dict[str, Any]]) -> str:
        """Compare a snapshot with documents. Return a message about the differences; empty if there
        are none.

        If the snapshot is missing or can't be used, the message says so. The file counts as checked
        in any case.
        """
        self._log.checked.add(str(file))
        if _is_missing(file):
            return f"there is no snapshot {_shown(file)}{self._advice('write it')}"
        try:
            lines = differences(_read(file), documents)
        except InputError as error:
            return f"the snapshot can't be used: {error}{self._advice('write it anew')}"
        if not lines:
            return ""
        first = f"not what the snapshot {_shown(file)} has (- snapshot, + now):"
        return "\n".join([first, *lines, self._advice("accept it")])

    def _write(self, file: Path, documents: list[dict[str, Any]]) -> str:
        """Write a snapshot if it is missing or differs.

        Returns:
            An empty string; or a message if another check of this run needs other content in the
            same file.

        Raises:
            InputError: The file can't be written.
        """
        text = dump(documents, sort_keys=True)
        content = hashlib.sha256(text.encode()).hexdigest()
        earlier = self._log.written.get(str(file))
        if earlier is not None and earlier[0] != content:
            return (
                f"another check of this run has written something else to {_shown(file)}: give each"
                " its own path"
            )
        is_new = _is_missing(file)
        if (
            earlier is None
            and not is_new
            and str(file) in self._log.checked
            and not _is(file, documents)
        ):
            return (
                f"another check of this run expects something else in {_shown(file)}: give each its"
                " own path"
            )
        self._log.checked.add(str(file))
        # A file whose documents are equal isn't written, so that its comments and order stay.
        if earlier is None and (is_new or not _is(file, documents)):
            _replace(file, text)
            self._log.written[str(file)] = content, is_new
        return ""

    def _advice(self, what: str) -> str:
        return f"\n{what} with: {self._command}" if self._command else ""


def _documents(value: Any) -> list[dict[str, Any]]:
    """Return the documents that the snapshot of a value has.

    Raises:
        InputError: The value contains something that JSON doesn't have, or is malformed YAML.
        UnresolvedError: The value contains a value that doesn't exist yet.
        UsageError: The value is of another type.
    """
    rounds = getattr(value, "rounds", None)
    if isinstance(rounds, list) and rounds:
        told = [{"appeared": one.appeared, "waiting": one.waiting} for one in rounds]
        return [
            json_object({"kind": "Simulation", "rounds": told}, "the rounds"),
            *_documents(rounds[-1].rendered),
        ]
    if isinstance(value, Rendered):
        from .._tools.render.output import documents

        return [
            json_object(document, "the rendered document")
            for document in documents(value, value.composite)
        ]
    if isinstance(value, Response):
        return list(_of_response(value))
    if isinstance(value, str):
        found = parse_documents(value, "the text")
        return [json_object(document.content, document.where) for document in found]
    if is_single(value):
        return [json_object(value, "the document")]
    return [json_object(item, f"document {number}") for number, item in enumerate(value, 1)]


def _of_response(response: Response) -> Iterator[dict[str, Any]]:
    """Yield the desired composite unless it is empty, then the composed resources.

    Each composed resource has its name in the annotation `crossplane.io/composition-resource-name`.
    """
    if response.composite:
        yield response.composite
    for name, resource in response.desired.items():
        metadata = resource.get("metadata") or {}
        annotations = {**(metadata.get("annotations") or {}), RESOURCE_NAME: name}
        yield {**resource, "metadata": {**metadata, "annotations": annotations}}


def _read(file: Path) -> list[dict[str, Any]]:
    return [json_object(document.content, document.where) for document in load_documents(file)]


def _is(file: Path, documents: list[dict[str, Any]]) -> bool:
    """Return whether a file has the same content as the documents; False if the file can't be
    read.
    """
    try:
        return not differences(_read(file), documents)
    except InputError:
        return False


def _text_of(path: Any) -> str | None:
    """Return a path as a string; None if it isn't a path, or contains characters that no path can
    have.
    """
    try:
        text = os.fspath(path)
        return text if isinstance(text, str) and b"\0" not in os.fsencode(text) else None
    except (TypeError, ValueError):  # another type, or a lone surrogate
        return None


def _is_missing(file: Path) -> bool:
    """Return whether a snapshot doesn't exist. A file that exists but can't be read isn't
    missing.
    """
    try:
        file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _replace(file: Path, text: str) -> None:
    """Write a snapshot, which other processes may read or write at the same time.

    Raises:
        InputError: The file can't be written.
    """
    try:
        replace_file(file, text.encode())
    except OSError as e:
        raise InputError(f"can't write the snapshot {file}: {e.strerror or e}") from e


def _file_name(test: str) -> str:
    """Return a test's name as a file name that ends in `.yaml`.

    Each run of characters other than letters, digits and `_.=+-` becomes `-`. Then `-` and `.` are
    removed at both ends. A name that is too long is cut and gets a hash. A name of which nothing is
    left becomes a hash.
    """
    name = re.sub(r"[^\w.=+-]+", "-", test).strip("-.")
    if len(name.encode()) > _LONGEST_NAME or not name:
        name = f"{name[: _LONGEST_NAME // 4]}-{hashlib.sha256(test.encode()).hexdigest()[:12]}"
    return f"{name}.yaml"


def _shown(file: Path) -> str:
    """Return a file's path relative to the current directory; the full path if the file isn't below
    that directory.
    """
    try:
        return str(file.relative_to(Path.cwd()))
    except ValueError:
        return str(file)
