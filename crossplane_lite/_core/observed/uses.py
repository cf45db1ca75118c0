"""Uses of unresolved values as plain ones: what each use returns, and how the call remembers it as a guess.

A real call takes every unresolved value for empty. A rehearsal (another run of compose(), whose results are thrown
away) asks its oracle instead (`_core.waits.both_ways`).
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import UnresolvedError
from ..base.sentinels import UNSET
from .tracker import current

if TYPE_CHECKING:
    from .observable import Observable
    from .root import Root
    from .tracker import Tracker

N = TypeVar("N", int, float)


class Oracle(abc.ABC):
    """Answers the questions about unresolved values in one rehearsal, such as `if value` or `value == "a"`."""

    __slots__ = ()

    @abc.abstractmethod
    def answers(self, observable: Observable[Any]) -> bool:
        """Say whether this oracle answers questions about a value. A real call's answers count for all others."""

    @abc.abstractmethod
    def __call__(self, observable: Observable[Any], compared: object) -> bool:
        """Say whether an unresolved value counts as true or, if `compared` isn't None, as equal to `compared`."""

    @abc.abstractmethod
    def value(self, observable: Observable[Any]) -> Any:
        """Return the value that the real call observes for `observable`; None if there is none."""

    @abc.abstractmethod
    def length(self, observable: Observable[Any]) -> int:
        """Return the length of the real call's value for `observable`, or a length that the oracle makes up."""

    @abc.abstractmethod
    def number(self, observable: Observable[Any], kind: type[N]) -> N:
        """Return the real call's value for `observable` as a `kind`, or a number that the oracle makes up."""

    @abc.abstractmethod
    def text(self, text: str, call: Tracker) -> str:
        """Return `text`, which was made in the rehearsal `call`, with each placeholder replaced.

        The replacement is the value that the real call observes, or the value's path if there is none.
        """

    @abc.abstractmethod
    def applied(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return an Observable for the result of `function(*values)`, as `crossplane_lite.apply` does."""


def sources(observable: Observable[Any]) -> tuple[Observable[Any], ...]:
    """Return the Observables that `observable` waits for.

    For a result of `apply`, these are the Observables among its arguments; else `observable` itself.
    """
    return observable.__cl_deps__ or (observable,)


def root_of(observable: Observable[Any]) -> Root | None:
    """Return the object that `observable` is read from; None if it isn't read from one object.

    The object is the composite, a composed or required resource, or a value of the context. For a result of `apply` it
    is a `Computed` in a rehearsal, and None in a real call. It is also None for an Observable that was made by hand.
    """
    return observable.__cl_root__


def is_settled(observable: Observable[Any]) -> bool:
    """Say whether a missing value is known to be false, zero or empty.

    It is known if the object is ready, and the API server leaves out empty values of this type.
    """
    root = observable.__cl_root__
    return observable.__cl_settles__ and root is not None and root.settled


def call_of(observable: Observable[Any]) -> Tracker | None:
    """Return the current call of this thread or task.

    A thread that compose() started has no current call. There, the call in which `observable` was made is returned;
    None if that call is closed, or isn't known.
    """
    call = current()
    if call is None:
        for source in sources(observable):
            root = source.__cl_root__
            if root is not None and not root.call.closed:
                return root.call
    return call


def refers(observable: Observable[Any]) -> bool:
    """Say whether `observable` is a reference from desired state (see `_core.observed.root.Reference`)."""
    root = observable.__cl_root__
    return root is not None and root.refers


def stands_for(observable: Observable[Any]) -> Any:
    """Return the value that an Observable from outside of the call has in the current call.

    Such an Observable was made by hand or in an earlier call. The result is UNSET for every other Observable, if the
    value doesn't exist yet, and if there is no current call.
    """
    root = observable.__cl_root__
    if (root is not None and not root.call.closed) or observable.__cl_deps__ is not None:
        return UNSET
    call = current()
    if call is None:
        return UNSET
    from .lookup import value_at

    return value_at(call.observed, call.xr, observable.__cl_path__)


def known(observable: Observable[Any]) -> Any:
    """Return the value that replaces an Observable in the answer and in texts.

    Only a reference from desired state, and an Observable that was made by hand or in an earlier call, can have a
    value. UNSET if the value doesn't exist yet, and for every other Observable.
    """
    if refers(observable):
        value = observable.__wire_text__
        return UNSET if value is None else value
    return stands_for(observable)


def oracle_of(observable: Observable[Any]) -> Oracle | None:
    """Return the oracle of the rehearsal that uses an unresolved value.

    None in a real call, outside of calls, and if the oracle answers no questions about this value.
    """
    call = call_of(observable)
    oracle = None if call is None else call.oracle
    return oracle if oracle is not None and oracle.answers(observable) else None


def note_use(observable: Observable[Any], *, opaque: bool = False, failed: bool = False) -> None:
    """Remember that an unresolved value was used as a plain value, in a way that isn't a question for the oracle.

    Nothing is remembered for a reference from desired state, and outside of calls. `opaque` means that no rehearsal can
    show what depends on the use. A use that `failed` counts even if the value is known to be empty (`is_settled`).
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


def guess(observable: Observable[Any], compared: object = None) -> bool:
    """Answer a question about a value, such as `if value`. If the value is unresolved, remember the use as a guess.

    For `<` and the like, `compared` is a text that begins with the sign. In a real call the answer is False, unless the
    value exists by now. In a rehearsal it is the oracle's, and nothing is remembered. A reference from desired state
    can only be asked whether it is set, which is False in every call, and isn't remembered. Raises UnresolvedError for
    a comparison with it.
    """
    if refers(observable):
        if compared is not None:
            raise unresolved(observable, "comparing")
        return False
    value = stands_for(observable)
    if value is not UNSET:
        return bool(value == compared) if compared is not None else bool(value)
    oracle = oracle_of(observable)
    if oracle is not None:
        return oracle(observable, compared)
    for source in sources(observable):
        if not is_settled(source):
            call = call_of(source)
            if call is not None:
                call.guessed(source, compared)
    return False


def unresolved(observable: Observable[Any], use: str) -> UnresolvedError:
    """Return the error to raise for a use that needs the value.

    The use is also remembered as a guess, because compose() may catch the error. A reference from desired state isn't
    remembered. `use` is an operator, or words such as "slicing", for the message.
    """
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
