"""A machine that reconciles random compositions while values come and go, and what must hold after every step.

What may change is said by the same code in plain Python (`tests.safety.plain`): it is run in some worlds that differ in
the missing values only. What exists and is composed with the last values that were there must stay. A live value may
only become what it is in all of these worlds.
"""

from __future__ import annotations

__all__ = ["Machine"]

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from crossplane_lite import Unstructured, composition
from tests.safety.checks import Placeholders, checked
from tests.safety.cluster import Cluster, Reconcile, content
from tests.safety.fragments import EXCLUSIVE, FRAGMENTS
from tests.safety.ownership import MISSING
from tests.safety.plain import World, evaluate, make, plan_contents
from tests.safety.values import FULL

SOURCES = ("a", "b", "c")
FIELDS = ("id", "arn", "port", "phase", "zones", "cidr")
VALUES: Mapping[str, tuple[Any, ...]] = {
    "id": ("vpc-1234", "net-77", "zz-9"),
    "arn": ("arn/one", "arn/two", "arn/three"),
    "port": ("5432", "80", "9"),
    "phase": ("Available", "Creating", "Gone"),
    "zones": (["a", "b"], ["a"], ["c"]),
    "cidr": ("10.0.0.0/16", "10.0.0.0/8", "192.168.0.0/24"),
}
ANSWERS = frozenset({"zones"})
"""The fields whose absence is an answer on a ready resource."""

source_names = st.sampled_from(SOURCES)


class Machine(RuleBasedStateMachine):
    """Each rule is something that happens, and a reconcile.

    Attributes:
        reconciles: How many there were, in all machines.
    """

    reconciles = 0

    @initialize(
        chosen=st.lists(st.tuples(st.sampled_from(sorted(FRAGMENTS)), source_names), min_size=2, max_size=7),
        flag=st.booleans(),
    )
    def start(self, chosen: list[tuple[str, str]], flag: bool) -> None:
        def compose(ctx: Any) -> None:
            xr = ctx.composite(Unstructured)
            sources = {name: make(ctx, name, "VPC", cidr="10.0.0.0/16") for name in SOURCES}
            for number, (style, source) in enumerate(chosen):
                FRAGMENTS[style](ctx, xr, sources[source], f"r{number}")

        self.chosen = chosen
        self.compose = compose
        function = composition.function(name="step", auto_ready=True)(compose)
        self.cluster = Cluster(function, spec={"region": "eu", "flag": flag})
        self.placeholders = Placeholders([compose])
        self.placeholders.look(self.cluster)
        self.values: dict[str, dict[str, Any]] = {name: {} for name in SOURCES}
        self.last: dict[str, dict[str, Any]] = {name: {field: VALUES[field][0] for field in FIELDS} for name in SOURCES}
        self.unready: set[str] = set(SOURCES)
        self.without_status: set[str] = set()
        self._reconcile()

    # --- what happens ---

    @rule(source=source_names, ready=st.booleans())
    def all_values(self, source: str, ready: bool) -> None:
        """A provider writes all values, as they were the last time."""
        self.values[source] = dict(self.last[source])
        self.without_status.discard(source)
        (self.unready.discard if ready else self.unready.add)(source)
        self._reconcile()

    @rule(source=source_names, field=st.sampled_from(FIELDS), number=st.integers(0, 2))
    def one_value(self, source: str, field: str, number: int) -> None:
        """A provider writes one value."""
        self.values[source][field] = self.last[source][field] = VALUES[field][number]
        self.without_status.discard(source)
        self._reconcile()

    @rule(source=source_names, fields=st.sets(st.sampled_from(FIELDS), min_size=1), ready=st.booleans())
    def lost_values(self, source: str, fields: set[str], ready: bool) -> None:
        """Values go."""
        for field in fields:
            self.values[source].pop(field, None)
        (self.unready.discard if ready else self.unready.add)(source)
        self._reconcile()

    @rule(source=source_names)
    def lost_status(self, source: str) -> None:
        """The whole status goes."""
        self.values[source].clear()
        self.without_status.add(source)
        self.unready.add(source)
        self._reconcile()

    @rule(source=source_names)
    def deleted(self, source: str) -> None:
        """Somebody deletes a resource by hand."""
        self.cluster.objects.pop(source, None)
        self.values[source].clear()
        self.unready.add(source)
        self._reconcile()

    @rule(source=source_names)
    def turned(self, source: str) -> None:
        """A resource becomes ready, or isn't any more."""
        self.unready ^= {source}
        self._reconcile()

    @rule()
    def edited(self) -> None:
        """The user edits the composite."""
        spec = self.cluster.xr["spec"]
        spec["flag"] = not spec["flag"]
        self._reconcile()

    @rule()
    def moved(self) -> None:
        """The user edits what goes into many fields."""
        spec = self.cluster.xr["spec"]
        spec["region"] = "us" if spec["region"] == "eu" else "eu"
        self._reconcile()

    @rule()
    def healed(self) -> None:
        """All values are back: what is desired is what the code composes from them."""
        for source in SOURCES:
            self.values[source] = dict(self.last[source])
        self.unready.clear()
        self.without_status.clear()
        for _ in range(4):
            done = self._reconcile()
        plan, _ = evaluate([self.compose], self._world(self.last))
        desired = {name: content(body) for name, body in done.desired.items()}
        assert desired == plan_contents(plan)

    # --- what must hold ---

    def _reconcile(self) -> Reconcile:
        Machine.reconciles += 1
        self._provide()
        worlds = self._worlds()
        existing = set(self.cluster.objects)
        done = checked(self.cluster, self.placeholders)
        assert not done.fatal, (self.chosen, done.fatal)
        plans = [plan_contents(evaluate([self.compose], world)[0]) for world in worlds]
        lost = [name for name in sorted(existing & plans[0].keys()) if name not in done.after]
        assert lost == [], (self.chosen, done.told)
        for name in sorted(existing & done.after.keys()):
            self._check_leaves(name, done, plans)
        for name in done.after:
            if name.endswith(EXCLUSIVE[0]):
                # Where something else can't be seen through, what exists stays, and the answer says so.
                other = name.removesuffix(EXCLUSIVE[0]) + EXCLUSIVE[1]
                both = {name, other} & done.after.keys()
                assert other not in done.after or any(f"{one} is kept as it is" in done.waiting for one in both)
        return done

    def _check_leaves(self, name: str, done: Reconcile, plans: list[dict[str, Any]]) -> None:
        before, after = done.before[name], done.after[name]
        for path in before.keys() | after.keys():
            was, is_now = before.get(path, MISSING), after.get(path, MISSING)
            if was != is_now:
                wanted = [plan[name].get(path, MISSING) if name in plan else None for plan in plans]
                assert all(value == is_now for value in wanted), (self.chosen, name, path, was, is_now, done.told)

    def _provide(self) -> None:
        for name in self.cluster.objects:
            if name not in SOURCES:
                self.cluster.provide(name, FULL, ready=True)
            elif name in self.without_status:
                self.cluster.provide(name, None)
            else:
                self.cluster.provide(name, self.values[name], ready=name not in self.unready)

    def _worlds(self) -> list[World]:
        """Return worlds that differ in what is missing; in the first it is as it was the last time."""
        worlds = [self._world(self._completed(None)), *(self._world(self._completed(number)) for number in (0, 1, 2))]
        unready = self.unready | (set(SOURCES) - self.cluster.objects.keys())
        worlds[1].unready = frozenset(unready)
        for world in worlds[2:]:
            world.xr_status = {key: f"other-{value}" for key, value in world.xr_status.items()}
        present = self.cluster.xr.get("status", {})
        for world in worlds:
            world.xr_status = {**world.xr_status, **{k: v for k, v in present.items() if k != "conditions"}}
        return worlds

    def _completed(self, number: int | None) -> dict[str, dict[str, Any]]:
        """Return all values; those that are missing are the last ones, or others."""
        found = {}
        for source in SOURCES:
            exists = source in self.cluster.objects and source not in self.without_status
            is_settled = exists and source not in self.unready
            values = self.values[source] if exists else {}
            found[source] = {
                field: values[field]
                if field in values
                else []
                if is_settled and field in ANSWERS
                else self.last[source][field]
                if number is None
                else VALUES[field][number]
                for field in FIELDS
            }
        return found

    def _world(self, statuses: Mapping[str, Any]) -> World:
        names = [f"r{number}" for number in range(len(self.chosen))]
        return World(
            {**statuses, "*": FULL},
            existing=frozenset(self.cluster.objects),
            spec=self.cluster.xr["spec"],
            xr_status=dict.fromkeys(names, "value"),
        )
