"""The `package.yaml` of saved images is found in every layout, and hostile files do no harm."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import tarfile
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.manifests import archive_files
from crossplane_lite._tools.manifests.archive import is_archive, read_archive, read_layout
from crossplane_lite.errors import InputError
from tests.manifests.packages import PACKAGE, Oci, digest, docker, layer, tar, write_oci

OTHER = layer(b"other: true\n")
BASE = layer()
MARK = "io.crossplane.xpkg"
EXAMPLES = layer(b"kind: Example\n", ".up/examples.yaml")


def read(data: bytes) -> list[tuple[str, bytes]]:
    """Return labels and contents of what an archive holds."""
    assert is_archive(data[:512])
    return [(name, content) for name, content in read_archive(io.BytesIO(data), "a.xpkg")]


def failure(data: bytes) -> str:
    """Return the one line that says what is wrong."""
    with pytest.raises(InputError) as caught:
        read_archive(io.BytesIO(data), "a.xpkg")
    line = str(caught.value)
    assert line.startswith("a.xpkg")
    assert "\n" not in line
    return line.removeprefix("a.xpkg").removeprefix(": ")


def oci(*layers: tuple[bytes, Mapping[str, str]], **more: Any) -> dict[str, bytes]:
    """Return the files of an OCI layout with one image."""
    made = Oci()
    return made.saved(made.image(*layers, **more))


def label(data: bytes, value: str = "base") -> dict[str, str]:
    """Return the configuration's label that marks a layer."""
    return {f"{MARK}:{digest(data)}": value}


PLAIN = gzip.decompress(BASE)

FOUND = {
    "docker, marked by a label": tar(docker(OTHER, BASE, OTHER + OTHER, labels=label(BASE))),
    "docker, the label of a layer whose name is no digest": tar(
        docker(OTHER, BASE, OTHER, labels=label(BASE), names=["a/layer.tar", "b/layer.tar", "c/layer.tar"])
    ),
    "docker, without labels": tar(docker(OTHER, BASE)),
    "docker, plain layers": tar(docker(gzip.decompress(OTHER), PLAIN, names=["a/layer.tar", "b/layer.tar"])),
    "docker, examples on top": tar(docker(BASE, EXAMPLES, labels={**label(BASE), **label(EXAMPLES, "upbound")})),
    "docker, the label of a layer that was packed anew": tar(docker(OTHER, PLAIN, labels=label(BASE))),
    "docker, gzipped": gzip.compress(tar(docker(OTHER, BASE))),
    "OCI, marked by an annotation": tar(oci((OTHER, {}), (BASE, {MARK: "base"}), (OTHER, {}), (EXAMPLES, {}))),
    "OCI, marked by a label": tar(oci((BASE, {}), (OTHER, {}), config={"config": {"Labels": label(BASE)}})),
    "OCI, without marks": tar(oci((OTHER, {}), (BASE, {}), (EXAMPLES, {MARK: "upbound"}))),
    "OCI, gzipped": gzip.compress(tar(oci((BASE, {MARK: "base"})))),
    "both": tar({**oci((BASE, {MARK: "base"}), (OTHER, {})), **docker(BASE, OTHER)}),
    "names with ./": tar({f"./{name}": data for name, data in oci((layer(name="./package.yaml"), {})).items()}),
    "names with /": tar({f"/{name}": data for name, data in docker(layer(name="/package.yaml")).items()}),
}


@pytest.mark.parametrize("name", FOUND)
def test_package(name: str) -> None:
    """The package.yaml of the marked layer is found, or else that of the topmost layer that has one."""
    assert read(FOUND[name]) == [("a.xpkg:package.yaml", PACKAGE)]


def test_folder(tmp_path: Path) -> None:
    """An OCI layout may be a folder."""
    folder = write_oci(tmp_path / "layout", oci((OTHER, {}), (BASE, {MARK: "base"})))
    assert [tuple(one) for one in read_layout(str(folder))] == [(f"{folder}:package.yaml", PACKAGE)]


def test_docker_layer_that_is_a_link() -> None:
    """A layer that is a link to another member is read there; a link that leads nowhere, or in circles, is missing."""
    link = tarfile.TarInfo("b/layer.tar")
    link.type, link.linkname = tarfile.SYMTYPE, "../a/layer.tar"
    hard = tarfile.TarInfo("c/layer.tar")
    hard.type, hard.linkname = tarfile.LNKTYPE, "b/layer.tar"
    for name in ("b/layer.tar", "c/layer.tar"):
        files = docker(BASE, names=[name])
        files.update({"a/layer.tar": BASE, "b/layer.tar": link, "c/layer.tar": hard})
        assert read(tar(files)) == [("a.xpkg:package.yaml", PACKAGE)]
        assert failure(tar({**files, "a/layer.tar": hard})).startswith(f"{name} is missing: ")


def test_architectures() -> None:
    """Of an index, which is one image for several architectures, one that was saved is read, and no attestation."""
    made = Oci()
    absent: dict[str, Any] = {"digest": digest(b"not saved"), "platform": {"architecture": "arm64"}}
    amd64 = made.image((BASE, {MARK: "base"}), platform={"architecture": "amd64"})
    ppc64 = made.image((OTHER, {MARK: "base"}), platform={"architecture": "ppc64"})
    attestation = made.image((OTHER, {}), annotations={"vnd.docker.reference.type": "attestation-manifest"})
    index = made.index_entry({"schemaVersion": 2, "manifests": [attestation, absent, amd64, ppc64]})
    assert read(tar(made.saved(index))) == [("a.xpkg:package.yaml", PACKAGE)]
    outer = made.index_entry({"schemaVersion": 2, "manifests": [absent, index]})
    assert read(tar(made.saved(outer))) == [("a.xpkg:package.yaml", PACKAGE)]
    nothing = made.index_entry({"schemaVersion": 2, "manifests": [attestation, absent]})
    assert failure(tar(made.saved(nothing))).startswith(f"blobs/{absent['digest'].replace(':', '/')} is missing: ")


def test_several_images() -> None:
    """Images with the same package are one; those with different ones are all read, under their names."""
    made = Oci()
    named = {"org.opencontainers.image.ref.name": "other\nv2"}
    images = [made.image((BASE, {})), made.image((OTHER, {}), annotations=named), made.image((EXAMPLES, {}))]
    first = f"{images[0]['digest']}"
    assert read(tar(made.saved(images[0], made.image((EXAMPLES, {}), (BASE, {}))))) == [
        ("a.xpkg:package.yaml", PACKAGE)
    ]
    assert read(tar(made.saved(*images))) == [
        (f"a.xpkg:{first}:package.yaml", PACKAGE),
        ("a.xpkg:other?v2:package.yaml", b"other: true\n"),
    ]
    one, other = docker(BASE, tag="example:v1"), docker(OTHER, tag="example:v2")
    manifest = json.loads(_bytes(one, "manifest.json")) + json.loads(_bytes(other, "manifest.json"))
    assert read(tar({**one, **other, "manifest.json": json.dumps(manifest).encode()})) == [
        ("a.xpkg:example:v1:package.yaml", PACKAGE),
        ("a.xpkg:example:v2:package.yaml", b"other: true\n"),
    ]


def _bytes(files: Mapping[str, Any], name: str) -> bytes:
    data: bytes = files[name]
    return data


def test_odd_members_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members with names that lead out of the archive, links and devices are passed over, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    odd: dict[str, Any] = {"../package.yaml": b"evil", "/etc/package.yaml": b"evil", "a/package.yaml": b"evil"}
    for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)):
        member = tarfile.TarInfo(f"odd{number}")
        member.type, member.linkname = kind, "/etc/passwd"
        odd[member.name] = member
    packed = gzip.compress(tar({**odd, "package.yaml": PACKAGE}))
    assert read(tar({**odd, **docker(packed)})) == [("a.xpkg:package.yaml", PACKAGE)]
    assert list(tmp_path.iterdir()) == []


def linked_package() -> bytes:
    """Return a layer whose package.yaml is a link."""
    member = tarfile.TarInfo("package.yaml")
    member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return tar({"package.yaml": member})


def replaced(files: dict[str, Any], old: bytes, new: bytes) -> bytes:
    """Return an archive in which one file has another content and keeps its name."""
    assert old in files.values()
    return tar({name: new if data == old else data for name, data in files.items()})


def manifest(content: Any) -> bytes:
    """Return a docker-archive with this manifest."""
    return tar({"manifest.json": json.dumps(content).encode(), "config.json": b"{}", "text.json": b'"text"'})


def index(*entries: Any) -> bytes:
    """Return an OCI layout with this index."""
    return tar({"index.json": json.dumps({"manifests": entries}).encode()})


ZSTD = b"\x28\xb5\x2f\xfd" + b"\0" * 100
HEX = digest(BASE).removeprefix("sha256:")
CONFIG = json.dumps({"rootfs": {"diff_ids": [digest(b"other")]}}).encode()
WRONG_INSIDE = {**docker(BASE), "config.json": CONFIG}
WRONG_INSIDE["manifest.json"] = json.dumps([{"Config": "config.json", "Layers": [f"{HEX}.tar.gz"]}]).encode()

FAILURES = {
    "no package.yaml": (tar(docker(EXAMPLES)), " has no package.yaml: it is not a Crossplane package"),
    "not in the marked layer": (tar(docker(BASE, EXAMPLES, labels=label(EXAMPLES))), " has no package.yaml"),
    "not an image": (tar({"a": b"1"}), " is not a whole image archive: it has neither manifest.json nor index.json"),
    "an empty tar file": (tar({}), " "),  # what Python's reader says of it depends on its version
    "an empty file": (b"", " can't be read as a tar file: empty file"),
    "not a tar file": (b"kind: A\n" * 100, " can't be read as a tar file"),
    "gzip, not a tar file": (gzip.compress(b"kind: A\0\n" * 100), " can't be read as a tar file"),
    "a gzipped text, cut off": (
        gzip.compress("".join(map(str, range(9000))).encode())[:-2000],
        " can't be read: Compressed file ended",
    ),
    "zstd": (ZSTD, " is compressed with zstd, which can't be read: unpack it first, with zstd -d"),
    "a zstd layer": (
        tar(docker(ZSTD)),
        f"the layer {digest(ZSTD).removeprefix('sha256:')}.tar.gz is compressed with zstd, which can't be read",
    ),
    "cut off": (FOUND["docker, without labels"][:1000], " can't be read as a tar file: unexpected end of data"),
    "gzip, cut off": (FOUND["docker, gzipped"][:500], " can't be read as a tar file: Compressed file ended"),
    "a layer, cut off": (tar(docker(BASE[:-20], names=["a.tar"])), "the layer a.tar can't be read: Compressed file"),
    "a layer that is no tar file": (tar(docker(b"text" * 200, names=["a.tar"])), "the layer a.tar can't be read"),
    "a layer that is missing": (tar({**docker(BASE, names=["a"]), "a": tarfile.TarInfo("b")}), "a is missing"),
    "another layer": (
        replaced(docker(BASE), BASE, OTHER),
        f"{HEX}.tar.gz is damaged: its digest is {digest(OTHER)}, not {digest(BASE)}",
    ),
    "another content": (
        tar(WRONG_INSIDE),
        f"the content of {HEX}.tar.gz is damaged: its digest is {digest(PLAIN)}, not {digest(b'other')}",
    ),
    "another blob": (
        replaced(dict(oci((BASE, {}))), BASE, OTHER),
        f"blobs/sha256/{HEX} is damaged: its digest is {digest(OTHER)}, not {digest(BASE)}",
    ),
    "a package.yaml that is a link": (
        tar(docker(linked_package(), names=["a.tar"])),
        "the layer a.tar: package.yaml must be a regular file, not a link or a folder: build the package again",
    ),
    "a manifest that is not JSON": (tar({"manifest.json": b"["}), "manifest.json is not JSON: "),
    "a manifest that is too deep": (tar({"manifest.json": b"[" * 100_000}), "manifest.json is not JSON: "),
    "a manifest that is not UTF-8": (tar({"manifest.json": b'"\xff"'}), "manifest.json is not JSON: "),
    "a manifest that is no list": (manifest({}), "manifest.json: images must be a list (got {} that is an object)"),
    "an image that is no object": (
        manifest([5]),
        "manifest.json: images[0] must be an object (got 5 that is an integer)",
    ),
    "no configuration": (manifest([{"Layers": []}]), "manifest.json: images[0].Config must be a string"),
    "no layers": (manifest([{"Config": "config.json"}]), "manifest.json: images[0].Layers must be a list"),
    "a layer without a name": (
        manifest([{"Config": "config.json", "Layers": [5]}]),
        "manifest.json: images[0].Layers[0] must be a string",
    ),
    "a configuration that is missing": (manifest([{"Config": "gone\n", "Layers": []}]), "gone? is missing"),
    "a configuration that is no object": (
        manifest([{"Config": "text.json", "Layers": []}]),
        "text.json must be an object (got 'text' that is a string)",
    ),
    "an index that is no object": (tar({"index.json": b"[]"}), "index.json must be an object"),
    "an index without images": (index(), " has no package.yaml"),
    "a digest that leads elsewhere": (
        index({"digest": "sha256:../../../../etc/passwd"}),
        "index.json: manifests[0].digest must be sha256: with 64, or sha512: with 128, lower-case hexadecimal digits "
        "(got 'sha256:../../../../etc/passwd'); the archive may be damaged: save it again",
    ),
    "an image that is missing": (index({"digest": digest(b"")}), f"blobs/{digest(b'').replace(':', '/')} is missing"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failure(name: str) -> None:
    """What isn't a package is one line that names the file and what is wrong."""
    data, problem = FAILURES[name]
    assert failure(data).startswith(problem)


def test_every_cut() -> None:
    """An archive that ends too early is an error wherever it ends, unless only the padding is cut off."""
    for data in (FOUND["docker, marked by a label"], FOUND["OCI, marked by an annotation"]):
        for end in range(0, len(data.rstrip(b"\0")), 97):
            failure(data[:end])
    packed = FOUND["docker, gzipped"]
    for end in range(0, len(packed) // 2, 17):
        failure(packed[:end])


def test_damage() -> None:
    """Bytes that changed anywhere give the package as it was, or an error of ours."""
    chance = random.Random(1)
    samples = [FOUND[name] for name in ("docker, marked by a label", "OCI, without marks", "docker, gzipped")]
    outcomes = set()
    for _ in range(400):
        data = bytearray(chance.choice(samples))
        for _ in range(chance.choice((1, 3, 20))):
            data[chance.randrange(len(data))] = chance.choice((0, 0x80, 0xFF, *b"xgLKS17"))
        try:
            outcomes.add(tuple(content for _, content in read_archive(io.BytesIO(bytes(data)), "a.xpkg")))
        except InputError as e:
            assert "\n" not in str(e)
            outcomes.add(())
    assert outcomes == {(PACKAGE,), ()}


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """Return the header of a member that claims a size."""
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


# A mebibyte of zeros takes a thousand bytes; members of gzip files may follow each other.
ZEROS = gzip.compress(bytes(1 << 20))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "problem"),
    [
        (header("a", 1 << 30), "layer is larger than 30 MB unpacked, the most that crossplane-lite reads"),
        (
            header("a", 1 << 30, tarfile.XHDTYPE),
            "layer is larger than 30 MB unpacked, the most that crossplane-lite reads",
        ),
        (header("package.yaml", 31 << 20), "package.yaml is larger than 30 MB, the most that Crossplane reads"),
        (header("package.yaml", 1 << 40), "package.yaml is larger than 30 MB, the most that Crossplane reads"),
    ],
    ids=["a file", "a header", "its package.yaml", "what its package.yaml claims to be"],
)
def test_bomb(monkeypatch: pytest.MonkeyPatch, start: bytes, problem: str) -> None:
    """A layer that unpacks to more than the limit is refused; at most a header is held in memory, up to the limit."""
    monkeypatch.setattr(archive_files, "LARGEST", 30 << 20)
    archive = tar(docker(gzip.compress(start) + ZEROS * 100, names=["layer"]))
    assert len(archive) < 1 << 20
    tracemalloc.start()
    try:
        assert problem in failure(archive)
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


def test_limit() -> None:
    """The limit is the size that Crossplane installs."""
    assert archive_files.LARGEST == 200 << 20
    archive = tar(docker(gzip.compress(header("package.yaml", (200 << 20) + 1)) + ZEROS, names=["layer"]))
    problem = "the layer layer: package.yaml is larger than 200 MB, the most that Crossplane reads; give its "
    assert failure(archive) == f"{problem}CustomResourceDefinitions as files instead"


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.REGTYPE])
def test_bomb_around_the_image(monkeypatch: pytest.MonkeyPatch, kind: bytes) -> None:
    """So is an archive that is gzipped as a whole, whatever a header asks to be read."""
    monkeypatch.setattr(archive_files, "LARGEST", 2 << 20)
    monkeypatch.setattr(archive_files, "_LARGEST_ARCHIVE", 4 << 20)
    data = gzip.compress(header("a", 1 << 33, kind)) + ZEROS * 20
    tracemalloc.start()
    try:
        failure(data)
        assert tracemalloc.get_traced_memory()[1] < 15 << 20
    finally:
        tracemalloc.stop()


def test_largest_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer as large as the limit is read."""
    unpacked = tar({"before": bytes(5000), "package.yaml": PACKAGE})
    monkeypatch.setattr(archive_files, "LARGEST", len(unpacked))
    assert read(tar(docker(gzip.compress(unpacked)))) == [("a.xpkg:package.yaml", PACKAGE)]
    monkeypatch.setattr(archive_files, "LARGEST", 5000)
    assert "is larger than" in failure(tar(docker(gzip.compress(unpacked))))


def test_large_manifest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest or a configuration of any size isn't read into memory."""
    monkeypatch.setattr(archive_files, "LARGEST_JSON", 1 << 20)
    problem = "manifest.json is larger than 1 MB, the most that crossplane-lite reads of JSON in an image"
    assert failure(tar({"manifest.json": b" " * (2 << 20)})) == problem


def test_too_many_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive of very many files is no image; a layer may have them."""
    monkeypatch.setattr(archive_files, "_MOST_FILES", 50)
    many = {f"{number}": b"" for number in range(60)}
    assert failure(tar(many)) == (
        " has more than 50 files, the most that crossplane-lite reads of an archive: give an archive with fewer"
    )
    packed = gzip.compress(tar({**many, "package.yaml": PACKAGE}))
    assert read(tar(docker(packed))) == [("a.xpkg:package.yaml", PACKAGE)]


def test_headers_without_end() -> None:
    """Headers that lengthen headers are an error, not a crash."""
    chain = header("a", 1, tarfile.GNUTYPE_LONGNAME) + b"b".ljust(512, b"\0")
    assert "can't be read as a tar file" in failure(chain * 5000)
    assert "can't be read" in failure(tar(docker(chain * 5000, names=["layer"])))


def test_negative_size() -> None:
    """A member that claims less than no size doesn't send the reader back for ever."""
    block = bytearray(header("a", 0))
    block[124:136] = b"\xff" * 8 + (-512).to_bytes(4, "big", signed=True)
    block[148:156] = b"%06o\0 " % (256 + sum(block[:148]) + sum(block[156:]))
    data = bytes(block) * 3
    failure(data)
    failure(tar(docker(data, names=["layer"])))


def test_file_is_read_from_where_it_stands() -> None:
    """An archive may begin anywhere in a file that can be sought in."""
    for data in (FOUND["docker, without labels"], FOUND["docker, gzipped"]):
        file = io.BytesIO(b"before" + data)
        file.seek(6)
        assert read_archive(file, "a")[0].data == PACKAGE
    assert not is_archive(b"kind: A\n" * 100)
    assert not is_archive(b"")


def test_unreadable_folder(tmp_path: Path) -> None:
    """A layout that is a folder has the same errors."""
    folder = write_oci(tmp_path / "layout", oci((BASE, {})))
    blob = folder / "blobs" / "sha256" / HEX
    blob.write_bytes(OTHER)
    with pytest.raises(InputError, match=f"^{folder}: blobs/sha256/{HEX} is damaged"):
        read_layout(str(folder))
    blob.unlink()
    with pytest.raises(InputError, match=f"^{folder}: blobs/sha256/{HEX} is missing: "):
        read_layout(str(folder))
    os.mkdir(blob)
    with pytest.raises(InputError, match=f"^{folder} can't be read: "):
        read_layout(str(folder))


def test_a_tar_file_of_documents() -> None:
    """Of a tar file that is no image the files of YAML and JSON are read, by name, and no hidden ones."""
    link = tarfile.TarInfo("crds/z.yaml")
    link.type, link.linkname = tarfile.SYMTYPE, "b.yml"
    files = {
        "crds/b.yml": b"b: 1\n",
        "./crds/a.yaml": b"a: 1\n",
        "README.md": b"# not one\n",
        "crds/._a.yaml": b"\0what macOS puts beside it",
        ".github/x.yaml": b"on: push\n",
        "c.JSON": b"{}",
        "crds/z.yaml": link,
        "crds/dir.yaml": _folder("crds/dir.yaml"),
    }
    wanted = [
        *(("a.xpkg:c.JSON", b"{}"), ("a.xpkg:crds/a.yaml", b"a: 1\n"), ("a.xpkg:crds/b.yml", b"b: 1\n")),
        ("a.xpkg:crds/z.yaml", b"b: 1\n"),
    ]
    assert read(tar(files)) == read(gzip.compress(tar(files))) == wanted


def _folder(name: str) -> tarfile.TarInfo:
    folder = tarfile.TarInfo(name)
    folder.type = tarfile.DIRTYPE
    return folder


def test_a_large_member_of_a_tar_file_of_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """A member that is larger than anything is refused before it fills the memory."""
    monkeypatch.setattr(archive_files, "LARGEST", 1000)
    assert "a.yaml is larger than 0 MB" in failure(tar({"a.yaml": b"x" * 1001}))


def test_a_gzipped_text() -> None:
    """What `crossplane xpkg extract` writes is read: the package.yaml, gzipped, without an image around it."""
    assert read(gzip.compress(PACKAGE)) == [("a.xpkg", PACKAGE)]
    assert read(gzip.compress(b"a: 1\n" * 1000)) == [("a.xpkg", b"a: 1\n" * 1000)]
