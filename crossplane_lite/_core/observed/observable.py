"""Observables: forward references to values that do not exist yet, and what their uses as plain
values mean.

Reading `bucket.observed.external_name` before the bucket has one gives
`Observable('bucket.external_name')`. If it is set in another resource, that resource needs the
value, and is created after the bucket (python-sdk-design-spec: "The Observable Pattern").

A real call takes every unresolved value for empty, and remembers a use as a guess. A rehearsal
(another run of compose(), whose results are thrown away) asks its oracle instead
(`_core.dependencies.answers.Answers`).
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Iterator
from functools import partialmethod
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn

from ...errors import UnknownFieldError, UnresolvedError, UsageError
from ..base.official import instead
from ..base.sentinels import UNSET
from ..paths.text import EXTERNAL_NAME, quoted
from .lookup import value_at
from .tracker import current, observed_calls, observer
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

MISSING: Final = "\0missing"
"""What the codec emits in the place of a missing value in a call that collects these."""

_set = object.__setattr__  # not the __setattr__ of Observable, which is for authors


class Observable(Generic[T_co]):
    """A forward reference to a value that may not exist yet.

    An Observable is falsy and hashable. Attribute and item access extend the path. As text
    (`str()`, `repr()`, f-strings, `%`, `+` with a string) it becomes a placeholder, which the SDK
    finds again wherever the text ends up. `bool`, `len`, iteration, `in`, `==`, `!=`, `hash` and
    `isinstance` treat it as empty, False and unequal to all but an empty list or map. It is never
    None: `== None` is false in every run. Operations that need the value itself (`int`, `float`,
    ordering, arithmetic, slicing, pickling) raise `UnresolvedError`. Uses of these two groups are
    remembered as guesses. Setting a field or an item in an Observable raises `UnresolvedError`,
    too.

    An Observable that is made by hand, or was kept from an earlier call, stands for the value at
    its path in the call in which it is used.

    Attributes:
        source_path: The path where the value will come from, for example
            `bucket.status.atProvider.id`.
    """

    # Dunder names, because any other name could be a field of the value. `__cl_text__` is the value
    # of a reference (see `refer`), and `__cl_owner__` is the owner of a method (see `belong`).
    __slots__ = (
        "__cl_deps__",
        "__cl_owner__",
        "__cl_path__",
        "__cl_root__",
        "__cl_settles__",
        "__cl_text__",
        "__cl_type__",
    )

    __cl_path__: str
    __cl_root__: Root | None
    __cl_deps__: tuple[Observable, ...] | None
    __cl_settles__: bool  # whether a value that a ready object lacks is known to be empty
    __cl_type__: Any  # the value's type (`_core.models.types.Type`); None if no schema says it
    __cl_text__: str | None

    def __init__(
        self,
        source_path: str,
        *,
        _root: Root | None = None,
        _deps: tuple[Observable, ...] | None = None,
        _settles: bool = False,
        _type: Any = None,
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
        # What the codec emits.
        met = getattr(current(), "met", None)
        if met is None or self.__cl_text__ is not None or stands_for(self) is not UNSET:
            return self.__cl_text__
        met.append(self)
        return MISSING

    def __getattr__(self, name: str) -> Observable:
        path, type_ = self.__cl_path__, self.__cl_type__
        if name.startswith(("__", "_repr_", "_ipython_")):
            raise AttributeError(f"Observable({path!r}) has no attribute {name!r}")
        if type_ is not None and not type_.may_have(name):
            kind = type_.describe()
            hint = f"; take one of its elements first, as in [0].{name}" if kind == "a list" else ""
            raise UnknownFieldError(f"{path} is {kind}, which has no attribute {name!r}{hint}")
        # `labels.get` is a method of a map: it is known to be empty if the map is.
        return _at(self, f"{path}.{name}", name, self.__cl_settles__ and name in _OF_A_MAP)

    def __getitem__(self, key: int | str) -> Observable:
        path = self.__cl_path__
        if type(key) is str:
            if key == EXTERNAL_NAME and path.endswith(".metadata.annotations"):
                return _at(self, path.removesuffix("metadata.annotations") + "external_name")
            return _at(self, f"{path}[{quoted(key)}]", key)
        if issubclass(type(key), int):  # not isinstance(), because the key may be an Observable
            return _at(self, f"{path}[{key}]", key)
        oracle = oracle_of(self)
        if oracle:
            return oracle.applied(operator.getitem, self, key)  # type: ignore[no-any-return]
        raise unresolved(self, "slicing" if type(key).__name__ == "slice" else f"[{key!r}]")

    def __repr__(self) -> str:
        # Not only for debugging: the str() of a list that holds an Observable has its repr in it.
        value = known(self)
        return _placeholder(self) if value is UNSET else repr(value)

    def __hash__(self) -> int:
        # Looking it up in a set or a dict is a use as a plain value, and `==` isn't called if the
        # hashes differ.
        value = stands_for(self)
        if value is not UNSET:
            return hash(value)
        note_use(self)
        # A cache of an earlier call or run must not know the value. The low bits, which decide the
        # order in sets, are the same in each run of a call.
        call = _open_call(self) or current()
        number = call.number & 0xFFFFFFF if call else 0
        return hash(self.__cl_path__) & 0xFFFFFFFF | number << 32

    @property  # type: ignore[misc]  # typeshed has a setter, too; here __setattr__ comes first
    def __class__(self) -> Any:
        # isinstance() and match read this if type() isn't the wanted one.
        teach_yaml()
        value = stands_for(self)
        if value is not UNSET:
            return type(value)
        call = call_of(self)
        if call and call.composing:
            note_use(self)
        return Observable

    def __copy__(self, _memo: object = None) -> Observable[T_co]:
        return self

    __deepcopy__ = __copy__

    def __reduce__(self) -> Any:
        raise unresolved(self, "pickling")

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

    def __add__(self, other: object) -> str:
        added: str = str(self) + other if isinstance(other, str) else _operate(self, "add", other)
        return added

    def __radd__(self, other: object) -> str:
        added: str = other + str(self) if isinstance(other, str) else _operate(self, "radd", other)
        return added

    # Plain-value use: a guess.

    def __bool__(self) -> Literal[False]:
        return guess(self)  # type: ignore[return-value]  # True only in rehearsals, and for values that exist

    def __len__(self) -> int:
        value = stands_for(self)
        if value is not UNSET:
            return len(value)
        if refers(self):
            raise unresolved(self, "len()")
        return oracle_of(self).length(self) if guess(self) else 0

    def __iter__(self) -> Iterator[Any]:
        value = stands_for(self)
        if value is not UNSET:
            return iter(value)
        length = len(self)
        holder: Any = self
        if length and isinstance(oracle_of(self).value(self), dict):
            # Iterating over a map gives its keys, which have indexes in a list.
            holder = oracle_of(self).applied(list, self)
        return iter([holder[at] for at in range(length)])

    def __contains__(self, item: object) -> bool:
        value = stands_for(self)
        return guess(self, item) if value is UNSET else item in value

    def __eq__(self, other: object) -> bool:
        # answered as `is None` is: no value is None, whether it may still come or is there
        if other is None:
            if refers(self):
                raise unresolved(self, "comparing")
            warnings.warn(
                "a value that may still come is never None; write `if not value`", stacklevel=2
            )
            return False
        if type(other) in (dict, list) and not other and stands_for(self) is UNSET:
            return not guess(self)  # whether it is empty, as len() says it
        return guess(self, other)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        path, _, method = self.__cl_path__.rpartition(".")
        holder = getattr(self, "__cl_owner__", None)
        if holder is not None:
            return holder._call_method(method, args, kwargs)
        # Methods of a map work before the map exists: `labels.get("team")`.
        if not path or method.endswith("]"):
            raise unresolved(self, "calling it")
        owner = _at(self, path, settles=self.__cl_settles__)
        if method in _OF_A_MAP and not kwargs and (method == "get" or not args):
            return _asked_of_map(owner, method, args)
        if instead(method) or (
            path == getattr(self.__cl_root__, "prefix", "") and method not in _OF_DICTS
        ):
            # An object has no other methods, also once it is there.
            raise UsageError(
                f"the observed state of {path} has no method {method}(){instead(method)}"
            )
        oracle = oracle_of(self)
        if oracle:
            return oracle.applied(_call_method, owner, method, args, kwargs)
        raise unresolved(owner, f"calling {method}()")

    def __setattr__(self, name: Any, value: object) -> NoReturn:
        note_use(self, failed=True)
        raise UnresolvedError(
            f"{self.__cl_path__} has no value yet, so nothing can be set in it; to add to a copy of"
            " it, make a new map: {**value, key: new}; below .observed nothing can be set at all"
        )

    __setitem__ = __setattr__


def text_or_value(observable: Observable) -> Any:
    """Return what is written for an Observable: its value if that is known, else its
    placeholder.
    """
    value = known(observable)
    return str(observable) if value is UNSET else value


plain_forms[Observable] = text_or_value


def belong(observable: Observable, owner: Any) -> None:
    """Let `spec.items()` call the method `items` of the object `spec`, although `spec.items` is an
    Observable.

    `items` can be the name of a field and of a method. Reading `spec.items` gives the field, an
    Observable; calling this Observable calls the method.
    """
    _set(observable, "__cl_owner__", owner)


def _asked_of_map(owner: Any, method: str, args: tuple[Any, ...]) -> Any:
    if args:
        value = owner[args[0]]
        return value if len(args) == 1 or guess(value) else args[1]
    keys = tuple(owner)
    if method == "keys":
        return keys
    return tuple((key, owner[key]) if method == "items" else owner[key] for key in keys)


def _call_method(owner: Any, method: str, args: Any, kwargs: Any) -> Any:
    return getattr(owner, method)(*args, **kwargs)


def _backwards(values: Any) -> list[Any]:
    return list(reversed(values))


_OF_DICTS = frozenset(dir(dict))
_OF_A_MAP = frozenset({"items", "keys", "values", "get"})
_SIGNS = dict(
    pair.split(" ", 1)
    for pair in (
        "lt <, le <=, gt >, ge >=, add +, sub -, mul *, truediv /, floordiv //, mod %, pow **,"
        " lshift <<, rshift >>, and &, or |, xor ^, matmul @, neg -, pos +, invert ~, index an"
        " index, enter with".split(", ")
    )
)
_NUMBERS = {"int": int, "index": int, "float": float}
_BINARY = "add sub mul truediv floordiv mod pow lshift rshift and or xor matmul".split()
_UNARY = (
    operator.neg,
    operator.pos,
    operator.invert,
    abs,
    round,
    math.trunc,
    math.floor,
    math.ceil,
)
# What a rehearsal computes with. The methods of other names raise the error in rehearsals, too.
_FUNCTIONS: dict[str, Any] = {
    **{name: getattr(operator, f"__{name}__") for name in _BINARY},
    **{function.__name__: function for function in _UNARY},
    "divmod": divmod,
    "reversed": _backwards,
}


def _operate(observable: Observable, name: str, *args: object) -> Any:
    """Do what the special method `name`, here without underscores, does for a value.

    Raises:
        UnresolvedError: The value doesn't exist yet, and a rehearsal can't go on without it either.
    """
    value = stands_for(observable)
    if value is not UNSET:
        return getattr(value, f"__{name}__")(*args)
    plain = name.removeprefix("r")  # `radd` is `add` with the operands in the other order
    sign = _SIGNS.get(plain, _SIGNS.get(name, f"{name}()"))
    oracle = oracle_of(observable)
    if oracle:
        if name in _ORDERINGS:
            return guess(observable, f"{sign} {args[0]!r}")
        if name in _NUMBERS:
            return oracle.number(observable, _NUMBERS[name])
        if name in _FUNCTIONS:
            return oracle.applied(_FUNCTIONS[name], observable, *args)
        if plain in _FUNCTIONS:
            return oracle.applied(_FUNCTIONS[plain], *args, observable)
    raise unresolved(observable, sign, *args)


_ORDERINGS = ("lt", "le", "gt", "ge")
for _name in (
    *("complex", "bytes", "enter", "await", *_ORDERINGS, *_NUMBERS, *_FUNCTIONS),
    *(f"r{name}" for name in (*_BINARY, "divmod")),
):
    if _name not in ("add", "radd"):  # these two take text
        setattr(Observable, f"__{_name}__", partialmethod(_operate, _name))


def _placeholder(observable: Observable) -> str:
    call = call_of(observable)
    return f"Observable({observable.__cl_path__!r})" if call is None else call.token(observable)


def make(
    path: str,
    root: Root | None,
    deps: tuple[Observable, ...] | None = None,
    *,
    settles: bool = False,
    known_type: Any = None,
) -> Observable:
    """Return a new Observable for a value of an object. The object's call remembers the Observable.

    `deps` are the Observables among the arguments of `apply`. `settles` says that the value is
    known to be empty if a ready object lacks it. `known_type` is the type that a schema gives the
    value. Without a `root`, no call remembers the Observable.
    """
    made: Observable = Observable(path, _root=root, _deps=deps, _settles=settles, _type=known_type)
    if root is not None:
        root.call.handed_out.append(made)
    return made


def refer(path: str, root: Root, value: str) -> Observable[str]:
    """Return an Observable for a value that exists, but was read through desired state (see
    `root.Reference`).

    In texts and in the answer, the value replaces the Observable. But a question about it, such as
    `if`, is answered as if the value were missing.
    """
    return Observable(path, _root=root, _text=value)


def _at(
    observable: Observable, path: str, below: str | int | None = None, settles: bool = False
) -> Observable:
    """Return an Observable for another path of the same object; `below` is the last step if it is
    further down.
    """
    type_ = None if below is None else observable.__cl_type__
    if type_ is not None:
        type_ = type_.below(below)
    root, deps = observable.__cl_root__, observable.__cl_deps__
    made: Observable = Observable(path, _root=root, _deps=deps, _settles=settles, _type=type_)
    if observed_calls and below is not None:
        observer().went_on(made)
    return made


# What uses mean.


def sources(observable: Observable) -> tuple[Observable, ...]:
    """Return the Observables that `observable` waits for.

    For a result of `apply`, these are the Observables among its arguments; else `observable`
    itself.
    """
    return observable.__cl_deps__ or (observable,)


def root_of(observable: Observable) -> Root | None:
    """Return the object that `observable` is read from; None if it isn't read from one object.

    The object is the composite, a composed or required resource, or a value of the context. For a
    result of `apply` it is a `Computed` in a rehearsal, and None in a real call. It is also None
    for an Observable that was made by hand.
    """
    return observable.__cl_root__


def is_settled(observable: Observable) -> bool:
    """Say whether a missing value is known to be false, zero or empty.

    It is known if the object is ready, and the API server leaves out empty values of this type.
    """
    root = observable.__cl_root__
    return observable.__cl_settles__ and root is not None and root.settled


def call_of(observable: Observable) -> Tracker | None:
    """Return the current call of this thread or task.

    A thread that compose() started has no current call. There, the call in which `observable` was
    made is returned; None if that call is closed, or isn't known.
    """
    return current() or next(filter(None, map(_open_call, sources(observable))), None)


def _open_call(observable: Observable) -> Tracker | None:
    """Return the call in which an Observable was made; None if that is closed, or isn't known."""
    root = observable.__cl_root__
    return None if root is None or root.call.closed else root.call


def refers(observable: Observable) -> bool:
    """Say whether `observable` is a reference from desired state (see
    `_core.observed.root.Reference`).
    """
    root = observable.__cl_root__
    return root is not None and root.refers


def stands_for(observable: Observable) -> Any:
    """Return the value that an Observable from outside of the call has in the current call.

    Such an Observable was made by hand or in an earlier call. The result is UNSET for every other
    Observable, if the value doesn't exist yet, and if there is no current call.
    """
    call = current()
    if not call or _open_call(observable) or observable.__cl_deps__ is not None:
        return UNSET
    return value_at(call.observed, call.xr, observable.__cl_path__)


def known(observable: Observable) -> Any:
    """Return the value that replaces an Observable in the answer and in texts.

    Only a reference from desired state, and an Observable that was made by hand or in an earlier
    call, can have a value. UNSET if the value doesn't exist yet, and for every other Observable.
    """
    if refers(observable):
        value = observable.__cl_text__
        return UNSET if value is None else value
    return stands_for(observable)


def oracle_of(observable: Observable) -> Any:
    """Return the oracle of the rehearsal that uses an unresolved value.

    It is an `_core.dependencies.answers.Answers`; None in a real call, and outside of calls.
    """
    call = call_of(observable)
    return call and call.oracle


def note_use(observable: Observable, *, failed: bool = False) -> None:
    """Remember that an unresolved value was used as a plain value, in a way that isn't a question
    for the oracle.

    Nothing is remembered for a reference from desired state, and outside of calls. A use that
    `failed` counts even if the value is known to be empty (`is_settled`).
    """
    call = call_of(observable)
    if call is None or refers(observable):
        return
    for source in sources(observable):
        if failed or not is_settled(source):
            call.guesses.setdefault(source.__cl_path__, source)


def guess(observable: Observable, compared: object = None) -> bool:
    """Answer a question about a value, such as `if value`. If the value is unresolved, remember the
    use as a guess.

    For `<` and the like, `compared` is a text that begins with the sign. In a real call the answer
    is False, unless the value exists by now. In a rehearsal it is the oracle's, and nothing is
    remembered. A reference from desired state can only be asked whether it is set, which is False
    in every call, and isn't remembered. Raises UnresolvedError for a comparison with it.
    """
    if refers(observable):
        if compared is not None:
            raise unresolved(observable, "comparing")
        return False
    value = stands_for(observable)
    if value is not UNSET:
        return bool(value) if compared is None else bool(value == compared)
    oracle = oracle_of(observable)
    if oracle:
        return bool(oracle(observable))
    note_use(observable)
    return False


def unresolved(observable: Observable, use: str, other: object = None) -> UnresolvedError:
    """Return the error to raise for a use that needs the value.

    The use is also remembered as a guess, because compose() may catch the error. A reference from
    desired state isn't remembered. `use` is an operator, or words such as "slicing", for the
    message, and `other` the other operand.
    """
    note_use(observable, failed=True)
    root, path = observable.__cl_root__, observable.__cl_path__
    if root is not None and root.refers:
        seen = f"{root.prefix}.observed{path.removeprefix(root.prefix)}"
        return UnresolvedError(
            f"{path} isn't set in desired state, so it refers to the value in the cluster, and"
            f" {use} needs the value itself; use {seen}, or crossplane_lite.apply(function, value)"
            " to compute with it once it is known"
        )
    missing = f"{path} has no value yet, and {use} needs one; "
    if use in ("<", "<=", ">", ">="):
        name, default = path.rpartition(".")[2], _default(observable, other)
        if not default:
            return UnresolvedError(f"{missing}give it a default, as in ({name} or 0)")
        return UnresolvedError(
            f"{missing}write ({name} or {default}), which counts a missing value as {default}"
        )
    return UnresolvedError(
        f"{missing}use crossplane_lite.apply(function, value) to compute with it once it is known"
    )


def _default(observable: Observable, other: object) -> str:
    """Return a default for a comparison with `other`, as code; empty if the type of the values
    isn't known.
    """
    type_ = observable.__cl_type__
    takes = {type(other)} if type_ is None or type(other) in (str, int, float) else type_.takes
    if str in takes:
        return "''" if len(takes) == 1 else ""
    return "" if takes.isdisjoint((int, float)) else "0"
