"""What an upgrade changed in models: classes and fields renamed, added, removed, and types."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.codegen.changes import Change, ModuleChanges, as_data, changes, of_modules
from crossplane_lite._tools.codegen.generate import Output
from tests.codegen.generated import crd, obj, output, table, thing
from tests.codegen.strategies import grown, object_schemas, places

Json = dict[str, Any]


def between(before: Output, after: Output) -> list[ModuleChanges]:
    """Return the changes from one output to another."""
    old = {**before.modules, **before.stubs}
    return list(of_modules(old.get, {**after.modules, **after.stubs}, [*before.modules, *after.modules]))


def found(before: Json, after: Json) -> list[Change]:
    """Return the changes of a kind whose schema changed, generated into one folder."""
    first = output(crd(before))
    modules = between(first, output(crd(after), previous=first))
    assert [one.title for one in modules] == ["Thing of example.org/v1"][: len(modules)]
    return [change for one in modules for change in one.changes]


def enum(*values: str) -> Json:
    """Return the schema of a string of some values."""
    return {"type": "string", "enum": list(values)}


def test_fields() -> None:
    """A field that is new or gone is told with its class, the first place of that, and its type."""
    rule = obj(port="i", host="s")
    before = obj(spec=obj(a=obj(rule=rule), b=obj(rule=rule)))
    grown_rule = obj(port="i", more={"type": "array", "items": {"type": "string"}})
    assert found(before, obj(spec=obj(a=obj(rule=grown_rule), b=obj(rule=grown_rule)))) == [
        Change("field removed", "Rule", "spec.a.rule", "host", "str", ""),
        Change("field added", "Rule", "spec.a.rule", "more", "", "list[str]"),
    ]


def test_types() -> None:
    """A type that changed is told as it was and as it is: scalars, lists, maps, classes and what a string may be."""
    before = obj(spec=obj(a="s", b="i", c=obj(x="s"), d=enum("p", "q"), e="s", f=obj(x="s"), g="x"))
    of_map = {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}
    of_list = {"type": "array", "items": obj(x="s")}
    after = obj(spec=obj(a="i", b="q", c=of_list, d=enum("q", "r"), e=enum("q"), f="b", g=of_map))
    told = {one.field: (one.before, one.after) for one in found(before, after) if one.what == "type changed"}
    assert told == {
        "a": ("str", "int"),
        "b": ("int", "int | str"),
        "c": ("C", "list[C]"),
        "d": ("Literal['p', 'q']", "Literal['q', 'r']"),
        "e": ("str", "Literal['q']"),
        "f": ("F", "bool"),
        "g": ("Any", "dict[str, list[int]]"),
    }


def test_what_changes_nothing() -> None:
    """Another order of values, other descriptions and the same schema are no changes."""
    one = obj(spec=obj(a=enum("p", "it's", 'a "b"', "c, d", "[e]"), b={"type": "string", "description": "Old."}))
    other = obj(spec=obj(b={"type": "string", "description": "New."}, a=enum("[e]", "c, d", 'a "b"', "it's", "p")))
    assert found(one, other) == []


def test_classes() -> None:
    """A class that splits is told with the place of the one that has another name now; new and gone ones by name."""
    config = obj(a="s")
    before = obj(spec=obj(config=config, gone=obj(z="s")), status=obj(config=config))
    after = obj(spec=obj(config=obj(a="s", b="s"), new=obj(y="s")), status=obj(config=config))
    told = found(before, after)
    assert Change("class renamed", "ThingStatusConfig", "status.config", "", "Config", "ThingStatusConfig") in told
    assert Change("field added", "Config", "spec.config", "b", "", "str") in told
    assert {one for one in told if not one.field and one.what != "class renamed"} == {
        Change("class removed", "Gone", "", "", "Gone", ""),
        Change("class added", "New", "", "", "", "New"),
    }
    assert [one.may_break for one in told if one.what.endswith("added")] == [False] * 3
    assert all(one.may_break for one in told if not one.what.endswith("added"))


def test_attributes() -> None:
    """An attribute that is called otherwise than before, for the same field, is a field renamed."""
    before = {"Thing": "@example.org/v1 spec:Spec", "Spec": "x=x-y:s"}
    after = {"Thing": "@example.org/v1 spec:Spec", "Spec": "x_y=x-y:s"}
    assert changes(before, after) == [Change("field renamed", "Spec", "spec", "x_y", "x", "x_y")]


def test_objects_without_properties_and_choices() -> None:
    """What an object without properties and a choice of types are is told in words."""
    before, after = {"Thing": "@a/v1 a:x b:s c:s"}, {"Thing": "@a/v1 a:o b:b|s c:{o"}
    assert [(one.field, one.before, one.after) for one in changes(before, after)] == [
        *(("a", "Any", "DynamicModel"), ("b", "str", "bool | str"), ("c", "str", "dict[str, DynamicModel]"))
    ]


def test_modules() -> None:
    """Modules that are new or gone are told by their kind; those of a folder that didn't change aren't told at all."""
    first, second = output(thing(a="s")), output(crd(obj(a="s"), group="b.org", kind="Other"))
    assert between(first, second) == [
        ModuleChanges("org/b/other/v1", "Other of b.org/v1", "added", []),
        ModuleChanges("org/example/thing/v1", "Thing of example.org/v1", "removed", []),
    ]
    assert between(first, first) == []


def test_without_stubs_before() -> None:
    """Where the stubs weren't there, or go elsewhere, what a string may be is not compared."""
    one, two = output(thing(a=enum("p"))), output(thing(a=enum("p"), b="s"))
    told = list(of_modules(one.modules.get, {**two.modules, **two.stubs}, list(two.modules)))
    assert [change.what for module in told for change in module.changes] == ["field added"]


def test_recursive_classes() -> None:
    """Classes that hold themselves or each other, and that nothing else refers to, are compared as well."""
    before = {"A": "b:B x:s", "B": "a:A", "C": "c:C"}
    after = {"A": "b:B x:i", "B": "a:A y:s", "C": "c:C z:s"}
    assert {(one.what, one.cls, one.field) for one in changes(before, after)} == {
        *(("type changed", "A", "x"), ("field added", "B", "y"), ("field added", "C", "z"))
    }


@pytest.mark.slow
@settings(max_examples=25)
@given(st.data())
def test_what_grows_loses_nothing(data: st.DataObject) -> None:
    """Where properties were only added, no field is gone; each one that is new is told, and each name that changed."""
    before = data.draw(object_schemas(), label="before")
    after = data.draw(grown(before), label="after")
    first = output(crd(before))
    second = output(crd(after), previous=first)
    told = [change for module in between(first, second) for change in module.changes]
    assert not [one for one in told if one.what in ("field removed", "field renamed")]
    (old, new) = (table(made.modules["org/example/thing/v1.py"]) for made in (first, second))
    gone = {one.before for one in told if one.what == "class removed"}
    renamed = {one.before for one in told if one.what == "class renamed"}
    assert old.keys() - new.keys() <= gone | renamed
    count = sum(len(schema["properties"]) for _, schema in places(after))
    if count > sum(len(schema["properties"]) for _, schema in places(before)):
        assert any(one.what == "field added" for one in told)


def test_as_data() -> None:
    """Changes are plain data with the keys that say something."""
    change = Change("field added", "Rule", "spec.rule", "more", "", "str")
    assert as_data(ModuleChanges("a/b", "B of a/v1", "changed", [change])) == {
        "module": "a.b",
        "title": "B of a/v1",
        "what": "changed",
        "changes": [
            {"what": "field added", "class": "Rule", "place": "spec.rule", "field": "more", "after": "str"},
        ],
    }
