"""Uses of unresolved values as plain ones: the value by now, the answer of a rehearsal, or a guess that is remembered.

A real call takes every unresolved value for empty. A rehearsal asks its oracle instead; `crossplane_lite._rehearsal`
has the one that answers.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .._base.sentinels import UNSET
from ..errors import UnresolvedError
from .tracker import current

if TYPE_CHECKING:
    from types import FrameType

    from .observable import Observable
    from .root import Root
    from .tracker import Tracker

__all__ = [
    "Oracle",
    "call_of",
    "guess",
    "is_harmless",
    "is_settled",
    "known",
    "note_use",
    "oracle_of",
    "refers",
    "root_of",
    "sources",
    "stands_for",
    "unresolved",
]

N = TypeVar("N", int, float)


class Oracle(abc.ABC):
    """Answers the questions of one run."""

    __slots__ = ()

    @abc.abstractmethod
    def __call__(self, observable: Observable[Any], compared: object) -> bool:
        """Answer a question: whether a value is true, or in a comparison, equal."""

    @abc.abstractmethod
    def value(self, observable: Observable[Any]) -> Any:
        """Return the value that is observed in the real call, or None."""

    @abc.abstractmethod
    def length(self, observable: Observable[Any]) -> int:
        """Return the length that is observed in the real call, or 1."""

    @abc.abstractmethod
    def number(self, observable: Observable[Any], kind: type[N]) -> N:
        """Return the number that is observed in the real call, or 1."""

    @abc.abstractmethod
    def text(self, text: str, call: Tracker) -> str:
        """Return a string of this run with real values instead of placeholders."""

    @abc.abstractmethod
    def applied(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return the Observable for the result of a function of unresolved values, as `crossplane_lite.apply` does."""


def sources(observable: Observable[Any]) -> tuple[Observable[Any], ...]:
    """Return the Observables that one waits for: itself, or the arguments of `apply` where it is a result of that."""
    return observable.__cl_deps__ or (observable,)


def root_of(observable: Observable[Any]) -> Root | None:
    """Return the resource that an Observable belongs to, where the SDK made it."""
    return observable.__cl_root__


def is_settled(observable: Observable[Any]) -> bool:
    """Say whether the absence of a value is an answer: API servers leave out false, zero and empty values.

    It is an answer where the object is ready, and where the value has a type of which such values are left out.
    """
    root = observable.__cl_root__
    return observable.__cl_settles__ and root is not None and root.settled


def call_of(observable: Observable[Any]) -> Tracker | None:
    """Return the call that is going on, or the one the Observable was made in, for threads that the author starts."""
    call = current()
    if call is None:
        for source in sources(observable):
            root = source.__cl_root__
            if root is not None and not root.call.closed:
                return root.call
    return call


def refers(observable: Observable[Any]) -> bool:
    """Say whether it is a reference from desired state (see `crossplane_lite._observed.root.Reference`)."""
    root = observable.__cl_root__
    return root is not None and root.refers


def stands_for(observable: Observable[Any]) -> Any:
    """Return the value of an Observable that was made by hand or in an earlier call; UNSET before it comes."""
    root = observable.__cl_root__
    if (root is not None and not root.call.closed) or observable.__cl_deps__ is not None:
        return UNSET
    call = current()
    if call is None:
        return UNSET
    from .lookup import value_at

    return value_at(call.observed, call.xr, observable.__cl_path__)


def known(observable: Observable[Any]) -> Any:
    """Return the value that an Observable becomes where it is emitted or becomes text; UNSET before it comes.

    That is the value of a reference from desired state, and of one that was made by hand or in an earlier call.
    """
    if refers(observable):
        value = observable.__wire_text__
        return UNSET if value is None else value
    return stands_for(observable)


def oracle_of(observable: Observable[Any]) -> Oracle | None:
    """Return the oracle for an unresolved value in a run that tries other answers; None in a real call."""
    call = call_of(observable)
    return None if call is None else call.oracle


# These ask on behalf of their callers.
_ASKS_FOR_OTHERS: Final = frozenset({"abc", "typing", "_collections_abc", "functools"})
# Logging, for one, only looks whether its one argument is a mapping.
_HARMLESS: Final = ("crossplane_lite", "logging", "_pytest", "pdb", "pprint")


def is_harmless(frame: FrameType | None) -> bool:
    """Say whether the code that asks for a value's class makes nothing of the answer."""
    while frame is not None and frame.f_globals.get("__name__") in _ASKS_FOR_OTHERS:
        frame = frame.f_back
    return frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _HARMLESS


def note_use(observable: Observable[Any], *, opaque: bool = False, counted: bool = False, failed: bool = False) -> None:
    """Remember that an unresolved value was used as a plain one, in a way that asks no question.

    Args:
        observable: The value.
        opaque: Whether another answer can't show the fields that depend on it.
        counted: Whether resources may depend on how many there are.
        failed: Whether it was an error. An error counts also where the absence of the value is an answer.
    """
    call = call_of(observable)
    if call is None or refers(observable):
        return
    for source in sources(observable):
        if is_settled(source) and not failed:
            continue
        call.guesses.setdefault(source.__cl_path__, source)
        if opaque:
            call.opaque.setdefault(source.__cl_path__, source)
        if counted:
            call.counted.setdefault(source.__cl_path__, source)


def guess(observable: Observable[Any], compared: object = None) -> bool:
    """Remember that an unresolved value was used as a plain one.

    Args:
        observable: The value.
        compared: The value that it was compared with, if any; for `<` and its like a text that begins with the sign.

    Returns:
        What to take it for: False for empty and unequal, as in every real call. A rehearsal (see
        `crossplane_lite._rehearsal`) tries the other way as well. A reference from desired state is empty and unequal
        in every call, whatever the cluster has, and so it isn't a guess.
    """
    if refers(observable):
        return False
    value = stands_for(observable)
    if value is not UNSET:
        return bool(value == compared) if compared is not None else bool(value)
    call = call_of(observable)
    if call is not None and call.oracle is not None:
        return call.oracle(observable, compared)
    for source in sources(observable):
        if not is_settled(source):
            call = call_of(source)
            if call is not None:
                call.guessed(source, compared)
    return False


def unresolved(observable: Observable[Any], use: str) -> UnresolvedError:
    """Return the error for a use that needs the value; somebody may catch it, so it counts as a guess."""
    note_use(observable, failed=True)
    root = observable.__cl_root__
    if root is not None and root.refers:
        path = observable.__cl_path__
        seen = f"{root.prefix}.observed{path[len(root.prefix) :]}"
        return UnresolvedError(
            f"{path} isn't set in desired state, so it refers to the value in the cluster, and {use} needs the value "
            f"itself; use {seen}, or crossplane_lite.apply(function, value) to compute with it once it is known"
        )
    if use in ("<", "<=", ">", ">="):
        name = observable.__cl_path__.rpartition(".")[2]
        return UnresolvedError(
            f"{observable.__cl_path__} has no value yet, and {use} needs one; in a condition write "
            f"({name} or 0) {use} ..., which counts a missing value as 0"
        )
    return UnresolvedError(
        f"{observable.__cl_path__} has no value yet, and {use} needs one; "
        "use crossplane_lite.apply(function, value) to compute with it once it is known"
    )
