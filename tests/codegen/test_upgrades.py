"""Code that constructs models by the names that they had goes on working when the definitions change."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.codegen.generate import Output
from crossplane_lite.errors import UnknownFieldError
from crossplane_lite.model import to_dict
from tests.codegen.generated import THING, Classes, crd, fields, obj, output
from tests.codegen.strategies import grown, object_schemas, places
from tests.codegen.test_naming import names

Json = dict[str, Any]
Path_ = tuple[str, ...]

VALUES = {"s": "text", "i": 5, "f": 1.5, "b": True, "q": 7, "f|s": "text", "x": [1], "o": {"a": "b"}}


class Code:
    """What people have written with the models of a definition.

    Args:
        made: The models.
    """

    def __init__(self, made: Output) -> None:
        self._classes = Classes(made.modules[f"{THING}.py"])
        self._names = names(made)

    def constructed(self, now: Classes, keep: set[Path_]) -> Any:
        """Construct a Thing with all fields, by the names that the classes had, with the classes that are there now.

        Args:
            now: These classes.
            keep: The paths of the fields.
        """
        return self._object((), now, keep)

    def _object(self, path: Path_, now: Classes, keep: set[Path_]) -> Any:
        given = {}
        for wire, (attribute, type_) in fields(self._classes.table[self._names[path]]).items():
            if (*path, wire) in keep:
                given[attribute] = self._value(type_.partition("#")[0], (*path, wire), now, keep)
        return now[self._names[path]](**given)

    def _value(self, type_: str, path: Path_, now: Classes, keep: set[Path_]) -> Any:
        if type_[0] == "[":
            return [self._value(type_[1:], path, now, keep)]
        if type_[0] == "{":
            return {"key": self._value(type_[1:], path, now, keep)}
        return self._object(path, now, keep) if path in self._names else VALUES[type_]


def all_fields(schema: Json) -> dict[Path_, Json | None]:
    """Return the schema of each field, by its path; None for an object with fields of its own."""
    objects = {path for path, _ in places(schema)}
    return {
        (*path, wire): None if (*path, wire) in objects else one
        for path, below in places(schema)
        for wire, one in below["properties"].items()
    }


def check_constructors(before: Json, after: Json, earlier: Output) -> Output:
    """Check that all that was constructed can be constructed now, but for the fields that are gone."""
    later = output(crd(after), previous=earlier)
    was, now = Classes(earlier.modules[f"{THING}.py"]), Classes(later.modules[f"{THING}.py"])
    # What people only read isn't constructed.
    old, new = all_fields(before), all_fields(after)
    keep = {path for path in old if path in new and old[path] == new[path] and path[:1] != ("status",)}
    code = Code(earlier)
    assert to_dict(code.constructed(now, keep)) == to_dict(code.constructed(was, keep))
    return later


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_nothing_fails_where_fields_are_added(data: st.DataObject) -> None:
    """Fields are added anywhere, twice: all that could be constructed before still can, by the same names."""
    schema = data.draw(object_schemas(), label="first")
    made = output(crd(schema))
    for label in ("second", "third"):
        after = data.draw(grown(schema), label=label)
        made = check_constructors(schema, after, made)
        schema = after


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_nothing_fails_but_what_is_gone(data: st.DataObject) -> None:
    """Fields are added anywhere, and one goes in one place: all but this one can be constructed in all places."""
    before = data.draw(object_schemas(), label="before")
    after = data.draw(grown(before), label="after")
    objects = [(path, place) for path, place in places(after) if len(place["properties"]) > 1]
    path, place = data.draw(st.sampled_from(sorted(objects, key=lambda one: one[0])), label="place")
    gone = data.draw(st.sampled_from(sorted(place["properties"])), label="gone")
    if path and path[0] == "status":
        return
    del place["properties"][gone]
    check_constructors(before, after, output(crd(before)))


@pytest.mark.parametrize("changed", ["a", "b", "c", "ab", "bc", "ac", "abc"])
def test_places_that_shared_a_class(changed: str) -> None:
    """Whichever of the places of a class gain a field, the class can be constructed in each of them."""
    before = obj(spec=obj(**{name: obj(rule=obj(x="s", match=obj(v="s"))) for name in "abc"}))
    after = copy.deepcopy(before)
    for number, name in enumerate(changed):
        rule = after["properties"]["spec"]["properties"][name]["properties"]["rule"]
        rule["properties"] |= obj(**{f"more{number}": "i"})["properties"]
        rule["properties"]["match"]["properties"] |= obj(**{f"more{number}": "s"})["properties"]
    check_constructors(before, after, output(crd(before)))


def test_the_shape_that_lost_nothing_keeps_the_name() -> None:
    """Where most places lost a field that another still has, or a field within it, that one keeps the name."""
    rule = obj(x="s", match=obj(v="s", w="s"))
    before = obj(spec=obj(**{name: obj(rule=rule) for name in "abc"}))
    for lost in (obj(match=rule["properties"]["match"]), obj(x="s", match=obj(v="s")), obj(x="i", match=obj(v="s"))):
        after = obj(spec=obj(a=obj(rule=lost), b=obj(rule=lost), c=obj(rule=rule)))
        later = check_constructors(before, after, output(crd(before)))
        assert names(later)[("spec", "c", "rule")] == "Rule"


def test_what_no_name_can_keep() -> None:
    """Where each of two places lost a field that the other still has, no class has both, so one goes."""
    before = obj(spec=obj(a=obj(rule=obj(x="s", y="s")), b=obj(rule=obj(x="s", y="s"))))
    after = obj(spec=obj(a=obj(rule=obj(x="s")), b=obj(rule=obj(y="s"))))
    later = output(crd(after), previous=output(crd(before)))
    now = Classes(later.modules[f"{THING}.py"])
    assert to_dict(now["A"](rule=now["Rule"](x="x"))) == {"rule": {"x": "x"}}
    with pytest.raises(UnknownFieldError, match="Rule has no field 'y'"):
        now["Rule"](y="y")
    assert to_dict(now["B"](rule=now["BRule"](y="y"))) == {"rule": {"y": "y"}}
