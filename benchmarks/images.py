"""The table of sizes of function images: `python -m benchmarks.images`.

Both sides are built by `crossplane-lite image` on an empty base: a function with the models of three kinds, whose CRDs
lie beside
the checkout. All images have the version of grpcio that the official SDK pins. Without byte code, which would add the
same share to both sides.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

import yaml

from benchmarks import models
from crossplane_lite._tools.packaging import images
from crossplane_lite._tools.packaging.report import table

__all__ = ["OFFICIAL", "PRUNED", "WITHOUT_GRPCIO", "Size", "built", "main"]

KINDS = (models.CLUSTER, models.BUCKET, "rds.aws.upbound.io_instances.yaml")
_ROOT = Path(__file__).resolve().parents[1]
OFFICIAL = "official SDK, as pip installs it"
PRUNED = "this SDK, pruned"
WITHOUT_GRPCIO = "this SDK, h2 in place of grpcio, pruned"
_OFFICIAL = "crossplane-function-sdk-python>=0.15"

_PROJECT = """\
[build-system]
requires = ["setuptools>=64"]
build-backend = "setuptools.build_meta"
[project]
name = "function-{name}"
version = "0.1.0"
dependencies = [{needs}]
[project.scripts]
function = "fn.function:main"
[tool.setuptools]
packages = {{ find = {{ include = ["fn*"] }} }}
package-data = {{ "*" = ["*.pyi"] }}
"""


class Size(NamedTuple):
    """The sizes of an image's layer: of all files in it, and of the gzipped layer."""

    files: int
    layer: int


def _wheel(work: Path) -> Path:
    source = work / "source"
    source.mkdir()
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.rst", "LICENSE"):
        shutil.copy(_ROOT / name, source / name)
    for name in ("crossplane_lite", "stubs"):
        shutil.copytree(_ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(work), str(source))
    return next(work.glob("*.whl"))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:6])} failed: {done.stderr[-1000:]}")


def _project(work: Path, name: str, needs: list[str]) -> Path:
    folder = work / name
    (folder / "fn").mkdir(parents=True)
    (folder / "fn" / "__init__.py").touch()
    (folder / "fn" / "function.py").write_text("def main():\n    pass\n", encoding="utf-8")
    text = _PROJECT.format(name=name, needs=", ".join(json.dumps(one) for one in needs))
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return folder


def _crds() -> list[Path]:
    folder = models.find_real()
    if folder is None:
        raise SystemExit("the CRDs of three real kinds are needed: BENCHMARK_CRDS names their directory")
    return [folder / name for name in KINDS]


def _our_models(work: Path) -> dict[str, Path]:
    """Make our models of each kind, and return the folder of each."""
    made = {}
    for crd in _crds():
        made[crd.name] = work / "ours" / crd.stem.replace(".", "_")
        _run(
            sys.executable,
            "-m",
            "crossplane_lite",
            "generate",
            str(crd),
            "--versions",
            "storage",
            "-o",
            str(made[crd.name]),
        )
    return made


def _their_models(work: Path) -> dict[str, Path]:
    """Make pydantic models of each kind as Crossplane's command line does, and return the folder of each."""
    made = {}
    for crd in _crds():
        source = work / "openapi" / crd.stem
        source.mkdir(parents=True)
        document = models.openapi(yaml.safe_load(crd.read_text(encoding="utf-8")))
        (source / "kind.json").write_text(json.dumps(document), encoding="utf-8")
        made[crd.name] = work / "theirs" / crd.stem.replace(".", "_")
        flags = [*models.PYDANTIC_FLAGS, f"--input={source}", f"--output={made[crd.name]}"]
        _run(sys.executable, "-m", "datamodel_code_generator", *flags)
    return made


def _image(work: Path, project: Path, name: str, *flags: str) -> Path:
    base = work / "base"
    if not base.exists():
        (base / "usr" / "bin").mkdir(parents=True)
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        head = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00" + bytes(44)
        (base / "usr" / "bin" / f"python{version}").write_bytes(head)
    output = work / f"{name}.tar"
    common = ["--base", str(base), "--byte-code", "no", "-o", str(output)]
    _run(sys.executable, "-m", "crossplane_lite", "image", str(project), *common, *flags)
    return output


def _size(image: Path, work: Path) -> Size:
    folder = Path(tempfile.mkdtemp(dir=work))
    (read,) = images.read(str(image), folder)
    with tarfile.open(read.layers[-1].file) as tar:
        return Size(sum(one.size for one in tar if one.isfile()), read.layers[-1].size)


def _grpcio(image: Path, work: Path) -> str:
    folder = Path(tempfile.mkdtemp(dir=work))
    (read,) = images.read(str(image), folder)
    with tarfile.open(read.layers[-1].file) as tar:
        names = "\n".join(tar.getnames())
    return re.findall(r"/grpcio-([^/]+)\.dist-info$", names, re.MULTILINE)[0]


def _folder_size(folder: Path, *suffixes: str) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.suffix in suffixes)


def built(work: Path) -> tuple[dict[str, Size], dict[str, Path], dict[str, Path]]:
    """Build all images.

    Returns:
        The size of each image, and the folders of our models and of pydantic's by kind.
    """
    sdk = _wheel(work)
    ours, theirs = _our_models(work), _their_models(work)
    official = _project(work, "official", [_OFFICIAL])
    for crd, folder in theirs.items():
        shutil.copytree(folder, official / "fn" / "models" / crd.split(".")[0])
    ours_needs = f"crossplane-lite @ {sdk.as_uri()}"
    lite = _project(work, "lite", [ours_needs])
    for crd, folder in ours.items():
        shutil.copytree(folder, lite / "fn" / "models" / crd.split(".")[0])
    floor = _project(work, "floor", ["grpcio", "protobuf"])
    krm = _project(work, "krm", [f"crossplane-lite[krm] @ {sdk.as_uri()}"])
    first = _image(work, official, "official", "--no-prune")
    same = work / "constraints.txt"
    same.write_text(f"grpcio=={_grpcio(first, work)}\n", encoding="utf-8")
    pins = ("--constraint", str(same))
    images_of = {
        OFFICIAL: first,
        "official SDK, pruned": _image(work, official, "official-pruned"),
        "this SDK, as pip installs it": _image(work, lite, "lite", "--no-prune", *pins),
        PRUNED: _image(work, lite, "lite-pruned", *pins),
        WITHOUT_GRPCIO: _image(work, lite, "h2", "--transport", "h2"),
        "grpcio and protobuf alone": _image(work, floor, "floor", "--no-prune", *pins),
        "a KRM function, pruned": _image(work, krm, "krm", "--krm", "--transport", "none"),
    }
    return {title: _size(image, work) for title, image in images_of.items()}, ours, theirs


def main() -> None:
    """Build all images, and print the tables."""
    with tempfile.TemporaryDirectory(prefix="benchmarks-images-") as name:
        sizes, ours, theirs = built(Path(name))
        against = next(iter(sizes.values()))
        rows = [
            [
                title,
                f"{size.files / 1e6:.2f} MB",
                f"{size.files / against.files:.2f}",
                f"{size.layer / 1e6:.2f} MB",
                f"{size.layer / against.layer:.2f}",
            ]
            for title, size in sizes.items()
        ]
        print("\n".join(table(["image", "files", "ratio", "layer", "ratio"], rows)))
        bare = sizes["grpcio and protobuf alone"]
        whole = sizes["this SDK, as pip installs it"].files - sum(
            _folder_size(one, ".py", ".pyi") for one in ours.values()
        )
        print(f"\nThis SDK without models, beside grpcio and protobuf alone: {whole / bare.files:.3f}\n")
        rows = [
            [
                crd.removesuffix(".yaml"),
                f"{_folder_size(ours[crd], '.py') / 1000:.0f} kB",
                f"{_folder_size(ours[crd], '.pyi') / 1000:.0f} kB",
                f"{_folder_size(theirs[crd], '.py') / 1000:.0f} kB",
            ]
            for crd in KINDS
        ]
        print("\n".join(table(["models of", "ours, .py", "ours, .pyi", "pydantic"], rows)))


if __name__ == "__main__":
    main()
