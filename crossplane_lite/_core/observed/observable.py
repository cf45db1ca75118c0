"""Observables: forward references to values that do not exist yet, and what their uses as plain values mean.

Reading `bucket.observed.external_name` before the bucket has one gives `Observable('bucket.external_name')`. If it is
set in another resource, that resource needs the value, and is created after the bucket (python-sdk-design-spec: "The
Observable Pattern").

A real call takes every unresolved value for empty, and remembers a use as a guess. A rehearsal (another run of
compose(), whose results are thrown away) asks its oracle instead (`_core.dependencies.answers`).
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol

from ...errors import UnknownFieldError, UnresolvedError
from ..base.sentinels import UNSET
from ..paths.text import EXTERNAL_NAME, quoted
from .tracker import current
from .writers import plain_forms, teach_yaml

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import TypeVar

    from .root import Root
    from .tracker import Tracker

    T_co = TypeVar("T_co", covariant=True, default=Any)
else:  # typing_extensions costs 4 ms at import, and only checkers read the default
    from typing import TypeVar

    T_co = TypeVar("T_co", covariant=True)

T = TypeVar("T")
N = TypeVar("N", int, float)


class Known(Protocol):
    """The type of a value, as a schema has it. It is a `_core.models.types.Type`."""

    def may_have(self, name: str) -> bool:
        """Say whether a value of this type can have the attribute `name`."""

    def below(self, step: str | int) -> Known | None:
        """Return the type of an item; None if it isn't known."""

    def describe(self) -> str:
        """Return the type in words, such as `a list`."""


_set = object.__setattr__  # not the __setattr__ of Observable, which is for authors


class Observable(Generic[T_co]):
    """A forward reference to a value that may not exist yet.

    An Observable is falsy and hashable. Attribute and item access extend the path. As text (`str()`, `repr()`,
    f-strings, `%`, `+` with a string) it becomes a placeholder, which the SDK finds again wherever the text ends up.
    `bool`, `len`, iteration, `in`, `==`, `!=`, `hash` and `isinstance` treat it as empty, False and unequal to all
    but an empty list or map. It is never None: `== None` is false in every run. Operations that need the value itself
    (`int`, `float`, ordering, arithmetic, slicing, pickling) raise `UnresolvedError`. Uses of these two groups are
    remembered as guesses. Setting a field or an item in an Observable raises `UnresolvedError`, too.

    An Observable that is made by hand, or was kept from an earlier call, stands for the value at its path in the call
    in which it is used.

    Attributes:
        source_path: The path where the value will come from, for example `bucket.status.atProvider.id`.
    """

    # Dunder names, because any other name could be a field of the value. `__cl_text__` is the value of a reference
    # (see `refer`), and `__cl_owner__` is the owner of a method (see `belong`).
    __slots__ = (
        *("__cl_deps__", "__cl_owner__", "__cl_path__", "__cl_root__", "__cl_settles__", "__cl_text__"),
        "__cl_type__",
    )

    __cl_path__: str
    __cl_root__: Root | None
    __cl_deps__: tuple[Observable[Any], ...] | None
    __cl_settles__: bool  # whether a value that a ready object lacks is known to be empty
    __cl_type__: Known | None  # the value's type, if a schema says it
    __cl_text__: str | None

    def __init__(
        self,
        source_path: str,
        *,
        _root: Root | None = None,
        _deps: tuple[Observable[Any], ...] | None = None,
        _settles: bool = False,
        _type: Known | None = None,
        _text: str | None = None,
    ) -> None:
        _set(self, "__cl_path__", source_path)
        _set(self, "__cl_root__", _root)
        _set(self, "__cl_deps__", _deps)
        _set(self, "__cl_settles__", _settles)
        _set(self, "__cl_type__", _type)
        _set(self, "__cl_text__", _text)

    @property
    def source_path(self) -> str:
        return self.__cl_path__

    @property
    def __wire_text__(self) -> str | None:
        # What the codec emits. A missing value is emitted as nothing if the call collects these.
        met = getattr(current(), "met", None)
        if met is None or self.__cl_text__ is not None or stands_for(self) is not UNSET:
            return self.__cl_text__
        met.append(self)
        return ""

    def __getattr__(self, name: str) -> Observable[Any]:
        if name[:2] == "__" or name.startswith(("_repr_", "_ipython_")):
            raise AttributeError(f"Observable({self.__cl_path__!r}) has no attribute {name!r}")
        known_type = self.__cl_type__
        if known_type is not None and not known_type.may_have(name):
            raise UnknownFieldError(f"{self.__cl_path__} is {known_type.describe()}, which has no attribute {name!r}")
        # `labels.get` is a method of a map: it is known to be empty if the map is.
        return _at(self, f"{self.__cl_path__}.{name}", name, self.__cl_settles__ and name in _OF_A_MAP)

    def __getitem__(self, key: int | str) -> Observable[Any]:
        if type(key) is str:
            if key == EXTERNAL_NAME and self.__cl_path__.endswith(".metadata.annotations"):
                return _at(self, self.__cl_path__.removesuffix(".metadata.annotations") + ".external_name")
            return _at(self, f"{self.__cl_path__}[{quoted(key)}]", key)
        if issubclass(type(key), int):  # not isinstance(), because the key may be an Observable
            return _at(self, f"{self.__cl_path__}[{key}]", key)
        oracle = oracle_of(self)
        if oracle is not None:
            return oracle.applied(operator.getitem, self, key)  # type: ignore[no-any-return]
        raise unresolved(self, "slicing" if type(key).__name__ == "slice" else f"[{key!r}]")

    def __repr__(self) -> str:
        # Not only for debugging: the str() of a list that holds an Observable has its repr in it.
        value = known(self)
        return _placeholder(self) if value is UNSET else repr(value)

    def __hash__(self) -> int:
        # Looking it up in a set or a dict is a use as a plain value, and `==` isn't called if the hashes differ.
        value = stands_for(self)
        if value is not UNSET:
            return hash(value)
        note_use(self)
        # A cache of an earlier call or run must not know the value. The low bits, which decide the order in sets, are
        # the same in each run of a call.
        root = self.__cl_root__
        call = current() if root is None or root.call.closed else root.call
        return hash(self.__cl_path__) & 0xFFFFFFFF | (0 if call is None else call.number & 0xFFFFFFF) << 32

    @property
    def __class__(self) -> Any:
        # isinstance() and match read this if type() isn't the wanted one.
        teach_yaml()
        value = stands_for(self)
        if value is not UNSET:
            return type(value)
        call = call_of(self)
        if call is not None and call.composing:
            note_use(self)
        return Observable

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:  # typeshed has a setter too
        raise AttributeError("the class of an Observable can't be set")

    def __copy__(self) -> Observable[T_co]:
        return self

    def __reduce__(self) -> Any:
        raise unresolved(self, "pickling")

    def __deepcopy__(self, memo: object) -> Observable[T_co]:
        return self

    # Text.

    def __str__(self) -> str:
        value = known(self)
        return _placeholder(self) if value is UNSET else str(value)

    def __format__(self, spec: str) -> str:
        value = known(self)
        if value is not UNSET:
            return format(value, spec)
        # The spec is meant for the value. Applied to the token, it could cut the token.
        oracle = oracle_of(self) if spec else None
        return _placeholder(self) if oracle is None else str(oracle.applied(format, self, spec))

    if TYPE_CHECKING:

        def __add__(self, other: object) -> str: ...
        def __radd__(self, other: object) -> str: ...

    # Plain-value use: a guess.

    def __bool__(self) -> Literal[False]:
        return guess(self)  # type: ignore[return-value]  # True only in rehearsals, and for values that exist

    def __len__(self) -> int:
        value = stands_for(self)
        if value is not UNSET:
            return len(value)
        if refers(self):
            raise unresolved(self, "len()")
        oracle = oracle_of(self)
        return oracle.length(self) if guess(self) and oracle is not None else 0

    def __iter__(self) -> Iterator[Any]:
        value = stands_for(self)
        if value is not UNSET:
            return iter(value)
        length = len(self)
        oracle = oracle_of(self)
        holder: Any = self
        if length and oracle is not None and isinstance(oracle.value(self), dict):
            holder = oracle.applied(list, self)  # iterating over a map gives its keys, which have indexes in a list
        return iter([holder[at] for at in range(length)])

    def __contains__(self, item: object) -> bool:
        value = stands_for(self)
        return guess(self, item) if value is UNSET else item in value

    def __eq__(self, other: object) -> bool:
        if other is None:
            return _is_none(self)
        if (type(other) is dict or type(other) is list) and not other and stands_for(self) is UNSET:
            return not guess(self)  # whether it is empty, as len() says it
        return guess(self, other)

    def __ne__(self, other: object) -> bool:
        return not (_is_none(self) if other is None else self == other)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        path, _, method = self.__cl_path__.rpartition(".")
        holder = getattr(self, "__cl_owner__", None)
        if holder is not None:
            return holder._call_method(method, args, kwargs)
        # Methods of a map work before the map exists: `labels.get("team")`.
        if not path or method.endswith("]"):
            raise unresolved(self, "calling it")
        owner: Any = _at(self, path, settles=self.__cl_settles__)
        if method == "get" and args and not kwargs:
            value = owner[args[0]]
            if len(args) == 1:
                return value
            return value if guess(value) else args[1]
        if method in _OF_A_MAP and not args and not kwargs:
            keys = tuple(owner)
            return keys if method == "keys" else tuple((k, owner[k]) if method == "items" else owner[k] for k in keys)
        oracle = oracle_of(self)
        if oracle is not None:
            return oracle.applied(_call_method, owner, method, args, kwargs)
        raise unresolved(owner, f"calling {method}()")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise _not_to_be_set_in(self)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise _not_to_be_set_in(self)


def _is_none(observable: Observable[Any]) -> bool:
    """Answer `== None` as `is None` is answered: no value is None, whether it may still come or is there."""
    if refers(observable):
        raise unresolved(observable, "comparing")
    warnings.warn("a value that may still come is never None; write `if not value`", stacklevel=3)
    return False


def _not_to_be_set_in(observable: Observable[Any]) -> UnresolvedError:
    """Return the error for setting something in a missing value. It is remembered as a guess: the value may come."""
    note_use(observable, failed=True)
    return UnresolvedError(
        f"{observable.__cl_path__} has no value yet, so nothing can be set in it; to add to a copy of it, make a new "
        "map: {**value, key: new}; below .observed nothing can be set at all"
    )


def text_or_value(observable: Observable[Any]) -> Any:
    """Return what is written for an Observable: its value if that is known, else its placeholder."""
    value = known(observable)
    return str(observable) if value is UNSET else value


plain_forms[Observable] = text_or_value


def belong(observable: Observable[Any], owner: Any) -> None:
    """Let `spec.items()` call the method `items` of the object `spec`, although `spec.items` is an Observable.

    `items` can be the name of a field and of a method. Reading `spec.items` gives the field, an Observable; calling
    this Observable calls the method.
    """
    _set(observable, "__cl_owner__", owner)


def _call_method(owner: Any, method: str, args: Any, kwargs: Any) -> Any:
    return getattr(owner, method)(*args, **kwargs)


def _reflected(function: Callable[[Any, Any], Any], value: Any, other: Any) -> Any:
    return function(other, value)


def _backwards(values: Any) -> list[Any]:
    return list(reversed(values))


_OF_A_MAP = frozenset({"items", "keys", "values", "get"})
_SIGNS = dict(
    pair.split(" ", 1)
    for pair in "lt <, le <=, gt >, ge >=, add +, sub -, mul *, truediv /, floordiv //, mod %, pow **, lshift <<, "
    "rshift >>, and &, or |, xor ^, matmul @, neg -, pos +, invert ~, index an index, enter with".split(", ")
)


def _refuse(name: str, answer: Callable[..., Any] | None = None) -> None:
    """Give Observable the special method `name`. The method raises UnresolvedError if the value doesn't exist yet.

    Args:
        name: The method's name without underscores.
        answer: The function that returns the method's result in a rehearsal (`Oracle`). Its arguments are the
            oracle and the method's arguments, `self` among them. None if the method raises the error in rehearsals too.
    """
    shown = _SIGNS.get(name.removeprefix("r"), _SIGNS.get(name, f"{name}()"))

    def method(self: Observable[Any], *args: object) -> Any:
        value = stands_for(self)
        if value is not UNSET:
            return getattr(value, f"__{name}__")(*args)
        oracle = None if answer is None else oracle_of(self)
        if oracle is None:
            raise unresolved(self, shown)
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
for _name in "add sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul".split():
    _function: Any = divmod if _name == "divmod" else getattr(operator, f"__{_name}__")
    _refuse(_name, _applied(_function))
    _refuse(f"r{_name}", _applied(_reflected, _function))
for _function in (operator.neg, operator.pos, operator.invert, abs, round, math.trunc, math.floor, math.ceil):
    _refuse(_function.__name__, _applied(_function))
_refuse("reversed", _applied(_backwards))


def _or_text(add: Callable[[Any, Any], Any], join: Callable[[str, str], str]) -> Any:
    return lambda self, other: join(str(self), other) if isinstance(other, str) else add(self, other)


if not TYPE_CHECKING:
    Observable.__add__ = _or_text(Observable.__add__, lambda text, other: text + other)
    Observable.__radd__ = _or_text(Observable.__radd__, lambda text, other: other + text)


def _placeholder(observable: Observable[Any]) -> str:
    call = call_of(observable)
    return f"Observable({observable.__cl_path__!r})" if call is None else call.token(observable)


def make(
    path: str,
    root: Root | None,
    deps: tuple[Observable[Any], ...] | None = None,
    *,
    settles: bool = False,
    known_type: Known | None = None,
) -> Observable[Any]:
    """Return a new Observable for a value of an object. The object's call remembers the Observable.

    `deps` are the Observables among the arguments of `apply`. `settles` says that the value is known to be empty if a
    ready object lacks it. `known_type` is the type that a schema gives the value. Without a `root`, no call remembers
    the Observable.
    """
    made: Observable[Any] = Observable(path, _root=root, _deps=deps, _settles=settles, _type=known_type)
    if root is not None:
        root.call.handed_out.append(made)
    return made


def refer(path: str, root: Root, value: str) -> Observable[str]:
    """Return an Observable for a value that exists, but was read through desired state (see `root.Reference`).

    In texts and in the answer, the value replaces the Observable. But a question about it, such as `if`, is answered as
    if the value were missing.
    """
    return Observable(path, _root=root, _text=value)


def _at(
    observable: Observable[Any], path: str, below: str | int | None = None, settles: bool = False
) -> Observable[Any]:
    """Return an Observable for another path of the same object; `below` is the last step if it is further down."""
    known_type = observable.__cl_type__
    known_type = None if known_type is None or below is None else known_type.below(below)
    root, deps = observable.__cl_root__, observable.__cl_deps__
    return Observable(path, _root=root, _deps=deps, _settles=settles, _type=known_type)


# What uses mean.


class Oracle(Protocol):
    """Answers the questions about unresolved values in one rehearsal, such as `if value` or `value == "a"`."""

    __slots__ = ()

    def __call__(self, observable: Observable[Any]) -> bool:
        """Return whether an unresolved value counts as true, and as equal to the value that it is compared with."""

    def value(self, observable: Observable[Any]) -> Any:
        """Return the observed value of `observable` in the real call; None without one."""

    def length(self, observable: Observable[Any]) -> int:
        """Return the length of the real call's value for `observable`, or a length that the oracle makes up."""

    def number(self, observable: Observable[Any], kind: type[N]) -> N:
        """Return the real call's value for `observable` as a `kind`, or a number that the oracle makes up."""

    def text(self, text: str, call: Tracker) -> str:
        """Return `text`, which was made in the rehearsal `call`, with each placeholder replaced.

        The replacement is the value that the real call observes, or the value's path if there is none.
        """

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
        value = observable.__cl_text__
        return UNSET if value is None else value
    return stands_for(observable)


def oracle_of(observable: Observable[Any]) -> Oracle | None:
    """Return the oracle of the rehearsal that uses an unresolved value; None in a real call, and outside of calls."""
    call = call_of(observable)
    return None if call is None else call.oracle


def note_use(observable: Observable[Any], *, failed: bool = False) -> None:
    """Remember that an unresolved value was used as a plain value, in a way that isn't a question for the oracle.

    Nothing is remembered for a reference from desired state, and outside of calls. A use that `failed` counts even if
    the value is known to be empty (`is_settled`).
    """
    call = call_of(observable)
    if call is None or refers(observable):
        return
    for source in sources(observable):
        if is_settled(source) and not failed:
            continue
        call.guesses.setdefault(source.__cl_path__, source)


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
        return oracle(observable)
    for source in sources(observable):
        if not is_settled(source):
            call = call_of(source)
            if call is not None:
                call.guesses.setdefault(source.__cl_path__, source)
    return False


def unresolved(observable: Observable[Any], use: str) -> UnresolvedError:
    """Return the error to raise for a use that needs the value.

    The use is also remembered as a guess, because compose() may catch the error. A reference from desired state isn't
    remembered. `use` is an operator, or words such as "slicing", for the message.
    """
    note_use(observable, failed=True)
    root, path = observable.__cl_root__, observable.__cl_path__
    if root is not None and root.refers:
        seen = f"{root.prefix}.observed{path[len(root.prefix) :]}"
        return UnresolvedError(
            f"{path} isn't set in desired state, so it refers to the value in the cluster, and {use} needs the value "
            f"itself; use {seen}, or crossplane_lite.apply(function, value) to compute with it once it is known"
        )
    missing = f"{path} has no value yet, and {use} needs one; "
    if use in ("<", "<=", ">", ">="):
        value = f"({path.rpartition('.')[2]} or 0)"
        return UnresolvedError(f"{missing}in a condition write {value} {use} ..., which counts a missing value as 0")
    return UnresolvedError(f"{missing}use crossplane_lite.apply(function, value) to compute with it once it is known")
