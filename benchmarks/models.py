"""The models of both sides, made from CRDs into a temporary directory that lives as long as the process."""

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

from crossplane_lite._manifests.yaml import Document
from crossplane_lite.codegen.definitions import definitions
from crossplane_lite.codegen.generate import generate, select

__all__ = ["BUCKET", "CLUSTER", "CRDS", "PYDANTIC_FLAGS", "SkipRow", "lite", "models_dir", "openapi", "pydantic"]

CRDS = Path(os.environ.get("BENCHMARK_CRDS") or Path(__file__).resolve().parents[2] / "shared" / "data" / "crds")
_META_DOCUMENT = CRDS.parent / "openapi" / "core_v1.json"
CLUSTER = "container.gcp.upbound.io_clusters.yaml"
BUCKET = "storage.gcp.upbound.io_buckets.yaml"
_MODULES = {CLUSTER: "cluster", BUCKET: "bucket"}
_META = "io.k8s.apimachinery.pkg.apis.meta.v1."

# Those of Crossplane's command line (crossplane/cli, internal/schemas/generator/python.go).
PYDANTIC_FLAGS = (
    "--input-file-type=openapi",
    "--disable-timestamp",
    "--output-model-type=pydantic_v2.BaseModel",
    "--target-python-version=3.12" if sys.version_info >= (3, 12) else "--target-python-version=3.11",
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
def _crds() -> dict[str, dict[str, Any]]:
    if not CRDS.is_dir():
        raise SkipRow(f"there are no CRDs in {CRDS}; BENCHMARK_CRDS can name another directory")
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return {name: yaml.load((CRDS / name).read_text(encoding="utf-8"), loader) for name in _MODULES}


@functools.cache
def models_dir() -> Path:
    """Return a directory to import `lite_models` from, and `pydantic_models` once `pydantic()` has been called.

    Raises:
        SkipRow: There are no CRDs to make models from.
    """
    crds = _crds()
    root = Path(_temporary().name)
    folder = root / "lite_models"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name, module in _MODULES.items():
        (folder / f"{module}.py").write_text(_module_text(name, crds[name]), encoding="utf-8")
    _compile(folder)
    sys.path.insert(0, str(root))
    return root


def _module_text(name: str, crd: dict[str, Any]) -> str:
    modules = generate(select(definitions([Document(name, crd)]).kinds, "storage")).modules
    (text,) = (text for file, text in modules.items() if not file.endswith("__init__.py"))
    return text


def lite(module: str) -> Any:
    """Import one of our model modules: `bucket` or `cluster`."""
    models_dir()
    return importlib.import_module(f"lite_models.{module}")


@functools.cache
def pydantic() -> None:
    """Make the pydantic models, as `pydantic_models.bucket` and `.cluster`.

    Raises:
        SkipRow: The official SDK, the generator or the CRDs are missing.
    """
    root = models_dir()
    try:
        importlib.import_module("crossplane.function.response")
        importlib.import_module("datamodel_code_generator")
    except ImportError as error:
        raise SkipRow(f"the official side needs {error.name}, which isn't installed (extra [bench])") from None
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
    # A package with a short name for each kind, for the generator names modules after the whole group.
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
    """Return the OpenAPI document that Crossplane's command line hands to the generator for a CRD."""
    version = next(version for version in crd["spec"]["versions"] if version["storage"])
    schema = version["schema"]["openAPIV3Schema"]
    metadata = {"$ref": f"#/components/schemas/{_META}ObjectMeta"}
    names = {"apiVersion": f"{crd['spec']['group']}/{version['name']}", "kind": crd["spec"]["names"]["kind"]}
    fixed = {key: {"type": "string", "enum": [value], "default": value} for key, value in names.items()}
    schema = {**schema, "properties": {**schema["properties"], **fixed, "metadata": metadata}}
    meta = json.loads(_META_DOCUMENT.read_text(encoding="utf-8"))["components"]["schemas"]
    wanted = ("ObjectMeta", "OwnerReference", "ManagedFieldsEntry", "FieldsV1", "Time")
    return {
        "openapi": "3.0.0",
        "info": {"title": "CRD", "version": version["name"]},
        "paths": {},
        "components": {"schemas": {_component(crd): schema, **{_META + name: meta[_META + name] for name in wanted}}},
    }


def _compile(folder: Path) -> None:
    """Make byte code, which the servers shall find."""
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder)], check=True)
