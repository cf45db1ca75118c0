"""Showing where documents differ."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.manifests.yaml import dump
from crossplane_lite.testing._differences import differences

NAME = "crossplane.io/composition-resource-name"


def thing(name: str, **spec: Any) -> dict[str, Any]:
    """Return a composed resource of that composition resource name."""
    return {"apiVersion": "a/v1", "kind": "Thing", "metadata": {"annotations": {NAME: name}}, "spec": spec}


def plain(name: str, kind: str = "ConfigMap", **more: Any) -> dict[str, Any]:
    """Return an object that isn't composed."""
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **more}


def test_same() -> None:
    """The order of documents and of keys doesn't count."""
    one, two = thing("a", x=1, y=2), thing("b")
    assert differences([one, two], [two, {key: one[key] for key in reversed(one)}]) == []
    assert differences([], []) == []


def test_changed() -> None:
    """A changed value is shown with what is around it, and with the path of keys that this stands under."""
    ports = [{"name": f"p{number}", "port": number} for number in range(10)]
    other = [*ports[:6], {"name": "p6", "port": 66}, *ports[7:]]
    assert differences([thing("a", deep={"ports": ports})], [thing("a", deep={"ports": other})]) == [
        "",
        "a (Thing):",
        "  @ spec.deep.ports",
        "      - name: p5",
        "        port: 5",
        "      - name: p6",
        "-       port: 6",
        "+       port: 66",
        "      - name: p7",
        "        port: 7",
        "      - name: p8",
    ]


def test_added_and_removed() -> None:
    """Documents that one side alone has are shown whole, those that are gone at the end."""
    lines = differences([plain("gone"), thing("a")], [thing("a"), thing("new")])
    assert [line for line in lines if line and line[0] not in "+- "] == [
        "new (Thing) is not in the snapshot:",
        "ConfigMap gone is only in the snapshot:",
    ]
    assert lines[2:4] == ["+ apiVersion: a/v1", "+ kind: Thing"]
    assert lines[-1] == "-   name: gone"


def test_names() -> None:
    """Composed resources are told apart by their names alone, others by kind, namespace and name, and the rest by
    their number."""
    kind_changed = {**thing("a"), "kind": "Other"}
    assert differences([thing("a")], [kind_changed])[1] == "a (Other):"
    in_namespace = {**plain("x"), "metadata": {"name": "x", "namespace": "ns"}}
    assert differences([in_namespace], [])[1] == "ConfigMap ns/x is only in the snapshot:"
    results = [{"kind": "Result", "message": text} for text in ("one", "two")]
    assert differences(results, [results[0], {**results[1], "message": "three"}])[1] == "Result 2:"
    assert differences([{}], [{"a": 1}])[1] == "document 1:"


def test_odd_documents() -> None:
    """Whatever stands where names are expected, it is compared."""
    odd: list[dict[str, Any]] = [{"kind": 1}, {"metadata": []}, {"metadata": {"annotations": 5, "name": {}}}]
    assert differences(odd, odd) == []
    assert differences(odd, [])


def test_long_lines() -> None:
    """Of lines that are too long the part is shown in which they differ."""
    policy = "x" * 5000
    lines = differences([thing("a", p=policy + "1" + policy)], [thing("a", p=policy + "2" + policy)])
    changed = [line for line in lines if line[:1] in "+-" and line]
    assert all(len(line) < 250 for line in lines)
    assert [one[:5] for one in changed] == ["- ...", "+ ..."]
    assert "x1x" in changed[0] and "x2x" in changed[1]
    assert changed[0].endswith("more characters)")


@pytest.mark.slow
def test_much() -> None:
    """However much differs, a few hundred lines come of it, and they say what they leave out."""
    many = [thing(f"r{number}", items=[{"x": item} for item in range(100)]) for number in range(200)]
    lines = differences([], many)
    assert len(lines) < 1000
    assert "  (and 67 more lines)" in lines
    assert lines[-1].startswith("and 180 more: r20, r21, ")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab:- \n", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.lists(st.dictionaries(st.sampled_from(["kind", "metadata", "spec"]), VALUES, max_size=3), max_size=3)


@pytest.mark.slow
@given(DOCUMENTS, DOCUMENTS)
def test_nothing_is_overlooked(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    """There are differences exactly where the documents, as text with sorted keys, aren't the same."""

    def texts(documents: list[dict[str, Any]]) -> list[str]:
        return sorted(dump([document], sort_keys=True) for document in documents)

    if not differences(one, other):
        assert texts(one) == texts(other)
    if one == other and dump(one, sort_keys=True) == dump(other, sort_keys=True):
        assert differences(one, other) == []


@pytest.mark.slow
def test_documents_without_names() -> None:
    """Documents without names are compared in their order, and their number costs no more than their texts."""
    before: list[dict[str, Any]] = [{"a": number} for number in range(20_000)]
    after: list[dict[str, Any]] = [*before[:-1], {"a": "x"}]
    start = time.process_time()
    assert differences(before, after) == ["", "document 20000:", "  @", "- a: 19999", "+ a: x"]
    assert time.process_time() - start < 30
