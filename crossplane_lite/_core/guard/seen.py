"""What a request says of the step's former answers: marks, notes, and the noted values that are
lost.
"""

from __future__ import annotations

import functools
import hmac
import json
import time
from calendar import timegm
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...proto import _view
from .. import codec
from ..base.hashes import sha256
from ..base.sentinels import UNSET
from ..call.mark import MARK_WAY, NO_MARK, OUR_NAME, OURS, digest_of, is_marked, made_in, whose
from ..dependencies.usages import edge_of
from ..known.joined import lacks
from ..known.notes import COMPOSITE, EXTERNAL, NOT_KEPT, Notes, Where, all_places
from ..observed.lookup import conditions_of, is_ready, text_at, time_in, value_in
from ..observed.secrets import Masker, masker_for
from .answers import Answer
from .values import READY, is_named, is_true_condition, status_leaves, values_in

CONDITION: Final = "LastKnownValues"
LET_GO: Final = "crossplane-lite/let-go"
"""The annotation of the composite with paths of values that need not be kept any more."""


class Options(NamedTuple):
    """What a guard is told.

    Attributes:
        name: The step's name. Each guard of a pipeline needs one of its own.
        budget: The most bytes of notes on a resource, of all steps together.
        signals: Paths of values whose absence is meant, such as `db.status.failureMessage`.
        let_go_after: After how many seconds the missing values of owners that are ready again are
            let go; None for never.
        probe: Whether the function is asked which values decide, where not all can be noted.
        key: The key with which notes are signed, so that nobody can forge them; None for no
            signature.
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
        empty: Those of them where something is, such as an empty string, or a list with elements
            that lack a value.
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
        observed: The messages of the observed composed resources, by name.
        composite: The observed composite.
        condition_type: The type of the condition: each guard of a pipeline has its own.
        step: The step's identity: its name, and a hash of its input if it has one.
    """

    def __init__(self, data: bytes, options: Options, until: float) -> None:
        self.data = data
        self.options = options
        self.until = until
        self.request = _view.RunFunctionRequest.FromString(data)
        self.observed: Mapping[str, Any] = self.request.observed.resources
        self.composite: bytes = self.request.observed.composite.resource
        self.condition_type = f"{CONDITION}-{options.name}"
        self.step = options.name
        if self.request.HasField("input"):
            text = digest_of(self.request.input)
            self.step += f"-{sha256(text.encode()).hexdigest()[:8]}"

    def read(self) -> object:
        """Read now what an answer is compared with, while the target works."""
        return self.made, self.notes, self.status, self.condition

    @functools.cached_property
    def _by_owner(self) -> dict[str, dict[str, str]]:
        """The digests of the observed resources, as this step made them, by their owner (`whose`)
        and name.
        """
        found: dict[str, dict[str, str]] = {}
        for name, one in self.observed.items():
            mark = codec.get_path(one.resource, MARK_WAY)
            owner = whose(mark, self.step, self.options.name)
            found.setdefault(owner, {})[name] = made_in(mark, self.step).digest
        return found

    @property
    def made(self) -> dict[str, str]:
        """The digests of the step's observed resources, as they were made, by name."""
        # With another input they are this step's, before its input changed, or another step's.
        return self._by_owner.get(OURS) or self._by_owner.get(OUR_NAME, {})

    @functools.cached_property
    def notes(self) -> Notes:
        """The notes of the step that count."""
        found = Notes.of(self.observed, self.step, {self.options.name})
        return found.without(
            [name for name in found.entries if not self._is_signed(name, found.entries[name])]
        )

    @property
    def is_first(self) -> bool:
        """Whether nothing is known: in the first call, or because notes are gone or have another
        key.
        """
        return not (self.made and self.notes.entries)

    def signature(self, name: str, entry: Mapping[str, Any]) -> str:
        """Return the signature of an entry on a resource of this composite."""
        unsigned = {key: one for key, one in entry.items() if key != "k"}
        uid = text_at(self.composite, "metadata", "uid")
        text = json.dumps([uid, self.options.name, name, unsigned], sort_keys=True)
        return hmac.new(self.options.key or b"", text.encode(), "sha256").hexdigest()[:32]

    def _is_signed(self, name: str, entry: Mapping[str, Any]) -> bool:
        """Say whether an entry has the right signature, or needs none."""
        if self.options.key is None:
            return True
        return hmac.compare_digest(
            str(entry.get("k")).encode(), self.signature(name, entry).encode()
        )

    def values_of(self, obj: str) -> dict[str, Any]:
        """Return the values of an observed object that may be noted, by path."""
        return values_in(self.object(obj), self.mask, composed=obj != COMPOSITE)

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
    def lets_all_go(self) -> bool:
        """Whether nothing need be kept."""
        return "*" in self._patterns

    def tells_new(self, answer: Answer) -> bool:
        """Say whether an answer gives a field of the composite's status another value than it
        has.
        """
        return any(self.status.get(steps) != value for steps, value in answer.status.items())

    def is_ready(self, obj: str) -> bool:
        """Say whether an object is ready: a composed resource by its kind's rules, the composite by
        its condition.
        """
        raw = self.object(obj)
        return is_ready(raw) if obj else is_true_condition(raw, "Ready")

    def is_taken(self) -> bool:
        """Say whether a previous step has this step's identity."""
        return any(
            is_marked(one.resource, self.step) for one in self.request.desired.resources.values()
        )

    def unmarked(self) -> list[str]:
        """Return the observed resources without a mark. Usages of this SDK come and go by rules of
        their own.
        """
        names = self._by_owner.get(NO_MARK, {})
        return [name for name in names if edge_of(name, self.observed[name].resource) is None]

    def unready(self) -> list[str]:
        """Return the observed composed resources that aren't ready."""
        return [name for name in sorted(self.observed) if not self.is_ready(name)]

    def lost(self, wanted: Collection[str]) -> Lost:
        """Return the noted values that are missing. An object that is gone lost its values if it is
        among `wanted`.
        """
        found = Lost([], set(), set())
        for obj, way, noted in all_places(self.notes.values):
            raw = self.object(obj)
            is_of_nobody = not raw and obj not in wanted
            there = value_in(raw, {}, way)
            if way == READY and is_true_condition(raw, "Ready"):
                there = noted
            if noted is NOT_KEPT or is_of_nobody or not lacks(there, noted):
                continue
            if self._is_let_go(obj, way):
                found.let_go.add((obj, way))
                continue
            found.places.append((obj, way))
            if there is not UNSET:
                found.empty.add((obj, way))
        return found

    def object(self, obj: str) -> bytes:
        """Return an observed object; empty bytes if there is none."""
        if obj == COMPOSITE:
            return self.composite
        found: bytes = self.observed[obj].resource if obj in self.observed else b""
        return found

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
