"""What is at stake in a call: the existing resources that the real run drops or changes while values are missing."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .. import codec
from ..call.mark import NO_MARK, OUR_NAME, OURS, Memory, memory_at_once, memory_in
from ..models.walker import show_path
from ..observed.uses import is_settled, root_of, sources
from .comparing import trees_elsewhere
from .usages import edge_of

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.marking import Content
    from ..observed.observable import Observable
    from ..observed.tracker import Values
    from .draft import Draft

__all__ = ["Stakes"]


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

    def __init__(self, call: Call, drafts: Mapping[str, Draft], error: BaseException | None) -> None:
        self._call = call
        self._drafts = drafts
        self._memories: dict[str, Memory] = {}
        self._lost: dict[frozenset[str], Values] = {}
        self.missing, self.read = _missing_values(call, drafts)
        self.guesses: Values = [one for _, one in sorted(call.guesses.items())]
        self.dropped: dict[str, None] = {}
        self.changed: dict[str, None] = {}
        if self.missing or error is not None:
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
    def changes_status(self) -> bool:
        """Whether the composite's status may hang on a lost value: one that no resource of this step remembers."""
        composite = self._call.composite
        if composite is None or "status" not in composite.__dict__ or "status" not in self._call.xr.fields:
            return False
        return any(not self._is_remembered(one) for one in self.guesses)

    def _is_remembered(self, value: Observable[Any]) -> bool:
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
        if self._call.function.allow_removal_when_unresolved:
            return ()
        memory = self.memory(name)
        found = self._lost.get(memory.missing)  # nearly all resources have the same memory
        if found is None:
            found = self._lost[memory.missing] = [one for one in self.missing if not memory.has(one)]
        return found

    def lost_for_any(self) -> Values:
        """Return the values that are lost for any of the resources at stake; some may be there several times."""
        lists = {id(lost): lost for name in self.names for lost in [self.lost(name)]}
        return [one for lost in lists.values() for one in lost]

    def paths_lost(self, names: Iterable[str]) -> list[str]:
        """Return the paths of the values that are lost for any of these resources."""
        lists = {id(lost): lost for name in names for lost in [self.lost(name)]}
        return sorted({one.source_path for lost in lists.values() for one in lost})

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
