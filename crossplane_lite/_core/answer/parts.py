"""Fills fields of the answer's message: results, conditions, requirements, connection details, context and output."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ...errors import EncodeError
from ...proto import _view
from .. import codec
from ..base.sentinels import TOMBSTONE, Replaced
from ..base.texts import LONGEST_RESULT, some, type_in_words
from ..call.mark import HELD_BACK_KEY
from ..dependencies.dry_run import details_of
from ..models.walker import plain_and_waits, unresolved_in
from ..observed.observable import sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..call import results
    from ..call.call import Call
    from ..dependencies.entry import Waiting
    from ..resources.resource import Resource


def live_status(call: Call) -> dict[str, Any]:
    """Return the status that the composite has, but for conditions."""
    live = codec.get_path(call.request.observed.composite.resource, ("status",))
    return {key: value for key, value in live.items() if key != "conditions"} if isinstance(live, dict) else {}


def joined(lines: Sequence[str]) -> str:
    """Return lines as one text, joined by '; '. After 50 lines only the number of the others follows."""
    return some(lines, 50, "; ")


def keep_status(call: Call, target: Any) -> None:
    """Let the desired composite keep the status that it has, but for conditions."""
    own = live_status(call)
    if own:
        target.resource = codec.encode_over({"status": own}, target.resource)


def set_details(call: Call, composite: Resource, target: Any, *, seals: bool, doubted: Collection[str]) -> None:
    """Put the connection details that compose() set into the answer, and remove those that it deleted.

    An unresolved or doubted value is replaced by the observed value of its key. If there is none, the value of a
    previous step stays in the answer. A key that is itself unresolved is left out. With `seals` each observed key keeps
    its value.
    """
    registered = composite._state
    assert registered is not None
    observed = registered.root.details
    own, deleted = ({}, ()) if registered.details is None else registered.details.changes
    for key in deleted:
        target.connection_details.pop(key, None)
    texts = details_of(call)
    for key, value in own.items():
        if unresolved_in([key], call):
            continue
        if key in doubted or unresolved_in([texts[key]], call):
            data = observed.get(key)
        else:
            data = value if isinstance(value, bytes) else value.encode()
        if data is not None:
            target.connection_details[key] = data
    if seals:
        target.connection_details.update(observed)


def _resolved(call: Call, values: Any, what: str) -> dict[str, Any]:
    """Return `values` as plain data. An entry with an unresolved value, at any depth, is left out and logged.

    `what` is the name of this part of the answer in the log, "context" or "output".
    """
    kept: dict[str, Any] = {}
    for key, value in values.items():
        data, waits = plain_and_waits({key: value}, call)
        if waits:
            paths = ", ".join(sorted({source.source_path for one in waits for source in sources(one)}))
            call.log.info("%s key %r is left out: it waits for %s", what, key, paths)
        else:
            kept.update(data)
    return kept


def text(call: Call, value: Any) -> str:
    """Return `value` as a string for people.

    Secrets are masked, the placeholder of an unresolved value becomes the value's path, and a text longer than
    `LONGEST_RESULT` is cut. If str() fails for `value`, its type is named.
    """
    try:
        shown = str(value)
    except Exception:  # a value whose own text can't be made
        shown = f"({type_in_words(value)} without a text)"
    return call.show_capped(shown, LONGEST_RESULT)


def add_result(call: Call, message: Any, entry: results.ResultEntry) -> None:
    result = message.results.add(severity=entry.severity, message=text(call, entry.message))
    if entry.reason is not None:
        result.reason = text(call, entry.reason)
    if entry.target:
        result.target = entry.target


def add_condition(call: Call, message: Any, entry: results.ConditionEntry) -> None:
    call.uses(_view.CAPABILITY_CONDITIONS)
    condition = message.conditions.add(
        type=text(call, entry.type), status=entry.status, reason=text(call, entry.reason)
    )
    if entry.message is not None:
        condition.message = text(call, entry.message)
    if entry.target:
        condition.target = entry.target


class HandingOn:
    """Fills in the context and the output of an answer.

    Attributes:
        others: The reports of who waits (`Waiting`) that other steps left in the request's context, by the step's
            identity.
    """

    __slots__ = ("_call", "_had_entry", "others")

    def __init__(self, call: Call) -> None:
        self._call = call
        entries = _told(call)
        # Also an entry that this step has left in an earlier iteration of the same reconcile.
        self._had_entry = call.step in entries
        self.others: dict[str, Waiting] = {}
        if entries:
            from ..dependencies.entry import read

            self.others = read({step: entry for step, entry in entries.items() if step != call.step})

    def set_context(self, message: Any, entry: dict[str, Any] | None) -> None:
        """Put compose()'s changes of the context, and this step's report of who waits, into the answer.

        A key whose value has an unresolved part is left out, and logged. `entry` is the report, which replaces this
        step's report in the request; None removes it. The path of an EncodeError begins with `context`.
        """
        call = self._call
        given = call.context
        data: dict[str, Any] = {} if given is None else dict.fromkeys(given.deleted, TOMBSTONE)
        for key, value in {} if given is None else _resolved(call, given.values_seen, "context").items():
            data[key] = Replaced(value) if isinstance(value, dict) else value
        data.pop(HELD_BACK_KEY, None)
        if entry is not None:
            data[HELD_BACK_KEY] = {call.step: Replaced(entry)}
        elif self._had_entry:
            data[HELD_BACK_KEY] = {call.step: TOMBSTONE}
        if data:
            try:
                message.context = codec.encode_over(data, call.request.context)
            except EncodeError as error:
                raise error.under("context") from None

    def set_output(self, message: Any) -> None:
        """Put the output of an Operation, if compose() has set any, into the answer.

        A key whose value has an unresolved part is left out, and logged. The path of an EncodeError begins with
        `output`.
        """
        output = self._call.output
        if output:
            try:
                message.output = codec.encode_struct(_resolved(self._call, output, "output"))
            except EncodeError as error:
                raise error.under("output") from None


def _told(call: Call) -> dict[str, Any]:
    """Return the entries of all steps in the request's context, by the step's identity.

    Raises:
        WireError: The context's bytes are malformed.
    """
    if not call.request.HasField("context"):
        return {}
    entries = codec.get_path(call.request.context, (HELD_BACK_KEY,))
    return entries if isinstance(entries, dict) else {}
