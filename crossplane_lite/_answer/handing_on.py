"""The context that a step hands on to later steps, with a report of who waits, and an Operation's output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _wire
from .._models.walker import unresolved_in
from .._waits import HELD_BACK_KEY
from ..errors import EncodeError
from . import parts

if TYPE_CHECKING:
    from .._call.call import Call
    from .._waits.entry import Waiting

__all__ = ["HandingOn"]


class HandingOn:
    """Fills in the context and the output of an answer.

    Attributes:
        others: The reports of who waits (`Waiting`) that other steps left in the request's context, by the step's
            identity.
    """

    __slots__ = ("_call", "_entry", "_had_entry", "others")

    def __init__(self, call: Call) -> None:
        self._call = call
        # The report that this step leaves in the context for later steps; None if it leaves none.
        self._entry: dict[str, Any] | None = None
        self.others = _told(call)
        self._had_entry = self.others.pop(call.step, None) is not None

    def set_context(self, message: Any, entry: dict[str, Any] | None) -> None:
        """Put compose()'s changes of the context, and this step's report of who waits, into the answer.

        A key whose value has an unresolved part is left out, and logged. `entry` is the report, which replaces this
        step's report in the request; None removes it. The path of an EncodeError begins with `context`.
        """
        call = self._call
        given = call.context
        changes = {} if given is None else parts.resolved(call, given.values_seen, "context")
        removed = set() if given is None else given.deleted
        if not changes and not removed and entry is None and not self._had_entry:
            return
        from .._base.sentinels import TOMBSTONE

        # A new value must replace the old one. So the old one is removed first: the two would be merged otherwise.
        changed = {key: value for key, value in changes.items() if key != HELD_BACK_KEY}
        cleared = {key: TOMBSTONE for key in (*changed, *removed) if key != HELD_BACK_KEY}
        try:
            context = _wire.encode_over(changed, _wire.encode_over(cleared, call.request.context))
            message.context = self._with_entry(context, entry)
        except EncodeError as error:
            raise error.under("context") from None
        self._entry = entry

    def unresolved_keys(self) -> set[str]:
        """Return the keys of the context that `set_context` leaves out because their values have unresolved parts."""
        given = self._call.context
        if given is None or not given.values_seen:
            return set()
        return {key for key, value in given.values_seen.items() if unresolved_in({key: value}, self._call)}

    def keep_entry(self, message: Any) -> None:
        """Put the report that `set_context` was given into an answer with fatal results; compose()'s changes stay out.

        Crossplane ignores the context of such an answer; other callers may read it. Nothing happens without a report,
        or in an Operation.
        """
        if self._entry is not None and not self._call.in_operation:
            message.context = self._with_entry(self._call.request.context, self._entry)

    def set_output(self, message: Any) -> None:
        """Put the output of an Operation, if compose() has set any, into the answer.

        A key whose value has an unresolved part is left out, and logged. The path of an EncodeError begins with
        `output`.
        """
        output = self._call.output
        if output:
            try:
                message.output = _wire.encode_struct(parts.resolved(self._call, output, "output"))
            except EncodeError as error:
                raise error.under("output") from None

    def _with_entry(self, context: bytes, entry: dict[str, Any] | None) -> bytes:
        """Return a context in which `entry` replaces this step's report. Other steps' reports stay.

        An `entry` of None removes this step's report.
        """
        from .._base.sentinels import TOMBSTONE

        step = self._call.step
        if self._had_entry:
            context = _wire.encode_over({HELD_BACK_KEY: {step: TOMBSTONE}}, context)
        return context if entry is None else _wire.encode_over({HELD_BACK_KEY: {step: entry}}, context)


def _told(call: Call) -> dict[str, Waiting]:
    """Return the reports of who waits in the request's context, by the step's identity; also this step's own, if any.

    Raises:
        WireError: The context's bytes are malformed.
    """
    if not call.request.HasField("context"):
        return {}
    entries = _wire.get_path(call.request.context, (HELD_BACK_KEY,))
    if entries is None:
        return {}
    from .._waits.entry import read

    return read(entries)
