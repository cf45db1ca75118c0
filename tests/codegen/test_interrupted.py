"""Output folders after errors and killed runs, and with several runs at once."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from crossplane_lite._tools.codegen.output import Summary, write
from crossplane_lite.errors import InputError
from tests.codegen.folders import MEMORY, Killed, failing, killed, put, snapshot, texts

ROOT = Path(__file__).parents[2]
OLD = {"a/__init__.py": "", "a/x.py": "old", "a/y.py": "same", "b/z.py": "old", "b/c/z.pyi": "old"}
NEW = {"a/__init__.py": "", "a/x.py": "new", "a/y.py": "same", "d/e/f.py": "new", "d/e/g.py": "new"}
OTHER = {"a/x.py": "other", "h/i.py": "other"}
FOREIGN = {"notes.txt": "mine", "a/own.py": "mine", "b/__pycache__/own.cpython-311.pyc": "mine"}
BYTE_CODE = "b/__pycache__/z.cpython-311.pyc"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder that needs no waiting for the disk, which would take most of the time."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


def generate(root: Path, models: Mapping[str, str] = NEW) -> Summary:
    """Write the folder."""
    return write(root / "models", models)


def after_a_run(root: Path) -> None:
    """Make a folder with the old files, files of others and byte code."""
    generate(root, OLD)
    put(root / "models", {**FOREIGN, BYTE_CODE: "code"})
    (root / "models/a/x.py").chmod(0o640)


def nothing(root: Path) -> None:
    """Make no folder."""


def assert_whole(root: Path, models: Mapping[str, str], foreign: Mapping[str, str]) -> None:
    """Exactly these files must be there and those of others, and no folder without any."""
    found = texts(root / "models")
    found.pop(BYTE_CODE, None)
    assert found == {**foreign, **models}
    assert all(any(place.iterdir()) for place in root.rglob("*") if place.is_dir())


def each_step(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """Yield the number of each step of a run, from 1, with a place of its own for it."""
    for step in itertools.count(1):
        assert step <= 200
        yield step, tmp_path / str(step)
        shutil.rmtree(tmp_path / str(step))


@pytest.mark.sample(1)
@pytest.mark.parametrize("before", [after_a_run, nothing])
@pytest.mark.parametrize("models", [NEW, OLD, OTHER])
def test_killed(tmp_path: Path, models: dict[str, str], before: Callable[[Path], None]) -> None:
    """Whenever a run is killed, no file is half-written, and the next run, of the same or other files, finishes all."""
    for step, root in each_step(tmp_path):
        root.mkdir()
        before(root)
        try:
            with killed(step):
                generate(root)
            break
        except Killed:
            pass
        for path in OLD.keys() | NEW.keys():
            place = root / "models" / path
            assert not place.exists() or place.read_text() in (OLD.get(path), NEW.get(path))
        generate(root, models)
        assert_whole(root, models, FOREIGN if before is after_a_run else {})
    assert step > 20


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("before", [after_a_run, nothing])
def test_error(tmp_path: Path, before: Callable[[Path], None]) -> None:
    """An error at any step is told with its file and reason, leaves no temporary file, and the next run finishes."""
    reason = os.strerror(errno.ENOSPC)
    messages = set()
    for step, root in each_step(tmp_path):
        root.mkdir()
        before(root)
        with failing(step, OSError(errno.ENOSPC, reason, "temporary")) as steps:
            try:
                generate(root)
            except InputError as e:
                messages.add(str(e).replace(str(root), "").partition(";")[0])
                assert str(e).endswith(f"run the command again to finish {root}/models")
            else:
                if step > len(steps):
                    break
                continue  # byte code or an empty folder was left
        generate(root)
        assert_whole(root, NEW, FOREIGN if before is after_a_run else {})
    assert f"can't write /models/d/e/f.py: {reason}" in messages
    assert (f"can't remove /models/b/z.py: {reason}" in messages) == (before is after_a_run)


def test_read_only(tmp_path: Path) -> None:
    """Where nothing can be written at all, nothing changes, and models that are up to date are no error."""
    after_a_run(tmp_path)
    was = snapshot(tmp_path)
    with failing(1, OSError(errno.EROFS, "Read-only file system"), lasting=True):
        assert generate(tmp_path, OLD) == Summary(0, 5, 0)
        with pytest.raises(InputError, match="Read-only file system"):
            generate(tmp_path)
    assert snapshot(tmp_path) == was


def test_disk_limit(tmp_path: Path) -> None:
    """A file that the system doesn't let grow is an error that names it, and its old text stays."""
    program = (
        "import resource, sys, pathlib\n"
        "from crossplane_lite._tools.codegen.output import write\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "write(pathlib.Path(sys.argv[1]), {'a/x.py': 'x' * 40_000, 'b/y.py': 'y' * 60_000})\n"
    )
    models = tmp_path / "models"
    write(models, {"b/y.py": "old"})
    done = subprocess.run(
        [sys.executable, "-c", program, str(models)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert f"InputError: can't write {models}/b/y.py: File too large" in done.stderr.splitlines()[-1]
    assert texts(models) == {"a/x.py": "x" * 40_000, "b/y.py": "old"}
    assert not [*models.glob("*.tmp")]


@pytest.mark.slow  # processes
def test_many_processes(tmp_path: Path) -> None:
    """Several runs at once that make the same models all succeed."""
    program = (
        "import pathlib, sys\n"
        "from crossplane_lite._tools.codegen.output import write\n"
        "write(pathlib.Path(sys.argv[1]), {f'a/{i}.py': 'text' * 1000 for i in range(300)})\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "models")]) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert texts(tmp_path / "models") == {f"a/{i}.py": "text" * 1000 for i in range(300)}
