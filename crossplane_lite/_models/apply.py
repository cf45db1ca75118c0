"""Computing with values that may not be known yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .._observed.observable import Observable, call_of, make, sources
from .._observed.root import Computed
from .._observed.tracker import current
from .walker import whole_tree, with_references

__all__ = ["apply"]

T = TypeVar("T")


def apply(function: Callable[..., T], *values: Any) -> T | Observable[T]:
    """Compute with values that may not be known yet.

    Args:
        function: Called with the values, once all of them are known.
        *values: Plain values, Observables, texts made from Observables, or lists and mappings of these.

    Returns:
        What `function` returns, or an Observable that waits for every unresolved value among `values`.
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
    # With all that goes in, because questions are told apart by paths.
    root = Computed(call, f"{name}{values!r}", function, values)
    return make(root.prefix, root, tuple(deps.values()))
