"""Finds the lines of a function's code that new models would break, with a type checker.

The checker runs twice on a copy of the project: with the present models, and with the new models. The errors that only
the second run finds are reported. The checker is mypy, or pyright if mypy isn't installed. It uses the project's own
configuration.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...errors import InputError, MissingExtraError
from ..programs import process

__all__ = ["Use", "broken_uses", "check_installed"]

_TIMEOUT: Final = 1800.0
_MOST_FILES: Final = 50_000
_CODE: Final = (".py", ".pyi", "py.typed")
_SETTINGS: Final = ("pyproject.toml", "setup.cfg", "mypy.ini", ".mypy.ini", "tox.ini", "pyrightconfig.json")
_MYPY_LINE: Final = re.compile(r"(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): error: (?P<text>.*)")
_MYPY: Final = (
    *("--check-untyped-defs", "--no-error-summary", "--no-pretty", "--no-color-output", "--hide-error-context"),
    *("--show-column-numbers", "--show-error-codes", "--no-warn-unused-configs"),
)


class Use(NamedTuple):
    """A place in the code where the type checker finds an error with the new models, but not with the present models.

    Attributes:
        path: The file, relative to the current folder if it is inside of that.
        line: The number of the line, from 1.
        column: The number of the column, from 1.
        text: The type checker's message.
    """

    path: str
    line: int
    column: int
    text: str


def check_installed() -> None:
    """Check that a type checker is installed.

    Raises:
        MissingExtraError: Neither mypy nor pyright is installed.
    """
    if not _has_mypy() and _pyright() is None:
        raise MissingExtraError(
            "--uses needs a type checker, and none is installed: pip install 'crossplane-lite[uses]', or put pyright "
            "on the PATH"
        )


def broken_uses(code: Sequence[Path], folders: Sequence[tuple[Path, Sequence[str], Mapping[str, str]]]) -> list[Use]:
    """Return the places in code that the new models would break, sorted.

    Args:
        code: The files and folders of code to check.
        folders: The folders of models and stubs, each with the paths of its present generated files, and with the texts
            of its new files by path.

    Raises:
        InputError: A path in `code` doesn't exist; the code and `folders` have no folder in common; that folder has
            more than 50,000 Python files; a file of it can't be copied; or the checker can't check the code (the
            message has the checker's text).
        MissingExtraError: Neither mypy nor pyright is installed.
        OSError: The new models can't be written into the copy of the project.
    """
    check_installed()
    for path in code:
        if not path.exists():
            raise InputError(f"--uses: there is no file or folder {path}")
    root = _root([*code, *(folder for folder, _, _ in folders)])
    # The real path of the copy, without links in it: checkers report some files by their real path.
    with tempfile.TemporaryDirectory(prefix="crossplane-lite-uses-") as made:
        copy = Path(made).resolve() / "project"
        _copy(root, copy)
        targets = [str(path.resolve().relative_to(root)) for path in code]
        before = {*_check(copy, targets)}
        for folder, owned, files in folders:
            place = copy / folder.resolve().relative_to(root)
            for name in owned:
                (place / name).unlink(missing_ok=True)
            for name, text in files.items():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_text(text, encoding="utf-8")
        found = [use for use in _check(copy, targets) if use not in before]
    here = Path.cwd()
    shown = [use._replace(path=_seen_from(here, root / use.path)) for use in found]
    return sorted(dict.fromkeys(shown))


def _root(paths: Sequence[Path]) -> Path:
    """Return the project's folder: the current folder if all paths are in it, else the smallest folder with all paths.

    Raises:
        InputError: The paths have only the root of the file system in common.
    """
    real = [path.resolve() for path in paths]
    here = Path.cwd().resolve()
    if all(path.is_relative_to(here) for path in real):
        return here
    root = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in real]))
    if root == Path(root.anchor):
        raise InputError("--uses: the code and the models have no folder in common: give paths in one project")
    return root


def _copy(root: Path, target: Path) -> None:
    """Copy a project's Python files, and the configuration files of type checkers in the project's folder itself.

    Files in hidden folders, `__pycache__`, `node_modules` and virtual environments aren't copied. Raises InputError if
    there are more than 50,000 Python files, or a file can't be copied.
    """
    number = 0
    for path in _files(root):
        number += 1
        if number > _MOST_FILES:
            raise InputError(
                f"--uses: {root} has more than {_MOST_FILES:,} files of Python: run the command in the project's folder"
            )
        _copy_file(path, target / path.relative_to(root))
    for name in _SETTINGS:
        if (root / name).is_file():
            _copy_file(root / name, target / name)


def _copy_file(path: Path, place: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    except OSError as e:
        raise InputError(f"--uses: can't copy {path} for the type checker: {e.strerror or e}") from None


def _files(root: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in ("__pycache__", "node_modules")
            and not os.path.isfile(os.path.join(where, name, "pyvenv.cfg"))
        )
        found = (Path(where, name) for name in sorted(names) if name.endswith(_CODE))
        yield from (path for path in found if path.is_file())  # a link may lead nowhere, and a pipe would never end


def _has_mypy() -> bool:
    return importlib.util.find_spec("mypy") is not None


def _pyright() -> list[str] | None:
    """Return the start of a command that runs pyright; None if pyright isn't installed."""
    if importlib.util.find_spec("pyright") is not None:
        return [sys.executable, "-m", "pyright"]
    found = shutil.which("pyright")
    return None if found is None else [found]


def _check(folder: Path, targets: Sequence[str]) -> list[Use]:
    if _has_mypy():
        return _by_mypy(folder, targets)
    return _by_pyright(folder, targets)


def _by_mypy(folder: Path, targets: Sequence[str]) -> list[Use]:
    cache = folder.parent / "cache"
    output = _run([sys.executable, "-m", "mypy", *_MYPY, f"--cache-dir={cache}", "--", *targets], folder, "mypy")
    found = []
    for line in output.splitlines():
        match = _MYPY_LINE.fullmatch(line)
        if match is not None and _is_in(match["path"], targets):
            found.append(Use(match["path"], int(match["line"]), int(match["column"]), match["text"]))
    return found


def _by_pyright(folder: Path, targets: Sequence[str]) -> list[Use]:
    command = [*(_pyright() or ()), "--outputjson", "--pythonpath", sys.executable, *targets]
    output = _run(command, folder, "pyright")
    try:
        listed: list[Any] = json.loads(output)["generalDiagnostics"]
        found = []
        for one in listed:
            path = os.path.relpath(one["file"], folder)
            start = one["range"]["start"]
            text = " ".join(one["message"].split()) + (f"  [{one['rule']}]" if "rule" in one else "")
            if one["severity"] == "error" and _is_in(path, targets):
                found.append(Use(path, start["line"] + 1, start["character"] + 1, text))
    except (ValueError, KeyError, TypeError):
        said = repr(output[:300]) if output.strip() else "nothing"
        raise InputError(
            f"--uses: pyright printed {said} instead of a report: run pyright by itself to see why"
        ) from None
    return found


def _run(command: Sequence[str], folder: Path, name: str) -> str:
    """Run a type checker in a folder, and return its output.

    Raises InputError if it can't be started, takes too long, prints too much, or can't check the code.
    """
    try:
        done = process.run(command, timeout=_TIMEOUT, folder=folder)
    except process.TooLongError:
        raise InputError(f"--uses: {name} took longer than {_TIMEOUT:g} s: give fewer files or folders") from None
    except process.TooMuchError as e:
        raise InputError(f"--uses: {name} printed more than {e}: give fewer files or folders") from None
    except OSError as e:
        raise InputError(f"--uses: {name} can't be started: {e.strerror or e}") from None
    output = done.output.decode(errors="replace")
    if done.status not in (0, 1):  # 1 means that the code has errors
        said = [line for line in (done.told.decode(errors="replace") + output).splitlines() if line.strip()]
        told = "; ".join(line.strip() for line in said[:3]) or done.ending
        raise InputError(f"--uses: {name} can't check the code: {told.replace(str(folder) + os.sep, '')}")
    return output


def _is_in(path: str, targets: Sequence[str]) -> bool:
    return any(target == "." or path == target or path.startswith(target + os.sep) for target in targets)


def _seen_from(here: Path, path: Path) -> str:
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
