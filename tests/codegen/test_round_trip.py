"""Random instances of schemas go through models and come out as they were: bytes, attributes and plain data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossplane_lite import NULL, Observable
from crossplane_lite._core.base.scalars import EXACT
from crossplane_lite._tools.codegen.definitions import Kind, definitions
from crossplane_lite.model import Model, from_dict, to_dict
from tests.codegen.generated import (
    META,
    THING,
    Classes,
    Package,
    crd,
    needs_data,
    obj,
    output,
    package,
    real_documents,
    real_output,
    thing,
)
from tests.codegen.strategies import Instances, rich_schemas
from tests.models.tables import DATA
from tests.support import call

Json = dict[str, Any]


def same(one: Any, other: Any) -> bool:
    """Say whether two plain values are equal, true and 1 told apart."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def check_read(got: Any, value: Any, reader: Instances, schema: Json, path: str) -> None:
    """Check that what is read, attribute by attribute and item by item, is the value."""
    schema = reader.flat(schema)
    if value is None:
        # In observed state a null is what isn't there (yet).
        assert got is None or got is NULL or isinstance(got, Observable) or plain(got) in ({}, []), path
    elif value == "" and isinstance(got, Observable):
        assert ".status." in path, path  # an empty string there is a missing one
    elif isinstance(value, dict):
        properties = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        if not isinstance(got, Model):
            assert isinstance(got, Mapping), path
            assert set(got) == set(value), path
        for wire, below in value.items():
            field = type(got)._by_wire(wire) if isinstance(got, Model) else None
            if field is not None:
                item = getattr(got, field.name)
            else:
                item = got[wire]
                if isinstance(got, Model) and wire.isidentifier() and not wire.startswith("_"):
                    check_read(getattr(got, wire), below, reader, {}, f"{path}.{wire}")
            inner = properties.get(wire, rest if isinstance(rest, dict) else {})
            check_read(item, below, reader, inner, f"{path}.{wire}")
    elif isinstance(value, list):
        assert len(got) == len(value), path
        for index, below in enumerate(value):
            check_read(got[index], below, reader, schema.get("items", {}), f"{path}[{index}]")
    else:
        assert same(got, value), path
        if isinstance(value, float) and path.startswith("read"):  # what was set in Python stays as it is
            assert type(got) is (int if value.is_integer() and abs(value) <= EXACT else float), path
        else:
            assert type(got) is type(value), path


def plain(value: Any) -> Any:
    """Return what was read as plain data."""
    if isinstance(value, Model):
        return to_dict(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def check(cls: Any, value: Json, reader: Instances, schema: Json) -> None:
    """Take an instance of a kind all ways through a model, and check that it is the same at the end of each.

    Args:
        cls: The class of the kind.
        value: The instance; its metadata has a name, and no empty map.
        reader: Reads the schema.
        schema: The schema of the kind, with the metadata that instances of it have.
    """
    # Plain data through a model and back.
    model = from_dict(cls, value)
    assert same(to_dict(model), value)
    check_read(model, value, reader, schema, "made")
    if not hasattr(model.metadata, "annotations"):  # a list of objects, which can't be composed
        return
    desired = {key: below for key, below in value.items() if key != "status"}  # a composed status is nobody's to set

    copied: dict[str, Any] = {}

    def compose(ctx: Any) -> None:
        ctx.resource("made", from_dict(cls, desired))
        kept = ctx.resource("kept", cls())
        seen = ctx.resource("seen", cls()).observed
        for view in (kept, seen):
            assert same(to_dict(view), value)
            check_read(view, value, reader, schema, "read")
        copied.update(to_dict(seen))
        copied.pop("status", None)

    def compose_copied(ctx: Any) -> None:
        # In a call of its own, because the object has one name.
        ctx.resource("copied", from_dict(cls, copied))

    _, answer = call(compose, observed={"seen": value}, desired={"kept": value})
    assert not answer.fatal, answer.fatal
    assert same(answer.resources["made"], desired)
    assert same(answer.resources["kept"], value)
    _, again = call(compose_copied)
    assert not again.fatal, again.fatal
    assert same(again.resources["copied"], desired)


# --- real definitions --------------------------------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Read the real definitions where their test runs, and not in quick runs: it takes a second."""
    if "kind" in metafunc.fixturenames:
        kinds: dict[tuple[str, str], Kind] = {}
        if DATA.is_dir() and metafunc.config.option.markexpr != "not slow":
            found = definitions(real_documents()).kinds
            kinds = {(kind.api_version, kind.kind): kind for kind in found}
        metafunc.parametrize("kind", kinds.values(), ids=_id)


def _id(kind: Kind) -> str:
    return f"{kind.kind}.{kind.version}.{kind.group or 'core'}"


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """Return the package of the public definitions."""
    return package(tmp_path_factory.mktemp("real"), real_output())


def core_schemas() -> Json:
    """Return the components of core/v1, ObjectMeta among them."""
    (core,) = (one for one in real_documents() if Path(one.where).name == "core_v1.json")
    schemas: Json = core.content["components"]["schemas"]
    return schemas


def instances(kind: Kind) -> tuple[Instances, Json]:
    """Return what makes instances of a kind, and the schema with the metadata that they have."""
    schemas = {**core_schemas(), **(kind.document.schemas if kind.document is not None else {})}
    meta = {"$ref": f"#/components/schemas/{META}ObjectMeta"}
    schema = dict(kind.schema)
    schema["properties"] = {"metadata": meta, **schema["properties"]}
    if kind.document is None:
        schema["properties"]["metadata"] = meta
    head = [{"group": kind.group, "version": kind.version, "kind": kind.kind}]
    schema["x-kubernetes-group-version-kind"] = head
    return Instances(schema, lambda ref: schemas[ref.rpartition("/")[2]]), schema


@pytest.mark.slow
@needs_data
def test_instances_of_real_kinds(real: Package, kind: Kind) -> None:
    """For each kind: random instances are the same after every way through its model."""
    cls = getattr(real.module("/".join(kind.module)), kind.name)
    cls._rules = None  # random instances often lack what the API requires, and are composed here all the same
    reader, schema = instances(kind)

    @settings(max_examples=6, suppress_health_check=list(HealthCheck), database=None)
    @given(reader.strategy())
    def run(value: Json) -> None:
        check(cls, named(value), reader, schema)

    run()


def named(value: Json) -> Json:
    """Return an instance whose metadata is sound, with a name, and without empty annotations, which the harness takes
    for ours.
    """
    if value["kind"].endswith("List"):
        return value
    metadata = {**(value.get("metadata") or {}), "name": "a-name"}
    if not metadata.get("annotations", True):
        del metadata["annotations"]
    return {**value, "metadata": {field: sound(field, below) for field, below in metadata.items()}}


def sound(field: str, value: Any) -> Any:
    """Return a field of metadata as Kubernetes takes it, of the same shape: anything else is refused."""
    if field in ("labels", "annotations") and isinstance(value, dict):
        return {f"example.org/k{at}": f"v{at}" for at, _ in enumerate(value)}
    if field == "finalizers" and isinstance(value, list):
        return [f"example.org/f{at}" for at, _ in enumerate(value)]
    if field == "ownerReferences" and isinstance(value, list):
        known = {"apiVersion": "v1", "kind": "Owner", "name": "owner", "controller": False}
        return [{**(one or {}), **known, "uid": f"u{at}"} for at, one in enumerate(value)]
    return {"namespace": "a-namespace", "generateName": "a-"}.get(field, value) if isinstance(value, str) else value


# --- random definitions ------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(rich_schemas(), st.data())
def test_instances_of_random_schemas(schema: Json, data: st.DataObject) -> None:
    """The same for schemas of all constructs: nullable, open and embedded objects, enums, choices, odd names."""
    schema["properties"] = {"spec": schema["properties"].get("spec", {}), **schema["properties"]}
    cls = Classes(output(crd(schema)).modules[f"{THING}.py"])["Thing"]
    schema["x-kubernetes-group-version-kind"] = [{"group": "example.org", "version": "v1", "kind": "Thing"}]
    schema["properties"]["metadata"] = {"type": "object", "properties": {"name": {"type": "string"}}}
    reader = Instances(schema)
    check(cls, named(data.draw(reader.strategy(), label="instance")), reader, schema)


@settings(max_examples=40)
@given(rich_schemas())
def test_nothing_is_sent_that_is_not_set(schema: Json) -> None:
    """An instance of which nothing is set sends its apiVersion and kind; defaults are the API server's."""
    cls = Classes(output(crd(schema)).modules[f"{THING}.py"])["Thing"]
    _, answer = call(lambda ctx: ctx.resource("one", cls()))
    assert answer.resources["one"] == {"apiVersion": "example.org/v1", "kind": "Thing"}


@pytest.mark.parametrize("keys", [["name"], ["name", "zone"], []])
def test_keys_of_lists_find_the_observed_element(keys: list[str]) -> None:
    """A value that isn't known yet is taken from the observed element of the same keys, wherever it stands there.

    Without keys the elements can't be told apart where their numbers differ, so the observed list stays.
    """
    rules = {"type": "array", "items": obj(name="s", zone="s", value="s", more="i")}
    if keys:
        rules |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys}
    cls = Classes(output(thing(spec=obj(rules=rules), status=obj(id="s"))).modules[f"{THING}.py"])["Thing"]
    found = [{"name": name, "zone": "z", "value": f"of {name}"} for name in "abc"]
    observed = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "n"}, "spec": {"rules": found}}

    def compose(ctx: Any) -> None:
        other = ctx.resource("other", cls())
        rule = {"name": "b", "zone": "z", "more": 1, "value": other.observed.status.id}
        ctx.resource("one", cls(spec={"rules": [rule]}))

    _, answer = call(compose, observed={"one": observed})
    wanted = [{"name": "b", "zone": "z", "more": 1, "value": "of b"}] if keys else found
    assert answer.resources["one"]["spec"]["rules"] == wanted


def test_unknown_fields_of_observed_objects_survive() -> None:
    """What a closed class doesn't know is kept, byte for byte, where a previous function desired it."""
    cls = Classes(output(thing(spec=obj(a="x"))).modules[f"{THING}.py"])["Thing"]
    value = {
        "apiVersion": "example.org/v1",
        "kind": "Thing",
        "metadata": {"name": "n"},
        "spec": {"a": 1, "new": {"x": [1.5, None]}},
        "later": True,
    }

    def compose(ctx: Any) -> None:
        one = ctx.resource("one", cls())
        one.spec.a = 2

    _, answer = call(compose, desired={"one": value})
    assert answer.resources["one"] == {**value, "spec": {"a": 2, "new": {"x": [1.5, None]}}}
