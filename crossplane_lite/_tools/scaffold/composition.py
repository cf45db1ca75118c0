"""The files of a new project for Compositions, with models of the XRD and of the kinds that the
function composes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any, Final, NamedTuple

from ..._core.base.texts import articled
from ...errors import InputError
from ..codegen import generate
from ..codegen.definitions import Kind, definitions
from ..codegen.manifest import MANIFEST, manifest
from ..manifests.files import read_bytes
from ..manifests.sources import read_sources
from ..manifests.yaml import Document, decode, dump, parse_documents
from ..registry.references import is_package
from ..simulate.values import required_values
from .project import Project, filled

_MORE: Final = """
`.venv/bin/crossplane-lite simulate` shows which resources appear when, `graph` draws what depends
on what, and `render --explain NAME` says where the fields of a resource come from.

$models

For models of a provider's kinds, add them from its package, or from files with their definitions,
with `.venv/bin/crossplane-lite add PACKAGE.xpkg KIND ...`.

After a change of the definitions:

    .venv/bin/crossplane-lite generate --check --uses $package --uses tests
    .venv/bin/crossplane-lite generate

The first command names the lines of the function that no longer fit, and the second one makes the
models. A new version of a provider is taken with
`.venv/bin/crossplane-lite add NEW-PACKAGE.xpkg --upgrade`.
"""

_WITH_CRDS = (
    "Models come from `xrd.yaml` and the definitions in `crds`, as `crossplane-lite.toml` says."
)
_WITHOUT_CRDS = "Models come from `xrd.yaml`, as `crossplane-lite.toml` says."


class Made(NamedTuple):
    """The files of a new project.

    Attributes:
        files: The text of each file, by the file's path in the project.
        warnings: A text for each kind that the function composes, but that Crossplane doesn't let
            this composite compose.
    """

    files: dict[str, str]
    warnings: list[str]


def files(project: Project, xrd: str | None, crds: Sequence[str]) -> Made:
    """Return the files of a new project for a function that Compositions run.

    Args:
        project: The project's name and the other values that the files contain.
        xrd: The path of a file with the CompositeResourceDefinition of the composite; None to write
            an example of one.
        crds: The paths of files with CustomResourceDefinitions or OpenAPI documents. All kinds in
            them get models. The function composes only the kinds of the CustomResourceDefinitions.

    Raises:
        InputError: A file can't be read. Or `xrd` doesn't contain exactly one
            CompositeResourceDefinition, or that has no referenceable version. Or the files in
            `crds` define no kind, or two of them have the same name, or a schema in them can't be
            used.
    """
    for path in crds:
        if is_package(path):
            raise InputError(
                f"--crd takes files: leave {path} out, and run `crossplane-lite add {path}` in the"
                " project"
            )
    crd_documents = list(read_sources(list(crds))) if crds else []
    kinds = _kinds(crds, crd_documents)
    clustered = _clustered(crd_documents)
    own = project._asdict()
    if xrd is not None:
        text = decode(read_bytes(xrd), xrd)
    else:
        # A composite in no namespace can compose both kinds in namespaces and others.
        scope = (
            "Cluster" if any((one.group, one.kind) in clustered for one in kinds) else "Namespaced"
        )
        text = filled("xrd", plural=f"{project.kind.lower()}s", scope=scope, **own)["xrd.yaml"]
        if kinds:
            # the function of such a project doesn't set the status
            text = text.partition("          status:\n")[0]
    document = _xrd(xrd, text)
    composite = _composite(document)
    xr = _example(document, composite)
    is_namespaced = "namespace" in xr["metadata"]
    refused = [one for one in kinds if is_namespaced and (one.group, one.kind) in clustered]
    composed = [one for one in kinds if one not in refused]
    names = _resource_names(composed)
    waves = [[names[0]], sorted(names[1:])] if composed else [["settings"], ["consumer"]]
    if composed:
        lines = _typed(composed, clustered if not is_namespaced else None)
        body = "".join(f"    {line}\n" if line else "\n" for line in lines)
    else:
        body = _untyped(has_own_xrd=xrd is None and not kinds, in_namespace=is_namespaced)
    models = Template(_MORE).substitute(own, models=_WITH_CRDS if crds else _WITHOUT_CRDS)
    values = {
        **own,
        "capability": "composition",
        "render": "render",
        "more": models,
        "check": "    - run: crossplane-lite generate --check\n",
        "sources": '"xrd.yaml", "crds"' if crds else '"xrd.yaml"',
        "crds": '\ncrds = ["crds"]' if crds else "",
        "api_version": composite.api_version,
        "xr_kind": document.content["spec"]["names"]["kind"],
        "waves": repr([wave for wave in waves if wave]).replace("'", '"'),
        "sdk_names": "composition" if composed else "Unstructured, composition",
        "imports": "\n".join(sorted({_import(one) for one in [composite, *composed]})),
        "composite": f"{_alias(composite)}.{composite.name}",
        "a_kind": articled(composite.kind),
        "body": body,
    }
    texts = {**filled("shared", **values), **filled("composition", **values), "xrd.yaml": text}
    for path in crds:
        texts[f"crds/{Path(path).name}"] = decode(read_bytes(path), path)
    texts["example/xr.yaml"] = dump([xr]).removeprefix("---\n")
    for path, text in _models([document, *crd_documents]).items():
        texts[f"{project.package}/models/{path}"] = text
    return Made(texts, [_warning(composite, one) for one in refused])


def _models(documents: Sequence[Document]) -> dict[str, str]:
    """Return the files that `crossplane-lite generate` writes for the project's definitions: the
    text of each, by path.

    Raises:
        InputError: A schema can't be used, or two documents define the same kind differently.
    """
    made = generate.generate(generate.select(definitions(documents).kinds, "storage"))
    return {**made.files, MANIFEST: manifest(made.files, made.names)}


def _xrd(path: str | None, text: str) -> Document:
    label = path or "xrd.yaml"
    found = list(parse_documents(text, label))
    xrds = [one for one in found if one.content.get("kind") == "CompositeResourceDefinition"]
    if len(xrds) != 1 or len(found) != 1:
        kinds = (
            ", ".join(str(one.content.get("kind") or "a document without a kind") for one in found)
            or "nothing"
        )
        raise InputError(
            f"{label} must hold one CompositeResourceDefinition and nothing else (it has {kinds})"
        )
    return xrds[0]


def _kinds(paths: Sequence[str], documents: Sequence[Document]) -> list[Kind]:
    """Return the kinds that the function composes: all that CustomResourceDefinitions in the files
    of --crd define.

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
            f"--crd: there is no CustomResourceDefinition in {' or '.join(paths)}: give files that"
            " have some"
        )
    names = [Path(path).name for path in paths]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"--crd: two files have the same name, {twice}: rename one, because both go into one"
            " folder"
        )
    # An OpenAPI document of an API server has many kinds, such as lists and reviews. No function
    # composes all of them.
    return [one for one in found if one.document is None]


def _composite(document: Document) -> Kind:
    kind = document.content["spec"]["names"]["kind"]
    for one in definitions([document]).kinds:
        if one.kind == kind and one.storage:
            return one
    raise InputError(
        f"{document.where}: no version is referenceable: set referenceable: true for one of"
        " spec.versions"
    )


def _clustered(documents: Sequence[Document]) -> set[tuple[str, str]]:
    """Return the group and the kind of each CustomResourceDefinition whose objects are in no
    namespace.
    """
    specs = [spec for one in documents if isinstance(spec := one.content.get("spec"), Mapping)]
    return {
        (spec["group"], spec["names"]["kind"]) for spec in specs if spec.get("scope") == "Cluster"
    }


def _warning(composite: Kind, kind: Kind) -> str:
    return (
        f"{composite.kind} is in a namespace and {kind.kind} is not, so Crossplane doesn't let"
        f" {composite.kind} compose {kind.kind}, and the function leaves it out; take the"
        " provider's kinds that are in a namespace, or an XRD with scope: Cluster"
    )


def _resource_names(kinds: Sequence[Kind]) -> list[str]:
    names: list[str] = []
    for kind in kinds:
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", kind.kind).lower()
        names.append(
            name if name not in names else f"{name}-{kind.group.split('.')[0]}-{kind.version}"
        )
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
    return {
        "apiVersion": composite.api_version,
        "kind": composite.kind,
        "metadata": metadata,
        "spec": values,
    }


def _alias(kind: Kind) -> str:
    return f"{kind.kind.lower()}{kind.version}"


def _import(kind: Kind) -> str:
    return f"from .models.{'.'.join(kind.module[:-1])} import {kind.module[-1]} as {_alias(kind)}"


def _untyped(*, has_own_xrd: bool, in_namespace: bool) -> str:
    key, value = ("size", "spec.size") if has_own_xrd else ("composite", "metadata.name")
    body = filled("untyped", key=key, value=value)["body.py"]
    if in_namespace:
        body = re.sub(r".*\.metadata\.namespace = .*\n", "", body)
    return body if has_own_xrd else body.partition("\n    xr.status")[0]


def _typed(kinds: Sequence[Kind], clustered: Container[tuple[str, str]] | None) -> list[str]:
    """Return the lines that compose kinds. With `clustered`, all other kinds need a namespace of
    their own.
    """
    lines = ['ctx.log.debug("composing", extra={"composite": xr.observed.metadata.name})']
    names = _resource_names(kinds)
    for number, (kind, name) in enumerate(zip(kinds, names, strict=True)):
        values = required_values(kind.schema).get("spec")
        variable = re.sub(r"\W", "_", name)
        spec = f"spec={_literal(values, 4)}" if values else ""
        lines += ["", f"{variable} = {_alias(kind)}.{kind.name}({spec})"]
        if clustered is not None and (kind.group, kind.kind) not in clustered:
            lines.append(f'{variable}.metadata.namespace = "default"')
        if number:
            lines.append(f"# Created when {names[0]} is ready.")
        after = f', depends_on=["{names[0]}"]' if number else ""
        lines.append(f'ctx.resource("{name}", {variable}{after})')
    return lines


def _literal(value: Any, indent: int) -> str:
    """Return a value as Python code. A dict or list of 60 characters or more has a line for each
    entry.

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
    return (
        f"{opening}\n"
        + "".join(f"{inside}{part},\n" for part in parts)
        + f"{' ' * indent}{closing}"
    )
