"""A composite's references to what it is composed of."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from crossplane_lite.render.references import references_of, with_references


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
        ({"compositionUpdatePolicy": "Automatic"}, {"compositionUpdatePolicy": "Automatic", "resourceRefs": []}),
        ({"resourceRefs": [1]}, {"resourceRefs": []}),
        (None, {"crossplane": {"resourceRefs": []}}),
    ],
)
def test_where_they_are(spec: Any, expected: Any) -> None:
    """They are in spec.crossplane, or in the spec of a composite of Crossplane 1; what was given isn't changed."""
    given = copy.deepcopy(spec)
    assert with_references(spec, []) == expected
    assert spec == given
