"""Observables: forward references to values that do not exist yet.

Reading `bucket.observed.external_name` before the bucket has one gives `Observable('bucket.external_name')`. Set
into another resource it says "this resource needs that value", and the order of creation follows
(python-sdk-design-spec: "The Observable Pattern").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NoReturn

from . import _call
from .errors import UnresolvedError

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import TypeVar

    from ._call import Call, Root

    T_co = TypeVar("T_co", covariant=True, default=Any)
else:  # typing_extensions costs 4 ms at import, and only checkers read the default
    from typing import TypeVar

    T_co = TypeVar("T_co", covariant=True)

__all__ = ["Observable", "apply"]

T = TypeVar("T")

EXTERNAL_NAME = "crossplane.io/external-name"


class Observable(Generic[T_co]):
    """A forward reference to a value that may not exist yet.

    It is falsy and hashable. Attribute and item access extend the path. As text (`str()`, f-strings, `%`, `+` with a
    string) it becomes a token that the SDK finds again wherever the text ends up. `bool`, `len`, iteration, `in`,
    `==` and `!=` behave as empty and unequal, and are remembered as a guess, so that nothing that exists is lost by
    them. Whatever needs the value itself (`int`, `float`, ordering, arithmetic) raises `UnresolvedError`.

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
            return _extend(self, f'["{key}"]')
        if isinstance(key, int):
            return _extend(self, f"[{key}]")
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
        call = _call_of(self)
        return repr(self) if call is None else call.token(self)

    def __format__(self, spec: str) -> str:
        # The spec is for the value; applied to the token it could cut it.
        return str(self)

    def __add__(self, other: object) -> str:
        if isinstance(other, str):
            return str(self) + other
        raise _unresolved(self, "+")

    def __radd__(self, other: object) -> str:
        if isinstance(other, str):
            return other + str(self)
        raise _unresolved(self, "+")

    # Plain-value use: a guess.

    def __bool__(self) -> Literal[False]:
        return guess(self)  # type: ignore[return-value]  # True only where no answer is made of it

    def __len__(self) -> int:
        return int(guess(self))

    def __iter__(self) -> Iterator[Any]:
        return iter((self[0],) if guess(self) else ())

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
            guess(_extend(self, "", path))
            return ()
        raise _unresolved(self, f"calling {method}() on it" if path else "a call of it")

    def __setattr__(self, name: str, value: object) -> None:
        if name not in Observable.__slots__:
            raise UnresolvedError(f"{self.__cl_path__} has no value yet, so nothing can be set in it")
        object.__setattr__(self, name, value)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise UnresolvedError(f"{self.__cl_path__} has no value yet, so nothing can be set in it")


def _refuse(name: str) -> Callable[..., NoReturn]:
    shown = _SIGNS.get(name.removeprefix("r"), _SIGNS.get(name, f"{name}()"))

    def method(self: Observable[Any], *args: object) -> NoReturn:
        raise _unresolved(self, shown)

    method.__name__ = f"__{name}__"
    return method


_SIGNS = {
    **{"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//"},
    **{"mod": "%", "pow": "**", "lshift": "<<", "rshift": ">>", "and": "&", "or": "|", "xor": "^", "matmul": "@"},
    **{"neg": "-", "pos": "+", "invert": "~", "index": "an index"},
}

for _name in (
    "int float complex index lt le gt ge sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul "
    "rsub rmul rtruediv rfloordiv rdivmod rpow rlshift rrshift rand ror rxor rmatmul neg pos abs invert round trunc "
    "floor ceil bytes reversed enter await"
).split():
    setattr(Observable, f"__{_name}__", _refuse(_name))


def _unresolved(observable: Observable[Any], use: str) -> UnresolvedError:
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


def _call_of(observable: Observable[Any]) -> Call | None:
    """Return the call that is going on, or the one the Observable was made in, for threads that the author starts."""
    call = _call.current()
    if call is None:
        for source in sources(observable):
            root = source.__cl_root__
            if root is not None and not root.call.closed:
                return root.call
    return call


def guess(observable: Observable[Any], compared: object = None) -> bool:
    """Remember that an unresolved value was used as a plain one.

    Args:
        observable: The value.
        compared: What it was compared with, where it was.

    Returns:
        What to take it for: False for empty and unequal, as in every real call. A run that only looks for dependencies
        (see `crossplane_lite._rehearsal`) tries the other way as well.
    """
    call = _call_of(observable)
    if call is not None and call.oracle is not None:
        return call.oracle(observable, compared)
    for source in sources(observable):
        root = source.__cl_root__
        if root is not None and root.settled:
            continue
        call = _call_of(source)
        if call is not None:
            call.guesses.setdefault(source.__cl_path__, source)
    return False


def apply(function: Callable[..., T], *values: Any) -> T | Observable[T]:
    """Compute with values that may not be known yet.

    Args:
        function: Called with the values, once all of them are known.
        *values: Plain values, Observables, texts made from Observables, or lists and mappings of these.

    Returns:
        What `function` returns, or an Observable that waits for every unresolved value among `values`.
    """
    from ._walk import unresolved_in

    waiting = unresolved_in(values, _call.current())
    if not waiting:
        return function(*values)
    deps: dict[str, Observable[Any]] = {}
    for observable in waiting:
        for source in sources(observable):
            deps.setdefault(source.__cl_path__, source)
    name = getattr(function, "__name__", None) or type(function).__name__
    return make(f"{name}({', '.join(deps)})", None, tuple(deps.values()))
