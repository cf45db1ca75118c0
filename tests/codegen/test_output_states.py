"""Random histories of an output folder: runs, killed runs, and what people do in between."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from crossplane_lite.errors import InputError
from tests.codegen.folders import MANIFEST, MEMORY, Killed, killed, put, snapshot, texts, write

FOLDERS = st.sampled_from(["", "a/", "a/b/", "ä ö/"])
PATHS = st.builds("{}{}".format, FOLDERS, st.sampled_from(["__init__.py", "x.py", "x.pyi", "y.py"]))
OTHERS = st.builds(
    "{}{}".format, FOLDERS, st.sampled_from(["notes.txt", ".gitkeep", "own/x.py", "__pycache__/z.c.pyc"])
)
TEXTS = st.sampled_from(["", "one\n", "zwei ü\n"])
FILES = st.dictionaries(PATHS, TEXTS, max_size=8)


def byte_code(path: str) -> str:
    """Return where Python puts the byte code of a module."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/__pycache__/{name[:-3]}.cpython-311.pyc".lstrip("/")


class OutputFolder(RuleBasedStateMachine):
    """A folder, what others have put there, and the modules that have byte code."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(dir=MEMORY))
        self.folder = self.root / "my models"
        self.foreign: dict[str, str] = {}
        self.compiled: set[str] = set()

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @property
    def owned(self) -> set[str] | None:
        """The paths in the folder's manifest, None without a manifest."""
        place = self.folder / MANIFEST
        return {*json.loads(place.read_text("utf-8"))["files"]} if place.exists() else None

    def refuses(self, files: dict[str, str]) -> bool:
        """Return whether files of others are in the way."""
        others = [path for path in self.foreign if not path.endswith((".gitkeep", ".pyc"))]
        is_in_the_way = any(path in files and files[path] != text for path, text in self.foreign.items())
        return is_in_the_way or (self.owned is None and not files.keys() >= set(others))

    @rule(path=PATHS | OTHERS, text=TEXTS)
    def add_foreign_file(self, path: str, text: str) -> None:
        """Somebody writes a file that isn't the command's."""
        if path not in (self.owned or ()):
            put(self.folder, {path: text})
            self.foreign[path] = text

    @rule(path=PATHS, text=st.none() | TEXTS)
    def edit_or_remove(self, path: str, text: str | None) -> None:
        """Somebody edits a file of the command, or removes it."""
        if path in (self.owned or ()) and (self.folder / path).exists():
            if text is None:
                (self.folder / path).unlink()
            else:
                put(self.folder, {path: text})

    @rule(path=PATHS)
    def compile(self, path: str) -> None:
        """Python imports a module of the command."""
        if path.endswith(".py") and path in (self.owned or ()) and (self.folder / path).exists():
            put(self.folder, {byte_code(path): "code"})
            self.compiled.add(path)

    @rule(files=FILES)
    def generate(self, files: dict[str, str]) -> None:
        """A run does what it must and no more, or refuses and does nothing."""
        before = snapshot(self.root)
        if self.refuses(files):
            with pytest.raises(InputError, match="is in the way"):
                write(self.folder, files)
            assert snapshot(self.root) == before
            return
        had = texts(self.folder)
        gone = (self.owned or set()) - files.keys()
        unchanged = [path for path, text in files.items() if had.get(path) == text]
        assert write(self.folder, files) == (len(files) - len(unchanged), len(unchanged), len(gone & had.keys()))

        self.foreign = {path: text for path, text in self.foreign.items() if path not in files}
        self.compiled -= gone
        code = {byte_code(path): "code" for path in self.compiled}
        assert texts(self.folder) == {**self.foreign, **files, **code}
        assert self.owned == files.keys()
        # A run that is killed may leave a folder of byte code empty. It goes with its module.
        folders = [place for place in self.folder.rglob("*") if place.is_dir() and place.name != "__pycache__"]
        assert all(any(place.iterdir()) for place in folders)
        after = snapshot(self.root)
        untouched = [f"my models/{path}" for path in (*unchanged, *self.foreign, *code)]
        assert [after[path] for path in untouched] == [before[path] for path in untouched]
        assert write(self.folder, files) == (0, len(files), 0)
        assert snapshot(self.root) == after

    @rule(files=FILES, step=st.integers(1, 60))
    def kill(self, files: dict[str, str], step: int) -> None:
        """A run is killed: files of others stay, and each of the command's own has the one text or the other."""
        had = texts(self.folder)
        gone = (self.owned or set()) - files.keys()
        if self.refuses(files):
            with pytest.raises((Killed, InputError)), killed(step):
                write(self.folder, files)
        else:
            try:
                with killed(step):
                    write(self.folder, files)
            except Killed:
                pass
        now = texts(self.folder)
        self.foreign = {path: text for path, text in self.foreign.items() if path not in (self.owned or ())}
        assert self.foreign.items() <= now.items()
        for path in (self.owned or set()) & now.keys():
            assert now[path] in (had.get(path), files.get(path))
        lost = {path for path in self.compiled if byte_code(path) not in now}
        assert lost <= gone
        self.compiled -= lost


@pytest.mark.slow
def test_histories() -> None:
    """Whatever has happened to a folder, a run leaves its own files and those of others there, and nothing else."""
    run_state_machine_as_test(OutputFolder, settings=settings(max_examples=60, stateful_step_count=20))
