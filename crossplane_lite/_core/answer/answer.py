"""Making the bytes of the answer to a call when compose() has ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...errors import CrossplaneLiteError, EncodeError, UnresolvedError, WireError
from ...proto import _view
from .. import codec
from ..call import results
from ..call.mark import LACKING, MARK_WAY, UNSURE, marked, steps_in
from ..dependencies.entry import Note
from ..dependencies.graph import Wait
from ..known.notes import KNOWN_WAY, annotation_of, carries, entries_in
from ..models.walker import Found
from ..observed import lookup, tracker
from ..observed.observable import Observable
from ..resources.checking import broken_rules
from ..resources.registered import READY
from . import asking, parts, report
from .decide import decide
from .draft import status_of
from .outcome import Outcome
from .parts import HandingOn
from .violations import misspelt_removals

if TYPE_CHECKING:
    from ..call.call import Call
    from ..dependencies.graph import Graph
    from .decide import Decision
    from .draft import Draft
    from .waiting import WhoWaits

# Crossplane's circuit breaker takes away most watch events of a new composite. Then only the ttl brings calls. With 10
# seconds, composites are Ready nearly as soon as with 5, with fewer calls; with 20 it takes up to three times as long.
_TTL_SECONDS: Final = 60
_UNSETTLED_TTL_SECONDS: Final = 10

_OTHER_KIND: Final = (
    "keeps the kind that it was made with, by a guess: delete the object so that it is made with the present one"
)
_READY_FALSE: Final = _view.READY_FALSE
_READY_TRUE: Final = _view.READY_TRUE


def respond(call: Call, error: BaseException | None) -> bytes:
    """Return the bytes of the answer (a RunFunctionResponse) to a call.

    If compose() raised, or a value can't be encoded, the answer has a fatal result, and the request's desired state.
    There are two exceptions. Fatal results are only logged as long as Crossplane hasn't answered all requirements,
    because it doesn't answer them after a fatal result. And resources that were registered before compose() raised are
    sent if compose() had guessed (`_Answer.goes_on`). `error` is the exception that compose() raised. Results with
    `on_change` that were sent in an earlier reconcile are removed from the call. Raises WireError for malformed bytes
    in a part of the request that compose() hasn't read.
    """
    handing_on = HandingOn(call)
    elsewhere = frozenset(name for other in handing_on.others.values() for name in other.held)
    decision: Decision | None = None
    failure: Exception | None = None
    try:
        # compose() may run again for this, and the answer may be that of such a run.
        decision = decide(Outcome(call, elsewhere, error), elsewhere)
    except WireError:
        raise
    except Exception as problem:  # reported below, where the answer is made
        failure = problem
    if decision is None or decision.call is call:
        return _respond(call, handing_on, decision, error, failure)
    other = decision.call
    before = tracker.enter(other)
    try:
        return _respond(other, HandingOn(other), decision, decision.error, None)
    finally:
        tracker.leave(other, before)
        other.release()


def _respond(
    call: Call,
    handing_on: HandingOn,
    decision: Decision | None,
    error: BaseException | None,
    failure: Exception | None,
) -> bytes:
    """Return the bytes of a call's answer; `decision` is None if it couldn't be made."""
    answer = _Answer(call, handing_on, decision)
    if report.may_have_news(call):
        answer.reported = report.tell_news(call)
    for text in misspelt_removals(call) if call.removed else ():
        call.results.warning(text)
    refused: list[str] = []
    unanswered: list[str] = []
    asked = call.asked
    if asked is not None:
        refused = asking.put_requirements(call, asked, answer.message.requirements, answer.unsent)
        unanswered = asking.unanswered(call, answer.message.requirements)
        for text in asking.misspelt(call, asked):
            call.results.warning(text)
    try:
        if failure is not None:
            raise failure
        texts = refused + ([] if decision is None else decision.violations) + answer.compose(error)
    except WireError:
        raise
    except CrossplaneLiteError as problem:
        answer.reset()
        texts = [str(problem)]
    except Exception as problem:  # an author's value can still raise anything, in protobuf or in its own methods
        call.log.exception("the answer can't be made")
        answer.reset()
        texts = [f"the answer can't be made: {_describe(call, problem)}"]
    if error is not None and not answer.goes_on:
        texts = [_describe(call, error)]
        if answer.report is not None:
            answer.report.fail()
    fatals = [results.ResultEntry(results.FATAL, text, None, 0) for text in texts]
    fatals += [entry for entry in call.results.entries if entry.severity == results.FATAL]
    if fatals and not unanswered:
        return _fatal(call, answer, fatals)
    if fatals:
        # A Fatal answer would end Crossplane's loop before it fetched anything, in every reconcile.
        call.log.info(
            "the fatal result isn't sent before Crossplane has answered the requirements %s: %s",
            ", ".join(unanswered),
            fatals[0].message,
        )
    return answer.finish(complete=error is None and not unanswered)


def _is_mistake(error: BaseException) -> bool:
    """Return whether an exception of compose() is a mistake in its code, which no missing value explains."""
    if isinstance(error, CrossplaneLiteError):
        return not isinstance(error, UnresolvedError)
    # Not UnboundLocalError, a NameError too: a loop over a missing list leaves its variable unset.
    return isinstance(error, ImportError) or type(error) is NameError


def _same_name(call: Call, desired: Any, step: str) -> list[str]:
    """Check that no previous step has this step's identity: return the text of a fatal result, or an empty list.

    Such a step is found by the annotation on the resources that it desires. `desired` has the resources that previous
    steps desire, and `step` is this step's identity.
    """
    mark = step.encode()
    taken = []
    for name in desired:
        raw = desired[name].resource
        if mark in raw and step in steps_in(codec.get_path(raw, MARK_WAY)):
            taken.append(name)
    if not taken:
        return []
    # The order of a map differs between replicas, and the text must not.
    return [
        f"a previous step of this pipeline is called {call.function.name!r} as well (it desires {min(taken)}), so "
        "each of the two would take the other's resources for its own: give each function a name of its own, with "
        "@composition.function(name=...)"
    ]


def _describe(call: Call, error: BaseException) -> str:
    """Return the text of a fatal result for an exception: its type, message and line, and which values are missing."""
    from ..call.texts import describe

    return describe(error, call, call.function.file)


class _Answer:
    """An answer while it is made.

    Attributes:
        call: The call that is answered.
        drafts: The registered resources by name, as they are sent or held back.
        decision: What becomes of the parts of the answer while values are missing; None if no value is missing.
        message: The answer, a RunFunctionResponse.
        step: The step's identity: the function's name, and a hash of the step's input if there is one.
        report: The condition that says who waits; None if it isn't sent.
        who_waits: The resources, fields and requirements that wait, with reasons; also remarks for people. None if
            there is nothing of this.
        handing_on: Fills in the context and the output.
        reported: The condition that lists the results with `on_change` that were sent; None if there is none to send.
        goes_on: Whether the registered resources are sent although compose() raised. They are sent if compose() used a
            missing value as a plain one before (a guess): the value may come to exist only once these resources do.
            Never in an Operation, and not after a mistake that no value explains, such as a misspelt field.
        held: The names of the resources that are held back.
        unsent: The requirements that aren't sent: maps each key to the unresolved values in its selector.
    """

    def __init__(self, call: Call, handing_on: HandingOn, decision: Decision | None) -> None:
        self.call = call
        self.decision = decision
        self.drafts: dict[str, Draft] = {} if decision is None else decision.drafts
        self.goes_on = False
        self._whole: Graph | None = None
        self.reported: results.ConditionEntry | None = None
        self.step = call.step
        self.message = _view.RunFunctionResponse()
        self.report: report.Report | None = None
        self.who_waits: WhoWaits | None = None
        self.held: set[str] = set()
        self.unsent: dict[str, list[Observable[Any]]] = {}
        self.handing_on = handing_on
        self.message.meta.tag = call.request.meta.tag

    def serialised(self) -> bytes:
        """Return the bytes of the answer, with the ttl that compose() or the function sets, or else the state."""
        ttl = self.message.meta.ttl
        value = self.call.function.ttl if self.call.ttl is None else self.call.ttl
        if value is None:
            ttl.seconds = _TTL_SECONDS if self._is_settled() else _UNSETTLED_TTL_SECONDS
        else:
            ttl.seconds = value.days * 86400 + value.seconds
            ttl.nanos = value.microseconds * 1000
        made: bytes = self.message.SerializeToString()
        return made

    def _is_settled(self) -> bool:
        """Return whether the composite is Ready, by Crossplane's verdict on the last answer, and nothing waits now."""
        if self.call.in_operation:
            return True
        waits = self.who_waits is not None and self.who_waits.data is not None
        if waits or self.message.desired.composite.ready == _READY_FALSE:
            return False
        if any(name not in self.call.existing for name in self.message.desired.resources):
            return False
        return (self.call.observed_condition("Ready") or {}).get("status") == "True"

    def reset(self) -> None:
        """Set the answer's desired state and context back to those of the request, and remove the answer's output."""
        for field in ("desired", "context", "output"):
            self.message.ClearField(field)
        if self.call.request.HasField("desired"):
            self.message.desired.CopyFrom(self.call.request.desired)
        if self.call.request.HasField("context"):
            self.message.context = self.call.request.context

    def compose(self, error: BaseException | None) -> list[str]:
        """Fill in the answer's desired state, context and output, and make the report of who waits.

        If there is a fatal result, the caller removes these again, unless requirements are unanswered. Returns the
        texts of fatal results. EncodeError is only raised for the composite's status, the context and the output; a
        resource that can't be encoded becomes a fatal result.
        """
        call = self.call
        decision = self.decision
        self.goes_on = (
            error is not None
            and (call.has_guessed or call.lacks_context)
            # Where nothing is desired, nothing can bring the values.
            and bool(call.resources or call.desired)
            and not call.in_operation
            and not _is_mistake(error)
        )
        self.reset()
        if error is None and call.request.required_schemas:
            from ..call.schemas import check_status

            check_status(call)
        desired = self.message.desired.resources
        fatals = _same_name(call, desired, self.step)
        if error is None and not call.in_operation:  # an Operation's resources are patches of objects that exist
            ruled = [
                (name, call.resources[name], draft.digest)
                for name, draft in self.drafts.items()
                if call.resources[name]._rules is not None and draft.problem is None
            ]
            for text in broken_rules(ruled, call):
                # What a guess leaves out comes with the value, and a Fatal answer would keep the value from coming.
                call.results.warning(text) if call.has_guessed else fatals.append(text)
        for name in call.removed if decision is None else decision.removed:
            desired.pop(name, None)
        waiting = self._emit_resources(desired, fatals)
        found = self._emit_status()
        unsupported = [] if call.asked is None else list(asking.unsupported(call, call.asked))
        notes = [Note(name, _OTHER_KIND) for name in sorted(call.other_kind)]
        if decision is not None and (notes or decision.kept or decision.used or decision.lost or self.goes_on):
            from .kept import keep, remarks

            fatals += keep(call, {**dict.fromkeys(decision.used, ()), **decision.kept}, desired, self.step)
            notes += remarks(call, decision, _describe(call, error) if error is not None and self.goes_on else "")
        lines: list[parts.Masked] = []
        cut_off: list[parts.Masked] = []
        if waiting or found or self.unsent or unsupported or notes:
            from .waiting import WhoWaits

            who = self.who_waits = WhoWaits(call, waiting, found, self.unsent, unsupported, notes, self.held)
            fatals += who.fatals()
            lines, cut_off = who.lines(), who.cut_off_lines()
        if call.in_operation:  # an Operation has no conditions
            self._take_stuck(waiting, lines + cut_off, fatals)
        else:
            type_ = report.condition_type(call.function.name, self.step, self.handing_on.others)
            self.report = report.report_for(call, lines, cut_off, type_, self._rehearsed)
        entry = None
        is_unsure = decision is not None and decision.is_unsure
        is_lacking = decision is not None and bool(decision.missing)
        if self.report is not None or self.held or is_unsure or (is_lacking and self.handing_on.tells):
            data = None if self.who_waits is None else self.who_waits.data
            entry = {} if data is None else data.to_data()
            # An entry without `held` is no report, so it changes the type of no other step's condition.
            if self.report is not None or self.held:
                entry.setdefault("held", [])
            if is_unsure:
                entry[UNSURE] = True
            if is_lacking:
                entry[LACKING] = True
        self.handing_on.set_context(self.message, entry)
        self.handing_on.set_output(self.message)
        return fatals

    def _emit_resources(self, desired: Any, fatals: list[str]) -> dict[str, list[Wait]]:
        """Encode the registered resources, and add them to the answer or hold them back.

        The texts of resources that can't be encoded are added to `fatals`. Returns the values and resources that each
        waiting resource waits for. The list is empty if the resource is held back only because another step holds it
        back.
        """
        call, decision = self.call, self.decision
        waiting: dict[str, list[Wait]] = {}
        mark = call.mark
        marks: Mapping[str, str] = {} if decision is None else decision.marks
        for name, draft in self.drafts.items():
            if name in call.other_kind:
                continue
            if draft.problem is not None:
                if not isinstance(draft.problem, EncodeError):
                    raise draft.problem
                fatals.append(str(draft.problem))  # the others are sent if this can't be
                continue
            if draft.waits or draft.content is None:
                waiting[name] = draft.waits
            if draft.content is None:
                # The state that previous functions desire under this name stays, unless it must not exist yet.
                if draft.gated:
                    desired.pop(name, None)
                self.held.add(name)
                continue
            target = desired[name]
            registered: Any = call.resources[name]._state
            known = self._known(name, registered.base)
            target.resource = marked(draft.content, mark, marks.get(name) or draft.digest, known)
            if registered.ready is not None:
                target.ready = READY[registered.ready]
        return waiting

    def _known(self, name: str, base: bytes | None) -> str:
        """Return the notes on a resource, of this step and of previous ones that desire it; empty for none."""
        seen = self.call.existing.get(name)
        entries = {} if self.decision is None else self.decision.entries
        if name not in entries and base is None:
            return str(codec.get_path(seen.resource, KNOWN_WAY) or "") if seen and carries(seen.resource) else ""
        found = {} if base is None else entries_in(base)
        found.pop(self.step, None)
        own = entries[name] if name in entries else entries_in(seen.resource).get(self.step) if seen else None
        if own:
            found[self.step] = own
        return annotation_of(found)

    def _emit_status(self) -> list[Found]:
        call = self.call
        composite = call.composite
        found: list[Found] = []
        if composite is not None:
            unclear = () if self.decision is None else self.decision.status
            encoded, found = status_of(call, composite, unclear)
            target = self.message.desired.composite
            if encoded is not None:
                target.resource = encoded
            if self.decision is not None and self.decision.seals:
                parts.keep_status(call, target)
            parts.set_details(call, composite, target, self.decision)
            registered = composite._state
            assert registered is not None
            if registered.ready is not None and not self.goes_on:
                target.ready = READY[registered.ready]
                return found
        if (self.held or self.goes_on) and not call.in_operation:
            # Crossplane doesn't know of resources that are held back, nor of those that an unfinished compose() hasn't
            # come to. It would call the composite ready without them.
            self.message.desired.composite.ready = _READY_FALSE
        return found

    def _take_stuck(self, waiting: Collection[str], lines: list[parts.Masked], fatals: list[str]) -> None:
        """Report the waiting resources of an Operation, whose values never come: it has no observed state.

        One fatal result names all of them, and is added to `fatals`. The other lines become warnings.
        """
        fatal = self.who_waits.lines(waiting) if waiting and self.who_waits is not None else []
        if fatal:
            text = (
                f"an Operation does not wait for values, and {'; '.join(fatal)}: give these resources the values, or "
                "leave them out"
            )
            fatals.append(parts.Masked(text))
        for line in lines:
            if line not in fatal:
                self.call.results.warning(line)

    def finish(self, *, complete: bool) -> bytes:
        """Add readiness, results, conditions and Usages (for the order of deletion) to the answer; return its bytes.

        Fatal results are left out. Existing Usages stay and none is added unless the call is `complete`: compose()
        returned, and Crossplane has answered all requirements.
        """
        call = self.call
        counts = results.counting.get()
        if counts is not None:
            counts.held = len(self.held)
            counts.emitted = len(call.resources.keys() - self.held)
            counts.kept = 0 if self.decision is None else len(self.decision.kept)
        self._set_ready()
        for entry in call.results.entries:
            if entry.severity != results.FATAL:
                self.add_result_of_compose(entry)
        self.set_conditions()
        if self.report is not None and self.report.changed:
            severity = results.WARNING if self.goes_on else results.NORMAL
            text = parts.Masked(self.report.text)
            if not self.goes_on and self.who_waits is not None and not self.report.resolved:
                # Dependencies whose values exist say why a new resource waits. Without one, nothing runs again.
                text = self.who_waits.with_graph(text, self._rehearsed() if self.held else None)
            parts.add_result(call, self.message, results.ResultEntry(severity, text, self.report.reason, 0))
        if call.function.usages:
            from ..dependencies.usages import add_usages

            graph = None if self.who_waits is None else self.who_waits.graph
            used = () if self.decision is None else self.decision.used
            add_usages(call, self.message.desired.resources, used, graph, self._rehearsed if complete else None)
        desired = self.message.desired.resources
        gone = [name for name in call.existing if name not in call.resources and name not in desired]
        if gone and complete:
            from .dropped import warnings

            for about in warnings(call, desired, gone):
                call.log.warning("%s", about)  # Crossplane drops the events of a reconcile that fails later
                parts.add_result(call, self.message, results.ResultEntry(results.WARNING, about, "StillUsed", 0))
        return self.serialised()

    def set_conditions(self) -> None:
        """Add the conditions that compose() set, and those of `reported` and `report`.

        In an Operation no condition is added, and each one that compose() set is logged. The condition of `report` is
        left out if compose() has set one of the same type.
        """
        call = self.call
        if call.in_operation:
            for type_ in call.conditions.entries:
                call.log.warning("condition %s is left out: an Operation has no composite that could have it", type_)
            return
        for entry in call.conditions.entries.values():
            if self.decision is not None and entry.message in self.decision.texts:
                entry.message = self.decision.texts[entry.message]
            parts.add_condition(call, self.message, entry)
        if self.reported is not None:
            parts.add_condition(call, self.message, self.reported)
        report = self.report
        if report is not None and report.type not in call.conditions.entries:
            parts.add_condition(
                call,
                self.message,
                results.ConditionEntry(report.type, results.STATUS[report.resolved], report.reason, report.message, 0),
            )

    def _rehearsed(self) -> Graph:
        """Return the graph of the dependencies between resources, also of those whose values exist.

        The first call of this method finds them: it runs compose() again, usually a few times, without observed
        resources.
        """
        if self._whole is None:
            from ..dependencies.dependencies import add_all
            from ..dependencies.graph import Graph

            self._whole = Graph()
            add_all(self.call, self._whole)
        return self._whole

    def add_result_of_compose(self, entry: results.ResultEntry) -> None:
        """Add `entry`, a result of compose(), to the answer.

        Placeholders of unresolved values in its text, also cut ones, are replaced by the paths of the values.
        """
        if self.decision is not None and entry.message in self.decision.texts:
            entry.message = self.decision.texts[entry.message]
        parts.add_result(self.call, self.message, entry)

    def _set_ready(self) -> None:
        """Set each desired resource to ready if its observed state is ready by the rules of its kind.

        A readiness that a step has set stays. Nothing happens if `auto_ready` is off.
        """
        call = self.call
        if not call.auto_ready:
            return
        desired = self.message.desired.resources
        for name in desired:
            observed = call.existing.get(name)
            if observed is not None and desired[name].ready == 0 and lookup.is_ready(observed.resource):
                desired[name].ready = _READY_TRUE


def _fatal(call: Call, answer: _Answer, fatals: list[results.ResultEntry]) -> bytes:
    """Return the bytes of an answer with fatal results: the request's desired state, no requirements, all conditions.

    Args:
        call: The call.
        answer: The answer as far as it is made.
        fatals: The fatal results. They follow compose()'s other results.
    """
    message = answer.message
    answer.reset()
    answer.handing_on.keep_entry(message)
    message.ClearField("requirements")
    for entry in call.results.entries:
        if entry.severity != results.FATAL:
            answer.add_result_of_compose(entry)
    for fatal in fatals:
        parts.add_result(call, message, fatal)
    answer.set_conditions()
    return answer.serialised()
