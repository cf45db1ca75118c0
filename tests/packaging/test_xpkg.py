"""`crossplane-lite xpkg`: building, showing and checking packages."""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path

import pytest

from crossplane_lite._tools.manifests import archive_files
from crossplane_lite._tools.packaging import images
from crossplane_lite.cli import main
from tests.packaging.support import CRD, META, image, members, package_folder, package_of, tar_of
from tests.packaging.test_images import two_platforms

EXAMPLE = "apiVersion: a.example.org/v1\nkind: XR\nmetadata: {name: a}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own current directory with a package's folder and a runtime image."""
    monkeypatch.chdir(tmp_path)
    package_folder(tmp_path / "package", input=CRD)
    images.write(image(tmp_path / "work", Entrypoint=["/f"]), str(tmp_path / "runtime.tar"), "docker")
    return tmp_path


def build(*more: str) -> int:
    """Build the package with its runtime."""
    return main(["xpkg", "build", "--embed-runtime-image-tarball", "runtime.tar", *more])


def test_build(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package is a docker-archive whose one marked layer has package.yaml, on top of the runtime."""
    assert build("-o", "a.xpkg") == 0
    assert capsys.readouterr().out.startswith("a.xpkg: function-a for linux/amd64, ")
    files = members((here / "a.xpkg").read_bytes())
    (entry,) = json.loads(files["manifest.json"])
    config = json.loads(files[entry["Config"]])
    assert config["config"]["Entrypoint"] == ["/f"]
    marks = {key: value for key, value in config["config"]["Labels"].items() if key.startswith("io.crossplane.xpkg")}
    digest = entry["Layers"][-1].removesuffix(".tar.gz")
    assert marks == {f"io.crossplane.xpkg:sha256:{digest}": "base"}
    layer = gzip.decompress(files[entry["Layers"][-1]])
    with tarfile.open(fileobj=__import__("io").BytesIO(layer)) as tar:
        assert [(one.name, one.mode) for one in tar] == [("package.yaml", 0o644)]
    text = members(layer)["package.yaml"].decode()
    assert text.count("---\n") == 2
    assert text.index("meta.pkg.crossplane.io") < text.index("CustomResourceDefinition")


def test_two_builds(here: Path) -> None:
    """Two builds of the same files give the same bytes, wherever and whenever they are done."""
    assert build("-o", "a.xpkg") == build("-o", "b.xpkg") == 0
    assert (here / "a.xpkg").read_bytes() == (here / "b.xpkg").read_bytes()


def test_examples(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Examples are a layer of their own with their own mark, and no objects of the package."""
    (here / "package" / "examples").mkdir()
    (here / "package" / "examples" / "xr.yaml").write_text(EXAMPLE)
    assert build("-o", "a.xpkg", "--examples-root", "package/examples") == 0
    assert main(["xpkg", "verify", "a.xpkg"]) == 0
    capsys.readouterr()
    assert main(["xpkg", "inspect", "a.xpkg", "--format", "json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert [layer["mark"] for layer in told["layers"]] == [None, "base", "upbound"]
    assert told["examples"] == 1
    assert [one["kind"] for one in told["objects"]] == ["Function", "CustomResourceDefinition"]


def test_one_file_for_each_platform(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An OCI layout with two images gives two packages; --platform chooses one."""
    layout = str(two_platforms(here / "two"))
    assert main(["xpkg", "build", "--embed-runtime-image-tarball", layout]) == 0
    assert sorted(path.name for path in here.glob("*.xpkg")) == ["function-a-amd64.xpkg", "function-a-arm64.xpkg"]
    (there,) = images.read("function-a-arm64.xpkg", here / "work")
    assert images.platform_of(there.config) == "linux/arm64"
    capsys.readouterr()
    assert main(["xpkg", "build", "--embed-runtime-image-tarball", layout, "-o", "x.xpkg"]) == 2
    assert "has images for linux/amd64, linux/arm64, and a package is for one" in capsys.readouterr().err
    one = ["--platform", "linux/arm64", "-o", "x.xpkg"]
    assert main(["xpkg", "build", "--embed-runtime-image-tarball", layout, *one]) == 0


def test_without_a_runtime(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package may have no runtime, which is said."""
    assert main(["xpkg", "build"]) == 0
    assert "the package holds no runtime image" in capsys.readouterr().err
    assert main(["xpkg", "verify", "function-a.xpkg"]) == 0


def test_nothing_is_written_where_something_is_wrong(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lint comes before writing; every error has file and line."""
    (here / "package" / "extra.yaml").write_text("\n\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n")
    (here / "package" / "crossplane.yaml").write_text(META.replace("function-a", "a"))
    assert build("-o", "a.xpkg") == 2
    said = capsys.readouterr().err
    assert "the package has 2 errors, and nothing was written: package/crossplane.yaml, line 4: " in said
    assert r"\n" not in said
    assert "package/crossplane.yaml, line 4: metadata.name: must begin with function-" in said
    assert "package/extra.yaml, line 4: a function's package can only have CustomResourceDefinitions" in said
    assert not (here / "a.xpkg").exists()


def test_folders_that_are_not_there(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing folder, a missing crossplane.yaml and a missing runtime are named."""
    assert main(["xpkg", "build", "--package-root", "none"]) == 2
    assert "there is no folder none" in capsys.readouterr().err
    (here / "package" / "crossplane.yaml").unlink()
    assert main(["xpkg", "build"]) == 2
    assert "package has no crossplane.yaml" in capsys.readouterr().err
    package_folder(here / "package")
    assert main(["xpkg", "build", "--embed-runtime-image-tarball", "none.tar"]) == 2
    assert "can't read none.tar" in capsys.readouterr().err


def test_inspect(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """inspect prints the object, the runtime and the layers; as yaml the package.yaml itself."""
    assert build("-o", "a.xpkg") == 0
    capsys.readouterr()
    assert main(["xpkg", "inspect", "a.xpkg"]) == 0
    shown = capsys.readouterr().out
    for text in (
        "platform: linux/amd64",
        "name: function-a",
        "Entrypoint:\n  - /f",
        "mark: base",
    ):
        assert text in shown
    assert main(["xpkg", "inspect", "a.xpkg", "--format", "yaml"]) == 0
    assert capsys.readouterr().out.count("\nkind: ") == 2


def layer_of(text: str, name: str = "package.yaml", mode: int = 0o644) -> bytes:
    """Return a package of one layer with this file."""
    return package_of(tar_of({name: text.encode()}, {name: mode}))


def broken(data: bytes, change: str) -> bytes:
    """Return a package with one of its files changed, or its end cut off."""
    files = members(data)
    layer = next(name for name in files if name.endswith(".tar.gz"))
    if change == "layer":
        files[layer] = gzip.compress(gzip.decompress(files[layer]), mtime=1)
    elif change == "config":
        name = next(name for name in files if name.startswith("sha256:"))
        files[name] = files[name].replace(b"amd64", b"arm64")
    elif change == "label":
        name = next(name for name in files if name.startswith("sha256:"))
        text = files.pop(name).replace(b'"io.crossplane.xpkg:sha256:', b'"io.crossplane.xpkg:sha256:0')
        manifest = json.loads(files.pop("manifest.json"))
        manifest[0]["Config"] = "config.json"
        return tar_of({"config.json": text, **files, "manifest.json": json.dumps(manifest).encode()})
    elif change == "cut":
        return data.rstrip(b"\0")[: len(data.rstrip(b"\0")) // 2]
    return tar_of(files)


FOREIGN = f"{META}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\n"
VARIANTS = {
    "two metas": (layer_of(f"{META}---\n{META}"), "a package must have one object of meta.pkg.crossplane.io"),
    "a foreign kind": (layer_of(FOREIGN), "package.yaml, line 11: a function's package can only have"),
    "bad semver": (layer_of(META.replace(">=v2.0.0", "newest")), "line 7: spec.crossplane.version: must be"),
    "not YAML": (layer_of("a: [\n"), "package.yaml, line 2"),
    "no package.yaml": (layer_of(META, "other.yaml"), "layer 1 is marked as base and has no package.yaml"),
    "more than package.yaml": (
        package_of(tar_of({"package.yaml": META.encode(), "x": b""})),
        "layer 1 is marked as base and must have no file but package.yaml",
    ),
    "no mark": (package_of(tar_of({"package.yaml": META.encode()}), "other"), "no layer is marked as base"),
    "a mode": (layer_of(META, mode=0o600), "package.yaml must have the mode 0644 (it has 0600)"),
    "an escaping path": (
        package_of(tar_of({"package.yaml": META.encode(), "../../etc/cron.d/x": b""})),
        "the path '../../etc/cron.d/x' leads out of the image's root folder",
    ),
    "a layer's digest": (broken(layer_of(META), "layer"), "is damaged: its digest is"),
    "the configuration's digest": (broken(layer_of(META), "config"), "is damaged: its digest is"),
    "a label of no layer": (broken(layer_of(META), "label"), "names a layer that isn't there"),
    "cut off": (broken(layer_of(META), "cut"), "a.xpkg"),
    "no image": (tar_of({"package.yaml": META.encode()}), "it has neither manifest.json nor index.json"),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_broken_variants(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """verify refuses every broken variant with a message that names it, and inspect doesn't fail with a traceback."""
    data, message = VARIANTS[name]
    (here / "a.xpkg").write_bytes(data)
    assert main(["xpkg", "verify", "a.xpkg"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("a.xpkg: ") or captured.err.startswith("a.xpkg")
    assert message in captured.err
    assert main(["xpkg", "inspect", "a.xpkg"]) in (0, 2)


def test_a_bomb(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A small layer that unpacks to more than a package may have is refused, and never unpacked to its end."""
    monkeypatch.setattr(archive_files, "LARGEST", 1 << 20)
    (here / "a.xpkg").write_bytes(package_of(tar_of({"package.yaml": bytes(3 << 20)})))
    assert (here / "a.xpkg").stat().st_size < 20_000
    assert main(["xpkg", "verify", "a.xpkg"]) == 1
    assert "is larger than 1 MB unpacked, the most that crossplane-lite reads" in capsys.readouterr().err


def test_a_package_beyond_the_limit(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """build refuses a package.yaml beyond the limit that packages are read with."""
    size = len((here / "package" / "crossplane.yaml").read_bytes())
    monkeypatch.setattr(archive_files, "LARGEST", size)
    assert build("-o", "a.xpkg") == 2
    assert f"and Crossplane reads at most {size:,}: leave objects out" in capsys.readouterr().err
    assert not (here / "a.xpkg").exists()


def test_verify_of_what_is_right(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """verify says of each file whether it is right, and one wrong file decides the status."""
    (here / "wrong.xpkg").write_bytes(VARIANTS["two metas"][0])
    assert build("-o", "right.xpkg") == 0
    capsys.readouterr()
    assert main(["xpkg", "verify", "wrong.xpkg", "right.xpkg"]) == 1
    captured = capsys.readouterr()
    assert captured.out == "right.xpkg: digests, marks and objects are right\n"
    assert captured.err.startswith("wrong.xpkg:package.yaml, line 10: ")
