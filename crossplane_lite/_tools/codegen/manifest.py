"""Reads and makes the manifest of an output folder: a JSON file with the files that `generate`
owns, and class names.

These are the names that earlier runs chose (see `naming`). With them, the same models can be made
again in a checkout that has the manifest, but not the models.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from ..._core.base.texts import short_repr
from ...errors import InputError
from ..manifests.files import naming

MANIFEST: Final = ".crossplane-lite.json"
_FORMAT: Final = 1
_ABOUT: Final = (
    "Made by `crossplane-lite generate`, which owns the files listed here: its next run overwrites"
    " them and removes those that it no longer makes. It touches no other file in this folder."
)
Names = Mapping[str, Mapping[str, str]]
"""Class names by module (its path without `.py`), and then by the object's place, such as
`Bucket.spec.rules`.
"""


def manifest(files: Iterable[str], names: Names) -> str:
    """Return the text of a manifest.

    Args:
        files: The paths of the generated files in the folder.
        names: The class names to record.
    """
    document: dict[str, Any] = {"about": _ABOUT, "format": _FORMAT, "files": sorted(files)}
    if names:
        document["names"] = {
            module: dict(sorted(places.items())) for module, places in sorted(names.items())
        }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def owned(folder: Path) -> list[str] | None:
    """Return the paths of the generated files that a folder's manifest lists; None if there is no
    manifest.

    The file may come from a checkout that nobody has reviewed, so a path that leads out of the
    folder is an error.

    Raises:
        InputError: The manifest can't be read, or isn't valid.
    """
    document = _document(folder)
    return None if document is None else document["files"]


def recorded_names(folder: Path) -> Names:
    """Return the class names that a folder's manifest records; empty if there is no manifest.

    Raises:
        InputError: The manifest can't be read, or isn't valid.
    """
    names: Names = (_document(folder) or {}).get("names", {})
    return names


def _is_allowed(path: str) -> bool:
    """Return whether a generated file can have this path: it ends in .py or .pyi, and leads to no
    other folder.
    """
    is_inside = {"", ".", ".."}.isdisjoint(path.split("/")) and {"\\", ":"}.isdisjoint(path)
    return is_inside and path.isprintable() and path.endswith((".py", ".pyi"))


def _document(folder: Path) -> dict[str, Any] | None:
    """Return the JSON object in a folder's manifest; None if there is no manifest.

    Raises:
        InputError: The path is that of a folder or a link; or the file can't be read, isn't JSON,
            has another `format` than 1, lists a path that a generated file can't have, or has names
            that are none.
    """
    place = folder / MANIFEST
    if not os.path.lexists(place):
        return None

    def wrong(problem: str, cure: str = f"restore {MANIFEST} from version control") -> InputError:
        return InputError(
            f"{place} {problem}: {cure}, or remove the folder {folder} (keep your own files) and"
            " generate it again"
        )

    with naming("read", place):
        if not stat.S_ISREG(os.lstat(place).st_mode):
            raise wrong("must be a regular file, not a link or a folder")
        content = place.read_bytes()
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError) as e:
        raise wrong("is not JSON") from e
    version = document.get("format") if isinstance(document, dict) else None
    if type(version) is not int or version != _FORMAT:
        found = "no 'format'" if version is None else f"the 'format' {short_repr(version)}"
        raise wrong(
            f"has {found}, and this version of crossplane-lite reads only {_FORMAT}",
            "use the version that wrote the file",
        )
    paths, names = document.get("files"), document.get("names", {})
    if not isinstance(paths, list):
        raise wrong("must have a list of paths in 'files'")
    for path in paths:
        if not isinstance(path, str) or not _is_allowed(path):
            raise wrong(f"lists {path!r}, which can't be a generated file of this folder")
    places = list(names.values()) if isinstance(names, dict) else [names]
    if not all(
        isinstance(one, dict) and all(isinstance(name, str) for name in one.values())
        for one in places
    ):
        raise wrong("must have class names by module and place in 'names'")
    return document  # type: ignore[no-any-return]
