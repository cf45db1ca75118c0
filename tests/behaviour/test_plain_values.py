"""Models, NULL and UNSET inside plain data: fields of any JSON value, context and output (design section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import NULL, UNSET, Unstructured, composition
from crossplane_lite.errors import UsageError
from crossplane_lite.model import to_dict
from tests.behaviour import samples
from tests.behaviour.helpers import emitted, path, provider_of
from tests.behaviour.models import (
    VPC,
    AtProvider,
    Branch,
    Bucket,
    BucketSpec,
    ForProvider,
    Owner,
    Rule,
    VPCForProvider,
    VPCSpec,
    XStorageBucket,
)
from tests.support import call, run

VPC_STATUS = {"vpcId": "v", "isDefault": False, "subnets": [{"id": "s"}]}
OBSERVED = {"vpc": samples.vpc({"region": "r", "tags": {"a": "b"}}, status=VPC_STATUS, external_name="e")}


def _in_constructor(ctx: Any, value: Any) -> None:
    ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra=value))))


def _assigned(ctx: Any, value: Any) -> None:
    ctx.resource("bucket", Bucket()).spec.forProvider.extra = value


def _in_unstructured(ctx: Any, value: Any) -> None:
    thing = ctx.resource("bucket", Unstructured("v1", "Thing"))
    thing.spec.forProvider.extra = value


def _in_unstructured_constructor(ctx: Any, value: Any) -> None:
    ctx.resource("bucket", Unstructured("v1", "Thing", spec={"forProvider": {"extra": value}}))


def _in_context(ctx: Any, value: Any) -> None:
    ctx.context["key"] = value


def _in_known_context(ctx: Any, value: Any) -> None:
    ctx.context["earlier"]["key"] = value


def _in_output(ctx: Any, value: Any) -> None:
    ctx.output["key"] = value


PLACES: dict[str, tuple[Callable[[Any, Any], None], Callable[[Any], Any]]] = {
    "constructor": (_in_constructor, lambda answer: provider_of(answer)["extra"]),
    "assignment": (_assigned, lambda answer: provider_of(answer)["extra"]),
    "Unstructured": (_in_unstructured, lambda answer: provider_of(answer)["extra"]),
    "Unstructured, constructor": (_in_unstructured_constructor, lambda answer: provider_of(answer)["extra"]),
    "context": (_in_context, lambda answer: answer.context["key"]),
    "earlier context": (_in_known_context, lambda answer: answer.context["earlier"]["key"]),
    "output": (_in_output, lambda answer: answer.output["key"]),
}
SHAPES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "in a map": (lambda v: {"at": v}, lambda v: {"at": v}),
    "in maps": (lambda v: {"q": {"r": v}, "s": 1}, lambda v: {"q": {"r": v}, "s": 1}),
    "in a list": (lambda v: [v, {"x": [v]}], lambda v: [v, {"x": [v]}]),
    "in a tuple": (lambda v: {"t": (v,)}, lambda v: {"t": [v]}),
}


def _desired(ctx: Any) -> Any:
    vpc = ctx.resource("vpc", VPC(spec=VPCSpec(forProvider=VPCForProvider(region="r"))))
    vpc.spec.forProvider.project = "p"
    return vpc.spec


SOURCES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "observed model": (lambda ctx: ctx.resource("vpc", VPC()).observed.status.atProvider, VPC_STATUS),
    "observed list": (lambda ctx: ctx.resource("vpc", VPC()).observed.status.atProvider.subnets, [{"id": "s"}]),
    "observed element": (lambda ctx: ctx.resource("vpc", VPC()).observed.status.atProvider.subnets[0], {"id": "s"}),
    "observed, no schema": (
        lambda ctx: ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC")).observed.spec.forProvider,
        {"region": "r", "tags": {"a": "b"}},
    ),
    "part of the composite": (
        lambda ctx: ctx.composite(XStorageBucket).observed.spec.parameters,
        {"location": "US", "labels": {"a": "b"}, "zones": ["z"]},
    ),
    "new model": (lambda ctx: Rule(name="n", age=0), {"name": "n", "age": 0}),
    "registered model": (_desired, {"forProvider": {"region": "r", "project": "p"}}),
}


@pytest.mark.sample(40)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("source", SOURCES)
def test_models_inside_plain_data_are_copied_with_all_they_show(source: str, shape: str, place: str) -> None:
    """A model in the middle of plain data goes out with everything it shows, wherever the data stands."""
    make, expected = SOURCES[source]
    wrap, wrapped = SHAPES[shape]
    put, get = PLACES[place]

    def compose(ctx: Any) -> None:
        put(ctx, wrap(make(ctx)))

    xr = samples.xr({"location": "US", "labels": {"a": "b"}, "zones": ["z"]})
    _, answer = call(compose, xr=xr, observed=OBSERVED, context={"earlier": {"x": 1}})
    assert not answer.fatal, answer.fatal
    assert get(answer) == wrapped(expected)


@pytest.mark.parametrize("place", PLACES)
def test_a_model_that_only_inherits_is_copied_into_plain_data(place: str) -> None:
    """A desired model of which this function set nothing goes out with what previous functions desire."""
    put, get = PLACES[place]

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        put(ctx, {"z": vpc.spec, "deep": [vpc.spec.forProvider]})

    _, answer = call(compose, desired={"vpc": samples.vpc({"region": "r"})}, context={"earlier": {}})
    assert not answer.fatal, answer.fatal
    assert get(answer) == {"z": {"forProvider": {"region": "r"}}, "deep": [{"region": "r"}]}
    assert answer.resources["vpc"]["spec"] == {"forProvider": {"region": "r"}}


@pytest.mark.parametrize("place", [place for place in PLACES if "context" not in place and place != "output"])
@pytest.mark.parametrize("part", ["metadata", "status", "whole"])
@pytest.mark.parametrize("exists", [True, False])
def test_wholesale_copies_into_plain_data_are_refused(place: str, part: str, exists: bool) -> None:
    """Whole observed resources, their metadata and their status are refused inside plain data as well."""
    put, _ = PLACES[place]

    @composition.function
    def compose(ctx: Any) -> None:
        observed = ctx.resource("vpc", VPC()).observed
        put(ctx, {"deep": [observed if part == "whole" else getattr(observed, part)]})

    answer = run(compose, observed=OBSERVED if exists else None, context={"earlier": {}})
    if exists:
        assert len(answer.fatal) == 1
        assert "can't be copied whole" in answer.fatal[0]
        assert ("vpc" if part == "whole" else f"vpc.{part}") in answer.fatal[0]
    assert "bucket" not in answer.resources


@pytest.mark.parametrize("place", ["context", "output"])
def test_wholesale_copies_into_context_and_output_own_nothing(place: str) -> None:
    """A whole observed status goes into context and output as it is: nobody owns fields there."""
    put, get = PLACES[place]

    def compose(ctx: Any) -> None:
        put(ctx, {"deep": [ctx.resource("vpc", VPC()).observed.status]})

    _, answer = call(compose, observed=OBSERVED)
    assert not answer.fatal
    assert get(answer) == {"deep": [OBSERVED["vpc"]["status"]]}


@pytest.mark.parametrize("place", [place for place in PLACES if "context" not in place and place != "output"])
def test_what_a_model_inside_plain_data_waits_for_is_found(place: str) -> None:
    """An unresolved value inside a model inside plain data holds the resource back."""
    put, _ = PLACES[place]

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        put(ctx, {"deep": [Rule(name=vpc.observed.status.atProvider.vpcId)]})

    _, answer = call(compose)
    assert list(answer.resources) == ["vpc"]
    assert "bucket waits for vpc.status.atProvider.vpcId" in answer.conditions["DependenciesResolved"][2]


@pytest.mark.parametrize("place", ["context", "output"])
def test_unresolved_models_leave_their_context_and_output_keys_out(place: str) -> None:
    """A context or output key with a model that waits for something is left out."""
    put, _ = PLACES[place]

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        put(ctx, {"deep": [Rule(name=vpc.observed.status.atProvider.vpcId)]})

    _, answer = call(compose)
    assert not answer.fatal
    assert "key" not in answer.context
    assert not answer.output


def test_a_copy_in_plain_data_is_not_the_original() -> None:
    """What is changed in an observed model's copy doesn't change the observed one, and the other way round."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.extra = {"at": vpc.observed.status.atProvider}
        assert vpc.observed.status.atProvider.vpcId == "v"

    _, answer = call(compose, observed=OBSERVED)
    assert provider_of(answer)["extra"]["at"] == VPC_STATUS
    assert "status" not in answer.resources["vpc"]


# --- NULL, None and UNSET ----------------------------------------------------------------------------------------


def test_unset_inside_free_form_values_is_no_opinion() -> None:
    """UNSET and None inside free-form maps leave the key out, at any depth, in constructors and assignments."""
    value = {"a": UNSET, "b": {"c": UNSET, "d": 1, "e": None}, "f": [{"g": UNSET, "h": 2}], "i": NULL}
    expected = {"b": {"d": 1}, "f": [{"h": 2}], "i": None}
    assert emitted(ForProvider(extra=value))["extra"] == expected
    later = ForProvider()
    later.extra = value
    assert emitted(later)["extra"] == expected


def test_unset_inside_maps_is_no_opinion() -> None:
    """UNSET and None in maps, in maps of models and in the models there leave the entry out."""
    made = ForProvider(
        labels={"a": UNSET, "b": "1", "c": None},
        anything={"x": UNSET, "y": {"z": UNSET, "k": 1}},
        byName={"gone": UNSET, "kept": Rule(name=UNSET, age=1), "map": {"name": UNSET, "age": 2}},
    )
    later = ForProvider()
    later.labels = {"a": UNSET, "b": "1", "c": None}
    later.anything = {"x": UNSET, "y": {"z": UNSET, "k": 1}}
    later.byName = {"gone": UNSET, "kept": {"name": UNSET, "age": 1}, "map": {"name": UNSET, "age": 2}}
    for provider in (made, later):
        assert emitted(provider) == {
            "labels": {"b": "1"},
            "anything": {"y": {"k": 1}},
            "byName": {"kept": {"age": 1}, "map": {"age": 2}},
        }


def test_unset_lets_the_inherited_value_show_through() -> None:
    """UNSET in a map, set by item or with the map, leaves what a previous function put there."""
    earlier = {"labels": {"a": "old", "b": "old"}, "extra": {"a": {"b": "old"}}}
    provider = ForProvider(labels={"a": UNSET, "b": "new"}, extra={"a": {"b": UNSET, "c": 1}})
    assert emitted(provider, **earlier) == {
        "labels": {"a": "old", "b": "new"},
        "extra": {"a": {"b": "old", "c": 1}},
    }

    def compose(ctx: Any) -> None:
        labels = ctx.resource("bucket", Bucket()).spec.forProvider.labels
        labels["a"] = UNSET
        labels["b"] = "new"
        assert labels["a"] == "old"

    _, answer = call(compose, desired={"bucket": samples.bucket(earlier)})
    assert provider_of(answer)["labels"] == {"a": "old", "b": "new"}


@pytest.mark.parametrize("place", ["Unstructured", "Unstructured, constructor", "context", "output"])
def test_unset_inside_data_without_a_schema(place: str) -> None:
    """UNSET inside data without a schema leaves the key out; it is never an error of the encoder."""
    put, get = PLACES[place]
    _, answer = call(lambda ctx: put(ctx, {"a": UNSET, "b": {"c": UNSET, "d": NULL}}))
    assert not answer.fatal, answer.fatal
    assert get(answer) == {"b": {"d": None}}


@pytest.mark.parametrize("marker", [UNSET, None])
def test_no_opinion_inside_a_list_is_refused(marker: Any) -> None:
    """UNSET or None in a list is refused with its path, because leaving it out would shift the others."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra={"a": [1, marker]}))))

    (text,) = run(compose).fatal
    assert (
        f"spec.forProvider.extra.a[1]: {marker} can't be in a list; leave the element out, or use crossplane_lite.NULL"
        in text
    )


# --- cattrs ------------------------------------------------------------------------------------------------------


def _converter() -> Any:
    cattrs = pytest.importorskip("cattrs")
    from crossplane_lite import cattrs_hooks

    converter = cattrs.Converter()
    cattrs_hooks.register(converter)
    return converter


def test_cattrs_gives_what_is_set() -> None:
    """With the hooks, unstructuring gives what is set under the wire names, and ends for classes of themselves."""
    tree = Branch(value=0, children=[Branch(child=Branch(value="leaf"))], named={"n": Branch()})
    assert _converter().unstructure(tree) == {
        "value": 0,
        "children": [{"child": {"value": "leaf"}}],
        "named": {"n": {}},
    }
    bucket = Bucket(spec=BucketSpec(forProvider=ForProvider(location="US", labels={"a": "b"})))
    plain = _converter().unstructure(bucket)
    assert plain == {
        "apiVersion": "storage.gcp.upbound.io/v1beta1",
        "kind": "Bucket",
        "spec": {"forProvider": {"location": "US", "labels": {"a": "b"}}},
    }


def test_cattrs_uses_wire_names_both_ways() -> None:
    """With the hooks, fields whose attribute is another than the wire name make the way out and back."""
    from tests.behaviour.models import Odd, OddSpec

    odd = Odd(spec=OddSpec(from_="f", my_field="m", _ref="r"), observed_="o")
    plain = _converter().unstructure(odd)
    assert plain["spec"] == {"from": "f", "my-field": "m", "$ref": "r"}
    assert plain["observed"] == "o"
    again = _converter().structure(plain, Odd)
    assert type(again) is Odd
    assert again == odd


def test_cattrs_makes_models() -> None:
    """With the hooks, structuring makes models, nested ones too, and refuses keys that the class doesn't have."""
    made = _converter().structure({"id": "i", "owner": {"name": "n"}, "endpoints": [{"port": 1}]}, AtProvider)
    assert type(made.owner) is Owner
    assert made.endpoints[0].port == 1
    assert to_dict(made) == {"id": "i", "owner": {"name": "n"}, "endpoints": [{"port": 1}]}
    with pytest.raises(AttributeError, match="idd"):
        _converter().structure({"idd": "i"}, AtProvider)


def test_a_model_inside_the_authors_attrs_class_goes_through_cattrs() -> None:
    """With the hooks, an attrs class of the author's that holds models goes through cattrs both ways."""
    import attrs

    @attrs.define
    class Plan:
        rules: list[Rule]

    converter = _converter()
    plan = Plan([Rule(name="a"), Rule(age=1)])
    # The annotations are texts of this function's names.
    attrs.resolve_types(Plan, globals(), {"Rule": Rule})
    assert converter.unstructure(plan) == {"rules": [{"name": "a"}, {"age": 1}]}
    assert converter.structure({"rules": [{"name": "a"}, {"age": 1}]}, Plan) == plan


def test_a_wrong_value_in_plain_data_has_its_path() -> None:
    """What JSON can't carry is refused with its path also inside a model inside plain data."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket()).spec.forProvider.extra = {"q": [ForProvider(extra=object())]}

    (text,) = run(compose).fatal
    assert "spec.forProvider.extra.q[0].extra" in text


def test_a_desired_model_is_refused_where_another_belongs() -> None:
    """Inside a typed field a model of another class is still refused."""
    with pytest.raises(UsageError, match="rules"):
        ForProvider(rules=[Owner(name="n")])


def test_paths_of_observed_values_in_plain_data() -> None:
    """An unset nested observed model in plain data is a dependency on its own path."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("source", Bucket())
        target = ctx.resource("bucket", Bucket())
        target.spec.forProvider.extra = {"deep": {"owner": bucket.observed.status.atProvider.owner}}
        assert path(bucket.observed.status.atProvider.owner.name) == "source.status.atProvider.owner.name"

    _, answer = call(compose, observed={"source": samples.bucket(status={"id": "i"})})
    assert list(answer.resources) == ["source"]
    assert "bucket waits for source.status.atProvider.owner" in answer.conditions["DependenciesResolved"][2]
