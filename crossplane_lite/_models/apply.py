"""Functions for values that may be missing: `apply` computes with them, `value_or` returns a default in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .._base.sentinels import UNSET
from .._observed.observable import Observable, make
from .._observed.root import Computed
from .._observed.tracker import current
from .._observed.uses import call_of, known, root_of, sources
from .node import WAIT
from .shape import ModelShape
from .walker import whole_tree, with_references

if TYPE_CHECKING:
    from .._observed.root import Root

__all__ = ["apply", "value_or"]

T = TypeVar("T")
D = TypeVar("D")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
E = TypeVar("E")


@overload
def apply(function: Callable[[], T], /) -> T | Observable[T]: ...
@overload
def apply(function: Callable[[A], T], a: Observable[A], /) -> T | Observable[T]: ...
@overload
def apply(function: Callable[[list[A]], T], a: list[A | Observable[A]], /) -> T | Observable[T]: ...
@overload
def apply(function: Callable[[dict[str, A]], T], a: dict[str, A | Observable[A]], /) -> T | Observable[T]: ...
@overload
def apply(function: Callable[[A], T], a: A | Observable[A] | None, /) -> T | Observable[T]: ...
@overload
def apply(function: Callable[[list[Any]], T], a: list[Any], /) -> T | Observable[T]: ...
@overload
def apply(function: Callable[[dict[str, Any]], T], a: dict[str, Any], /) -> T | Observable[T]: ...
@overload
def apply(function: Callable[[A, B], T], a: Observable[A], b: Observable[B], /) -> T | Observable[T]: ...
@overload
def apply(
    function: Callable[[A, B], T], a: A | Observable[A] | None, b: B | Observable[B] | None, /
) -> T | Observable[T]: ...
@overload
def apply(
    function: Callable[[A, B, C], T],
    a: A | Observable[A] | None,
    b: B | Observable[B] | None,
    c: C | Observable[C] | None,
    /,
) -> T | Observable[T]: ...
@overload
def apply(
    function: Callable[[A, B, C, E], T],
    a: A | Observable[A] | None,
    b: B | Observable[B] | None,
    c: C | Observable[C] | None,
    d: E | Observable[E] | None,
    /,
) -> T | Observable[T]: ...
@overload
def apply(function: Callable[..., T], a: Any, b: Any, c: Any, d: Any, e: Any, /, *more: Any) -> T | Observable[T]: ...
def apply(function: Callable[..., T], *values: Any) -> T | Observable[T]:
    """Compute with values that may not exist yet.

    Args:
        function: The computation. It is called with `values` as its arguments, once all of them are resolved.
        *values: Plain values, Observables, strings that are made from Observables, or lists and mappings of these.

    Returns:
        The result of `function`. If a value is unresolved, an Observable that waits for all unresolved values.

    Raises:
        Exception: `function` raised it.
        EncodeError: A list among the values holds None or UNSET, or a value contains itself.
    """
    call = current()
    tree = whole_tree(values, call)
    waiting = [observable for found in tree.found for observable in found.waits_for]
    if not waiting:
        return function(*([with_references(value, call) for value in values] if tree.refers else values))
    deps: dict[str, Observable[Any]] = {}
    for observable in waiting:
        for source in sources(observable):
            deps.setdefault(source.__cl_path__, source)
    name = getattr(function, "__name__", None) or type(function).__name__
    call = call_of(waiting[0])
    if call is None or call.oracle is None:
        return make(f"{name}({', '.join(deps)})", None, tuple(deps.values()))
    # The path has the function and its values in it, because the oracle tells questions apart by their paths.
    root = Computed(call, f"{name}{values!r}", function, values)
    return make(root.prefix, root, tuple(deps.values()))


@overload
def value_or(value: None, default: D) -> D: ...
@overload
def value_or(value: Observable[T], default: D) -> T | D | Observable[T]: ...
@overload
def value_or(value: T | Observable[T] | None, default: D) -> T | D | Observable[T]: ...
def value_or(value: Any, default: Any) -> Any:
    """Return a value, or `default` if the value is missing for good.

    Using `default` doesn't count as a guess (see `Observable`).

    Args:
        value: A value that was read from `.observed`, from the composite or from a required resource.
        default: The value to return in place of a missing one.

    Returns:
        The value, if it exists, and `default` for None. A missing value of the composite or of a required resource
        gives `default` at once. A missing value of a composed resource gives `default` once that resource is ready by
        the rules of its kind. Until then, the missing value itself is returned, so that everything that needs it waits.
    """
    if value is None:
        return default
    if type(value) is Observable:
        there = known(value)
        if there is not UNSET:
            return there
        if not all(_is_final(root_of(source)) for source in sources(value)):
            return value
        call = call_of(value)
        if call is not None:
            call.answered.add(value.__cl_path__)
        return default
    if isinstance(value, ModelShape) and value._absent and value._node is not None and value._node.state >= WAIT:
        return default if _is_final(value._node.root) else value
    return value


def _is_final(root: Root | None) -> bool:
    """Say whether a field that the object `root` lacks is missing for good.

    Fields of the composite and of required resources are, and fields of composed resources that are ready. False if
    `root` is None: the Observable isn't read from one object.
    """
    return root is not None and (root.kind in ("xr", "required") or root.settled)
