"""Output folders after errors, interrupts and killed runs, and with several runs at once."""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from crossplane_lite.codegen import _transaction
from crossplane_lite.codegen.output import Summary, write, write_all
from crossplane_lite.errors import InputError
from tests.codegen.folders import JOURNAL, MANIFEST, MEMORY, Killed, failing, killed, put, snapshot, texts

ROOT = Path(__file__).parents[2]
OLD = {"a/__init__.py": "", "a/x.py": "old", "a/y.py": "same", "b/z.py": "old", "b/c/z.pyi": "old"}
NEW = {"a/__init__.py": "", "a/x.py": "new", "a/y.py": "same", "d/e/f.py": "new", "d/e/g.py": "new"}
OTHER = {"a/x.py": "other", "h/i.py": "other"}
STUBS = {"s/x.pyi": "old", "t/y.pyi": "old"}
NEW_STUBS = {"s/x.pyi": "new", "u/z.pyi": "new"}
FOREIGN = {"notes.txt": "mine", "a/own.py": "mine", "b/__pycache__/own.cpython-311.pyc": "mine"}
BYTE_CODE = "b/__pycache__/z.cpython-311.pyc"
# Of a run from OLD to NEW with their stubs; a step more or less is no mistake.
STEPS = range(55, 75)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder that needs no waiting for the disk, which would take most of the time."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


def generate(root: Path, models: Mapping[str, str] = NEW, stubs: Mapping[str, str] = NEW_STUBS) -> list[Summary]:
    """Write two folders at once."""
    return write_all([(root / "models", models), (root / "stubs", stubs)])


def after_a_run(root: Path) -> None:
    """Make two folders with the old files, files of others and byte code."""
    generate(root, OLD, STUBS)
    put(root / "models", {**FOREIGN, BYTE_CODE: "code"})
    (root / "models/a/x.py").chmod(0o640)


def nothing(root: Path) -> None:
    """Make no folders."""


def assert_whole(root: Path, models: Mapping[str, str], stubs: Mapping[str, str], foreign: Mapping[str, str]) -> None:
    """Exactly these files must be there and those of others, and no folder without any."""
    found = texts(root / "models")
    found.pop(BYTE_CODE, None)
    assert found == {**foreign, **models}
    assert texts(root / "stubs") == stubs
    assert all(any(place.iterdir()) for place in root.rglob("*") if place.is_dir())


def assert_done(root: Path) -> None:
    """All must be as the run was to make it, but for what is cleared away at the end."""
    models, stubs = texts(root / "models"), texts(root / "stubs")
    assert NEW.items() <= models.items()
    assert NEW_STUBS.items() <= stubs.items()
    assert not (OLD.keys() - NEW.keys()) & models.keys()
    assert not (STUBS.keys() - NEW_STUBS.keys()) & stubs.keys()


def each_step(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """Yield the number of each step of a run, from 1, with a place of its own for it."""
    for step in itertools.count(1):
        assert step <= 2 * STEPS.stop
        yield step, tmp_path / str(step)
        shutil.rmtree(tmp_path / str(step))


def test_steps(tmp_path: Path) -> None:
    """The steps that the tests below let fail are all of those of a run."""
    after_a_run(tmp_path)
    with failing(0, Killed()) as steps:
        assert generate(tmp_path) == [Summary(3, 2, 2), Summary(2, 0, 1)]
    assert_whole(tmp_path, NEW, NEW_STUBS, FOREIGN)
    assert BYTE_CODE not in texts(tmp_path / "models")
    assert len(steps) in STEPS


@pytest.mark.slow
@pytest.mark.parametrize(("models", "stubs"), [(NEW, NEW_STUBS), (OLD, STUBS), (OTHER, {})])
def test_killed(tmp_path: Path, models: dict[str, str], stubs: dict[str, str]) -> None:
    """Whenever a run is killed, no file is half-written, and the next run, of the same or other files, repairs all."""
    for step, root in each_step(tmp_path):
        after_a_run(root)
        try:
            with killed(step):
                generate(root)
            break
        except Killed:
            pass
        for path in OLD.keys() | NEW.keys():
            place = root / "models" / path
            assert not place.exists() or place.read_text() in (OLD.get(path), NEW.get(path))
        generate(root, models, stubs)
        assert_whole(root, models, stubs, FOREIGN)
    assert step - 1 in STEPS


def test_killed_first_run(tmp_path: Path) -> None:
    """A first run that is killed doesn't leave what the next run takes for files of others."""
    for step, root in each_step(tmp_path):
        try:
            with killed(step):
                generate(root)
            break
        except Killed:
            generate(root, OTHER, STUBS)
            assert_whole(root, OTHER, STUBS, {})
    assert step > 40


@pytest.mark.slow
def test_killed_twice(tmp_path: Path) -> None:
    """A run that repairs may be killed as well."""
    for step, root in each_step(tmp_path):
        after_a_run(root)
        with pytest.raises(Killed), killed(40):
            generate(root)
        try:
            with killed(step):
                generate(root, OTHER, {})
            break
        except Killed:
            generate(root, NEW, NEW_STUBS)
            assert_whole(root, NEW, NEW_STUBS, FOREIGN)
    assert step > 40


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("before", [after_a_run, nothing])
def test_interrupted(tmp_path: Path, before: Callable[[Path], None], late: bool) -> None:
    """Ctrl-C before or after any step leaves all as it was, or all done but for clearing away."""
    for step, root in each_step(tmp_path):
        root.mkdir()
        before(root)
        was = snapshot(root)
        try:
            with failing(step, KeyboardInterrupt(), late=late):
                generate(root)
            break
        except KeyboardInterrupt:
            pass
        if snapshot(root) != was:
            assert_done(root)
        foreign = FOREIGN if before is after_a_run else {}
        generate(root)
        assert_whole(root, NEW, NEW_STUBS, foreign)
    assert step > 40


@pytest.mark.slow
@pytest.mark.parametrize("before", [after_a_run, nothing])
def test_error(tmp_path: Path, before: Callable[[Path], None]) -> None:
    """After an error at any step all is as it was, the manifest and the times of files included."""
    reason = os.strerror(errno.ENOSPC)
    messages = set()
    for step, root in each_step(tmp_path):
        root.mkdir()
        before(root)
        was = snapshot(root)
        with failing(step, OSError(errno.ENOSPC, reason, "temporary")) as steps:
            try:
                generate(root)
            except InputError as e:
                message = str(e)
            else:
                if step > len(steps):
                    break
                continue  # byte code or an empty folder was left, or the old content was kept in another way
        messages.add(message.replace(str(root), ""))
        if snapshot(root) == was:
            assert message.endswith(reason)
        else:
            assert_done(root)
            end = f"run the command again to repair {root}/models and {root}/stubs"
            assert message.endswith(f"{reason}; all models are written, but old files are left: {end}")
        generate(root)
        assert_whole(root, NEW, NEW_STUBS, FOREIGN if before is after_a_run else {})
    assert f"can't write /models/d/e/f.py: {reason}" in messages
    assert f"can't write /stubs/{MANIFEST}: {reason}" in messages
    assert f"can't make the folder /models/d: {reason}" in messages
    assert (f"can't remove /models/b/z.py: {reason}" in messages) == (before is after_a_run)


def test_error_that_lasts(tmp_path: Path) -> None:
    """If taking back fails too, the error says so, and the next run repairs all."""
    told = 0
    for step, root in each_step(tmp_path):
        after_a_run(root)
        was = snapshot(root)
        with failing(step, OSError(errno.EIO, "Input/output error"), lasting=True) as steps:
            try:
                generate(root)
            except InputError as e:
                message = str(e)
            else:
                if step > len(steps):
                    break
                continue  # only what can't be cleared away was left
        if message.endswith(f"run the command again to repair {root}/models and {root}/stubs"):
            told += 1
        else:
            assert snapshot(root) == was
        generate(root)
        assert_whole(root, NEW, NEW_STUBS, FOREIGN)
    assert told > 40


def test_read_only(tmp_path: Path) -> None:
    """Where nothing can be written at all, nothing has to be taken back, and what is up to date is no error."""
    after_a_run(tmp_path)
    was = snapshot(tmp_path)
    with failing(1, OSError(errno.EROFS, "Read-only file system"), lasting=True):
        assert generate(tmp_path, OLD, STUBS) == [Summary(0, 5, 0), Summary(0, 2, 0)]
        with pytest.raises(InputError) as caught:
            generate(tmp_path)
    assert str(caught.value) == f"can't write {tmp_path}/models/{JOURNAL}: Read-only file system"
    assert snapshot(tmp_path) == was


def test_one_file_cannot_be_taken_back(tmp_path: Path) -> None:
    """If a single file can't be put back, the list of what the next run has to repair stays."""
    after_a_run(tmp_path)
    replace = os.replace
    replaced: list[str] = []

    def stubborn(source: Path, target: Path) -> None:
        replaced.append(target.name)
        if target.name == "g.py" or replaced.count("x.py") == 2:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        replace(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", stubborn)
        with pytest.raises(InputError) as caught:
            generate(tmp_path)
    assert str(caught.value) == (
        f"can't write {tmp_path}/models/d/e/g.py: Operation not permitted; not all changes could be taken back: "
        f"run the command again to repair {tmp_path}/models and {tmp_path}/stubs"
    )
    assert (tmp_path / "models/a/x.py").read_text() == "new"
    assert (tmp_path / "models" / JOURNAL).exists()
    generate(tmp_path, OTHER, {})
    assert_whole(tmp_path, OTHER, {}, FOREIGN)


def test_immutable_file(tmp_path: Path) -> None:
    """A file that can be read but neither linked nor replaced is an error after which all is as it was."""
    after_a_run(tmp_path)
    was = snapshot(tmp_path)

    def immutable(function: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
        def call(source: Path, target: Path) -> None:
            if "x.pyi" in (source.name, target.name):
                raise PermissionError(errno.EPERM, "Operation not permitted")
            function(source, target)

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "link", immutable(os.link))
        patch.setattr(os, "replace", immutable(os.replace))
        with pytest.raises(InputError) as caught:
            generate(tmp_path)
    assert str(caught.value) == f"can't write {tmp_path}/stubs/s/x.pyi: Operation not permitted"
    assert snapshot(tmp_path) == was


def test_file_system_without_links(tmp_path: Path) -> None:
    """Where there are no hard links, what was changed is taken back from copies, times and permissions included."""
    for step, root in each_step(tmp_path):
        after_a_run(root)
        was = snapshot(root)
        with pytest.MonkeyPatch.context() as patch:

            def no_links(*_: object) -> None:
                raise PermissionError(errno.EPERM, "Operation not permitted")

            patch.setattr(os, "link", no_links)
            try:
                with failing(step, KeyboardInterrupt()):
                    generate(root)
                break
            except KeyboardInterrupt:
                pass
        now = snapshot(root)
        if now.keys() == was.keys():  # but for the inodes
            assert {name: found[1:] for name, found in now.items()} == {name: found[1:] for name, found in was.items()}
        else:
            assert_done(root)
    assert step > 40


def test_old_files_stay_until_all_new_ones_are_written(tmp_path: Path) -> None:
    """No file is replaced before every new content, in all folders, is on the disk."""
    after_a_run(tmp_path)
    order: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        replace = os.replace

        def noted_replace(source: Path, target: Path) -> None:
            order.append(target.name)
            replace(source, target)

        def noted_fsync(handle: int) -> None:
            order.append("flushed")

        patch.setattr(os, "replace", noted_replace)
        patch.setattr(os, "fsync", noted_fsync)
        generate(tmp_path)
    assert order[:4] == ["flushed", JOURNAL] * 2
    assert order[4:12] == ["flushed"] * 7 + ["x.py"]
    assert order.index(MANIFEST) == 16  # after three files and two removals
    assert order[-1] == MANIFEST


def test_disk_limit(tmp_path: Path) -> None:
    """A file that the system doesn't let grow is an error that names it, and nothing is left of the run."""
    program = (
        "import resource, sys, pathlib\n"
        "from crossplane_lite.codegen.output import write\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "write(pathlib.Path(sys.argv[1]), {'a/x.py': 'x' * 40_000, 'b/y.py': 'y' * 60_000})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "models")], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stderr.splitlines()[-1].endswith(f"InputError: can't write {tmp_path}/models/b/y.py: File too large")
    assert os.listdir(tmp_path) == []


def test_stale_files(tmp_path: Path) -> None:
    """Temporary files of killed runs are removed, files and folders that are only called alike are not."""
    stale = [".crossplane-lite-0123456789abcdef.tmp", "a/.crossplane-lite-ffffffffffffffff.tmp"]
    alike = [
        ".crossplane-lite-0123.tmp",
        "x.crossplane-lite-0123456789abcdef.tmp",
        "own/.crossplane-lite-0123456789abcdef.tmp",
    ]
    put(tmp_path, dict.fromkeys(stale, "half"))
    assert write(tmp_path, {"a/x.py": ""}) == Summary(1, 0, 0)
    assert texts(tmp_path) == {"a/x.py": ""}
    put(tmp_path, dict.fromkeys([*stale, *alike], "half"))
    (tmp_path / ".crossplane-lite-0000000000000000.tmp").mkdir()
    (tmp_path / ".crossplane-lite-1111111111111111.tmp").symlink_to("a")
    assert write(tmp_path, {"a/x.py": ""}) == Summary(0, 1, 0)
    assert texts(tmp_path) == {"a/x.py": "", **dict.fromkeys(alike, "half")}
    assert (tmp_path / ".crossplane-lite-0000000000000000.tmp").is_dir()
    assert (tmp_path / ".crossplane-lite-1111111111111111.tmp").is_symlink()


# Several runs at once.


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs wait for others hardly at all."""
    monkeypatch.setattr(_transaction, "_PATIENCE", 0.05)


def test_killed_process(tmp_path: Path, impatient: None) -> None:
    """A run keeps others out while it is alive; when it is killed in the middle of writing, the next one repairs."""
    models = tmp_path / "models"
    write(models, OLD)
    program = (
        "import pathlib, sys, time\n"
        "from crossplane_lite.codegen import _transaction, output\n"
        "remove = _transaction.Transaction.remove\n"
        "def wait(self, target):\n    print('in the middle', flush=True)\n    time.sleep(600)\n"
        "_transaction.Transaction.remove = wait\n"
        f"output.write(pathlib.Path(sys.argv[1]), {NEW!r})\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(models)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "in the middle\n"
        with pytest.raises(InputError) as caught:
            write(models, OTHER)
        assert str(caught.value) == f"another run is writing to {models}: try again when it is done"
        process.send_signal(signal.SIGKILL)
    assert (models / JOURNAL).exists()
    assert {**OLD, **NEW}.items() <= texts(models).items()
    assert write(models, OTHER) == Summary(2, 0, 6)
    assert texts(models) == OTHER


def test_waits(tmp_path: Path) -> None:
    """A run waits for one that is writing, and checks the folder only then."""
    models = tmp_path / "models"
    models.mkdir()
    done: list[object] = []

    def run() -> None:
        try:
            done.append(write(models, NEW))
        except InputError as e:
            done.append(str(e))

    handle = os.open(models, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    thread = threading.Thread(target=run)
    thread.start()
    put(models, {"notes.txt": ""})
    assert done == []
    os.close(handle)
    thread.join(60)
    assert len(done) == 1
    assert "notes.txt is in the way" in str(done[0])


def test_other_run_removes_the_folder(tmp_path: Path) -> None:
    """A run that waited for one that failed, and took its new folder away, makes the folder again."""
    models = tmp_path / "models"
    models.mkdir()
    handle = os.open(models, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    tried = threading.Event()
    with pytest.MonkeyPatch.context() as patch:
        try_lock = _transaction._try_lock

        def noted(handle: int) -> bool:
            result = try_lock(handle)
            tried.set()
            return result

        patch.setattr(_transaction, "_try_lock", noted)
        thread = threading.Thread(target=write, args=(models, NEW))
        thread.start()
        assert tried.wait(60)
        models.rmdir()
        os.close(handle)
        thread.join(60)
    assert texts(models) == NEW


def test_order_of_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are locked in one order however they are given, so that two runs can't wait for each other."""
    locked: list[Path] = []
    lock = _transaction.Transaction.lock

    def noted(self: _transaction.Transaction, folder: Path, locks: ExitStack) -> None:
        locked.append(folder)
        lock(self, folder, locks)

    monkeypatch.setattr(_transaction.Transaction, "lock", noted)
    (tmp_path / "c").symlink_to("a")
    a, b, c = (tmp_path / name for name in "abc")
    write_all([(a, {}), (b, {})])
    write_all([(b, {}), (a, {})])
    write_all([(b, {}), (c, {})])
    assert locked == [a, b, a, b, c, b]


def test_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where folders can't be locked, files are written all the same."""

    def no_locks(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    assert write(tmp_path, NEW) == Summary(5, 0, 0)
    assert texts(tmp_path) == NEW


def test_no_handles_left(tmp_path: Path) -> None:
    """Neither a run that succeeds nor one that fails leaves a folder open."""
    before = os.listdir("/dev/fd")
    generate(tmp_path)
    with pytest.raises(InputError), failing(10, OSError(errno.EIO, "Input/output error"), lasting=True):
        generate(tmp_path, OTHER, {})
    assert len(os.listdir("/dev/fd")) == len(before)


def test_many_processes(tmp_path: Path) -> None:
    """Runs of several processes on one pair of folders don't mix: one of them comes last, and its files are there."""
    program = (
        "import pathlib, sys\n"
        "from crossplane_lite.codegen.output import write_all\n"
        "root, number = pathlib.Path(sys.argv[1]), sys.argv[2]\n"
        "outputs = [(root / 'models', {f'a/{i}.py': number for i in range(5)} | {f'{number}/x.py': ''}),\n"
        "           (root / 'stubs', {f'b/{number}.pyi': number})]\n"
        "for _ in range(10):\n    write_all(outputs if number == '0' else outputs[::-1])\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), str(number)], cwd=ROOT) for number in range(3)
    ]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    last = (tmp_path / "models/a/0.py").read_text()
    assert texts(tmp_path / "models") == {**{f"a/{i}.py": last for i in range(5)}, f"{last}/x.py": ""}
    assert texts(tmp_path / "stubs") == {f"b/{last}.pyi": last}
