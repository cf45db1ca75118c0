"""Finds the lines of a function's code that new models would break, with mypy.

mypy runs twice on a copy of the project: with the present models, and with the new models. The
errors that only the second run finds are reported. It uses the project's own configuration.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ...errors import InputError, MissingExtraError
from ..programs import process

_TIMEOUT: Final = 1800.0
_MOST_FILES: Final = 50_000
_CODE: Final = (".py", ".pyi", "py.typed")
_SETTINGS: Final = ("pyproject.toml", "setup.cfg", "mypy.ini", ".mypy.ini")
_MYPY_LINE: Final = re.compile(r"(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): error: (?P<text>.*)")
_MYPY: Final = (
    *(
        "--check-untyped-defs",
        "--no-error-summary",
        "--no-pretty",
        "--no-color-output",
        "--hide-error-context",
    ),
    *("--show-column-numbers", "--show-error-codes", "--no-warn-unused-configs"),
)


class Use(NamedTuple):
    """A place in the code where mypy finds an error with the new models, but not with the present
    models.

    Attributes:
        path: The file, relative to the current folder if it is inside of that.
        line: The number of the line, from 1.
        column: The number of the column, from 1.
        text: mypy's message.
    """

    path: str
    line: int
    column: int
    text: str


def check_installed() -> None:
    """Check that mypy is installed.

    Raises:
        MissingExtraError: It isn't.
    """
    if importlib.util.find_spec("mypy") is None:
        raise MissingExtraError(
            "--uses needs mypy, and it isn't installed: pip install 'crossplane-lite[cli]'"
        )


def broken_uses(
    code: Sequence[Path], models: Path, owned: Sequence[str], files: Mapping[str, str]
) -> list[Use]:
    """Return the places in code that the new models would break, sorted.

    Args:
        code: The files and folders of code to check.
        models: The folder of models.
        owned: The paths of its present generated files.
        files: The texts of its new files by path.

    Raises:
        InputError: A path in `code` doesn't exist; the code and the models have no folder in
            common; that folder has more than 50,000 Python files; a file of it can't be copied; or
            mypy can't check the code (the message has mypy's text).
        MissingExtraError: mypy isn't installed.
        OSError: The new models can't be written into the copy of the project.
    """
    check_installed()
    for path in code:
        if not path.exists():
            raise InputError(f"--uses: there is no file or folder {path}")
    root = _root([*code, models])
    # The real path of the copy, without links in it: mypy reports some files by their real path.
    with tempfile.TemporaryDirectory(prefix="crossplane-lite-uses-") as made:
        copy = Path(made).resolve() / "project"
        _copy(root, copy)
        targets = [str(path.resolve().relative_to(root)) for path in code]
        before = {*_check(copy, targets)}
        place = copy / models.resolve().relative_to(root)
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
    """Return the project's folder: the current folder if all paths are in it, else the smallest
    folder with all paths.

    Raises:
        InputError: The paths have only the root of the file system in common.
    """
    real = [path.resolve() for path in paths]
    here = Path.cwd().resolve()
    if all(path.is_relative_to(here) for path in real):
        return here
    root = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in real]))
    if root == Path(root.anchor):
        raise InputError(
            "--uses: the code and the models have no folder in common: give paths in one project"
        )
    return root


def _copy(root: Path, target: Path) -> None:
    """Copy a project's Python files, and the configuration files of mypy in the project's folder
    itself.

    Files in hidden folders, `__pycache__`, `node_modules` and virtual environments aren't copied.
    Raises InputError if there are more than 50,000 Python files, or a file can't be copied.
    """
    number = 0

    def is_wanted(folder: str, name: str) -> bool:
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            is_other = (
                name.startswith(".")
                or name in ("__pycache__", "node_modules")
                or os.path.islink(path)
            )
            return not is_other and not os.path.isfile(os.path.join(path, "pyvenv.cfg"))
        is_code = name.endswith(_CODE) or (folder == str(root) and name in _SETTINGS)
        # a link may lead nowhere, and a pipe would never end
        return is_code and os.path.isfile(path)

    def unwanted(folder: str, names: list[str]) -> Collection[str]:
        nonlocal number
        others = {name for name in names if not is_wanted(folder, name)}
        number += len(names) - len(others)
        if number > _MOST_FILES:
            raise InputError(
                f"--uses: {root} has more than {_MOST_FILES:,} files of Python: run the command in"
                " the project's folder"
            )
        return others

    shutil.copytree(root, target, ignore=unwanted, copy_function=_copy_file)


def _copy_file(path: str, place: str) -> None:
    try:
        shutil.copyfile(path, place)
    except OSError as e:
        raise InputError(f"--uses: can't copy {path} for mypy: {e.strerror or e}") from None


def _check(folder: Path, targets: Sequence[str]) -> list[Use]:
    cache = folder.parent / "cache"
    output = _run(
        [sys.executable, "-m", "mypy", *_MYPY, f"--cache-dir={cache}", "--", *targets], folder
    )
    matches = (_MYPY_LINE.fullmatch(line) for line in output.splitlines())
    return [
        Use(match["path"], int(match["line"]), int(match["column"]), match["text"])
        for match in matches
        if match is not None and _is_in(match["path"], targets)
    ]


def _run(command: Sequence[str], folder: Path) -> str:
    """Run mypy in a folder, and return its output.

    Raises InputError if it can't be started, takes too long, prints too much, or can't check the
    code.
    """
    try:
        done = process.run(command, timeout=_TIMEOUT, folder=folder)
    except process.TooLongError:
        raise InputError(
            f"--uses: mypy took longer than {_TIMEOUT:g} s: give fewer files or folders"
        ) from None
    except process.TooMuchError as e:
        raise InputError(
            f"--uses: mypy printed more than {e}: give fewer files or folders"
        ) from None
    except OSError as e:
        raise InputError(f"--uses: mypy can't be started: {e.strerror or e}") from None
    output = done.output.decode(errors="replace")
    if done.status not in (0, 1):  # 1 means that the code has errors
        said = [
            line
            for line in (done.told.decode(errors="replace") + output).splitlines()
            if line.strip()
        ]
        told = "; ".join(line.strip() for line in said[:3]) or done.ending
        raise InputError(
            f"--uses: mypy can't check the code: {told.replace(str(folder) + os.sep, '')}"
        )
    return output


def _is_in(path: str, targets: Sequence[str]) -> bool:
    return any(
        target == "." or path == target or path.startswith(target + os.sep) for target in targets
    )


def _seen_from(here: Path, path: Path) -> str:
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
