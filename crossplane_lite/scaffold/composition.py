"""The files of a new project for Compositions, with models of the XRD and of the kinds that the function composes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .._base.type_names import articled
from .._manifests.reading import read_bytes
from .._manifests.sources import read_sources
from .._manifests.yaml import Document, decode, dump
from ..codegen import generate
from ..codegen.definitions import Kind, definitions
from ..codegen.manifest import MANIFEST, manifest
from ..codegen.options import PROJECT
from ..errors import InputError
from ..simulate.values import required_values
from .project import Project, filled, shared_files, with_values

__all__ = ["Made", "files"]

_XRD = """\
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata:
  name: @PLURAL@.example.org
spec:
  scope: Namespaced
  group: example.org
  names:
    kind: @KIND@
    plural: @PLURAL@
  versions:
  - name: v1alpha1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        description: A resource for users of the platform.
        type: object
        properties:
          spec:
            description: The values that the user sets.
            type: object
            required: [size]
            properties:
              size:
                description: The size that the user wants.
                type: string
                enum: [small, large]
          status:
            description: The state that the user sees.
            type: object
            properties:
              size:
                description: The size that is in effect.
                type: string
"""

_CI = ".github/workflows/ci.yaml"

_COMPOSITION = """\
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata:
  name: @NAME@
spec:
  compositeTypeRef:
    apiVersion: @API_VERSION@
    kind: @XR_KIND@
  mode: Pipeline
  pipeline:
  - step: @NAME@
    functionRef:
      name: @FUNCTION@
"""

_TEST = '''"""Tests of the function, without a cluster."""

from __future__ import annotations

from crossplane_lite import testing

from @PACKAGE@.function import compose

FILES = ("../example/xr.yaml", "../example/composition.yaml")
FUNCTIONS = {"@FUNCTION@": compose}
SCHEMAS = ["../xrd.yaml"]  # the status of the composite must fit it


def test_the_order(crossplane_folder: testing.Folder) -> None:
    """The resources appear in this order."""
    simulation = crossplane_folder.simulate(*FILES, functions=FUNCTIONS, schemas=SCHEMAS)
    testing.assert_waves(simulation, @WAVES@)


def test_the_first_reconcile(crossplane_folder: testing.Folder, crossplane_snapshot: testing.Snapshots) -> None:
    """The resources of the first reconcile are those that were reviewed."""
    rendered = crossplane_folder.render(*FILES, functions=FUNCTIONS, schemas=SCHEMAS)
    crossplane_snapshot.check(rendered, "expected/first.yaml")
'''

_MORE = """
@SOURCES_TEXT@

After a change of the definitions, such as a new version of a provider, the first command names the lines of the
function that no longer fit, and the second one makes the models:

    .venv/bin/crossplane-lite generate --check --uses @PACKAGE@ --uses tests
    .venv/bin/crossplane-lite generate
"""

_WITH_CRDS = "Models come from `xrd.yaml` and the definitions in `crds`, as `crossplane-lite.toml` says."
_WITHOUT_CRDS = """\
Models come from `xrd.yaml`, as `crossplane-lite.toml` says. For models of other kinds, such as those of a provider, put
their definitions into a folder `crds`, and add `"crds"` to `sources` in that file."""

_SOURCES = """\
# `crossplane-lite generate` makes models from these files; with --check it says whether the models are current.
[generate]
sources = [@SOURCES@]
output = "@PACKAGE@/models"
versions = "storage"
"""

_CHECK = "    - run: crossplane-lite generate --check\n"


class Made(NamedTuple):
    """The files of a new project.

    Attributes:
        files: The text of each file, by the file's path in the project.
        warnings: A text for each kind that the function composes, but that Crossplane doesn't let this composite
            compose.
    """

    files: dict[str, str]
    warnings: list[str]


def files(project: Project, xrd: str | None, crds: Sequence[str]) -> Made:
    """Return the files of a new project for a function that Compositions run.

    Args:
        project: The project's name and the other values that the files contain.
        xrd: The path of a file with the CompositeResourceDefinition of the composite; None to write an example of one.
        crds: The paths of files with CustomResourceDefinitions or OpenAPI documents. All kinds in them get models. The
            function composes only the kinds of the CustomResourceDefinitions.

    Raises:
        InputError: A file can't be read. Or `xrd` doesn't contain exactly one CompositeResourceDefinition, or that has
            no referenceable version. Or the files in `crds` define no kind, or two of them have the same name, or a
            schema in them can't be used.
    """
    crd_documents = list(read_sources(list(crds))) if crds else []
    kinds = _composed(crds, crd_documents)
    if xrd is not None:
        text = decode(read_bytes(xrd), xrd)
    else:
        text = with_values(filled(_XRD, project), plural=f"{project.kind.lower()}s")
        if kinds:
            text = text.partition("          status:\n")[0]  # the function of such a project doesn't set the status
    document = _xrd(xrd, text)
    composite = _composite(document)
    texts = shared_files(
        project,
        "composition",
        "render example/xr.yaml example/composition.yaml example/functions.yaml",
        with_values(filled(_MORE, project), sources_text=_WITH_CRDS if crds else _WITHOUT_CRDS),
    )
    steps, before, after = texts[_CI].partition("    - run: pytest\n")
    texts[_CI] = f"{steps}{_CHECK}{before}{after}"
    sources = '"xrd.yaml", "crds"' if crds else '"xrd.yaml"'
    texts[PROJECT] = with_values(filled(_SOURCES, project), sources=sources)
    texts["xrd.yaml"] = text
    for path in crds:
        texts[f"crds/{Path(path).name}"] = decode(read_bytes(path), path)
    texts["example/xr.yaml"] = dump([_example(document, composite)]).removeprefix("---\n")
    xr_kind = document.content["spec"]["names"]["kind"]
    composition = with_values(_COMPOSITION, api_version=composite.api_version, xr_kind=xr_kind)
    texts["example/composition.yaml"] = filled(composition, project)
    texts[f"{project.package}/function.py"] = _function(project, composite, kinds, has_own_xrd=xrd is None)
    resources = _resource_names(kinds)
    waves = [[resources[0]], sorted(resources[1:])] if kinds else [["settings"], ["consumer"]]
    shown = repr([wave for wave in waves if wave]).replace("'", '"')
    texts["tests/test_function.py"] = with_values(filled(_TEST, project), waves=shown)
    for path, text in _models([document, *crd_documents]).items():
        texts[f"{project.package}/models/{path}"] = text
    return Made(texts, _warnings(document, crd_documents))


def _models(documents: Sequence[Document]) -> dict[str, str]:
    """Return the files that `crossplane-lite generate` writes for the project's definitions: the text of each, by path.

    Raises:
        InputError: A schema can't be used, or two documents define the same kind differently.
    """
    made = generate.generate(generate.select(definitions(documents).kinds, "storage"))
    texts = made.modules | {path: text for path, text in made.stubs.items() if not path.endswith("__init__.pyi")}
    return {**texts, MANIFEST: manifest(texts, made.names)}


def _xrd(path: str | None, text: str) -> Document:
    import io

    label = path or "xrd.yaml"
    found = list(read_sources(["-"], io.BytesIO(text.encode())))
    xrds = [one for one in found if one.content.get("kind") == "CompositeResourceDefinition"]
    if len(xrds) != 1 or len(found) != 1:
        kinds = ", ".join(str(one.content.get("kind") or "a document without a kind") for one in found) or "nothing"
        raise InputError(f"{label} must hold one CompositeResourceDefinition and nothing else (it has {kinds})")
    return Document(xrds[0].where.replace("<stdin>", label, 1), xrds[0].content)


def _composed(paths: Sequence[str], documents: Sequence[Document]) -> list[Kind]:
    """Return the kinds that the function composes: all that CustomResourceDefinitions in the files of --crd define.

    Kinds of OpenAPI documents don't count, because an API server has too many of them.

    Args:
        paths: The paths of the files.
        documents: The documents in the files.

    Raises:
        InputError: The files define no kind at all, or two files have the same name.
    """
    found = [one for one in definitions(documents).kinds if one.storage]
    if paths and not found:
        raise InputError(
            f"--crd: there is no CustomResourceDefinition in {' or '.join(paths)}: give files that have some"
        )
    names = [Path(path).name for path in paths]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"--crd: two files have the same name, {twice}: rename one, because both go into one folder")
    # An OpenAPI document of an API server has many kinds, such as lists and reviews. No function composes all of them.
    return [one for one in found if one.document is None]


def _composite(document: Document) -> Kind:
    kind = document.content["spec"]["names"]["kind"]
    for one in definitions([document]).kinds:
        if one.kind == kind and one.storage:
            return one
    raise InputError(f"{document.where}: no version is referenceable: set referenceable: true for one of spec.versions")


def _warnings(document: Document, crd_documents: Sequence[Document]) -> list[str]:
    """Return a warning for each kind of --crd that Crossplane doesn't let the composite compose.

    A composite in a namespace can't compose cluster-scoped kinds.

    Args:
        document: The CompositeResourceDefinition.
        crd_documents: The documents of --crd.
    """
    spec = document.content["spec"]
    is_namespaced = (
        document.content.get("apiVersion", "").endswith("/v2") and spec.get("scope", "Namespaced") == "Namespaced"
    )
    kind = spec["names"]["kind"]
    warnings = []
    for crd in (one.content for one in crd_documents) if is_namespaced else ():
        if isinstance(crd.get("spec"), Mapping) and crd["spec"].get("scope") == "Cluster":
            name = crd["spec"]["names"]["kind"]
            warnings.append(
                f"{kind} is in a namespace and {name} is not, so Crossplane doesn't let {kind} compose {name}; take "
                "the provider's kinds that are in a namespace, or an XRD with scope: Cluster"
            )
    return warnings


def _resource_names(kinds: Sequence[Kind]) -> list[str]:
    names: list[str] = []
    for kind in kinds:
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", kind.kind).lower()
        names.append(name if name not in names else f"{name}-{kind.group.split('.')[0]}-{kind.version}")
    return names


def _example(document: Document, composite: Kind) -> dict[str, Any]:
    spec = document.content["spec"]
    version = str(document.content.get("apiVersion", "")).rpartition("/")[2]
    scope = spec.get("scope", "Namespaced" if version == "v2" else "LegacyCluster")
    metadata = {"name": "example"}
    if scope == "Namespaced":
        metadata["namespace"] = "default"
    written = next(one for one in spec["versions"] if one["name"] == composite.version)
    own = written.get("schema", {}).get("openAPIV3Schema", {}).get("properties", {}).get("spec", {})
    values = required_values(own) if isinstance(own, Mapping) else {}
    return {"apiVersion": composite.api_version, "kind": composite.kind, "metadata": metadata, "spec": values}


def _alias(kind: Kind) -> str:
    return f"{kind.kind.lower()}{kind.version}"


def _imports(kinds: Sequence[Kind]) -> list[str]:
    lines = {f"from .models.{'.'.join(one.module[:-1])} import {one.module[-1]} as {_alias(one)}" for one in kinds}
    return sorted(lines)


def _function(project: Project, composite: Kind, kinds: Sequence[Kind], *, has_own_xrd: bool) -> str:
    sdk = "composition" if kinds else "Unstructured, composition"
    lines = [
        f'"""The resources of {project.function}."""',
        "",
        "from __future__ import annotations",
        "",
        f"from crossplane_lite import {sdk}",
        "",
        *_imports([composite, *kinds]),
        "",
        "",
        "# The name marks the resources of this function: it must stay the same.",
        f'@composition.function(name="{project.step}", auto_ready=True)',
        "def compose(ctx: composition.Context) -> None:",
        f'    """Compose the resources of {articled(composite.kind)}."""',
        f"    xr = ctx.composite({_alias(composite)}.{composite.name})",
    ]
    if kinds:
        lines += _typed(composite, kinds)
    else:
        value = "xr.observed.spec.size" if has_own_xrd else "xr.observed.metadata.name"
        key = "size" if has_own_xrd else "composite"
        lines += [
            "",
            '    settings = ctx.resource("settings", Unstructured("v1", "ConfigMap"))',
            f"    settings.data.{key} = {value}",
            "",
            "    # The first ConfigMap must exist before this value does. Until then the second one is held back.",
            '    consumer = ctx.resource("consumer", Unstructured("v1", "ConfigMap"))',
            f"    consumer.data.{key} = settings.observed.data.{key}",
        ]
        if has_own_xrd:
            lines += ["", "    xr.status.size = settings.observed.data.size"]
    lines += ["", "", 'if __name__ == "__main__":', "    compose.main()", ""]
    return "\n".join(lines)


def _typed(composite: Kind, kinds: Sequence[Kind]) -> list[str]:
    lines = ['    ctx.log.debug("composing", extra={"composite": xr.observed.metadata.name})']
    names = _resource_names(kinds)
    for number, (kind, name) in enumerate(zip(kinds, names, strict=True)):
        values = required_values(kind.schema).get("spec")
        variable = re.sub(r"\W", "_", name)
        lines.append("")
        if values:
            lines.append(f"    {variable} = {_alias(kind)}.{kind.name}(spec={_literal(values, 4)})")
        else:
            lines.append(f"    {variable} = {_alias(kind)}.{kind.name}()")
        if number:
            lines.append(f"    # Created when {names[0]} is ready.")
            lines.append(f'    ctx.resource("{name}", {variable}, depends_on=["{names[0]}"])')
        else:
            lines.append(f'    ctx.resource("{name}", {variable})')
    return lines


def _literal(value: Any, indent: int) -> str:
    """Return a value as Python code. A dict or list of 60 characters or more has a line for each entry.

    Args:
        value: A JSON value.
        indent: The number of spaces at the beginning of the line that the code is put into.
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)):
        return repr(value)
    inside = " " * (indent + 4)
    if isinstance(value, dict):
        parts = [f"{_literal(key, 0)}: {_literal(one, indent + 4)}" for key, one in value.items()]
    else:
        parts = [_literal(one, indent + 4) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    short = f"{opening}{', '.join(parts)}{closing}"
    if len(short) < 60 and "\n" not in short:
        return short
    return f"{opening}\n" + "".join(f"{inside}{part},\n" for part in parts) + f"{' ' * indent}{closing}"
