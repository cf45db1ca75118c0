"""Time and numbers: the steady state, the circuit breaker, the cache of answers, replicas, a hundred composites."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from tests.helpers.ports import free_ports

from .kube import wait
from .world import GROUP, NOTHING, Composite, World, definition

_STATUS = {"vpcId": "string"}
_STEADY_SECONDS = 180


def _versions(one: Composite) -> dict[str, str]:
    return {"": one.get()["metadata"]["resourceVersion"], **one.versions()}


@pytest.mark.parametrize(("target", "ttl"), [("small", 60), ("forever", 10)], ids=["settled", "waiting"])
def test_steady_state(world: World, target: str, ttl: int) -> None:
    """In three minutes there is at most a call per TTL, and no write to any object, settled or waiting for ever."""
    function = world.function(f"tests.cluster.functions:{target}")
    one = world.composite(f"Steady{target.title()}", {}, function, status=_STATUS)
    if target == "small":
        one.wait_ready()
    else:
        assert wait(lambda: "vpcId" in str(one.composed().get("subnet", {}).get("status")), 60)
    world.react(one, quiet=6)
    wait(lambda: False, ttl)
    before, calls, began = _versions(one), function.calls, time.monotonic()
    wait(lambda: False, _STEADY_SECONDS)
    after, spent = _versions(one), time.monotonic() - began
    world.rows["calls_a_minute"] = round((function.calls - calls) / spent * 60, 1)
    assert function.calls - calls <= spent / ttl + 1
    assert after == before
    assert not one.warnings()


def test_the_circuit_breaker(own_world: World) -> None:
    """With Crossplane's own circuit breaker, thirty resources are Ready in a minute, as the TTL brings the calls."""
    function = own_world.function("examples.vpc.function:compose")
    one = own_world.example("vpc", function)
    own_world.rows["ready_after"] = round(one.wait_ready(150), 1)
    own_world.rows["calls"] = function.calls
    assert one.condition("Responsive")["status"] == "False"  # or this test shows nothing
    assert own_world.rows["ready_after"] < 90
    assert function.calls < 40


@pytest.mark.flags("--enable-function-response-cache", "--xfn-cache-dir=/tmp/never")
def test_the_cache_of_answers(own_world: World) -> None:
    """With Crossplane's cache of answers all becomes Ready, and follows what is lost and comes back."""
    function = own_world.function("tests.cluster.functions:guess")
    one = own_world.composite("Guess", {"groups": {"web": "w"}}, function, status={**_STATUS, "subnets": "array"})
    one.wait_ready()
    own_world.react(one)
    before = one.snapshot()
    one.lose("vpc", "id")
    own_world.react(one)
    assert one.since(before) == NOTHING
    assert wait(lambda: one.condition("DependenciesResolved")["status"] == "False", 30), one.told()
    one.resume("vpc")
    assert wait(lambda: "id" in one.composed()["vpc"]["status"]["atProvider"], 60)
    own_world.react(one)
    one.wait_ready()
    assert one.since(before) == NOTHING
    assert wait(lambda: one.condition("DependenciesResolved")["status"] == "True", 30), one.told()


def test_a_hundred_composites(world: World) -> None:
    """A hundred composites at once become Ready, with a handful of calls each."""
    function = world.function("tests.cluster.functions:small")
    world.define(definition("Many", status=_STATUS))
    world.pipeline(f"{GROUP}/v1", "Many", function)
    began = time.monotonic()
    all_ = [world.create(f"{GROUP}/v1", "Many", {}, cluster=False, suffix=f"-{number}") for number in range(100)]
    path = all_[0].path.rpartition("/")[0]

    def ready() -> int:
        items = world.kube.items(path)
        conditions = [c for one in items for c in one.get("status", {}).get("conditions", [])]
        return sum(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

    assert wait(lambda: ready() == 100, 240, 2), ready()
    world.rows["ready_after"] = round(time.monotonic() - began, 1)
    world.rows["calls"] = function.calls
    # What changes brings some 20 calls; until a composite is Ready, the ttl brings one more every ten seconds.
    assert function.calls <= 100 * (20 + world.rows["ready_after"] / 10)
    world.kube.request("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1"})
    assert wait(lambda: not world.kube.items(path), 120, 2)


@contextlib.contextmanager
def _names(*addresses: str) -> Iterator[int]:
    """Serve DNS on a port of 127.0.0.1, where each name has these addresses."""
    (port,) = free_ports(1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", port))

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    asked, peer = sock.recvfrom(512)
                    end = asked.index(b"\0", 12) + 5
                    question, kind = asked[12:end], asked[end - 4 : end - 2]
                    found = addresses if kind == b"\0\1" else ()
                    head = asked[:2] + struct.pack("!5H", 0x8580, 1, len(found), 0, 0)
                    record = b"\xc0\x0c\0\1\0\1" + struct.pack("!IH", 1, 4)
                    sock.sendto(head + question + b"".join(record + socket.inet_aton(one) for one in found), peer)

        threading.Thread(target=answer, daemon=True).start()
        yield port


def test_two_replicas(world: World) -> None:
    """Of two replicas behind one name, one is killed under load: no reconcile sees it, and nothing changes."""
    function = world.function("tests.cluster.functions:small")
    function.start("127.0.0.2")
    with _names("127.0.0.1", "127.0.0.2") as port:
        function.register(f"dns://127.0.0.1:{port}/two.localhost:{function.port}")
        one = world.composite("Replicas", {}, function, status=_STATUS)
        one.wait_ready()
        before = one.snapshot()
        for number in range(40):
            one.poke()
            wait(lambda: False, 0.25)
            if number == 15:
                function.stop("127.0.0.2", 9)
        world.react(one)
        one.wait_ready()
        assert one.since(before) == NOTHING
        assert one.cloud()[before.events :] == []
        world.rows["warnings"] = len(one.warnings())
