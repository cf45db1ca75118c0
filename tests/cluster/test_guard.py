"""The guard in front of functions of others: the same losses with it and without it."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from benchmarks import models, pythonic
from crossplane_lite.proto import METHOD, V1_SERVICE
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from tests.helpers.ports import free_ports
from tests.runtime.go_programs import built_from

from .kube import wait
from .world import NOTHING, ROOT, Composite, Function, World, condition

_GO: Final = ROOT / "tests" / "guard" / "go"
_STATUS: Final = {"vpcId": "string"}
_GROUPS: Final = {"web": "for web", "db": "for db"}
_SPEC: Final = {"groups": _GROUPS}
_NAMES: Final = ["gateway", "group-db", "group-web", "subnet", "table", "vpc"]
_MOST_KILOBYTES: Final = 30 << 10
_MOST_NOTES: Final = 2
"""How many writes the notes of a network may cost until it is Ready."""
_NETWORKS: Final = ("official", "go-ifs", "go-template")
_LOST: Final[dict[str, dict[str, Any]]] = {
    "the id": {"fields": ["id"]},
    "the status": {"fields": []},
    "the id and the XR's status": {"fields": ["id"], "is_told": False},
}
"""What is lost of the VPC, and whether the composite keeps its own status."""
_HARM: Final = ("deleted", "recreated", "changed", "stuck")
_ROUNDS: Final = 30
_PIPELINES: Final = ("official-twice", "official-and-ours", "pythonic-twice")


def network(language: str) -> tuple[str, tuple[str, ...]]:
    """Return the program of a network in a language, and its flags."""
    if language == "official":
        pytest.importorskip("crossplane.function", reason="the official SDK is not installed")
        return "tests/cluster/official.py", ()
    return str(built_from(_GO, "network-go")), ("--code", language.partition("-")[2])


class Plain:
    """A function that listens on 127.0.0.1 only and in plain text, as beside a guard in a pod.

    Attributes:
        address: Where.
    """

    def __init__(self, world: World, name: str, target: str, *flags: str, **environment: str) -> None:
        (port,) = free_ports(1)
        self.address = f"127.0.0.1:{port}"
        python = environment.pop("PYTHON", sys.executable)
        command: list[str | Path] = [python, ROOT / target, str(port)]
        if Path(target).is_absolute():
            command = [target, *flags, "--insecure", "--address", self.address]
        # The name lets `World.close` end it.
        world.plane.run(f"function-{name}-plain", *command, PYTHONPATH=str(ROOT), **environment)


def guarded(world: World, target: str, *flags: str, suffix: str = "", **environment: str) -> Function:
    """Serve a function behind a guard."""
    plain = Plain(world, f"function-{world.name}{suffix}", target, *flags, **environment)
    return world.function(f"guard:{plain.address}", suffix)


class Counted(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Stands between a guard and its target, and counts the calls.

    Args:
        target: Where the target listens.

    Attributes:
        address: Where this listens.
        calls: How many calls the target had.
    """

    def __init__(self, target: str) -> None:
        self.calls = 0
        self._channel = grpc.insecure_channel(target)
        self._server = grpc.server(futures.ThreadPoolExecutor(4), handlers=[self])
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def service(self, details: Any) -> Any:
        """Return the handler of a method, which passes a call on."""
        ask = self._channel.unary_unary(details.method)

        def passed(data: bytes, _context: Any) -> Any:
            self.calls += 1
            return ask(data, timeout=60, wait_for_ready=True)

        return grpc.unary_unary_rpc_method_handler(passed)

    def close(self) -> None:
        """End the server."""
        self._server.stop(0)
        self._channel.close()


def writes_since(one: Composite, before: dict[str, int], again: list[str]) -> int:
    """Return how many writes Crossplane has made since a count; an object that was made again had a deletion, too."""
    now = one.changes_by_crossplane()
    return sum(count + 1 if name in again else count - before[name] for name, count in now.items())


def loss(world: World, one: Composite, counted: Function | Counted, lost: dict[str, Any]) -> dict[str, int]:
    """Lose values of the VPC until nothing happens any more, give them back, and return what came of it."""
    before, writes, calls = one.snapshot(), one.changes_by_crossplane(), counted.calls
    if not lost.get("is_told", True):
        one.kube.merge(f"{one.path}/status", {"status": None})
    one.lose("vpc", *lost["fields"])
    world.react(one, quiet=6)
    during = one.since(before)
    one.resume("vpc")
    is_back = wait(lambda: sorted(one.composed()) == _NAMES and not one.since(before).dying, 60)
    one.wait_ready()
    world.settle(quiet=4)
    after = one.since(before)
    return {
        "deleted": len(during.gone) + len(during.dying),
        "recreated": len(after.again),
        "changed": len({*during.changed, *after.changed}),
        "stuck": 0 if is_back else len(after.gone) + len(after.dying),
        "writes": writes_since(one, writes, after.again),
        "calls of the function": counted.calls - calls,
    }


def milliseconds(world: World, one: Composite, *functions: Function) -> list[float]:
    """Return the median time of a call of each function with a composite at rest, in turns, as Crossplane makes it."""
    request = fnv1.RunFunctionRequest()
    request.observed.composite.resource.update(one.get())
    for name, composed in one.composed().items():
        request.observed.resources[name].resource.update(composed)
    data = request.SerializeToString()
    folder = world.plane.client_tls
    files = [(folder / name).read_bytes() for name in ("ca.crt", "tls.key", "tls.crt")]
    channels = [
        grpc.secure_channel(f"localhost:{function.port}", grpc.ssl_channel_credentials(*files))
        for function in functions
    ]
    methods = [channel.unary_unary(f"/{V1_SERVICE}/{METHOD}") for channel in channels]
    seconds: list[list[float]] = [[] for _ in methods]
    for _ in range(_ROUNDS):
        for method, found in zip(methods, seconds, strict=True):
            start = time.perf_counter()
            method(data, timeout=60, wait_for_ready=True)
            found.append(time.perf_counter() - start)
    for channel in channels:
        channel.close()
    return [round(statistics.median(found) * 1000, 2) for found in seconds]


def memory(world: World, function: Function) -> int:
    """Return the kilobytes that a guard's process takes."""
    group = int((world.plane.folder / f"function-{function.name}.pid").read_text())
    for path in Path("/proc").glob("[0-9]*/status"):
        text = path.read_text()
        if os.getpgid(int(path.parent.name)) == group and "Name:\tpython" in text:
            return int(text.partition("VmRSS:")[2].split()[0])
    raise AssertionError(f"{function.name} doesn't run")


@pytest.fixture
def twin(world: World) -> Iterator[World]:
    """A second scenario, for the same composition without the guard."""
    made = World(world.plane, f"alone-{world.name.removeprefix('a-network-in-any-language-')}", world.transport)
    yield made
    made.close()


@pytest.mark.parametrize("language", _NETWORKS)
@pytest.mark.parametrize("world", ["h2"], indirect=True)
def test_a_network_in_any_language(world: World, twin: World, language: str, request: pytest.FixtureRequest) -> None:
    """Losses take nothing along behind the guard, while a user edits and deletes; without it they do."""
    target, flags = network(language)
    kind = language.replace("-", "").capitalize()
    alone_function = twin.function(target, "", *flags)
    alone = twin.composite(f"{kind}Alone", _SPEC, alone_function, status=_STATUS)
    counted = Counted(Plain(world, f"function-{world.name}", target, *flags).address)
    request.addfinalizer(counted.close)
    function = world.function(f"guard:{counted.address}")
    one = world.composite(kind, _SPEC, function, status=_STATUS)
    for made in (alone, one):
        made.wait_ready()
    for world_, made in ((twin, alone), (world, one)):
        world_.react(made)
    writes = [sum(made.changes_by_crossplane().values()) for made in (alone, one)]
    table = world.rows["guard"] = {
        "nothing": {
            "writes": writes,
            "calls of the function": [alone_function.calls, counted.calls],
        }
    }
    assert writes[1] <= writes[0] + _MOST_NOTES
    versions, calls, asked = one.versions(), counted.calls, function.calls
    assert sorted(one.composed()) == _NAMES
    world.react(one)
    assert one.versions() == versions
    assert counted.calls - calls == function.calls - asked, "at rest the function is asked once a call"
    for name, values in _LOST.items():
        without = loss(twin, alone, alone_function, values)
        asked = function.calls
        behind = loss(world, one, counted, values)
        table[name] = {column: [without[column], behind[column]] for column in without}
        assert (without["deleted"], without["recreated"]) == (5, 5)
        assert {column: behind[column] for column in _HARM} == dict.fromkeys(_HARM, 0), one.told()
        assert behind["writes"] <= _MOST_NOTES
        assert behind["calls of the function"] <= 2 * (function.calls - asked)
    before = one.snapshot()

    one.lose("vpc", "id")
    one.change(groups={"db": None})
    world.react(one)
    assert one.since(before) == (["group-db"], *NOTHING[1:]), one.told()
    type_ = f"LastKnownValues-{function.name}"
    found = one.condition(type_)
    assert found["status"] == "True", one.told()
    assert "vpc.status.atProvider.id" in found["message"]
    one.resume("vpc")
    assert wait(lambda: one.condition(type_).get("status") == "False", 60), one.told()

    one.lose("vpc")
    assert wait(lambda: one.condition(type_).get("status") == "True", 60), one.told()
    one.kube.delete(one.place("table"))
    world.react(one)

    def follows() -> bool:
        # Crossplane makes it again if it desires it in the moment in which it goes; else it waits for the value.
        change = one.since(before)
        return "table" in (*change.gone, *change.again) and not change.dying

    assert wait(follows, 30), f"{one.since(before)} {one.told()}"
    assert set(one.since(before).gone) <= {"group-db", "table"}
    one.resume("vpc")
    assert wait(lambda: "table" in one.composed(), 60), one.told()
    one.wait_ready()

    one.kube.merge(f"{one.path}/status", {"status": None})
    one.lose("vpc", "id")
    world.react(one)
    change = one.since(before)
    assert (change.gone, change.new, change.again, change.dying) == (["group-db"], [], ["table"], []), one.told()
    one.resume("vpc")
    assert wait(lambda: condition(one.composed()["vpc"], "Ready").get("status") == "True", 60)
    assert wait(lambda: one.get()["status"].get("vpcId"), 30), one.told()

    one.change(groups={"web": None, "app": "for app"})
    assert wait(lambda: "group-app" in one.composed() and "group-web" not in one.composed(), 60), one.told()
    one.wait_ready()
    world.react(one)
    versions = one.versions()
    world.react(one)
    assert one.versions() == versions
    if language == "official":  # calls of our own to the server in Go are reset
        table["nothing"]["milliseconds of a call"] = milliseconds(world, one, alone_function, function)
    table["nothing"]["kilobytes of the guard"] = [0, memory(world, function)]
    assert table["nothing"]["kilobytes of the guard"][1] < _MOST_KILOBYTES


_KIND: Final = "Told"
_TOLD: Final = {"zones": ["a", "b"], "blocks": ["10.0.0.0/8", "172.16.0.0/12"]}
_COUNT: Final = 9
_LOSSES: Final = {"id": ("vpc", "id"), "status": ("vpc",), "list": ("blocks", "entry")}


def steps(world: World, sdk: str) -> tuple[list[Function], list[dict[str, Any]]]:
    """Return a guarded step, a later step that hangs on its context, and their inputs."""
    if sdk == "pythonic-twice":
        try:
            python = str(pythonic.python())
        except models.SkipRow as e:
            pytest.skip(str(e))
        head = {"apiVersion": "pythonic.fn.crossplane.io/v1alpha1", "kind": "Composite"}
        inputs = [
            {**head, "composite": f"tests.cluster.pythonic.{name}", "step": name.lower()}
            for name in ("Adopted", "Told")
        ]
        target = "tests/cluster/pythonic.py"
        return [guarded(world, target, suffix=f"-{at}", PYTHON=python) for at in range(2)], inputs
    pytest.importorskip("crossplane.function", reason="the official SDK is not installed")
    first = guarded(world, "tests/cluster/official.py", suffix="-0", COMPOSITION="adopted")
    if sdk == "official-twice":
        return [first, guarded(world, "tests/cluster/official.py", suffix="-1", COMPOSITION="told")], []
    return [first, world.function("tests.cluster.functions:told_by_any", "-1")], []


@pytest.mark.parametrize("sdk", _PIPELINES)
@pytest.mark.parametrize("world", ["h2"], indirect=True)
def test_steps_that_hang_on_each_other(world: World, sdk: str) -> None:
    """Names with hashes, loops over a reported list and a later step's resources stay, in two guarded steps or one."""
    functions, inputs = steps(world, sdk)
    kind = _KIND + sdk.replace("-", "")
    all_ = world.composites(kind, _TOLD, _LOSSES, _COUNT, *functions, inputs=inputs)
    before = {how: one.snapshot() for how, one in all_.items()}
    for how, loss in _LOSSES.items():
        all_[how].lose(*loss)
    world.settle(quiet=4)
    for how, one in all_.items():
        assert one.since(before[how]) == NOTHING, f"{how}: {one.told()}"
        all_[how].resume(_LOSSES[how][0])
    for one in all_.values():
        one.wait_ready()
    world.settle(quiet=2)
    for how, one in all_.items():
        assert one.since(before[how]) == NOTHING, f"{how}: {one.told()}"
        assert one.cloud()[before[how].events :] == []
        one.change(zones=["a"])
        assert wait(lambda one=one: "zone-b" not in one.composed(), 30), one.told()
