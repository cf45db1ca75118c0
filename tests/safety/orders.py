"""Random compositions whose requests come with their map entries in another order: the answer has to be the same.

The entries of a map have no order. Go writes them in another one each time, and protobuf's parser hands them out in one
that differs from process to process, so two replicas of a function see the same request in two orders.

`python -m tests.safety.orders COMPOSITIONS SEED` prints the digest of each answer, so that processes can be compared.
"""

from __future__ import annotations

__all__ = ["answers", "shuffled"]

import copy
import hashlib
import logging
import random
import sys
from collections.abc import Iterator
from typing import Any, Final

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite import Unstructured, composition
from crossplane_lite._core import codec
from crossplane_lite.proto import _view
from tests.safety.cluster import Cluster
from tests.safety.fragments import FRAGMENTS
from tests.safety.machine import FIELDS, SOURCES, VALUES
from tests.safety.plain import make
from tests.safety.values import FULL

EVENTS: Final = 10
"""What happens to each composition, one after the other."""

WIDE: Final = {
    f"field{number}": {"a": number, "text": "so much that protobuf's parser reads it"} for number in range(6)
}
LISTED: Final = [{f"key{number}": "a text in an object in a list, of which there are some" for number in range(6)}]


def shuffled(request: bytes, chance: random.Random) -> bytes:
    """Return a request with the entries of all its maps in another order."""
    message = _view.RunFunctionRequest.FromString(request)
    pieces: list[bytes] = []
    for state in ("observed", "desired"):
        if not message.HasField(state):
            continue
        entries = getattr(message, state)
        for name in _any_order(entries.resources, chance):
            piece = _view.RunFunctionRequest()
            target = getattr(piece, state).resources[name]
            target.CopyFrom(entries.resources[name])
            target.resource = _struct(target.resource, chance)
            pieces.append(piece.SerializeToString())
        entries.resources.clear()
        if entries.composite.HasField("resource"):
            entries.composite.resource = _struct(entries.composite.resource, chance)
    if message.HasField("context"):
        message.context = _struct(message.context, chance)
    return b"".join([message.SerializeToString(), *pieces])


def _struct(raw: bytes, chance: random.Random) -> bytes:
    return codec.encode_struct(_value(codec.decode_struct(raw), chance))


def _value(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        return {key: _value(value[key], chance) for key in _any_order(value, chance)}
    return [_value(item, chance) for item in value] if isinstance(value, list) else value


def _any_order(keys: Any, chance: random.Random) -> list[str]:
    """Return keys in an order that depends on nothing but `chance`."""
    found = sorted(keys)
    chance.shuffle(found)
    return found


class _Step:
    """A function that gets each request in several orders.

    Attributes:
        answers: How it answered each request, in each order: in a form that is the same for equal answers.
    """

    def __init__(self, function: Any, chance: random.Random, orders: int) -> None:
        self.answers: list[list[bytes]] = []
        self._function = function
        self._chance = chance
        self._orders = orders

    def run(self, data: bytes) -> bytes:
        found = [self._function.run(shuffled(data, self._chance)) for _ in range(self._orders)]
        self.answers.append([_normal(answer) for answer in found])
        return found[0]


def _normal(answer: bytes) -> bytes:
    message: bytes = fnv1.RunFunctionResponse.FromString(answer).SerializeToString(deterministic=True)
    return message


def _composition(chance: random.Random) -> tuple[list[tuple[str, str]], Any, Any]:
    """Return what is composed, the function of a previous step, and the one that is looked at."""
    chosen = [
        (chance.choice(sorted(FRAGMENTS)), chance.choice(SOURCES)) for _ in range(chance.randrange(2, 8))
    ]  # fmt: skip
    inherited = [number for number in range(len(chosen)) if chance.random() < 0.3]

    @composition.function(name="previous")
    def previous(ctx: Any) -> None:
        for number in inherited:
            ctx.resource(f"r{number}", Unstructured("example.org/v1", "Thing", spec=copy.deepcopy(WIDE)))

    @composition.function(name="step", auto_ready=True)
    def step(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        sources = {name: make(ctx, name, "VPC", cidr="10.0.0.0/16") for name in SOURCES}
        for number, (style, source) in enumerate(chosen):
            FRAGMENTS[style](ctx, xr, sources[source], f"r{number}")
        for resource in ctx.resources.values():
            if resource.kind == "Thing":
                resource.spec.wide = copy.deepcopy(WIDE)
                resource.spec.listed = copy.deepcopy(LISTED)

    return chosen, previous, step


def answers(compositions: int, seed: int, orders: int = 3) -> Iterator[tuple[str, list[bytes]]]:
    """Yield each call's composition, and its answers to its request in several orders.

    Args:
        compositions: How many compositions there are.
        seed: Says what they are and what happens to them.
        orders: In how many orders each request comes.
    """
    chance = random.Random(seed)
    orderly = random.Random()  # of its own, and another one in each process
    for _ in range(compositions):
        chosen, previous, function = _composition(chance)
        step = _Step(function, orderly, orders)
        cluster = Cluster(previous, step, spec={"region": "eu", "flag": chance.random() < 0.5})
        values: dict[str, dict[str, Any]] = {name: {} for name in SOURCES}
        is_upgraded = chance.random() < 0.5
        for _ in range(EVENTS):
            del step.answers[:]
            done = cluster.reconcile()
            for found in cluster.objects.values() if is_upgraded else ():
                found.applied_as = "example.org/v0"  # nothing tells what is owned in today's version
            told = f"{chosen}: {done.told}"
            yield from ((told, each) for each in step.answers)
            _happen(cluster, values, chance)


def _happen(cluster: Cluster, values: dict[str, dict[str, Any]], chance: random.Random) -> None:
    """Let values come and go, and the user edit the composite."""
    for name in SOURCES:
        for field in FIELDS:
            if chance.random() < 0.3:
                values[name][field] = chance.choice(VALUES[field])
            elif chance.random() < 0.3:
                values[name].pop(field, None)
    for name in sorted(cluster.objects):
        if name not in SOURCES:
            cluster.provide(name, FULL, ready=True)
        else:
            cluster.provide(name, values[name] if chance.random() < 0.9 else None, ready=chance.random() < 0.5)
    if chance.random() < 0.3:
        cluster.xr["spec"]["flag"] = not cluster.xr["spec"]["flag"]


def main(compositions: int, seed: int) -> None:
    """Print a digest for each answer, with what people read of it."""
    logging.disable(logging.CRITICAL)
    for told, found in answers(compositions, seed, 1):
        print(hashlib.sha256(found[0]).hexdigest()[:16], told.replace("\n", " | "))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
