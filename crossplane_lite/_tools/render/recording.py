"""Records a run of compose() for `--explain`: the values that it reads, and the lines of code that
set fields.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import linecache
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from ..._core.base.folder import PACKAGE
from ..._core.base.sentinels import TOMBSTONE
from ..._core.models.node import WAIT, ModelShape, place_of
from ..._core.models.walker import Tree, leaves
from ..._core.observed.observable import Observable
from ...errors import CrossplaneLiteError
from .observing import COMPOSITE, Origin, Seen, Steps, is_missing, origin_of

if TYPE_CHECKING:
    from ..._core.models.node import Node
    from ..._core.models.types import Field
    from ...composition import Function

S = TypeVar("S", bound=Seen)

_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class Waits(NamedTuple):
    """Takes the place of a field's value if the field waits for missing values.

    Attributes:
        paths: The paths of the missing values.
    """

    paths: tuple[str, ...]


class Registered(NamedTuple):
    """A resource as it is when compose() ends. A line is text such as `function.py:31`.

    Attributes:
        values: The values of the fields that were set, by the keys and indexes of their paths. The
            value of a field that waits for missing values is a `Waits`.
        places: The lines that set these fields. A field whose line isn't known is left out.
        made: The line that created the resource's object; empty if it isn't known.
        registered: The line that registered the resource with the context; empty if it isn't known.
    """

    values: dict[Steps, Any]
    places: dict[Steps, str]
    made: str
    registered: str


def record(function: Function, request: bytes, names: Sequence[str]) -> Recorded:
    """Run compose() once more, and record the values that it reads and the lines that set fields.

    The function's logs, its prints and its response are dropped.

    Args:
        function: The function.
        request: The bytes of the request.
        names: The names of the composed resources to record; `COMPOSITE` for the composite.
    """
    return silent_run(function, request, Recorded(function, names))[1]


def silent_run(function: Function, request: bytes, seen: S) -> tuple[bytes, S]:
    """Run compose() once more, without its logs and prints.

    Args:
        function: The function.
        request: The bytes of the request.
        seen: The record to fill in.

    Returns:
        The bytes of the response, which are empty if the request is malformed; and what compose()
        did.
    """
    try:
        with _silent(function):
            return function.run(request, seen), seen
    except CrossplaneLiteError:  # the request is malformed, and the first run has reported that
        return b"", seen


@contextlib.contextmanager
def _silent(function: Function) -> Iterator[None]:
    """Drop the function's log lines, and all that Python prints on stdout and stderr, in the `with`
    block.
    """
    logger = logging.getLogger(f"crossplane_lite.function.{function.name}")

    def never(_record: logging.LogRecord) -> bool:
        return False

    logger.addFilter(never)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logger.removeFilter(never)


def values_of(tree: Tree) -> dict[Steps, Any]:
    """Return the values of a resource's fields, as `Registered` has them."""
    values = {steps: value for steps, value in leaves(tree.data) if value is not TOMBSTONE}
    for steps, value in values.items():
        if type(value) is Observable:
            values[steps] = Waits((value.source_path,))
    waits = {
        tuple(one.steps): Waits(tuple(of.source_path for of in one.waits_for)) for one in tree.found
    }
    return values | {steps: one for steps, one in waits.items() if steps in values}


class Recorded(Seen):
    """The record of a run of compose() with all lines.

    Args:
        function: The function.
        names: The names of the resources to record; `COMPOSITE` for the composite.

    Attributes:
        resources: The requested resources that compose() registers, by name.
        reads: The lines of code that read a value from the request, by the value's origin.
        raw: Whether compose() used the raw request (`ctx.request`). What it reads there isn't
            recorded.
        nothing: The lines that have set fields to None, and so to nothing, by the field's path.
    """

    def __init__(self, function: Function, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names
        self.resources: dict[str, Registered] = {}
        self._authors = _Places(function.file)
        # The keys are the holder's id and the field. Objects in `_alive` live on, so that their ids
        # stay unique.
        self._set: dict[tuple[int, Any], tuple[str, Any]] = {}
        self._made_at: dict[int, str] = {}
        self._alive: list[Any] = []
        self._models: dict[str, Any] = {}
        self.reads: dict[Origin, set[str]] = {}
        self.raw = False
        self._emptied: list[tuple[ModelShape, str, str]] = []
        self.nothing: dict[str, str] = {}

    def line(self) -> str:
        return self._authors.current()

    def made(self, model: Any) -> None:
        for name, place in self._authors.of_arguments(type(model).__name__, model.__dict__).items():
            self._note(model, name, place)
        self._alive.append(model)
        self._made_at.setdefault(id(model), self.line())

    def has_set(self, holder: Any, key: Any) -> None:
        if not isinstance(holder, ModelShape) or isinstance(key, int) or key in holder.__dict__:
            self._note(holder, key, self.line())
        else:
            self._emptied.append((holder, key, self.line()))

    def read(self, node: Node, field: Field, value: Any) -> None:
        super().read(node, field, value)
        origin = (
            origin_of(node, field.wire) if node.state >= WAIT and not is_missing(value) else None
        )
        if origin is not None:
            self.reads.setdefault(origin, set()).add(self.line())

    def took_request(self) -> None:
        self.raw = True

    def ended(self, call: Any, error: BaseException | None) -> None:
        super().ended(call, error)
        self._models = {**call.resources, COMPOSITE: call.composite}
        for holder, key, place in self._emptied:
            if key not in holder.__dict__:
                field = holder.__wire_fields__.get(key)
                self.nothing[f"{place_of(holder)}.{key if field is None else field.wire}"] = place
        for name in (one for one in self._names if one in self.trees):
            model = self._models[name]
            values = values_of(self.trees[name][0])
            places = {steps: place for steps in values if (place := self._place_of(model, steps))}
            made, registered = self._made_at.get(id(model), ""), self.places.get(name, "")
            self.resources[name] = Registered(values, places, made, registered)

    def place_of(self, name: str, steps: Steps) -> str:
        """Return the line that set the value at a path of a requested resource; empty if no line is
        known.
        """
        known = self.resources.get(name)
        # A resource with a value that can't be encoded isn't known.
        return (
            self._place_of(self._models.get(name), steps)
            if known is None
            else known.places.get(steps, "")
        )

    def _place_of(self, found: Any, steps: Steps) -> str:
        """Return the line that set the value at a path of `found`, or else the nearest object or
        list around it.

        If that is a plain dict or list that was changed after it was set, ` or later` is added. The
        result is empty if no line is known.
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
            if (
                noted is not None
                and at + 1 < len(steps)
                and _changed(noted[1], below, steps[at + 1])
            ):
                return f"{noted[0]} or later"
            holder = below
        return place

    def _note(self, holder: Any, key: Any, place: str) -> None:
        value: Any = holder.__dict__.get(key) if isinstance(holder, ModelShape) else None
        # A plain dict or list doesn't report its changes. Comparing it with this copy shows them
        # later.
        kept = value.copy() if type(value) in (dict, list) else None
        self._alive.append(holder)
        self._set[(id(holder), key)] = (place, kept)


def _changed(before: Any, now: Any, step: Any) -> bool:
    """Return whether a plain dict or list has changed at a key or index since it was set.

    `before` is a copy from the time when it was set.
    """
    if type(before) is dict and type(now) is dict:
        return step not in before or before[step] is not now.get(step)
    if type(before) is list and type(now) is list and isinstance(step, int):
        return step >= len(before) or step >= len(now) or before[step] is not now[step]
    return False


class _Places:
    """Finds lines in the code of a function's author, such as `function.py:31`.

    Args:
        file: The function's file. All files in its folder and below are the author's, except
            installed packages.
    """

    def __init__(self, file: str) -> None:
        self._home = os.path.dirname(os.path.abspath(file)) + os.sep

    def current(self) -> str:
        """Return the author's line that is running.

        If no code of the author is running, return the line of other code outside of
        crossplane_lite; an empty string if there is none.
        """
        frame = self._frame()
        return "" if frame is None else self._shown(frame.f_code.co_filename, frame.f_lineno)

    def of_arguments(self, call: str, keywords: Iterable[str]) -> dict[str, str]:
        """Return the line of each keyword argument of the call that the author's code is running
        now.

        Args:
            call: The name of the called class or function.
            keywords: The keywords.

        Returns:
            The lines by keyword. A keyword that isn't in the call's source text, such as one from
            `**values`, has the line of the call. All lines are empty strings if only code of
            crossplane_lite is running.
        """
        frame = self._frame()
        if frame is None:
            return dict.fromkeys(keywords, "")
        file, line = frame.f_code.co_filename, frame.f_lineno
        lines = _calls_of(file)
        return {
            keyword: self._shown(file, lines.get((line, call, keyword), line))
            for keyword in keywords
        }

    def _frame(self) -> FrameType | None:
        """Return the innermost frame in the author's files, else outside of crossplane_lite; None
        if there is none.
        """
        frame: FrameType | None = sys._getframe(1)
        first: FrameType | None = None
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith(PACKAGE):
                first = first or frame
                if os.path.abspath(file).startswith(self._home) and not any(
                    part in file for part in _INSTALLED
                ):
                    return frame
            frame = frame.f_back
        return first

    def _shown(self, file: str, line: int) -> str:
        path = os.path.abspath(file)
        is_own = path.startswith(self._home)
        return f"{path.removeprefix(self._home) if is_own else os.path.basename(file)}:{line}"


@functools.cache
def _calls_of(file: str) -> dict[tuple[int, str, str], int]:
    """Return the line of each keyword argument in a Python file; empty if the file can't be read or
    parsed.

    A key of the dict is the line of the call, the called name, and the keyword.
    """
    found: dict[tuple[int, str, str], int] = {}
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return found
    for one in ast.walk(tree):
        if isinstance(one, ast.Call):
            called = (
                one.func.attr
                if isinstance(one.func, ast.Attribute)
                else getattr(one.func, "id", "")
            )
            for keyword in one.keywords:
                if keyword.arg is not None:
                    found[(one.lineno, called, keyword.arg)] = keyword.value.lineno
    return found
