"""Files of Kubernetes objects, for the tests that read them, and the functions that these name."""

from __future__ import annotations

import textwrap
from pathlib import Path

import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite import Unstructured, composition

__all__ = [
    *("COMPOSITION", "FUNCTIONS", "HERE", "XR"),
    *("bucket", "composition_of", "composition_of_step", "function", "patch", "put", "step", "tell"),
]

HERE = "tests.render.files"

XR = """\
apiVersion: example.org/v1
kind: XBucket
metadata:
  name: photos
  labels: {team: shop}
spec:
  size: 3
"""


def composition_of(kind: str, name: str, *steps: str) -> str:
    """Return a Composition for a kind of example.org/v1, with steps such as `step` returns."""
    return f"""\
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata:
  name: {name}
spec:
  compositeTypeRef: {{apiVersion: example.org/v1, kind: {kind}}}
  mode: Pipeline
  pipeline:
{"".join(steps)}"""


def step(name: str, function: str, more: str = "") -> str:
    """Return the lines of a step, with more lines of it."""
    return f"""\
    - step: {name}
      functionRef: {{name: {function}}}
{textwrap.indent(more, " " * 6)}"""


def composition_of_step(more: str) -> str:
    """Return a Composition with these lines as the keys of its only step, below `step` and `functionRef`."""
    return composition_of("XBucket", "buckets", step("one", "f", more))


TELL = """\
input: {apiVersion: example.org/v1, kind: Input, level: high}
credentials:
  - name: cloud
    source: Secret
    secretRef: {namespace: system, name: cloud}
"""
COMPOSITION = composition_of(
    "XBucket", "buckets", step("bucket", "function-bucket"), step("tell", "function-tell", TELL)
)


def function(name: str, target: str | None = None, **annotations: str) -> str:
    """Return a Function document; with a target it is run in process."""
    if target is not None:
        annotations = {"runtime": "InProcess", "runtime-in-process-target": target, **annotations}
    named = {f"render.crossplane.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    content = {
        "apiVersion": "pkg.crossplane.io/v1",
        "kind": "Function",
        "metadata": {"name": name, "annotations": named},
        "spec": {"package": f"registry.example.org/{name}:v1"},
    }
    text: str = pyyaml.safe_dump(content)
    return f"---\n{text}"


FUNCTIONS = function("function-bucket", f"{HERE}:bucket") + function("function-tell", f"{HERE}:tell")


def put(folder: Path, **texts: str) -> Path:
    """Write files `<key>.yaml` into a folder, which is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


@composition.function(name="tests.render.files.odd")
def odd(ctx: composition.Context) -> None:
    """A resource whose apiVersion can't be parsed."""
    ctx.resource("odd", Unstructured("a/b/c", "Bucket"))


@composition.function(name="tests.render.files.bucket")
def bucket(ctx: composition.Context) -> None:
    """Composes a bucket of the composite's size."""
    xr = ctx.composite(Unstructured)
    ctx.resource("bucket", Unstructured("example.org/v1", "Bucket", spec={"size": xr.observed.spec.size}))


@composition.function(name="tests.render.files.tell")
def tell(ctx: composition.Context) -> None:
    """Tells in the composite's status what it was given, and reports it."""
    given = ctx.input if ctx.input is not None else {}
    status = ctx.composite(Unstructured).status
    status.level = given.get("level")
    status.password = ctx.credentials["cloud"]["password"].decode() if "cloud" in ctx.credentials else None
    status.environment = ctx.context.get("environment")
    ctx.context["told"] = True
    ctx.results.normal("told", reason="Told")
    ctx.results.warning("mind the gap")


@composition.function(name="tests.render.files.patch")
def patch(ctx: composition.Context) -> None:
    """Applies a copy of the resource that is watched."""
    watched = ctx.watched
    copy = Unstructured("v1", "ConfigMap", data={"a": watched.data.a})
    copy.metadata.name = f"copy-of-{watched.metadata.name}"
    copy.metadata.namespace = watched.metadata.namespace
    ctx.resource("copy", copy)
