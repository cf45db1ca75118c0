"""Fills fields of the answer's message: results, conditions, requirements, connection details,
context and output.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import EncodeError, UsageError
from ...proto import _view
from .. import codec
from ..base.sentinels import TOMBSTONE, Replaced
from ..base.texts import LONGEST_RESULT, some, type_in_words
from ..call.mark import HELD_BACK_KEY
from ..dependencies.dry_run import details_of
from ..models.walker import plain_and_waits, unresolved_in
from ..observed.lookup import Json
from ..observed.observable import sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..call import results
    from ..call.call import Call
    from ..call.requirements import Requirements
    from ..dependencies.entry import Waiting
    from ..observed.observable import Observable
    from ..resources.resource import Resource


def live_status(call: Call) -> Json:
    """Return the status that the composite has, but for conditions."""
    live = codec.get_path(call.request.observed.composite.resource, ("status",))
    return (
        {key: value for key, value in live.items() if key != "conditions"}
        if isinstance(live, dict)
        else {}
    )


def joined(lines: Sequence[str]) -> str:
    """Return lines as one text, joined by '; '. After 50 lines only the number of the others
    follows.
    """
    return some(lines, 50, "; ")


def keep_status(call: Call, target: Any) -> None:
    """Let the desired composite keep the status that it has, but for conditions."""
    own = live_status(call)
    if own:
        target.resource = codec.encode_over({"status": own}, target.resource)


def set_details(
    call: Call, composite: Resource, target: Any, *, seals: bool, doubted: Collection[str]
) -> None:
    """Put the connection details that compose() set into the answer, and remove those that it
    deleted.

    An unresolved or doubted value is replaced by the observed value of its key. If there is none,
    the value of a previous step stays in the answer. A key that is itself unresolved is left out.
    With `seals` each observed key keeps its value.
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


def _resolved(call: Call, values: Any, what: str) -> Json:
    """Return `values` as plain data. An entry with an unresolved value, at any depth, is left out
    and logged.

    `what` is the name of this part of the answer in the log, "context" or "output".
    """
    kept: Json = {}
    for key, value in values.items():
        data, waits = plain_and_waits({key: value}, call)
        if waits:
            paths = ", ".join(
                sorted({source.source_path for one in waits for source in sources(one)})
            )
            call.log.info("%s key %r is left out: it waits for %s", what, key, paths)
        else:
            kept.update(data)
    return kept


def text(call: Call, value: Any) -> str:
    """Return `value` as a string for people.

    Secrets are masked, the placeholder of an unresolved value becomes the value's path, and a text
    longer than `LONGEST_RESULT` is cut. If str() fails for `value`, its type is named.
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


def reports_of_others(call: Call) -> dict[str, Waiting]:
    """Return the reports of who waits that other steps have left in the context, by the step's
    identity.
    """
    others = {step: entry for step, entry in call.told.items() if step != call.step}
    if not others:
        return {}
    from ..dependencies.entry import read

    return read(others)


def set_context(call: Call, message: Any, entry: Json | None) -> None:
    """Put compose()'s changes of the context, and this step's report of who waits, into the answer.

    A key whose value has an unresolved part is left out, and logged. `entry` is the report, which
    replaces this step's report in the request; None removes it. The path of an EncodeError begins
    with `context`.
    """
    given = call.context
    data: Json = {}
    if given is not None:
        data = dict.fromkeys(given.deleted, TOMBSTONE)
        for key, value in _resolved(call, given.values_seen, "context").items():
            data[key] = Replaced(value) if isinstance(value, dict) else value
        data.pop(HELD_BACK_KEY, None)
    if entry is not None:
        data[HELD_BACK_KEY] = {call.step: Replaced(entry)}
    elif call.step in call.told:  # also one of an earlier iteration of the same reconcile
        data[HELD_BACK_KEY] = {call.step: TOMBSTONE}
    if not data:
        return
    try:
        message.context = codec.encode_over(data, call.request.context)
    except EncodeError as error:
        raise error.under("context") from None


def set_output(call: Call, message: Any) -> None:
    """Put the output of an Operation, if compose() has set any, into the answer.

    A key whose value has an unresolved part is left out, and logged. The path of an EncodeError
    begins with `output`.
    """
    if not call.output:
        return
    try:
        message.output = codec.encode_struct(_resolved(call, call.output, "output"))
    except EncodeError as error:
        raise error.under("output") from None


# Requirements.


def put_requirements(
    call: Call, asked: Requirements, target: Any, unsent: dict[str, list[Observable]]
) -> None:
    """Put compose()'s requirements into the answer, except those with unresolved values in the key
    or the selector.

    Those are added to `unsent`, each with the values that it waits for. Raises UsageError for a
    requirement that protobuf refuses because of invalid Unicode.
    """
    from ..call.requirements import ResourceSelector

    for capability, _, selectors, _ in _kinds(call, asked):
        if selectors:
            call.uses(capability)
    for key, selector in asked:
        lacking = selector.waits_in(call, key)
        if lacking:
            unsent[key] = lacking
            paths = ", ".join(one.source_path for one in lacking)
            call.log.info("requirement %s isn't sent yet: it waits for %s", key, paths)
            continue
        try:
            if not isinstance(selector, ResourceSelector):
                target.schemas[key].api_version = selector.api_version
                target.schemas[key].kind = selector.kind
                continue
            _fill_selector(target.resources[key], selector)
            if not call.advertises:
                _fill_selector(target.extra_resources[key], selector)
        except (TypeError, ValueError) as error:  # protobuf's error for text that can't be sent
            raise UsageError(f"requirement {key!a} can't be sent: {error}") from None


def _kinds(call: Call, asked: Requirements) -> Iterable[tuple[int, str, Mapping[str, Any], Any]]:
    """Return the kinds of requirements: capability, words, what is asked for by key, and what
    Crossplane has sent.
    """
    return (
        (
            _view.CAPABILITY_REQUIRED_RESOURCES,
            "required resources",
            asked.resources,
            call.required_resources,
        ),
        (
            _view.CAPABILITY_REQUIRED_SCHEMAS,
            "required schemas",
            asked.schemas,
            call.required_schemas,
        ),
    )


def _fill_selector(target: Any, selector: Any) -> None:
    target.api_version = selector.api_version
    target.kind = selector.kind
    if selector.match_name is not None:
        target.match_name = selector.match_name
    elif selector.match_labels is not None:
        target.match_labels.SetInParent()
        target.match_labels.labels.update(selector.match_labels)
    if selector.namespace is not None:
        target.namespace = selector.namespace


def unanswered(call: Call) -> list[str]:
    """Return the sorted keys of the requirements that this call sends and the caller hasn't
    answered, but could.
    """
    keys: list[str] = []
    for capability, _, selectors, answers in () if call.asked is None else _kinds(call, call.asked):
        if call.supports(capability):
            keys += [
                key
                for key, one in selectors.items()
                if key not in answers and not one.waits_in(call, key)
            ]
    return sorted(keys)


def waits_to_ask(call: Call) -> bool:
    """Say whether a requirement isn't sent, because a value in it is unresolved."""
    return call.asked is not None and any(
        selector.waits_in(call, key) for key, selector in call.asked
    )


def unsupported(call: Call) -> Iterator[tuple[str, str]]:
    """Yield the key of each requirement that the caller doesn't support, and the reason as a string
    for people.

    Nothing is yielded if the caller doesn't say which capabilities it has.
    """
    for capability, what, selectors, _ in () if call.asked is None else _kinds(call, call.asked):
        if call.advertises and not call.supports(capability):
            for key in selectors:
                yield key, f"this Crossplane doesn't support {what}"
