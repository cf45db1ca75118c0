"""What stands in a composite's spec and its model doesn't know."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite.context import Context
from crossplane_lite.render import Rendered, Step, render
from crossplane_lite.table import load

make, _ = load(
    "outdated_models",
    {
        "XThing": "@example.org/v1 spec:Spec",
        "Spec": "region:s parts:[Part byName:{Part any:x open:Open",
        "Part": "name:s size:i",
        "Open": "* a:s",
    },
)
XThing = make("XThing")


@composition.function(name="typed")
def typed(ctx: composition.Context) -> None:
    """Ask for the composite as its model."""
    ctx.composite(XThing)


@composition.function(name="untyped")
def untyped(ctx: composition.Context) -> None:
    """Ask for it as an object without a schema."""
    ctx.composite(Unstructured)


def composite(spec: Any) -> dict[str, Any]:
    """Return a composite."""
    return {"apiVersion": "example.org/v1", "kind": "XThing", "metadata": {"name": "a"}, "spec": spec}


def once(spec: Any, *functions: Any) -> Rendered:
    """Render functions, one step each."""
    given = functions or (typed,)
    steps = [Step(one.name, one.name) for one in given]
    before = Context.composite
    rendered = render(composite(spec), steps, {one.name: one for one in given})
    assert Context.composite is before
    return rendered


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        ({"regoin": "eu"}, ["spec.regoin isn't a field of the model XThing; did you mean 'region'? If the XRD has"]),
        ({"parts": [{"name": "a"}, {"nam": "b"}]}, ["spec.parts[1].nam isn't a field of the model XThing; did"]),
        (
            {"byName": {"a/b": {"x": 1}}},
            ['spec.byName["a/b"].x isn\'t a field of the model XThing; if the XRD has it, run `cross'],
        ),
        ({"parts": "a"}, ["spec.parts must be a list, by the model XThing (got 'a')"]),
        ({"parts": [3]}, ["spec.parts[0] must be an object, by the model XThing (got 3)"]),
        ([1], ["spec must be an object, by the model XThing (got [1])"]),
        ({"a": 1, "b": 2}, ["spec.b isn't a field", "spec.a isn't a field"]),
    ],
)
def test_what_does_not_fit(spec: Any, lines: list[str]) -> None:
    """A field that the model doesn't have is noted with the near name, and so is one of another shape."""
    if not isinstance(spec, dict):
        from crossplane_lite._tools.render.observing import unknown_fields

        notes = list(unknown_fields(XThing, testing.request(composite(spec))))
    else:
        notes = list(once(spec).notes)
    assert len(notes) == len(lines)
    for note in notes:
        assert any(note.startswith(f"the composite's {line}") for line in lines)


@pytest.mark.parametrize(
    "spec",
    [
        {"region": "eu", "parts": [{"name": "a", "size": 1}], "byName": {"a": None}, "any": {"x": [1]}},
        {"open": {"a": "b", "c": {"d": 1}}, "parts": None},
        {"crossplane": {"compositionRef": {"name": "c"}}, "writeConnectionSecretToRef": {"name": "s"}},
        {},
    ],
)
def test_what_fits(spec: Any) -> None:
    """What the model has, what it takes as it comes, and what steers Crossplane is no mistake."""
    assert list(once(spec).notes) == []


def test_objects_without_a_schema() -> None:
    """A function that asks for the composite without a model has nothing to hold it against."""
    assert list(once({"regoin": "eu"}, untyped).notes) == []


def test_once_for_all_steps() -> None:
    """Two steps with the same model say it once."""

    @composition.function(name="again")
    def second(ctx: composition.Context) -> None:
        ctx.composite(XThing)

    assert len(once({"regoin": "eu"}, typed, second).notes) == 1


def test_in_a_test() -> None:
    """pytest shows it as a warning."""
    with pytest.warns(UserWarning, match="regoin isn't a field of the model XThing"):
        testing.render(composite({"regoin": "eu"}), typed)
