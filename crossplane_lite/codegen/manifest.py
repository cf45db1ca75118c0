"""Reads and makes the manifest of an output folder: a JSON file with the files that `generate` owns, and class names.

These are the names that earlier runs chose (see `naming`). With them, the same models can be made again in a checkout
that has the manifest, but not the models.

The journal is a file of the same format, which a killed run leaves behind (see `output`).
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from .._terminal.excerpts import short_repr
from ..errors import InputError
from ._transaction import naming

__all__ = [
    "JOURNAL",
    "MANIFEST",
    "Names",
    "list_text",
    "manifest",
    "owned",
    "path_problem",
    "read_list",
    "recorded_names",
]

MANIFEST: Final = ".crossplane-lite.json"
JOURNAL: Final = ".crossplane-lite.unfinished.json"
_FORMAT: Final = 1
_ABOUT: Final = {
    MANIFEST: (
        "Made by `crossplane-lite generate`, which owns the files listed here: its next run overwrites them and "
        "removes those that it no longer makes. It touches no other file in this folder."
    ),
    JOURNAL: (
        "Left by a run of `crossplane-lite generate` that was killed: its next run repairs the files listed here and "
        "removes this list."
    ),
}
Names = Mapping[str, Mapping[str, str]]
"""Class names by module (its path without `.py`), and then by the object's place, such as `Bucket.spec.rules`."""


def manifest(files: Iterable[str], names: Names) -> str:
    """Return the text of a manifest.

    Args:
        files: The paths of the generated files in the folder.
        names: The class names to record.
    """
    return list_text(MANIFEST, files, names).decode()


def owned(folder: Path) -> list[str]:
    """Return the paths of the generated files that a folder's manifest lists; empty if there is no manifest.

    Raises:
        InputError: The manifest can't be read, isn't valid, or lists a path that a generated file can't have.
    """
    return read_list(folder / MANIFEST) or []


def recorded_names(folder: Path) -> Names:
    """Return the class names that a folder's manifest records; empty if there is no manifest.

    Raises:
        InputError: The manifest can't be read, or isn't valid.
    """
    document = _document(folder / MANIFEST) or {}
    names = document.get("names", {})
    if not isinstance(names, dict) or not all(
        isinstance(places, dict) and all(isinstance(name, str) for name in places.values()) for places in names.values()
    ):
        raise InputError(
            f"{folder / MANIFEST}: 'names' must be an object of class names by module and place: restore the file "
            "from version control; or remove 'names', and the next run may give classes other names"
        )
    return names


def list_text(name: str, paths: Iterable[str], names: Names | None = None) -> bytes:
    """Return the bytes of a manifest or a journal.

    Args:
        name: `MANIFEST` or `JOURNAL`.
        paths: The paths of the files that the command owns.
        names: The class names to record; None for a journal.
    """
    document: dict[str, Any] = {"about": _ABOUT[name], "format": _FORMAT, "files": sorted(paths)}
    if names:
        document["names"] = {module: dict(sorted(places.items())) for module, places in sorted(names.items())}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def read_list(place: Path) -> list[str] | None:
    """Return the paths in a manifest or a journal; None if the file doesn't exist.

    The file may come from a checkout that nobody has reviewed, so a path that leads out of the folder is an error.

    Raises:
        InputError: The file can't be read, isn't a manifest or journal, or lists a path that a generated file can't
            have.
    """
    document = _document(place)
    if document is None:
        return None
    paths = document.get("files")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise InputError(f"{place}: 'files' must be a list of paths: {_restore(place)}")
    for path in paths:
        if problem := path_problem(path):
            raise InputError(
                f"{place} lists {path!r}, which can't be a file of this folder, because it {problem}: {_restore(place)}"
            )
    return paths


def _restore(place: Path) -> str:
    """Return the advice for a manifest or journal that can't be used."""
    return (
        f"restore {place.name} from version control, or remove the folder {place.parent} (keep your own files) and "
        "generate it again"
    )


def path_problem(path: str) -> str | None:
    """Return why `path` can't be the path of a generated file, such as `is absolute`; None if it is allowed."""
    parts = path.split("/")
    problems = {
        "is absolute": path.startswith("/"),
        "has '..' in it": ".." in parts,
        "has an empty part or '.' in it": "" in parts or "." in parts,
        "has a backslash, a colon or a NUL in it": not {"\\", ":", "\0"}.isdisjoint(path),
        "has characters that can't be UTF-8": any("\ud800" <= character <= "\udfff" for character in path),
        "doesn't end in .py or .pyi": not path.endswith((".py", ".pyi")),
    }
    return next((text for text, is_so in problems.items() if is_so), None)


def _document(place: Path) -> dict[str, Any] | None:
    """Return the JSON object in a manifest or a journal; None if the file doesn't exist.

    Raises:
        InputError: The path is that of a folder or a link; or the file can't be read, isn't JSON, or has another
            `format` than 1.
    """
    with naming("read", place):
        try:
            is_file = stat.S_ISREG(os.lstat(place).st_mode)
        except FileNotFoundError:
            return None
    if not is_file:
        raise InputError(f"{place} must be a regular file, not a link or a folder: {_restore(place)}")
    try:
        with naming("read", place):
            document: Any = json.loads(place.read_bytes())
    except (ValueError, RecursionError) as e:
        raise InputError(f"{place} is not JSON: {_restore(place)}") from e
    version = document.get("format") if isinstance(document, dict) else None
    if type(version) is not int or version != _FORMAT:
        found = "no 'format'" if version is None else f"the 'format' {short_repr(version)}"
        raise InputError(
            f"{place} has {found}, and this version of crossplane-lite reads only {_FORMAT}: use the version that "
            f"wrote the file, or remove the folder {place.parent} (keep your own files) and generate it again"
        )
    assert isinstance(document, dict)
    return document
