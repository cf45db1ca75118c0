"""Unstructured resources: the same contract without a generated class (design section 3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite.errors import UsageError
from tests.behaviour import samples
from tests.behaviour.helpers import path
from tests.behaviour.models import Bucket
from tests.support import call, run


@pytest.mark.parametrize(
    ("head", "named"),
    [(("", "A"), "api_version"), (("v1", ""), "kind"), (("v1", None), "kind"), ((1, "A"), "api_version")],
)
def test_unstructured_needs_a_kind(head: Any, named: str) -> None:
    """An apiVersion or a kind that is empty, or no string, is refused, naming it."""
    with pytest.raises(UsageError, match=f"^Unstructured: '{named}' must be a string that isn't empty"):
        Unstructured(*head)


@pytest.mark.parametrize(
    ("cls", "code"), [(Unstructured, r"Unstructured\(apiVersion, kind\)"), (Bucket, r"Bucket\(\)")]
)
def test_a_class_instead_of_a_resource(cls: Any, code: str) -> None:
    """Who registers a class is shown how one of it is made."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match=rf"\(got the class {cls.__name__}; make one: {code}"):
            ctx.resource("a", cls)

    call(compose)


def test_unstructured_sets_any_path() -> None:
    """Any attribute path of an Unstructured can be set, and is emitted with its apiVersion and kind."""

    def compose(ctx: Any) -> None:
        thing = Unstructured("v1", "ConfigMap")
        thing.metadata.labels["app"] = "x"
        thing.data.key = "value"
        thing = ctx.resource("thing", thing)
        thing.spec.deep.er.number = 3
        thing.spec.items = [1, {"a": "b"}]
        assert thing.data.key == "value"
        assert thing.spec.deep.er.number == 3

    _, answer = call(compose)
    assert answer.resources["thing"] == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"labels": {"app": "x"}},
        "data": {"key": "value"},
        "spec": {"deep": {"er": {"number": 3}}, "items": [1, {"a": "b"}]},
    }


def test_unstructured_reading_an_unset_path_sets_nothing() -> None:
    """Reading unset paths of an Unstructured doesn't raise and emits nothing."""

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("example.org/v1", "Thing"))
        _ = thing.spec.a.b.c
        _ = thing.metadata.labels

    _, answer = call(compose)
    assert answer.resources["thing"] == {"apiVersion": "example.org/v1", "kind": "Thing"}


def test_unstructured_observed_reads_values_and_observables() -> None:
    """An Unstructured's observed state reads values where they are, Observables elsewhere."""

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("example.org/v1", "Thing"))
        assert thing.observed.status.ports[0].port == 80
        assert thing.observed.spec.name == "n"
        absent = ctx.resource("absent", Unstructured("example.org/v1", "Thing"))
        user = ctx.resource("user", Unstructured("example.org/v1", "User"))
        user.spec.ref = absent.observed.status.address.ip
        assert path(user.spec.ref) == "absent.status.address.ip"

    existing = {
        "apiVersion": "example.org/v1",
        "kind": "Thing",
        "spec": {"name": "n"},
        "status": {"ports": [{"port": 80}]},
    }
    _, answer = call(compose, observed={"thing": existing})
    assert sorted(answer.resources) == ["absent", "thing"]


def test_unstructured_as_the_composite() -> None:
    """The composite may be Unstructured: its observed spec reads, its status can be set."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        assert xr.observed.spec.parameters.location == "US"
        xr.status.bucketName = "b"

    _, answer = call(compose, xr=samples.xr({"location": "US"}))
    assert answer.composite["status"] == {"bucketName": "b"}


def test_unstructured_lies_over_earlier_desired_state() -> None:
    """An Unstructured merges with the earlier desired resource of its name like a typed model."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC"))
        assert vpc.spec.forProvider.region == "us-east-1"
        vpc.spec.forProvider.project = "p"

    _, answer = call(compose, desired={"vpc": samples.vpc({"region": "us-east-1"})})
    assert answer.resources["vpc"] == samples.vpc({"region": "us-east-1", "project": "p"})


# --- names that Python, the package or a resource use themselves --------------------------------------------------

ODD_NAMES = {"__init__.py": "x", "__class__": "c", "_node": "n", "name": "d", "observed": "o", "a-b/c.d": "e", "": "f"}


def test_any_key_can_be_in_an_objects_data() -> None:
    """Keys that Python or the package use for themselves are keys like others, in constructors and assignments."""

    def compose(ctx: Any) -> None:
        ctx.resource("made", Unstructured("v1", "ConfigMap", data=ODD_NAMES))
        ctx.resource("assigned", Unstructured("v1", "ConfigMap")).data = ODD_NAMES
        item = ctx.resource("item", Unstructured("v1", "ConfigMap"))
        for key, value in ODD_NAMES.items():
            item.data[key] = value
            assert item.data[key] == value
            assert key in item.data

    _, answer = call(compose)
    for name in ("made", "assigned", "item"):
        assert answer.resources[name]["data"] == ODD_NAMES


def test_any_key_can_be_read_and_copied_from_observed_data() -> None:
    """The same keys can be read from observed state by item, and come along in a copy."""

    def compose(ctx: Any) -> None:
        config = ctx.resource("config", Unstructured("v1", "ConfigMap"))
        for key, value in ODD_NAMES.items():
            assert config.observed.data[key] == value
            assert key in config.observed.data
        ctx.resource("copy", Unstructured("v1", "ConfigMap")).data = config.observed.data
        ctx.resource("made", Unstructured("v1", "ConfigMap", data=config.observed.data))
        ctx.resource("typed", Bucket()).spec.forProvider.extra = {"at": config.observed.data}

    config = {"apiVersion": "v1", "kind": "ConfigMap", "data": ODD_NAMES}
    _, answer = call(compose, observed={"config": config})
    for name in ("copy", "made"):
        assert answer.resources[name]["data"] == ODD_NAMES
    assert answer.resources["typed"]["spec"]["forProvider"]["extra"] == {"at": ODD_NAMES}


def test_odd_keys_of_an_unobserved_resource_are_waited_for() -> None:
    """An odd key of data that isn't there yet is a dependency like any other."""

    def compose(ctx: Any) -> None:
        config = ctx.resource("config", Unstructured("v1", "ConfigMap"))
        ctx.resource("user", Unstructured("v1", "User")).spec.ref = config.observed.data["__init__.py"]

    _, answer = call(compose)
    assert list(answer.resources) == ["config"]
    assert "__init__.py" in answer.conditions["DependenciesResolved"][2]


def test_odd_keys_are_inherited_and_deleted() -> None:
    """Odd keys that a previous function set read by item and can be deleted."""

    def compose(ctx: Any) -> None:
        config = ctx.resource("config", Unstructured("v1", "ConfigMap"))
        assert config.data["__init__.py"] == "x"
        del config.data["__class__"]
        config.data["name"] = "new"

    config = {"apiVersion": "v1", "kind": "ConfigMap", "data": ODD_NAMES}
    _, answer = call(compose, desired={"config": config})
    expected = {key: value for key, value in ODD_NAMES.items() if key != "__class__"} | {"name": "new"}
    assert answer.resources["config"]["data"] == expected


def test_item_access_on_the_resource_is_about_fields() -> None:
    """Item access on an Unstructured sets and reads fields, also where an attribute of that name is the package's."""

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        for name in ("name", "ready", "observed", "connection_details", "external_name", "condition"):
            thing[name] = f"the {name}"
            assert thing[name] == f"the {name}"
        thing["spec"] = {"a": 1}
        assert thing.name == "thing"
        assert thing.ready is None
        thing.ready = True

    _, answer = call(compose)
    assert answer.resources["thing"] == {
        "apiVersion": "v1",
        "kind": "Thing",
        "spec": {"a": 1},
        **{n: f"the {n}" for n in ("name", "ready", "observed", "connection_details", "external_name", "condition")},
    }
    assert answer.ready == {"thing": True}


def test_an_object_without_a_schema_is_a_collection_of_its_keys() -> None:
    """Iteration, list(), sorted() and len() of an object without a schema give its keys."""

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing", spec={"b": 1, "a": 2}))
        assert {key for key in thing.spec} == {"a", "b"}  # noqa: C416
        assert sorted(thing.spec) == ["a", "b"]
        assert list(thing.spec) == ["b", "a"]
        assert len(thing.spec) == 2
        assert sorted(thing.observed.spec) == ["c"]
        assert len(thing.observed.spec) == 1

    call(compose, observed={"thing": {"apiVersion": "v1", "kind": "Thing", "spec": {"c": 3}}})


# --- text --------------------------------------------------------------------------------------------------------

TEXTS: dict[str, Callable[[Any], str]] = {
    "f-string": lambda value: f"x-{value}",
    "f-string with a spec": lambda value: f"{value:>10}",
    "str": str,
    "format": "x-{}".format,
    "%": lambda value: "x-%s" % value,  # noqa: UP031
    "nested": lambda value: f"{value.deeper.still}",
}


@pytest.mark.parametrize("text", TEXTS)
def test_text_of_a_field_that_is_not_set_is_an_error(text: str) -> None:
    """A field of the composite's spec that the user left out can't become text, and the error names it."""

    @composition.function
    def compose(ctx: Any) -> None:
        region = ctx.composite(Unstructured).observed.spec.region
        ctx.resource("bucket", Bucket()).spec.forProvider.location = TEXTS[text](region)

    answer = run(compose, xr=samples.xr({"location": "US"}))
    assert len(answer.fatal) == 1
    assert "xr.spec.region" in answer.fatal[0]
    assert "DynamicModel" not in answer.fatal[0]
    assert not answer.resources

    def caught(ctx: Any) -> None:
        with pytest.raises(UsageError, match=r"xr\.spec\.region"):
            TEXTS[text](ctx.composite(Unstructured).observed.spec.region)

    call(caught, xr=samples.xr({"location": "US"}))


@pytest.mark.parametrize("text", TEXTS)
def test_text_of_a_desired_field_that_is_not_set_is_an_error(text: str) -> None:
    """The same for a field of desired state that nobody has set."""

    @composition.function
    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        thing.spec.copy = TEXTS[text](thing.spec.region)

    answer = run(compose)
    assert "spec.region" in answer.fatal[0]
    assert "DynamicModel" not in answer.fatal[0]


def test_text_of_a_field_that_is_set() -> None:
    """A set field makes text as usual."""

    def compose(ctx: Any) -> None:
        spec = ctx.composite(Unstructured).observed.spec
        ctx.resource("bucket", Bucket()).spec.forProvider.location = f"x-{spec.parameters.location}"

    _, answer = call(compose, xr=samples.xr({"location": "US"}))
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"location": "x-US"}


def test_an_open_class_has_the_fields_that_python_probes_for() -> None:
    """A field of the schema is a field, also where its name begins as the ones that notebooks ask objects for."""
    from crossplane_lite.table import load

    get, _ = load("probed", {"Odd": "* _repr_x:s _ipython_y:s"})
    odd = get("Odd")()
    assert odd._repr_x is None
    odd._ipython_y = "a"
    assert odd._ipython_y == "a"
    with pytest.raises(AttributeError, match="_repr_html_"):
        _ = odd._repr_html_


@pytest.mark.parametrize("as_text", [False, True])
def test_keys_that_are_not_known_yet(as_text: bool) -> None:
    """An Observable as a key of an object without a schema is awaited, like the text that is made from one."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Unstructured("example.org/v1", "Bucket"))
        key: Any = bucket.observed.status.id
        key = str(key) if as_text else key
        ctx.resource("made", Unstructured("example.org/v1", "Thing", spec={"labels": {key: "x"}}))
        ctx.resource("set", Unstructured("example.org/v1", "Thing")).spec.labels[key] = "x"
        read = ctx.resources["set"].spec.labels
        assert read[key] == "x"
        read["other"] = "y"
        ctx.resource("deleted", Unstructured("example.org/v1", "Thing")).spec.labels[key] = "x"
        del ctx.resources["deleted"].spec.labels[key]

    bucket = {"apiVersion": "example.org/v1", "kind": "Bucket"}
    _, answer = call(compose)
    assert sorted(answer.resources) == ["bucket", "deleted"]
    message = answer.conditions["DependenciesResolved"][2]
    assert message.partition(": ")[2] == "; ".join(
        f"{name} waits for bucket.status.id (bucket isn't observed yet)" for name in ("made", "set")
    )
    _, answer = call(compose, observed={"bucket": {**bucket, "status": {"id": "i-1"}}})
    assert answer.resources["made"]["spec"] == {"labels": {"i-1": "x"}}
    assert answer.resources["set"]["spec"] == {"labels": {"i-1": "x", "other": "y"}}


def test_what_an_existing_object_keeps_of_keys_that_are_not_known_yet() -> None:
    """While a key has no value, an object that exists keeps the keys that it has."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Unstructured("example.org/v1", "Bucket"))
        labels = {bucket.observed.status.id: "x", "a": "b"}
        ctx.resource("thing", Unstructured("example.org/v1", "Thing", spec={"labels": labels}))

    thing = {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {"labels": {"i-1": "x"}}}
    _, answer = call(compose, observed={"thing": thing})
    assert not answer.fatal
    assert answer.resources["thing"]["spec"] == {"labels": {"i-1": "x", "a": "b"}}


def test_a_field_that_is_left_out_equals_none() -> None:
    """What the user left out equals None, also inside of a collection, and isn't equal to anything else."""

    def compose(ctx: Any) -> None:
        spec = ctx.composite(Unstructured).observed.spec
        assert spec.missing == None  # noqa: E711
        assert not spec.missing != None  # noqa: E711
        assert spec.missing.deeper in (None, "")
        assert spec.missing not in ("", 0, False)
        assert spec.parameters != None  # noqa: E711
        bucket = ctx.resource("bucket", Unstructured("v1", "Bucket"))
        assert bucket.spec.x == None  # noqa: E711
        assert bucket.observed.spec.x != None  # noqa: E711  # it may still come

    call(compose, xr=samples.xr({"location": "US"}))


LEFT_OUT: dict[str, tuple[Callable[[Any], object], str]] = {
    "key": (lambda value: {"s": 1}.get(value, 2), "be a key; give a default, as in (... or '')"),
    "set": (lambda value: {value}, "be a key; give a default, as in (... or '')"),
    "<": (lambda value: value < 1, "be compared; give a default, as in (... or 0)"),
    "<=": (lambda value: value <= 1.5, "be compared; give a default, as in (... or 0)"),
    ">": (lambda value: value > "a", "be compared; give a default, as in (... or '')"),
    ">=": (lambda value: value >= 1, "be compared; give a default, as in (... or 0)"),
    "reversed": (lambda value: 1 < value, "be compared; give a default, as in (... or 0)"),
    "int": (int, "become a number; give a default, as in (... or 0)"),
    "float": (float, "become a number; give a default, as in (... or 0)"),
}


@pytest.mark.parametrize("use", LEFT_OUT)
def test_uses_of_a_field_that_is_left_out(use: str) -> None:
    """An error names the field that the user left out, and what to write; for an object it is Python's own."""
    fails, problem = LEFT_OUT[use]

    def compose(ctx: Any) -> None:
        spec = ctx.composite(Unstructured).observed.spec
        with pytest.raises(TypeError):
            fails(spec.parameters)
        fails(spec.parameters.missing)

    with pytest.raises(UsageError, match=re.escape(f"xr.spec.parameters.missing isn't set, so it can't {problem}")):
        call(compose)


def test_an_object_in_the_place_of_a_map() -> None:
    """An object without a schema can be set where a class has a map; its items are checked as those of a dict."""

    def compose(ctx: Any) -> None:
        parameters = ctx.composite(Unstructured).observed.spec.parameters
        bucket = ctx.resource("bucket", Bucket(spec={"forProvider": {"labels": parameters.labels}}))
        bucket.metadata.labels = parameters.labels
        bucket.spec.initProvider.labels = parameters.missing
        bucket.spec.forProvider.labels["own"] = "x"
        with pytest.raises(UsageError, match="labels.n: must be a string"):
            bucket.spec.initProvider.labels = parameters.numbers

    _, answer = call(compose, xr=samples.xr({"labels": {"a": "b"}, "numbers": {"n": 1}}))
    assert answer.resources["bucket"]["metadata"]["labels"] == {"a": "b"}
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"labels": {"a": "b", "own": "x"}}


@pytest.mark.parametrize(
    ("api_version", "kind"), [("VPC", "ec2.aws.upbound.io/v1beta1"), ("ConfigMap", "v1"), ("v1", "apps.Deployment")]
)
def test_arguments_in_the_wrong_order(api_version: str, kind: str) -> None:
    """A kind in the place of an apiVersion is an error that says the order; real kinds are all taken."""
    with pytest.raises(
        UsageError, match=re.escape(f"then the kind, such as 'Deployment' (got {api_version!r}, {kind!r})")
    ):
        Unstructured(api_version, kind)
    for one in (("v1", "ConfigMap"), ("a.b.example.org/v1alpha1", "S3Bucket"), ("x1/v2", "x")):
        assert (Unstructured(*one).apiVersion, Unstructured(*one).kind) == one
