"""What of logs and messages gets to a terminal, in processes of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.render.files import XR, put
from tests.runtime.serving import run_command

FUNCTION = """\
import asyncio, logging, time
from crossplane_lite import Unstructured, composition

def helper():
    raise ValueError("one\\n\\x1b[31mred")

@composition.function(name="a")
def compose(ctx):
    BODY

@composition.function(name="b")
async def waiting(ctx):
    await asyncio.sleep(0)
    helper()
"""
ESCAPE = r"a\n\x1b[31mred\x9b"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a composite."""
    return put(tmp_path, xr=XR)


def run(
    folder: Path, body: str, *more: str, command: str = "render", name: str = "compose"
) -> subprocess.CompletedProcess[str]:
    """Run a command on a function with this body."""
    (folder / "function.py").write_text(FUNCTION.replace("BODY", body))
    return run_command(command, "xr.yaml", "--function", f"function:{name}", *more, cwd=folder)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["render", "simulate", "graph"])
@pytest.mark.parametrize(("body", "name"), [("helper()", "compose"), ("pass", "waiting")])
def test_traceback(folder: Path, command: str, body: str, name: str) -> None:
    """The traceback of an exception has the frames of the author alone, and comes before the message."""
    done = run(folder, body, command=command, name=name)
    assert done.returncode == 1
    first, *rest, last = done.stderr.splitlines()
    assert first.endswith("compose() raised: Traceback (most recent call last):")
    frames = [line for line in rest if line.startswith("      File ")]
    assert [line.partition(", line ")[0] for line in frames] == [f'      File "{folder}/function.py"'] * 2
    assert rest[-2:] == ["    ValueError: one", r"    \x1b[31mred"]
    assert r"ValueError: one\n\x1b[31mred (function.py:5)" in last
    assert last.startswith(f"crossplane-lite {command}: ")


def test_no_frames_of_python(folder: Path) -> None:
    """A traceback ends in the author's line, although Python's own code has raised."""
    done = run(folder, "__import__('json').dumps({'a': time})")
    frames = [line for line in done.stderr.splitlines() if line.startswith("      File ")]
    assert [line.partition(", line ")[0] for line in frames] == [f'      File "{folder}/function.py"']


def test_no_frame_of_the_author(folder: Path) -> None:
    """A traceback in which the author has no frame stays whole."""
    (folder / "function.py").write_text(
        "from crossplane_lite import composition\n\nclass Composer:\n    def __call__(self, ctx):\n        pass\n\n"
        "compose = composition.function(Composer(), name='a') if False else composition.function(lambda ctx: 3)\n"
    )
    done = run_command("render", "xr.yaml", "--function", "function:compose", cwd=folder)
    assert done.returncode == 1
    assert "composition.py" in done.stderr


TELLING = "; ".join(
    [
        f"ctx.results.warning('{ESCAPE}')",
        f"ctx.log.warning('{ESCAPE}')",
        f"logging.getLogger('{ESCAPE}').warning('{ESCAPE}', extra={{'x': '{ESCAPE}'}})",
        f"ctx.resource('{ESCAPE}', Unstructured('v1', 'ConfigMap'))",
        f"ctx.resource('a', Unstructured('v1', '{ESCAPE}', metadata={{'name': 'a'}}))",
        f"ctx.requirements.resources['{ESCAPE}'] = composition.ResourceSelector(api_version='v1', kind='{ESCAPE}', "
        f"match_name='{ESCAPE}')",
    ]
)


@pytest.mark.slow
@pytest.mark.parametrize("body", [TELLING, f"ctx.results.fatal('{ESCAPE}')", f"raise ValueError('{ESCAPE}')"])
@pytest.mark.parametrize(
    "command", [("render",), ("simulate",), ("simulate", "--format", "json"), ("graph", "--format", "text")]
)
def test_control_characters(folder: Path, body: str, command: tuple[str, ...]) -> None:
    """Nothing that a function says can steer a terminal, or look like a line of ours."""
    done = run(folder, body, *command[1:], command=command[0])
    assert r"\x1b[31mred" in done.stderr
    assert ("Traceback" in done.stderr) == ("ValueError" in body)
    for text in (done.stderr, done.stdout):
        assert "\x1b" not in text
        assert "\x9b" not in text
        assert "\nred" not in text


@pytest.mark.slow
def test_names_in_files(folder: Path) -> None:
    """Nothing in a file, on the command line or in the name of a file can, either."""
    put(folder, wrong='apiVersion: v1\nkind: "a\\e[31m"\nmetadata: {name: "b\\nc\\e"}\n')
    for arguments in (
        ["wrong.yaml", "wrong.yaml"],
        ["xr.yaml", "--function", "a\x1b\nb:c"],
        ["xr.yaml", "--function", "os:a\x1b\nb"],
        ["gone\x1b\n.yaml", "--function", "os:path"],
        ["xr.yaml", "--no\x1b\n"],
    ):
        done = run_command("render", *arguments, cwd=folder)
        assert done.returncode == 2
        assert "\x1b" not in done.stderr
        assert done.stderr.count("\n") == (3 if done.stderr.startswith("usage: ") else 1)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("command", ["render", "simulate", "graph"])
def test_long_values(folder: Path, command: str) -> None:
    """A message is of a length that people read, however long the values in it are."""
    done = run(
        folder, "ctx.results.warning('w' * 100_000); ctx.results.fatal(('f' * 99 + ' ') * 1000)", command=command
    )
    assert done.returncode == 1
    assert len(done.stderr) < 20_000
    assert done.stderr.startswith('warning: Pipeline step "compose": wwww')


@pytest.mark.slow
def test_long_names_in_a_table(folder: Path) -> None:
    """Tables of waves and graphs as text stay tables where names and kinds are long."""
    body = "ctx.resource('n' * 10_000, Unstructured('v1', 'K' * 10_000, metadata={'name': 'a'}))"
    for command in (["simulate"], ["graph", "--format", "text"]):
        done = run(folder, body, *command[1:], command=command[0])
        assert "nnn…nnn" in done.stdout
        assert max(map(len, done.stdout.splitlines())) < 1000
