"""Messages of compose() beside its resources, which are results and conditions; counts, and strict
calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar, copy_context
from typing import Any, Final, NamedTuple, TypeVar

from ...errors import UsageError

FATAL: Final = 1
WARNING: Final = 2
NORMAL: Final = 3
T = TypeVar("T")
_TARGETS: Final = {None: 0, "composite": 1, "composite_and_claim": 2}
STATUS: Final = {None: 1, True: 2, False: 3}
_STATUSES: Final = {number: status for status, number in STATUS.items()}
_TARGET_NAMES: Final = {number: target for target, number in _TARGETS.items()}


def _target(target: str | None) -> int:
    if target not in _TARGETS:
        raise UsageError(
            f"'target' must be 'composite', 'composite_and_claim' or None (got {target!r})"
        )
    return _TARGETS[target]


class ResultEntry:
    """One result, with the protocol's numbers for severity and target.

    Attributes:
        severity: `FATAL`, `WARNING` or `NORMAL`.
        message: The message; its text is made when the result is put into the answer.
        reason: A CamelCase word, or None.
        target: The number of the object that gets the event: 0 for Crossplane's default, 1 for the
            composite, 2 for the composite and its claim.
    """

    __slots__ = ("message", "reason", "severity", "target")

    def __init__(self, severity: int, message: Any, reason: Any, target: int) -> None:
        self.severity = severity
        self.message = message
        self.reason = reason
        self.target = target


class Results:
    """The results of this call: messages about the composite, which Crossplane shows as events.

    By the functions specification, Warning and Normal results should be sent only when something
    changes, not in every call.
    """

    def __init__(self) -> None:
        self.entries: list[ResultEntry] = []

    def fatal(self, message: Any, *, reason: str | None = None, target: str | None = None) -> None:
        """Stop the pipeline with a Fatal result: Crossplane applies and deletes nothing.

        compose() goes on after this call; the result is part of the answer. It isn't sent until
        Crossplane has answered the requirements of compose().

        Args:
            message: The error, as a sentence for people.
            reason: A short CamelCase word.
            target: The object that gets the event: `composite` (Crossplane's default) or
                `composite_and_claim`.

        Raises:
            UsageError: `target` has another value.
        """
        self.entries.append(ResultEntry(FATAL, message, reason, _target(target)))

    def warning(
        self, message: Any, *, reason: str | None = None, target: str | None = None
    ) -> None:
        """Report a problem that does not stop the pipeline.

        Args:
            message: The problem, for people.
            reason: A short CamelCase word.
            target: `composite` or `composite_and_claim`; Crossplane's default is the composite.

        Raises:
            UsageError: `target` has another value.
        """
        self.entries.append(ResultEntry(WARNING, message, reason, _target(target)))

    def normal(self, message: Any, *, reason: str | None = None, target: str | None = None) -> None:
        """Report that something has happened, with a Normal result.

        The arguments mean the same as in `warning`, and the same errors are raised.
        """
        self.entries.append(ResultEntry(NORMAL, message, reason, _target(target)))

    def __iter__(self) -> Any:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


class ConditionEntry:
    """One condition, with the protocol's numbers for status and target.

    Attributes:
        type: The condition's type.
        status: The number of the status: 1 for Unknown, 2 for True, 3 for False.
        reason: A CamelCase word.
        message: The message, or None; its text is made when the condition is put into the answer.
        target: The number of the object that gets the condition: 0 for Crossplane's default, 1 for
            the composite, 2 for the composite and its claim.
    """

    __slots__ = ("message", "reason", "status", "target", "type")

    def __init__(self, type: str, status: int, reason: Any, message: Any, target: int) -> None:
        self.type = type
        self.status = status
        self.reason = reason
        self.message = message
        self.target = target


class SetCondition(NamedTuple):
    """A condition that compose() has set.

    Attributes:
        status: True, False, or None for Unknown.
        reason: A CamelCase word.
        message: A text for people, or None.
        target: `composite`, `composite_and_claim`, or None if compose() didn't give one.
    """

    status: bool | None
    reason: Any
    message: Any
    target: str | None


class Conditions(Mapping[str, SetCondition]):
    """The conditions that compose() sets on the composite, by type.

    Raises:
        KeyError: A condition is read that compose() hasn't set.
    """

    def __init__(self) -> None:
        self.entries: dict[str, ConditionEntry] = {}

    def set(
        self,
        type: str,
        status: bool | None,
        reason: str,
        message: Any = None,
        *,
        target: str | None = None,
    ) -> None:
        """Set a condition of the composite. A condition of this type that was set before is
        replaced.

        Args:
            type: The condition's type. Crossplane ignores Ready, Synced, Healthy, UpToDate and
                Responsive from functions.
            status: True, False, or None for Unknown.
            reason: A CamelCase word.
            message: A text for people; None for no message.
            target: `composite` or `composite_and_claim`; None for Crossplane's default, the
                composite.

        Raises:
            UsageError: `status` or `target` has another value; or `type` or `reason` is empty; or
                `type` isn't an ASCII string.
        """
        if not (status is None or isinstance(status, bool)):
            raise UsageError(
                f"a condition's status must be True, False or None for Unknown (got {status!r})"
            )
        if not type or not reason or not isinstance(type, str):
            raise UsageError(
                "a condition needs a type and a reason, two strings that aren't empty (got"
                f" {type!r} and {reason!r})"
            )
        if not type.isascii():
            raise UsageError(f"a condition's type must be plain ASCII (got {type!a})")
        self.entries[type] = ConditionEntry(type, STATUS[status], reason, message, _target(target))

    def __setitem__(self, type: str, value: object) -> None:
        raise UsageError(
            f"conditions have several parts: write ctx.conditions.set({type!r}, status, reason,"
            " message)"
        )

    def __getitem__(self, type: str) -> SetCondition:
        entry = self.entries[type]
        return SetCondition(
            _STATUSES[entry.status], entry.reason, entry.message, _TARGET_NAMES[entry.target]
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


class Tally:
    """The counts of one call.

    Attributes:
        emitted: The number of registered resources that are in the answer.
        held: The number of resources that are left out of the answer, because a value that they
            need is missing.
        kept: The number of existing resources that stay although this call doesn't register them.
        rehearsals: The number of times that compose() ran besides the real run.
    """

    __slots__ = ("emitted", "held", "kept", "rehearsals")

    def __init__(self, emitted: int = 0, held: int = 0, kept: int = 0, rehearsals: int = 0) -> None:
        self.emitted = emitted
        self.held = held
        self.kept = kept
        self.rehearsals = rehearsals


counting: Final[ContextVar[Tally | None]] = ContextVar("crossplane_lite_tally", default=None)
"""The tally of this thread's call; None if nothing is counted."""

is_strict: Final = ContextVar("crossplane_lite_is_strict", default=False)
"""Whether each exception of compose() but an UnresolvedError is Fatal, also one that a missing
value may explain.
"""


def strictly(run: Callable[..., T], *given: Any) -> T:
    """Call `run` with `is_strict`, as tests and previews do that show authors their mistakes."""
    context = copy_context()
    context.run(is_strict.set, True)
    return context.run(run, *given)
