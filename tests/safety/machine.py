"""A machine that reconciles random compositions while values come and go, people edit and the engine fails.

A composition has one step to three. In the reconcile in which values go, the user may edit the composite, or the author
may give the steps other names or other inputs.

What may change is said by the same code in plain Python (`tests.safety.plain`): each fragment is run in some worlds
that differ in the missing values only. For each resource, a missing value that was there since the resource was made is
lost: what exists and is composed with the last values must stay, and a live value may only become what it is in all of
these worlds. A value that never was there is false.
"""

from __future__ import annotations

__all__ = ["Machine"]

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from crossplane_lite import Unstructured, composition
from tests.safety.checks import Placeholders, checked
from tests.safety.cluster import Cluster, Path, Reconcile, content, normalised
from tests.safety.fragments import EXCLUSIVE, FRAGMENTS, TELLERS
from tests.safety.ownership import MISSING, flat
from tests.safety.plain import Missing, PlainContext, Seen, World, evaluate, make, plan_contents
from tests.safety.values import FULL, REF
from tests.support import notes_of

Value: TypeAlias = "tuple[str, str]"
"""A source and a field of its status."""

Plan: TypeAlias = "dict[str, dict[Path, Any]]"
"""The content of what is composed, by name."""

SOURCES = ("a", "b", "c")
REQUIRED = "ref"
"""The object that fragments require."""
OWNERS = (*SOURCES, REQUIRED)
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

NEEDS_MEMORY: Final = ("measured", "smallest")
"""The fragments whose resources change where a value is missing and nothing is remembered."""
NORMALISED: Final = {"1000m": "1"}
DEFAULTS: Final = {"spec": {"policy": "Delete"}}
TEXTS: Final = ("<missing>", "<it is not there>")
"""What a missing value reads as in texts: where two of them give something else, the value is in it."""

source_names = st.sampled_from(SOURCES)
owner_names = st.sampled_from(OWNERS)
edits = st.sampled_from(["", "", "", "flag", "region", "input", "names"])
"""What somebody edits in the same reconcile."""


class Machine(RuleBasedStateMachine):
    """Each rule is something that happens, and a reconcile.

    Attributes:
        reconciles: How many there were, in all machines.
        rests: How many deletions of users were looked at that were made at rest.
        heals: How many times all values that ever come were back, and the state was compared with a newborn's.
        seen: How many reconciles there were of each kind that a search should try.
    """

    reconciles = 0
    rests = 0
    heals = 0
    seen: Counter[str] = Counter()

    @initialize(
        chosen=st.lists(st.tuples(st.sampled_from(sorted(FRAGMENTS)), source_names), min_size=2, max_size=7),
        homes=st.lists(st.integers(0, 2), min_size=7, max_size=7),
        count=st.integers(1, 3),
        flag=st.booleans(),
        never=st.sets(st.tuples(owner_names, st.sampled_from(FIELDS)), max_size=4),
    )
    def start(self, chosen: list[tuple[str, str]], homes: list[int], count: int, flag: bool, never: set[Value]) -> None:
        self.chosen = chosen
        self.homes = [home % count for home in homes]
        self.count = count
        self.never = never
        self.names = 0
        self.input = 0
        self.cluster = Cluster(*self._functions(), spec={"region": "eu", "flag": flag})
        self.cluster.normalised = NORMALISED
        self.cluster.defaults = {"Thing": DEFAULTS}
        self.placeholders = Placeholders([self._step(at) for at in range(count)])
        self.placeholders.look(self.cluster)
        self.values: dict[str, dict[str, Any]] = {name: {} for name in OWNERS}
        self.last: dict[str, dict[str, Any]] = {name: {field: VALUES[field][0] for field in FIELDS} for name in OWNERS}
        self.has_required = True
        self.unready: set[str] = set(SOURCES)
        self.without_status: set[str] = set()
        self.remembered: dict[str, set[Value]] = {}
        self.was_erased = False
        self.was_ever_erased = False
        self.ever: set[Value] = set()
        self._reconcile()

    # --- the composition ---

    def _functions(self) -> list[Any]:
        former = range(self.names)
        return [
            composition.function(
                name=f"step{at}-{self.names}", formerly=[f"step{at}-{number}" for number in former], auto_ready=True
            )(self._step(at))
            for at in range(self.count)
        ]

    def _step(self, at: int) -> Callable[[Any], None]:
        def compose(ctx: Any) -> None:
            for number in range(len(self.chosen)):
                if at == 0:
                    self._tell(ctx, number)
            for number in range(len(self.chosen)):
                if at == self.homes[number]:
                    self._fragment(ctx, number, is_first=at == 0)

        return compose

    def _tell(self, ctx: Any, number: int) -> None:
        """Do what the first step does for a fragment."""
        for name in SOURCES:
            if name not in ctx.resources:
                make(ctx, name, "VPC", cidr="10.0.0.0/16")
        style, source = self.chosen[number]
        if style in TELLERS:
            TELLERS[style](ctx, ctx.composite(Unstructured), ctx.resources[source], f"r{number}")

    def _fragment(self, ctx: Any, number: int, *, is_first: bool) -> None:
        style, source = self.chosen[number]
        owner = ctx.resources[source] if is_first else Seen(ctx, source)
        FRAGMENTS[style](ctx, ctx.composite(Unstructured), owner, f"r{number}")

    def _evaluated(self, number: int, world: World) -> Any:
        def all_of_it(ctx: PlainContext) -> None:
            self._tell(ctx, number)
            self._fragment(ctx, number, is_first=True)

        return evaluate([all_of_it], world)

    # --- what happens to values ---

    @rule(source=owner_names, ready=st.booleans(), edit=edits)
    def all_values(self, source: str, ready: bool, edit: str) -> None:
        """A provider writes all values, as they were the last time."""
        self._come(source, dict(self.last[source]))
        self._turn(source, ready)
        self._reconcile(edit)

    @rule(source=owner_names, field=st.sampled_from(FIELDS), number=st.integers(0, 2), edit=edits)
    def one_value(self, source: str, field: str, number: int, edit: str) -> None:
        """A provider writes one value."""
        self.last[source][field] = VALUES[field][number]
        self._come(source, {field: VALUES[field][number]})
        self._reconcile(edit)

    @rule(source=owner_names, fields=st.sets(st.sampled_from(FIELDS), min_size=1), ready=st.booleans(), edit=edits)
    def lost_values(self, source: str, fields: set[str], ready: bool, edit: str) -> None:
        """Values go."""
        for field in fields:
            self.values[source].pop(field, None)
        self._turn(source, ready)
        self._reconcile(edit)

    @rule(source=owner_names, gone=st.sampled_from(FIELDS), come=st.sampled_from(FIELDS), edit=edits)
    def exchanged(self, source: str, gone: str, come: str, edit: str) -> None:
        """One value comes while another goes."""
        self.values[source].pop(gone, None)
        self.values[source][come] = self.last[source][come]
        self._reconcile(edit)

    @rule(source=owner_names, edit=edits)
    def lost_status(self, source: str, edit: str) -> None:
        """The whole status goes."""
        self.values[source].clear()
        self.without_status.add(source)
        self._turn(source, False)
        self._reconcile(edit)

    @rule(source=source_names)
    def turned(self, source: str) -> None:
        """A resource becomes ready, or isn't any more."""
        self.unready ^= {source}
        self._reconcile()

    # --- what happens to resources, and in the engine ---

    @rule(source=owner_names, edit=edits)
    def deleted(self, source: str, edit: str) -> None:
        """Somebody deletes an object with values by hand."""
        self.cluster.objects.pop(source, None)
        self.has_required = self.has_required and source != REQUIRED
        self.values[source].clear()
        self._turn(source, False)
        self._reconcile(edit)

    def _come(self, source: str, values: Mapping[str, Any]) -> None:
        self.values[source].update(values)
        self.without_status.discard(source)
        self.has_required = self.has_required or source == REQUIRED

    def _turn(self, source: str, ready: bool) -> None:
        if ready or source == REQUIRED:
            self.unready.discard(source)
        else:
            self.unready.add(source)

    @rule(number=st.integers(0, 20))
    def deleted_dependent(self, number: int) -> None:
        """Somebody deletes another resource by hand.

        While a value is lost, not the only one that has the newest notes of its step: then older ones count.
        """
        found = sorted(self.cluster.objects.keys() - set(SOURCES))
        if self._noted_and_missing():
            found = [name for name in found if not self._has_newest_notes_alone(name)]
        if found:
            del self.cluster.objects[found[number % len(found)]]
        self._reconcile()

    def _noted_and_missing(self) -> set[Value]:
        """Return the missing values that were there since some resource was made."""
        missing = {value for value in self._all() if self._present(value) is None}
        return missing & set().union(*self.remembered.values())

    def _has_newest_notes_alone(self, name: str) -> bool:
        newest = {
            other: {step: entry["n"] for step, entry in notes_of(found.live).items()}
            for other, found in self.cluster.objects.items()
        }
        own = newest.pop(name)
        return any(all(number > there.get(step, 0) for there in newest.values()) for step, number in own.items())

    @rule(source=source_names, is_all=st.booleans())
    def half_applied(self, source: str, is_all: bool) -> None:
        """A value changes, and the engine applies only some of the answer, or the status write conflicts."""
        self.values[source] = dict(self.last[source]) if not self.values[source] else {}
        names = sorted({*self.cluster.objects, *(f"r{number}" for number in range(len(self.chosen)))})
        self._reconcile(applies=None if is_all else names[::2], stores_status=False)

    @rule(number=st.integers(0, 20))
    def erased(self, number: int) -> None:
        """What is remembered is erased: on all resources, or on one while nothing is lost.

        Not where the API server writes another value than the desired one: there only the memory says that nothing has
        changed, and without it such a resource stays as it is while a value is missing whose effect can't be seen. Nor
        where compose() sorts a list with a missing value in it: without memory, elements keep their values by place.
        """
        measured = {f"r{number}" for number, (use, _) in enumerate(self.chosen) if use in NEEDS_MEMORY}
        found = sorted(self.cluster.objects.keys() - measured)
        names = found
        if number % 3 or measured:
            # Not while a value is lost: then the notes of others count, which may be older.
            names = [] if self._noted_and_missing() or not found else [found[number % len(found)]]
        if names:
            self.cluster.forget(*names)
            self.was_erased = self.was_ever_erased = True
        for name in names:
            self.remembered[name] = set(self._all())
        self._reconcile()

    @rule(number=st.integers(0, 3), edit=edits)
    def adopted(self, number: int, edit: str) -> None:
        """Now and then, all resources come from another SDK: they have neither notes nor marks."""
        if number == 0 and not any(style in NEEDS_MEMORY for style, _ in self.chosen):
            self.cluster.forget(mark=True)
            self.was_erased = self.was_ever_erased = True
            for name in self.cluster.objects:
                self.remembered[name] = set(self._all())
            self.seen["adopted"] += 1
        self._reconcile(edit)

    # --- what users do ---

    @rule(edit=edits)
    def edited(self, edit: str) -> None:
        """The user edits the composite or an input, or the author renames the steps."""
        self._reconcile(edit)

    def _edit(self, edit: str) -> None:
        spec = self.cluster.xr["spec"]
        if edit == "flag":
            spec["flag"] = not spec["flag"]
        elif edit == "region":
            spec["region"] = "us" if spec["region"] == "eu" else "eu"
        elif edit == "input":
            self.input = (self.input + 1) % 3
            self.cluster.inputs = [{"size": self.input} if self.input else None] * self.count
        elif edit == "names":
            self.names += 1
            self.cluster.functions = tuple(self._functions())

    @rule()
    def deleted_at_rest(self) -> None:
        """The user leaves something out after two reconciles at rest, and it goes within two."""
        self.unready.clear()
        self.without_status.clear()
        for _ in range(2):
            self._reconcile()
        if self._changes() is False and not self.was_ever_erased:
            Machine.rests += 1
            self.cluster.xr["spec"]["flag"] = False
            for _ in range(2):
                done = self._reconcile()
            plans = self._plans(frozenset())
            wanted = set(SOURCES).union(*(plan or {} for plan in plans[0]))
            assert done.after.keys() - wanted == set(), (self.chosen, done.told)

    @rule()
    def healed(self) -> None:
        """All values are back that ever come: what is desired is what a newborn composes from them.

        Not where a value that never comes counts as lost, because what is remembered was erased: then deletions wait.
        """
        for source in OWNERS:
            self._come(source, self.last[source])
        self.unready.clear()
        self.without_status.clear()
        for _ in range(3):
            done = self._reconcile()
        self.was_erased = False
        wanted = self._expected()
        missing = {value for value in self._all() if self._present(value) is None}
        is_lost = any(missing & self.remembered.get(name, set()) for name in done.before if name not in SOURCES)
        if wanted is not None and not (is_lost or self.was_ever_erased):
            Machine.heals += 1
            desired = {name: content(body) for name, body in done.desired.items() if name not in SOURCES}
            assert desired == wanted, (self.chosen, self.never, done.told)

    # --- what must hold ---

    def _reconcile(
        self, edit: str = "", *, applies: Collection[str] | None = None, stores_status: bool = True
    ) -> Reconcile:
        Machine.reconciles += 1
        self._edit(edit)
        self._provide()
        existing = set(self.cluster.objects)
        missing = {value for value in self._all() if self._present(value) is None}
        lost = {name: frozenset(missing & self.remembered.get(name, set())) for name in existing}
        # The notes of one resource count for all of the step: what was applied in part may become whole.
        noted = frozenset(self._noted_and_missing())
        nothing: frozenset[Value] = frozenset()
        ever = frozenset(missing & self.ever)  # forgotten or not
        plans = {values: self._plans(values) for values in {noted, nothing, ever, *lost.values()}}
        may_rest = self._changes() is not True
        if noted and not self.was_erased:
            self.seen[f"lost in {self.count} steps"] += 1
            self.seen[f"lost beside an edit of {edit}" if edit else "lost"] += 1
            self.seen["lost of a required object"] += any(value[0] == REQUIRED for value in noted)
        status = dict(self.cluster.xr.get("status", {}))
        statuses = self._told_statuses(noted, nothing)
        done = checked(self.cluster, self.placeholders, applies=applies, stores_status=stores_status)
        assert not done.fatal, (self.chosen, done.fatal)
        for name in sorted(existing - set(SOURCES)):
            number = int(name[1:].split("-")[0])
            found = [plan[number] for plan in plans[lost[name]]]
            of_all = [plan[number] for plan in plans[noted]]
            told = (self.chosen, name, sorted(lost[name]), done.told)
            if name not in done.after:
                if self.was_erased and self.chosen[number][0] in TELLERS:
                    continue  # a step without notes may take a lost value for one that never came, and tell others so
                without_it = (found[0], found[-1], of_all[0], of_all[-1])
                assert any(plan is None or name not in plan for plan in without_it), told
            else:
                # In the first one, what is lost is as it last was.
                worlds = [found, of_all, found[:1], of_all[:1], [plans[ever][0][number]]]
                if self.was_erased:  # without notes, fields follow the code
                    worlds.append([plan[number] for plan in plans[nothing]])
                self._check_leaves(name, done, worlds, told)
        for key, values in statuses.items():
            now = self.cluster.xr.get("status", {}).get(key)
            assert now in (status.get(key), *values) or key not in status, (key, status, now, values, done.told)
        for name in done.after:
            # Of what has no mark, one step may keep what another one would leave out.
            if name.endswith(EXCLUSIVE[0]) and not self.was_erased:
                assert name.removesuffix(EXCLUSIVE[0]) + EXCLUSIVE[1] not in done.after, (self.chosen, done.told)
        self._remember(done, missing, applies, may_rest)
        return done

    def _check_leaves(self, name: str, done: Reconcile, worlds: list[list[Plan | None]], told: Any) -> None:
        before, after = done.before[name], done.after[name]
        for path in before.keys() | after.keys():
            was, is_now = before.get(path, MISSING), after.get(path, MISSING)
            if was != is_now:
                is_wanted = [
                    all(
                        normalised(plan.get(name, {}).get(path, MISSING), NORMALISED) == is_now
                        for plan in plans
                        if plan is not None
                    )
                    for plans in worlds
                ]
                assert any(is_wanted), (path, was, is_now, told)

    def _remember(self, done: Reconcile, missing: set[Value], applies: Collection[str] | None, may_rest: bool) -> None:
        """Note which values have been there since each resource was made: what was applied with them knows of them."""
        present = {*self._all()} - missing
        self.ever |= present
        settled = {value for value in missing if value[0] not in self.unready} if may_rest else set()
        for name in [*self.remembered]:
            if name not in done.after:
                del self.remembered[name]
        for name in done.after:
            if applies is None or name in applies:
                self.remembered[name] = (self.remembered.get(name, set()) | present) - settled

    # --- worlds ---

    def _all(self) -> Iterator[Value]:
        return ((source, field) for source in OWNERS for field in FIELDS)

    def _present(self, value: Value) -> Any:
        """Return a value that is there, or is answered; None if it is missing."""
        source, field = value
        exists = self.has_required if source == REQUIRED else source in self.cluster.objects
        if not exists or source in self.without_status:
            return None
        if field in self.values[source] and value not in self.never:
            return self.values[source][field]
        return [] if source not in self.unready and field in ANSWERS else None

    def _provide(self) -> None:
        for name in self.cluster.objects:
            if name not in SOURCES:
                self.cluster.provide(name, FULL, ready=True)
            elif name in self.without_status:
                self.cluster.provide(name, None)
            else:
                self.cluster.provide(name, self._reported(name), ready=name not in self.unready)
        status = {} if REQUIRED in self.without_status else {"status": self._reported(REQUIRED)}
        self.cluster.others = [{**REF, **status}] if self.has_required else []

    def _reported(self, name: str) -> dict[str, Any]:
        return {field: value for field, value in self.values[name].items() if (name, field) not in self.never}

    def _plans(self, lost: frozenset[Value]) -> list[list[Plan | None]]:
        """Return what each fragment composes, in worlds that differ in what is missing; None where it raises.

        What is lost is as it was the last time in the first and the last world; the other missing values have one text
        in the first worlds, and another in the last ones.
        """
        found = []
        for number, text in ((None, TEXTS[0]), (0, TEXTS[0]), (1, TEXTS[1]), (2, TEXTS[1]), (None, TEXTS[1])):
            world = self._world(number, text, lost)
            found.append([self._plan(at, world) for at in range(len(self.chosen))])
        return found

    def _plan(self, number: int, world: World) -> Plan | None:
        try:
            plan, _ = self._evaluated(number, world)
        except ValueError:
            return None
        return {name: content for name, content in plan_contents(plan).items() if name not in SOURCES}

    def _world(self, number: int | None, text: str, lost: frozenset[Value]) -> World:
        statuses: dict[str, dict[str, Any]] = {source: {} for source in OWNERS}
        for source, field in self._all():
            value = self._present((source, field))
            if value is None and (source, field) in lost:
                value = self.last[source][field] if number is None else VALUES[field][number]
            statuses[source][field] = Missing(text) if value is None else value
        unready = self.unready | (set(SOURCES) - self.cluster.objects.keys())
        status: dict[str, Any] = {}
        for at, (_, source) in enumerate(self.chosen):
            may_be_there = self._present((source, "id")) is not None or (source, "id") in lost
            there = "value" if number is None else f"value-{number}"
            status[f"r{at}"] = there if may_be_there else Missing(text)
        return World(
            {**statuses, "*": FULL},
            unready=frozenset(unready) if number == 0 else frozenset(),
            existing=frozenset(self.cluster.objects),
            spec=self.cluster.xr["spec"],
            xr_status={**status, **self.cluster.xr.get("status", {})},
            required={"ref": [{"status": statuses[REQUIRED]}]},
        )

    def _told_statuses(self, *losses: frozenset[Value]) -> dict[str, list[Any]]:
        """Return the values that the composite's status may get, by the key of each fragment that sets one."""
        found: dict[str, list[Any]] = {}
        for lost in losses if self.was_erased else losses[:1]:
            for number in (None, 0, 1, 2):
                world = self._world(number, TEXTS[0], lost)
                for at, (style, _) in enumerate(self.chosen):
                    if style in TELLERS or style == "through_the_composite":
                        _, status = self._evaluated(at, world)
                        found.setdefault(f"r{at}", []).append(status.get(f"r{at}"))
        return {key: values for key, values in found.items() if not all(value is None for value in values)}

    # --- rest ---

    def _changes(self) -> bool | None:
        """Whether following the code changes, makes or deletes something; None if that can't be told."""
        alike = [self._world(None, text, frozenset()) for text in TEXTS]
        found: list[bool | None] = [False]
        for number in range(len(self.chosen)):
            first, second = (self._plan(number, world) for world in alike)
            existing = {name for name in self.cluster.objects if name.split("-")[0] == f"r{number}"}
            if first is None or second is None:
                found.append(None)
                continue
            found.append(not existing <= first.keys())
            for name, fields in first.items():
                is_whole = fields == second.get(name) and not any(isinstance(v, Missing) for v in fields.values())
                if name not in existing:
                    found.append(None if is_whole else False)
                elif is_whole:
                    live = content(self.cluster.objects[name].live)
                    wanted = normalised(fields, NORMALISED)
                    found.append(_own(wanted) != _own(live))
                else:
                    found.append(None)
        return True if True in found else None if None in found else False

    def _expected(self) -> Plan | None:
        """Return what a newborn has at last; None where that can't be told."""
        wanted: Plan = {}
        alike = [self._world(None, text, frozenset()) for text in TEXTS]
        for number in range(len(self.chosen)):
            first, second = (self._plan(number, world) for world in alike)
            if first is None or second is None or first.keys() != second.keys():
                return None
            for name, fields in first.items():
                if fields == second[name] and not any(isinstance(value, Missing) for value in fields.values()):
                    wanted[name] = fields
                elif name in self.cluster.objects:
                    return None
        return wanted


def _own(fields: Mapping[Path, Any]) -> dict[Path, Any]:
    """Return fields without those that the API server fills in, and without empty objects."""
    return {path: value for path, value in fields.items() if value != {} and path not in flat(DEFAULTS)}
