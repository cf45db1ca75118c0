"""Observables: forward references to values that do not exist yet.

Reading `bucket.observed.external_name` before the bucket has one gives `Observable('bucket.external_name')`. Set
into another resource it says "this resource needs that value", and the order of creation follows
(python-sdk-design-spec: "The Observable Pattern").
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn

from .._base.sentinels import UNSET
from .._paths.text import quoted
from ..errors import UnresolvedError
from .tracker import current

if TYPE_CHECKING:
    from types import FrameType
    from typing import Literal

    from typing_extensions import TypeVar

    from .oracle import Oracle
    from .root import Root
    from .tracker import Tracker

    T_co = TypeVar("T_co", covariant=True, default=Any)
else:  # typing_extensions costs 4 ms at import, and only checkers read the default
    from typing import TypeVar

    T_co = TypeVar("T_co", covariant=True)

__all__ = [
    "EXTERNAL_NAME",
    "Observable",
    "belong",
    "call_of",
    "guess",
    "is_settled",
    "known",
    "make",
    "refer",
    "root_of",
    "sources",
]

T = TypeVar("T")

_set = object.__setattr__  # past the one of Observable, which is for authors

EXTERNAL_NAME = "crossplane.io/external-name"


class Observable(Generic[T_co]):
    """A forward reference to a value that may not exist yet.

    It is falsy and hashable. Attribute and item access extend the path. As text (`str()`, `repr()`, f-strings, `%`, `+`
    with a string) it becomes a token that the SDK finds again wherever the text ends up. `bool`, `len`, iteration,
    `in`, `==`, `!=`, `hash` and `isinstance` behave as empty, unequal and False. Whatever needs the value itself
    (`int`, `float`, ordering, arithmetic) raises `UnresolvedError`. All of these are remembered as guesses, and
    compose() runs again to show the fields that depend on them (see `crossplane_lite._rehearsal.look_twice`), so that
    nothing that exists is lost.

    One that is made by hand, or that was kept from an earlier call, stands for the value at its path in the call in
    which it is used.

    Attributes:
        source_path: Where the value will come from, for example `bucket.status.atProvider.id`.
    """

    # Dunder names, because any other name could be a field of the value that is referred to. `__wire_text__` is the
    # text that the codec emits in its place: see `refer`; `__cl_owner__` is that of `belong`.
    __slots__ = ("__cl_deps__", "__cl_owner__", "__cl_path__", "__cl_root__", "__cl_settles__", "__wire_text__")

    __cl_path__: str
    __cl_root__: Root | None
    __cl_deps__: tuple[Observable[Any], ...] | None
    __cl_settles__: bool  # whether absence is an answer in an object that is ready
    __wire_text__: str | None

    def __init__(self, source_path: str) -> None:
        _set(self, "__cl_path__", source_path)
        _set(self, "__cl_root__", None)
        _set(self, "__cl_deps__", None)
        _set(self, "__cl_settles__", False)
        _set(self, "__wire_text__", None)

    @property
    def source_path(self) -> str:
        return self.__cl_path__

    def __getattr__(self, name: str) -> Observable[Any]:
        if name[:2] == "__" or name.startswith(("_repr_", "_ipython_")):
            raise AttributeError(f"Observable({self.__cl_path__!r}) has no attribute {name!r}")
        extended = _extend(self, "." + name)
        # Methods of maps; whether it is missing on purpose doesn't change by that.
        extended.__cl_settles__ = self.__cl_settles__ and name in _OF_A_MAP
        return extended

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
        # The repr of a list that holds it ends up in text as well.
        value = known(self)
        if value is not UNSET:
            return repr(value)
        call = call_of(self)
        return f"Observable({self.__cl_path__!r})" if call is None else call.token(self)

    def __hash__(self) -> int:
        # Whoever looks it up in a set or a dict uses it as a value, and without an equal hash `==` is never asked.
        value = _stands_for(self)
        if value is not UNSET:
            return hash(value)
        _use(self, opaque=True)
        return hash(self.__cl_path__)

    @property
    def __class__(self) -> Any:
        # isinstance() and match ask for it where type() says no. Another answer would have to be a value, so nobody can
        # show the fields that depend on this one.
        value = _stands_for(self)
        if value is not UNSET:
            return type(value)
        if not _refers(self) and not _is_harmless(sys._getframe(1)):
            _use(self, opaque=True)
        return Observable

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:  # typeshed has one, too
        raise AttributeError("the class of an Observable can't be set")

    def __copy__(self) -> Observable[T_co]:
        return self

    def __reduce__(self) -> Any:
        raise _unresolved(self, "pickling (and yaml.dump)")

    def __deepcopy__(self, memo: object) -> Observable[T_co]:
        return self

    # Text.

    def __str__(self) -> str:
        value = known(self)
        return repr(self) if value is UNSET else str(value)

    def __format__(self, spec: str) -> str:
        value = known(self)
        if value is not UNSET:
            return format(value, spec)
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
        value = _stands_for(self)
        if value is not UNSET:
            return len(value)
        oracle = _oracle_of(self)
        found = guess(self)
        _use(self, counted=True)
        return oracle.length(self) if found and oracle is not None else 0

    def __iter__(self) -> Iterator[Any]:
        value = _stands_for(self)
        if value is not UNSET:
            return iter(value)
        length = len(self)
        oracle = _oracle_of(self)
        holder: Any = self
        if length and oracle is not None and isinstance(oracle.value(self), dict):
            holder = oracle.applied(list, self)  # its keys, which have numbers there
        return iter([holder[at] for at in range(length)])

    def __contains__(self, item: object) -> bool:
        value = _stands_for(self)
        return guess(self, item) if value is UNSET else item in value

    def __eq__(self, other: object) -> bool:
        return guess(self, other)

    def __ne__(self, other: object) -> bool:
        return not guess(self, other)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            holder = _owner_of(self)
        except AttributeError:
            pass
        else:
            return holder._call_method(self.__cl_path__.rpartition(".")[2], args, kwargs)
        # A map that isn't there yet is used like one that is: `labels.get("team")`.
        path, _, method = self.__cl_path__.rpartition(".")
        owner: Any = _extend(self, "", path)
        owner.__cl_settles__ = self.__cl_settles__
        if method == "get" and path and args and not kwargs:
            value = owner[args[0]]
            if len(args) == 1:
                return value
            return value if guess(value) else args[1]
        if method in _OF_A_MAP and path and not args and not kwargs:
            keys = tuple(owner)
            return keys if method == "keys" else tuple((k, owner[k]) if method == "items" else owner[k] for k in keys)
        oracle = _oracle_of(self)
        if path and oracle is not None:
            return oracle.applied(_call_method, owner, method, args, kwargs)
        raise _unresolved(self, f"calling {method}() on it" if path else "a call of it")

    def __setattr__(self, name: str, value: object) -> None:
        if name not in Observable.__slots__:
            raise UnresolvedError(f"{self.__cl_path__} has no value yet, so nothing can be set in it")
        object.__setattr__(self, name, value)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise UnresolvedError(f"{self.__cl_path__} has no value yet, so nothing can be set in it")


_owner_of: Any = Observable.__dict__["__cl_owner__"].__get__


def belong(observable: Observable[Any], owner: Any) -> None:
    """Have a call of an Observable be that of a method of `owner`: of an object that may have a field of that name."""
    _set(observable, "__cl_owner__", owner)


def _call_method(owner: Any, method: str, args: Any, kwargs: Any) -> Any:
    return getattr(owner, method)(*args, **kwargs)


def _reflected(function: Callable[[Any, Any], Any], value: Any, other: Any) -> Any:
    return function(other, value)


def _backwards(values: Any) -> list[Any]:
    return list(reversed(values))


_OF_A_MAP = frozenset({"items", "keys", "values", "get"})
# Loops and names are made from these.
_COUNTS = frozenset({"int", "index", "float"})
_SIGNS = {
    **{"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//"},
    **{"mod": "%", "pow": "**", "lshift": "<<", "rshift": ">>", "and": "&", "or": "|", "xor": "^", "matmul": "@"},
    **{"neg": "-", "pos": "+", "invert": "~", "index": "an index"},
}


def _refuse(name: str, answer: Callable[..., Any] | None = None) -> None:
    """Give Observable the special method `name`, which needs the value itself.

    Args:
        name: Its name without underscores.
        answer: Gives the answer of a run that only looks for dependencies, which must not end there: called with the
            oracle and the method's arguments.
    """
    shown = _SIGNS.get(name.removeprefix("r"), _SIGNS.get(name, f"{name}()"))

    def method(self: Observable[Any], *args: object) -> Any:
        value = _stands_for(self)
        if value is not UNSET:
            return getattr(value, f"__{name}__")(*args)
        if name in _COUNTS:
            _use(self, counted=True)
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
    """Return the error for a use that needs the value; somebody may catch it, so it counts as a guess."""
    _use(observable, failed=True)
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


def make(
    path: str, root: Root | None, deps: tuple[Observable[Any], ...] | None = None, *, settles: bool = False
) -> Observable[Any]:
    """Make an Observable that knows its owner, and tell its call that it was handed out.

    Args:
        path: Its path.
        root: Its owner, if that is one object.
        deps: For the result of `apply` the values that went in.
        settles: Whether absence is an answer in an object that is ready.
    """
    made: Observable[Any] = Observable(path)
    made.__cl_root__ = root
    made.__cl_deps__ = deps
    made.__cl_settles__ = settles
    if root is not None:
        root.call.handed_out.append(made)
    return made


def refer(path: str, root: Root, value: str) -> Observable[str]:
    """Make a reference from desired state whose value is known already: it is emitted as that, and becomes its text."""
    made: Observable[str] = Observable(path)
    made.__cl_root__ = root
    made.__wire_text__ = value
    return made


def _extend(observable: Observable[Any], step: str, path: str | None = None) -> Observable[Any]:
    extended: Observable[Any] = Observable((observable.__cl_path__ if path is None else path) + step)
    extended.__cl_root__ = observable.__cl_root__
    extended.__cl_deps__ = observable.__cl_deps__
    return extended


def sources(observable: Observable[Any]) -> tuple[Observable[Any], ...]:
    """Return the Observables that one waits for: itself, or for the result of `apply` the arguments."""
    return observable.__cl_deps__ or (observable,)


def root_of(observable: Observable[Any]) -> Root | None:
    """Return the resource that an Observable belongs to, where the SDK made it."""
    return observable.__cl_root__


def is_settled(observable: Observable[Any]) -> bool:
    """Say whether the absence of a value is an answer: API servers leave out false, zero and empty values.

    It is where the object that it belongs to is ready, and the value's type is known to be such a one.
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


def _refers(observable: Observable[Any]) -> bool:
    """Say whether it is a reference from desired state (see `crossplane_lite._observed.root.Reference`)."""
    root = observable.__cl_root__
    return root is not None and root.refers


def _stands_for(observable: Observable[Any]) -> Any:
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
    if _refers(observable):
        value = observable.__wire_text__
        return UNSET if value is None else value
    return _stands_for(observable)


def _oracle_of(observable: Observable[Any]) -> Oracle | None:
    """Return the oracle for an unresolved value in a run that tries other answers; None in a real call."""
    call = call_of(observable)
    return None if call is None else call.oracle


# Logging looks whether its only argument is a mapping; the others ask for somebody else.
_ASKS_FOR_OTHERS: Final = frozenset({"abc", "typing", "_collections_abc", "functools"})
_HARMLESS: Final = ("crossplane_lite", "logging", "_pytest", "pdb", "pprint")


def _is_harmless(frame: FrameType | None) -> bool:
    """Say whether nothing follows from the question for the class of a value that this code asks."""
    while frame is not None and frame.f_globals.get("__name__") in _ASKS_FOR_OTHERS:
        frame = frame.f_back
    return frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _HARMLESS


def _use(observable: Observable[Any], *, opaque: bool = False, counted: bool = False, failed: bool = False) -> None:
    """Remember that an unresolved value was used as a plain one, in a way that asks no question.

    Args:
        observable: The value.
        opaque: Whether another answer can't show the fields that depend on it.
        counted: Whether resources may depend on how many there are.
        failed: Whether it was an error. That is nothing that a value does, also where its absence is an answer.
    """
    call = call_of(observable)
    if call is None or _refers(observable):
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
        compared: The value that it was compared with, if it was; for an order with the sign in front, as text.

    Returns:
        What to take it for: False for empty and unequal, as in every real call. A rehearsal (see
        `crossplane_lite._rehearsal`) tries the other way as well. A reference from desired state is empty and unequal
        in every call, whatever the cluster has, and so it isn't a guess.
    """
    if _refers(observable):
        return False
    value = _stands_for(observable)
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
