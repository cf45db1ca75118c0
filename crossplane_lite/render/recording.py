"""One run of compose() that is watched: the lines that set fields, and the reads.

Only `--explain` watches. For the time of the run it puts itself in the place of the code that sets and reads the fields
of models; a function that is served never comes here.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import linecache
import logging
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
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
from ..errors import CrossplaneLiteError

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.node import Node
    from .._models.types import Field
    from ..composition import Function

__all__ = ["COMPOSITE", "Origin", "Recorded", "Registered", "Waits", "record", "silent_run"]

COMPOSITE: Final = ""
"""The composite, in the place of a resource's name: no resource has an empty one."""

_PACKAGE: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")

_lock: Final = threading.RLock()

Steps = tuple[Any, ...]


class Origin(NamedTuple):
    """A place in a request.

    Attributes:
        part: `xr`, `observed`, `desired`, `required`, `input`, `context`, `credentials` or `details`.
        name: The composition resource name, the requirement's key, or the name of credentials; else empty.
        steps: The way to the value, of a required resource its number first.
    """

    part: str
    name: str
    steps: Steps


class Waits(NamedTuple):
    """The mark of a missing value.

    Attributes:
        paths: The awaited values.
    """

    paths: tuple[str, ...]


class Registered(NamedTuple):
    """A resource as compose() has left it.

    Attributes:
        values: Its fields that were set, by their steps; `Waits` where a value isn't there yet.
        places: The line that set each of them, as far as it is known.
        made: The line that made the resource.
        registered: The line that registered it.
    """

    values: dict[Steps, Any]
    places: dict[Steps, str]
    made: str
    registered: str


class Recorded(NamedTuple):
    """The notes on a run of compose().

    Attributes:
        answer: The answer; or empty.
        resource: The resource that was asked for, None where compose() registers none of that name.
        reads: Reads of the request, with their lines.
        unset: Reads of missing values.
        raw: Whether compose() looked at the raw request.
    """

    answer: bytes
    resource: Registered | None
    reads: dict[Origin, set[str]]
    unset: dict[Origin, set[str]]
    raw: bool = False


def record(function: Function, request: bytes, name: str) -> Recorded:
    """Run compose() once more, in silence, and note its actions.

    Args:
        function: The function.
        request: The bytes of its request.
        name: The composed resource that is asked for, or `COMPOSITE`.
    """
    watch = _Watch(function, name)
    with _lock, watch.installed():
        answer = _answer(watch.function, function, request)
    return Recorded(answer, watch.found.get(name), watch.reads, watch.unset, watch.raw)


def silent_run(function: Function, request: bytes, names: Sequence[str]) -> tuple[bytes, dict[str, Registered]]:
    """Run compose() once more, in silence; return the answer, and those of some resources that it registers."""
    watch = _Watch(function, *names)
    answer = _answer(watch.function, function, request)
    return answer, watch.found


def _answer(watched: Function, function: Function, request: bytes) -> bytes:
    logger = logging.getLogger(f"crossplane_lite.function.{function.name}")

    def never(_record: logging.LogRecord) -> bool:
        return False

    logger.addFilter(never)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return watched.run(request)
    except CrossplaneLiteError:  # an unreadable request fails as it did before
        return b""
    finally:
        logger.removeFilter(never)


class _Watch:
    """Watches one run."""

    def __init__(self, function: Function, *names: str) -> None:
        self.function = copy.copy(function)
        vars(self.function)["call_compose"] = self._compose
        self._real = function
        self._home = os.path.dirname(os.path.abspath(function.file)) + os.sep
        self._names = names
        self._call: Call | None = None
        # By the holder's id and the key. Objects in `_alive` keep their ids.
        self._set: dict[tuple[int, Any], tuple[str, Any]] = {}
        self._made: dict[int, str] = {}
        self._alive: list[Any] = []
        self._registered: dict[str, str] = {}
        self.found: dict[str, Registered] = {}
        self.reads: dict[Origin, set[str]] = {}
        self.unset: dict[Origin, set[str]] = {}
        self.raw = False

    def _compose(self, ctx: Context) -> None:
        if self._call is not None:  # a run that only looks for dependencies
            self._real.call_compose(ctx)
            return
        self._call = ctx._call
        try:
            self._real.call_compose(ctx)
        finally:
            self.raw = "request" in ctx._kept
            for name in self._names:
                found = ctx._call.composite if name == COMPOSITE else ctx._resources.get(name)
                if found is not None:
                    with contextlib.suppress(CrossplaneLiteError):  # the answer tells of values that can't be sent
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
        """Return the line that set the value at the end of a way: the last one of those that lead there."""
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
        # Plain containers say nothing of their later uses.
        kept = value.copy() if type(value) in (dict, list) else None
        self._alive.append(holder)
        self._set[(id(holder), key)] = (place, kept)

    # -- replacements of the SDK's own methods

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Watch this process's uses of models in the block."""
        init = Model.__init__
        resource_init, register = Resource.__init__, Context.resource
        touch, put, take = containers._touch, ModelMap.__setitem__, DynamicModel.__setitem__
        real_read = reader.read
        setattr_of: dict[Any, Any] = {one: one.__dict__["__setattr__"] for one in (Model, Resource)}
        watch = self

        def new_init(self: Model, /, **fields: Any) -> None:
            init(self, **fields)
            if watch._is_on():
                frame = watch._frame()
                for name in fields:
                    watch._note(self, name, watch._line(frame, type(self).__name__, name))

        def new_resource_init(self: Resource, /, *args: Any, **fields: Any) -> None:
            resource_init(self, *args, **fields)
            if watch._is_on():
                watch._alive.append(self)
                watch._made.setdefault(id(self), watch._line(watch._frame()))

        def new_setattr(cls: Any) -> Any:
            def method(self: Any, name: str, value: Any) -> None:
                setattr_of[cls](self, name, value)
                if watch._is_on() and name in self.__dict__:
                    watch._note(self, name, watch._line(watch._frame()))

            return method

        def new_take(self: DynamicModel, name: Any, value: Any) -> None:
            take(self, name, value)
            if watch._is_on():
                watch._note(self, name if isinstance(name, int) else str(name), watch._line(watch._frame()))

        def new_put(self: ModelMap, key: str, value: Any) -> None:
            put(self, key, value)
            if watch._is_on():
                watch._note(self, str(key), watch._line(watch._frame()))

        def new_touch(container: Any) -> None:
            touch(container)
            if watch._is_on() and isinstance(container, list):
                watch._note(container, None, watch._line(watch._frame()))

        def new_register(self: Context, name: Any, *args: Any, **more: Any) -> Any:
            made = register(self, name, *args, **more)
            if watch._is_on():
                watch._registered.setdefault(str(name), watch._line(watch._frame()))
            return made

        def new_read(node: Node, holder: ModelShape, field: Field) -> Any:
            value = real_read(node, holder, field)
            if node.state >= WAIT and watch._is_on():
                watch._note_read(node, field, value)
            return value

        Model.__init__ = new_init  # type: ignore[method-assign]
        Resource.__init__ = new_resource_init  # type: ignore[method-assign]
        for one in setattr_of:
            one.__setattr__ = new_setattr(one)
        DynamicModel.__setitem__ = new_take  # type: ignore[method-assign]
        ModelMap.__setitem__ = new_put  # type: ignore[method-assign]
        Context.resource = new_register  # type: ignore[method-assign]
        containers._touch = new_touch
        for module in (reader, model, resource):
            vars(module)["read"] = new_read
        try:
            yield
        finally:
            Model.__init__ = init  # type: ignore[method-assign]
            Resource.__init__ = resource_init  # type: ignore[method-assign]
            for one, method in setattr_of.items():
                one.__setattr__ = method
            DynamicModel.__setitem__ = take  # type: ignore[method-assign]
            ModelMap.__setitem__ = put  # type: ignore[method-assign]
            Context.resource = register  # type: ignore[method-assign]
            containers._touch = touch
            for module in (reader, model, resource):
                vars(module)["read"] = real_read

    def _is_on(self) -> bool:
        """Say whether it is the watched call that is going on, in whatever thread."""
        return self._call is not None and current() is self._call

    def _note_read(self, node: Node, field: Field, value: Any) -> None:
        origin = _origin_of(node, field)
        if origin is None:
            return
        place = self._line(self._frame())
        is_there = value is not None and type(value) is not Observable and not getattr(value, "_absent", False)
        (self.reads if is_there else self.unset).setdefault(origin, set()).add(place)

    # -- lines

    def _frame(self) -> FrameType | None:
        """Return the innermost frame of the author's files, or else of code outside of this package."""
        frame: FrameType | None = sys._getframe(1)
        first: FrameType | None = None
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith(_PACKAGE):
                first = first or frame
                if os.path.abspath(file).startswith(self._home) and not any(part in file for part in _INSTALLED):
                    return frame
            frame = frame.f_back
        return first

    def _line(self, frame: FrameType | None, call: str = "", keyword: str = "") -> str:
        """Return a frame's line, as `function.py:31`; with a keyword that of the argument in the call."""
        if frame is None:
            return ""
        file, line = frame.f_code.co_filename, frame.f_lineno
        if keyword:
            line = _calls_of(file).get((line, call, keyword), line)
        shown = os.path.abspath(file)
        shown = shown.removeprefix(self._home) if shown.startswith(self._home) else os.path.basename(file)
        return f"{shown}:{line}"


def _changed(before: Any, now: Any, step: Any) -> bool:
    """Say whether a plain container was changed at a step after it was set."""
    if type(before) is dict and type(now) is dict:
        return step not in before or before[step] is not now.get(step)
    if type(before) is list and type(now) is list and isinstance(step, int):
        return step >= len(before) or step >= len(now) or before[step] is not now[step]
    return False


_calls: dict[str, dict[tuple[int, str, str], int]] = {}


def _calls_of(file: str) -> dict[tuple[int, str, str], int]:
    """Return the lines of keyword arguments in a file's calls: by the call's line, the called name, and the keyword."""
    found = _calls.get(file)
    if found is not None:
        return found
    found = _calls[file] = {}
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return found
    for one in ast.walk(tree):
        if isinstance(one, ast.Call):
            called = one.func.attr if isinstance(one.func, ast.Attribute) else getattr(one.func, "id", "")
            for keyword in one.keywords:
                if keyword.arg is not None:
                    found[(one.lineno, called, keyword.arg)] = keyword.value.lineno
    return found


def _origin_of(node: Node, field: Field) -> Origin | None:
    """Return where in the request a field is read, None where that isn't in an object of it."""
    root = node.root
    if root is None or root.refers:
        return None
    steps: list[Any] = [field.wire]
    up: Node | None = node
    while up is not None and up.up is not None:
        steps += reversed(_steps(up.step))
        up = up.up
    steps.reverse()
    if root.kind == "xr":
        return Origin("xr", "", tuple(steps))
    if root.kind == "resource":
        return Origin("desired" if root.prefix.startswith("desired.") else "observed", root.name, tuple(steps))
    if root.kind == "required":
        number = root.prefix.removeprefix(f"required.{root.name}[").removesuffix("]")
        return Origin("required", root.name, (int(number), *steps)) if number.isdigit() else None
    return None


def _steps(step: str) -> list[Any]:
    """Return the steps of a part of a node's path: `.spec`, `[0]`, `["a/b"]`."""
    if step.startswith("["):
        inner = step[1:-1]
        if inner.isdigit():
            return [int(inner)]
        return [inner[1:-1].replace('\\"', '"')]
    return step.removeprefix(".").split(".") if step else []
