"""Finding the Python of a base image."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossplane_lite._tools.packaging import images
from crossplane_lite._tools.packaging.base import python_of
from crossplane_lite._tools.packaging.layers import Entry
from crossplane_lite.errors import InputError
from tests.packaging.support import elf, image, root_folder

DEBIAN = [Entry("usr/bin/python3.11", elf()), Entry("usr/bin/python3", link="python3.11"), Entry("bin", link="usr/bin")]


def test_a_root_folder(tmp_path: Path) -> None:
    """The program's head says what machine it is for."""
    (read,) = images.read(str(root_folder(tmp_path / "root", machine=0xB7)), tmp_path)
    assert python_of(read) == ("/usr/bin/python3.11", (3, 11), "linux/arm64", False)


def test_a_python_of_its_own_comes_first(tmp_path: Path) -> None:
    """/usr/local/bin wins over the distribution's, and the highest version within a folder."""
    own = [Entry("usr/local/bin/python3.9", elf()), Entry("usr/local/bin/python3.13", elf())]
    assert python_of(image(tmp_path / "a", DEBIAN, own))[:2] == ("/usr/local/bin/python3.13", (3, 13))


def test_what_a_later_layer_takes_away(tmp_path: Path) -> None:
    """Whiteouts of files and of folders count."""
    own = [Entry("usr/local/bin/python3.13", elf())]
    for gone in ("usr/local/bin/.wh.python3.13", "usr/local/.wh.bin", "usr/local/bin/.wh..wh..opq"):
        made = image(tmp_path / gone.replace("/", "-"), DEBIAN, own, [Entry(gone, b"")])
        assert python_of(made).path == "/usr/bin/python3.11"


def test_a_program_that_is_named(tmp_path: Path) -> None:
    """--python follows links, to the version and to the machine."""
    odd = [Entry("opt/x/python3.12", elf(0xB7)), Entry("opt/py", link="x/python3.12")]
    made = image(tmp_path / "a", DEBIAN, odd, architecture="arm64")
    assert python_of(made, "/opt/py") == ("/opt/py", (3, 12), "linux/arm64", False)
    assert python_of(image(tmp_path / "b", DEBIAN), "/bin/python3").version == (3, 11)
    with pytest.raises(InputError, match="has no /opt/none"):
        python_of(made, "/opt/none")
    with pytest.raises(InputError, match="the name /opt/p doesn't show the version of Python"):
        python_of(image(tmp_path / "c", [Entry("opt/p", elf())]), "/opt/p")


def test_a_program_without_its_version(tmp_path: Path) -> None:
    """A python3 whose version no name beside it shows is told as such, with the way out."""
    made = image(tmp_path / "a", [Entry("usr/local/bin/python3", elf())])
    said = "has /usr/local/bin/python3, and no program such as python3.13 beside it, .* in its name with --python"
    with pytest.raises(InputError, match=said):
        python_of(made)


def test_links_in_a_circle(tmp_path: Path) -> None:
    """Links that lead nowhere are no program."""
    made = image(tmp_path / "a", [Entry("opt/a", link="b"), Entry("opt/b", link="a")])
    with pytest.raises(InputError, match="has no /opt/a"):
        python_of(made, "/opt/a")


def test_another_machine_than_it_says(tmp_path: Path) -> None:
    """An image whose program is for another machine is refused, and so is one for a machine that isn't served."""
    with pytest.raises(InputError, match=r"must be for linux/arm64, but its /usr/bin/python3.11 is for"):
        python_of(image(tmp_path / "a", DEBIAN, architecture="arm64"))
    with pytest.raises(
        InputError, match="is for linux/s390x, and images can only be made for linux/amd64 and linux/arm64"
    ):
        python_of(image(tmp_path / "b", [Entry("usr/bin/python3.11", b"?")], architecture="s390x"))


def test_a_python_that_is_a_script(tmp_path: Path) -> None:
    """A script doesn't show the machine, which is said; with a named platform it is taken."""
    program = root_folder(tmp_path / "root") / "usr" / "bin" / "python3.11"
    program.write_text("#!/bin/sh\n")
    (read,) = images.read(str(tmp_path / "root"), tmp_path)
    with pytest.raises(InputError, match=r"/usr/bin/python3.11 is a script or .* name the platform with --platform"):
        python_of(read)
    (read,) = images.read(str(tmp_path / "root"), tmp_path, "linux/arm64")
    assert python_of(read).platform == "linux/arm64"


def test_musl(tmp_path: Path) -> None:
    """Alpine's library is told, because other wheels run with it."""
    assert python_of(image(tmp_path / "a", DEBIAN, [Entry("lib/ld-musl-x86_64.so.1", b"")])).is_musl


def test_none(tmp_path: Path) -> None:
    """An image without Python says where it was looked for."""
    with pytest.raises(InputError, match=r"has no Python in /usr/local/bin, /usr/bin, .*--python"):
        python_of(image(tmp_path / "a"))
