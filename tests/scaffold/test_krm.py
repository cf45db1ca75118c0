"""The files of a new KRM function, and its container image, built and run without a registry."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crossplane_lite._tools.scaffold import command
from crossplane_lite.errors import InputError
from tests.krm.processes import LIST, ROOT, run, value

NOBODY = 65534


def test_files(tmp_path: Path) -> None:
    """`crossplane-lite krm init` writes the files and prints their names."""
    done = run(["-m", "crossplane_lite", "krm", "init", "set-team", "--sdk-from", "0.1.0"], b"", cwd=tmp_path)
    assert done.status == 0, done.stderr
    files = command.krm_files("set-team", "0.1.0")
    assert done.stdout.decode().startswith(f"set-team: {len(files)} files of a new function")
    for path, text in files.items():
        assert (tmp_path / "set-team" / path).read_text() == text
        assert "$name" not in text


@pytest.mark.parametrize("name", ["Set", "a b", "-a", "a/..", "a--b", "a.b", "a_b", "x" * 64, "ä", "a\n"])
def test_names(tmp_path: Path, name: str) -> None:
    """A name that can't be an image's, or a Kubernetes object's, is refused, and the message says what it may have."""
    with pytest.raises(InputError, match="can't be the name of a function.*letters, digits and single dashes, with no"):
        command.krm_files(name)


@pytest.mark.parametrize("name", ["123", "1e3", "true", "null", "on", "y", "0x1f"])
def test_names_that_yaml_reads_otherwise(name: str) -> None:
    """A name that is no string in YAML is refused: the files of the project have it without quotes."""
    with pytest.raises(InputError, match="unquoted in YAML it isn't a string"):
        command.krm_files(name)


@pytest.mark.parametrize("name", ["a", "1-a", "set-labels-2", "x" * 63])
def test_names_as_the_message_says(name: str) -> None:
    """A name that has only what the message lists is used as it is."""
    assert f'name="{name}"' in command.krm_files(name)["function.py"]


def write(folder: Path) -> None:
    """Write a new project."""
    command.write(folder, command.krm_files(folder.name))


def test_place_that_can_not_be_written(tmp_path: Path) -> None:
    """A folder that can't be made is named."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"can't write .*file"):
        write(tmp_path / "file" / "fn")


@pytest.mark.slow
def test_golden_test(tmp_path: Path) -> None:
    """The project's own tests pass: with its golden files written first, then compared, then failing after a change."""
    write(tmp_path / "fn")
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    env = {"PYTHONDONTWRITEBYTECODE": "1", "CROSSPLANE_LITE_UPDATE": ""}
    done = run(command, b"", cwd=tmp_path / "fn", env=env)
    assert done.status == 0, done.stdout.decode()
    function = tmp_path / "fn" / "function.py"
    function.write_text(function.read_text().replace("= rl.config.team", "= 'x'"))
    done = run(command, b"", cwd=tmp_path / "fn", env=env)
    assert done.status == 1
    assert b"team: storefront" in done.stdout


def test_example_of_the_readme(tmp_path: Path) -> None:
    """The README's command shows the label as the only difference."""
    write(tmp_path / "fn")
    line = next(
        line for line in command.krm_files("fn")["README.md"].splitlines() if "--diff" in line and "python" in line
    )
    done = run(shlex.split(line)[1:], b"", cwd=tmp_path / "fn")
    assert done.status == 1
    assert [line for line in done.stdout.decode().splitlines() if line[0] in "+-"][2:] == ["+    team: storefront"]


# The image


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", command.krm_files("fn")["Dockerfile"])
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def test_dockerfile() -> None:
    """The Dockerfile has two stages from a slim image, ends as nobody by number, and starts the function as a list."""
    found = instructions()
    known = {"FROM", "COPY", "RUN", "ENV", "WORKDIR", "USER", "ENTRYPOINT"}
    assert {name for name, _ in found} <= known
    bases = [rest for name, rest in found if name == "FROM"]
    assert len(bases) == 2
    assert all(re.fullmatch(r"python:3\.\d+-slim( AS build)?", base) for base in bases)
    last = dict(found[[at for at, (name, _) in enumerate(found) if name == "FROM"][-1] :])
    assert last["USER"] == f"{NOBODY}:{NOBODY}"
    assert json.loads(last["ENTRYPOINT"]) == ["python", "-m", "function"]
    assert "PYTHONDONTWRITEBYTECODE=1" in last["ENV"].split()
    assert "PYTHONUNBUFFERED" not in last["ENV"]
    names = [name for name, _ in found]
    assert names.index("USER") > max(at for at, name in enumerate(names) if name == "RUN")
    copied = [rest.split() for name, rest in found if name == "COPY"]
    sources = {source for parts in copied for source in parts[:-1] if not source.startswith(("--", "/"))}
    kept = {line[1:] for line in command.krm_files("fn")[".dockerignore"].splitlines() if line.startswith("!")}
    assert sources == kept <= set(command.krm_files("fn"))


def test_requirements() -> None:
    """The requirements are this distribution with an extra that it has."""
    (line,) = command.krm_files("fn")["requirements.txt"].split()
    name, _, extra = line.rstrip("]").partition("[")
    assert name == "crossplane-lite"
    assert f"\n{extra} =\n" in (ROOT / "setup.cfg").read_text()


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with /packages and /function as the Dockerfile makes them.

    The packages are those of this environment instead of a registry's; byte code is made by the Dockerfile's command.
    """
    folder = tmp_path_factory.mktemp("image")
    packages = folder / "packages"
    ignored = shutil.ignore_patterns("__pycache__", "*.pyi")
    shutil.copytree(ROOT / "crossplane_lite", packages / "crossplane_lite", ignore=ignored)
    for name in ("PyYAML", "attrs", "cattrs", "typing_extensions", "exceptiongroup", "protobuf"):
        try:
            files = importlib.metadata.files(name) or []
        except importlib.metadata.PackageNotFoundError:  # exceptiongroup from Python 3.11 on
            continue
        for file in files:
            if ".." not in file.parts and "__pycache__" not in file.parts:
                target = packages / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(Path(str(file.locate())), target)
    write(folder / "fn")
    (folder / "function").mkdir()
    shutil.copy(folder / "fn" / "function.py", folder / "function")
    command = next(rest for name, rest in instructions() if name == "RUN" and rest.endswith("/packages /function"))
    words = shlex.split(command.replace("/packages", str(packages)).replace("/function", str(folder / "function")))
    assert words[0] == "python"
    subprocess.run([sys.executable, *words[1:]], check=True, capture_output=True)
    return folder


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the size and the time of the last change of everything in a folder."""
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def started(image: Path, *python: str) -> subprocess.CompletedProcess[bytes]:
    """Run the ENTRYPOINT with the ENV and in the WORKDIR of the Dockerfile, with nothing else in the environment."""
    found = dict(instructions())
    env = dict(part.split("=", 1) for part in found["ENV"].split())
    env["PYTHONPATH"] = str(image / env["PYTHONPATH"].lstrip("/"))
    return subprocess.run(
        [sys.executable, *python, *json.loads(found["ENTRYPOINT"])[1:]],
        input=LIST + CONFIG,
        capture_output=True,
        cwd=image / found["WORKDIR"].lstrip("/"),
        env=env,
        timeout=60,
        check=False,
    )


CONFIG = b"functionConfig: {apiVersion: v1, kind: ConfigMap, data: {team: storefront}}\n"


@pytest.mark.slow
def test_nothing_is_written(image: Path) -> None:
    """The function does its work without HOME and PATH, and leaves nothing behind in the image."""
    before = snapshot(image)
    done = started(image)
    assert done.returncode == 0, done.stderr.decode()
    assert [item["metadata"]["labels"] for item in value(done.stdout)["items"]] == [{"team": "storefront"}] * 2
    assert snapshot(image) == before


@pytest.mark.slow
def test_nothing_is_compiled(image: Path) -> None:
    """No source in the image is compiled at a start: all that is imported is byte code."""
    done = started(image, "-v")
    assert done.returncode == 0, done.stderr.decode()
    codes = re.findall(r"^# code object from '?(.*?)'?$", done.stderr.decode(), re.MULTILINE)
    matches = re.findall(r"^# \S+ matches (.*)$", done.stderr.decode(), re.MULTILINE)
    ours = [file for file in [*codes, *matches] if file.startswith(str(image))]
    assert any(file.endswith("function.py") or "function.cpython" in file for file in ours)
    assert len(ours) > 20
    assert [file for file in codes if file.startswith(str(image)) and not file.endswith(".pyc")] == []


@pytest.mark.slow
def test_byte_code_is_not_compared(image: Path, tmp_path: Path) -> None:
    """A source with another time than its byte code, as after copying layers, isn't even looked into."""
    shutil.copytree(image / "function", tmp_path / "function")
    (tmp_path / "packages").symlink_to(image / "packages")
    (tmp_path / "function" / "function.py").write_text("raise RuntimeError('this was compiled')\n")
    done = started(tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    (code,) = (image / "function" / "__pycache__").iterdir()
    assert int.from_bytes(code.read_bytes()[4:8], "little") == 0b01  # a hash that isn't checked


# Makes a root of the image's folders and the system's, all of them read-only, and runs a command in it as nobody; the
# first arguments are the root, the interpreter's folder and the folder to run in.
CHROOT = f"""
set -eu
PATH=/usr/bin:/bin:/usr/sbin:/sbin
root=$1 python=$2 packages=$3 function=$4
shift 4
mount --make-rprivate /
mount -t tmpfs -o mode=755 none "$root"
mkdir -p "$root/usr" "$root/packages" "$root/function" "$root/tmp" "$root$python"
for at in bin lib lib64 sbin; do
    if [ -L "/$at" ]; then cp -P "/$at" "$root/$at"; elif [ -d "/$at" ]; then mkdir "$root/$at"; fi
done
bind() {{ mount --bind "$1" "$root$2"; mount -o remount,bind,ro "$root$2"; }}
for at in bin lib lib64 sbin usr; do [ -L "$root/$at" ] || [ ! -d "/$at" ] || bind "/$at" "/$at"; done
[ -e "$root$python/bin" ] || bind "$python" "$python"
bind "$packages" /packages
bind "$function" /function
mount -o remount,ro "$root"
exec chroot --userspec={NOBODY}:{NOBODY} --groups= "$root" /usr/bin/env -i "$@"
"""


def in_root(image: Path, tmp_path: Path, *command: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a command as nobody in a namespace without a network, whose root is the image's and read-only."""
    (tmp_path / "root").mkdir(exist_ok=True)
    folders = [str(tmp_path / "root"), sys.base_prefix, str(image / "packages"), str(image / "function")]
    return subprocess.run(
        ["unshare", "--mount", "--net", "sh", "-c", CHROOT, "sh", *folders, *command],
        input=data,
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_read_only_root_as_nobody_without_a_network(image: Path, tmp_path: Path) -> None:
    """The Dockerfile's ENTRYPOINT does its work as nobody, where nothing can be written and no network is there."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("unshare", "chroot", "mount"))):
        pytest.skip("this takes root, and the commands unshare, chroot and mount")
    python = f"{sys.base_prefix}/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
    probe = (
        "import os, socket, sys\nprint(os.getuid(), os.geteuid(), os.getgroups())\n"
        "for at in '/', '/tmp', '/packages', '/function', sys.prefix:\n"
        "    try: open(f'{at}/x', 'w')\n    except OSError as e: print(e.strerror)\n"
        "try: socket.create_connection(('127.0.0.1', 9))\nexcept OSError as e: print(e.strerror)\n"
    )
    done = in_root(image, tmp_path, python, "-c", probe)
    if done.returncode != 0:
        pytest.skip(f"namespaces can't be made here: {done.stderr.decode()[-200:]}")
    seen = done.stdout.decode().splitlines()
    assert seen[0] == f"{NOBODY} {NOBODY} []"
    assert seen[1:] == ["Read-only file system"] * 5 + ["Network is unreachable"]
    found = dict(instructions())
    line = f"cd {found['WORKDIR']} && exec {shlex.join([python, *json.loads(found['ENTRYPOINT'])[1:]])}"
    done = in_root(image, tmp_path, *found["ENV"].split(), "sh", "-c", line, data=LIST + CONFIG)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert [item["metadata"]["labels"] for item in value(done.stdout)["items"]] == [{"team": "storefront"}] * 2


def test_standard_library() -> None:
    """The Dockerfile's other command makes byte code of the standard library, save for what no function needs."""
    command = next(rest for name, rest in instructions() if name == "RUN" and "sysconfig" in rest)
    # As the image's shell reads it, with a python that says what it was called with.
    script = (
        f"""python() {{ [ "$1" = -m ] && printf '%s\\n' "$@" || {shlex.quote(sys.executable)} "$@"; }}; {command}"""
    )
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    words = done.stdout.splitlines()
    assert words[:5] == ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
    assert Path(words[-1], "functools.py").exists()
    pattern = words[words.index("-x") + 1]
    stdlib = "/usr/local/lib/python3.13"
    for name in ("functools.py", "re/__init__.py", "collections/abc.py", "encodings/utf_8_sig.py", "runpy.py"):
        assert not re.search(pattern, f"{stdlib}/{name}")
    for name in ("test/test_x.py", "site-packages/pip/x.py", "idlelib/x.py", "tkinter/__init__.py"):
        assert re.search(pattern, f"{stdlib}/{name}")
