"""Golden tests of KRM functions: a function's output must be the same as expected files, byte for
byte.

    def test_golden():
        krm.testing.golden(transform, Path(__file__).parent / "golden")

This module works without pytest.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import InputError, UsageError
from ..testing.snapshots import SnapshotError, _replace, _shown
from ._text import parse
from .files import Package, diff
from .functions import Function
from .runner import answered

if TYPE_CHECKING:
    from ..testing.snapshots import Log

__all__ = ["SnapshotError", "golden"]

UPDATE: Final = "CROSSPLANE_LITE_UPDATE"
"""An environment variable. Unless it is unset, empty or 0, expected files are written instead of
compared.
"""

_CONFIG: Final = "functionConfig.yaml"
_RESOURCES: Final = "resources"
_INPUT: Final = "input.yaml"
_EXPECTED: Final = "expected"
_OUTPUT: Final = "output.yaml"
_RESULTS: Final = "results.yaml"

_MOST_LINES: Final = 100  # of one file's differences
_LONGEST_LINE: Final = 200
_UNSEEN: Final = {
    "\t": "\\t",
    "\r": "\\r",
    "\ufeff": "\\ufeff",
    "\u00a0": "\\u00a0",
    "\x85": "\\x85",
}

_PYTEST_PLUGIN: Final = "crossplane_lite.testing.plugin"


def golden(
    function: Function, folder: str | os.PathLike[str], *, update: bool | None = None
) -> None:
    """Run a function on the input in a folder, and assert that the output is the expected one.

    The folder is one test case, or contains a folder for each case. A case has these files::

        functionConfig.yaml     the function's config, if it has one
        resources/**/*.yaml     the resources; a generator may have none
        expected/resources/     the same files after the run
        expected/results.yaml   the results, if there are any

    or, for a test of the ResourceList itself::

        input.yaml              the ResourceList that an orchestrator sends
        expected/output.yaml    the ResourceList that the function returns

    Everything is compared byte for byte. All cases are run before the differences are reported.

    Args:
        function: The function, made by `krm.function` or `krm.from_composition`.
        folder: The path of the folder.
        update: Whether the output replaces the files in `expected`, and isn't compared with them.
            By default that is so if pytest was started with `--crossplane-update-snapshots`, or if
            the environment variable `CROSSPLANE_LITE_UPDATE` is neither empty nor 0.

    Raises:
        SnapshotError: The output differs, there is no `expected` yet, the function has no
            ResourceList as output, or another test of this run has written a different output to
            `expected`. It is an AssertionError.
        InputError: The folder doesn't exist or contains no case, or the input of a case can't be
            used.
        UsageError: `function` isn't a KRM function.
    """
    __tracebackhide__ = True
    if not isinstance(function, Function):
        raise UsageError(f"golden() takes a function made by @krm.function (got {function!r:.80})")
    switch, log = _run_of_pytest()
    if update is None:
        update = switch or os.environ.get(UPDATE, "0") not in ("", "0")
    problems = []
    for case in _cases(Path(folder)):
        files = _files_after(function, case)
        found = _write(case, files, log) if update else _compare(case, files, log)
        problems += [f"{_shown(case)}:\n{found}"] if found else []
    if problems:
        raise SnapshotError("\n\n".join([*problems, _advice()]))


def _run_of_pytest() -> tuple[bool, Log | None]:
    """Return whether this run of pytest writes expected files, and the log of the files that it
    checks and writes.

    Without pytest, or without this package's plugin for it, these are False and None.
    """
    plugin = sys.modules.get(_PYTEST_PLUGIN)
    found: tuple[bool, Log | None] = (False, None) if plugin is None else plugin.current_run()
    return found


def _advice() -> str:
    how = (
        "pytest --crossplane-update-snapshots"
        if "PYTEST_CURRENT_TEST" in os.environ
        else f"{UPDATE}=1"
    )
    return f"if the new output is right, write it with: {how}"


# Input


def _cases(folder: Path) -> list[Path]:
    """Return the folders of the test cases: `folder` itself if it is a case, else the sorted
    folders in it.

    Folders whose names begin with `.` or `__` are left out.

    Raises:
        InputError: The folder doesn't exist, contains no case, or contains a folder that isn't a
            case.
    """
    if not folder.is_dir():
        raise InputError(
            f"there is no folder {folder}; it must be a test case, with {_CONFIG}, {_RESOURCES}/ or"
            f" {_INPUT}, or hold folders that are test cases"
        )
    if _is_case(folder):
        return [folder]
    found = sorted(
        one for one in folder.iterdir() if one.is_dir() and not one.name.startswith((".", "__"))
    )
    for one in found:
        if not _is_case(one):
            raise InputError(
                f"{one} isn't a test case: it has neither {_CONFIG} nor {_RESOURCES}/ nor {_INPUT}"
            )
    if not found:
        raise InputError(
            f"{folder} holds no test case, which is a folder with {_CONFIG}, {_RESOURCES}/ or"
            f" {_INPUT}"
        )
    return found


def _is_case(folder: Path) -> bool:
    return any((folder / name).exists() for name in (_CONFIG, _RESOURCES, _INPUT))


def _files_after(function: Function, case: Path) -> dict[str, bytes]:
    """Run a function on the input of a case, and return the files that must be in the case's folder
    `expected`.

    Returns:
        The content of each file, by its path in `expected`.

    Raises:
        InputError: The input can't be used.
        SnapshotError: The function has no ResourceList as output, because its input can't be read.
    """
    if (case / _INPUT).exists():
        for other in (_CONFIG, _RESOURCES):
            if (case / other).exists():
                raise InputError(
                    f"{case} has both {_INPUT} and {other}; {_INPUT} is a whole ResourceList:"
                    " remove one of the two"
                )
        try:
            data = (case / _INPUT).read_bytes()
        except OSError as e:
            raise InputError(f"can't read {case / _INPUT}: {e.strerror or e}") from e
        return {_OUTPUT: _run(function, case, data)}
    config, resources = case / _CONFIG, case / _RESOURCES
    package = Package(
        str(config) if config.exists() else None,
        [str(resources)] if resources.exists() else [],
        root=str(resources),
    )
    answer = answered(function, package.read, package.changes)
    after = {f"{_RESOURCES}/{name}": data for name, data in package.contents.items()}
    for name, _, now in answer.made:
        after.pop(f"{_RESOURCES}/{name}", None)
        # an orchestrator deletes the file of an item that is gone
        if now is not None and now.strip():
            after[f"{_RESOURCES}/{name}"] = now
    results = [one.to_dict() for one in answer.rl.results]
    if results:
        text = parse(b"results: []\n", _RESULTS)
        text.root.assign({"results": results})
        after[_RESULTS] = text.dump()
    return after


def _run(function: Function, case: Path, data: bytes) -> bytes:
    output = function.run(data)
    if not output.stdout:
        raise SnapshotError(
            f"{_shown(case)}: the function printed no ResourceList: {output.stderr.strip()}"
        )
    return output.stdout


# Output


def _compare(case: Path, files: Mapping[str, bytes], log: Log | None) -> str:
    """Return a text that says how the files in `expected` of a case differ from `files`; empty if
    they are the same.

    Args:
        case: The case's folder.
        files: The content of each file that must be there, by its path in `expected`.
        log: The log of this run of pytest, which gets the files that were checked; None outside of
            pytest.
    """
    expected = case / _EXPECTED
    there = _there(expected)
    if log is not None:
        log.checked.update(str(_absolute(expected / name)) for name in files)
    if not there and files:
        return f"there is no folder {_EXPECTED}/ with the expected output yet"
    lines: list[str] = []
    for name in sorted({*there, *files}):
        before, after = there.get(name), files.get(name)
        if before != after:
            text = diff([(f"{_EXPECTED}/{name}", before, after)], colour=False)
            found = [_visible(line) for line in text.removesuffix("\n").split("\n")]
            lines += found[:_MOST_LINES]
            if len(found) > _MOST_LINES:
                lines.append(f"... and {len(found) - _MOST_LINES} more lines")
    return "\n".join(lines)


def _write(case: Path, files: Mapping[str, bytes], log: Log | None) -> str:
    """Write the output of a case to the folder `expected`, and remove other files from there.

    Args:
        case: The case's folder.
        files: The content of each file, by its path in `expected`.
        log: The log of this run of pytest, which gets the files that were written; None outside of
            pytest.

    Returns:
        An empty string; an error message if another test of this run has written a different
        content to a file.
    """
    expected = case / _EXPECTED
    there = _there(expected)
    for name, data in files.items():
        file = _absolute(expected / name)
        made = hashlib.sha256(data).hexdigest()
        if log is not None:
            log.checked.add(str(file))
            earlier = log.written.get(str(file))
            if earlier is not None and earlier[0] != made:
                return (
                    f"another test of this run has written something else to {_EXPECTED}/{name}:"
                    " give each test its own folder"
                )
        if there.get(name) != data:
            _replace(file, data.decode())
            if log is not None:
                log.written[str(file)] = made, name not in there
    for name in there:
        if name not in files:
            (expected / name).unlink()
    return ""


def _there(folder: Path) -> dict[str, bytes]:
    """Return the content of each file in a folder and the folders below it, by its path there with
    slashes.

    Hidden files and folders are left out. If the folder doesn't exist, the result is empty.
    """
    found = {}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder)
        if file.is_file() and not any(part.startswith(".") for part in name.parts):
            found[name.as_posix()] = file.read_bytes()
    return found


def _absolute(file: Path) -> Path:
    return Path(os.path.abspath(file))


def _visible(line: str) -> str:
    for sign, written in _UNSEEN.items():
        line = line.replace(sign, written)
    bare = line.rstrip(" ")
    line = bare + "\u00b7" * (len(line) - len(bare))
    return (
        line
        if len(line) <= _LONGEST_LINE
        else f"{line[:_LONGEST_LINE]}... ({len(line) - _LONGEST_LINE} more)"
    )
