"""What a request says of the step's former answers: marks, notes, and the noted values that are lost."""

from __future__ import annotations

import functools
import hmac
import json
import time
from calendar import timegm
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...proto import _view
from .. import codec
from ..base.hashes import sha256
from ..base.sentinels import UNSET
from ..call.mark import MARK_WAY, NO_MARK, OUR_NAME, OURS, digest_of, is_marked, made_in, whose
from ..dependencies.usages import edge_of
from ..known.joined import lacks
from ..known.notes import COMPOSITE, EXTERNAL, NOT_KEPT, Notes, Values, Where
from ..observed.lookup import conditions_of, is_ready, text_at, time_in, value_in
from ..observed.secrets import Masker, masker_for
from .answers import Answer
from .values import READY, is_named, is_true_condition, status_leaves

CONDITION: Final = "LastKnownValues"
LET_GO: Final = "crossplane-lite/let-go"
"""The annotation of the composite with paths of values that need not be kept any more."""


class Options(NamedTuple):
    """What a guard is told.

    Attributes:
        name: The step's name. Each guard of a pipeline needs one of its own.
        budget: The most bytes of notes on a resource, of all steps together.
        signals: Paths of values whose absence is meant, such as `db.status.failureMessage`.
        let_go_after: After how many seconds the missing values of owners that are ready again are let go; None for
            never.
        probe: Whether the function is asked which values decide, where not all can be noted.
        key: The key with which notes are signed, so that nobody can forge them; None for no signature.
    """

    name: str = "guard"
    budget: int = 2048
    signals: Sequence[str] = ()
    let_go_after: float | None = None
    probe: bool = False
    key: bytes | None = None


class Lost(NamedTuple):
    """Noted values that are missing.

    Attributes:
        places: Where they are.
        empty: Those of them where something is, such as an empty string, or a list with elements that lack a value.
        let_go: Where other missing values are, which need not be kept any more.
    """

    places: list[Where]
    empty: set[Where]
    let_go: set[Where]


class Seen:
    """A request, and what it says of the step's former answers.

    Args:
        data: The bytes of the request.
        options: What the guard is told.
        until: The deadline, a time by `time.monotonic`.

    Raises:
        DecodeError: The bytes aren't those of a RunFunctionRequest.

    Attributes:
        data: The same bytes.
        options: The same options.
        until: The same deadline.
        request: The request's message.
        step: The step's identity: its name, and a hash of its input if it has one.
        made: The digests of the step's observed resources, as they were made, by name.
    """

    def __init__(self, data: bytes, options: Options, until: float) -> None:
        self.data = data
        self.options = options
        self.until = until
        self.request = _view.RunFunctionRequest.FromString(data)
        self.step = options.name
        if self.request.HasField("input"):
            text = digest_of(self.request.input)
            self.step += f"-{sha256(text.encode()).hexdigest()[:8]}"
        self.made: dict[str, str] = {}
        others: dict[str, str] = {}
        self._unmarked: list[str] = []
        for name, one in self.observed.items():
            mark = codec.get_path(one.resource, MARK_WAY)
            owner = whose(mark, self.step, options.name)
            if owner == OURS:
                self.made[name] = made_in(mark, self.step).digest
            elif owner == OUR_NAME:
                others[name] = ""
            elif owner == NO_MARK:
                self._unmarked.append(name)
        # With the same name and another input they are this step's, before its input changed, or another step's.
        self.made = self.made or others

    @property
    def observed(self) -> Mapping[str, Any]:
        """The messages of the observed composed resources, by name."""
        found: Mapping[str, Any] = self.request.observed.resources
        return found

    @property
    def composite(self) -> bytes:
        """The observed composite."""
        found: bytes = self.request.observed.composite.resource
        return found

    @functools.cached_property
    def notes(self) -> Notes:
        """The notes of the step that count."""
        found = Notes.of(self.observed, self.step, {self.options.name})
        if self.options.key is None:
            return found
        signed = {name: one for name, one in found.entries.items() if self.is_signed(name, one)}
        return Notes(signed)

    @property
    def is_first(self) -> bool:
        """Whether nothing is known: in the first call, or because notes are gone or have another key."""
        return not (self.made and self.notes.entries)

    def signature(self, name: str, entry: Mapping[str, Any]) -> str:
        """Return the signature of an entry on a resource of this composite."""
        unsigned = {key: one for key, one in entry.items() if key != "k"}
        uid = text_at(self.composite, "metadata", "uid")
        text = json.dumps([uid, self.options.name, name, unsigned], sort_keys=True)
        return hmac.new(self.options.key or b"", text.encode(), "sha256").hexdigest()[:32]

    def is_signed(self, name: str, entry: Mapping[str, Any]) -> bool:
        """Say whether an entry has the right signature."""
        given = entry.get("k")
        return isinstance(given, str) and hmac.compare_digest(given.encode(), self.signature(name, entry).encode())

    @functools.cached_property
    def mask(self) -> Masker:
        """The masker of the request's secrets."""
        return masker_for(self.request)

    @functools.cached_property
    def status(self) -> dict[tuple[str, ...], Any]:
        """The fields of the composite's status, by their steps."""
        return dict(status_leaves(self.composite))

    @functools.cached_property
    def condition(self) -> Mapping[str, Any]:
        """The condition that this guard has set before; empty without one."""
        return conditions_of(self.composite).get(self.condition_type, {})

    @property
    def condition_type(self) -> str:
        """The type of the condition: each guard of a pipeline has its own."""
        return f"{CONDITION}-{self.options.name}"

    @property
    def lets_all_go(self) -> bool:
        """Whether nothing need be kept."""
        return "*" in self._patterns

    def tells_new(self, answer: Answer) -> bool:
        """Say whether an answer gives a field of the composite's status another value than it has."""
        return any(self.status.get(steps) != value for steps, value in answer.status.items())

    def is_ready(self, obj: str) -> bool:
        """Say whether an object is ready: a composed resource by its kind's rules, the composite by its condition."""
        if obj == COMPOSITE:
            return is_true_condition(self.composite, "Ready")
        return obj in self.observed and is_ready(self.observed[obj].resource)

    def is_taken(self) -> bool:
        """Say whether a previous step has this step's identity."""
        return any(is_marked(one.resource, self.step) for one in self.request.desired.resources.values())

    def unmarked(self) -> list[str]:
        """Return the observed resources without a mark. Usages of this SDK come and go by rules of their own."""
        return [name for name in self._unmarked if edge_of(name, self.observed[name].resource) is None]

    def unready(self) -> list[str]:
        """Return the observed composed resources that aren't ready."""
        return [name for name in sorted(self.observed) if not self.is_ready(name)]

    def lost(self, wanted: Collection[str]) -> Lost:
        """Return the noted values that are missing. An object that is gone lost its values if it is among `wanted`."""
        found = Lost([], set(), set())
        for obj, way, noted in noted_places(self.notes.values):
            raw = self._object(obj)
            is_of_nobody = raw is None and obj not in wanted
            if noted is not NOT_KEPT and not is_of_nobody:
                self._look(found, (obj, way), raw, noted)
        return found

    def _look(self, found: Lost, place: Where, raw: bytes | None, noted: Any) -> None:
        there: Any
        if raw is None:
            there = UNSET
        elif place[1] == READY:
            there = noted if is_true_condition(raw, "Ready") else UNSET
        else:
            there = value_in(raw, {}, place[1])
        if not lacks(there, noted):
            return
        if self._is_let_go(*place):
            found.let_go.add(place)
            return
        found.places.append(place)
        if there is not UNSET:
            found.empty.add(place)

    def _object(self, obj: str) -> bytes | None:
        if obj == COMPOSITE:
            return self.composite
        return self.observed[obj].resource if obj in self.observed else None

    @functools.cached_property
    def _patterns(self) -> tuple[str, ...]:
        text = text_at(self.composite, "metadata", "annotations", LET_GO)
        return (*self.options.signals, *text.replace(",", " ").split())

    @property
    def may_let_go(self) -> bool:
        """Whether values may be let go."""
        return bool(self._patterns) or self._waited_long

    def _is_let_go(self, obj: str, way: str) -> bool:
        if not way.startswith(("status", EXTERNAL)):
            return True  # forged: a guard notes nothing else
        if self._patterns and is_named(self._patterns, obj, way):
            return True
        return self._waited_long and way != READY and obj != COMPOSITE and self.is_ready(obj)

    @functools.cached_property
    def _waited_long(self) -> bool:
        """Whether values have been missing for longer than `Options.let_go_after`."""
        after = self.options.let_go_after
        since = time_in(self.condition.get("lastTransitionTime"))
        if after is None or not since or self.condition.get("status") != "True":
            return False
        return time.time() - timegm(time.strptime(since, "%Y-%m-%dT%H:%M:%SZ")) > after

    def namespace_of(self, obj: str) -> str:
        """Return the namespace of an object; empty for none. Of an object that is gone it is the composite's."""
        own = text_at(self.composite, "metadata", "namespace")
        raw = self._object(obj)
        return own if raw is None else text_at(raw, "metadata", "namespace") or own


def noted_places(values: Values) -> Iterator[tuple[str, str, Any]]:
    """Yield the object, the path and the value of all noted values."""
    for obj, ways in values.items():
        for way, value in ways.items():
            yield obj, way, value
