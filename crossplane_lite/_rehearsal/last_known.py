"""The last known values of Observables that are missing now, read from existing objects that were made from them.

Where compose() puts a missing value into a field of an existing resource, or of the composite's status, the observed
field still has the value to which it was set last. If these values are put into the request, a run of compose() does
the same as it did then. So the run shows the effect of code that an Observable can't notice: code that looks into a
text, and code that uses `is` or `type`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._models.fallback import part_for
from .._observed.lookup import steps_of
from .._observed.observable import Observable
from .._observed.uses import root_of
from ..errors import CrossplaneLiteError
from ..proto import _view

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.walker import Tree
    from .._observed.root import Root
    from .run import Run

__all__ = ["Known", "last_known", "request_with"]

_TOKEN: Final = re.compile("\0([0-9]+)\0")
_BASE64: Final = re.compile(r"base64\(\0")


class Known:
    """The last known values of missing Observables.

    Attributes:
        values: The known values by path, each with its Observable.
        untold: The paths of values from which existing fields were made, but which can't be read back from the fields.
        fresh: The paths of values in fields that don't exist yet. Such a value never existed before.
    """

    __slots__ = ("fresh", "untold", "values")

    def __init__(self) -> None:
        self.values: dict[str, tuple[Observable[Any], Any]] = {}
        self.untold: set[str] = set()
        self.fresh: set[str] = set()

    def note(self, observable: Observable[Any], value: Any) -> None:
        """Add the known value of an Observable; if the Observable's path has a value already, that value stays.

        Results of `apply`, and Observables made by hand, are ignored, because a request has no place for their values.
        """
        if observable.__cl_deps__ is None and root_of(observable) is not None:
            self.values.setdefault(observable.source_path, (observable, value))


def last_known(call: Call, trees: Iterable[tuple[Tree | None, bytes | None]]) -> Known:
    """Return the last known values of the Observables in desired objects.

    Each of `trees` is a desired object, None if it can't be encoded, and the Struct bytes of the observed one, None if
    it isn't observed. Raises WireError for malformed bytes.
    """
    known = Known()
    for tree, raw in trees:
        if tree is None or not tree.found:
            continue
        live = part_for(tree, raw) or {}
        for one in tree.found:
            paths = {source.source_path for source in one.waits_for}
            wanted, there = (_at(top, one.steps) for top in (tree.data, live))
            if there is None and not (one.is_key and raw is not None):
                known.fresh |= paths
            elif type(wanted) is Observable and not one.is_key:
                known.note(wanted, there)
            elif isinstance(wanted, str) and isinstance(there, str):
                for number, text in _parts(call, wanted, there):
                    if number in call.tokens:
                        known.note(call.tokens[number], text)
                known.untold |= paths
            else:
                known.untold |= paths
    known.untold -= known.values.keys()
    return known


def _at(top: Any, steps: Iterable[Any]) -> Any:
    for step in steps:
        try:
            top = top[step]
        except (LookupError, TypeError):
            return None
    return top


def _parts(call: Call, wanted: str, there: str) -> Iterable[tuple[int, str]]:
    """Return the number of each placeholder in a wanted text, with the text that stands for it in the existing text.

    The result is empty if the existing text doesn't fit, or fits in more than one way. `wanted` has the placeholders,
    and may be base64.
    """
    plain = call.normal(wanted)
    if _BASE64.search(plain):
        try:
            plain, there = (call.normal(base64.b64decode(wanted).decode()), base64.b64decode(there).decode())
        except ValueError:  # only a part of the text is base64
            return ()
    ends = [re.escape(text) for text in _TOKEN.split(plain)[::2]]
    numbers = _TOKEN.findall(plain)
    if not numbers:
        return ()
    found = set()
    for some in (".+?", ".+"):
        pattern, seen = ends[0], set[str]()
        for number, end in zip(numbers, ends[1:], strict=True):
            pattern += (f"(?P=n{number})" if number in seen else f"(?P<n{number}>{some})") + end
            seen.add(number)
        matched = re.fullmatch(pattern, there, re.DOTALL)
        if matched is None:
            return ()
        found.add(tuple(matched.groupdict().items()))
    return [(int(name[1:]), text) for name, text in found.pop()] if len(found) == 1 else ()


def request_with(call: Call, known: Known, run: Run) -> Any | None:
    """Return a copy of the request of a call, completed with the last known values.

    If a value belongs to a registered resource of `run`, the real run, that isn't observed, the resource is added to
    the observed ones. Returns None if the request has no place for any of the values. Raises WireError for malformed
    bytes.
    """
    request = _view.RunFunctionRequest.FromString(call.data)
    tops: dict[tuple[str, str], tuple[Any, dict[str, Any]]] = {}
    changed = False
    for path, (observable, value) in sorted(known.values.items()):
        root = root_of(observable)
        assert root is not None
        key = (root.kind, root.prefix)
        if key not in tops:
            holder = _holder(request, root, run)
            if holder is None:
                continue
            tops[key] = holder, _wire.decode_struct(holder.resource)
        holder, top = tops[key]
        way = path[len(root.prefix) :].removeprefix(".")
        try:
            steps = steps_of(way)
        except CrossplaneLiteError:
            continue
        if steps[:1] == ("connection_details",) and len(steps) == 2:
            holder.connection_details[str(steps[1])] = str(value).encode()
            changed = True
        elif _put(top, steps, value):
            changed = True
    for holder, top in tops.values():
        holder.resource = _wire.encode_struct(top)
    return request if changed else None


def _holder(request: Any, root: Root, run: Run) -> Any | None:
    """Return the message in `request` that holds the object of `root`; None if the request has no place for it.

    A composed resource that isn't observed is added, if the real run `run` registers it.
    """
    if root.kind == "xr":
        return request.observed.composite
    if root.kind == "required":
        number = root.prefix.removeprefix(f"required.{root.name}[").removesuffix("]")
        items = request.required_resources[root.name].items if root.name in request.required_resources else ()
        return items[int(number)] if number.isdigit() and int(number) < len(items) else None
    if root.kind != "resource" or root.refers:
        return None
    if root.name not in request.observed.resources:
        tree = run.tree(root.name) if root.name in run.resources else None
        if tree is None:
            return None
        made = {key: tree.data.get(key) for key in ("apiVersion", "kind")}
        request.observed.resources[root.name].resource = _wire.encode_struct({**made, "metadata": {"name": root.name}})
    return request.observed.resources[root.name]


def _put(top: Any, steps: tuple[Any, ...], value: Any) -> bool:
    """Set the value at the path `steps` in `top`; return False if that isn't possible.

    Missing maps and lists on the path are added, even if the value itself can't be set.
    """
    for at, step in enumerate(steps):
        is_last = at == len(steps) - 1
        below: Any = value if is_last else [] if isinstance(steps[at + 1], int) else {}
        if isinstance(top, dict) and isinstance(step, str):
            if is_last or top.get(step) is None:
                top[step] = below
            top = top[step]
        elif isinstance(top, list) and isinstance(step, int) and 0 <= step <= len(top):
            if step == len(top):
                top.append(below)
            elif is_last:
                top[step] = below
            top = top[step]
        else:
            return False
    return True
