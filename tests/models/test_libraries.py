"""Models as attrs, cattrs and Python's own tools show them."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
import yaml

from crossplane_lite import NULL, Unstructured, composition
from crossplane_lite._core.base.sentinels import UNSET
from crossplane_lite.model import from_dict, to_dict
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import Condition, LabelSelector, ObjectMeta
from crossplane_lite.table import load
from tests.behaviour import samples
from tests.behaviour.models import (
    Bucket,
    ConfigMap,
    ForProvider,
    Renamed,
    Rule,
    Tree,
    VersioningItem,
    XStorageBucket,
)
from tests.support import call, run

PROVIDER = {"location": "US", "labels": {"a": "b"}, "versioning": [{"enabled": True}], "byName": {"c": {"age": 1}}}


def bucket() -> Any:
    """Return a model with lists, maps and models in it."""
    return Bucket(metadata=ObjectMeta(name="b"), spec={"forProvider": PROVIDER})


def test_asdict_reads_every_field() -> None:
    """`attrs.asdict` reads every field, as of any class of attrs; `to_dict` is what gives the fields that are set."""
    assert attrs.asdict(Rule(name="a")) == {"name": "a", "action": None, "age": None}
    assert to_dict(Rule(name="a")) == {"name": "a"}


def test_evolve_and_the_class_are_as_ever() -> None:
    """A model has one class, whoever asks."""
    one = bucket()
    assert one.__class__ is Bucket
    assert attrs.evolve(one.spec.forProvider, location="EU").location == "EU"
    assert isinstance(one, Bucket)
    assert not isinstance(one, Tree)
    assert pickle.loads(pickle.dumps(one)) == one


ORDERS = {
    "cattrs first": "import cattrs\n{models}",
    "models first": "{models}\nimport cattrs",
    "a class first": "{models}\nBucket()\nimport cattrs",
}
MODELS = "from tests.behaviour.models import Bucket, ForProvider, Tree"


@pytest.mark.parametrize(
    "order", [pytest.param(one, marks=() if one == "a class first" else pytest.mark.slow) for one in ORDERS]
)
def test_plain_cattrs_gives_what_is_set(order: str) -> None:
    """`cattrs.unstructure` gives wire names and what is set, in whatever order things are imported; and back."""
    pytest.importorskip("cattrs")
    code = ORDERS[order].format(models=MODELS) + (
        "\nfrom crossplane_lite.model import to_dict\n"
        "one = Bucket(spec={'forProvider': {'location': 'US', 'versioning': [{'enabled': True}]}})\n"
        "tree = Tree(spec={'children': [{'child': {}}]})\n"
        "assert cattrs.unstructure(one) == to_dict(one), cattrs.unstructure(one)\n"
        "assert cattrs.unstructure([tree, {'a': one}]) == [to_dict(tree), {'a': to_dict(one)}]\n"
        "assert cattrs.structure(to_dict(one), Bucket) == one\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_types_of_fields() -> None:
    """`attrs.fields` has the type of each field."""
    found = {field.name: field.type for field in attrs.fields(ForProvider)}
    assert found == {
        **dict.fromkeys(("location", "project", "storageClass"), str),
        **{"labels": dict[str, str], "versioning": list[VersioningItem], "rules": list[Rule], "size": int},
        **{"ratio": float, "public": bool, "port": Any, "extra": Any, "zones": list[str]},
        **{"matrix": list[list[int]], "byName": dict[str, Rule], "anything": dict[str, Any]},
    }
    assert attrs.fields(Bucket).metadata.type is ObjectMeta
    made, _ = load("types_of_fields", {"Holder": "free:o cost:f|s"})
    assert [field.type for field in attrs.fields(made("Holder"))] == [dict[str, Any], Any]


def test_signatures() -> None:
    """`inspect.signature` has the fields with their types, which may all be left out."""
    found = inspect.signature(Rule).parameters
    assert list(found) == ["name", "action", "age"]
    assert {one.kind for one in found.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert {one.default for one in found.values()} == {UNSET}
    assert found["age"].annotation is int
    assert inspect.signature(Bucket).parameters["kind"].default == "Bucket"
    assert list(inspect.signature(Unstructured).parameters) == ["api_version", "kind", "fields"]
    made, _ = load("signatures", {"Open": "* a:s"})
    assert [str(one) for one in inspect.signature(made("Open")).parameters.values()] == [
        "a: str = UNSET",
        "**fields: Any",
    ]


def test_help() -> None:
    """`help` shows the fields with their types, the descriptions of the stub, and where plain data comes from."""
    text = pydoc.render_doc(ForProvider, renderer=pydoc.plaintext)
    for line in ("location: str", "rules: list[Rule]", "byName: dict[str, Rule]", "port: int | str", "extra: Any"):
        assert f" |      {line}\n" in text
    assert "to_dict(model) gives the set fields as plain data" in text
    described = inspect.getdoc(LabelSelector)
    assert described is not None
    assert described.startswith("A query over labels: all of `matchLabels` and of `matchExpressions` must hold.\n")
    assert inspect.getdoc(Condition) != described


def test_descriptions_of_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The descriptions of fields are those that the stub beside the module has."""
    (tmp_path / "described_things.py").write_text(
        "from crossplane_lite.table import load\n\n__getattr__, __dir__ = load(__name__, {'Thing': 'a:s b:[s'})\n"
    )
    (tmp_path / "described_things.pyi").write_text(
        'class Thing(Model):\n    """A thing."""\n\n    a: Leaf[str] = ...\n    """First.\n\n    More of it.\n'
        '    """\n\n'
        "    b: Values[str] = ...\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import importlib

    thing = importlib.import_module("described_things").Thing
    assert inspect.getdoc(thing).startswith(  # type: ignore[union-attr]
        "A thing.\n\nFields:\n    a: str\n        First.\n\n        More of it.\n    b: list[str]\n"
    )


def test_what_a_class_says_of_its_kind() -> None:
    """Group, version, kind and scope are read from the class; the scope is None where the table doesn't tell."""
    table = {"Thing": "@apps.example.org/v1beta1=Other;Cluster a:s", "Pod": "@v1;Namespaced a:s"}
    made, _ = load("kinds_of_classes", table)
    assert made("Thing").kind_info == ("apps.example.org", "v1beta1", "Other", "Cluster")
    assert made("Pod").kind_info == ("", "v1", "Pod", "Namespaced")
    assert made("Pod")().kind_info.scope == "Namespaced"
    assert ConfigMap.kind_info.scope is None
    assert Renamed.kind_info.kind == "RealKind"
    with pytest.raises(AttributeError, match="more than one kind"):
        _ = Unstructured.kind_info


def test_nulls_and_copies_go_through() -> None:
    """An explicit null is kept from plain data to a model, its copies, and back."""
    one = from_dict(ForProvider, {"location": None})
    assert [made.location for made in (one, copy.copy(one), copy.deepcopy(one))] == [NULL] * 3
    assert to_dict(one) == {"location": None}


DUMPS: dict[str, Callable[[Any], str]] = {
    "dump": yaml.dump,
    "safe_dump": yaml.safe_dump,
    "Dumper": lambda value: yaml.dump(value, Dumper=yaml.Dumper),
    "nested": lambda value: yaml.safe_dump({"a": [value]}),
}


@pytest.mark.parametrize("model", [XStorageBucket, Unstructured])
@pytest.mark.parametrize("dump", DUMPS)
def test_pyyaml_writes_plain_data(dump: str, model: type[Any]) -> None:
    """PyYAML writes observed and desired models, lists and maps as it writes dicts and lists."""
    parameters = {"location": "US", "zones": ["x", "y"], "labels": {"a": "b"}, "nested": {"a": "1"}}

    def compose(ctx: Any) -> None:
        spec = ctx.composite(model).observed.spec
        bucket = ctx.resource("bucket", Bucket(spec={"forProvider": {"zones": ["x", "y"], "labels": {"a": "b"}}}))
        provider = bucket.spec.forProvider
        for value, wanted in (
            (spec, {"parameters": parameters}),
            (spec.parameters, parameters),
            (spec.parameters.zones, ["x", "y"]),
            (spec.parameters.labels, {"a": "b"}),
            (provider, {"zones": ["x", "y"], "labels": {"a": "b"}}),
            (provider.zones, ["x", "y"]),
            (provider.labels, {"a": "b"}),
        ):
            assert DUMPS[dump](value) == DUMPS[dump](wanted)

    call(compose, xr=samples.xr(parameters))


def test_pyyaml_writes_nothing_that_is_missing() -> None:
    """What PyYAML writes of an object that isn't observed yet counts as a guess; a missing leaf is an error."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        provider = ctx.resource("source", Bucket()).observed.spec.forProvider
        if "location" in yaml.safe_dump(provider):
            ctx.resource("bucket", Bucket())

    answer = run(compose, observed={"bucket": samples.bucket(ours="step")})
    assert "whether it is still wanted depends on source.spec.forProvider" in answer.fatal[0]


@pytest.mark.slow
def test_a_first_import_of_pyyaml_in_a_call() -> None:
    """Where a call imports PyYAML first, it writes plain data at once."""
    code = """
import sys
from crossplane_lite import Unstructured, composition, testing

@composition.function(name="step")
def compose(ctx):
    import yaml
    xr = ctx.composite(Unstructured)
    xr.status.text = yaml.dump(xr.observed.spec.zones)

sys.modules.pop("yaml", None), sys.modules.pop("yaml.representer", None)
request = testing.request({"apiVersion": "example.org/v1", "kind": "X", "spec": {"zones": ["a"]}})
for _ in range(2):
    answer = testing.run(compose, request)
    print(answer.fatal, answer.composite.get("status"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[] {'text': '- a\\n'}"] * 2
