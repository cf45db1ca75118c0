"""`crossplane-lite render --watch`, in processes of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from tests.render.files import XR, put
from tests.runtime.serving import ROOT

if not hasattr(os, "mkfifo"):
    pytest.skip("the processes talk through FIFOs", allow_module_level=True)

FUNCTION = """\
from crossplane_lite import Unstructured, composition
import helper

@composition.function(name="watched")
def compose(ctx):
    size = ctx.composite(Unstructured).observed.spec.size
    observed = len(ctx.request.observed.resources)
    required = ctx.required_resources
    data = {"helper": helper.VALUE, "size": str(size), "observed": str(observed)}
    ctx.resource("c", Unstructured("v1", "ConfigMap", data=data))
"""

# Says through a FIFO which process it is, and goes on when somebody tells it to.
HANGING = """\
import os, signal
from crossplane_lite import Unstructured, composition

@composition.function(name="hanging")
def compose(ctx):
    if ctx.composite(Unstructured).observed.spec.size == 3:
        with open("running", "w") as running:
            running.write(str(os.getpid()))
        signal.pause()
"""

THING = """\
apiVersion: example.org/v1
kind: Thing
metadata:
  name: NAME
  annotations: {crossplane.io/composition-resource-name: NAME}
"""


class Watching:
    """A process that watches.

    Attributes:
        process: The process.
    """

    def __init__(self, folder: Path, *arguments: str, program: Sequence[str] = (sys.executable,)) -> None:
        self._out = folder.parent / f"{folder.name}.out"
        self._seen = 0
        with self._out.open("wb") as out:
            self.process = subprocess.Popen(
                [*program, "-m", "crossplane_lite", "render", *arguments, "--watch"],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )

    def lines(self, last: str) -> list[str]:
        """Return the lines on stderr up to one that holds a text."""
        assert self.process.stderr is not None
        found: list[str] = []
        for line in self.process.stderr:
            found.append(line.rstrip("\n"))
            if last in line:
                return found
        raise AssertionError(f"it ended: {found}")

    def run(self) -> tuple[str, list[dict[str, Any]]]:
        """Wait for the end of a run, and return what stderr has and the documents that it printed."""
        lines = self.lines("waiting for changes")
        text = self._out.read_text()
        new, self._seen = text[self._seen :], len(text)
        return "\n".join(lines), list(pyyaml.safe_load_all(new))

    def data(self) -> dict[str, str]:
        """Wait for the end of a run that went well, and return the data of the ConfigMap that it composes."""
        said, documents = self.run()
        assert " rendered; " in said, said
        assert [one["kind"] for one in documents] == ["XBucket", "ConfigMap"]
        found: dict[str, str] = documents[1]["data"]
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a composite, a function and a module that it imports."""
    home = put(tmp_path / "home", xr=XR)
    (home / "function.py").write_text(FUNCTION)
    (home / "helper.py").write_text("VALUE = 'one'\n")
    return home


@pytest.fixture
def started() -> Iterator[list[Watching]]:
    """Those that a test starts; they are gone at its end."""
    found: list[Watching] = []
    yield found
    for one in found:
        # Asked to end, it leaves no folder behind.
        if one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGTERM)
        try:
            one.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(one.process.pid, signal.SIGKILL)
            raise


def watch(
    started: list[Watching], folder: Path, *arguments: str, program: Sequence[str] = (sys.executable,)
) -> Watching:
    """Start to watch in a folder, with a program that runs Python."""
    started.append(Watching(folder, "xr.yaml", "--function", "function:compose", *arguments, program=program))
    return started[-1]


def replace(path: Path, text: str) -> None:
    """Save a file as careful editors do: under another name first."""
    other = path.with_name(path.name + "~")
    other.write_text(text)
    other.replace(path)


def is_alive(pid: int) -> bool:
    """Say whether there is a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_changes(started: list[Watching], folder: Path) -> None:
    """A change of the composite, the function or what it imports renders again, with the modules as they are then."""
    watching = watch(started, folder)
    assert watching.data() == {"helper": "one", "size": "3", "observed": "0"}
    (folder / "xr.yaml").write_text(XR.replace("size: 3", "size: 4"))
    assert "xr.yaml changed: " in watching.lines(" changed: ")[-1]
    assert watching.data()["size"] == "4"
    replace(folder / "helper.py", "VALUE = 'two'\n")
    assert "helper.py changed: " in watching.lines(" changed: ")[-1]
    assert watching.data()["helper"] == "two"
    replace(folder / "helper.py", "VALUE = 'six'\n")
    assert watching.data()["helper"] == "six"
    replace(folder / "function.py", FUNCTION.replace("helper.VALUE", "helper.VALUE * 2"))
    assert watching.data()["helper"] == "sixsix"


@pytest.mark.slow
def test_mistakes(started: list[Watching], folder: Path) -> None:
    """Syntax errors, missing modules and missing files don't end it, and are gone when they are mended."""
    (folder / "helper.py").unlink()
    watching = watch(started, folder)
    said, documents = watching.run()
    assert (documents, "there is no module 'helper'" in said) == ([], True)
    assert " exit status 2; " in said
    (folder / "helper.py").write_text("VALUE =\n")
    said, documents = watching.run()
    assert (documents, "SyntaxError" in said) == ([], True)
    (folder / "helper.py").write_text("VALUE = 'one'\n")
    assert watching.data()["helper"] == "one"
    (folder / "xr.yaml").rename(folder / "elsewhere.yaml")
    said, documents = watching.run()
    assert (documents, "can't read xr.yaml: No such file or directory" in said) == ([], True)
    (folder / "elsewhere.yaml").rename(folder / "xr.yaml")
    assert watching.data()["size"] == "3"


@pytest.mark.slow
def test_directories(started: list[Watching], folder: Path) -> None:
    """A file that is added to a directory, or removed from it, renders again; so does one given by a flag."""
    put(folder / "observed", a=THING.replace("NAME", "a"))
    put(folder, value="")
    watching = watch(started, folder, "-o", "observed", "-e", "value.yaml")
    assert watching.data()["observed"] == "1"
    put(folder / "observed", b=THING.replace("NAME", "b"))
    assert "observed/b.yaml changed: " in watching.lines(" changed: ")[-1]
    assert watching.data()["observed"] == "2"
    (folder / "observed" / "a.yaml").unlink()
    assert watching.data()["observed"] == "1"
    (folder / "value.yaml").write_text("[")
    assert "value.yaml, line 2" in watching.run()[0]
    (folder / "value.yaml").write_text("")
    assert watching.data()["observed"] == "1"


@pytest.mark.slow
def test_standard_output(started: list[Watching], folder: Path) -> None:
    """Only documents are on stdout; what separates runs is on stderr."""
    watching = watch(started, folder)
    said, documents = watching.run()
    assert len(documents) == 2
    (line,) = said.splitlines()
    assert line.startswith("=== ")
    assert line.endswith(" rendered; waiting for changes, Ctrl-C ends")
    out = watching._out.read_text()
    assert out.startswith("---\n")
    assert "===" not in out


@pytest.fixture
def hanging(started: list[Watching], folder: Path) -> tuple[Watching, int]:
    """One whose run waits, and the process that it runs in."""
    (folder / "function.py").write_text(HANGING)
    os.mkfifo(folder / "running")
    watching = watch(started, folder)
    return watching, int((folder / "running").read_text())


@pytest.mark.slow
def test_change_during_a_run(hanging: tuple[Watching, int], folder: Path) -> None:
    """A run that isn't done when something changes is stopped, and begins again."""
    watching, pid = hanging
    replace(folder / "xr.yaml", XR.replace("size: 3", "size: 4"))
    assert watching.lines("xr.yaml changed: ")
    assert not is_alive(pid)
    said, documents = watching.run()
    assert (" rendered; " in said, len(documents)) == (True, 1)


@pytest.mark.slow
def test_run_that_does_not_end(started: list[Watching], folder: Path) -> None:
    """A run that doesn't want to be stopped is killed after a while."""
    (folder / "function.py").write_text(f"{HANGING}\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n")
    os.mkfifo(folder / "running")
    watching = watch(started, folder)
    pid = int((folder / "running").read_text())
    replace(folder / "xr.yaml", XR.replace("size: 3", "size: 4"))
    assert watching.lines("xr.yaml changed: ")
    assert not is_alive(pid)
    assert " rendered; " in watching.run()[0]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("to_all", [False, True])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)])
def test_end_during_a_run(hanging: tuple[Watching, int], number: int, status: int, to_all: bool) -> None:
    """Ctrl-C ends it with 130, and other signals with theirs, quietly; the run that is going on ends with it."""
    watching, pid = hanging
    if to_all:  # as a terminal does it
        os.killpg(watching.process.pid, number)
    else:
        watching.process.send_signal(number)
    _, said = watching.process.communicate(timeout=60)
    assert (watching.process.returncode, said) == (status, "")
    assert not is_alive(pid)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_end_between_runs(started: list[Watching], folder: Path, number: int, status: int) -> None:
    """Ctrl-C, and the signals that end a process, end it while it waits, each with its own status."""
    watching = watch(started, folder)
    watching.run()
    os.killpg(watching.process.pid, number)
    _, said = watching.process.communicate(timeout=60)
    assert (watching.process.returncode, said) == (status, "")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no sh")
def test_ignored_signals(started: list[Watching], folder: Path) -> None:
    """A signal that is ignored when it starts stays so, as after nohup."""
    watching = watch(started, folder, program=("sh", "-c", "trap '' HUP INT; exec \"$@\"", "sh", sys.executable))
    watching.run()
    os.killpg(watching.process.pid, signal.SIGHUP)
    os.killpg(watching.process.pid, signal.SIGINT)
    (folder / "xr.yaml").write_text(XR.replace("size: 3", "size: 4"))
    assert watching.lines("xr.yaml changed: ")
    os.killpg(watching.process.pid, signal.SIGINT)
    assert watching.data()["size"] == "4"


@pytest.mark.slow
def test_without_stderr(folder: Path) -> None:
    """Where stderr is full, it goes on all the same."""
    (folder / "function.py").write_text(HANGING)
    os.mkfifo(folder / "running")
    words = [sys.executable, "-m", "crossplane_lite", "render", "xr.yaml", "--function", "function:compose", "--watch"]
    with open("/dev/full", "wb") as full, open(folder / "out", "wb") as out:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=out,
            stderr=full,
            start_new_session=True,
        )
    try:
        assert (folder / "running").read_text()  # its first run
        replace(folder / "xr.yaml", XR.replace("size: 3", "size: 4"))
        replace(folder / "function.py", HANGING.replace(" == 3", " == 4"))
        assert (folder / "running").read_text()  # another one
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_wrong_command_line(started: list[Watching], folder: Path) -> None:
    """A wrong command line is refused at once, and isn't watched."""
    watching = watch(started, folder, "--timeout", "never")
    _, said = watching.process.communicate(timeout=60)
    assert watching.process.returncode == 2
    assert "argument --timeout" in said
