"""What is at stake in a call, and what each resource remembers of missing values from now on.

At stake are the existing resources that the real run drops or changes while values are missing.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import codec
from ..call.mark import MOST, NO_MARK, NOTHING, OUR_NAME, OURS, Memory, key_of, memory_at_once, memory_in
from ..models.walker import show_path, unresolved_in
from ..observed.observable import is_settled, root_of, sources
from .comparing import composite_tree, trees_elsewhere
from .usages import edge_of

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.mark import Content
    from ..observed.observable import Observable
    from ..observed.tracker import Values
    from .draft import Draft


class Birth(NamedTuple):
    """A new resource that is made with a guess, or an existing one that was and still waits for the values.

    Attributes:
        fields: The paths of the fields that the guess decides; empty if it decides whether the resource is made, and
            for an existing resource.
        why: The missing values.
    """

    fields: tuple[str, ...]
    why: Values


class Stakes:
    """The missing values of the real run, and what existing resources remember of them.

    Attributes:
        missing: The missing values that were asked for, sorted.
        guesses: Those of them that were used as plain values.
        read: Those of them that were read, and not used as plain values or in texts.
        dropped: The existing resources of this step that the real run doesn't register.
        changed: The existing resources to which the real run gives another content than they remember.
        fresh: The new resources that the answer would create.
        born: Those of them that no previous step desires.
        waiting: The new resources that wait for values.
        texts: How often each missing value is in texts of the resources, by the id of its Observable in `call.tokens`.
        names: The names in `dropped` and `changed` for which a value is lost. Further runs show why it happens.
    """

    def __init__(
        self, call: Call, drafts: Mapping[str, Draft], error: BaseException | None, *, moves: bool = False
    ) -> None:
        self._call = call
        self._drafts = drafts
        self._memories: dict[str, Memory] = {}
        self._lost: dict[frozenset[str], Values] = {}
        self.missing, self.read = _missing_values(call, drafts)
        self.guesses: Values = [one for _, one in sorted(call.guesses.items())]
        self.dropped: dict[str, None] = {}
        self.changed: dict[str, None] = {}
        if self.missing or error is not None or moves:
            self.dropped = dict.fromkeys(self._dropped(drafts))
            self.changed = dict.fromkeys(
                name
                for name, draft in drafts.items()
                if name in call.observed and draft.content is not None and self.memory(name).digest != draft.digest
            )
        self.fresh = [name for name, draft in drafts.items() if name not in call.observed and draft.content is not None]
        self.born = dict.fromkeys(name for name in self.fresh if name not in call.desired)
        found = [one for draft in drafts.values() for one in draft.found if one.in_text]
        self.texts = Counter(id(value) for one in found for value in one.waits_for)
        self.waiting = {name for name, draft in drafts.items() if draft.content is None and name not in call.observed}
        self.names = [name for name in (*self.dropped, *self.changed) if self.lost(name)]

    @functools.cached_property
    def own_memories(self) -> list[Memory]:
        """What the existing resources of this step remember, each memory once."""
        found = [self.memory(name) for name in self._call.observed]
        return [*{one.missing: one for one in found if one.digest}.values()]

    @functools.cached_property
    def unaccounted(self) -> Values:
        """The missing values that were put into more texts than the resources have.

        The code has looked into such a text, or has made something else of it.
        """
        call = self._call
        found = (one for number, one in call.tokens.items() if call.made[number] > self.texts.get(id(one), 0))
        return [source for one in found for source in sources(one)]

    @functools.cached_property
    def reaches_others(self) -> bool:
        """Whether what later steps read may hang on a lost value: one that no resource of this step remembers.

        That is the context, even if the real run sets nothing in it, and the composite's status.
        """
        if self._call.function.allow_removal_when_unresolved or self._call.in_operation:
            return False
        # Many texts are for people. A step that has made nothing yet has nothing to lose because of them.
        asked = (*self.guesses, *(self.unaccounted if self.own_memories else ()))
        return any(not self.is_remembered(one) for one in asked)

    def is_remembered(self, value: Observable[Any]) -> bool:
        """Say whether a value was missing before, by the memory of its owner, or of all if the step has no owner."""
        root = root_of(value)
        owner = self.memory(root.name) if root is not None and root.kind == "resource" else Memory("")
        return any(memory.has(value) for memory in ([owner] if owner.digest else self.own_memories))

    def draft(self, name: str) -> Draft:
        """Return a resource as the real run desires it."""
        return self._drafts[name]

    @property
    def made(self) -> dict[str, Content | None]:
        """The contents that the real run has made, with placeholders in texts."""
        return {name: draft.made for name, draft in self._drafts.items() if draft.made is not None}

    @property
    def open(self) -> list[str]:
        """The registered resources that the answer creates or changes."""
        return [*self.changed, *self.fresh]

    def memory(self, name: str) -> Memory:
        """Return what the observed resource `name` remembers of this step."""
        memory = self._memories.get(name)
        if memory is None:
            call = self._call
            quickly = memory_at_once(call.observed[name].resource, call.step) if name in call.observed else None
            memory = self._memories[name] = quickly or memory_in(call.mark_of(name), call.step)
        return memory

    def lost(self, name: str) -> Values:
        """Return the values that are lost for the observed resource `name`: missing now, and not when it was made."""
        return self._lost_beside(self.memory(name).missing)

    def _lost_beside(self, missing: frozenset[str]) -> Values:
        """Return the values that are lost for a resource that remembers the keys `missing`."""
        found = self._lost.get(missing)  # nearly all resources have the same memory
        if found is None:
            memory = Memory("", missing)
            removes = self._call.function.allow_removal_when_unresolved
            found = self._lost[missing] = [one for one in self.missing if not (removes or memory.has(one))]
        return found

    def lost_for_any(self, names: Iterable[str]) -> Values:
        """Return the values that are lost for any of these resources; some may be there several times."""
        lists = {id(lost): lost for name in names for lost in [self.lost(name)]}
        return [one for lost in lists.values() for one in lost]

    def _dropped(self, drafts: Mapping[str, Draft]) -> list[str]:
        call = self._call
        # Once this step has made something, all that is its own has its mark.
        is_new = not any(self.memory(name).digest for name in call.observed)
        ours = (OURS, OUR_NAME, NO_MARK) if is_new else (OURS, OUR_NAME)
        return [
            name
            for name in sorted(call.observed)
            if name not in drafts
            and name not in call.other_kind
            and (
                call.whose(name) in (ours if name not in call.desired else (OURS,))
                or (name in call.removed and name in call.desired)  # another step's resource, which this one takes out
            )
            and edge_of(name, call.observed[name].resource) is None  # Usages come and go by rules of their own
        ]

    def remembered(
        self,
        drafts: Mapping[str, Draft],
        protected: Collection[str],
        births: Mapping[str, Birth],
        at_rest: bool,
        spared: Collection[str] = (),
    ) -> dict[str, Memory]:
        """Return what each resource remembers from now on. The resources `spared` learn nothing at rest."""
        keys = self._keys
        after = functools.cache(self._missing_after)  # nearly all resources have the same memory
        found: dict[str, Memory] = {}
        for name, draft in drafts.items() if keys else ():
            if draft.content is None:
                continue
            digest, memory = draft.digest, self.memory(name)
            own = self._own_guesses.get(name, frozenset())
            if name not in self._call.observed:
                why = births[name].why if name in births else ()
                deciding = frozenset(keys[one.source_path] for one in why)
                found[name] = Memory(digest, self._missing_at_birth | deciding | own, deciding, own)
            elif memory.is_of(digest):
                # Not even values that nobody has asked for were there, until one of those that were guessed has come.
                own = memory.own | own if NOTHING in memory.missing else frozenset()
                has_come = not own.issubset(keys.values())
                missing = after(memory.missing, has_come, at_rest, at_rest and name not in spared)
                missing |= own if NOTHING in missing else frozenset()
                found[name] = Memory(digest, missing, memory.deciding & missing, own & missing)
            else:
                # A value that still protects something of the resource mustn't enter because of another change.
                used = {one.source_path for place in draft.found for one in _sources(place.waits_for)}
                kept = {one.source_path for one in self.lost(name) if name in protected or one.source_path in used}
                found[name] = Memory(digest, frozenset(key for path, key in keys.items() if path not in kept))
        return found

    @functools.cached_property
    def _keys(self) -> dict[str, str]:
        """The keys of the missing values, by path."""
        return {one.source_path: key_of(one.source_path) for one in self.missing}

    @functools.cached_property
    def _own_guesses(self) -> dict[str, frozenset[str]]:
        """The keys of the values of each composed resource that were guessed."""
        found: dict[str, set[str]] = {}
        for one in self.guesses:
            if _is_composed(one) and one.source_path in self._keys:
                found.setdefault(root_of(one).name, set()).add(self._keys[one.source_path])  # type: ignore[union-attr]
        return {name: frozenset(keys) for name, keys in found.items()}

    @functools.cached_property
    def _missing_at_birth(self) -> frozenset[str]:
        if self._call.observed:
            return frozenset(self._keys.values())
        return frozenset(self._keys[one.source_path] for one in self.missing if not _is_composed(one)) | {NOTHING}

    def _missing_after(self, missing: frozenset[str], has_come: bool, at_rest: bool, learns: bool) -> frozenset[str]:
        """Return the keys that a resource remembers whose content stays. `missing` are those that it remembers now.

        `has_come` says that one of its own values is there that was guessed when it was made. With `learns`, lost
        values of ready owners count as never there from now on.
        """
        if len(self._keys) > MOST:
            return missing
        lost, found = self._lost_beside(missing), missing
        # At rest, and while more is expected to come, each value that comes would be a write.
        if has_come or (self._expects_nothing if at_rest else lost):
            # Values that have come are forgotten: from now on the resource is one that was there with them.
            memory = Memory("", missing)
            found = frozenset(self._keys[one.source_path] for one in self.missing if memory.has(one))
        if learns:
            for_good = (one for one in lost if not _is_state(one) and _is_for_good(self._call, one))
            found = found.union(self._keys[one.source_path] for one in for_good)
        return found

    @functools.cached_property
    def _expects_nothing(self) -> bool:
        return not (self.waiting or self.born) and all(_is_for_good(self._call, one) for one in self.missing)

    @functools.cached_property
    def at_rest(self) -> bool:
        """Whether the real run neither drops nor changes anything that exists, nor the composite's status."""
        return bool(self.missing) and not (self.dropped or self.changed) and self.keeps_status

    @functools.cached_property
    def keeps_status(self) -> bool:
        """Whether the real run changes nothing in the composite's status."""
        call = self._call
        tree = composite_tree(call)
        if tree is None or "status" not in tree.data:
            return True
        live = {} if "status" not in call.xr.fields else codec.decode_value(call.xr.fields["status"])
        return covers(live, tree.data["status"], call)

    def earlier_births(self, drafts: Mapping[str, Draft]) -> dict[str, Birth]:
        """Return the existing resources that were made with a guess about values which may still come."""
        call = self._call
        values = {key_of(one.source_path): one for one in self.missing}
        found = {}
        for name in drafts:
            if values and name in call.observed and name not in self.changed and (keys := self.memory(name).deciding):
                why = [values[key] for key in sorted(keys) if key in values]
                why = [one for one in why if not _is_for_good(call, one)]
                if why:
                    found[name] = Birth((), why)
        return found


def _is_state(value: Observable[Any]) -> bool:
    """Say whether a value is a state, which comes and goes: an object's readiness or one of its conditions."""
    root = root_of(value)
    way = "" if root is None else value.source_path[len(root.prefix) :]
    return way == ".ready" or way.startswith(".status.conditions[")


def _is_composed(value: Observable[Any]) -> bool:
    root = root_of(value)
    return root is not None and root.kind == "resource"


def _is_for_good(call: Call, value: Observable[Any]) -> bool:
    """Say whether the object that a missing value belongs to is ready without it."""
    root = root_of(value)
    if root is None:
        return False
    if root.kind == "required":
        return True  # it was found without the value
    if root.kind == "xr":
        return (call.observed_condition("Ready") or {}).get("status") == "True"
    return root.settled


def covers(live: Any, desired: Any, call: Call) -> bool:
    """Say whether observed data has all desired values. Missing values, which keep theirs, don't count."""
    if isinstance(desired, dict) and isinstance(live, dict):
        return all(covers(live.get(key), value, call) for key, value in desired.items())
    return bool(unresolved_in(desired, call)) or live == desired  # an Observable mustn't be compared


def _missing_values(call: Call, drafts: Mapping[str, Draft]) -> tuple[Values, Values]:
    """Return the missing values that were asked for in the real run, and those of them that were only read.

    Code such as `value is True` may have used a value that was only read. A value that is in the answer, so that
    something waits for it, isn't among these if its object doesn't exist, and no resource has a value in its place:
    then it can't have been there before. A value around another one that was asked for doesn't count. Both lists are
    sorted.
    """
    asked = {source.source_path: source for one in call.tokens.values() for source in sources(one)}
    asked.update(call.guesses)
    found = [one for draft in drafts.values() for one in draft.found]
    used = {source.source_path: source for one in found for source in _sources(one.waits_for)}
    places = [place for tree in trees_elsewhere(call) for place in tree.found]
    # A field of the composite that waits for itself keeps its value, and needs none of others.
    elsewhere = [
        one for place in places for one in place.waits_for if f"xr.{show_path(place.steps)}" != one.source_path
    ]
    used.update({one.source_path: one for one in _sources(elsewhere)})
    read = {**{one.source_path: one for one in call.handed_out}, **used}
    around = {path[:at] for path in (*asked, *read) for at, sign in enumerate(path) if sign in ".["}
    only = {
        path: one
        for path, one in read.items()
        if not (path in asked or path in around or path in call.answered or is_settled(one)) and one.__cl_deps__ is None
    }
    gone = {path for path, one in only.items() if path in used and not _may_have_been(one)}
    if gone:
        gone -= _paths_with_values(call, drafts)
    may_count = [one for path, one in sorted(only.items()) if path not in gone]
    return [one for _, one in sorted({**only, **asked}.items())], may_count


def _paths_with_values(call: Call, drafts: Mapping[str, Draft]) -> set[str]:
    """Return the paths of the missing values in whose places existing resources have values, outside of lists.

    Values of a new owner don't count that takes the place of one of its kind: they have never been there.
    """
    left = {codec.get_path(one.resource, ("kind",)) for name, one in call.observed.items() if name not in drafts}
    new = {name for name, model in call.resources.items() if name not in call.observed and model.kind in left}
    return {
        source.source_path
        for name, draft in drafts.items()
        if name in call.observed
        for found in draft.found
        if int not in map(type, found.steps) and codec.get_path(call.observed[name].resource, found.steps) is not None
        for source in _sources(found.waits_for)
        if (root := root_of(source)) is not None and root.name not in new
    }


def _may_have_been(value: Observable[Any]) -> bool:
    """Say whether the object that a missing value belongs to exists, or isn't known."""
    root = root_of(value)
    return root is None or root.kind != "resource" or root.raw is not None


def _sources(values: Values) -> Values:
    return [source for one in values for source in sources(one)]
