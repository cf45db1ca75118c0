"""Observables: forward references to values that do not exist yet.

Reading `bucket.observed.external_name` before the bucket has one gives `Observable('bucket.external_name')`. Set
into another resource it says "this resource needs that value", and the order of creation follows
(python-sdk-design-spec: "The Observable Pattern").
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NoReturn

from .._paths.text import quoted
from ..errors import UnresolvedError
from .tracker import current

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import TypeVar

    from .oracle import Oracle
    from .root import Root
    from .tracker import Tracker

    T_co = TypeVar("T_co", covariant=True, default=Any)
else:  # typing_extensions costs 4 ms at import, and only checkers read the default
    from typing import TypeVar

    T_co = TypeVar("T_co", covariant=True)

__all__ = ["EXTERNAL_NAME", "Observable", "call_of", "guess", "make", "root_of", "sources"]

T = TypeVar("T")

EXTERNAL_NAME = "crossplane.io/external-name"


class Observable(Generic[T_co]):
    """A forward reference to a value that may not exist yet.

    It is falsy and hashable. Attribute and item access extend the path. As text (`str()`, f-strings, `%`, `+` with a
    string) it becomes a token that the SDK finds again wherever the text ends up. `bool`, `len`, iteration, `in`,
    `==` and `!=` behave as empty and unequal, and are remembered as a guess, so that nothing that exists is lost by
    them. Whatever needs the value itself (`int`, `float`, ordering, arithmetic) raises `UnresolvedError`; only the
    runs of `usages=True` that look for dependencies go on there (see `crossplane_lite._rehearsal.rehearse`).

    Attributes:
        source_path: Where the value will come from, for example `bucket.status.atProvider.id`.
    """

    # Dunder names, because any other name could be a field of the value that is referred to.
    __slots__ = ("__cl_deps__", "__cl_path__", "__cl_root__")

    __cl_path__: str
    __cl_root__: Root | None
    __cl_deps__: tuple[Observable[Any], ...] | None

    def __init__(self, source_path: str) -> None:
        self.__cl_path__ = source_path
        self.__cl_root__ = None
        self.__cl_deps__ = None

    @property
    def source_path(self) -> str:
        return self.__cl_path__

    def __getattr__(self, name: str) -> Observable[Any]:
        if name[:2] == "__" or name.startswith(("_repr_", "_ipython_")):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return _extend(self, "." + name)

    def __getitem__(self, key: int | str) -> Observable[Any]:
        if type(key) is str:
            if key == EXTERNAL_NAME and self.__cl_path__.endswith(".metadata.annotations"):
                return _extend(self, ".external_name", self.__cl_path__[: -len(".metadata.annotations")])
            return _extend(self, f"[{quoted(key)}]")
        if isinstance(key, int):
            return _extend(self, f"[{key}]")
        oracle = _oracle_of(self)
        if oracle is not None:
            return oracle.applied(operator.getitem, self, key)  # type: ignore[no-any-return]
        raise _unresolved(self, "slicing" if type(key).__name__ == "slice" else f"[{key!r}]")

    def __repr__(self) -> str:
        return f"Observable({self.__cl_path__!r})"

    def __hash__(self) -> int:
        # Whoever looks it up in a set or a dict uses it as a value, and without an equal hash `==` is never asked.
        guess(self)
        return hash(self.__cl_path__)

    def __copy__(self) -> Observable[T_co]:
        return self

    def __reduce__(self) -> Any:
        return Observable, (self.__cl_path__,)

    def __deepcopy__(self, memo: object) -> Observable[T_co]:
        return self

    # Text.

    def __str__(self) -> str:
        call = call_of(self)
        return repr(self) if call is None else call.token(self)

    def __format__(self, spec: str) -> str:
        # The spec is for the value; applied to the token it could cut it.
        oracle = _oracle_of(self) if spec else None
        return str(self) if oracle is None else str(oracle.applied(format, self, spec))

    def __add__(self, other: object) -> str:
        if isinstance(other, str):
            return str(self) + other
        oracle = _oracle_of(self)
        if oracle is not None:
            return oracle.applied(operator.add, self, other)  # type: ignore[no-any-return]
        raise _unresolved(self, "+")

    def __radd__(self, other: object) -> str:
        if isinstance(other, str):
            return other + str(self)
        oracle = _oracle_of(self)
        if oracle is not None:
            return oracle.applied(operator.add, other, self)  # type: ignore[no-any-return]
        raise _unresolved(self, "+")

    # Plain-value use: a guess.

    def __bool__(self) -> Literal[False]:
        return guess(self)  # type: ignore[return-value]  # True only where no answer is made of it

    def __len__(self) -> int:
        oracle = _oracle_of(self)
        return oracle.length(self) if guess(self) and oracle is not None else 0

    def __iter__(self) -> Iterator[Any]:
        length = len(self)
        oracle = _oracle_of(self)
        holder: Any = self
        if length and oracle is not None and isinstance(oracle.value(self), dict):
            holder = oracle.applied(list, self)  # its keys, which have numbers there
        return iter([holder[at] for at in range(length)])

    def __contains__(self, item: object) -> bool:
        return guess(self, item)

    def __eq__(self, other: object) -> bool:
        return guess(self, other)

    def __ne__(self, other: object) -> bool:
        return not guess(self, other)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # A map that isn't there yet is used like one that is: `labels.get("team")`.
        path, _, method = self.__cl_path__.rpartition(".")
        if method == "get" and path and args and not kwargs:
            value = _extend(self, "", path)[args[0]]
            if len(args) == 1:
                return value
            return value if guess(value) else args[1]
        if method in ("items", "keys", "values") and path and not args and not kwargs:
            owner = _extend(self, "", path)
            keys = tuple(owner)
            return keys if method == "keys" else tuple((k, owner[k]) if method == "items" else owner[k] for k in keys)
        oracle = _oracle_of(self)
        if path and oracle is not None:
            return oracle.applied(_call_method, _extend(self, "", path), method, args, kwargs)
        raise _unresolved(self, f"calling {method}() on it" if path else "a call of it")

    def __setattr__(self, name: str, value: object) -> None:
        if name not in Observable.__slots__:
            raise UnresolvedError(f"{self.__cl_path__} has no value yet, so nothing can be set in it")
        object.__setattr__(self, name, value)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise UnresolvedError(f"{self.__cl_path__} has no value yet, so nothing can be set in it")


def _call_method(owner: Any, method: str, args: Any, kwargs: Any) -> Any:
    return getattr(owner, method)(*args, **kwargs)


def _reflected(function: Callable[[Any, Any], Any], value: Any, other: Any) -> Any:
    return function(other, value)


def _backwards(values: Any) -> list[Any]:
    return list(reversed(values))


_SIGNS = {
    **{"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//"},
    **{"mod": "%", "pow": "**", "lshift": "<<", "rshift": ">>", "and": "&", "or": "|", "xor": "^", "matmul": "@"},
    **{"neg": "-", "pos": "+", "invert": "~", "index": "an index"},
}


def _refuse(name: str, answer: Callable[..., Any] | None = None) -> None:
    """Give Observable the special method `name`, which needs the value itself.

    Args:
        name: Its name without underscores.
        answer: What a run that only looks for dependencies gets, which must not end there: called with the oracle and
            the method's arguments.
    """
    shown = _SIGNS.get(name.removeprefix("r"), _SIGNS.get(name, f"{name}()"))

    def method(self: Observable[Any], *args: object) -> Any:
        oracle = None if answer is None else _oracle_of(self)
        if oracle is None:
            raise _unresolved(self, shown)
        assert answer is not None
        return answer(oracle, self, *args)

    method.__name__ = f"__{name}__"
    setattr(Observable, method.__name__, method)


def _ordering(sign: str) -> Callable[..., Any]:
    return lambda oracle, value, other: guess(value, f"{sign} {other!r}")


def _applied(function: Callable[..., Any], *first: Any) -> Callable[..., Any]:
    return lambda oracle, *values: oracle.applied(function, *first, *values)


for _name in "complex bytes enter await".split():
    _refuse(_name)
for _name in "lt le gt ge".split():
    _refuse(_name, _ordering(_SIGNS[_name]))
_refuse("int", lambda oracle, value: oracle.number(value, int))
_refuse("index", lambda oracle, value: oracle.number(value, int))
_refuse("float", lambda oracle, value: oracle.number(value, float))
for _name in "sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul".split():
    _function: Any = divmod if _name == "divmod" else getattr(operator, f"__{_name}__")
    _refuse(_name, _applied(_function))
    _refuse(f"r{_name}", _applied(_reflected, _function))
for _function in (operator.neg, operator.pos, operator.invert, abs, round, math.trunc, math.floor, math.ceil):
    _refuse(_function.__name__, _applied(_function))
_refuse("reversed", _applied(_backwards))


def _unresolved(observable: Observable[Any], use: str) -> UnresolvedError:
    if use in ("<", "<=", ">", ">="):
        name = observable.__cl_path__.rpartition(".")[2]
        return UnresolvedError(
            f"{observable.__cl_path__} has no value yet, and {use} needs one; in a condition write "
            f"({name} or 0) {use} ..., which takes what isn't there yet for 0"
        )
    return UnresolvedError(
        f"{observable.__cl_path__} has no value yet, and {use} needs one; "
        "use crossplane_lite.apply(function, value) to compute with it once it is known"
    )


def make(path: str, root: Root | None, deps: tuple[Observable[Any], ...] | None = None) -> Observable[Any]:
    """Make an Observable that knows what it belongs to, and tell its call that it was handed out."""
    made: Observable[Any] = Observable(path)
    made.__cl_root__ = root
    made.__cl_deps__ = deps
    if root is not None:
        root.call.handed_out.append(made)
    return made


def _extend(observable: Observable[Any], step: str, path: str | None = None) -> Observable[Any]:
    extended: Observable[Any] = Observable((observable.__cl_path__ if path is None else path) + step)
    extended.__cl_root__ = observable.__cl_root__
    extended.__cl_deps__ = observable.__cl_deps__
    return extended


def sources(observable: Observable[Any]) -> tuple[Observable[Any], ...]:
    """Return what an Observable waits for: itself, or for the result of `apply` the values that went in."""
    return observable.__cl_deps__ or (observable,)


def root_of(observable: Observable[Any]) -> Root | None:
    """Return the resource that an Observable belongs to, where the SDK made it."""
    return observable.__cl_root__


def call_of(observable: Observable[Any]) -> Tracker | None:
    """Return the call that is going on, or the one the Observable was made in, for threads that the author starts."""
    call = current()
    if call is None:
        for source in sources(observable):
            root = source.__cl_root__
            if root is not None and not root.call.closed:
                return root.call
    return call


def _oracle_of(observable: Observable[Any]) -> Oracle | None:
    """Return what answers for an unresolved value in a run that only looks for dependencies; None in a real call."""
    call = call_of(observable)
    return None if call is None else call.oracle


def guess(observable: Observable[Any], compared: object = None) -> bool:
    """Remember that an unresolved value was used as a plain one.

    Args:
        observable: The value.
        compared: What it was compared with, where it was; for an order with the sign in front, as text.

    Returns:
        What to take it for: False for empty and unequal, as in every real call. A run that only looks for dependencies
        (see `crossplane_lite._rehearsal.rehearse`) tries the other way as well.
    """
    call = call_of(observable)
    if call is not None and call.oracle is not None:
        return call.oracle(observable, compared)
    for source in sources(observable):
        root = source.__cl_root__
        if root is not None and root.settled:
            continue
        call = call_of(source)
        if call is not None:
            call.guesses.setdefault(source.__cl_path__, source)
    return False
