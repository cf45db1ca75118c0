"""Objects of Crossplane in the documentation, and in new projects, beside the definitions that Crossplane installs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite.cli import main
from crossplane_lite.schemas import errors_in
from tests.docs.blocks import blocks, pages
from tests.real import engine
from tests.wheels import ROOT

pytestmark = [pytest.mark.real, pytest.mark.slow]


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that a text in YAML has, if it is in YAML."""
    try:
        documents = list(pyyaml.safe_load_all(text))
    except pyyaml.YAMLError:
        return
    for document in documents:
        if isinstance(document, dict) and {"apiVersion", "kind", "metadata"} <= document.keys():
            yield document


@pytest.fixture(scope="module")
def schemas() -> Schemas:
    """The schemas of Crossplane's own kinds."""
    return Schemas(engine.definitions())


def problems(schemas: Schemas, found: Iterator[dict[str, Any]]) -> tuple[int, list[str]]:
    """Return how many objects were of Crossplane's kinds, and what is wrong with them."""
    checked, wrong = 0, []
    for one in found:
        schema = schemas.find(one["apiVersion"], one["kind"])
        if schema is not None:
            checked += 1
            wrong += [f"{one['kind']} {one['metadata'].get('name')}: {error}" for error in errors_in(one, schema)]
    return checked, wrong


def test_pages(schemas: Schemas) -> None:
    """Every whole object of a kind of Crossplane's in the documentation is right."""
    found = itertools.chain.from_iterable(objects_in(block.text) for page in pages() for block in blocks(page))
    checked, wrong = problems(schemas, found)
    assert wrong == []
    assert checked >= 8


@pytest.mark.parametrize("template", ["composition", "operation"])
def test_new_projects(schemas: Schemas, template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every object of a kind of Crossplane's in a new project is right."""
    monkeypatch.chdir(tmp_path)
    assert main(["init", "net", "--template", template, "--sdk-from", "0.1.0"]) == 0
    files = [path for path in sorted(Path("net").rglob("*.yaml")) if not path.is_relative_to("net/.github")]
    checked, wrong = problems(
        schemas, itertools.chain.from_iterable(objects_in(path.read_text(encoding="utf-8")) for path in files)
    )
    assert wrong == []
    assert checked >= 3


def test_what_the_recipe_asks_for(schemas: Schemas) -> None:
    """A function's revision says which Secret has the certificates, under the name that the documentation reads."""
    schema = schemas.find("pkg.crossplane.io/v1", "FunctionRevision")
    assert schema is not None
    name = "tlsServerSecretName"
    assert schema["properties"]["status"]["properties"][name]["type"] == "string"
    assert f".status.{name}}}" in (ROOT / "docs" / "how-to" / "develop.rst").read_text(encoding="utf-8")
