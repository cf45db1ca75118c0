"""The flight recorder at work: Crossplane's inspector is recorded, and what was said about a rollout comes true."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crossplane_lite._tools.recorder.recording import Recording

from .kube import wait
from .plane import Plane
from .test_examples import operation, watch_operation
from .world import NOTHING, Change, Composite, Function, Snapshot, World

_SPEC = {"groups": {"web": "for web", "db": "for db"}}
_EXAMPLE = "examples.vpc.function:compose"


class Recorded(NamedTuple):
    """A control plane whose pipelines are recorded.

    Attributes:
        world: The scenario.
        folder: The recording.
    """

    world: World
    folder: Path

    @property
    def recording(self) -> Recording:
        return Recording(self.folder)

    def settle(self, composite: Composite, function: Function) -> None:
        """Let Crossplane reconcile, and return when all of it is recorded."""
        self.world.react(composite, function, quiet=6)

    def asked(self, command: str, composite: Composite, *flags: str | Path) -> dict[str, Any]:
        """Return what a command says about the last reconcile of a composite."""
        place = f"{composite.get()['kind']}/{composite.namespace + '/' if composite.namespace else ''}{composite.name}"
        done = self.world.command(command, f"{self.folder}#{place}", "--format", "json", *flags)
        assert done.returncode in (0, 1, 3, 4), done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return {**found, "status": done.returncode}


@pytest.fixture(scope="module", params=["grpcio", "h2"])
def recorded(
    sources: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Recorded]:
    """A control plane with the pipeline inspector, and a recorder at its socket: all of ours over each transport."""
    transport: str = request.param
    folder = tmp_path_factory.mktemp("recorded")
    place = folder / "s"
    flags = ("--circuit-breaker-burst=20000", "--enable-pipeline-inspector", f"--pipeline-inspector-socket={place}")
    plane = Plane.start(folder / "run", sources, *flags)
    world = World(plane, "recorder", transport)
    try:
        command = ("-m", "crossplane_lite", "record", folder / "recording", "--socket", place)
        plane.run("recorder", sys.executable, *command, "--transport", transport)
        assert wait(place.exists, 30)
        yield Recorded(world, folder / "recording")
        plane.end("recorder", signal.SIGTERM)
        # It may still write when the program that started it has ended.
        assert wait(lambda: '"dropped": 0' in (plane.folder / "log" / "recorder.log").read_text(), 15)
    finally:
        world.close()
        plane.stop()


@pytest.fixture(scope="module")
def function(recorded: Recorded) -> Function:
    """The function of the VPC example."""
    return recorded.world.function(_EXAMPLE)


@pytest.fixture(scope="module")
def vpc(recorded: Recorded, function: Function) -> Composite:
    """The composite of the VPC example, which was Ready once."""
    made = recorded.world.example("vpc", function)
    made.wait_ready(200)
    recorded.settle(made, function)
    return made


def test_from_birth_to_ready(recorded: Recorded, vpc: Composite, function: Function) -> None:
    """Each call of Crossplane is recorded once, with its answer, from the first one to the last."""
    recording = recorded.recording
    calls = [call for call in recording.calls if call.event.function == function.name]
    assert recording.notes == []
    assert len(calls) == function.calls
    assert all(call.request and call.response and not call.error for call in calls)
    assert calls[0].request["observed"].get("resources", {}) == {}
    assert len(calls[-1].request["observed"]["resources"]) == 30
    assert [call.request["meta"]["tag"] for call in calls] == [call.response["meta"]["tag"] for call in calls]
    assert {call.subject.uid for call in calls} == {vpc.get()["metadata"]["uid"]}
    assert {call.event.step for call in calls} == {"network"}
    assert all(call.event.time < call.ended for call in calls)
    log = (recorded.world.plane.folder / "log" / "crossplane.log").read_text().splitlines()
    assert [line for line in log if "nspector" in line and "INFO" not in line] == []


def test_the_same_version_gives_the_same_answers(recorded: Recorded, vpc: Composite, function: Function) -> None:
    """All requests of the composite's life are answered as they were."""
    done = recorded.world.command(
        "replay", recorded.folder, "--function", f"{function.name}={_EXAMPLE}", "--format", "json"
    )
    found = json.loads(done.stdout)
    assert (done.returncode, found["equal"], found["notes"]) == (0, 1, [])
    assert found["requests"] >= 5


def _as_before(recorded: Recorded, vpc: Composite, function: Function) -> None:
    """Roll the example out again, so that each scenario begins with it, whichever ran before."""
    function.stop()
    function.roll_out(_EXAMPLE)
    recorded.settle(vpc, function)
    vpc.wait_ready()


def _rollout(recorded: Recorded, vpc: Composite, function: Function, version: str) -> tuple[dict[str, Any], Change]:
    """Say what a version will do, roll it out, and return what was said and what has happened."""
    target = f"tests.cluster.rollouts:{version}"
    said = recorded.asked("replay", vpc, "--function", f"{function.name}={target}")
    before = vpc.snapshot()
    function.stop()
    function.roll_out(target)
    recorded.settle(vpc, function)
    return said, vpc.since(before)


def _names(said: dict[str, Any], action: str) -> list[str]:
    return sorted(
        entry["name"] for one in said["differences"] for entry in one["resources"] if entry["action"] == action
    )


def test_a_version_that_fails(recorded: Recorded, vpc: Composite, function: Function) -> None:
    """Replay says that the call will fail; the rollout fails with the same text, and changes nothing."""
    said, change = _rollout(recorded, vpc, function, "raises")
    assert said["status"] == 4
    assert "not in this release" in said["differences"][0]["error"]
    assert "not in this release" in vpc.condition("Synced")["message"]
    assert change == NOTHING
    _as_before(recorded, vpc, function)


def test_a_renamed_resource(recorded: Recorded, vpc: Composite, function: Function) -> None:
    """Replay says what a rename deletes and creates, and that is what the rollout does."""
    said, change = _rollout(recorded, vpc, function, "renamed")
    assert said["status"] == 3
    assert (
        (change.gone, change.new) == (_names(said, "delete"), _names(said, "create")) == (["security-group"], ["group"])
    )
    assert set(change.changed) == set(_names(said, "change"))
    vpc.wait_ready()
    _as_before(recorded, vpc, function)


def _deleted(world: World, before: Snapshot, known: int = 0) -> list[str]:
    """Return the resources of a snapshot that were deleted from the cloud, after its first `known` events.

    They are found by the names of their objects: Crossplane takes its labels off before it deletes an object.
    """
    gone = {one["name"] for one in world.plane.cloud()[known:] if one["what"] == "deleted"}
    return sorted(name for name, one in before.objects.items() if one["metadata"]["name"] in gone)


def test_a_zone_that_goes(recorded: Recorded, vpc: Composite, function: Function) -> None:
    """Replay says which resources go with a zone, and these go, from the cloud too."""
    before, known = vpc.snapshot(), len(recorded.world.plane.cloud())
    said, change = _rollout(recorded, vpc, function, "fewer")
    assert said["status"] == 3
    assert len(change.gone) == 8
    assert change.gone == _names(said, "delete")
    assert change.new == change.again == []
    assert wait(lambda: _deleted(recorded.world, before, known) == change.gone, 60)


def test_an_operation(recorded: Recorded) -> None:
    """An Operation gets the same answer again, and required resources that Crossplane didn't send are told."""
    world = World(recorded.world.plane, "operation", recorded.world.transport)
    targets = {"-plain": "tests.cluster.functions:label", "-watching": "examples.watch_operation.function:operate"}
    plain, watching = (world.function(target, suffix) for suffix, target in targets.items())
    try:
        operation(world, plain)
        watch_operation(world, watching)
        world.settle()
    finally:
        world.kube.delete("/apis/ops.crossplane.io/v1alpha1/watchoperations/operation")
        world.close()
    found = []
    for function, target in zip((plain, watching), targets.values(), strict=True):
        flags = ("--function", f"{function.name}={target}", "--format", "json")
        found.append(json.loads(world.command("replay", recorded.folder, *flags).stdout))
    assert (found[0]["composites"], found[0]["equal"], found[0]["notes"]) == (1, 1, [])
    assert any("not in the recording" in note and "apps/v1 Deployment" in note for note in found[1]["notes"])


@pytest.fixture(params=["official", "ours"])
def of_sdk(recorded: Recorded, request: pytest.FixtureRequest) -> Iterator[World]:
    """A scenario of its own in the same control plane, for a function of each SDK."""
    made = World(recorded.world.plane, request.param, recorded.world.transport)
    yield made
    made.close()


def test_what_a_lost_value_costs(recorded: Recorded, of_sdk: World) -> None:
    """Replay names the resources that go when the VPC loses its id; then it loses it, and these go."""
    world, sdk = of_sdk, of_sdk.name
    kind = f"Lost{sdk.capitalize()}"
    target = "tests/cluster/official.py" if sdk == "official" else "tests.cluster.functions:guess"
    function = world.function(target)
    composite = world.composite(kind, _SPEC, function, status={"vpcId": "string", "subnets": "array"})
    composite.wait_ready()
    recorded.settle(composite, function)
    against = ("--against", f"localhost:{function.port}", "--tls-certs-dir", world.plane.client_tls)
    flags = ("--name", function.name, *against, "--degrade", "vpc.status.atProvider.id")
    said = recorded.asked("replay", composite, *flags)
    expected = _names(said, "delete")
    before = composite.snapshot()
    composite.lose("vpc", "id")
    recorded.settle(composite, function)
    wait(lambda: sorted(composite.since(before).gone) == expected, 30)
    change = composite.since(before)
    assert change.gone == expected
    assert len(expected) == (5 if sdk == "official" else 0)
    assert said["status"] == (3 if sdk == "official" else 0)
    assert wait(lambda: _deleted(world, before) == expected, 60)
