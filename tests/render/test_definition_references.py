"""A composite's references to what it is composed of."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from crossplane_lite._tools.render.definition import composition_of, references_of, with_composition, with_references


def resource(kind: str, name: str, namespace: str | None = None) -> dict[str, Any]:
    """Return a resource."""
    metadata = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata}


def test_order_and_namespaces() -> None:
    """References are sorted; those of a composite in a namespace have no namespaces, which are all its own."""
    resources = [resource("B", "a", "y"), resource("A", "b", "x"), resource("A", "a"), resource("B", "a", "x")]
    places = [(one["kind"], one["name"], one.get("namespace")) for one in references_of(resources, "")]
    assert places == [("A", "a", None), ("A", "b", "x"), ("B", "a", "x"), ("B", "a", "y")]
    assert references_of(resources[:1], "y") == [{"apiVersion": "v1", "kind": "B", "name": "a"}]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"a": 1}, {"a": 1, "crossplane": {"resourceRefs": []}}),
        (
            {"crossplane": {"compositionRef": {"name": "c"}, "resourceRefs": [1]}},
            {"crossplane": {"compositionRef": {"name": "c"}, "resourceRefs": []}},
        ),
        ({"crossplane": 1}, {"crossplane": {"resourceRefs": []}}),
        ({"resourceRefs": [1]}, {"resourceRefs": [1], "crossplane": {"resourceRefs": []}}),
        (None, {"crossplane": {"resourceRefs": []}}),
    ],
)
def test_where_they_are(spec: Any, expected: Any) -> None:
    """They are in spec.crossplane, whatever else the spec has; what was given isn't changed."""
    given = copy.deepcopy(spec)
    assert with_references(spec, []) == expected
    assert spec == given


def test_of_crossplane_1() -> None:
    """A composite of Crossplane 1 has its references, also that to its Composition, directly in its spec."""
    spec = {"a": 1, "resourceRefs": [1], "crossplane": {"compositionRef": {"name": "other"}}}
    assert with_references(spec, [], True) == {**spec, "resourceRefs": []}
    made = with_composition(spec, "c", True)
    assert made == {**spec, "compositionRef": {"name": "c"}}
    assert (composition_of({"spec": made}, True), composition_of({"spec": made})) == ("c", "other")
    assert with_composition(None, "c", False) == {"crossplane": {"compositionRef": {"name": "c"}}}
