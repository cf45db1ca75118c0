"""What a failed comparison of models, responses and resources shows."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite.testing._compared import explained
from tests.behaviour.models import Bucket, BucketSpec, ForProvider, Rule
from tests.testing.inner import Project

XR = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "x"}}


@composition.function(name="step")
def compose(ctx: Any) -> None:
    """Register two things."""
    for name in ("a", "b"):
        ctx.resource(name, Unstructured("example.org/v1", "Thing", spec={"size": 3, "tags": ["x", name]}))


def bucket(**fields: Any) -> Any:
    """Return a bucket with fields of forProvider."""
    return Bucket(spec=BucketSpec(forProvider=ForProvider(**fields)))


CASES: dict[str, tuple[Any, Any, list[str]]] = {
    "models": (
        bucket(location="US", labels={"a": "b"}, zones=["a"]),
        bucket(location="EU", labels={"a": "b", "a/c": "d"}),
        [
            "spec.forProvider.labels[\"a/c\"]: (not there) != 'd'",
            "spec.forProvider.location: 'US' != 'EU'",
            "spec.forProvider.zones: ['a'] != (not there)",
        ],
    ),
    "a list of models": (
        [Rule(name="a"), Rule(name="b")],
        [Rule(name="a", age=1)],
        ["[0].age: (not there) != 1", "[1]: {'name': 'b'} != (not there)"],
    ),
    "a list of a model": (
        bucket(rules=[Rule(name="a")]).spec.forProvider.rules,
        [{"name": "b"}],
        ["[0].name: 'a' != 'b'"],
    ),
    "resources": (
        {"apiVersion": "v1", "kind": "A", "spec": {"ports": [{"port": 1}]}},
        {"apiVersion": "v1", "kind": "A", "spec": {"ports": [{"port": "1"}]}},
        ["spec.ports[0].port: 1 != '1'"],
    ),
    "resources by name": (
        {"a": {"apiVersion": "v1", "kind": "A"}},
        {"a": {"apiVersion": "v1", "kind": "B"}, "b": {}},
        ["a.kind: 'A' != 'B'", "b: (not there) != {}"],
    ),
    "other classes": (Rule(name="a"), ForProvider(location="a"), ["a Rule is never equal to a ForProvider"]),
}


@pytest.mark.parametrize("case", CASES)
def test_each_place_that_differs(case: str) -> None:
    """Each place that differs has a line with its path and both values, and what is equal has none."""
    left, right, lines = CASES[case]
    assert left != right
    found = explained(left, right)
    assert found is not None
    shown = [line.removeprefix("all of it") for line in found[1:]]
    assert shown[: len(lines)] == lines
    assert case == "other classes" or len(shown) == len(lines)


def test_responses() -> None:
    """Of two responses the parts that differ are shown, down to the field."""
    one = testing.run(compose, testing.request(XR))
    other = testing.run(compose, testing.request(XR))
    other.desired["b"]["spec"]["tags"][1] = "c"
    found = explained(one, other)
    assert found is not None
    assert found[1:] == ["desired.b.spec.tags[1]: 'b' != 'c'"]
    found = explained(one.desired["a"], {**one.desired["a"], "spec": {"size": 3.5}})
    assert found is not None
    assert found[1:] == ["spec.size: 3 != 3.5", "spec.tags: ['x', 'a'] != (not there)"]


def test_values_of_others() -> None:
    """Values that aren't of this package are left to pytest."""
    for left, right in (({"a": 1}, {"a": 2}), ([1], [2]), ("a", "b"), ({"kind": "A"}, {}), (1, object())):
        assert explained(left, right) is None


def test_many_differences_are_cut() -> None:
    """Forty lines are enough, and the rest is counted."""
    found = explained(Rule(name="a"), {f"key{at}": at for at in range(60)})
    assert found is not None
    assert found[0].startswith("61 differences")
    assert len(found) == 42
    assert found[-1] == "(and 21 more)"


SIMULATED = """
from crossplane_lite import Unstructured, composition, testing

XR = {"apiVersion": "example.org/v1", "kind": "XNet", "metadata": {"name": "net"}}


@composition.function(name="net")
def compose(ctx):
    first = ctx.resource("first", Unstructured("example.org/v1", "Thing"))
    second = ctx.resource("second", Unstructured("example.org/v1", "Thing"))
    second.spec.ref = first.observed.status.id


def test_waves(crossplane_snapshot, crossplane_simulation):
    crossplane_snapshot.check(crossplane_simulation(XR, compose, fixtures={"first": {"status": {"id": "ID"}}}))


def test_fields():
    thing = Unstructured("example.org/v1", "Thing", spec={"size": 3, "long": ["text" * 9] * 9})
    assert thing == Unstructured("example.org/v1", "Thing", spec={"size": 4, "long": ["text" * 9] * 9})
"""


@pytest.mark.slow
def test_in_a_run_of_pytest(project: Project) -> None:
    """A failed `==` shows the field, and the snapshot of a simulation has its rounds and what is there at the end."""
    project.write("unit/test_net.py", SIMULATED)
    done = project.pytest("--crossplane-update-snapshots")
    assert "spec.size: 3 != 4" in done.text
    assert "1 failed, 1 passed" in done.text
    text = project.read("unit/__snapshots__/test_net/test_waves.yaml")
    for line in ("kind: Simulation", "- appeared:\n  - first\n", "ref: ID", "first.status.id"):
        assert line in text, text
    assert "1 failed, 1 passed" in project.pytest().text
    project.write("unit/test_net.py", SIMULATED.replace('"ID"', '"other"'))
    assert "ref: other" in project.pytest().text
