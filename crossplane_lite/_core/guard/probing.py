"""Finds out which values decide what the target desires: the target is asked without them, by
halves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from ...proto import _view
from .. import codec
from ..base.sentinels import TOMBSTONE
from ..known.notes import COMPOSITE, Where
from ..observed.lookup import steps_of
from ..paths import trees
from .answers import Answer
from .seen import Seen

_MOST_CALLS: Final = 64

Ask = Callable[[bytes, float, Callable[[], object]], bytes]
"""Asks the target: it takes the request's bytes, the deadline, and a function that is called while
the target works.

It returns the answer's bytes, or raises.
"""


def nothing() -> None:
    """Do nothing while the target works."""


class Probe:
    """Asks the target what decides an answer.

    Args:
        ask: Asks the target.
        seen: The request.
        answer: The answer to it.
    """

    def __init__(self, ask: Ask, seen: Seen, answer: Answer) -> None:
        self._ask = ask
        self._seen = seen
        self._answer = answer
        self._left = _MOST_CALLS if seen.options.probe else 0

    def deciding(self, places: Sequence[Where]) -> Collection[Where]:
        """Return those values without which the answer is another one, or more after too many
        calls.
        """
        if not places or not self._left or not self._matters(places):
            return ()
        middle = len(places) // 2
        if not middle:
            return places
        found = {*self.deciding(places[:middle]), *self.deciding(places[middle:])}
        # Of two values one may stand for the other.
        return found or places

    def _matters(self, places: Collection[Where]) -> bool:
        self._left -= 1
        try:
            other = Answer(
                self._ask(self._without(places), self._seen.until, nothing), self._seen.request
            )
        except Exception:
            return True
        return not self._answer.is_same_as(other)

    def _without(self, places: Collection[Where]) -> bytes:
        """Return the request without some values."""
        taken: dict[str, dict[str, Any]] = {}
        for obj, way in places:
            trees.put(taken.setdefault(obj, {}), steps_of(way), TOMBSTONE)
        request = _view.RunFunctionRequest.FromString(self._seen.data)
        for obj, tree in taken.items():
            message = (
                request.observed.composite if obj == COMPOSITE else request.observed.resources[obj]
            )
            message.resource = codec.encode_over(tree, message.resource)
        made: bytes = request.SerializeToString()
        return made
