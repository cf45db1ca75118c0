"""Composites that another SDK has composed go over to this one, in the moment in which a value is lost."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from benchmarks import models, pythonic

from .kube import wait
from .world import MARK, NOTES, NOTHING, Composite, Function, World

_KIND = "Adopted"
_SPEC = {"zones": ["a", "b"], "blocks": ["10.0.0.0/8", "172.16.0.0/12"]}
_COUNT = 9  # composed resources
_LOSSES = {"nothing": (), "id": ("vpc", "id"), "status": ("vpc",), "list": ("blocks", "entry")}
_STEPS = ("adopted", "told")


def _served(world: World, sdk: str) -> tuple[list[Function], list[dict[str, Any]]]:
    """Serve both steps with another SDK, and return them with their inputs."""
    if sdk == "official":
        pytest.importorskip("crossplane.function", reason="the official SDK is not installed")
        return [world.function("tests/cluster/official.py", f"-{step}", COMPOSITION=step) for step in _STEPS], []
    try:
        python = str(pythonic.python())
    except models.SkipRow as e:
        pytest.skip(str(e))
    head = {"apiVersion": "pythonic.fn.crossplane.io/v1alpha1", "kind": "Composite"}
    return [world.function("tests/cluster/pythonic.py", f"-{step}", PYTHON=python) for step in _STEPS], [
        {**head, "composite": f"tests.cluster.pythonic.{step.capitalize()}", "step": step} for step in _STEPS
    ]


@pytest.mark.parametrize("sdk", ["official", "function-pythonic"])
@pytest.mark.parametrize("world", ["h2"], indirect=True)
def test_the_first_calls_after_another_sdk(world: World, sdk: str) -> None:
    """A value that is lost in the first call with this SDK takes nothing along, and all is at rest when it is back."""
    functions, inputs = _served(world, sdk)
    all_ = world.composites(_KIND, _SPEC, _LOSSES, _COUNT, *functions, inputs=inputs)
    before = {how: one.snapshot() for how, one in all_.items()}
    assert "crossplane-lite" not in str(before)
    status = {how: one.get()["status"]["vpcId"] for how, one in all_.items()}

    def same(when: str) -> None:
        for how, one in all_.items():
            assert one.since(before[how]) == NOTHING, f"{how} {when}: {one.told()}"
            assert one.cloud()[before[how].events :] == [], f"{how} {when}"
            assert one.get()["status"]["vpcId"] == status[how], f"{how} {when}"

    with contextlib.ExitStack() as stack:
        for one in all_.values():
            stack.enter_context(one.at_once())
        for function, step in zip(functions, _STEPS, strict=True):
            function.stop()
            function.roll_out(f"tests.cluster.functions:{step}")
        for how, loss in _LOSSES.items():
            if loss:
                all_[how].lose(*loss)
    for how, one in all_.items():
        expected = "False" if _LOSSES[how] else ""
        assert wait(lambda one=one: _has(one, MARK), 90), f"{how}: {one.told()}"
        assert wait(lambda one=one, e=expected: one.condition("DependenciesResolved").get("status", "") == e, 30), how
    world.settle(quiet=2)
    same("without the value")
    # While something is kept, there are no notes yet; or these weren't the first calls.
    assert [how for how, one in all_.items() if _has(one, NOTES, '"adopted')] == ["nothing"]
    for how, loss in _LOSSES.items():
        if loss:
            all_[how].resume(loss[0])
            assert wait(lambda how=how: all_[how].condition("DependenciesResolved").get("status") == "True", 60), how
    world.settle(quiet=2)
    same("with the value")
    assert all(_has(one, NOTES, '"adopted') for one in all_.values())
    at_rest = {how: one.versions() for how, one in all_.items()}
    for one in all_.values():
        world.react(one, quiet=1)
    assert {how: one.versions() for how, one in all_.items()} == at_rest
    for one in all_.values():
        one.change(zones=["a"])
    for how, one in all_.items():
        assert wait(lambda one=one: "zone-b" not in one.composed(), 30), one.told()
        one.wait_ready()
        assert one.since(before[how]) == (["zone-b"], *NOTHING[1:])


def _has(one: Composite, annotation: str, part: str = "") -> bool:
    """Return whether a composed resource has an annotation with this part."""
    notes = [found["metadata"]["annotations"] for found in one.composed().values()]
    return any(part in found.get(annotation, "") for found in notes if annotation in found)
