"""Which packages go into an image."""

from __future__ import annotations

import configparser
import importlib.metadata
import json
import sys
import zipfile
from pathlib import Path

import pytest

from crossplane_lite._tools.packaging import installing
from crossplane_lite._tools.packaging.base import Python
from crossplane_lite._tools.packaging.installing import (
    TRANSPORTS,
    Package,
    _target,
    chosen,
    requirements,
    resolve,
    sdk_requirement,
)
from crossplane_lite.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


def packages(*names: str) -> list[Package]:
    """Return packages of these names."""
    return [Package(name, "1.0", f"https://example.org/{name}-1.0-py3-none-any.whl", True) for name in names]


NEEDED = packages("attrs", "cattrs", "crossplane-lite", "function-a", "grpcio", "protobuf", "typing-extensions")


def names(found: list[Package]) -> list[str]:
    """Return the names of packages."""
    return [package.name for package in found]


def test_grpcio() -> None:
    """By default everything that pip has chosen goes in."""
    assert chosen(NEEDED, "grpcio") == (NEEDED, [])


def test_h2() -> None:
    """h2 asks for the packages of the extra h2, and leaves out grpcio and nothing else."""
    assert requirements("/project", "h2") == ["/project", "h2>=4.3,<4.5"]
    found, gone = chosen([*NEEDED, *packages("h2", "hpack", "hyperframe")], "h2")
    assert gone == ["grpcio"]
    assert {"h2", "hpack", "hyperframe", "protobuf"} <= set(names(found))
    assert "grpcio" not in names(found)


def test_the_extra_of_h2() -> None:
    """The transport requires what its extra does."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    assert setup["options.extras_require"]["h2"].split() == list(TRANSPORTS["h2"].requires)


def test_none() -> None:
    """Without a transport grpcio is left out, and nothing is added."""
    assert requirements("/project", "none") == ["/project"]
    assert chosen(NEEDED, "none")[1] == ["grpcio"]


def test_where_the_sdk_comes_from(tmp_path: Path) -> None:
    """A folder or file, a URL and a version are told apart."""
    assert sdk_requirement(str(tmp_path)) == f"crossplane-lite @ {tmp_path.as_uri()}"
    assert sdk_requirement("https://example.org/a.whl", "[h2]") == "crossplane-lite[h2] @ https://example.org/a.whl"
    assert sdk_requirement("1.2.0rc1") == "crossplane-lite==1.2.0rc1"
    assert requirements(".", "h2", "1.0") == [".", "crossplane-lite==1.0", "h2>=4.3,<4.5"]
    for wrong in ("none/there", "latest", ""):
        with pytest.raises(InputError, match="--sdk-from must be a folder or file that exists, a URL, or a version"):
            sdk_requirement(wrong)


@pytest.mark.slow
def test_the_sdk_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--sdk-from is named where pip doesn't find crossplane-lite and it isn't given, and not for other packages."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    python = Python("/usr/bin/python3.11", (3, 11), "linux/amd64", False)

    def told(needs: str, *more: str) -> str:
        wheel = tmp_path / "network-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as file:
            file.writestr(
                "network-1.0.dist-info/METADATA",
                f"Metadata-Version: 2.1\nName: network\nVersion: 1.0\nRequires-Dist: {needs}\n",
            )
            tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            file.writestr("network-1.0.dist-info/WHEEL", tags)
            file.writestr("network-1.0.dist-info/RECORD", "")
        with pytest.raises(InputError, match="pip finds no packages for Python 3.11 on linux/amd64: ") as raised:
            resolve([str(wheel), *more], python, tmp_path)
        return str(raised.value)

    hint = "; name the folder, wheel or URL of crossplane-lite with --sdk-from"
    assert told("crossplane-lite[krm]").endswith(f"for crossplane-lite[krm]{hint}")
    assert told("crossplane-lite-extras").endswith(" found for crossplane-lite-extras")
    assert "--sdk-from" not in told("crossplane-lite", "crossplane-lite==0.0.1")


@pytest.mark.slow
def test_a_newer_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An image may have a newer Python than this one, and a package that needs it; for an older one it is an error."""
    newer = (3, sys.version_info[1] + 1)
    metadata = f"Metadata-Version: 2.1\nName: a\nVersion: 1.0\nRequires-Python: >=3.{newer[1]}\n"
    with zipfile.ZipFile(tmp_path / "a-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("a-1.0.dist-info/METADATA", metadata)
        wheel.writestr("a-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("a-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    (found,) = resolve(["a"], Python("/usr/bin/python", newer, "linux/amd64", False), tmp_path)
    assert (found.name, found.version) == ("a", "1.0")
    with pytest.raises(InputError):
        resolve(["a"], Python("/usr/bin/python", sys.version_info[:2], "linux/amd64", False), tmp_path)


@pytest.mark.parametrize(("pip", "hint"), [("23.2.1", "-m pip install --upgrade pip"), ("24.2", "another base image")])
def test_a_package_for_a_still_newer_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pip: str, hint: str
) -> None:
    """Only an old pip must ignore what packages require, and then a package that is too new says how to go on."""
    given: list[str] = []

    def choose(arguments: list[str], *_: str) -> None:
        given.extend(arguments)
        told = {"name": "a", "version": "2.0", "requires_python": f">=3.{sys.version_info[1] + 2}"}
        (tmp_path / "pip.json").write_text(json.dumps({"install": [{"metadata": told}]}))

    monkeypatch.setattr(installing, "_pip", choose)
    monkeypatch.setattr(importlib.metadata, "version", lambda _: pip)
    with pytest.raises(InputError, match=hint):
        resolve(["a"], Python("/usr/bin/python", (3, sys.version_info[1] + 1), "linux/amd64", False), tmp_path)
    assert ("--ignore-requires-python" in given) is (pip == "23.2.1")


def test_wheels_for_the_machine() -> None:
    """pip is asked for wheels of the image's Python, machine and library of C."""
    debian = _target(Python("/usr/bin/python3.13", (3, 13), "linux/arm64", False))
    assert "--only-binary=:all:" in debian
    assert {"3.13", "cp313", "abi3", "none", "manylinux2014_aarch64", "manylinux_2_28_aarch64"} <= set(debian)
    alpine = _target(Python("/usr/bin/python3.12", (3, 12), "linux/amd64", True))
    assert "musllinux_1_2_x86_64" in alpine
    assert not [flag for flag in alpine if flag.startswith("manylinux")]
