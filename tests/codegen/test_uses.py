"""The lines of code that new models break, as mypy sees them."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.codegen import uses
from crossplane_lite._tools.codegen.uses import Use, broken_uses
from crossplane_lite._tools.programs import process
from crossplane_lite.errors import InputError, MissingExtraError
from tests.codegen.generated import crd, items, obj, output

Json = dict[str, Any]

CODE = """\
from .models.org.example.thing import v1

GIVEN = {"gone": "the word alone breaks nothing"}


def compose(ctx):
    thing = v1.Thing(spec=v1.ThingSpec(rules=[v1.RulesItem(port=3, gone="x")], size=1))
    thing.spec.rules[0].gone = "y"
    undefined_before_and_after()
    return thing.spec.rules[0].port, thing.observed.status.gone
"""

BEFORE = crd(obj(spec=obj(rules=items(port="i", gone="s"), size="i"), status=obj(gone="s")))
AFTER = crd(obj(spec=obj(rules=items(port="i", new="s"), size="s"), status=obj(gone="s")))
BROKEN = {(7, "gone"), (7, "size"), (8, "gone")}


def files(content: Json, previous: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return modules and stubs of a definition."""
    made = output(content, previous=previous)
    return made.files


def project(folder: Path) -> tuple[Path, tuple[Path, list[str], dict[str, str]]]:
    """Write a function with its models, and return its package and what is about to be generated."""
    before = files(BEFORE)
    models = folder / "network" / "models"
    for name, text in before.items():
        (models / name).parent.mkdir(parents=True, exist_ok=True)
        (models / name).write_text(text)
    (folder / "network" / "__init__.py").touch()
    (folder / "network" / "function.py").write_text(CODE)
    return folder / "network", (models, list(before), files(AFTER, before))


def places(found: list[Use]) -> set[tuple[int, str]]:
    """Return line and the word that each is about."""
    assert all(use.path.endswith(os.path.join("network", "function.py")) for use in found)
    return {(use.line, next(word for word in ("gone", "size") if f'"{word}"' in use.text)) for use in found}


@pytest.fixture
def with_mypy(monkeypatch: pytest.MonkeyPatch) -> None:
    """mypy counts as installed, for tests in which it isn't run or another program takes its place."""
    monkeypatch.setattr(uses, "check_installed", lambda: None)


@pytest.mark.slow
def test_by_mypy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fields that are gone and types that changed break lines; words, other fields and older errors don't."""
    package, models = project(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.chdir(tmp_path)
    found = broken_uses([Path("network/function.py")], *models)
    assert places(found) == BROKEN
    assert {use.path for use in found} == {os.path.join("network", "function.py")}
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    monkeypatch.chdir(Path(__file__).parent)  # from elsewhere, and the whole package
    assert places(broken_uses([package], *models)) == BROKEN


def test_without_mypy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where there is no mypy this is said, with what to install."""
    monkeypatch.setattr(uses.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'crossplane-lite\[cli\]'"):
        broken_uses([tmp_path], tmp_path, [], {})


@pytest.mark.usefixtures("with_mypy")
def test_code_that_is_not_there(tmp_path: Path) -> None:
    """Code that isn't there is an error before anything is checked."""
    with pytest.raises(InputError, match=r"there is no file or folder .*none\.py"):
        broken_uses([tmp_path / "none.py"], tmp_path, [], {})


def test_what_is_copied(tmp_path: Path) -> None:
    """Code and what configures checkers is copied; environments, hidden folders and links that lead nowhere are not."""
    names = ["a.py", "b/c.pyi", "b/py.typed", "pyproject.toml", "b/data.json", ".git/d.py", "node_modules/e.py"]
    for name in [*names, "venv/lib/f.py", "venv/pyvenv.cfg", "b/__pycache__/g.py"]:
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).write_text("")
    (tmp_path / "project" / "dead.py").symlink_to("nowhere.py")
    uses._copy(tmp_path / "project", tmp_path / "copy")
    found = {str(path.relative_to(tmp_path / "copy")) for path in (tmp_path / "copy").rglob("*") if path.is_file()}
    assert found == {"a.py", "b/c.pyi", "b/py.typed", "pyproject.toml"}


@pytest.mark.usefixtures("with_mypy")
@pytest.mark.parametrize("name", ["broken.py", "mypy.ini"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    """A file of the project that the system doesn't read is named, with the flag that needs it."""
    unreadable = Path("/proc/self/mem")  # a file whose first byte nobody can read, root neither
    if not unreadable.exists():
        pytest.skip("this system has no /proc/self/mem")
    (tmp_path / "a.py").touch()
    (tmp_path / name).symlink_to(unreadable)
    with pytest.raises(InputError) as error:
        broken_uses([tmp_path / "a.py"], tmp_path, [], {})
    assert str(error.value) == f"--uses: can't copy {tmp_path / name} for mypy: {os.strerror(errno.EIO)}"


@pytest.mark.usefixtures("with_mypy")
def test_a_folder_that_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with more files than any project is refused, rather than copied."""
    monkeypatch.setattr(uses, "_MOST_FILES", 3)
    for number in range(4):
        (tmp_path / f"a{number}.py").touch()
    with pytest.raises(InputError, match="more than 3 files of Python: run the command in the project's folder"):
        broken_uses([tmp_path / "a1.py"], tmp_path, [], {})


@pytest.mark.usefixtures("with_mypy")
def test_nothing_in_common(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code and models that have no folder in common are refused: the whole disk is no project."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="have no folder in common: give paths in one project"):
        broken_uses([tmp_path], Path("/somewhere/models"), [], {})


@pytest.mark.usefixtures("with_mypy")
@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("echo 'a.py: error: odd' >&2; exit 2", "mypy can't check the code: a.py: error: odd"),
        ("exit 3", "mypy can't check the code: its exit status is 3"),
        ("kill -KILL $$", "mypy can't check the code: it was ended by the signal SIGKILL"),
    ],
)
def test_a_checker_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, problem: str) -> None:
    """What a checker says when it can't check is in the error."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    (tmp_path / "a.py").touch()
    with pytest.raises(InputError) as caught:
        broken_uses([tmp_path / "a.py"], tmp_path, [], {})
    assert str(caught.value) == f"--uses: {problem}"


@pytest.mark.usefixtures("with_mypy")
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (process.TooMuchError("512 MiB"), "--uses: mypy printed more than 512 MiB: give fewer files or folders"),
        (PermissionError(13, "Permission denied"), "--uses: mypy can't be started: Permission denied"),
    ],
    ids=["too much", "not started"],
)
def test_failed_runs(error: Exception, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Output over the limit is told apart from a checker that can't be started."""

    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(process, "run", fails)
    folder, made = project(tmp_path)
    with pytest.raises(InputError) as caught:
        broken_uses([folder], *made)
    assert str(caught.value) == message
