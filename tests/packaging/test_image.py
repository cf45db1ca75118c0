"""`crossplane-lite image`: the layer of a function and its packages, on a base."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from pathlib import Path

import pytest

from crossplane_lite._core.base import terminal
from crossplane_lite._tools.packaging import images
from crossplane_lite._tools.packaging.base import Python
from crossplane_lite._tools.packaging.image import entrypoint
from crossplane_lite.cli import main
from tests.packaging.support import members, project, root_folder


def layer_and_config(file: Path) -> tuple[dict[str, bytes], dict[str, object]]:
    """Return the files of an image's top layer, and its configuration."""
    files = members(file.read_bytes())
    (entry,) = json.loads(files["manifest.json"])
    config = json.loads(files[entry["Config"]])
    return members(gzip.decompress(files[entry["Layers"][-1]])), config


def machines(files: dict[str, bytes]) -> set[int]:
    """Return the machines that libraries are for, by their numbers in ELF files."""
    return {int.from_bytes(data[18:20], "little") for name, data in files.items() if name.endswith(".so")}


@pytest.mark.slow
def test_for_another_machine(
    tmp_path: Path, sdk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The layer has the function and libraries for the base's machine, twice with the same bytes, and no tools."""
    monkeypatch.setattr(terminal, "LOG_SECONDS", 0.2)  # a line in a log for each step, and while pip works
    base = root_folder(tmp_path / "root", machine=0xB7)
    where = project(tmp_path / "project")
    stale = where / "build" / "lib" / "function_a" / "stale.py"
    stale.parent.mkdir(parents=True)
    stale.write_text("")
    before = sorted(where.rglob("*"))
    for name in ("one.tar", "two.tar"):
        output = str(tmp_path / name)
        flags = ["--base", str(base), "--sdk-from", str(sdk), "--byte-code", "no", "-o", output, "--report"]
        assert main(["image", str(where), *flags]) == 0
    shown, told = capsys.readouterr()
    assert re.search(r"^choosing packages for Python 3.11 on linux/arm64 \(\d+ s\)$", told, re.MULTILINE)
    assert re.search(r"^installing \d+ packages( \(\d+ s\))?$", told, re.MULTILINE)
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    assert "function-a 0.3.0 for linux/arm64, function_a.function:compose.main" in shown
    assert re.search(r"^ *\d+\.\d\d MB  google$", shown, re.MULTILINE)
    files, config = layer_and_config(tmp_path / "one.tar")
    assert sorted(where.rglob("*")) == before
    assert not [name for name in files if "stale" in name]
    assert machines(files) == {0xB7}
    assert files["function/function_a/function.py"].startswith(b'"""A function."""')
    assert b"from function_a.function import compose" in files["function/__main__.py"]
    ours = {name.split("/")[2] for name in files if name.startswith("function/crossplane_lite/")}
    assert {"composition.py", "runtime"} <= ours
    assert not ours & {"_tools", "krm", "testing"}
    assert not [name for name in files if name.startswith("function/bin/") or name.endswith("/direct_url.json")]
    assert config["architecture"] == "arm64"
    settings = config["config"]
    assert isinstance(settings, dict)
    assert settings["Entrypoint"] == ["/usr/bin/python3.11", "/function", "--transport", "h2"]
    assert settings["User"] == "65534:65534"
    assert settings["ExposedPorts"] == {"9443/tcp": {}}
    assert {"PYTHONDONTWRITEBYTECODE=1", "MALLOC_ARENA_MAX=1"} <= set(settings["Env"])
    assert settings["Labels"]["org.opencontainers.image.version"] == "0.3.0"


@pytest.mark.slow
def test_without_grpcio(tmp_path: Path, sdk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--transport none leaves grpcio out; --no-prune leaves the tools in."""
    base = root_folder(tmp_path / "root")
    flags = ["--base", str(base), "--sdk-from", str(sdk), "--transport", "none", "--no-prune", "--byte-code", "no"]
    output = tmp_path / "a"
    flags += ["--krm", "--user", "1000:1000", "--format", "oci", "-o", str(output)]
    assert main(["image", str(project(tmp_path / "project")), *flags]) == 0
    assert "left out  grpcio" in capsys.readouterr().out
    index = json.loads((output / "index.json").read_text())
    blobs = output / "blobs" / "sha256"
    manifest = json.loads((blobs / index["manifests"][0]["digest"][7:]).read_text())
    settings = json.loads((blobs / manifest["config"]["digest"][7:]).read_text())["config"]
    assert settings["User"] == "1000:1000"
    assert "ExposedPorts" not in settings
    files = members(gzip.decompress((blobs / manifest["layers"][-1]["digest"][7:]).read_bytes()))
    assert not [name for name in files if name.startswith("function/grpc/")]
    assert "function/crossplane_lite/_tools/render/steps.py" in files
    assert "function/crossplane_lite/py.typed" in files


@pytest.mark.slow
def test_byte_code(
    tmp_path: Path, sdk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte code is made by the same version of Python alone, is the same twice, and names no place of this machine."""
    import sys

    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    base = root_folder(tmp_path / "root")
    programs = base / "usr" / "bin"
    flags = [str(project(tmp_path / "project")), "--base", str(base), "--sdk-from", str(sdk), "--transport", "none"]
    (programs / "python3.11").rename(programs / f"python{version}")
    for name in ("one", "two"):
        assert main(["image", *flags, "--byte-code", "yes", "-o", str(tmp_path / f"{name}.tar")]) == 0
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    assert "byte code made" in capsys.readouterr().out
    files, _ = layer_and_config(tmp_path / "one.tar")
    compiled = files[f"function/function_a/__pycache__/function.cpython-{version.replace('.', '')}.pyc"]
    assert b"/function/function_a/function.py" in compiled
    assert str(tmp_path).encode() not in compiled
    capsys.readouterr()
    other = "3.12" if version != "3.12" else "3.13"
    (programs / f"python{version}").rename(programs / f"python{other}")
    monkeypatch.setenv("PATH", "")
    assert main(["image", *flags, "--byte-code", "yes", "-o", str(tmp_path / "three.tar")]) == 2
    assert f"--byte-code yes: only python{other} can make the byte code, and this machine" in capsys.readouterr().err
    assert not (tmp_path / "three.tar").exists()
    (programs / f"python{other}").rename(programs / "python3.9")
    assert main(["image", *flags, "-o", str(tmp_path / "three.tar")]) == 2
    said = capsys.readouterr().err
    # pip 25 and later look at the image's version of Python themselves.
    by_pip = "requires a different Python: 3.9.0 not in '>=3.10'" in said
    assert by_pip or "crossplane-lite 0.1.0 needs Python >=3.10, and the base image has 3.9" in said


def test_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal a line says what is being done, escaped, and is gone at the end; a file gets nothing of it."""
    base = Path("no\x1b[2Jwhere")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    for is_terminal in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda is_terminal=is_terminal: is_terminal)
        assert main(["image", str(tmp_path), "--base", str(base)]) == 2
        shown = capsys.readouterr().err
        before, start, error = shown.partition("crossplane-lite image: ")
        assert start
        assert "\x1b" not in error
        assert before == ("\r\x1b[Kreading no\\x1b[2Jwhere\r\x1b[K" if is_terminal else "")


def test_what_runs() -> None:
    """The base's Python runs the folder; an image without grpcio serves with what it has instead."""
    python = Python("/usr/bin/python3.13", (3, 13), "linux/amd64", False)
    assert entrypoint(python, "none") == ["/usr/bin/python3.13", "/function"]
    assert entrypoint(python, "grpcio") == ["/usr/bin/python3.13", "/function", "--transport", "grpcio"]
    assert entrypoint(python, "h2") == ["/usr/bin/python3.13", "/function", "--transport", "h2"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["-o", "none/a.tar"], "can't write none/a.tar: there is no folder none"),
        (["-o", "full", "--format", "oci"], "full exists and isn't an empty folder"),
    ],
)
def test_flags_are_checked_first(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    message: str,
) -> None:
    """A user or an output that can't be used is an error before the base is read and packages are installed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full" / "a").mkdir(parents=True)
    assert main(["image", "--base", "none", *flags]) == 2
    assert message in capsys.readouterr().err


def test_no_base(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --base, or with one that isn't there, the message says what a base is, and how to get one."""
    assert main(["image"]) == 2
    said = capsys.readouterr().err
    assert "--base is missing, the image with Python that the function's layer goes onto" in said
    assert "skopeo copy docker://docker.io/library/python:" in said
    assert main(["image", "--base", str(tmp_path / "none")]) == 2
    said = capsys.readouterr().err
    assert "none: No such file or directory; to get an image with Python, save one with `skopeo copy docker://" in said


def test_what_is_no_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without pyproject.toml, a folder that isn't there and a base without Python are told before pip runs."""
    base = str(root_folder(tmp_path / "root"))
    assert main(["image", str(tmp_path), "--base", base]) == 2
    assert f"{tmp_path} isn't a Python project: it has no pyproject.toml" in capsys.readouterr().err
    assert main(["image", "./none", "--base", base]) == 2
    assert "there is no folder or file ./none" in capsys.readouterr().err


def test_a_folder_that_is_no_base(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine's root and a folder without Python are refused before anything in them is read."""
    monkeypatch.setattr(images, "read", lambda *_: pytest.fail("the folder was read"))
    empty = tmp_path / "empty" / "usr"
    empty.mkdir(parents=True)
    for base, problem in ((str(empty.parent), "has no Python in /usr/local/bin"), ("/", "is the root of this machine")):
        assert main(["image", ".", "--base", base]) == 2
        assert problem in capsys.readouterr().err


def test_a_project_that_cannot_be_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first file of a project that can't be copied is named with the reason, and the others are counted."""
    source = tmp_path / "project"
    source.mkdir()
    (source / "pyproject.toml").touch()
    os.mkfifo(source / "pipe")
    base = str(root_folder(tmp_path / "root"))
    assert main(["image", str(source), "--base", base]) == 2
    text = f"can't copy the project {source} to build it: {source}/pipe: `{source}/pipe` is a named pipe\n"
    assert capsys.readouterr().err.endswith(text)
    os.mkfifo(source / "pipe2")
    assert main(["image", str(source), "--base", base]) == 2
    assert capsys.readouterr().err.endswith("is a named pipe (and 1 more)\n")


def test_a_base_for_two_platforms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A base with several images needs a choice, and one that is for another machine is refused."""
    from tests.packaging.test_images import two_platforms

    layout = str(two_platforms(tmp_path))
    assert main(["image", "--base", layout]) == 2
    assert "has images for linux/amd64, linux/arm64: choose one with --platform" in capsys.readouterr().err
    base = str(root_folder(tmp_path / "root"))
    assert main(["image", "--base", base, "--platform", "linux/arm64"]) == 2
    assert "must be for linux/arm64" in capsys.readouterr().err
