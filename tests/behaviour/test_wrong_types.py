"""A value of a wrong type is an error where it is set, with the path, what is expected and what was given."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import enum
import json
import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from crossplane_lite import NULL, UNSET, Observable, composition
from crossplane_lite._core.base.texts import type_in_words, value_in_words
from crossplane_lite.errors import UsageError
from crossplane_lite.model import from_dict, to_dict
from crossplane_lite.table import load
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider, Rule, XStorageBucket
from tests.support import Response, call, fatal, run

TABLE = {
    "Thing": "@example.org/v1;Namespaced metadata:meta.ObjectMeta spec:Spec",
    "Spec": "text:s whole:i number:f flag:b port:q cost:f|s texts:[s wholes:[i flags:[b ports:[q labels:{s sizes:{i"
    " rows:[[i maps:[{s named:{[s parts:[Part#name byName:{Part part:Part any:x free:o",
    "Part": "name:s weight:i",
}
thing, _names = load("wrong_types", TABLE, meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1")
Thing, Spec, Part = map(thing, ("Thing", "Spec", "Part"))

WORDS = {
    "text": "a string",
    "whole": "an integer",
    "number": "a number",
    "flag": "a boolean",
    "port": "an integer or a string",
    "cost": "a number or a string",
    "texts": "a list",
    "labels": "a mapping",
    "part": "a Part or a mapping",
    "free": "a mapping or a model",
}
FITTING: dict[str, list[Any]] = {
    "text": ["a", ""],
    "whole": [0, -3, 2.0],
    "number": [1, 1.5, -0.0],
    "flag": [True, False],
    "port": [80, "http", 80.0],
    "cost": [1, 1.5, "100m"],
    "texts": [[], ["a"], ("a", "b")],
    "labels": [{}, {"a": "b"}],
    "part": [{}, {"name": "a"}],
    "free": [{}, {"a": [1, {"b": "c"}]}],
}
VALUES: list[Any] = ["a", "5", 5, 1.5, float("nan"), True, ["a"], [], {"a": "b"}, b"a", {"a"}, Decimal(1), object()]


def fits(field: str, value: Any) -> bool:
    """Say whether a field takes a value: the oracle, by Python's types."""
    kind = type(value)
    return {
        "text": kind is str,
        "whole": kind is int,
        "number": kind in (int, float),
        "flag": kind is bool,
        "port": kind in (int, str),
        "cost": kind in (int, float, str),
        "texts": kind is list,
        "labels": kind is dict,
        "part": kind is dict,
        "free": kind is dict,
    }[field]


def error(make: Callable[[], Any]) -> str:
    """Return what is said of a value."""
    with pytest.raises(UsageError) as caught:
        make()
    assert isinstance(caught.value, TypeError)
    return str(caught.value)


def given(value: Any) -> str:
    """Return how a message begins to say what was given."""
    return f"(got {value_in_words(value) if len(repr(value)) <= 60 else type_in_words(value)})"


PLACES: dict[str, tuple[Callable[[str, Any], Any], str]] = {
    "constructor": (lambda field, value: Spec(**{field: value}), "Spec"),
    "assignment": (lambda field, value: setattr(Spec(), field, value), "Spec"),
    "nested mapping": (lambda field, value: Thing(spec={field: value}), "Thing.spec"),
    "from_dict": (lambda field, value: from_dict(Thing, {"spec": {field: value}}), "Thing.spec"),
    "assignment below": (lambda field, value: setattr(Thing().spec, field, value), "Thing.spec"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("field", WORDS)
def test_wrong_types_of_fields(field: str, place: str) -> None:
    """Every type refuses what is none, at every place where a field is set."""
    make, path = PLACES[place]
    wrong = [value for value in VALUES if not fits(field, value)]
    assert len(wrong) > 6
    for value in wrong:
        text = error(lambda value=value: make(field, value))  # type: ignore[misc]
        assert text.startswith(f"{path}.{field}: must be {WORDS[field]} {given(value)}")


@pytest.mark.parametrize(
    ("field", "value", "hint"),
    [
        ("texts", {"a"}, "use list(...)"),
        ("texts", "a", "write [...] around it"),
        ("texts", b"a", ""),
        ("texts", {"a": "b"}, ""),
        ("wholes", 1, "write [...] around it"),
        ("text", True, 'write "true"'),
        ("text", b"a", "write value.decode()"),
        ("text", 1.5, "write str(...)"),
        ("text", ["a"], ""),
        ("whole", "-1", "write int(...)"),
        ("whole", "a", ""),
        ("flag", "yes", "write True or False"),
    ],
)
def test_what_to_write_instead(field: str, value: Any, hint: str) -> None:
    """The message about a wrong value ends with the value to write instead, where that is clear."""
    assert error(lambda: Spec(**{field: value})).partition("; ")[2] == hint


@pytest.mark.parametrize("field", FITTING)
def test_what_fits(field: str) -> None:
    """Each type takes what Kubernetes takes for it, and what has no value or is not known yet."""
    for value in FITTING[field]:
        for model in (Spec(**{field: value}), from_dict(Spec, {field: value})):
            assert to_dict(model) == {field: list(value) if isinstance(value, tuple) else value}
        holder = Spec()
        setattr(holder, field, value)
        assert to_dict(holder) == to_dict(Spec(**{field: value}))
    for nothing in (None, UNSET):
        assert to_dict(Spec(**{field: nothing})) == {}
    assert to_dict(Spec(**{field: NULL})) == {field: None}
    waits = Observable("vpc.status.a")
    assert to_dict(Spec(**{field: waits}))[field] is waits


def test_whole_numbers() -> None:
    """The numbers of JSON have one type, so 2.0 is an integer, and is kept as one."""
    assert type(Spec(whole=2.0).whole) is int
    assert type(Spec(port=2.0).port) is int
    assert Spec(wholes=[1.0, 2]).wholes == [1, 2]
    assert error(lambda: Spec(whole=2.5)) == "Spec.whole: must be an integer (got 2.5 that is a float)"
    assert error(lambda: Spec(whole=float("inf"))) == "Spec.whole: must be an integer (got inf that is a float)"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda spec: spec.texts.append(5),
            "Spec.texts[1]: must be a string (got 5 that is an integer); write str(...)",
        ),
        (lambda spec: spec.texts.extend(["b", None, 5]), "Spec.texts[3]: must be a string (got 5 that is an integer)"),
        (
            lambda spec: spec.texts.insert(0, True),
            "Spec.texts[0]: must be a string (got True that is a boolean); write",
        ),
        (lambda spec: spec.texts.__setitem__(0, ["a"]), "Spec.texts[0]: must be a string (got ['a'] that is a list)"),
        (lambda spec: spec.texts.__setitem__(slice(0, 1), ["a", 1]), "Spec.texts[1]: must be a string (got 1 that is"),
        (lambda spec: spec.texts.__iadd__([1.5]), "Spec.texts[1]: must be a string (got 1.5 that is a float)"),
        (lambda spec: spec.wholes.append("5"), "Spec.wholes[1]: must be an integer (got '5' that is a string); write"),
        (lambda spec: spec.flags.append("yes"), "Spec.flags[1]: must be a boolean (got 'yes' that is a string); write"),
        (lambda spec: spec.ports.append(1.5), "Spec.ports[1]: must be an integer or a string (got 1.5 that is a"),
        (lambda spec: spec.labels.__setitem__("b", 5), "Spec.labels.b: must be a string (got 5 that is an integer)"),
        (
            lambda spec: spec.labels.update({"a/b": 5}),
            'Spec.labels["a/b"]: must be a string (got 5 that is an integer)',
        ),
        (lambda spec: spec.labels.update(b=5), "Spec.labels.b: must be a string (got 5 that is an integer)"),
        (lambda spec: spec.labels.setdefault("b", 5), "Spec.labels.b: must be a string (got 5 that is an integer)"),
        (lambda spec: spec.labels.__ior__({"b": 5}), "Spec.labels.b: must be a string (got 5 that is an integer)"),
        (lambda spec: spec.sizes.__setitem__("b", "5"), "Spec.sizes.b: must be an integer (got '5' that is a string)"),
        (lambda spec: spec.rows.append(["x"]), "Spec.rows[1][0]: must be an integer (got 'x' that is a string)"),
        (lambda spec: spec.rows[0].append("x"), "Spec.rows[][1]: must be an integer (got 'x' that is a string)"),
        (lambda spec: spec.maps[0].__setitem__("b", 5), "Spec.maps[].b: must be a string (got 5 that is an integer)"),
        (lambda spec: spec.named["a"].append(5), "Spec.named[][1]: must be a string (got 5 that is an integer)"),
        (lambda spec: spec.parts.append(5), "Spec.parts[1]: must be a Part or a mapping (got 5 that is an integer)"),
        (
            lambda spec: spec.parts.append({"name": 5}),
            "Spec.parts[1].name: must be a string (got 5 that is an integer)",
        ),
        (lambda spec: spec.byName.__setitem__("b", {"name": 5}), "Spec.byName.b.name: must be a string (got 5 that is"),
        (
            lambda spec: setattr(spec.parts[0], "weight", "x"),
            "Part.weight: must be an integer (got 'x' that is a string)",
        ),
    ],
)
def test_wrong_types_in_lists_and_maps(change: Callable[[Any], Any], text: str) -> None:
    """Lists and maps check what is put in, whether they were given, read before they were set, or lie in others."""
    spec = Spec(
        **{"texts": ["a"], "wholes": [1], "flags": [True], "ports": [80], "labels": {"a": "b"}, "sizes": {"a": 1}},
        **{"rows": [[1]], "maps": [{"a": "b"}], "named": {"a": ["b"]}, "parts": [Part()], "byName": {"a": Part()}},
    )
    before = to_dict(spec)
    assert error(lambda: change(spec)).startswith(text)
    assert to_dict(spec) == before


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"labels": {"a": "b", 1: "c"}}, "Spec.labels"),
        ({"labels": {1: 5}}, "Spec.labels"),
        ({"labels": {1: None}}, "Spec.labels"),
        ({"sizes": {1: 2}}, "Spec.sizes"),
        ({"maps": [{"a": "b"}, {1: "c"}]}, "Spec.maps[1]"),
        ({"named": {1: ["a"]}}, "Spec.named"),
        ({"byName": {1: Part()}}, "Spec.byName"),
        ({"part": {1: "a"}}, "Spec.part"),
    ],
)
def test_keys_that_are_no_strings(fields: dict[str, Any], place: str) -> None:
    """A key that isn't a string is refused where it is set, with the path: by constructors and assignments."""
    said = "keys must be strings (got 1 that is an integer)"
    assert error(lambda: Spec(**fields)) == f"{place}: {said}"
    ((name, value),) = fields.items()
    assert error(lambda: setattr(Spec(), name, value)) == f"{place}: {said}"
    assert error(lambda: Thing(spec=fields)) == f"Thing.{place[:1].lower()}{place[1:]}: {said}"


@pytest.mark.parametrize("key", [1, None, True, b"a", ("a",)])
def test_keys_that_are_put_in(key: Any) -> None:
    """Maps check the keys that are put in, too, and stay as they were."""
    spec = Spec(labels={"a": "b"}, named={"a": ["b"]})
    changes: list[Callable[[], Any]] = [
        lambda: spec.labels.__setitem__(key, "c"),
        lambda: spec.labels.update({key: "c"}),
        lambda: spec.labels.setdefault(key, "c"),
        lambda: spec.labels.__ior__({key: "c"}),
    ]
    for change in changes:
        assert error(change) == f"Spec.labels: keys must be strings (got {value_in_words(key)})"
    assert error(lambda: spec.named.__setitem__(key, ["c"])).startswith("Spec.named: keys must be strings")
    assert to_dict(spec) == {"labels": {"a": "b"}, "named": {"a": ["b"]}}


def test_keys_that_fit() -> None:
    """Members of an enum of strings are strings, and so is a value that isn't there yet."""

    class Name(str, enum.Enum):
        TEAM = "team"

    assert to_dict(Spec(labels={Name.TEAM: "shop"})) == {"labels": {"team": "shop"}}

    def compose(ctx: composition.Context) -> None:
        vpc = ctx.resource("vpc", VPC())
        bucket = ctx.resource("bucket", Bucket(metadata={"labels": {vpc.observed.external_name: "vpc"}}))
        bucket.metadata.labels[vpc.observed.metadata.uid] = "uid"

    _, answer = call(compose)  # raises what compose() raises
    assert list(answer.resources) == ["vpc"]


def test_containers_that_were_not_set() -> None:
    """What was read before it was set checks too, and knows its whole path."""
    one = Thing()
    assert error(lambda: one.spec.labels.update(a=5)).startswith("Thing.spec.labels.a: must be a string")
    assert error(lambda: one.spec.texts.append(5)).startswith("Thing.spec.texts[0]: must be a string")
    assert error(lambda: setattr(one.spec.part, "weight", "x")).startswith("Thing.spec.part.weight: must be an integer")
    assert to_dict(one) == {"apiVersion": "example.org/v1", "kind": "Thing"}


@dataclasses.dataclass
class Held:
    """What an author may put lists and maps into."""

    texts: Any
    labels: Any


def test_operations_that_fit() -> None:
    """Every operation of lists and maps works as on plain ones."""
    spec = Spec(texts=["b", "a"], labels={"a": "b"})
    spec.texts += ["c"]
    spec.texts.sort()
    spec.texts.extend(one for one in "de")
    spec.texts.remove("d")
    spec.labels |= {"c": "d"}
    spec.labels.update([("e", "f")])
    assert spec.labels.pop("a") == "b"
    assert spec.texts == ["a", "b", "c", "e"]
    assert to_dict(spec) == {"texts": ["a", "b", "c", "e"], "labels": {"c": "d", "e": "f"}}
    assert spec.texts is spec.texts
    assert dataclasses.asdict(Held(spec.texts, spec.labels)) == {"texts": spec.texts, "labels": spec.labels}
    assert json.loads(json.dumps([spec.texts, spec.labels])) == [spec.texts, spec.labels]
    assert isinstance(spec.texts, list) and isinstance(spec.labels, dict)


def test_the_path_in_a_registered_resource_and_the_line() -> None:
    """In compose() the error has the resource's name, the whole path and the line."""

    def assigned(ctx: Any) -> None:
        bucket = ctx.resource("bucket", made)
        bucket.spec.forProvider.rules[0].age = "two"

    made = Bucket(spec=BucketSpec(forProvider=ForProvider(rules=[Rule()])))
    line = assigned.__code__.co_firstlineno + 2
    assert fatal(assigned) == (
        "UsageError: bucket.spec.forProvider.rules[0].age: must be an integer (got 'two' that is a string) "
        f"(test_wrong_types.py:{line})"
    )

    def read_first(ctx: Any) -> None:
        ctx.resource("bucket", Bucket()).spec.forProvider.labels["a/b"] = 5

    assert 'bucket.spec.forProvider.labels["a/b"]: must be a string (got 5 that is an integer)' in fatal(read_first)

    def composite(ctx: Any) -> None:
        ctx.composite(XStorageBucket).status.count = "1"

    assert "xr.status.count: must be an integer (got '1' that is a string); write int(...)" in fatal(composite)


def test_observed_copies() -> None:
    """An observed value, list, map or model of another type is refused where it is copied to."""
    observed = {"vpc": samples.vpc(status={"vpcId": "vpc-1"})}

    def compose(ctx: Any) -> list[str]:
        vpc = ctx.resource("vpc", VPC()).observed
        provider = ctx.resource("bucket", Bucket()).spec.forProvider
        return [
            error(lambda: setattr(provider, "size", vpc.status.atProvider.vpcId)),
            error(lambda: setattr(provider, "zones", vpc.status.atProvider.vpcId)),
            error(lambda: setattr(provider, "location", vpc.spec.forProvider)),
            error(lambda: provider.labels.__setitem__("a", vpc.spec.forProvider)),
        ]

    found, _ = call(compose, observed=observed)
    assert found[0] == "bucket.spec.forProvider.size: must be an integer (got 'vpc-1' that is a string)"
    assert found[1].startswith("bucket.spec.forProvider.zones: must be a list (got 'vpc-1' that is a string)")
    assert found[2].startswith("bucket.spec.forProvider.location: must be a string (got ")
    assert found[3].startswith("bucket.spec.forProvider.labels.a: must be a string (got ")


def test_what_others_left_is_not_checked() -> None:
    """Wrong types in a previous function's resource and in observed state are read, passed on and copied as is."""
    odd = samples.bucket({"location": 5, "labels": {"a": 1}, "zones": ["a", 2], "size": "many"})

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        provider = bucket.spec.forProvider
        assert (provider.location, provider.zones, provider.size) == (5, ["a", 2], "many")
        provider.labels["b"] = "c"
        seen = bucket.observed.spec.forProvider
        for one in (copy.deepcopy(seen), pickle.loads(pickle.dumps(seen))):
            assert to_dict(one) == odd["spec"]["forProvider"]

    answer = run(compose, desired={"bucket": odd}, observed={"bucket": odd})
    assert not answer.fatal
    assert answer.resources["bucket"]["spec"]["forProvider"] == {
        **odd["spec"]["forProvider"],
        "labels": {"a": 1, "b": "c"},
    }


def test_text_of_a_missing_value_for_a_number() -> None:
    """Text that is made from a value that isn't there is refused for a number, with a hint."""

    def compose(ctx: Any) -> str:
        vpc = ctx.resource("vpc", VPC())
        return error(lambda: ForProvider(size=f"{vpc.observed.status.atProvider.vpcId}"))

    found, _ = call(compose)
    assert found.endswith("; give the value itself, not a string that is made from it")


def test_missing_values_of_another_type() -> None:
    """A missing value is refused where the schema gives it, or what it lies in, another type; parts of it too."""

    def compose(ctx: Any) -> None:
        seen = ctx.resource("vpc", VPC()).observed.status.atProvider
        provider = ctx.resource("bucket", Bucket()).spec.forProvider
        for field, value, word in (
            ("size", seen.vpcId, "a string"),
            ("location", seen.subnets, "a list"),
            ("location", seen.subnets[0], "a SubnetAtProvider or a mapping"),
            ("size", seen.subnets[0].id, "a string"),
        ):
            text = error(lambda field=field, value=value: setattr(provider, field, value))  # type: ignore[misc]
            assert f", which is {word})" in text
        text = error(lambda: setattr(ctx.composite(XStorageBucket).status, "names", seen.subnets))
        assert text.endswith(
            "each item must be a string (got vpc.status.atProvider.subnets, where it is "
            "a SubnetAtProvider or a mapping)"
        )
        provider.location = seen.subnets[0].id

    _, answer = call(compose)
    assert list(answer.resources) == ["vpc"]


def test_values_of_the_other_branch_are_not_checked() -> None:
    """A wrong value in a branch that isn't taken is no error."""

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        known = vpc.observed.status.atProvider.vpcId == "x"
        ctx.resource("bucket", Bucket()).spec.forProvider.location = 5 if known else "US"
        ctx.resource("after", Bucket()).spec.forProvider.project = "p" if known else "q"

    observed = {name: samples.bucket({"location": "EU", "project": "o"}) for name in ("bucket", "after")}
    answer: Response = run(compose, observed=observed)
    assert not answer.fatal
    found = {name: one["spec"]["forProvider"] for name, one in answer.resources.items() if name != "vpc"}
    assert found == {"bucket": {"location": "US"}, "after": {"project": "q"}}


class Tier(enum.Enum):
    """A plain enum."""

    SMALL = "small"
    PORT = 8080


class Zone(str, enum.Enum):
    """An enum of strings."""

    A = "a"


class Level(enum.IntEnum):
    """An enum of integers."""

    HIGH = 3


def test_members_of_enums() -> None:
    """A member of an enum is taken as its value, which has to fit: in fields, lists, maps and free-form values."""
    spec = Spec(text=Tier.SMALL, port=Tier.PORT, whole=Level.HIGH, texts=[Tier.SMALL, Zone.A], labels={"a": Zone.A})
    spec.any = {"a": [Tier.SMALL, Level.HIGH]}
    spec.free = {"b": Tier.PORT, "c": {"d": Zone.A}}
    spec.texts.append(Tier.SMALL)
    data = to_dict(spec)
    assert data == {
        **{"text": "small", "port": 8080, "whole": 3, "texts": ["small", "a", "small"], "labels": {"a": "a"}},
        **{"any": {"a": ["small", 3]}, "free": {"b": 8080, "c": {"d": "a"}}},
    }
    assert type(data["whole"]) is int
    assert error(lambda: Spec(whole=Tier.SMALL)) == "Spec.whole: must be an integer (got 'small' that is a string)"


def test_times_and_dates() -> None:
    """Times are written as Kubernetes writes them, in UTC; a time without a zone is an error."""
    east = datetime.timezone(datetime.timedelta(hours=2))
    spec = Spec(
        text=datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=east),
        texts=[datetime.datetime(2024, 5, 6, 7, 8, 9, 120000, tzinfo=datetime.timezone.utc), datetime.date(2024, 5, 6)],
        free={"at": datetime.datetime(2024, 5, 6, tzinfo=datetime.timezone.utc)},
    )
    assert to_dict(spec) == {
        "text": "2024-05-06T05:08:09Z",
        "texts": ["2024-05-06T07:08:09.120000Z", "2024-05-06"],
        "free": {"at": "2024-05-06T00:00:00Z"},
    }
    text = error(lambda: Spec(text=datetime.datetime(2024, 5, 6)))
    assert text.startswith("Spec.text: a time must have a time zone (got datetime.datetime(2024, 5, 6, 0, 0))")
    assert error(lambda: Spec(any=[datetime.datetime(2024, 5, 6)])).startswith("Spec.any: a time must have a time zone")


class Text(str):
    """A string of a class of its own."""


def test_subclasses_of_scalars() -> None:
    """A string of a class of its own is a string; a boolean is no integer."""
    assert to_dict(Spec(text=Text("a"), texts=[Text("b")])) == {"text": "a", "texts": ["b"]}
    assert error(lambda: Spec(whole=Text("a"))).startswith("Spec.whole: must be an integer")
    assert error(lambda: Spec(whole=True)) == "Spec.whole: must be an integer (got True that is a boolean)"
