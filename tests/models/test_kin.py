"""Models of kin classes in each other's places: classes of fields of one name whose shapes differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite.errors import UnknownFieldError, UsageError
from crossplane_lite.model import Model, to_dict
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
    ("make", "error", "text"),
    [
        (
            lambda: A(rule=BRule(more="m")),
            UnknownFieldError,
            "A.rule (a Rule) has no field 'more', which is set in the BRule that is put there",
        ),
        (
            lambda: B(rules=[BRule(), Rule(list=[Match(v="v"), Match(w="w")])]),
            UnknownFieldError,
            "B.rules[1].list[1] (a BRuleMatch) has no field 'w', which is set in the Match that is put there",
        ),
        (
            lambda: B(item=Rule(n=1)),
            UsageError,
            "B.item.n: must be a string (got 1 that is an integer); write str(...)",
        ),
        (lambda: B(item=Rule(tags={"a": "b"})), UsageError, "B.item.tags: must be a list (got {'a': 'b'} that is a"),
        (lambda: B(item=Rule(match=Match())), UsageError, "B.item.match: must be a string (got Match() that is a"),
        (lambda: B(item=Rule(open={"a": 1})), UsageError, "B.item.open: must be a string (got "),
        (lambda: B(item=Rule(list=[Match()])), UsageError, "B.item.list: must be a mapping (got [Match()] that is a"),
        (lambda: B(rule=Match()), UsageError, "B.rule: must be a BRule or a mapping (got Match() that is a Match)"),
        (lambda: B(rule=Other()), UsageError, "B.rule: must be a BRule or a mapping (got Other() that is an Other)"),
        (lambda: Thing(spec=Rule(x="x")), UsageError, "Thing.spec: must be a Spec or a mapping (got Rule(x='x') that"),
    ],
)
def test_what_does_not_fit(make: Callable[[], object], error: type[Exception], text: str) -> None:
    """What the other class hasn't is an error at its path; models of other fields are refused as ever."""
    with pytest.raises(error) as caught:
        make()
    assert text in str(caught.value)


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
    with pytest.raises(UsageError, match="must be a BRule"):
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
