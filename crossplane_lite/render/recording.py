"""Records a run of compose() for `--explain`: the values that it reads, and the lines of code that set fields.

During the run, functions of this module replace the SDK's functions that set and read the fields of models. A function
in production never loads this module.
"""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .._base.sentinels import TOMBSTONE
from .._models import containers, model, reader, resource
from .._models.containers import ModelMap
from .._models.dynamic import DynamicModel
from .._models.model import Model
from .._models.node import WAIT
from .._models.resource import Resource
from .._models.shape import ModelShape
from .._models.walker import tree_of
from .._observed.observable import Observable
from .._observed.tracker import current
from ..context import Context
from ..errors import CrossplaneLiteError, DuplicateResourceError
from .origin import Origin, Steps, origin_of
from .places import Places
from .silence import silent

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.node import Node
    from .._models.types import Field
    from ..composition import Function

__all__ = ["COMPOSITE", "Recorded", "Registered", "Waits", "record", "silent_run"]

COMPOSITE: Final = ""
"""Means the composite where a resource's name is expected. No resource has an empty name."""

_lock: Final = threading.RLock()


class Waits(NamedTuple):
    """Takes the place of a field's value if the field waits for missing values.

    Attributes:
        paths: The paths of the missing values.
    """

    paths: tuple[str, ...]


class Registered(NamedTuple):
    """A resource as it is when compose() ends. A line is text such as `function.py:31`.

    Attributes:
        values: The values of the fields that were set, by the keys and indexes of their paths. The value of a field
            that waits for missing values is a `Waits`.
        places: The lines that set these fields. A field whose line isn't known is left out.
        made: The line that created the resource's object; empty if it isn't known.
        registered: The line that registered the resource with the context; empty if it isn't known.
    """

    values: dict[Steps, Any]
    places: dict[Steps, str]
    made: str
    registered: str


class Recorded(NamedTuple):
    """The record of a run of compose().

    Attributes:
        resource: The requested resource; None if compose() registers no resource with this name.
        reads: The lines of code that read a value from the request, by the value's origin.
        unset: The lines of code that read a missing value, by the origin that the value would have. The origin that was
            read last is the last one.
        raw: Whether compose() used the raw request (`ctx.request`). What it reads there isn't recorded.
        error: The exception that compose() raised; None if it raised none.
        twice: The line of the first registration if compose() registered a name twice; else empty.
        answer: The bytes of the response; empty if the request is malformed.
    """

    resource: Registered | None
    reads: dict[Origin, set[str]]
    unset: dict[Origin, set[str]]
    raw: bool = False
    error: BaseException | None = None
    twice: str = ""
    answer: bytes = b""


def record(function: Function, request: bytes, name: str) -> Recorded:
    """Run compose() once more, and record the values that it reads and the lines that set fields.

    The function's logs, its prints and its response are dropped.

    Args:
        function: The function.
        request: The bytes of the request.
        name: The name of the composed resource to record, or `COMPOSITE`.
    """
    watch = _Watch(function, name)
    with _lock, watch.installed():
        answer = _answer(watch.function, function, request)
    found = watch.found.get(name)
    return Recorded(found, watch.reads, watch.unset, watch.raw, watch.error, watch.twice, answer)


def silent_run(function: Function, request: bytes, names: Sequence[str]) -> tuple[bytes, dict[str, Registered]]:
    """Run compose() once more, without its logs and prints.

    Args:
        function: The function.
        request: The bytes of the request.
        names: The names of the resources to return; `COMPOSITE` for the composite.

    Returns:
        The bytes of the response, which are empty if the request is malformed; and the registered resources in
        `names`, by name. No lines of code are recorded for them.
    """
    watch = _Watch(function, *names)
    answer = _answer(watch.function, function, request)
    return answer, watch.found


def _answer(watched: Function, function: Function, request: bytes) -> bytes:
    try:
        with silent(function):
            return watched.run(request)
    except CrossplaneLiteError:  # the request is malformed, and the first run has reported that
        return b""


class _Watch:
    """Records one run of a function's compose().

    Args:
        function: The function.
        names: The names of the resources to record; `COMPOSITE` for the composite.
    """

    def __init__(self, function: Function, *names: str) -> None:
        self.function = copy.copy(function)
        vars(self.function)["call_compose"] = self._compose
        self._real = function
        self._places = Places(function.file)
        self._names = names
        self._call: Call | None = None
        # The keys are the holder's id and the field. Objects in `_alive` live on, so that their ids stay unique.
        self._set: dict[tuple[int, Any], tuple[str, Any]] = {}
        self._made: dict[int, str] = {}
        self._alive: list[Any] = []
        self._registered: dict[str, str] = {}
        self.found: dict[str, Registered] = {}
        self.reads: dict[Origin, set[str]] = {}
        self.unset: dict[Origin, set[str]] = {}
        self.raw = False
        self.error: BaseException | None = None
        self.twice = ""

    def _compose(self, ctx: Context) -> None:
        if self._call is not None:  # a run that only looks for dependencies
            self._real.call_compose(ctx)
            return
        self._call = ctx._call
        try:
            self._real.call_compose(ctx)
        except BaseException as error:
            self.error = error
            raise
        finally:
            self.raw = "request" in ctx._kept
            for name in self._names:
                found = ctx._call.composite if name == COMPOSITE else ctx._resources.get(name)
                if found is not None:
                    with contextlib.suppress(CrossplaneLiteError):  # the response has a fatal result for such a value
                        self.found[name] = self._taken(name, found)

    # -- settings

    def _taken(self, name: str, found: Resource) -> Registered:
        tree = tree_of(found, self._call)
        waits = {tuple(one.steps): Waits(tuple(of.source_path for of in one.waits_for)) for one in tree.found}
        values: dict[Steps, Any] = {}
        work: list[tuple[Steps, Any]] = [((), tree.data)]
        while work:
            steps, value = work.pop()
            if steps in waits:
                values[steps] = waits[steps]
            elif type(value) is Observable:
                values[steps] = Waits((value.source_path,))
            elif isinstance(value, dict) and value:
                work += [((*steps, key), inner) for key, inner in value.items()]
            elif isinstance(value, list) and value:
                work += [((*steps, at), inner) for at, inner in enumerate(value)]
            elif value is not TOMBSTONE:
                values[steps] = value
        places = {steps: place for steps in values if (place := self._place_of(found, steps))}
        return Registered(values, places, self._made.get(id(found), ""), self._registered.get(name, ""))

    def _place_of(self, found: Any, steps: Steps) -> str:
        """Return the line that set the value at a path of `found`, or else the nearest object or list around it.

        If that is a plain dict or list that was changed after it was set, ` or later` is added. The result is empty if
        no line is known.
        """
        place = ""
        holder = found
        for at, step in enumerate(steps):
            key = step
            if isinstance(holder, ModelShape):
                field = type(holder)._by_wire(step) or holder.__wire_fields__.get(step)
                key = step if field is None else field.name
            noted = self._set.get((id(holder), key)) or self._set.get((id(holder), None))
            if noted is not None:
                place = noted[0]
            try:
                if isinstance(holder, ModelShape):
                    below = holder.__dict__.get(key)
                elif isinstance(holder, dict):
                    below = dict.get(holder, key)
                else:
                    below = list.__getitem__(holder, key) if isinstance(holder, list) else None
            except IndexError:
                below = None
            if below is None:
                break
            if noted is not None and at + 1 < len(steps) and _changed(noted[1], below, steps[at + 1]):
                return f"{noted[0]} or later"
            holder = below
        return place

    def _note(self, holder: Any, key: Any, place: str) -> None:
        value: Any = holder.__dict__.get(key) if isinstance(holder, ModelShape) else None
        # A plain dict or list doesn't report its changes. Comparing it with this copy shows them later.
        kept = value.copy() if type(value) in (dict, list) else None
        self._alive.append(holder)
        self._set[(id(holder), key)] = (place, kept)

    # -- replacements of the SDK's own methods

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Replace the SDK's functions until the end of the `with` block, to record which fields are set and read."""
        replaced = [(owner, name, vars(owner)[name], make) for owner, name, make in self._replacements()]
        for owner, name, real, make in replaced:
            setattr(owner, name, make(real))
        try:
            yield
        finally:
            for owner, name, real, _ in replaced:
                setattr(owner, name, real)

    def _replacements(self) -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
        """Yield the functions to replace: the class or module, the function's name, and a factory of its replacement.

        The factory takes the real function, and returns a function that calls it and records.
        """
        yield Model, "__init__", self._init
        yield Resource, "__init__", self._resource_init
        yield Model, "__setattr__", self._setattr
        yield Resource, "__setattr__", self._setattr
        yield DynamicModel, "__setitem__", self._setitem
        yield ModelMap, "__setitem__", self._setitem
        yield Context, "resource", self._register
        yield containers, "_touch", self._touch
        for module in (reader, model, resource):
            yield module, "read", self._read

    def _init(self, real: Any) -> Any:
        def init(made: Model, /, **fields: Any) -> None:
            real(made, **fields)
            if self._is_on():
                for name, place in self._places.of_arguments(type(made).__name__, fields).items():
                    self._note(made, name, place)

        return init

    def _resource_init(self, real: Any) -> Any:
        def init(made: Resource, /, *args: Any, **fields: Any) -> None:
            real(made, *args, **fields)
            if self._is_on():
                self._alive.append(made)
                self._made.setdefault(id(made), self._places.current())

        return init

    def _setattr(self, real: Any) -> Any:
        def set_attribute(holder: Any, name: str, value: Any) -> None:
            real(holder, name, value)
            if self._is_on() and name in holder.__dict__:
                self._note(holder, name, self._places.current())

        return set_attribute

    def _setitem(self, real: Any) -> Any:
        def set_item(holder: Any, key: Any, value: Any) -> None:
            real(holder, key, value)
            if self._is_on():
                self._note(holder, key if isinstance(key, int) else str(key), self._places.current())

        return set_item

    def _touch(self, real: Any) -> Any:
        def touch(container: Any) -> None:
            real(container)
            if self._is_on() and isinstance(container, list):
                self._note(container, None, self._places.current())

        return touch

    def _register(self, real: Any) -> Any:
        def register(ctx: Context, name: Any, *args: Any, **more: Any) -> Any:
            try:
                made = real(ctx, name, *args, **more)
            except DuplicateResourceError:
                self.twice = self._registered.get(name, "")
                raise
            if self._is_on():
                self._registered.setdefault(made.name, self._places.current())  # it may be a former one
            return made

        return register

    def _read(self, real: Any) -> Any:
        def read(node: Node, holder: ModelShape, field: Field) -> Any:
            value = real(node, holder, field)
            if node.state >= WAIT and self._is_on():
                self._note_read(node, field, value)
            return value

        return read

    def _is_on(self) -> bool:
        """Return whether the current code belongs to the recorded call. It may run in any thread."""
        return self._call is not None and current() is self._call

    def _note_read(self, node: Node, field: Field, value: Any) -> None:
        origin = origin_of(node, field)
        if origin is None:
            return
        is_there = value is not None and type(value) is not Observable and not getattr(value, "_absent", False)
        noted = self.reads if is_there else self.unset
        noted[origin] = {*noted.pop(origin, ()), self._places.current()}


def _changed(before: Any, now: Any, step: Any) -> bool:
    """Return whether a plain dict or list has changed at a key or index since it was set.

    `before` is a copy from the time when it was set.
    """
    if type(before) is dict and type(now) is dict:
        return step not in before or before[step] is not now.get(step)
    if type(before) is list and type(now) is list and isinstance(step, int):
        return step >= len(before) or step >= len(now) or before[step] is not now[step]
    return False
