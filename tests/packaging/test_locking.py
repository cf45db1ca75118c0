"""Lock files: what they hold an image to, and what may be built from sources. The index is a folder of this test."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.packaging import installing, locking
from crossplane_lite._tools.packaging.base import Python
from crossplane_lite._tools.packaging.installing import Package
from crossplane_lite.cli import main
from crossplane_lite.errors import InputError
from tests.packaging.support import members, root_folder

PYTHON = Python("/usr/bin/python3.11", (3, 11), "linux/amd64", False)
HASH = "0" * 64


def wheel(
    folder: Path, name: str, version: str = "1.0", needs: str = "", tag: str = "py3-none-any", **more: str
) -> Path:
    """Write a wheel with a module that has the name of the package."""
    path = folder / f"{name}-{version}-{tag}.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        headers = "".join(f"{key}: {value}\n" for key, value in more.items())
        required = f"Requires-Dist: {needs}\n" if needs else ""
        text = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n{headers}{required}"
        for inside, content in {
            f"{name}.py": "def compose(): ...\n",
            f"{info}/METADATA": text,
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
            f"{info}/RECORD": "",
        }.items():
            file.writestr(zipfile.ZipInfo(inside), content)
    return path


def sdist(folder: Path, name: str) -> Path:
    """Write sources that need no packages to be built: their builder is a part of them."""
    builder = (
        "import shutil\n"
        f"def build_wheel(folder, *_): return shutil.copy('{name}-1.0-py3-none-any.whl', folder).rpartition('/')[2]\n"
        "def get_requires_for_build_wheel(*_): return []\n"
    )
    settings = '[build-system]\nrequires = []\nbuild-backend = "builder"\nbackend-path = ["."]\n'
    parts = {"builder.py": builder.encode(), "pyproject.toml": settings.encode()}
    parts["PKG-INFO"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode()
    made = wheel(folder, name)
    parts[made.name] = made.read_bytes()
    made.unlink()
    path = folder / f"{name}-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for inside, content in parts.items():
            member = tarfile.TarInfo(f"{name}-1.0/{inside}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which alone pip takes packages."""
    found = tmp_path / "index"
    found.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(found))
    monkeypatch.chdir(tmp_path)
    root_folder(tmp_path / "base")
    wheel(found, "lib", **{"License-Expression": "MIT"})
    wheel(tmp_path, "fn", needs="lib")
    return found


def make(*more: str) -> int:
    """Make an image of the function in the wheel."""
    flags = ["--base", "base", "--transport", "none", "--function", "fn:compose", "--byte-code", "no"]
    return main(["image", "fn-1.0-py3-none-any.whl", *flags, "-o", "image.tar", *more])


@pytest.mark.slow
def test_out_and_in(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--lock writes version and hash of every package, and from then on takes these, with the same bytes."""
    assert make("--lock", "lock.txt") == 0
    text = Path("lock.txt").read_text()
    digest = hashlib.sha256((index / "lib-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    assert f"lib==1.0 \\\n    --hash=sha256:{digest}\n" in text
    first = Path("image.tar").read_bytes()
    wheel(index, "lib", "2.0")
    assert make("--lock", "lock.txt") == 0
    assert Path("image.tar").read_bytes() == first
    assert make() == 0
    assert Path("image.tar").read_bytes() != first


@pytest.mark.slow
def test_one_byte(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hash of which one digit differs is refused, and so is a changed file, or a package that isn't in it."""
    assert make("--lock", "lock.txt") == 0
    Path("image.tar").unlink()
    text = Path("lock.txt").read_text()
    at = text.index("sha256:", text.index("lib==")) + 7
    for changed, problem in (
        (f"{text[:at]}{'1' if text[at] == '0' else '0'}{text[at + 1 :]}", "the file was changed, or the package was"),
        (text[: text.index("lib==")], "doesn't have lib: remove the file"),
        (text.replace("lib==1.0", "lib==1.1"), "pip finds no packages"),
    ):
        Path("changed.txt").write_text(changed)
        assert make("--lock", "changed.txt") == 2
        assert problem in capsys.readouterr().err
    wheel(index, "lib", Summary="changed")
    assert make("--lock", "lock.txt") == 2
    assert "the file was changed, or the package was" in capsys.readouterr().err
    assert not Path("image.tar").exists()


@pytest.mark.slow
def test_what_is_installed_is_what_was_chosen(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes between choosing and installing is refused by its hash."""
    work, target = Path("work"), Path("target")
    work.mkdir()
    chosen = installing.resolve(["./fn-1.0-py3-none-any.whl"], PYTHON, work)
    assert all(len(one.sha256) == 64 for one in chosen)
    wheel(index, "lib", Summary="changed")
    with pytest.raises(InputError, match="(?i)hash"):
        installing.install(chosen, PYTHON, target, work)


@pytest.mark.slow
def test_both_platforms(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file has the hashes of each platform's wheels; a platform without one is told."""
    (index / "lib-1.0-py3-none-any.whl").unlink()
    for machine in ("x86_64", "aarch64"):
        wheel(index, "lib", tag=f"cp311-cp311-manylinux2014_{machine}")
    assert make("--lock", "lock.txt") == 0
    assert Path("lock.txt").read_text().count("--hash") == 3
    assert capsys.readouterr().err == ""
    root_folder(Path("arm"), machine=0xB7)
    assert make("--lock", "lock.txt", "--base", "arm") == 0
    (index / "lib-1.0-cp311-cp311-manylinux2014_aarch64.whl").unlink()
    Path("lock.txt").unlink()
    assert make("--lock", "lock.txt") == 0
    assert "warning: lock.txt is not for linux/arm64: pip finds no packages" in capsys.readouterr().err


@pytest.mark.slow
def test_sources_are_not_built(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sources of an index, and of an address that a package requires, aren't built: that would run their code."""
    (index / "lib-1.0-py3-none-any.whl").unlink()
    source = sdist(index, "lib")
    assert make() == 2
    assert "pip finds no packages" in capsys.readouterr().err
    wheel(Path(), "fn", needs=f"lib @ {source.as_uri()}")
    assert make() == 2
    assert "building it here would run its code: take a version with a wheel" in capsys.readouterr().err


@pytest.mark.slow
def test_folders_of_this_machine(index: Path) -> None:
    """A folder that the project requires is the author's own: it is built, and no lock file has it."""
    (index / "lib-1.0-py3-none-any.whl").unlink()
    with tarfile.open(sdist(Path(), "lib")) as tar:
        tar.extractall("sources")  # noqa: S202  # it is this test's own
    wheel(Path(), "fn", needs=f"lib @ {Path('sources', 'lib-1.0').absolute().as_uri()}")
    assert make("--lock", "lock.txt") == 0
    assert "lib==" not in Path("lock.txt").read_text()
    assert make("--lock", "lock.txt") == 0


@pytest.mark.slow
def test_sbom(index: Path) -> None:
    """The layer lists its packages with versions, hashes and licences, and nothing in the list changes by itself."""
    assert make() == 0
    files = members(Path("image.tar").read_bytes())
    (entry,) = json.loads(files["manifest.json"])
    text = members(gzip.decompress(files[entry["Layers"][-1]]))["function/sbom.cdx.json"]
    found = json.loads(text)
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.5")
    assert found["metadata"]["component"]["name"] == "fn"
    (lib,) = [one for one in found["components"] if one["name"] == "lib"]
    digest = hashlib.sha256((index / "lib-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    assert lib["hashes"] == [{"alg": "SHA-256", "content": digest}]
    assert (lib["purl"], lib["licenses"]) == ("pkg:pypi/lib@1.0", [{"expression": "MIT"}])
    assert b"time" not in text
    assert b"serialNumber" not in text


def package(name: str, digit: str, version: str = "1.0", **more: Any) -> Package:
    """Return a package that pip may have chosen, with a hash of one digit."""
    url = f"https://example.org/{name}-{version}-py3-none-any.whl"
    return Package(name, version, url, True, **{"sha256": digit * 64, **more})


def test_what_is_written_holds(tmp_path: Path) -> None:
    """A file for two platforms holds packages to one version and to the hashes of both, but for local sources."""
    path = str(tmp_path / "lock.txt")
    project = package("fn", "", is_local=True)
    locking.write(path, locking.text("A title", [[project, package("lib", "2")], [package("lib", "1")]]))
    hashes = [f" \\\n    --hash=sha256:{digit * 64}" for digit in "12"]
    assert Path(path).read_text().endswith(f"lib==1.0{''.join(hashes)}\n")
    locked = locking.read(path)
    assert locking.constraints(locked) == "lib==1.0\n"
    locking.hold([project, package("lib", "1")], locked, path)
    for other, problem in (
        (package("lib", "3"), "which .* doesn't list: the file was changed, or the package was"),
        (package("more", "1"), "doesn't have more: remove the file"),
        (package("lib", "1", "1.1"), "has lib 1.0, and pip chose 1.1"),
    ):
        with pytest.raises(InputError, match=problem):
            locking.hold([other], locked, path)


@pytest.mark.parametrize(
    ("several", "problem"),
    [
        ([[package("lib", "")]], "lib has no hash, because it comes from https://example.org/"),
        ([[package("lib", "1")], [package("lib", "2", "1.1")]], "lib has the versions 1.0 and 1.1 on two platforms"),
    ],
)
def test_packages_that_no_file_can_have(several: list[list[Package]], problem: str) -> None:
    """A package without a hash, and one of two versions, is in no lock file."""
    with pytest.raises(InputError, match=problem):
        locking.text("A title", several)


def test_sources_that_pip_chose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources that nobody asked for aren't built; those of the project itself are."""

    def choose(*_: object) -> None:
        source = {"url": "https://example.org/lib-1.0.tar.gz", "archive_info": {"hashes": {"sha256": HASH}}}
        lib = {"metadata": {"name": "lib", "version": "1.0"}, "download_info": source}
        local = {"url": "file:///project", "dir_info": {}}
        project = {"metadata": {"name": "fn", "version": "1.0"}, "download_info": local, "requested": True}
        (tmp_path / "pip.json").write_text(json.dumps({"install": [lib, project]}))

    monkeypatch.setattr(installing, "_pip", choose)
    with pytest.raises(InputError, match="building it here would run its code"):
        installing.resolve(["/project"], PYTHON, tmp_path)


def test_files_of_other_tools(tmp_path: Path) -> None:
    """Requirements with hashes are read as pip-compile and uv write them."""
    path = tmp_path / "requirements.txt"
    path.write_text(
        f"# by pip-compile\nmy_lib[extra]==1.0 ; python_version < '4' \\\n    --hash=sha256:{HASH} \\\n"
        f"    --hash=sha256:{'1' * 64}\n    # via -r in\nother==2.0+local --hash=sha256:{HASH}\n"
    )
    assert locking.read(str(path)) == {"my-lib": ("1.0", {HASH, "1" * 64}), "other": ("2.0+local", {HASH})}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("lib==1.0", "line 1: must be NAME==VERSION --hash=sha256:..."),
        ("lib>=1.0 --hash=sha256:" + HASH, "line 1: must be"),
        ("--index-url https://example.org", "line 1: must be"),
        (f"lib==1 --hash=sha256:{HASH}\nLib==2 --hash=sha256:{HASH}", "line 2: lib is in the file twice"),
        (f"lib==1 --hash=md5:{HASH}", "line 1: must be"),
    ],
)
def test_lines_that_are_wrong(tmp_path: Path, line: str, problem: str) -> None:
    """A line that pins nothing is an error with its place."""
    (tmp_path / "lock.txt").write_text(f"{line}\n")
    with pytest.raises(InputError) as caught:
        locking.read(str(tmp_path / "lock.txt"))
    assert problem in str(caught.value)
