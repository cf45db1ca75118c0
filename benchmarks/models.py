"""The models of both sides, made from CRDs into a temporary directory that lives as long as the
process.

The CRDs are those of the directory that BENCHMARK_CRDS names, those that lie beside the checkout,
or else those that `benchmarks.definitions` makes.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import definitions as made

__all__ = [
    *(
        "BUCKET",
        "CLUSTER",
        "PYDANTIC_FLAGS",
        "SkipRow",
        "crd_file",
        "find_real",
        "lite",
        "models_dir",
        "openapi",
    ),
    *("pydantic", "source"),
]

CLUSTER = "container.gcp.upbound.io_clusters.yaml"
BUCKET = "storage.gcp.upbound.io_buckets.yaml"
_VARIABLE = "BENCHMARK_CRDS"
_ROOT = Path(__file__).resolve().parents[1]
_BESIDE = _ROOT.parent / "shared" / "data" / "crds"
_MODULES = {CLUSTER: "cluster", BUCKET: "bucket"}
_MADE = {CLUSTER: made.cluster, BUCKET: made.bucket}

# Those of Crossplane's command line (crossplane/cli, internal/schemas/generator/python.go).
PYDANTIC_FLAGS = (
    "--input-file-type=openapi",
    "--disable-timestamp",
    "--output-model-type=pydantic_v2.BaseModel",
    "--target-python-version=3.12"
    if sys.version_info >= (3, 12)
    else "--target-python-version=3.11",
    "--use-field-description",
    "--enum-field-as-literal=all",
    "--use-one-literal-as-default",
)


class SkipRow(Exception):
    """A row can't be measured here; the text says why."""


@functools.cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="benchmarks-")


@functools.cache
def find_real() -> Path | None:
    """Return the directory of the real CRDs; nothing where they are made.

    Raises:
        FileNotFoundError: BENCHMARK_CRDS names a directory that doesn't have them.
    """
    named = os.environ.get(_VARIABLE)
    folder = Path(named) if named else _BESIDE
    missing = [name for name in _MODULES if not (folder / name).is_file()]
    if not missing:
        return folder
    if named:
        raise FileNotFoundError(
            f"{_VARIABLE}: {folder} must have the files {', '.join(_MODULES)} (no {missing[0]})"
        )
    return None


def source() -> str:
    """Say which CRDs are used.

    Raises:
        FileNotFoundError: BENCHMARK_CRDS names a directory that doesn't have them.
    """
    folder = find_real()
    if folder is None:
        return "made by benchmarks/definitions.py, in the shape of the real ones"
    meta = "" if _meta_document().is_file() else ", with types of metadata that are made"
    return f"the real ones, from {folder}{meta}"


def _meta_document() -> Path:
    return (find_real() or _BESIDE).parent / "openapi" / "core_v1.json"


@functools.cache
def crd_file(name: str) -> Path:
    """Return the file of a CRD: `BUCKET` or `CLUSTER`."""
    folder = find_real()
    if folder is not None:
        return folder / name
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:
            return True  # parts that are the same are written out, as in real ones

    file = Path(_temporary().name, name)
    file.write_text(yaml.dump(_MADE[name](), Dumper=Dumper), encoding="utf-8")
    return file


@functools.cache
def _crds() -> dict[str, dict[str, Any]]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return {
        name: yaml.load(crd_file(name).read_text(encoding="utf-8"), loader) for name in _MODULES
    }


@functools.cache
def models_dir() -> Path:
    """Return a directory to import `lite_models` from, and `pydantic_models` once `pydantic()` has
    been called.
    """
    root = Path(_temporary().name)
    folder = root / "lite_models"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name, module in _MODULES.items():
        (folder / f"{module}.py").write_text(_module_text(name), encoding="utf-8")
    _compile(folder)
    sys.path.insert(0, str(root))
    return root


def _module_text(name: str) -> str:
    """Return the one module that `crossplane-lite generate` makes of a CRD."""
    with tempfile.TemporaryDirectory(dir=_temporary().name) as target:
        arguments = [
            "generate",
            str(crd_file(name)),
            "--versions=storage",
            "--output",
            f"{target}/models",
        ]
        command = [sys.executable, "-m", "crossplane_lite", *arguments]
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        (file,) = (file for file in Path(target).rglob("*.py") if file.name != "__init__.py")
        return file.read_text(encoding="utf-8")


def lite(module: str) -> Any:
    """Import one of our model modules: `bucket` or `cluster`."""
    models_dir()
    return importlib.import_module(f"lite_models.{module}")


@functools.cache
def pydantic() -> None:
    """Make the pydantic models, as `pydantic_models.bucket` and `.cluster`.

    Raises:
        SkipRow: The official SDK or the generator is missing.
    """
    root = models_dir()
    try:
        importlib.import_module("crossplane.function.response")
        importlib.import_module("datamodel_code_generator")
    except ImportError as error:
        raise SkipRow(
            f"the official side needs {error.name}, which isn't installed (extra [bench])"
        ) from None
    source = root / "openapi"
    source.mkdir()
    for name, module in _MODULES.items():
        (source / f"{module}.json").write_text(json.dumps(openapi(_crds()[name])), encoding="utf-8")
    target = root / "pydantic_generated"
    command = [
        sys.executable,
        "-m",
        "datamodel_code_generator",
        *PYDANTIC_FLAGS,
        f"--input={source}",
        f"--output={target}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SkipRow(f"datamodel-code-generator failed: {done.stderr[-500:]}")
    _compile(target)
    # A package with a short name for each kind, for the generator names modules after the whole
    # group.
    folder = root / "pydantic_models"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name, module in _MODULES.items():
        dotted = _component(_crds()[name]).rpartition(".")[0]
        text = f"from pydantic_generated.{module}.{dotted} import *\n"
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    _compile(folder)


def _component(crd: dict[str, Any]) -> str:
    spec = crd["spec"]
    version = next(version["name"] for version in spec["versions"] if version["storage"])
    return ".".join([*reversed(spec["group"].split(".")), version, spec["names"]["kind"]])


def openapi(crd: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI document that Crossplane's command line hands to the generator for a
    CRD.
    """
    version = next(version for version in crd["spec"]["versions"] if version["storage"])
    schema = version["schema"]["openAPIV3Schema"]
    metadata = {"$ref": f"#/components/schemas/{made.META}ObjectMeta"}
    names = {
        "apiVersion": f"{crd['spec']['group']}/{version['name']}",
        "kind": crd["spec"]["names"]["kind"],
    }
    fixed = {
        key: {"type": "string", "enum": [value], "default": value} for key, value in names.items()
    }
    schema = {**schema, "properties": {**schema["properties"], **fixed, "metadata": metadata}}
    meta = made.meta_schemas()
    if find_real() is not None and _meta_document().is_file():
        real = json.loads(_meta_document().read_text(encoding="utf-8"))["components"]["schemas"]
        meta = {name: real[name] for name in meta}
    return {
        "openapi": "3.0.0",
        "info": {"title": "CRD", "version": version["name"]},
        "paths": {},
        "components": {"schemas": {_component(crd): schema, **meta}},
    }


def _compile(folder: Path) -> None:
    """Make byte code, which the servers shall find."""
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder)], check=True)
