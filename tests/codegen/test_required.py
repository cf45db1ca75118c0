"""Required fields and rules of real kinds are in their models, and what lacks one is told before Crossplane gets it."""

from __future__ import annotations

import ast
import copy
import functools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite._core.paths.schema import Schema
from crossplane_lite._core.paths.text import show
from crossplane_lite._core.resources.table import MARKS
from crossplane_lite._tools.codegen.definitions import Kind, definitions
from crossplane_lite._tools.codegen.generate import generate, select
from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.manifests.yaml import Document, load_documents
from crossplane_lite._tools.simulate.values import Target, required_values, value_for
from crossplane_lite.model import from_dict
from tests.codegen.generated import Package, crd, needs_data, obj, output, package, stub_classes, table
from tests.models.tables import DATA
from tests.support import run

Json = dict[str, Any]
Steps = tuple["str | int", ...]

FOLDERS = [DATA / "crds", DATA / "openapi", DATA.parent / "cluster" / "crds"]
UPJET = (
    "!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies)"
    " || has(self.forProvider.{0}) || (has(self.initProvider) && has(self.initProvider.{0}))"
)


def words(text: str) -> set[str]:
    """Return the words with rules in a class's text."""
    return {word for word in text.split(" ") if word[:1] and word[0] in MARKS}


@functools.lru_cache(maxsize=1)
def real_kinds() -> list[Kind]:
    """Return the kinds of all definitions that are there, all versions of them."""
    documents: list[Document] = []
    for path in sorted(path for folder in FOLDERS for path in folder.glob("*.*")):
        if path.suffix == ".json":
            documents.append(Document(str(path), json.loads(path.read_text())))
        else:
            documents += load_documents(path)
    return select(definitions(documents).kinds, "all")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """Return the generated package of all real kinds."""
    return package(tmp_path_factory.mktemp("required"), generate(real_kinds()))


def without_empty_defaults(schema: Any) -> Any:
    """Return a schema without empty defaults, which mean nothing in Kubernetes' own kinds."""
    if isinstance(schema, list):
        return [without_empty_defaults(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: without_empty_defaults(one)
        for key, one in schema.items()
        if key != "default" or isinstance(one, (dict, list)) and "properties" in one or one
    }


def grow(schema: Schema, data: Json, depth: int = 3) -> None:
    """Add the optional objects and lists of objects to an object, each with as little as is right."""
    for name, below in schema.properties.items() if depth else ():
        inner = below.merged()
        items = inner.items.merged() if inner.items is not None else inner
        if name not in ("status", "metadata") and items.code() == "N":
            made = data.setdefault(name, {}) if inner is items else required_values(items.source)
            if inner is items:
                made.update({**required_values(items.source), **made})
            else:
                data[name] = [made]
            grow(items, made, depth - 1)


def example(kind: Kind, schema: Json) -> Json:
    """Return a resource of a kind with as little as is right, but with all parameters of upjet's."""
    data = {**required_values(schema), "apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "a"}}
    grow(Schema({**schema, "properties": {k: v for k, v in schema["properties"].items() if k not in data}}), data)
    data.pop("status", None)
    spec = Schema(schema).field("spec")
    for name in spec.parameters if spec is not None else ():
        field = spec and spec.at(["forProvider", name])
        assert field is not None
        value = value_for(field.source, Target(kind.api_version, kind.kind, "a"), ["spec", "forProvider", name]).value
        data["spec"].setdefault("forProvider", {})[name] = value
    return data


def required_in(schema: Schema, data: Any, steps: Steps = ()) -> Iterator[Steps]:
    """Yield the path of each required field that plain data has."""
    schema = schema.merged()
    if schema.code() == "o":  # an object of any kind has no class of its own
        return
    for step, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        below = schema.below(step)
        if below is not None and not (steps == () and step in ("apiVersion", "kind", "metadata", "status")):
            if step in schema.required and below.default is None:
                yield (*steps, step)
            yield from required_in(below, value, (*steps, step))
    if steps == ("spec",):
        yield from (("spec", "forProvider", name) for name in schema.parameters)


def told(cls: Any, data: Json) -> list[str]:
    """Return the paths in the fatal results of a function that composes a resource."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource("one", from_dict(cls, data))

    return [text.partition(":")[0].removeprefix("one.") for text in run(compose).fatal]


@pytest.mark.slow  # models of all definitions
@needs_data
@pytest.mark.filterwarnings("ignore")
def test_each_required_field_of_real_kinds(made: Package) -> None:
    """Each required field of a real kind that is left out is told; a resource that has all is emitted."""
    found = Schemas(FOLDERS)
    seen: dict[tuple[str, str], int] = {}
    for kind in real_kinds():
        schema = found.find(kind.api_version, kind.kind)
        cls = getattr(made.module("/".join(kind.module)), kind.name)
        if schema is None or "items" in schema["properties"]:  # a list of resources isn't composed
            continue
        if kind.document is not None:
            schema = without_empty_defaults(schema)
        data = example(kind, schema)
        assert told(cls, data) == [], kind
        for steps in list(required_in(Schema(schema), data))[:20]:
            less = copy.deepcopy(data)
            holder = less
            for step in steps[:-1]:
                holder = holder[step]
            del holder[steps[-1]]
            assert show(steps) in told(cls, less), (kind.api_version, kind.kind, steps)
            seen[kind.api_version, kind.kind] = seen.get((kind.api_version, kind.kind), 0) + 1
    assert len(seen) >= 65


def test_what_the_table_says() -> None:
    """A table has the required fields without a default, upjet's parameters, choices and limits, and ways to them."""
    made = output(
        crd(
            {
                "type": "object",
                "required": ["spec"],
                "properties": {
                    "spec": {
                        **obj(
                            forProvider=obj(zone="s", **{"from": "s"}),
                            other=obj(a="s"),
                            rules={
                                "type": "array",
                                "minItems": 1,
                                "maxItems": 3,
                                "items": {
                                    **obj(port={"type": "integer", "minimum": 1}, kind={"enum": ["a b", "c"]}),
                                    "required": ["kind"],
                                },
                            },
                        ),
                        "required": ["rules", "plain"],
                        "x-kubernetes-validations": [
                            {"rule": UPJET.format("zone")},
                            {"rule": UPJET.format("from")},
                            {"rule": "self.a"},
                        ],
                    },
                    "status": {**obj(a="s"), "required": ["a"]},
                },
            }
        )
    )
    found = {name: words(text) for name, text in table(made.modules["org/example/thing/v1.py"]).items()}
    assert found["Thing"] == {"!spec", ">spec"}
    assert found["Other"] == found["ThingStatus"] == set()
    assert found["RulesItem"] == {"!kind", "&kind=a%20b,c", "&port~1.."}
    assert found["ThingSpec"] == {"!rules", ">rules", "?from_,zone", "&rules^1..3"}


def test_the_stub_says_required() -> None:
    """The stub says of required fields and of upjet's parameters that they are required."""
    spec = {**obj(forProvider=obj(zone="s", other="s")), "x-kubernetes-validations": [{"rule": UPJET.format("zone")}]}
    made = output(crd({**obj(), "properties": {"spec": spec}, "required": ["spec"]}))
    classes = stub_classes(made.stubs["org/example/thing/v1.pyi"])
    required = {
        (name, node.target.id)
        for name, cls in classes.items()
        for node, doc in zip(cls.body, cls.body[1:], strict=False)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and "Required." in ast.unparse(doc)
    }
    assert required == {("Thing", "spec"), ("ForProvider", "zone")}


def test_classes_that_are_shared() -> None:
    """A class of several places has only the rules that all of them have."""
    one, other = obj(a="s", b="s"), {**obj(a="s", b="s"), "required": ["a"]}
    made = output(
        crd({**obj(spec=obj(x=obj(rule=other), y=obj(rule={**one, "required": ["a", "b"]}))), "required": ["spec"]})
    )
    assert words(table(made.modules["org/example/thing/v1.py"])["Rule"]) == {"!a"}
