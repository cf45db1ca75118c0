"""Making the bytes of the answer to a call when compose() has ended."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from ...errors import CrossplaneLiteError, EncodeError, UnresolvedError, UsageError, WireError
from ...proto import _view
from ..call import results
from ..call.mark import LACKING, UNSURE, is_marked, marked
from ..call.registering import taken_over
from ..dependencies.graph import Graph
from ..known.notes import annotation_for
from ..observed import lookup, tracker
from ..resources.checking import broken_rules
from ..resources.registered import READY
from . import parts, report
from .decide import Decision, decide
from .draft import status_of
from .outcome import Outcome, doubles
from .parts import reports_of_others

if TYPE_CHECKING:
    from ..call.call import Call
    from ..dependencies.entry import Note
    from ..dependencies.graph import Source
    from ..models.walker import Found
    from ..observed.observable import Observable
    from .waiting import WhoWaits

# Crossplane's circuit breaker takes away most watch events of a new composite. Then only the ttl
# brings calls. With 10 seconds, composites are Ready nearly as soon as with 5, with fewer calls;
# with 20 it takes up to three times as long.
_TTL_SECONDS: Final = 60
_UNSETTLED_TTL_SECONDS: Final = 10

_READY_FALSE: Final = _view.READY_FALSE
_READY_TRUE: Final = _view.READY_TRUE


def respond(call: Call, error: BaseException | None) -> bytes:
    """Return the bytes of the answer (a RunFunctionResponse) to a call.

    If compose() raised, or a value can't be encoded, the answer has a fatal result, and the
    request's desired state. There are two exceptions. Fatal results are only logged as long as
    Crossplane hasn't answered all requirements, because it doesn't answer them after a fatal
    result. And resources that were registered before compose() raised are sent if compose() had
    guessed (`_Answer.goes_on`). `error` is the exception that compose() raised. Raises WireError
    for malformed bytes in a part of the request that compose() hasn't read.
    """
    others = reports_of_others(call)
    elsewhere = frozenset(name for other in others.values() for name in other.held)
    failure: Exception | None = None
    try:
        # compose() may run again for this, and the answer may be that of such a run.
        decision = decide(Outcome(call, elsewhere, error), elsewhere)
    except WireError:
        raise
    except Exception as problem:  # reported below, where the answer is made
        decision, failure = Decision(call, error), problem
    if decision.call is call:
        return _respond(decision, others, failure)
    other = decision.call
    before = tracker.enter(other)
    try:
        return _respond(decision, others, None)
    finally:
        tracker.leave(other, before)
        other.release()


def _respond(decision: Decision, others: Collection[str], failure: Exception | None) -> bytes:
    """Return the bytes of the answer by a decision.

    `others` are the other steps that have a report in the context, and `failure` is the exception
    if there could be no decision.
    """
    call, error = decision.call, decision.error
    answer = _Answer(decision, others)
    refused, unanswered = answer.ask()
    texts = answer.make(refused, failure)
    fatals = [results.ResultEntry(results.FATAL, text, None, 0) for text in texts]
    fatals += [entry for entry in call.results.entries if entry.severity == results.FATAL]
    if fatals and not unanswered:
        return answer.fail(fatals)
    if fatals:
        # A Fatal answer would end Crossplane's loop before it fetched anything, in every reconcile.
        call.log.info(
            "the fatal result isn't sent before Crossplane has answered the requirements %s: %s",
            ", ".join(unanswered),
            fatals[0].message,
        )
    return answer.finish(complete=error is None and not unanswered)


def _goes_on(call: Call, error: BaseException) -> bool:
    """Say whether the registered resources are sent although compose() raised."""
    if results.is_strict.get() or isinstance(error, CrossplaneLiteError):
        is_mistake = not isinstance(error, UnresolvedError)
    else:
        # No missing value explains these. Not UnboundLocalError, a NameError too: a loop over a
        # missing list leaves its variable unset.
        is_mistake = isinstance(error, ImportError) or type(error) is NameError
    may_be_cause = call.has_guessed or call.lacks_context
    # Where nothing is desired, nothing can bring the values.
    brings_values = bool(call.resources or call.desired) and not call.in_operation
    return may_be_cause and brings_values and not is_mistake


def _same_name(call: Call, desired: Any, step: str) -> list[str]:
    """Check that no previous step has this step's identity: return the text of a fatal result, or
    an empty list.

    Such a step is found by the annotation on the resources that it desires. `desired` has the
    resources that previous steps desire, and `step` is this step's identity.
    """
    taken = [name for name in desired if is_marked(desired[name].resource, step)]
    if not taken:
        return []
    # The order of a map differs between replicas, and the text must not.
    return [
        f"a previous step of this pipeline is called {call.function.name!r} as well (it desires"
        f" {min(taken)}), so each of the two would take the other's resources for its own: give"
        " each function a name of its own, with @composition.function(name=...)"
    ]


def _describe(call: Call, error: BaseException) -> str:
    """Return the text of a fatal result for an exception: its type, message and line, and which
    values are missing.
    """
    from ..call.texts import describe

    return describe(error, call, call.function.file)


class _Answer:
    """An answer while it is made.

    Attributes:
        call: The call that is answered.
        decision: What becomes of the parts of the answer.
        message: The answer, a RunFunctionResponse.
        report: The condition that says who waits; None if it isn't sent.
        who_waits: The resources, fields and requirements that wait, with reasons; also remarks for
            people. None if there is nothing of this.
        others: The identities of the other steps that have a report in the context.
        goes_on: Whether the registered resources are sent although compose() raised. They are sent
            if compose() used a missing value as a plain one before (a guess): the value may come to
            exist only once these resources do. Never in an Operation, and not after a mistake that
            no value explains, such as a misspelt field.
        held: The names of the resources that are held back.
        unsent: The requirements that aren't sent: maps each key to the unresolved values in its
            selector.
    """

    def __init__(self, decision: Decision, others: Collection[str]) -> None:
        self.call = decision.call
        self.decision = decision
        self.goes_on = False
        self.message = _view.RunFunctionResponse()
        self.report: report.Report | None = None
        self.who_waits: WhoWaits | None = None
        self.held: set[str] = set()
        self.unsent: dict[str, list[Observable]] = {}
        self.others = others
        self.message.meta.tag = self.call.request.meta.tag

    def serialised(self) -> bytes:
        """Return the bytes of the answer, with the ttl that compose() or the function sets, or else
        the state.
        """
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
        """Return whether the composite is Ready, by Crossplane's verdict on the last answer, and
        nothing waits now.
        """
        if self.call.in_operation:
            return True
        waits = self.who_waits is not None and self.who_waits.data is not None
        if waits or self.message.desired.composite.ready == _READY_FALSE:
            return False
        if any(name not in self.call.existing for name in self.message.desired.resources):
            return False
        return self.call.is_ready

    def reset(self) -> None:
        """Set the answer's desired state and context back to those of the request, and remove the
        answer's output.
        """
        for field in ("desired", "context", "output"):
            self.message.ClearField(field)
        if self.call.request.HasField("desired"):
            self.message.desired.CopyFrom(self.call.request.desired)
        if self.call.request.HasField("context"):
            self.message.context = self.call.request.context

    def ask(self) -> tuple[list[str], list[str]]:
        """Put compose()'s requirements into the answer.

        Returns the texts of fatal results if one can't be sent, and the keys of those that aren't
        answered.
        """
        call, asked = self.call, self.call.asked
        if asked is None:
            return [], []
        try:
            parts.put_requirements(call, asked, self.message.requirements, self.unsent)
        except UsageError as error:
            self.message.ClearField("requirements")
            return [str(error)], []
        return [], parts.unanswered(call)

    def make(self, refused: list[str], failure: Exception | None) -> list[str]:
        """Fill in the answer, and return the texts of fatal results; `refused` has those that there
        are already.
        """
        call, error = self.call, self.decision.error
        try:
            if failure is not None:
                raise failure
            texts = refused + self.decision.violations + self.compose()
        except WireError:
            raise
        except CrossplaneLiteError as problem:
            self.reset()
            texts = [str(problem)]
        except Exception as problem:
            # an author's value can still raise anything, in protobuf or in its own methods
            call.log.exception("the answer can't be made")
            self.reset()
            texts = [f"the answer can't be made: {_describe(call, problem)}"]
        if error is None or self.goes_on:
            return texts
        if self.report is not None:
            # Nobody knows whether all is resolved: compose() hasn't come to the rest.
            self.report = None if self.report.resolved else self.report._replace(changed=False)
        return [_describe(call, error)]

    def compose(self) -> list[str]:
        """Fill in the answer's desired state, context and output, and make the report of who waits.

        If there is a fatal result, the caller removes these again, unless requirements are
        unanswered. Returns the texts of fatal results. EncodeError is only raised for the
        composite's status, the context and the output; a resource that can't be encoded becomes a
        fatal result.
        """
        call, error = self.call, self.decision.error
        self.goes_on = error is not None and _goes_on(call, error)
        self.reset()
        desired = self.message.desired.resources
        fatals = _same_name(call, desired, call.step)
        if error is None:
            fatals += self._check()
        for name in self.decision.removed:
            desired.pop(name, None)
        waiting = self._emit_resources(desired, fatals)
        found = self._emit_status()
        notes = self._keep(desired, fatals)
        lines = self._find_who_waits(waiting, found, notes, fatals)
        if not call.in_operation:
            type_ = report.condition_type(call.function.name, call.step, self.others)
            self.report = report.report_for(call, lines, type_)
        elif lines:  # it has no conditions and no observed state, so these values never come
            text = f"an Operation does not wait for values, and {'; '.join(lines)}"
            fatals.append(f"{text}: give these resources the values, or leave them out")
        parts.set_context(call, self.message, self._entry_for_later_steps())
        parts.set_output(call, self.message)
        return fatals

    def _check(self) -> list[str]:
        """Check the composite's status and the resources by schemas and rules; return the texts of
        fatal results.
        """
        call = self.call
        if call.request.required_schemas:
            from ..call.schemas import check_status

            check_status(call)
        if call.in_operation:  # an Operation's resources are patches of objects that exist
            return []
        ruled = [
            (name, call.resources[name], draft.digest)
            for name, draft in self.decision.drafts.items()
            if call.resources[name]._rules is not None and draft.problem is None
        ]
        texts = [*broken_rules(ruled, call), *doubles(call.resources, self.decision.drafts, call)]
        if not call.has_guessed:
            return texts
        # What a guess leaves out comes with the value, and a Fatal answer would keep the value from
        # coming.
        for text in texts:
            call.results.warning(text)
        return []

    def _emit_resources(self, desired: Any, fatals: list[str]) -> dict[str, list[Source]]:
        """Encode the registered resources, and add them to the answer or hold them back.

        The texts of resources that can't be encoded are added to `fatals`. Returns the values and
        resources that each waiting resource waits for. The list is empty if the resource is held
        back only because another step holds it back.
        """
        call = self.call
        waiting: dict[str, list[Source]] = {}
        mark = call.mark
        for name, draft in self.decision.drafts.items():
            if draft.problem is not None:
                if not isinstance(draft.problem, EncodeError):
                    raise draft.problem
                fatals.append(str(draft.problem))  # the others are sent if this can't be
                continue
            if draft.waits or draft.content is None:
                waiting[name] = draft.waits
            if draft.content is None:
                # The state that previous functions desire under this name stays, unless it must not
                # exist yet.
                if draft.gated:
                    desired.pop(name, None)
                self.held.add(name)
                continue
            target = desired[name]
            registered: Any = call.resources[name]._state
            seen = call.existing.get(name)
            raw = b"" if seen is None else seen.resource
            known = annotation_for(call.step, name, raw, registered.base, self.decision.entries)
            target.resource = marked(draft.content, mark, draft.made or draft.digest, known)
            if registered.ready is not None:
                target.ready = READY[registered.ready]
        return waiting

    def _emit_status(self) -> list[Found]:
        """Put the composite's status, details and readiness into the answer; return the status's
        unresolved values.
        """
        call, decision = self.call, self.decision
        composite = call.composite
        target = self.message.desired.composite
        found: list[Found] = []
        ready: bool | None = None
        if composite is not None:
            encoded, found = status_of(call, composite, decision.status)
            if encoded is not None:
                target.resource = encoded
            if decision.seals:
                parts.keep_status(call, target)
            parts.set_details(
                call, composite, target, seals=decision.seals, doubted=decision.details
            )
            assert composite._state is not None
            ready = composite._state.ready
        if ready is not None and not self.goes_on:
            target.ready = READY[ready]
        elif (self.held or self.goes_on) and not call.in_operation:
            # Crossplane doesn't know of resources that are held back, nor of those that an
            # unfinished compose() hasn't come to. It would call the composite ready without them.
            target.ready = _READY_FALSE
        return found

    def _keep(self, desired: Any, fatals: list[str]) -> list[Note]:
        """Put in the resources that stay as they are, and return remarks for people."""
        call, decision = self.call, self.decision
        remains = decision.kept or decision.used or decision.lost or decision.remarks
        if not (call.other_kind or remains or self.goes_on):
            return []
        from .kept import keep, remarks

        fatals += keep(call, {**dict.fromkeys(decision.used, ()), **decision.kept}, desired)
        error = (
            _describe(call, decision.error) if decision.error is not None and self.goes_on else ""
        )
        return remarks(call, decision, error)

    def _find_who_waits(
        self,
        waiting: dict[str, list[Source]],
        found: list[Found],
        notes: list[Note],
        fatals: list[str],
    ) -> list[str]:
        """Return lines for people: who waits, and which requirements Crossplane doesn't support."""
        call = self.call
        unsupported = list(parts.unsupported(call))
        if not (waiting or found or self.unsent or unsupported or notes):
            return []
        from .waiting import WhoWaits

        who = self.who_waits = WhoWaits(
            call, waiting, found, self.unsent, unsupported, notes, self.held
        )
        fatals += who.fatals()
        return who.lines()

    def _entry_for_later_steps(self) -> dict[str, Any] | None:
        """Return what this step says in the context; None if it says nothing."""
        decision = self.decision
        data = None if self.who_waits is None else self.who_waits.data
        entry: dict[str, Any] = {} if data is None else data.to_data()
        # An entry without `held` is no report, so it changes the type of no other step's condition.
        if self.report is not None or self.held:
            entry.setdefault("held", [])
        if decision.is_unsure:
            entry[UNSURE] = True
        # Later steps may hang on what this step sets in the context or the composite's status, or
        # on nothing of it.
        may_tell = self.call.context is not None or self.call.composite is not None
        if decision.missing and (entry or may_tell):
            entry[LACKING] = True
        return entry or None

    def finish(self, *, complete: bool) -> bytes:
        """Add readiness, results, conditions and Usages (for the order of deletion) to the answer;
        return its bytes.

        Fatal results are left out. Existing Usages stay and none is added unless the call is
        `complete`: compose() returned, and Crossplane has answered all requirements.
        """
        call = self.call
        counts = results.counting.get()
        if counts is not None:
            counts.held = len(self.held)
            counts.emitted = len(call.resources.keys() - self.held)
            counts.kept = len(self.decision.kept)
        self._set_ready()
        # Once, because this answer marks them.
        text = taken_over(call, self.decision.changed) if self.decision.changed else ""
        if text:
            call.results.warning(text, reason="OtherFunction")
        self._tell()
        told = self.report
        if told is not None and told.changed:
            text = told.text
            if not self.goes_on and self.who_waits is not None and not told.resolved:
                text = self.who_waits.with_graph(text)
            severity = results.WARNING if self.goes_on else results.NORMAL
            parts.add_result(
                call, self.message, results.ResultEntry(severity, text, told.condition.reason, 0)
            )
        if call.function.usages:
            from ..dependencies.usages import add_usages

            graph = Graph() if self.who_waits is None else self.who_waits.graph
            add_usages(
                call, self.message.desired.resources, self.decision.used, graph, complete=complete
            )
        return self.serialised()

    def fail(self, fatals: list[results.ResultEntry]) -> bytes:
        """Return the bytes of an answer with fatal results: the request's desired state, and no
        requirements.

        The fatal results follow compose()'s other results. All conditions are sent.
        """
        self.reset()
        self.message.ClearField("requirements")
        self._tell(fatals)
        return self.serialised()

    def _tell(self, fatals: Collection[results.ResultEntry] = ()) -> None:
        """Add compose()'s results, those that are fatal from `fatals`, and all conditions to the
        answer.

        In an Operation no condition is added, and each one that compose() set is logged. The
        condition of `report` is left out if compose() has set one of the same type.
        """
        call, message = self.call, self.message
        told = [entry for entry in call.results.entries if entry.severity != results.FATAL]
        for entry in (*told, *fatals):
            parts.add_result(call, message, entry)
        conditions = list(call.conditions.entries.values())
        if call.in_operation:
            for one in conditions:
                call.log.warning(
                    "condition %s is left out: an Operation has no composite that could have it",
                    one.type,
                )
            return
        report = self.report
        if report is not None and report.condition.type not in call.conditions.entries:
            conditions.append(report.condition)
        for one in conditions:
            parts.add_condition(call, message, one)

    def _set_ready(self) -> None:
        """Set each desired resource to ready if its observed state is ready by the rules of its
        kind.

        A readiness that a step has set stays. Nothing happens if `auto_ready` is off.
        """
        call = self.call
        if not call.auto_ready:
            return
        desired = self.message.desired.resources
        for name in desired:
            observed = call.existing.get(name)
            if (
                observed is not None
                and desired[name].ready == 0
                and lookup.is_ready(observed.resource)
            ):
                desired[name].ready = _READY_TRUE
