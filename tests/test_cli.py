"""The command itself: sub-commands, version, help, and errors as one line."""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crossplane_lite._core.base.terminal import painted
from crossplane_lite._tools.commands.table import COMMANDS, GROUPS
from crossplane_lite.cli import main
from tests.render.files import XR, put
from tests.runtime.serving import ROOT, run_command


def test_version(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """--version prints the version of the installed distribution, or that there is none."""
    monkeypatch.setattr(importlib.metadata, "version", {"crossplane-lite": "1.2.3"}.__getitem__)
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "crossplane-lite 1.2.3\n"

    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "crossplane-lite (not installed)\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help(capsys: pytest.CaptureFixture[str], flag: str) -> None:
    """Help lists the sub-commands."""
    assert main([flag]) == 0
    shown = capsys.readouterr().out
    for name in COMMANDS:
        assert re.search(rf"^  {name} {{2,}}\S", shown, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"help"}))
def test_help_of_a_command(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Each sub-command has help of its own, under its own name."""
    try:
        assert main([name, "--help"]) == 0
    except SystemExit as e:  # argparse's way
        assert e.code == 0
    assert capsys.readouterr().out.startswith(f"usage: crossplane-lite {name} ")


def test_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a sub-command, help goes to stderr and the status says that it went wrong."""
    assert main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("usage: crossplane-lite ")


def test_groups(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command is listed once, under a group."""
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert re.findall(r"^(\w+):$", shown, re.MULTILINE) == [*GROUPS, "examples"]
    listed = re.findall(r"^  ([a-z-]+)  ", shown, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.slow
def test_no_command_in_a_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a project, the program without arguments says what can be done there, and each command exists."""
    monkeypatch.chdir(tmp_path)
    for template, expected in (("composition", "crossplane-lite simulate"), ("operation", "crossplane-lite render op")):
        assert main(["init", template, "--template", template, "--sdk-from", "0.1.0"]) == 0
        monkeypatch.chdir(tmp_path / template)
        capsys.readouterr()
        assert main([]) == 0
        shown = capsys.readouterr().out
        assert f"{template} is a project (crossplane-lite.toml)" in shown
        assert expected in shown
        assert {line.split()[1] for line in shown.splitlines() if line.startswith("  cross")} <= COMMANDS.keys()
        monkeypatch.chdir(tmp_path)
    Path("crossplane-lite.toml").write_text("no TOML")
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("crossplane-lite: crossplane-lite.toml is not TOML")


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown sub-command names the one that it is like, or all of them."""
    assert main(["rendr"]) == 2
    assert capsys.readouterr().err == "crossplane-lite: there is no command 'rendr'; did you mean 'render'?\n"
    assert main(["q"]) == 2
    expected = f"crossplane-lite: there is no command 'q'; the commands are {', '.join(sorted(COMMANDS))}\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["image", "--bse", "x"], "there is no --bse; did you mean --base?"),
        (["xpkg", "build", "--package-rot", "x"], "there is no --package-rot; did you mean --package-root?"),
        (["simulate", "xr.yaml", "c.yaml", "f.yaml", "--fixture=a"], "there is no --fixture; did you mean --fixtures?"),
        (["init", "net", "--template", "compositon"], "there is no compositon; did you mean composition?"),
        (["graph", "xr.yaml", "--format=mermaids"], "there is no mermaids; did you mean mermaid?"),
        (["xpkg", "inspct", "a.xpkg"], "there is no inspct; did you mean inspect?"),
        (["xpkg", "inspect", "a.xpkg", "--format", "jsn"], "there is no jsn; did you mean json?"),
    ],
)
def test_what_was_meant(capfd: pytest.CaptureFixture[str], arguments: list[str], text: str) -> None:
    """A misspelt flag or choice of any command names the one that it is like."""
    try:
        assert main(arguments) == 2
    except SystemExit as e:  # argparse's way
        assert e.code == 2
    assert text in capfd.readouterr().err


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"help"}))
def test_help_has_examples(capfd: pytest.CaptureFixture[str], name: str) -> None:
    """`help NAME` and `NAME --help` are the same, and end with examples."""
    shown = []
    for arguments in (["help", name], [name, "--help"]):
        try:
            assert main(arguments) == 0
        except SystemExit as e:
            assert e.code == 0
        shown.append(capfd.readouterr().out)
    assert shown[0] == shown[1]
    assert re.search(rf"^  \S*\W?crossplane-lite {name}", shown[0].partition("examples:\n")[2], re.MULTILINE)


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"guard", "help", "serve"}))
def test_help_fits_the_terminal(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """No line of help is longer than the terminal is wide, but for commands, which stay in one piece."""
    monkeypatch.setenv("COLUMNS", "90")
    with contextlib.suppress(SystemExit):
        main([name, "--help"])
    shown = capfd.readouterr().out
    assert shown.startswith("usage: ")
    assert [line for line in shown.splitlines() if len(line) > 90 and "crossplane-lite " not in line] == []


def test_help_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """`help` is `--help`."""
    assert main(["help"]) == 0
    shown = capsys.readouterr().out
    assert main(["--help"]) == 0
    assert capsys.readouterr().out == shown


def test_version_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """`crossplane_lite.__version__` is that of the installed distribution."""
    import crossplane_lite

    assert crossplane_lite.__version__ == importlib.metadata.version("crossplane-lite")


@pytest.mark.slow
def test_without_tools(tmp_path: Path) -> None:
    """Where the folder of the tools was left out, `serve` works, and other commands say so, and how to get them."""
    ignored = shutil.ignore_patterns("_tools", "__pycache__")
    shutil.copytree(ROOT / "crossplane_lite", tmp_path / "crossplane_lite", ignore=ignored)
    for arguments in ([], ["graph", "xr.yaml"], ["--help"]):
        done = run_command(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert "this image holds only the code that serves a function, and of the commands only serve" in done.stderr
    done = run_command("serve", "no_such_module:compose", "--insecure", cwd=tmp_path)
    assert done.returncode == 2
    assert "no_such_module" in done.stderr
    assert run_command("serve", "--help", cwd=tmp_path).stdout.startswith("usage: crossplane-lite serve")
    assert run_command("--version", cwd=tmp_path).returncode == 0


def test_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal gets colours; a file, NO_COLOR and a dumb terminal don't."""
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert painted("a", "red", terminal) == "\x1b[31ma\x1b[0m"
    assert painted("a", "red", io.StringIO()) == "a"
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            assert painted("a", "red", terminal) == "a"


def test_interrupt_in_code_from_a_string(tmp_path: Path) -> None:
    """Ctrl-C ends a command with 130, not by the signal, also while Python evaluates what namedtuple has written."""
    put(tmp_path, xr=XR)
    (tmp_path / "function.py").write_text("exec('import os, signal; os.kill(os.getpid(), signal.SIGINT)')\n")
    done = run_command("render", "xr.yaml", "--function", "function:compose", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_unknown_flag() -> None:
    """An unknown flag is status 2 and names itself."""
    done = run_command("serve", "a:b", "--no-such-flag")
    assert done.returncode == 2
    assert "--no-such-flag" in done.stderr


def test_render_without_its_extra() -> None:
    """Without PyYAML, render names the extra to install in one line."""
    program = (
        "import sys; sys.modules['yaml'] = None\n"
        "from crossplane_lite.cli import main\n"
        "sys.exit(main(['render', 'xr.yaml', '--function', 'a:b']))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == (
        "crossplane-lite render: yaml is not installed; it comes with an extra: pip install 'crossplane-lite[cli]'\n"
    )


@pytest.mark.slow
def test_reader_that_goes_away() -> None:
    """Output into a pipe that nobody reads any more ends quietly."""
    program = (
        "import os, sys\n"
        "reader, writer = os.pipe(); os.close(reader); os.dup2(writer, 1)\n"
        "from crossplane_lite.cli import main\n"
        "sys.exit(main(['render', 'examples/storage_bucket/xr.yaml', "
        "'--function', 'examples.storage_bucket.function:compose']))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert "BrokenPipeError" not in done.stderr
    assert "Exception" not in done.stderr
