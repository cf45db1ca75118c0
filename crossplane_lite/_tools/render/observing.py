"""What previews see of a run of compose() beside its answer: forgotten resources, held-back ones, missing values."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from types import FrameType
from typing import Any, Final, NamedTuple

from ..._core.base.folder import PACKAGE
from ..._core.base.sentinels import TOMBSTONE
from ..._core.base.texts import type_in_words
from ..._core.call.texts import named
from ..._core.models.node import FACT, LOOSE
from ..._core.models.walker import Tree, tree_of
from ..._core.observed.observable import Observable, sources
from ..._core.observed.tracker import Observer
from ..._core.resources.resource import Resource
from ...errors import CrossplaneLiteError
from ...proto import _view
from .origin import Origin, is_missing, origin_of
from .outdated import unknown_fields

__all__ = ["COMPOSITE", "Asked", "Seen"]

COMPOSITE: Final = ""
"""Means the composite where a resource's name is expected. No resource has an empty name."""


class Asked(NamedTuple):
    """A resource as compose() registers it, as plain data, in which Observables stand for unresolved values.

    Attributes:
        data: The data.
        partial: Whether a previous function desires the resource too, so that fields may be missing here.
    """

    data: dict[str, Any]
    partial: bool


class Seen(Observer):
    """The record of one run of compose(), or of several runs whose answers are thrown away.

    Attributes:
        unresolved: The paths of the composite's fields that compose() sets to values that don't exist yet. For a key
            that doesn't exist yet, it is the path of the object that gets the key.
        missing: The paths of the missing values that compose() got. One around another one is left out.
        unset: The fields of the composite's spec and metadata that compose() read and that aren't set, each with the
            line that read it. The field that was read last is the last one.
        errors: The exception that ended each run, with the author's line; empty for a run that ended by itself.
        raised: The exception that ended the first run; None if it ended by itself.
        twice: The line that registered a name first, if compose() registered it twice; else empty.
        places: The line that registered each resource, by name.
        trees: The composite, under the name `COMPOSITE`, and the resources that compose() registers, by name, until
            the answer is taken in; each with whether a previous function desires it, too.
        notes: A message for each likely mistake in the code: resources that are made, but neither registered nor part
            of another object, and what `outdated.unknown_fields` finds.
        held: The resources that compose() registers and that aren't in the function's answer, by name. One whose values
            can't be encoded is left out.
    """

    def __init__(self) -> None:
        self._model: type[Resource] | None = None
        self._made: list[tuple[Resource, str]] = []
        self.trees: dict[str, tuple[Tree, bool]] = {}
        self.unresolved: list[list[str | int]] = []
        self.places: dict[str, str] = {}
        self.missing: list[str] = []
        self.unset: dict[Origin, str] = {}
        self.errors: list[str] = []
        self.raised: BaseException | None = None
        self.twice = ""
        self.held: dict[str, Asked] = {}
        self.notes: list[str] = []

    def line(self) -> str:
        """Return the line outside of this package that is running, such as `function.py:31`; empty if there is none."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
            frame = frame.f_back
        return "" if frame is None else f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"

    def made(self, model: Any) -> None:
        if not isinstance(model, Resource):
            return
        self._made.append((model, self.line()))

    def read(self, node: Any, field: Any, value: Any) -> None:
        if node.state == FACT and is_missing(value):
            self.missed(node, field.wire)

    def missed(self, node: Any, key: str) -> None:
        origin = origin_of(node, key)
        if origin is not None and origin.part == "xr":
            self.unset.pop(origin, None)
            self.unset[origin] = self.line()

    def registered(self, name: str, model: Any) -> None:
        self.places.setdefault(name, self.line())

    def refused(self, name: str) -> None:
        self.twice = self.places.get(name, "")

    def composite(self, model: Any) -> None:
        self._model = type(model)

    def ended(self, call: Any, error: BaseException | None) -> None:
        self.raised = self.raised if self.errors else error
        self.errors.append("" if error is None else call.show(named(error, call.function.file)))
        asked = [*call.handed_out, *call.guesses.values(), *call.tokens.values()]
        paths = {one.source_path for value in asked for one in sources(value)}
        around = {path[:at] for path in paths for at, sign in enumerate(path) if sign in ".["}
        self.missing = sorted(paths - around)
        for name, model in (*call.resources.items(), (COMPOSITE, call.composite)):
            tree = None if model is None else _tree_of(model, call)
            if tree is not None:
                self.trees.setdefault(name, (tree, model._state.base is not None))
        if COMPOSITE in self.trees:
            found = self.trees[COMPOSITE][0].found
            self.unresolved = [one.steps[:-1] if one.is_key else one.steps for one in found]

    @property
    def error(self) -> str:
        """The exception that ended the first run early; empty if it ended by itself."""
        return self.errors[0] if self.errors else ""

    def answered(self, request: bytes, answer: bytes) -> None:
        """Take in the answer, and set `held` and `notes`."""
        self.held = self.beyond(_view.RunFunctionResponse.FromString(answer).desired.resources)
        self.notes = [*self._notes(request)]
        self.trees.clear()
        self._made.clear()

    def beyond(self, known: Collection[str]) -> dict[str, Asked]:
        """Return the resources that compose() registers, by name, but those of the names in `known`."""
        return {
            name: Asked(_with_observables(tree), partial)
            for name, (tree, partial) in self.trees.items()
            if name != COMPOSITE and name not in known
        }

    def _notes(self, request: bytes) -> Iterator[str]:
        for one, place in self._made:
            if one._state is None and (one._node is None or one._node.state == LOOSE):
                yield (
                    f"{place}: {type_in_words(one)} is made and never registered, so it isn't composed; hand it to "
                    "ctx.resource(name, ...)"
                )
        if self._model is not None:
            yield from unknown_fields(self._model, request)


def _tree_of(model: Resource, call: Any) -> Tree | None:
    try:
        return tree_of(model, call)
    except CrossplaneLiteError:  # the answer has a fatal result for such a value
        return None


def _with_observables(tree: Tree) -> dict[str, Any]:
    """Return a tree's data, in which unresolved texts, and maps with unresolved keys, are Observables."""
    data: dict[str, Any] = {"": _without_tombstones(tree.data)}
    for found in tree.found:
        steps = ["", *(found.steps[:-1] if found.is_key else found.steps)]
        holder: Any = data
        for step in steps[:-1]:
            if type(holder) is Observable:
                break
            holder = holder[step]
        if isinstance(holder, (dict, list)):
            holder[steps[-1]] = Observable(found.waits_for[0].source_path)  # type: ignore[index]
    whole: dict[str, Any] = data[""]
    return whole


def _without_tombstones(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_tombstones(one) for key, one in value.items() if one is not TOMBSTONE}
    return [_without_tombstones(one) for one in value] if isinstance(value, list) else value
