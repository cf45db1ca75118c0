"""Layers: the same files give the same bytes, and nothing leads out of the root."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.packaging.layers import Entry, folder_entries, names_of, write_layer
from crossplane_lite.errors import InputError
from tests.packaging.support import root_folder, tar_of

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=120
)
PATHS = st.lists(NAMES.filter(lambda name: name not in (".", "..")), min_size=1, max_size=3).map("/".join)


def read(file: Path) -> dict[str, tuple[bytes | None, int]]:
    """Return what the members of a layer hold, and their modes."""
    with tarfile.open(file, "r:gz") as tar:
        return {one.name: (tar.extractfile(one).read() if one.isreg() else None, one.mode) for one in tar}  # type: ignore[union-attr]


def test_bytes_depend_on_the_files_alone(tmp_path: Path) -> None:
    """Order and times of the files don't count; the digests are those of the file and of what it unpacks to."""
    entries = [Entry("b/c", b"1"), Entry("a", b"2", 0o755), Entry("d", link="a")]
    first = write_layer(entries, tmp_path / "first.tar.gz", "base")
    second = write_layer(reversed(entries), tmp_path / "another-name.tar.gz", "base")
    data = first.file.read_bytes()
    assert second.file.read_bytes() == data
    assert (first.digest, first.size) == (f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))
    plain = gzip.decompress(data)
    assert (first.unpacked, first.unpacked_size) == (f"sha256:{hashlib.sha256(plain).hexdigest()}", len(plain))
    assert first.mark == "base"


def test_folders_come_before_what_is_in_them(tmp_path: Path) -> None:
    """Folders that lead to a file are added where nobody named them, and each once."""
    layer = write_layer([Entry("a/b/c", b""), Entry("a/d", b""), Entry("a", mode=0o700)], tmp_path / "l.tar.gz")
    with tarfile.open(layer.file) as tar:
        found = [(one.name, one.isdir(), one.mode) for one in tar]
    assert found == [("a", True, 0o700), ("a/b", True, 0o755), ("a/b/c", False, 0o644), ("a/d", False, 0o644)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.dictionaries(PATHS, st.tuples(st.binary(max_size=2000), st.sampled_from([0o644, 0o755])), max_size=6))
def test_what_is_written_is_read(tmp_path: Path, files: dict[str, tuple[bytes, int]]) -> None:
    """tarfile reads each file with its bytes and mode, whatever it is called."""
    chosen = {path: one for path, one in files.items() if not any(other.startswith(f"{path}/") for other in files)}
    entries = [Entry(path, content, mode) for path, (content, mode) in chosen.items()]
    layer = write_layer(entries, tmp_path / "layer.tar.gz")
    assert {path: one for path, one in read(layer.file).items() if one[0] is not None} == chosen


def test_a_folder_as_it_is(tmp_path: Path) -> None:
    """Links stay links, pipes and what belongs to the machine are left out, times and modes stay."""
    root = root_folder(tmp_path / "root")
    (root / "proc").mkdir()
    (root / "proc" / "cpuinfo").write_text("x")
    os.mkfifo(root / "pipe")
    os.utime(root / "usr" / "bin" / "python3.11", (5, 5))
    found = {entry.path: entry for entry in folder_entries(root)}
    assert sorted(found) == ["bin", "proc", "usr", "usr/bin", "usr/bin/python3", "usr/bin/python3.11"]
    assert found["bin"].link == "usr/bin"
    assert found["usr/bin/python3.11"].time == 5
    assert found["usr/bin/python3.11"].owner == (os.getuid(), os.getgid())


@pytest.mark.parametrize("path", ["../etc/passwd", "a/../../b", "/../x"])
def test_a_path_that_leads_out(tmp_path: Path, path: str) -> None:
    """A member that leads out of the root is refused, and named."""
    file = tmp_path / "layer.tar.gz"
    file.write_bytes(gzip.compress(tar_of({path: b"x"})))
    layer = write_layer([], tmp_path / "empty.tar.gz")._replace(file=file)
    with pytest.raises(InputError, match="leads out of the image's root folder") as caught:
        names_of(layer, "a.xpkg: layer 1")
    assert path in str(caught.value)


def test_a_hard_link_that_leads_out(tmp_path: Path) -> None:
    """A hard link is a path as well."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        member = tarfile.TarInfo("a")
        member.type, member.linkname = tarfile.LNKTYPE, "../../etc/shadow"
        tar.addfile(member)
    file = tmp_path / "layer.tar.gz"
    file.write_bytes(gzip.compress(out.getvalue()))
    layer = write_layer([], tmp_path / "empty.tar.gz")._replace(file=file)
    with pytest.raises(InputError, match=r"a.xpkg: the path '../../etc/shadow' leads out"):
        names_of(layer, "a.xpkg")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """What can't be read is named."""
    with pytest.raises(InputError, match="nothing-there"):
        write_layer([Entry("a", tmp_path / "nothing-there")], tmp_path / "l.tar.gz")
