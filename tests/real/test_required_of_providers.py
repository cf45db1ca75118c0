"""Required fields of the kinds of real providers, and the providers' own examples, beside the definitions they install.

The Go module proxy gives the providers' sources.
"""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite._tools.codegen.definitions import Kind, definitions
from crossplane_lite._tools.codegen.generate import generate, select
from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.manifests.yaml import Document, load_documents
from crossplane_lite.errors import InputError, UnknownFieldError
from crossplane_lite.model import from_dict
from tests.codegen.generated import Package, package
from tests.codegen.test_required import example, told

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

PROVIDERS = (
    "github.com/crossplane-contrib/provider-aws@v0.50.0",
    "github.com/crossplane-contrib/provider-kubernetes@v1.0.0",
)
# Examples that the API server refuses or prunes, and why: a field that the definition doesn't have, or one it requires.
MISTAKES = {
    ("certificate.yaml", "Certificate"): "certificateTransparencyLoggingPreference",
    ("distribution-custom-origin.yaml", "Distribution"): "quantity",
    ("environment.yaml", "Environment"): "securityGroupIDRefs",
    ("vpcendpoint.yaml", "VPCEndpoint"): "subnetIdRefss",
    ("db-aurora-globalcluster-full.yaml", "DBCluster"): "writeConnectionSecretToRef.namespace",
    ("vault.yaml", "StoreConfig"): "vault",
}
XR = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "x"}}


class Source:
    """The definitions and examples of the providers, and the models that are generated from them.

    Attributes:
        files: The file of each definition, by group and kind.
        kinds: All versions of all kinds.
        schemas: Their schemas.
        models: Their generated package.
        examples: The documents of the examples, each with its file's name.
    """

    def __init__(self, folders: list[Path], target: Path) -> None:
        self.files: dict[tuple[str, str], Path] = {}
        documents: list[Document] = []
        for path in sorted(path for folder in folders for path in (folder / "package" / "crds").glob("*.yaml")):
            for document in load_documents(path):
                content: Any = document.content
                self.files[content["spec"]["group"], content["spec"]["names"]["kind"]] = path
                documents.append(document)
        self.kinds = select(definitions(documents).kinds, "all")
        self.schemas = Schemas([folder / "package" / "crds" for folder in folders])
        self.models: Package = package(target, generate(self.kinds))
        self.examples = [*_examples(folders)]

    def model(self, kind: Kind) -> Any:
        """Return the generated class of a kind."""
        return getattr(self.models.module("/".join(kind.module)), kind.name)


def _examples(folders: list[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(path for folder in folders for path in (folder / "examples").rglob("*.yaml")):
        try:
            documents = load_documents(path)
        except InputError:  # a template
            continue
        yield from ((path.name, one.content) for one in documents if "apiVersion" in one.content)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """What the module proxy gives of the providers."""
    if shutil.which("go") is None:
        pytest.skip("the providers come from Go's module proxy, and Go is not installed")
    folder = tmp_path_factory.mktemp("providers")
    command = ["go", "mod", "download", "-json", *PROVIDERS]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"the providers can't be downloaded: {done.stdout}{done.stderr}"
    found, at, decoder = [], 0, json.JSONDecoder()
    while at < len(done.stdout.rstrip()):
        one, at = decoder.raw_decode(done.stdout, at)
        at += 1  # the line's end
        found.append(Path(one["Dir"]))
    return Source(found, folder / "models")


def required_of(schema: dict[str, Any], steps: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the fields that a kind requires, down to those of required objects, as the definition has it.

    This reads the definition without the code that is tested.
    """
    for name in schema.get("required", ()):
        below = schema["properties"][name]
        if "default" not in below:
            yield (*steps, name)
            yield from required_of(below, (*steps, name))


def without(data: dict[str, Any], steps: tuple[str, ...]) -> dict[str, Any]:
    """Return a copy of a resource that lacks one field."""
    less = copy.deepcopy(data)
    holder = less
    for step in steps[:-1]:
        holder = holder[step]
    del holder[steps[-1]]
    return less


def test_each_kind_without_a_required_field(source: Source) -> None:
    """What lacks a required field is told by emission with a class, and by a preview without; what has all isn't."""
    seen, fields = set(), 0
    for kind in source.kinds:
        schema = source.schemas.find(kind.api_version, kind.kind)
        assert schema is not None
        data, model = example(kind, schema), source.model(kind)
        assert told(model, data) == [], kind
        file = str(source.files[kind.api_version.partition("/")[0], kind.kind])

        @composition.function(name="step")
        def compose(ctx: Any) -> None:
            content = ctx.context["content"]
            head = {"api_version": content.pop("apiVersion"), "kind": content.pop("kind")}
            ctx.resource("one", Unstructured(**head, **content))

        testing.render(XR, compose, context={"content": data}, crds=[file])
        for at, steps in enumerate(required_of(schema)):
            less = without(data, steps)
            is_embedded = "manifest" in steps[:-1]  # an object of any kind has no class, so only previews know it
            assert is_embedded or ".".join(steps) in told(model, less), (kind, steps)
            if at == 0 or is_embedded:
                with pytest.raises(testing.InvalidResourceError, match=rf"{steps[-1]}: is required"):
                    testing.render(XR, compose, context={"content": less}, crds=[file])
            fields += 1
            seen.add((kind.api_version, kind.kind))
    assert len(seen) >= 100
    assert fields >= 300


def test_the_providers_own_examples(source: Source) -> None:
    """No example is refused but for a mistake in it: a misspelt field, or one that its definition requires."""
    models = {(kind.api_version, kind.kind): kind for kind in source.kinds}
    checked, mistaken = 0, set()
    for file, content in source.examples:
        kind = models.get((content["apiVersion"], content["kind"]))
        if kind is None:
            continue
        checked += 1
        name = MISTAKES.get((file, kind.kind))
        try:
            from_dict(source.model(kind), content)
        except UnknownFieldError as error:
            assert name is not None and name in str(error), (file, error)
            mistaken.add((file, kind.kind))
            continue
        found = told(source.model(kind), content)
        if found:
            assert name is not None and any(name in one for one in found), (file, found)
            mistaken.add((file, kind.kind))
    assert checked >= 300
    assert mistaken == set(MISTAKES)
