"""Fills fields of the answer's protobuf message: results, conditions, requirements, connection details."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from .._base.sentinels import UNSET
from .._base.type_names import type_in_words
from .._models.walker import plain_and_waits, unresolved_in
from .._observed.observable import Observable
from .._observed.uses import known, sources
from .._terminal.excerpts import LONGEST_RESULT
from ..proto import _view

if TYPE_CHECKING:
    from .._call import results
    from .._call.call import Call
    from .._models.resource import Resource
    from .._rehearsal.look import Look

__all__ = ["Masked", "add_condition", "add_result", "drop", "fill_selector", "resolved", "set_details", "text"]


class Masked(str):
    """A text for people that is ready to be sent: its secret values are masked. It must not be masked a second time.

    Names of resources in it must not be masked, even if they look like a secret value.
    """

    __slots__ = ()


def set_details(call: Call, composite: Resource, target: Any, look: Look | None) -> None:
    """Put the connection details that compose() set into the answer, and remove those that it deleted.

    An unresolved value is replaced by the observed value of its key. If there is none, the value of a previous step
    stays in the answer. A key that is itself unresolved is left out. A key that is observed, and whose value depends on
    a guess, keeps its observed value. `look` is None if there were no other runs of compose().
    """
    registered = composite._state
    assert registered is not None
    observed = registered.root.details
    guessed = set() if look is None else {key for key in look.guessed_details if key in observed}
    for key in guessed:
        target.connection_details[key] = observed[key]
    if registered.details is None:  # nobody has touched them
        return
    unsure = () if look is None else look.details
    own, deleted = registered.details.changes
    for key in deleted:
        if key not in guessed:
            target.connection_details.pop(key, None)
    for key, value in own.items():
        if key in guessed or unresolved_in([key], call):
            continue
        text = value.decode("latin-1") if isinstance(value, bytes) else value
        if key in unsure or unresolved_in([text], call):
            if key in observed:
                target.connection_details[key] = observed[key]
            continue
        target.connection_details[key] = value if isinstance(value, bytes) else value.encode()


def fill_selector(target: Any, selector: Any) -> None:
    target.api_version = selector.api_version
    target.kind = selector.kind
    if selector.match_name is not None:
        target.match_name = selector.match_name
    elif selector.match_labels is not None:
        target.match_labels.SetInParent()
        target.match_labels.labels.update(selector.match_labels)
    if selector.namespace is not None:
        target.namespace = selector.namespace


def drop(entries: Any, key: str) -> None:
    """Remove the entry `key` from `entries`, a map of a protobuf message, if it is there.

    A key that isn't valid Unicode can't be in such a map, and is ignored.
    """
    with contextlib.suppress(UnicodeEncodeError):
        entries.pop(key, None)


def resolved(call: Call, values: Any, what: str) -> dict[str, Any]:
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
    `LONGEST_RESULT` is cut. None of this is done to a `Masked` text. If str() fails for `value`, its type is named.
    """
    if type(value) is Masked:
        return value.encode(errors="backslashreplace").decode()  # text that isn't valid Unicode can't be sent
    try:
        shown = _shown(value) if type(value) is Observable else str(value)
    except Exception:  # a value whose own text can't be made
        shown = f"({type_in_words(value)} without a text)"
    return call.show_capped(shown, LONGEST_RESULT)


def _shown(observable: Observable[Any]) -> str:
    value = known(observable)
    return observable.source_path if value is UNSET else str(value)


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
