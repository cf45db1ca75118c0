"""A cluster with a provider, faults and a user, in which a function runs with and without the guard."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite._core.guard.guard import Guard
from crossplane_lite._core.guard.seen import LET_GO, Options
from crossplane_lite.runtime.transports.status import Refused
from tests.guard.functions import FUNCTIONS, run
from tests.official import Call
from tests.safety.cluster import Cluster, Object, Reconcile, plain
from tests.safety.ownership import flat
from tests.support import MARKER

_BIRTH: Final = 1
"""After so many reconciles all that has a default has its value."""
_YOUTH: Final = 4
LONGEST_FAULT: Final = 3
ROUNDS_TO_HEAL: Final = 8


class Target:
    """A function without the guard.

    Attributes:
        calls: How many calls it had.
    """

    def __init__(self, compose: Callable[[Call], None]) -> None:
        self._compose = compose
        self.calls = 0

    def ask(self, data: bytes, *_: object) -> bytes:
        """Answer a request."""
        self.calls += 1
        return run(self._compose, data)

    def run(self, data: bytes) -> bytes:
        """Answer a request; a call that fails ends the reconcile, as it does in Crossplane."""
        try:
            return self.ask(data)
        except Refused as e:
            return failed(e)


class Guarded:
    """A function behind the guard."""

    def __init__(self, target: Target, options: Options) -> None:
        self.guard = Guard(target.ask, options)

    def run(self, data: bytes) -> bytes:
        """Answer a request."""
        try:
            return self.guard.run(data)
        except Refused as e:
            return failed(e)


def failed(error: Refused) -> bytes:
    """Return an answer with which the reconcile ends as it does after a call that failed."""
    answer = fnv1.RunFunctionResponse()
    answer.results.add(severity=fnv1.SEVERITY_FATAL, message=error.text)
    return answer.SerializeToString()


@dataclass
class Counts:
    """What happened.

    Attributes:
        deleted: Resources that were deleted because of a loss.
        made: Resources that were made because of a loss.
        changed: Resources that a loss gave another content.
        status: Fields of the composite's status that a loss took away or changed.
        blocked: Resources that nobody wants any more, and that are there after all values are back.
        writes: Resources that were made or written.
        rest: Those of them that were written while nothing happened.
        calls: Calls of the function.
    """

    deleted: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    status: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    writes: int = 0
    rest: list[str] = field(default_factory=list)
    calls: int = 0

    @property
    def harm(self) -> dict[str, list[str]]:
        """What losses have done, by kind of harm; empty if they have done nothing."""
        kinds = ("deleted", "made", "changed", "status")
        found: dict[str, list[str]] = {kind: getattr(self, kind) for kind in kinds}
        return {kind: names for kind, names in found.items() if names}


class World:
    """A cluster, a provider, faults and a user.

    Attributes:
        counts: What happened.
        order: 1 or -1: how the provider lists nodes.

    Args:
        name: The function, one of `FUNCTIONS`.
        guarded: Whether the guard stands in front of it.
        seed: Chooses what happens.
        options: What the guard is told.
        second: Another function behind it in the pipeline; guarded as well if this one is.
    """

    def __init__(
        self,
        name: str,
        *,
        guarded: bool,
        seed: int = 0,
        options: Options = Options(probe=True),  # noqa: B008  # a tuple
        second: str = "",
    ) -> None:
        names = [name, second] if second else [name]
        self.targets = [Target(FUNCTIONS[one]) for one in names]
        self._plain = [Target(FUNCTIONS[one]) for one in names]
        pipeline: Sequence[Any] = self.targets
        if guarded:
            pipeline = [
                Guarded(target, options._replace(name=f"guard-{one}"))
                for one, target in zip(names, self.targets, strict=True)
            ]
        spec = {"region": "eu", "nodes": 2, "flag": True}
        self.cluster = Cluster(*pipeline, spec=spec)
        self.random = random.Random(f"{name} {seed}")
        self.counts = Counts()
        self.round = 0
        self.order = 1
        self._age: Counter[str] = Counter()
        self._faults: list[tuple[int, Callable[[], None]]] = []
        # What somebody has deleted by hand, as it was, until it is there again.
        self._gone: dict[str, Object] = {}
        # Which values each field of the composite's status has had with nothing lost.
        self._told: defaultdict[str, list[Any]] = defaultdict(list)

    @property
    def xr(self) -> dict[str, Any]:
        """The composite."""
        return self.cluster.xr

    # --- what happens ---

    def live(self, rounds: int) -> None:
        """Let a number of reconciles pass in which nothing is lost."""
        for _ in range(rounds):
            self.reconcile()

    def suffer(self, rounds: int) -> None:
        """Let a number of reconciles pass with losses and a user's edits, and then let all values come back."""
        for _ in range(rounds):
            if self._happens(0.5):
                self._faults.append((self.random.randint(1, LONGEST_FAULT), self._fault()))
            if self._happens(0.2):
                self._edit()
            if self._happens(0.1) and not self._gone:
                self._delete_one()
            self.reconcile(is_cut=self._happens(0.1))
        self._faults.clear()
        self.live(ROUNDS_TO_HEAL)
        self._look_what_is_blocked()

    def _happens(self, chance: float) -> bool:
        return self.random.random() < chance

    def delete(self, name: str) -> None:
        """Delete a resource by hand."""
        self._gone[name] = self.cluster.objects.pop(name)

    def _delete_one(self) -> None:
        """Delete a resource by hand, but for the only one of a step: all that is known lies on two of them."""
        steps = {}
        for name, found in self.cluster.objects.items():
            mark = found.live["metadata"].get("annotations", {}).get(MARKER, "")
            steps[name] = mark.partition(";")[0]
        count = Counter(steps.values())
        names = [name for name, step in sorted(steps.items()) if count[step] > 1]
        if names:
            self.delete(self.random.choice(names))

    def lose_for(self, rounds: int, name: str, *steps: str | int) -> None:
        """Let a number of reconciles pass in which a value of an object is absent; no name stands for the composite."""
        self._faults.append((rounds, lambda: self._take(name, steps, _ABSENT)))
        self.live(rounds)

    def rest(self, rounds: int) -> None:
        """Let a number of reconciles pass without any change."""
        for _ in range(rounds):
            self.counts.rest += self.reconcile().written

    def reconcile(self, *, is_cut: bool = False) -> Reconcile:
        """Let the provider report, lose what is to be lost, and reconcile.

        If it is cut, only some of the resources are applied, as where the API server is away in the middle of it.
        """
        self.round += 1
        self._provide()
        wanted = self._oracle()
        status = dict(self.xr.get("status", {}))
        for _, fault in self._faults:
            fault()
        self._faults = [(left - 1, fault) for left, fault in self._faults if left > 1]
        done = self.cluster.ask()
        applies = [name for name in sorted(done.desired) if self._happens(0.5)] if is_cut else None
        self.cluster.reconcile(done, applies=applies, stores_status=not is_cut)
        self.counts.writes += len(done.written)
        self.counts.calls = sum(target.calls for target in self.targets)
        if is_cut or done.fatal:  # the composite's status wasn't written
            self.xr.get("status", {}).update((key, value) for key, value in status.items() if key != "conditions")
        if wanted is not None:
            self._compare(done, wanted, status)
        return done

    def _oracle(self) -> Reconcile | None:
        """Return what the functions desire while nothing is lost or deleted by hand; None if they fail."""
        twin = self.cluster.copy()
        for name in self._gone.keys() & twin.objects.keys():
            del self._gone[name]
        twin.objects.update(self._gone)
        twin.functions = tuple(self._plain)
        found = twin.ask()
        if found.fatal:
            return None
        self._gone = {name: one for name, one in self._gone.items() if name in found.desired}
        return found

    def _compare(self, done: Reconcile, wanted: Reconcile, status: dict[str, Any]) -> None:
        desired = wanted.desired
        self.counts.deleted += [name for name in done.deleted if name in desired]
        self.counts.made += [name for name in done.after.keys() - done.before.keys() if name not in desired]
        for name in done.before.keys() & done.after.keys() & desired.keys():
            before, after = _spec(done.before[name]), _spec(done.after[name])
            if after not in (before, _flat(desired[name])):
                self.counts.changed.append(name)
        told = plain(wanted.final.desired.composite.resource).get("status", {})
        if self.round > _BIRTH:
            for key, value in told.items():
                self._told[key].append(value)
        now = self.xr.get("status", {})
        for key in status.keys() - {"conditions"}:
            if key in told and now.get(key) not in (status[key], *self._told[key]):
                self.counts.status.append(key)

    def _look_what_is_blocked(self) -> None:
        wanted = self._oracle()
        if wanted is not None:
            self.counts.blocked += [name for name in self.cluster.objects if name not in wanted.desired]

    # --- the provider ---

    def _provide(self) -> None:
        for name, found in self.cluster.objects.items():
            self._age[found.live["metadata"]["uid"]] += 1
            self.cluster.provide(name, self._status(name), ready=self._is_old(name))

    def _is_old(self, name: str) -> bool:
        return self._age[self.cluster.objects[name].live["metadata"]["uid"]] > 1

    def _is_young(self, name: str) -> bool:
        return self._age[self.cluster.objects[name].live["metadata"]["uid"]] < _YOUTH

    def _status(self, name: str) -> dict[str, Any]:
        live = self.cluster.objects[name].live
        number = live["metadata"]["uid"][-4:]
        spec = live["spec"]["forProvider"]
        seen: dict[str, Any] = {
            "id": f"{name}-{number}",
            "arn": f"arn:aws:ec2:eu:1234:{live['kind'].lower()}/{name}-{number}",
            "endpoint": f"https://{name}.{number}.example.org",
            "counter": self.round,
            "lastSyncTime": f"2026-01-01T00:{self.round // 60 % 60:02}:{self.round % 60:02}Z",
        }
        if "nodes" in spec:
            nodes = range(spec["nodes"])
            seen["nodes"] = [{"name": f"n{at}", "ip": f"10.0.{number}.{at}"} for at in nodes][:: self.order]
        status: dict[str, Any] = {"atProvider": seen, "observedGeneration": self.round}
        if live["kind"] == "DB" and self.round % 20 in range(8, 14):
            status["failureMessage"] = "disk full"
        return status

    # --- faults and edits ---

    def _fault(self) -> Callable[[], None]:
        """Choose a value that is lost, and how."""
        name = self.random.choice(["", *sorted(self.cluster.objects)])
        value = self.random.choice([_ABSENT, None, "", [], {}])
        if not name:
            return lambda: self._take_status(value)
        steps = self.random.choice(_PLACES)
        return lambda: self._take(name, steps, value)

    def _take_status(self, value: Any) -> None:
        """Lose all fields of the composite's status."""
        for key in self.xr.get("status", {}).keys() - {"conditions"}:
            self._take("", ["status", key], value)

    def _take(self, name: str, steps: Sequence[str | int], value: Any) -> None:
        """Lose a value of an object, if it has been there for a while: a new one has no last known values."""
        if name and (name not in self.cluster.objects or self._is_young(name)):
            return
        holder: Any = self.cluster.objects[name].live if name else self.xr
        for step in steps[:-1]:
            if not _has(holder, step):
                return
            holder = holder[step]
        if steps[-1] == "Ready":
            for condition in holder:
                condition["status"] = "False"
        elif _has(holder, steps[-1]):
            _set(holder, steps[-1], value)

    def _edit(self) -> None:
        spec = self.xr["spec"]
        key = self.random.choice(["region", "nodes", "flag"])
        if key == "region":
            spec["region"] = self.random.choice(["eu", "us", "ap"])
        elif key == "nodes":
            spec["nodes"] = self.random.randint(1, 4)
        else:
            spec["flag"] = not spec["flag"]

    def let_go(self, paths: str) -> None:
        """Let values go, as a user does."""
        self.xr["metadata"].setdefault("annotations", {})[LET_GO] = paths


_ABSENT: Final = object()

_SEEN: Final = ("status", "atProvider")
_PLACES: Final[Sequence[Sequence[str | int]]] = (
    *((*_SEEN, key) for key in ("id", "arn", "endpoint", "nodes", "counter")),
    (*_SEEN, "nodes", 0, "ip"),
    (*_SEEN, "nodes", 0, "name"),
    ("status", "conditions", "Ready"),
    ("status",),
)
"""Where values are lost."""


def _has(holder: Any, step: str | int) -> bool:
    if isinstance(holder, list):
        return isinstance(step, int) and step < len(holder)
    return isinstance(holder, dict) and step in holder


def _set(holder: Any, key: str | int, value: Any) -> None:
    if value is _ABSENT:
        holder.pop(key, None)
    else:
        holder[key] = value


def _spec(content: dict[Any, Any]) -> dict[Any, Any]:
    return {path: value for path, value in content.items() if path[0] == "spec"}


def _flat(body: dict[str, Any]) -> dict[Any, Any]:
    return flat({"spec": body["spec"]})
