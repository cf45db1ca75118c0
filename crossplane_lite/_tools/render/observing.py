"""What previews see of a run of compose() beside its answer: forgotten resources, held-back ones,
missing values.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core import codec
from ..._core.base.folder import PACKAGE
from ..._core.base.sentinels import TOMBSTONE
from ..._core.base.texts import near_name, short_repr, type_in_words
from ..._core.call.lookups import operands
from ..._core.call.texts import authors_frame, named
from ..._core.dependencies.dry_run import tree_or_none
from ..._core.models import types
from ..._core.models.node import FACT, LOOSE, WAIT, ModelShape
from ..._core.models.walker import Tree
from ..._core.observed.observable import Observable, root_of, sources
from ..._core.observed.tracker import Observer
from ..._core.paths.text import show
from ..._core.resources.resource import Resource
from ..._core.resources.unstructured import DynamicFields
from ...errors import CrossplaneLiteError
from ...proto import _view
from .loops import Place, over_letters

if TYPE_CHECKING:
    from ..._core.models.node import Node
    from ..._core.observed.root import Root

# A part of a node's path: `.spec`, `[0]` or `["a/b"]`.
_STEP: Final = re.compile(r"""\.([^.\[]+)|\[(\d+)\]|\["(.*?)"\](?=[.\[]|$)""", re.DOTALL)

Steps = tuple[Any, ...]
"""The keys and indexes that lead to a value."""


class Origin(NamedTuple):
    """A place in a request.

    Attributes:
        part: The part of the request: `xr` (the observed composite), `observed` (observed
            resources), `desired`, `required` (required resources), `input`, `context`,
            `credentials` or `details` (connection details).
        name: The composition resource name, the requirement's key, or the name of credentials.
            Empty for the other parts, and for the composite's connection details.
        steps: The keys and indexes that lead to the value. For a required resource, its index comes
            first.
    """

    part: str
    name: str
    steps: Steps


def origin_of(node: Node, key: str) -> Origin | None:
    """Return the place in the request of a model's field, or of a key of a map; None if it isn't
    read from the request.

    That holds for models that the author makes, and for references to an observed object in desired
    state.
    """
    return _origin(node.root, node.path, key)


def _origin(root: Root | None, path: str, *keys: str) -> Origin | None:
    if root is None or root.refers:
        return None
    path = path.removeprefix(root.prefix)
    steps: list[Any] = [
        name or (int(index) if index else quoted.replace('\\"', '"'))
        for name, index, quoted in _STEP.findall(path)
    ]
    steps += keys
    if root.kind == "xr":
        return Origin("xr", "", tuple(steps))
    if root.kind == "resource":
        return Origin(
            "desired" if root.prefix.startswith("desired.") else "observed", root.name, tuple(steps)
        )
    if root.kind == "required":
        number = root.prefix.removeprefix(f"required.{root.name}[").removesuffix("]")
        return Origin("required", root.name, (int(number), *steps)) if number.isdigit() else None
    return None


def is_missing(value: Any) -> bool:
    """Return whether a value that was read from the request isn't there."""
    return value is None or type(value) is Observable or getattr(value, "_absent", False)


def origin_text(origin: Origin) -> str:
    """Return an origin as a path: `xr.spec.region`, `vpc.status.atProvider.vpcId`, `input.size`.

    The annotation with the external name is shown as `external_name`, such as in
    `vpc.external_name`.
    """
    steps = origin.steps
    name = origin.name
    if origin.part == "observed":
        head = name
    elif origin.part == "details":
        head = f"{name or 'xr'}.connection_details"
    elif origin.part == "required":
        head, steps = f"required.{name}[{steps[0]}]", steps[1:]
    else:
        head = f"{origin.part}.{name}" if name else origin.part
    if steps[:2] == ("metadata", "annotations") and steps[2:] == ("crossplane.io/external-name",):
        return f"{head}.external_name"
    rest = show(steps)
    return head + rest if rest.startswith("[") else f"{head}.{rest}" if rest else head


COMPOSITE: Final = ""
"""Means the composite where a resource's name is expected. No resource has an empty name."""


class Asked(NamedTuple):
    """A resource as compose() registers it, as plain data, in which Observables stand for
    unresolved values.

    Attributes:
        data: The data.
        partial: Whether a previous function desires the resource too, so that fields may be missing
            here.
    """

    data: dict[str, Any]
    partial: bool


class Seen(Observer):
    """The record of one run of compose(), or of several runs whose answers are thrown away.

    Attributes:
        unresolved: The paths of the composite's fields that compose() sets to values that don't
            exist yet. For a key that doesn't exist yet, it is the path of the object that gets the
            key.
        missing: The paths of the missing values that compose() got. One around another one is left
            out.
        unset: The fields of the composite's spec and metadata that compose() read and that aren't
            set, each with the line that read it. The field that was read last is the last one.
        absent: The fields of observed resources that compose() read and that aren't there, each
            with the line that read it first.
        errors: The exception that ended each run, with the author's line; empty for a run that
            ended by itself.
        raised: The exception that ended the first run; None if it ended by itself.
        used: The values in the expression that raised this exception, as far as they are known.
        twice: The line that registered a name first, if compose() registered it twice; else empty.
        places: The line that registered each resource, by name.
        trees: The composite, under the name `COMPOSITE`, and the resources that compose()
            registers, by name, until the answer is taken in; each with whether a previous function
            desires it, too.
        notes: A message for each likely mistake in the code: resources that are made, but neither
            registered nor part of another object, questions for `exists`, names that nothing has,
            and what `unknown_fields` finds.
        held: The resources that compose() registers and that aren't in the function's answer, by
            name. One whose values can't be encoded is left out.
    """

    def __init__(self) -> None:
        self._model: type[Resource] | None = None
        self._made: list[tuple[Resource, str]] = []
        self.trees: dict[str, tuple[Tree, bool]] = {}
        self.unresolved: list[list[str | int]] = []
        self.places: dict[str, str] = {}
        self.missing: list[str] = []
        self.unset: dict[Origin, str] = {}
        self.absent: dict[Origin, str] = {}
        self._removed: dict[str, str] = {}
        self._texts: dict[Place, str] = {}
        self._wrong_names: list[str] = []
        self.errors: list[str] = []
        self.raised: BaseException | None = None
        self.used: list[Any] = []
        self.twice = ""
        self.held: dict[str, Asked] = {}
        self.notes: list[str] = []

    def line(self) -> str:
        """Return the line outside of this package that is running, such as `function.py:31`; empty
        if there is none.
        """
        frame = _authors_frame()
        return (
            ""
            if frame is None
            else f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
        )

    def made(self, model: Any) -> None:
        if not isinstance(model, Resource):
            return
        self._made.append((model, self.line()))

    def read(self, node: Any, field: Any, value: Any) -> None:
        if node.state == FACT and is_missing(value):
            self.missed(node, field.wire)
        elif node.state == WAIT and is_missing(value):
            self._lacks(origin_of(node, field.wire))
        elif type(value) is str:
            self._has_read_text(node, field.wire)

    def _has_read_text(self, node: Any, key: str) -> None:
        frame = _authors_frame()
        if frame is None or (frame.f_code, frame.f_lasti) in self._texts:
            return
        origin = origin_of(node, key)
        if origin is not None:
            self._texts[frame.f_code, frame.f_lasti] = origin_text(origin)

    def went_on(self, observable: Any) -> None:
        self._lacks(_origin(root_of(observable), observable.source_path))

    def _lacks(self, origin: Origin | None) -> None:
        if origin is not None and origin.part == "observed" and origin not in self.absent:
            self.absent[origin] = self.line()

    def missed(self, node: Any, key: str) -> None:
        origin = origin_of(node, key)
        if origin is not None and origin.part == "xr":
            self.unset.pop(origin, None)
            self.unset[origin] = self.line()

    def registered(self, name: str, model: Any) -> None:
        self.places.setdefault(name, self.line())

    def removed(self, name: str) -> None:
        self._removed[name] = self.line()

    def refused(self, name: str) -> None:
        self.twice = self.places.get(name, "")

    def composite(self, model: Any) -> None:
        self._model = type(model)

    def ended(self, call: Any, error: BaseException | None) -> None:
        self.raised = self.raised if self.errors else error
        if self.raised is error is not None and not isinstance(error, CrossplaneLiteError):
            frame = authors_frame(error, call.function.file)
            self.used = [] if frame is None else operands(error, frame.filename)
        self.errors.append("" if error is None else call.show(named(error, call.function.file)))
        asked = [*call.handed_out, *call.guesses.values(), *call.tokens.values()]
        paths = {one.source_path for value in asked for one in sources(value)}
        around = {path[:at] for path in paths for at, sign in enumerate(path) if sign in ".["}
        self.missing = sorted(paths - around)
        self._wrong_names.extend(_wrong_names(call, asked, self._removed))
        for name, model in (*call.resources.items(), (COMPOSITE, call.composite)):
            tree = None if model is None else tree_or_none(model, call)
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
        self._texts.clear()

    def beyond(self, known: Collection[str]) -> dict[str, Asked]:
        """Return the resources that compose() registers, by name, but those of the names in
        `known`.
        """
        return {
            name: Asked(_with_observables(tree), partial)
            for name, (tree, partial) in self.trees.items()
            if name != COMPOSITE and name not in known
        }

    def _notes(self, request: bytes) -> Iterator[str]:
        for one, place in self._made:
            if one._state is None and (one._node is None or one._node.state == LOOSE):
                yield (
                    f"{place}: {type_in_words(one)} is made and never registered, so it isn't"
                    " composed; hand it to ctx.resource(name, ...)"
                )
        for origin, place in self.absent.items():
            if origin.steps == ("exists",):
                observed = f"{origin.name}.observed"
                yield (
                    f"{place}: {observed}.exists is read and never set; `if {observed}:` asks"
                    " whether it exists"
                )
        yield from over_letters(self._texts)
        yield from dict.fromkeys(self._wrong_names)
        if self._model is not None:
            yield from unknown_fields(self._model, request)


def _authors_frame() -> FrameType | None:
    """Return the innermost frame outside of this package; None if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return frame


def _wrong_names(
    call: Any, asked: Iterable[Observable], removed: Mapping[str, str]
) -> Iterator[str]:
    """Yield a message for each resource that compose() removes and each requirement that it reads
    if it doesn't exist.

    `asked` are the missing values that it got, and `removed` the lines that removed resources, by
    name.
    """
    names = {*call.resources, *call.desired, *call.existing}
    for name in sorted(removed.keys() - names):
        near = near_name(name, names)
        if near:
            yield f"{removed[name]}: ctx.remove({name!r}): no resource has this name{near}"
    wanted = call.requirements.resources
    roots = [root_of(one) for value in asked for one in sources(value)]
    for key in sorted(
        {root.name for root in roots if root is not None and root.kind == "required"}
        - wanted.keys()
    ):
        if call.required_resources.answer(key) is None:
            near = near_name(key, wanted)
            yield (
                f"required.{key} is read, and neither compose() nor the Composition asks for"
                f" {key}{near}"
            )


def _with_observables(tree: Tree) -> dict[str, Any]:
    """Return a tree's data, in which unresolved texts, and maps with unresolved keys, are
    Observables.
    """
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


# Crossplane's own fields in the spec of a composite. Not every model has them.
_STEERING: Final = frozenset(
    {
        *(
            "claimRef",
            "compositionRef",
            "compositionRevisionRef",
            "compositionRevisionSelector",
            "compositionSelector",
        ),
        *(
            "compositionUpdatePolicy",
            "crossplane",
            "environmentConfigRefs",
            "publishConnectionDetailsTo",
        ),
        *("resourceRef", "resourceRefs", "writeConnectionSecretToRef"),
    }
)
_WANTED: Final[dict[int, tuple[type[Any], str]]] = {
    types.MODEL: (dict, "an object"),
    types.MAP: (dict, "an object"),
    types.LIST: (list, "a list"),
}


def unknown_fields(model: type[ModelShape], request: bytes) -> Iterator[str]:
    """Yield a line for each field of the composite's spec that its model lacks, or whose value has
    the wrong type.

    The types of scalars aren't compared. Dynamic models, which know no fields, give no lines.
    Neither do Crossplane's own fields, such as `compositionRef`.

    Args:
        model: The class by which compose() reads the composite.
        request: The bytes of the request.
    """
    field = None if isinstance(model.__wire_fields__, DynamicFields) else model._by_wire("spec")
    composite = _view.RunFunctionRequest.FromString(request).observed.composite.resource
    spec = codec.decode_struct(composite).get("spec")
    if field is None or spec is None:
        return
    yield from _unknown_in(spec, field.type, ["spec"], f"the model {model.__name__}")


def _unknown_in(value: Any, type_: types.Type, steps: list[Any], model: str) -> Iterator[str]:
    if type_.code not in _WANTED or value is None:
        return
    kind, wanted = _WANTED[type_.code]
    if not isinstance(value, kind):
        yield (
            f"the composite's {show(steps)} must be {wanted}, by {model} (got {short_repr(value)})"
        )
        return
    members: Iterable[tuple[Any, Any]] = (
        enumerate(value) if isinstance(value, list) else value.items()
    )
    if type_.code != types.MODEL:
        for key, one in members:
            yield from _unknown_in(one, type_.item, [*steps, key], model)
    elif not isinstance(type_.cls.__wire_fields__, DynamicFields):
        known = {one.wire: one.type for one in type_.cls.__wire_fields__.values()}
        for key, one in members:
            if key in known:
                yield from _unknown_in(one, known[key], [*steps, key], model)
            elif len(steps) > 1 or key not in _STEERING:
                near = near_name(key, known)
                remedy = (
                    f"{' If' if near else '; if'} the XRD has it, run `crossplane-lite generate`"
                )
                yield (
                    f"the composite's {show([*steps, key])} isn't a field of {model}{near}{remedy}"
                )
