"""Images: what one layout says the other one says, and damage is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossplane_lite._tools.packaging import images
from crossplane_lite._tools.packaging.layers import Entry, write_layer
from crossplane_lite.errors import InputError
from tests.packaging.support import image, members, root_folder, tar_of


def test_both_layouts_hold_the_same(tmp_path: Path) -> None:
    """A docker-archive, an OCI layout as a folder and one as a tar file give the same image, with a digest a layout."""
    made = image(tmp_path / "made", [Entry("a", b"1")], [Entry("b", b"2")], User="1")
    found = []
    digests = []
    for name, layout in (("docker.tar", "docker"), ("folder", "oci"), ("oci.tar", "oci")):
        digests.append(images.write(made, str(tmp_path / name), layout, "a:1"))
        work = tmp_path / f"work-{name}"
        work.mkdir()
        (read,) = images.read(str(tmp_path / name), work)
        found.append((read.config, [(layer.digest, layer.unpacked, layer.size) for layer in read.layers]))
    assert found[0] == found[1] == found[2]
    assert found[0][0] == made.config
    assert digests[0] != digests[1] == digests[2]


def test_the_same_bytes_twice(tmp_path: Path) -> None:
    """Writing twice gives the same bytes, and leaves no other file behind."""
    for name in ("one", "two"):
        images.write(image(tmp_path / f"work-{name}"), str(tmp_path / f"{name}.tar"), "docker", "a:1")
    data = (tmp_path / "one.tar").read_bytes()
    assert (tmp_path / "two.tar").read_bytes() == data
    assert "manifest.json" in members(data)
    assert sorted(path.name for path in tmp_path.glob(".*")) == []


def test_a_layer_that_is_not_packed(tmp_path: Path) -> None:
    """Layers as `docker save` writes them are gzipped, with the digests of what they unpack to as they were."""
    layer = tar_of({"a": b"1"})
    import hashlib

    unpacked = f"sha256:{hashlib.sha256(layer).hexdigest()}"
    config = json.dumps({"architecture": "arm64", "os": "linux", "rootfs": {"diff_ids": [unpacked]}}).encode()
    manifest = json.dumps([{"Config": "c.json", "Layers": ["l/layer.tar"]}]).encode()
    (tmp_path / "a.tar").write_bytes(tar_of({"c.json": config, "l/layer.tar": layer, "manifest.json": manifest}))
    (read,) = images.read(str(tmp_path / "a.tar"), tmp_path)
    assert read.layers[0].unpacked == unpacked
    assert read.layers[0].file.read_bytes()[:2] == b"\x1f\x8b"
    assert images.platform_of(read.config) == "linux/arm64"


def two_platforms(folder: Path) -> Path:
    """Write an OCI layout with images for two platforms, whose layers have the platform's name in a file."""
    for architecture in ("amd64", "arm64"):
        made = image(folder / "work", [Entry("which", architecture.encode())], architecture=architecture)
        images.write(made, str(folder / architecture), "oci")
    layout = folder / "layout"
    (folder / "amd64").rename(layout)
    for blob in (folder / "arm64" / "blobs" / "sha256").iterdir():
        blob.rename(layout / "blobs" / "sha256" / blob.name)
    index = json.loads((layout / "index.json").read_text())
    index["manifests"] += json.loads((folder / "arm64" / "index.json").read_text())["manifests"]
    (layout / "index.json").write_text(json.dumps(index))
    return layout


def test_a_platform_is_chosen(tmp_path: Path) -> None:
    """Of a layout with two platforms one is chosen; all come without a choice; one that isn't there is an error."""
    layout = two_platforms(tmp_path)
    work = tmp_path / "read"
    work.mkdir()
    assert [images.platform_of(one.config) for one in images.read(str(layout), work)] == ["linux/amd64", "linux/arm64"]
    (chosen,) = images.read(str(layout), work, "linux/arm64")
    assert chosen.config["architecture"] == "arm64"
    single = tmp_path / "single.tar"
    images.write(image(tmp_path / "made"), str(single), "docker")
    with pytest.raises(
        InputError, match=r"single.tar has no image for linux/arm64: choose another --platform \(it has linux/amd64\)"
    ):
        images.read(str(single), work, "linux/arm64")


def test_a_blob_that_was_changed(tmp_path: Path) -> None:
    """A layer whose digest isn't that of the manifest is named."""
    images.write(image(tmp_path / "made"), str(tmp_path / "layout"), "oci")
    layer = max(
        (tmp_path / "layout" / "blobs" / "sha256").iterdir(), key=lambda path: path.read_bytes()[:2] == b"\x1f\x8b"
    )
    layer.write_bytes(layer.read_bytes() + b"\0")
    with pytest.raises(InputError, match=rf"blobs/sha256/{layer.name} is damaged: its digest is"):
        images.read(str(tmp_path / "layout"), tmp_path)


def test_digests_of_other_layers(tmp_path: Path) -> None:
    """A configuration that names other layers than there are is refused."""
    made = image(tmp_path / "made")
    wrong = made._replace(config={**made.config, "rootfs": {"type": "layers", "diff_ids": []}})
    images.write(wrong, str(tmp_path / "a.tar"), "docker")
    with pytest.raises(InputError, match="the digests under rootfs.diff_ids are not those of the layers"):
        images.read(str(tmp_path / "a.tar"), tmp_path)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_file_that_was_cut_off(tmp_path: Path, part: float) -> None:
    """A docker-archive that ends too early is refused, and named."""
    images.write(image(tmp_path / "made"), str(tmp_path / "a.tar"), "docker")
    data = (tmp_path / "a.tar").read_bytes().rstrip(b"\0")
    (tmp_path / "a.tar").write_bytes(data[: int(len(data) * part)])
    with pytest.raises(InputError, match=r"a\.tar"):
        images.read(str(tmp_path / "a.tar"), tmp_path)


def test_what_is_no_image(tmp_path: Path) -> None:
    """A text, a missing file and a folder of something else are told apart."""
    (tmp_path / "text").write_text("hello")
    (tmp_path / "folder" / "more").mkdir(parents=True)
    for name, problem in (("text", "isn't a saved image"), ("none", "can't read"), ("folder", "neither an OCI layout")):
        with pytest.raises(InputError, match=problem):
            images.read(str(tmp_path / name), tmp_path)


@pytest.mark.parametrize("names", [(), ("blobs",), ("blobs", "oci-layout")])
def test_a_copy_that_failed(tmp_path: Path, names: tuple[str, ...]) -> None:
    """A folder that a program has begun to copy an image into is told as such."""
    base = tmp_path / "base"
    base.mkdir()
    for name in names:
        (base / name).touch()
    with pytest.raises(InputError, match="base has no index.json, so the copy of the image isn't complete: delete "):
        images.read(str(base), tmp_path)


@pytest.mark.parametrize(
    ("path", "reference", "name"),
    [
        ("docker://docker.io/library/python:3.13", "docker.io/library/python:3.13", "python"),
        ("docker://python", "python", "python"),
        ("python:3.13", "python:3.13", "python"),
        ("localhost:5000/a/my-fn:v1", "localhost:5000/a/my-fn:v1", "my-fn"),
        (f"a.org/b@sha256:{'0f' * 32}", f"a.org/b@sha256:{'0f' * 32}", "b"),
    ],
)
def test_an_image_in_a_registry(tmp_path: Path, path: str, reference: str, name: str) -> None:
    """A path that is a reference of an image, and not there, is told with the command that copies the image."""
    with pytest.raises(InputError) as raised:
        images.read(path, tmp_path)
    assert str(raised.value) == (
        f"can't read {path}: No such file or directory; if it is an image in a registry, copy it with `skopeo copy "
        f"docker://{reference} oci:{name}`, and give the folder {name}"
    )


def test_paths_that_are_no_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path without tag and digest is only a path, and one after a word of skopeo is asked for alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base").mkdir()
    for path in ("none", "images/base.tar", "./python:3.13", "/a:b", "oci:none", "Python:3.13"):
        with pytest.raises(InputError, match=r": No such file or directory$"):
            images.read(path, tmp_path)
    with pytest.raises(InputError, match=r": No such file or directory; give the path without oci:$"):
        images.read("oci:base", tmp_path)


def test_a_root_folder(tmp_path: Path) -> None:
    """A root folder is an image of one layer, without a platform unless one is asked for."""
    root = root_folder(tmp_path / "root")
    (read,) = images.read(str(root), tmp_path)
    assert (len(read.layers), images.platform_of(read.config)) == (1, "linux/unknown")
    (read,) = images.read(str(root), tmp_path, "linux/arm64")
    assert images.platform_of(read.config) == "linux/arm64"


def test_settings_are_added(tmp_path: Path) -> None:
    """Labels and variables are added, other settings replace those of the image, and None takes one away."""
    made = image(tmp_path / "made", User="root", Cmd=["python3"], Env=["A=1", "B=2"], Labels={"b": "1"})
    top = write_layer([Entry("x", b"")], tmp_path / "top.tar.gz")
    changes = {"User": "1", "Cmd": None, "Env": ["B=3"], "Labels": {"a": "2"}}
    config = images.added(made, [top], changes, "image").config
    assert config["config"] == {"User": "1", "Env": ["A=1", "B=3"], "Labels": {"a": "2", "b": "1"}}
    assert config["rootfs"]["diff_ids"][-1] == top.unpacked
    assert [one["created_by"] for one in config["history"]] == ["crossplane-lite a test", "crossplane-lite image"]


def test_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE_DATE_EPOCH is the time of the image, and must be a number."""
    assert image(tmp_path / "a").config["created"] == "1970-01-01T00:00:00Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert image(tmp_path / "b").config["created"] == "1970-01-02T00:00:00Z"
    for wrong in ("today", "-1", "9" * 20, "9" * 5000):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        with pytest.raises(InputError, match="SOURCE_DATE_EPOCH must be a whole number"):
            image(tmp_path / "c")


def test_a_folder_that_is_not_empty(tmp_path: Path) -> None:
    """An OCI layout is not written over something else."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("")
    with pytest.raises(InputError, match="there exists and isn't an empty folder"):
        images.write(image(tmp_path / "made"), str(tmp_path / "there"), "oci")


def test_a_place_that_is_not_there(tmp_path: Path) -> None:
    """A file that can't be written is named."""
    with pytest.raises(InputError, match=r"can't write .*/none/a\.tar: there is no folder .*/none"):
        images.write(image(tmp_path / "made"), str(tmp_path / "none" / "a.tar"), "docker")


def test_history(tmp_path: Path) -> None:
    """An image has an entry of history for each layer, whatever its base told of its own."""
    base = image(tmp_path / "base", [Entry("a", b"1")], [Entry("b", b"2")])
    top = write_layer([Entry("c", b"3")], tmp_path / "top.tar.gz")
    empty = {"created_by": "ENV", "empty_layer": True}
    for told in (None, [], [{"created_by": "x"}], [{"created_by": "x"}] * 2 + [empty], [{"created_by": "x"}] * 9):
        base.config["history"] = told
        made = images.added(base, [top], {}, "test").config["history"]
        assert sum(not one.get("empty_layer") for one in made) == 3
        assert made[-1]["created_by"] == "crossplane-lite test"
        assert (empty in made) is (empty in (told or []))
