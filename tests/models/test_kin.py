"""Models of kin classes in each other's places: classes of fields of one name whose shapes differ."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite.errors import UnknownFieldError, UsageError
from crossplane_lite.model import Model, to_dict
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import LabelSelector, LabelSelectorRequirement
from crossplane_lite.table import load
from tests.support import run

_get, _ = load(
    __name__,
    {
        "Thing": "@example.org/v1 metadata:meta.ObjectMeta spec:Spec",
        "Spec": "a:A b:B other:Other",
        "A": "rule:Rule",
        "B": "rule:BRule rules:[BRule by:{BRule lists:[[BRule item:BRuleItem open:OpenRule",
        "Other": "x:s",
        "Rule": "x:s n:i match:Match list:[Match tags:{s open:o any:x",
        "BRule": "~Rule x:s n:i more:s match:BRuleMatch list:[BRuleMatch tags:{s open:o any:x",
        "BRuleItem": "~Rule odd=x:s n:s tags:[s match:s open:s list:{Match",
        "OpenRule": "* ~Rule x:s",
        "Match": "v:s w:s",
        "BRuleMatch": "~Match v:s u:s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)


def __getattr__(name: str) -> Any:
    return _get(name)


Thing, A, B, Other, Rule, BRule, Match, BRuleMatch = map(_get, "Thing A B Other Rule BRule Match BRuleMatch".split())


def test_a_model_becomes_one_of_its_place() -> None:
    """It is the same object, of the other class, and so are the models in it; the rest is as it was."""
    inner = Match(v="v")
    rule = Rule(x="x", match=inner, list=[Match(v="1")], tags={"a": "b"}, open={"q": {"r": 1}}, any=[1])
    before = to_dict(rule)
    b = B(rule=rule)
    assert b.rule is rule
    assert type(rule) is BRule
    assert rule.match is inner
    assert type(inner) is BRuleMatch
    assert to_dict(b) == {"rule": before}
    rule.more = "now a field"
    inner.u = "too"
    rule.list.append(Match(v="2"))
    assert type(rule.list[1]) is BRuleMatch
    assert to_dict(rule) == {
        **before,
        "more": "now a field",
        "match": {"v": "v", "u": "too"},
        "list": [{"v": "1"}, {"v": "2"}],
    }


@pytest.mark.parametrize(
    "put",
    [
        lambda rule: B(rule=rule),
        lambda rule: B(rules=[rule, BRule(more="m")]),
        lambda rule: B(rules=[BRule(), rule]),
        lambda rule: B(by={"k": rule}),
        lambda rule: B(lists=[[rule]]),
        lambda rule: B(item=rule),
        lambda rule: B(open=rule),
        lambda rule: setattr(B(), "rule", rule),
        lambda rule: B(rules=[]).rules.append(rule),
        lambda rule: B(by={}).by.update(k=rule),
        lambda rule: Thing(spec={"b": {"rule": rule}}),
    ],
)
def test_in_every_place(put: Callable[[Model], object]) -> None:
    """Constructors, assignments, nested data, lists and maps take it."""
    rule = Rule(x="x")
    put(rule)
    assert type(rule) is not Rule
    assert to_dict(rule) == {"x": "x"}


def test_the_other_way_round() -> None:
    """Kin classes stand in each other's places, whichever has the short name."""
    assert to_dict(A(rule=BRule(x="x", match=BRuleMatch(v="v")))) == {"rule": {"x": "x", "match": {"v": "v"}}}


@pytest.mark.parametrize(
    ("make", "error", "path"),
    [
        (lambda: A(rule=BRule(more="m")), UnknownFieldError, "A.rule"),
        (lambda: B(rules=[BRule(), Rule(list=[Match(v="v"), Match(w="w")])]), UnknownFieldError, "B.rules[1].list[1]"),
        (lambda: B(item=Rule(n=1)), UsageError, "B.item.n"),
        (lambda: B(item=Rule(tags={"a": "b"})), UsageError, "B.item.tags"),
        (lambda: B(item=Rule(match=Match())), UsageError, "B.item.match"),
        (lambda: B(item=Rule(open={"a": 1})), UsageError, "B.item.open"),
        (lambda: B(item=Rule(list=[Match()])), UsageError, "B.item.list"),
        (lambda: B(rule=Match()), UsageError, "B.rule"),
        (lambda: B(rule=Other()), UsageError, "B.rule"),
        (lambda: Thing(spec=Rule(x="x")), UsageError, "Thing.spec"),
    ],
)
def test_what_does_not_fit(make: Callable[[], object], error: type[Exception], path: str) -> None:
    """What the other class hasn't is an error at its path; models of other fields are refused as ever."""
    with pytest.raises(error) as caught:
        make()
    assert re.split(": | \\(| has no", str(caught.value))[0] == path


def test_a_field_that_the_other_class_lacks_is_named() -> None:
    """The message has the place, both classes and the field."""
    with pytest.raises(UnknownFieldError) as caught:
        B(rules=[BRule(), Rule(list=[Match(v="v"), Match(w="w")])])
    assert str(caught.value) == (
        "B.rules[1].list[1] (a BRuleMatch) has no field 'w', which is set in the Match that is put there"
    )


def test_what_does_not_fit_changes_nothing() -> None:
    """A model that is refused is as it was, with all that is in it."""
    rule = Rule(x="x", list=[Match(v="v")], match=Match(w="w"))
    with pytest.raises(UnknownFieldError):
        B(rule=rule)
    assert (type(rule), type(rule.match), type(rule.list[0])) == (Rule, Match, Match)
    assert to_dict(A(rule=rule)) == {"rule": {"x": "x", "list": [{"v": "v"}], "match": {"w": "w"}}}


def test_a_part_that_was_read_before() -> None:
    """Where somebody may hold a part that isn't set yet, which would be of the old class, the model is refused."""
    rule = Rule(x="x")
    match = rule.match
    with pytest.raises(UsageError, match=r"^B\.rule: "):
        B(rule=rule)
    match.v = "set by now"
    assert to_dict(rule) == {"x": "x", "match": {"v": "set by now"}}


def test_in_a_call() -> None:
    """In compose() it is the same object; one that stands elsewhere, or was made outside, is copied as ever."""
    outside = Rule(x="outside")

    @composition.function
    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Thing())
        rule = thing.spec.b.rule = Rule(x="one")
        rule.more = "two"
        thing.spec.a.rule = Rule(x="held")
        thing.spec.b.rules = [thing.spec.a.rule, outside]
        thing.spec.b.rules[0].more = "three"
        del thing.spec.b.rules[1].n
        assert type(thing.spec.a.rule) is type(outside) is Rule

    answer = run(compose)
    assert not answer.fatal
    assert answer.resources["thing"]["spec"] == {
        "a": {"rule": {"x": "held"}},
        "b": {"rule": {"x": "one", "more": "two"}, "rules": [{"x": "held", "more": "three"}, {"x": "outside"}]},
    }


def test_deleted_fields_come_along() -> None:
    """A field that was deleted is deleted in the other class too, by its name there."""
    rule = Rule()
    del rule.x
    b = B(item=rule)
    assert b.item._node.deleted == {"odd"}


# --- Kubernetes' own types ---------------------------------------------------------------------------------------

_monitor, _ = load(
    "monitoring.v1",
    {
        "Monitor": "@monitoring.example.org/v1 metadata:meta.ObjectMeta spec:MonitorSpec",
        "MonitorSpec": "selector:Selector env:[EnvItem named:{EnvItem",
        "Selector": "matchExpressions:[MatchExpressionsItem matchLabels:{s",
        "MatchExpressionsItem": "key:s operator:s values:[s",
        "EnvItem": "name:s value:s valueFrom:ValueFrom",
        "ValueFrom": "secretKeyRef:SecretKeyRef",
        "SecretKeyRef": "key:s name:s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
_core, _ = load(
    "models.io.k8s.api.core.v1",
    {
        "EnvVar": "name:s value:s valueFrom:EnvVarSource",
        "EnvVarSource": "fieldRef:FieldRef secretKeyRef:SecretKeySelector",
        "FieldRef": "fieldPath:s",
        "SecretKeySelector": "key:s name:s optional:b",
        "Container": "env:[EnvVar ports:[ContainerPort",
        "ContainerPort": "containerPort:i name:s",
    },
)


def test_types_of_kubernetes_fit_where_their_fields_do() -> None:
    """A model of one of Kubernetes' own types is taken by other kinds that write the type out anew, with all in it."""
    secret = _core("SecretKeySelector")(key="k", name="n")
    env = _core("EnvVar")(name="A", valueFrom=_core("EnvVarSource")(secretKeyRef=secret))
    selector = LabelSelector(
        matchLabels={"a": "b"}, matchExpressions=[LabelSelectorRequirement(key="k", operator="Exists")]
    )
    spec = _monitor("MonitorSpec")(selector=selector, env=[env], named={"a": _core("EnvVar")(name="B")})
    assert to_dict(spec) == {
        "selector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "k", "operator": "Exists"}]},
        "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"key": "k", "name": "n"}}}],
        "named": {"a": {"name": "B"}},
    }
    assert type(spec.env[0]) is _monitor("EnvItem")
    spec.env.append(_core("EnvVar")(name="C", value="c"))
    spec.selector.matchExpressions += [LabelSelectorRequirement(key="l", operator="Exists")]
    assert [one.name for one in spec.env] == ["A", "C"]
    assert len(spec.selector.matchExpressions) == 2


def test_types_of_kubernetes_that_do_not_fit() -> None:
    """What such a model sets and the field lacks is an error; Kubernetes' own kinds are as strict as ever."""
    source = _core("EnvVarSource")(fieldRef=_core("FieldRef")(fieldPath="a"))
    with pytest.raises(UnknownFieldError, match="fieldRef"):
        _monitor("MonitorSpec")(env=[_core("EnvVar")(name="A", valueFrom=source)])
    assert source.fieldRef.fieldPath == "a"
    with pytest.raises(UsageError, match="must be an EnvVar"):
        _core("Container")(env=[_core("ContainerPort")(name="a")])
    with pytest.raises(UsageError, match="must be an EnvVar"):
        _core("Container")(env=[_monitor("EnvItem")(name="a")])
    with pytest.raises(UsageError, match="must be an EnvItem"):
        _monitor("MonitorSpec")(env=[_monitor("Selector")()])
