"""Models and Observables where Python expects plain data, their types when they are set, and what was silent."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import pathlib
import pprint
import subprocess
import sys
import uuid
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from crossplane_lite import NULL, Observable, Unstructured, composition, json_dumps
from crossplane_lite.errors import UnknownFieldError, UsageError
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, BucketSpec, ConfigMap, ForProvider, Rule, XStorageBucket
from tests.support import call, run

ARN = "arn:aws:iam::1:role/a"
SEEN = {"vpc": samples.vpc(status={"arn": ARN})}


def arn_of(ctx: Any) -> Any:
    """Register a VPC and return its arn."""
    return ctx.resource("vpc", VPC()).observed.status.atProvider.arn


def data_of(make: Callable[[Any], Any], observed: Any = None, **kwargs: Any) -> Any:
    """Return the data of a ConfigMap that `make(ctx)` gives; None while it waits."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource("cm", ConfigMap(data=make(ctx)))

    answer = run(compose, observed=observed, **kwargs)
    assert not answer.fatal, answer.fatal
    return answer.resources.get("cm", {}).get("data")


# --- JSON --------------------------------------------------------------------------------------------------------

DOCUMENTS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "a value": (lambda ctx: {"Resource": arn_of(ctx)}, {"Resource": ARN}),
    "a key": (lambda ctx: {arn_of(ctx): [1, None]}, {ARN: [1, None]}),
    "a text": (lambda ctx: [f"{arn_of(ctx)}/*"], [f"{ARN}/*"]),
    "a part of a status": (lambda ctx: (ctx.resource("vpc", VPC()).observed.status.atProvider,), [{"arn": ARN}]),
    "a model": (
        lambda ctx: ConfigMap(data={"a": arn_of(ctx)}),
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": ARN}},
    ),
}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_json_of_missing_values_waits(document: str) -> None:
    """`json_dumps` writes models and Observables anywhere, and what has a missing value in it waits for that."""
    make, expected = DOCUMENTS[document]
    assert data_of(lambda ctx: {"json": json_dumps(make(ctx))}) is None
    assert json.loads(data_of(lambda ctx: {"json": json_dumps(make(ctx))}, SEEN)["json"]) == expected


def test_json_of_desired_names() -> None:
    """A desired name that nobody sets is in the JSON as the cluster has it."""

    def make(ctx: Any) -> Any:
        vpc = ctx.resource("vpc", VPC())
        other = ctx.resource("other", ConfigMap(data={"name": vpc.external_name}))
        return {"json": json_dumps(dict(other.data))}

    assert data_of(make) is None
    seen = {"vpc": samples.vpc(external_name="vpc-1")}
    assert data_of(make, seen) == {"json": '{"name": "vpc-1"}'}


@pytest.mark.slow
def test_json_takes_the_options_of_json_dumps() -> None:
    """`indent`, `sort_keys`, `default` and the like mean what they mean there, and what is no data is refused."""
    rule = Rule(name="a", age=1)
    assert (
        json_dumps({"b": rule, "a": {1}}, sort_keys=True, default=sorted) == '{"a": [1], "b": {"age": 1, "name": "a"}}'
    )
    assert json_dumps([rule], indent=1).count("\n") == 5
    assert json_dumps({"a": NULL, "b": (1, True), 3: None, "c": Rule(name=NULL)}) == (
        '{"a": null, "b": [1, true], "3": null, "c": {"name": null}}'
    )
    assert yaml.safe_load(yaml.safe_dump({"a": NULL, "b": Rule(name=NULL)})) == {"a": None, "b": {"name": None}}
    with pytest.raises(TypeError, match="set"):
        json_dumps({"a": {1}})
    around: list[Any] = []
    around.append(around)
    with pytest.raises(ValueError, match="contains itself"):
        json_dumps(around)


def test_plain_json_says_what_to_write() -> None:
    """`json.dumps` of a desired name and a model raises Python's error, and the fatal result names `json_dumps`."""
    for value in (lambda ctx: Rule(name="a"), lambda ctx: [ctx.resource("b", Bucket()).external_name]):
        function = composition.function(lambda ctx, value=value: ctx.log.info(json.dumps(value(ctx))))
        for observed in (None, {"b": samples.bucket(external_name="e")}):
            (text,) = run(function, observed=observed).fatal
            assert "TypeError: Object of type " in text and "crossplane_lite.json_dumps(...) also writes" in text


def test_plain_json_of_a_missing_value_waits() -> None:
    """Its error is no fatal result while the value may still come, and the condition says what to write."""
    answer = run(composition.function(lambda ctx: ctx.log.info(json.dumps({"a": arn_of(ctx)}))))
    assert not answer.fatal and list(answer.resources) == ["vpc"]
    assert "crossplane_lite.json_dumps(...)" in answer.conditions["DependenciesResolved"][2]


def test_a_class_that_is_asked_for_elsewhere() -> None:
    """A `default` of the author's sees the classes as json does."""

    def default(value: Any) -> Any:
        return value.__class__.__name__

    def compose(ctx: Any) -> None:
        assert json.dumps({"a": Rule(), "b": arn_of(ctx)}, default=default) == '{"a": "Rule", "b": "Observable"}'

    assert not call(compose)[1].fatal


def test_a_checksum_of_a_config_the_usual_way() -> None:
    """A hash of a ConfigMap's data waits while a value in it is missing, and is that of its JSON then."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        config = ctx.resource("config", ConfigMap(data={"arn": arn_of(ctx)}))
        checksum = hashlib.sha256(json_dumps(config.data, sort_keys=True).encode()).hexdigest()
        pod = ctx.resource("pod", Unstructured("v1", "Pod"))
        pod.metadata.annotations["checksum/config"] = checksum

    assert list(run(compose).resources) == ["vpc"]
    pod = run(compose, observed=SEEN).resources["pod"]
    wanted = hashlib.sha256(json.dumps({"arn": ARN}).encode()).hexdigest()
    assert pod["metadata"]["annotations"]["checksum/config"] == wanted


# --- YAML --------------------------------------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("dump", ["dump", "safe_dump"])
@pytest.mark.parametrize("order", ["import yaml\n{models}", "{models}\nimport yaml"])
@pytest.mark.parametrize("value", ["one", "[one]", "{{'a': one}}", "one.spec.forProvider.labels"])
def test_yaml_before_any_call(dump: str, order: str, value: str) -> None:
    """PyYAML writes models, their lists and maps as plain data, whether there was a call or not."""
    code = order.format(models="from tests.behaviour.models import Bucket") + (
        "\nfrom crossplane_lite.model import to_dict"
        "\none = Bucket(spec={'forProvider': {'labels': {'a': 'b'}}})"
        f"\nshown = yaml.{dump}({value.format()})\nassert yaml.safe_load(shown) == "
        "yaml.safe_load(yaml.safe_dump(eval(VALUE, {'one': to_dict(one)})))"
    )
    plain = {"one": "one", "[one]": "[one]", "{{'a': one}}": "{'a': one}"}
    code = code.replace("VALUE", repr(plain.get(value, "one['spec']['forProvider']['labels']")))
    root = pathlib.Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("dump", [yaml.dump, yaml.safe_dump])
def test_yaml_of_missing_values_waits(dump: Callable[[Any], str]) -> None:
    """A missing value in YAML is a dependency as in any text; two of one value make no anchor."""

    def make(ctx: Any) -> Any:
        arn = arn_of(ctx)
        text = dump({"a": arn, "b": [arn], "c": ctx.resource("w", VPC()).observed.status.atProvider})
        assert "&" not in text
        return {"yaml": text}

    assert data_of(make) is None
    seen = data_of(make, {**SEEN, "w": samples.vpc(status={"vpcId": "v"})})
    assert yaml.safe_load(seen["yaml"]) == {"a": ARN, "b": [ARN], "c": {"vpcId": "v"}}


class _NoAnchors(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


class _OfLongAgo(yaml.Dumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_OfLongAgo.add_multi_representer(complex, yaml.Dumper.represent_object)  # so that it has a table of its own


@pytest.mark.parametrize("dumper", [_NoAnchors, _OfLongAgo])
def test_dumpers_of_the_author(dumper: Any) -> None:
    """A Dumper that asks for no class, and one with older representers of its own, write models in a call."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("b", Bucket(spec={"forProvider": {"labels": {"a": "b"}}}))
        text = yaml.dump({"a": [bucket.spec, bucket.spec.forProvider.labels, arn_of(ctx)]}, Dumper=dumper)
        assert "labels" in text and "!!python" not in text

    assert not call(compose)[1].fatal


# --- pprint and cattrs -------------------------------------------------------------------------------------------


def test_pprint_in_several_lines() -> None:
    """A long model takes several lines, with the fields of one object below each other; a short one stays in one."""
    provider = ForProvider(location="US", labels={"team": "platform"}, rules=[Rule(name="a"), Rule(name="b")])
    lines = pprint.pformat({"one": Bucket(spec=BucketSpec(forProvider=provider))}).splitlines()
    assert len(lines) > 3
    labels, rules = ([line.index(name) for line in lines if name in line] for name in ("labels=", "rules="))
    assert labels == rules
    assert max(map(len, lines)) < 120
    assert pprint.pformat(Rule(name="a")) == "Rule(name='a')" == repr(Rule(name="a"))
    made = Unstructured("v1", "A", spec={f"key{at}": "a value of some length" for at in range(9)})
    assert len(pprint.pformat(made).splitlines()) > 8


def test_any_converter_of_cattrs_writes_what_is_set() -> None:
    """A converter that nobody has registered hooks with gives what is set, and no nulls for the rest."""
    cattrs = pytest.importorskip("cattrs")
    for make in (cattrs.Converter, cattrs.BaseConverter):
        converter = make()
        one = Bucket(spec={"forProvider": {"location": "US"}})
        assert converter.unstructure(one)["spec"] == {"forProvider": {"location": "US"}}
        assert converter.unstructure([Rule(name="a")]) == [{"name": "a"}]


# --- getattr -----------------------------------------------------------------------------------------------------


def test_getattr_with_a_default_and_hasattr() -> None:
    """A field that no schema has gives the default, in models and in missing values of a known type."""

    def compose(ctx: Any) -> None:
        at = ctx.resource("vpc", VPC()).observed.status.atProvider
        assert getattr(at, "nope", "default") == "default"
        assert not hasattr(at, "nope")
        assert isinstance(at.arn, Observable)
        assert getattr(at.arn, "value", "default") == "default"
        assert not hasattr(at.arn, "value")
        assert hasattr(at.arn, "upper")
        assert not hasattr(at.subnets, "nope")
        assert not hasattr(at.subnets[0], "nope")
        assert hasattr(at.subnets[0], "id")
        assert hasattr(ctx.resource("b", Bucket()).observed.status.atProvider.tags, "a")  # a key may come
        with pytest.raises(UnknownFieldError, match=r"vpc\.status\.atProvider\.arn is a string"):
            at.arn.value  # noqa: B018

    assert not call(compose)[1].fatal


def test_what_has_no_schema_is_asked_with_get() -> None:
    """Without a schema any field may come: `get` with a default and `in` answer now, and count as guesses."""

    def compose(ctx: Any) -> Any:
        at = ctx.resource("vpc", Unstructured("v1", "A")).observed.status.atProvider
        return at.get("x", "default"), "x" in at

    assert call(compose)[0] == ("default", False)


# --- types -------------------------------------------------------------------------------------------------------

WRONG: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "a string for a number": (lambda p, at: setattr(p, "size", at.vpcId), r"size: must be an integer \(got vpc"),
    "a boolean for a string": (lambda p, at: setattr(p, "project", at.isDefault), r"project: must be a string"),
    "a list for a string": (lambda p, at: setattr(p, "project", at.subnets), r"project: must be a string"),
    "a string for a list": (lambda p, at: setattr(p, "zones", at.vpcId), r"zones: must be a list .*; write \[...\]"),
    "an object for a string": (lambda p, at: setattr(p, "project", at.subnets[0]), r"project: must be a string"),
    "in a list": (lambda p, at: setattr(p, "zones", ["a", at.isDefault]), r"zones\[1\]: must be a string"),
    "in a list of numbers": (lambda p, at: setattr(p, "matrix", [[1, at.vpcId]]), r"matrix\[0\]\[1\]: must be an int"),
    "in a map": (lambda p, at: p.labels.update(a=at.isDefault), r"labels\.a: must be a string"),
    "in a constructor": (lambda p, at: Rule(age=at.arn), r"Rule\.age: must be an integer"),
    "in a mapping": (lambda p, at: setattr(p, "rules", [{"age": at.arn}]), r"rules\[0\]\.age: must be an integer"),
    "an item": (lambda p, at: setattr(p, "size", at.subnets[0].id), r"size: must be an integer"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_missing_value_of_a_wrong_type(case: str) -> None:
    """An Observable whose known type doesn't fit is refused at the line that sets it, before it has a value."""
    set_it, text = WRONG[case]

    def compose(ctx: Any) -> None:
        at = ctx.resource("vpc", VPC()).observed.status.atProvider
        with pytest.raises(UsageError, match=text):
            set_it(ctx.resource("b", Bucket()).spec.forProvider, at)

    assert not call(compose)[1].fatal


def test_missing_values_that_may_fit() -> None:
    """Numbers fit each other's fields, and what no schema describes fits everywhere."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("b", Bucket())
        at, provider = bucket.observed.status.atProvider, ctx.resource("c", Bucket()).spec.forProvider
        provider.ratio, provider.size, provider.port = at.count, at.ratio, at.endpoints[0].port
        provider.labels, provider.extra, provider.public = at.tags, at.endpoints, at.extra
        provider.anything = at.tags
        vpc = ctx.resource("vpc", Unstructured("v1", "A")).observed.status
        provider.zones, provider.matrix, provider.versioning = vpc.a, vpc.b.c, vpc["d"]

    answer = call(compose)[1]
    assert not answer.fatal
    assert "c" not in answer.resources


@pytest.mark.parametrize(
    "value", [ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_address("::1"), uuid.UUID(int=1), pathlib.Path("/a"), 5]
)
def test_a_value_that_has_a_text(value: Any) -> None:
    """What is refused for a string, but has a text of its own, is refused with the hint to write it."""
    for set_it in (lambda p: setattr(p, "location", value), lambda p: p.labels.update(a=value)):
        with pytest.raises(UsageError, match=r"write str\(\.\.\.\)"):
            set_it(ForProvider())
    with pytest.raises(UsageError) as caught:
        ForProvider(location=b"a")
    assert str(caught.value).endswith("; write value.decode()")


def test_an_element_that_a_list_does_not_have() -> None:
    """The IndexError of a typed list has the list's path, empty or not."""

    def compose(ctx: Any) -> None:
        provider = ctx.resource("b", Bucket()).spec.forProvider
        with pytest.raises(IndexError, match=r"b\.spec\.forProvider\.rules has no element \[0\]"):
            provider.rules[0]
        provider.zones = ["a"]
        with pytest.raises(IndexError, match=r"b\.spec\.forProvider\.zones has no element \[-2\]: it has 1"):
            provider.zones[-2]
        assert provider.zones[0] == provider.zones[-1] == provider.zones[:1][0] == "a"

    assert not call(compose)[1].fatal


# --- what was silent ---------------------------------------------------------------------------------------------


def _conditions(ctx: Any) -> None:
    ctx.composite(XStorageBucket).status.conditions = [{"type": "A", "status": "True"}]


def _annotated(ctx: Any) -> None:
    ctx.resource("b", Bucket()).metadata.annotations["crossplane.io/composition-resource-name"] = "c"


def _controlled(ctx: Any) -> None:
    owner = {"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u", "controller": True}
    ctx.resource("b", Bucket(metadata={"ownerReferences": [owner]}))


SILENT: dict[str, tuple[Callable[[Any], Any], str]] = {
    "conditions in the status": (_conditions, "ctx.conditions.set("),
    "the annotation of the name": (_annotated, "leave it out"),
    "a second controller": (_controlled, "b.metadata.ownerReferences[0].controller"),
    "a number in a ConfigMap": (
        lambda ctx: ctx.resource("b", Unstructured("v1", "ConfigMap", data={"a": "b", "n": 1})),
        "b.data.n: must be a string (got 1 that is an integer); write str(...)",
    ),
    "a boolean in a Secret": (
        lambda ctx: ctx.resource("b", Unstructured("v1", "Secret", stringData={"n": True})),
        'b.stringData.n: must be a string (got True that is a boolean); write "true"',
    ),
}


@pytest.mark.parametrize("case", SILENT)
def test_what_crossplane_or_the_api_would_drop_or_refuse(case: str) -> None:
    """Each is a Fatal result with the path and what to do."""
    body, text = SILENT[case]
    answer = call(body)[1]
    assert len(answer.fatal) == 1
    assert text in answer.fatal[0]


def test_what_is_no_mistake_there() -> None:
    """Strings, missing values, other owners, other kinds and the right name pass."""

    def compose(ctx: Any) -> None:
        arn = arn_of(ctx)
        for kind, field in (("ConfigMap", "data"), ("ConfigMap", "binaryData"), ("Secret", "stringData")):
            ctx.resource(f"{kind}-{field}", Unstructured("v1", kind, **{field: {"a": "b", "arn": arn}}))
        ctx.resource("other", Unstructured("example.org/v1", "ConfigMap", data={"n": 1}))
        ctx.resource("empty", Unstructured("v1", "ConfigMap"))
        named = ctx.resource("named", Bucket())
        named.metadata.annotations["crossplane.io/composition-resource-name"] = "named"
        owner = {"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u"}
        ctx.resource("owned", Bucket(metadata={"ownerReferences": [owner]}))

    assert not call(compose)[1].fatal
    assert not call(compose, observed=SEEN)[1].fatal
