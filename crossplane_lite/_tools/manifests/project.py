"""The project file: options of commands in `crossplane-lite.toml`, or below
`[tool.crossplane-lite]` of pyproject.toml.

Each command has a table of its own. Paths in a table are relative to the file's folder.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..._core.base.extras import load
from ..._core.base.texts import near_name
from ...errors import InputError
from ..registry.references import is_package
from .files import read_bytes

NAME: Final = "crossplane-lite.toml"
"""The name of the project file."""

# The kinds of values, in the words of messages.
TEXT: Final = "a string"
LIST: Final = "a list of strings"

PREVIEW: Final = {
    **dict.fromkeys(("xr", "composition", "functions", "xrd", "fixtures", "operation"), TEXT),
    "crds": LIST,
}
"""The keys of the table [preview], which names the inputs of render, simulate, graph, diff and
tests.
"""

_OTHER: Final = "pyproject.toml"
_TOOL: Final = "tool.crossplane-lite"
# A file without this isn't parsed: most pyproject.toml belong to others, and Python 3.10 needs
# tomli to read one.
_HAS_TOOL: Final = re.compile(rb"^\s*\[\s*tool\s*\.\s*[\"']?crossplane-lite", re.MULTILINE)


class Project(NamedTuple):
    """A project file.

    Attributes:
        file: The path of the file.
        tables: Its tables, by the name of the command.
        above: The name of the tables' parent with a dot, for messages; empty in
            crossplane-lite.toml.
    """

    file: Path
    tables: Mapping[str, Any]
    above: str

    def table(self, name: str, keys: Mapping[str, str]) -> Mapping[str, Any] | None:
        """Return a table after a check of its keys and values; None if the file doesn't have it.

        Args:
            name: The table's name.
            keys: The keys that it may have, each with `TEXT` or `LIST`.

        Raises:
            InputError: The table isn't one, a key is unknown, or a value has another type.
        """
        table = self.tables.get(name)
        if table is None:
            return None
        place = f"{self.above}{name}"
        if not isinstance(table, dict):
            raise InputError(f"{self.file}: {place} must be a table, [{place}] (got {table!r})")
        for key, value in table.items():
            if key not in keys:
                hint = near_name(key, keys) or f"; its keys are {', '.join(keys)}"
                raise InputError(f"{self.file}: [{place}] has no key {key!r}{hint}")
            if not _is(value, keys[key]):
                got = str(value).lower() if isinstance(value, bool) else repr(value)
                raise InputError(f"{self.file}: {place}.{key} must be {keys[key]} (got {got})")
        return table

    def preview(self) -> dict[str, Any]:
        """Return the table [preview] with its paths below the file's folder: a Path, or for `crds`
        a list of them.

        Packages in registries stay strings in that list. It is empty if the file has no such table.

        Raises:
            InputError: A key or a value is wrong, or a path doesn't exist.
        """
        found: dict[str, Any] = {}
        for key, value in (self.table("preview", PREVIEW) or {}).items():
            paths: list[Any] = []
            for one in [value] if isinstance(value, str) else value:
                path = one if key == "crds" and is_package(one) else self.file.parent / one
                paths.append(path)
                if isinstance(path, Path) and not path.exists():
                    raise InputError(
                        f"{self.file}: {self.above}preview.{key}: there is no file or folder {path}"
                    )
            found[key] = paths if isinstance(value, list) else paths[0]
        return found


def find(folder: Path) -> Project | None:
    """Return the project file of a folder; None if it has none. `crossplane-lite.toml` wins over
    pyproject.toml.

    Raises:
        InputError: The file can't be read, or isn't TOML.
        MissingExtraError: Python 3.10 needs tomli to read the file, and it isn't installed.
    """
    if (folder / NAME).exists():
        return read(folder / NAME)
    other = folder / _OTHER
    if other.is_file() and _HAS_TOOL.search(read_bytes(other)):
        return read(other)
    return None


def read(file: Path) -> Project:
    """Read a project file. If its name is pyproject.toml, the tables are below
    `[tool.crossplane-lite]`.

    Raises:
        InputError: The file can't be read, or isn't TOML.
        MissingExtraError: Python 3.10 needs tomli to read the file, and it isn't installed.
    """
    data = read_bytes(file)
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        tomllib: Any = load("tomli", "cli")
    try:
        document = tomllib.loads(data.decode())
    except ValueError as e:  # UnicodeDecodeError is one
        raise InputError(f"{file} is not TOML: {' '.join(str(e).split())}") from None
    if file.name != _OTHER:
        return Project(file, document, "")
    tables: Any = document
    for part in _TOOL.split("."):
        tables = tables.get(part, {}) if isinstance(tables, dict) else {}
    return Project(file, tables if isinstance(tables, dict) else {}, f"{_TOOL}.")


def _is(value: Any, kind: str) -> bool:
    if kind == LIST:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return isinstance(value, str if kind == TEXT else bool)
