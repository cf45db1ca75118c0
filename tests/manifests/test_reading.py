"""Reading files of any size."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from crossplane_lite._tools.manifests import files
from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.render.inputs import read_resources
from crossplane_lite._tools.simulate.fixtures import read_fixtures
from crossplane_lite.errors import InputError

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices are files on POSIX systems only")

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  names: {kind: Thing, plural: things}
  scope: Cluster
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""


def test_bytes(tmp_path: Path) -> None:
    """A file is read as it is, also where it has more than one part."""
    for data in (b"", b"x", os.urandom(3_000_000)):
        (tmp_path / "f").write_bytes(data)
        assert files.read_bytes(tmp_path / "f") == data
        assert files.read_bytes(str(tmp_path / "f")) == data


def test_what_can_not_be_read(tmp_path: Path) -> None:
    """The file and the reason are told."""
    for name, reason in (("gone", "No such file"), ("", "Is a directory"), ("a\0b", "null"), ("x" * 300, "too long")):
        with pytest.raises(InputError, match=f"(?s)^can't read .*{reason}") as caught:
            files.read_bytes(f"{tmp_path}/{name}")
        assert caught.value.__suppress_context__


@posix
def test_what_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device without an end is refused where a file could not be as large, whatever reads it."""
    monkeypatch.setattr(files, "_LARGEST", 8 << 20)
    device = Path("/dev/zero")
    problem = "^/dev/zero is larger than 8 MiB, the most that crossplane-lite reads: give a smaller file$"
    with pytest.raises(InputError, match=problem):
        read_resources([device])
    with pytest.raises(InputError, match=problem):
        read_fixtures(device)
    with pytest.raises(InputError, match=problem):
        Schemas([device]).find("example.org/v1", "Thing")


@posix
def test_pipes_in_folders(tmp_path: Path) -> None:
    """A pipe in a folder is left out: nobody may ever write to it. A link that leads nowhere is told."""
    os.mkfifo(tmp_path / "a.yaml")
    (tmp_path / "b.yaml").write_text(CRD)
    (one,) = read_resources([tmp_path])
    assert one.content["kind"] == "CustomResourceDefinition"
    assert Schemas([tmp_path]).find("example.org/v1", "Thing") is not None
    (tmp_path / "c.yaml").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match=r"can't read .*c\.yaml: No such file"):
        read_resources([tmp_path])


@posix
def test_pipes_that_are_named(tmp_path: Path) -> None:
    """A pipe that is given itself, as a shell's process substitution is, is read, and only once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for read in (
        lambda: read_resources([pipe])[0].content["kind"] == "CustomResourceDefinition",
        lambda: Schemas([pipe]).find("example.org/v1", "Thing") is not None,
        lambda: Schemas([pipe]).find("example.org/v1", "Other") is None,
    ):
        writer = threading.Thread(target=pipe.write_text, args=(CRD,), daemon=True)
        writer.start()
        assert read()
        writer.join()
