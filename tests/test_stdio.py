"""stdout and stderr of render, simulate and graph, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite.cli import main
from tests.graph.graphs import needs_pictures
from tests.render.files import XR, put
from tests.runtime.serving import ROOT

if sys.platform == "win32":
    pytest.skip("the processes need the descriptors of Unix", allow_module_level=True)

# Prints in every way there is.
NOISY = """\
import atexit, os, subprocess, sys, threading
from crossplane_lite import Unstructured, composition

print("imported")

@composition.function(name="noisy")
def compose(ctx):
    print("called")
    os.write(1, b"written\\n")
    subprocess.run(["echo", "started"], check=True)
    print("real", file=sys.__stdout__)
    sys.stdout.buffer.write(b"bytes\\n")
    threading.Thread(target=lambda: [print("thread") for _ in range(1000)]).start()
    atexit.register(lambda: print("late"))
    ctx.resource("caf\u00e9", Unstructured("v1", "ConfigMap", data={"a": "\u00e9"}))
"""
QUIET = NOISY.partition("print(")[0] + '\n@composition.function(name="quiet")\ndef compose(ctx):\n    BODY\n'
MADE = 'ctx.resource("a", Unstructured("v1", "ConfigMap", data={"a": "b"}))'
PNG = pytest.param(("graph", "--format", "png"), marks=needs_pictures)
COMMANDS = (
    ("render",),
    ("simulate", "--format", "json"),
    ("simulate",),
    ("graph", "--format", "text"),
    PNG,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a composite, a function that prints and one that doesn't."""
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")
    (tmp_path / "quiet.py").write_text(QUIET.replace("BODY", MADE))
    return put(tmp_path, xr=XR)


def shell(
    folder: Path, command: tuple[str, ...], function: str, redirected: str = "", **env: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command on a function, with redirections as a shell has them."""
    name, *flags = command
    words = [sys.executable, "-m", "crossplane_lite", name, "xr.yaml", "--function", f"{function}:compose", *flags]
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirected}', "sh", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


def is_whole(output: bytes, command: tuple[str, ...]) -> bool:
    """Say whether an output is what a command writes, and nothing else."""
    if command[-1] == "png":
        return output.startswith(b"\x89PNG") and output.endswith(b"IEND\xaeB`\x82")
    if command[-1] == "json":
        return json.loads(output)["stable"] is True
    if command[0] == "render":
        return [one["kind"] for one in pyyaml.safe_load_all(output)] == ["XBucket", "ConfigMap"]
    return output.startswith((b"WAVE  RESOURCE", b"XBucket photos"))


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_noise(folder: Path, command: tuple[str, ...]) -> None:
    """Whatever is printed, by whom and when, stdout has the output alone, and stderr has the rest."""
    done = shell(folder, command, "noisy")
    assert done.returncode == 0, done.stderr
    assert is_whole(done.stdout, command)
    for said in (b"imported", b"called", b"written", b"started", b"real", b"bytes", b"thread", b"late"):
        assert said in done.stderr
        assert said not in done.stdout


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("command", [("render",), ("graph", "--format", "text")])
def test_locale(folder: Path, command: tuple[str, ...]) -> None:
    """The output is UTF-8 whatever the locale says, and the same."""
    usual = shell(folder, command, "noisy")
    plain = shell(
        folder, command, "noisy", PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    assert (plain.returncode, plain.stdout) == (0, usual.stdout)
    assert "é" in plain.stdout.decode()


@pytest.mark.slow
def test_messages_of_another_encoding(folder: Path) -> None:
    """A message that the locale can't encode is told with escapes."""
    (folder / "quiet.py").write_text(QUIET.replace("BODY", "ctx.results.warning('\u20ac')"), encoding="utf-8")
    done = shell(folder, ("render",), "quiet", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b'warning: Pipeline step "compose": \\u20ac\n')


@pytest.mark.sample(2)
@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize(
    ("body", "status"), [(MADE, 0), ("ctx.results.warning('w'); print('x' * 100_000)", 0), ("1 / 0", 1)]
)
def test_without_stderr(folder: Path, redirected: str, body: str, status: int) -> None:
    """Where stderr is closed or full, exit status and output are what they are otherwise."""
    (folder / "quiet.py").write_text(QUIET.replace("BODY", body))
    usual = shell(folder, ("render",), "quiet")
    done = shell(folder, ("render",), "quiet", redirected)
    assert usual.returncode == status
    assert (done.returncode, done.stdout, done.stderr) == (status, usual.stdout, b"")


@pytest.mark.slow
@pytest.mark.parametrize("command", [("render",), ("simulate",), PNG])
@pytest.mark.parametrize(
    ("redirected", "reason"), [(">&-", b"it is closed"), (">/dev/full", b"No space left on device")]
)
def test_without_stdout(folder: Path, command: tuple[str, ...], redirected: str, reason: bytes) -> None:
    """Where stdout is closed or full, one line says so, and the status is 2."""
    done = shell(folder, command, "quiet", redirected)
    said = b"crossplane-lite %s: can't write to stdout: %s\n" % (command[0].encode(), reason)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", said)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("command", [("render",), ("simulate",), ("graph",)])
def test_reader_that_went_away(folder: Path, command: tuple[str, ...]) -> None:
    """Where nobody reads stdout any more it ends quietly, with status 1."""
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "crossplane_lite", command[0], "xr.yaml", "--function", "quiet:compose"]
    done = subprocess.run(
        [*words, *command[1:]],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "sys.stdout.close()",
        "sys.__stdout__.close()",
        "os.close(1)",
        "sys.stderr.close()",
        "sys.stdout = None",
        "sys.stderr = None",
    ],
)
def test_streams_that_a_function_closes(folder: Path, body: str) -> None:
    """A function can't take the output away."""
    (folder / "quiet.py").write_text(QUIET.replace("BODY", f"{MADE}; {body}"))
    done = shell(folder, ("render",), "quiet")
    assert (done.returncode, done.stderr) == (0, b"")
    assert is_whole(done.stdout, ("render",))


@pytest.mark.slow
def test_forked_process(folder: Path) -> None:
    """A process that a function has forked doesn't print everything once more."""
    (folder / "quiet.py").write_text(QUIET.replace("BODY", f"{MADE}; os.fork() and os.wait()"))
    done = shell(folder, ("render",), "quiet")
    assert (done.returncode, done.stderr) == (0, b"")
    assert is_whole(done.stdout, ("render",))


@pytest.mark.slow
def test_threads_that_do_not_end(folder: Path) -> None:
    """Threads that a function has left keep the process for a moment only, and are told."""
    body = f"threading.Thread(target=threading.Event().wait, name='idler').start(); {MADE}"
    (folder / "quiet.py").write_text(QUIET.replace("BODY", body))
    done = shell(folder, ("render",), "quiet")
    assert done.returncode == 0
    assert is_whole(done.stdout, ("render",))
    assert done.stderr == (
        b"crossplane-lite: a function has left threads running, which are ended now: idler; "
        b"join them in the function, or make them daemon threads\n"
    )


@pytest.mark.slow
def test_threads_that_end(folder: Path) -> None:
    """A pool that a function hasn't shut down is no problem."""
    body = f"from concurrent import futures; futures.ThreadPoolExecutor(2).submit(int).result(); {MADE}"
    (folder / "quiet.py").write_text(QUIET.replace("BODY", body))
    done = shell(folder, ("render",), "quiet")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["render", "--help"]])
def test_help_that_finds_no_place(folder: Path, arguments: list[str]) -> None:
    """Help and version go to stdout, and one line says so where that is full."""
    command = [sys.executable, "-m", "crossplane_lite", *arguments]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith(b": can't write to stdout: No space left on device\n")
    assert done.stderr.count(b"\n") == 1


def test_in_process(folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Who calls the command in a process of his own, and has replaced sys.stdout, gets it back."""
    monkeypatch.chdir(folder)
    before = sys.stdout, sys.stderr
    assert main(["render", "xr.yaml", "--function", "tests.render.files:bucket"]) == 0
    assert (sys.stdout, sys.stderr) == before
    print("after")
    captured = capfd.readouterr()
    assert captured.out.startswith("---\n")
    assert captured.out.endswith("\nafter\n")


@pytest.mark.slow
def test_called_by_a_program(folder: Path) -> None:
    """A program that calls the command with arguments of its own gets its stdout back."""
    (folder / "program.py").write_text(
        "import os, sys\n"
        "from crossplane_lite.cli import main\n"
        "print('before')\n"
        "for function in ('noisy', 'quiet'):\n"
        "    assert main(['render', 'xr.yaml', '--function', f'{function}:compose']) == 0\n"
        "print('after')\n"
        "sys.stdout.flush()\n"
        # CPython may crash at its end while a thread prints, as one of the first function does.
        "os._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("before\n---\n")
    assert done.stdout.count("kind: ConfigMap\nmetadata:") == 2
    # A thread of the first function still prints, and may come between this word and its line's end.
    assert "after" in done.stdout
    assert "called" not in done.stdout
