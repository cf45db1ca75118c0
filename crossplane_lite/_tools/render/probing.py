"""Finds the sources of resources' fields by trial: calls a function again with one value of its
request changed.

The fields that differ in the response depend on that value. An `observing.Origin` says where in the
request the value is. One call shows the fields of all resources.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, Final, NamedTuple

from ..._core import codec
from ..._core.call.mark import HELD_BACK_KEY, without_digests
from ..._core.models.walker import leaves
from ..._core.paths.schema import Schema
from ..._core.paths.trees import lookup, put
from ...errors import CrossplaneLiteError
from ...proto import _view
from .observing import Origin, Steps
from .recording import Recorded, Waits

Fields = Mapping[Steps, Any]

MOST_PROBES: Final = 400
"""The most values of a request that are changed, one at a time."""

_PROBE: Final = "crossplane-lite-probe"
# A field is more often a string than a number, so a string is tried first.
_FOR_UNSET: Final = (_PROBE, 13, True)
_ALWAYS: Final = (
    ("spec",),
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("metadata", "labels"),
)
_CONDITIONS: Final = ("status", "conditions")


class Made(NamedTuple):
    """The sources of a resource's fields. A field is given by the keys and indexes of its path.

    Attributes:
        base: The values of the fields for the unchanged request. If the resource is held back, they
            are as compose() registers them.
        varies: The fields that differ between two calls with the same request.
        sources: For each field, the origins of the values that it depends on.
        decides: The origins of the values that decide whether the resource is composed, or which
            name it has.
        unseen: The origins in `decides` whose change makes the resource disappear, so that it isn't
            known which fields depend on them.
    """

    base: Fields
    varies: set[Steps]
    sources: dict[Steps, list[Origin]]
    decides: list[Origin]
    unseen: list[Origin]


class Probed(NamedTuple):
    """What the calls of a function have shown.

    Attributes:
        made: The sources of each resource's fields, by name.
        unknown: The origins whose change makes the function fail, each with the error.
        cut: Whether there were more than `MOST_PROBES` values, so that the others weren't changed.
    """

    made: dict[str, Made]
    unknown: dict[Origin, str]
    cut: bool


class Found(NamedTuple):
    """The resources of a response.

    Attributes:
        names: The names of all resources that the function registers; if it doesn't show that, of
            all desired ones.
        fields: The values of the fields of the wanted resources, by name, by the keys and indexes
            of their paths.
        error: The error if the function failed; else empty.
    """

    names: AbstractSet[str]
    fields: Mapping[str, Fields]
    error: str = ""


Answer = Callable[[bytes, Callable[[str], bool]], Found]
"""Calls the function with the bytes of a request. The function in the second place says which
resources are wanted.
"""


def probed(
    request: bytes,
    names: Sequence[str],
    candidates: Iterable[Origin],
    answer: Answer,
    schema: Mapping[str, Any] | None = None,
) -> Probed:
    """Find the values of a request on which the fields of resources depend.

    First calls the function twice with the unchanged request, and then a few times for each value.

    Args:
        request: The bytes of the request.
        names: The composition resource names; an empty name is the composite.
        candidates: The origins of the values to change, one after the other. Only the first
            `MOST_PROBES` are changed.
        answer: A function that calls the composition function.
        schema: The schema of the composite's kind. Of values that it lists, others in the list are
            tried first. None if it isn't known.
    """
    probes = _Probes(request, names, answer)
    failed = []
    for number, origin in enumerate(candidates):
        if number == MOST_PROBES:
            return probes.found._replace(cut=True)
        before = probes.source.value(origin)
        listed = [one for one in _listed(schema, origin) if not _same(one, before)]
        answered = probes.change(origin, [*listed, *_others(before, probes.strings)])
        if origin in probes.found.unknown or (
            listed and not any(one in answered for one in listed)
        ):
            failed.append(origin)
    for origin in failed:
        probes.change_elsewhere(origin, schema)
    return probes.found


def _listed(schema: Mapping[str, Any] | None, origin: Origin) -> Sequence[Any]:
    """Return the values that a schema lists for a value of the composite; empty if it lists
    none.
    """
    place = None if schema is None or origin.part != "xr" else Schema(schema).at(origin.steps)
    parts = [] if place is None else [one.source for one in place.alternatives()]
    choices = next((one["enum"] for one in parts if "enum" in one), None)
    return choices if isinstance(choices, list) else ()


class _Probes:
    """The calls of a function with one value of its request changed.

    Args:
        request: The bytes of the request.
        names: The names of the resources.
        answer: A function that calls the composition function.

    Attributes:
        source: The request.
        strings: The strings in the composite.
        found: What the calls have shown so far.
    """

    def __init__(self, request: bytes, names: Sequence[str], answer: Answer) -> None:
        self._answer = answer
        base, again = (answer(request, names.__contains__) for _ in range(2))
        every = {name: base.fields.get(name, {}) for name in names}
        made = {
            name: Made(one, _different(one, again.fields.get(name, {})), {}, [], [])
            for name, one in every.items()
        }
        self._known = base.names
        # For the elements of lists, a request in which resources have other names by a change of
        # the element.
        self._named: dict[Steps, tuple[bytes, Mapping[str, str]]] = {}
        self.source = Request(request)
        tree = self.source.tree(Origin("xr", "", ()))
        self.strings = {value for _, value in leaves(tree) if isinstance(value, str)}
        self.found = Probed(made, {}, False)

    def change(self, origin: Origin, values: Iterable[Any]) -> list[Any]:
        """Try values in the place of one, until the function has shown each resource with another
        value.

        Where resources have other names then, they are observed under these names, and count as the
        same resources.

        Returns:
            The values that the function has answered for.
        """
        before = self.source.value(origin)
        pending = dict(self.found.made)
        problem = ""
        answered = []

        def is_wanted(name: str) -> bool:
            return name in pending or name not in self._known

        for value in values:
            request = self.source.changed(origin, value) if pending else None
            if request is None:
                continue
            found = self._answer(request, is_wanted)
            renamed = {} if found.error else _renamed(self._known, found.names, before, value)
            if renamed:
                request = _observed_as(request, renamed)
                self._named.setdefault(origin.steps[:-1], (request, renamed))
                found = self._answer(request, is_wanted)
            if found.error:
                problem = found.error
                continue
            answered.append(value)
            for name in [one for one in pending if renamed.get(one, one) in found.fields]:
                made = pending.pop(name)
                if name in renamed:
                    _add(made.decides, origin)
                fields = _with_names(found.fields[renamed.get(name, name)], renamed)
                for steps in _different(made.base, fields) - made.varies:
                    _add(made.sources.setdefault(steps, []), origin)
        for made in pending.values() if answered else ():
            _add(made.decides, origin)
            made.unseen.append(origin)
        if problem and not answered:
            self.found.unknown[origin] = problem
        return answered

    def change_elsewhere(self, origin: Origin, schema: Mapping[str, Any] | None) -> None:
        """Try a value of a list's element again, beside another value of the element that changes
        resources' names.

        Two elements may differ in this value alone, so that with another one two resources would
        have the same name.
        """
        request, renamed = self._named.get(origin.steps[:-1], (b"", {}))
        if not request or not isinstance(origin.steps[-2], int):
            return
        names = {name: renamed.get(name, name) for name in self.found.made}
        there = probed(request, list(names.values()), [origin], self._answer, schema)
        if not there.unknown:
            self.found.unknown.pop(origin, None)
        for name, other in names.items():
            for steps in there.made[other].sources:
                _add(self.found.made[name].sources.setdefault(steps, []), origin)


def _add(origins: list[Origin], origin: Origin) -> None:
    if origin not in origins:
        origins.append(origin)


def _renamed(
    known: AbstractSet[str], now: AbstractSet[str], before: Any, value: Any
) -> dict[str, str]:
    """Return the new names of resources whose names have one `value` in the place of `before`
    now.
    """
    if not isinstance(before, (str, int)) or isinstance(before, bool) or before == "":
        return {}
    found = {}
    for name in known - now:
        for match in re.finditer(re.escape(str(before)), name):
            other = f"{name[: match.start()]}{value}{name[match.end() :]}"
            if other in now and other not in known:
                found[name] = other
    return found


def _observed_as(request: bytes, renamed: Mapping[str, str]) -> bytes:
    """Return a request in which resources are observed under other names."""
    message = _view.RunFunctionRequest.FromString(request)
    resources = message.observed.resources
    for name, other in renamed.items():
        if name in resources:
            resources[other].CopyFrom(resources[name])
            del resources[name]
    made: bytes = message.SerializeToString(deterministic=True)
    return made


def _with_names(fields: Fields, renamed: Mapping[str, str]) -> Fields:
    """Return fields that wait for values of resources by their names before the change."""
    names = {other: name for name, other in renamed.items()}

    def before(path: str) -> str:
        head = next((other for other in names if path.startswith((f"{other}.", f"{other}["))), "")
        return names.get(head, head) + path.removeprefix(head)

    return {
        steps: Waits(tuple(map(before, value.paths)))
        if names and isinstance(value, Waits)
        else value
        for steps, value in fields.items()
    }


def _different(base: Fields, other: Fields) -> set[Steps]:
    """Return the fields in `base` that differ in `other` or are missing there.

    If `other` has a new field, such as an element of a longer list, the last field of `base` in the
    same object or list, or around it, counts as different.
    """
    found = {
        steps
        for steps, value in base.items()
        if steps not in other or not _same(other[steps], value)
    }
    for steps in other:
        if steps not in base:
            near = [one for one in base if one[:-1] == steps[:-1] or one == steps[: len(one)]]
            found.update(near[-1:])
    return found


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _others(value: Any, taken: AbstractSet[str]) -> Iterator[Any]:
    """Yield other values of the same type; for None, a string, an integer and True.

    The values that are most likely to be valid come first. No string is one of `taken`: two parts
    that get the same value may get the same name.
    """
    if value is None:
        yield from _FOR_UNSET
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield value + 1
        yield value - 1
    elif isinstance(value, str):
        if value in ("True", "False"):
            yield "False" if value == "True" else "True"
            return
        signs = [found.start() for found in re.finditer("[A-Za-z0-9]", value)]
        for at in dict.fromkeys([*signs[-1:], *signs[:1]]):
            others = (f"{value[:at]}{sign}{value[at + 1 :]}" for sign in _after(value[at]))
            yield from (
                one
                for one in [next((one for one in others if one not in taken), None)]
                if one is not None
            )
        yield f"{value}x"


def _after(sign: str) -> str:
    """Return the other letters of the same case, or the other digits, from the next one on and
    around.
    """
    alphabet = next(one for one in (ascii_lowercase, ascii_uppercase, digits) if sign in one)
    at = alphabet.index(sign)
    return alphabet[at + 1 :] + alphabet[:at]


class Request:
    """A request that can be encoded again with one of its values changed.

    Args:
        data: The bytes of the request.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._message = _view.RunFunctionRequest.FromString(data)
        self._trees: dict[tuple[Any, ...], Any] = {}

    def tree(self, origin: Origin) -> Any:
        """Return the object that has an origin's value, such as the composite or the input, as
        plain data.

        None if the object is missing or malformed. The caller must not change it.
        """
        key = (origin.part, origin.name, *(origin.steps[:1] if origin.part == "required" else ()))
        if key not in self._trees:
            holder, field, _ = _place(self._message, origin)
            try:
                self._trees[key] = (
                    None if holder is None else codec.decode_struct(getattr(holder, field))
                )
            except CrossplaneLiteError:
                self._trees[key] = None
        return self._trees[key]

    def value(self, origin: Origin) -> Any:
        """Return the value at an origin; None if there is no value. Bytes are returned as text."""
        data = _data(self._message, origin)
        if data is not None:
            return data.get(origin.steps[-1], b"").decode(errors="replace")
        return lookup(self.tree(origin), _place(self._message, origin)[2])

    def changed(self, origin: Origin, value: Any) -> bytes | None:
        """Return the bytes of the request with `value` at an origin; None if no value can be set
        there.

        Missing objects around the value are added. This request itself stays unchanged.
        """
        message = _view.RunFunctionRequest.FromString(self._data)
        data = _data(message, origin)
        if data is not None:
            data[origin.steps[-1]] = str(value).encode()
        else:
            holder, field, way = _place(message, origin)
            try:
                tree = codec.decode_struct(getattr(holder, field))
                put(tree, way, value)
                setattr(holder, field, codec.encode_struct(tree))
                if origin.part == "xr" and origin.steps[0] == "status":
                    # Else a resource stays as it was made while the function sets the status to
                    # another value.
                    for one in message.observed.resources.values():
                        one.resource = codec.encode_struct(
                            without_digests(codec.decode_struct(one.resource))
                        )
            except (AttributeError, CrossplaneLiteError):
                # no such object, or a malformed one, or a value has no place
                return None
        made: bytes = message.SerializeToString(deterministic=True)
        return made


def _place(message: Any, origin: Origin) -> tuple[Any, str, Steps]:
    """Return the message and its field that have the bytes of an origin's object, and the steps in
    that object.

    The message is None if the request doesn't have it, and for origins in connection details and
    credentials.
    """
    name, steps = origin.name, origin.steps
    if origin.part in ("input", "context"):
        return message, origin.part, steps
    if origin.part == "xr":
        return message.observed.composite, "resource", steps
    if origin.part in ("observed", "desired"):
        resources = getattr(message, origin.part).resources
        return (resources[name] if name in resources else None), "resource", steps
    for field in (
        (message.required_resources, message.extra_resources) if origin.part == "required" else ()
    ):
        if name in field and steps[0] < len(field[name].items):
            return field[name].items[steps[0]], "resource", steps[1:]
    return None, "", ()


def _data(message: Any, origin: Origin) -> Any:
    """Return the protobuf map that has the bytes of an origin: connection details or credentials;
    else None.
    """
    if origin.part == "details":
        holder = (
            message.observed.resources[origin.name] if origin.name else message.observed.composite
        )
        return holder.connection_details
    return (
        message.credentials[origin.name].credential_data.data
        if origin.part == "credentials"
        else None
    )


def origins(request: bytes, recorded: Recorded | None) -> list[Origin]:
    """Return the origins of the values in a request that a resource may depend on.

    The composite's spec, name, namespace and labels, the statuses of observed resources'
    conditions, connection details, credentials, the input and the context are always among them.

    Args:
        request: The bytes of the request.
        recorded: The values that compose() has read; these are returned, too. If it is None, or
            compose() has used the raw request, more values are returned: all of the statuses, the
            specs of desired resources, and required resources.
    """
    message = _view.RunFunctionRequest.FromString(request)
    source = Request(request)
    roots = [Origin("xr", "", way) for way in _ALWAYS]
    roots += [
        Origin("observed", name, (*_CONDITIONS,)) for name in sorted(message.observed.resources)
    ]
    roots += [Origin("input", "", ()), Origin("context", "", ())]
    if recorded is None or recorded.raw:
        roots += [
            Origin("observed", name, ("status",)) for name in sorted(message.observed.resources)
        ]
        roots.append(Origin("xr", "", ("status",)))
        roots += [Origin("desired", name, ("spec",)) for name in sorted(message.desired.resources)]
        for found in (message.required_resources, message.extra_resources):
            roots += [
                Origin("required", name, (at,))
                for name in sorted(found)
                for at in range(len(found[name].items))
            ]
    origins = dict.fromkeys(
        one for root in roots for one in _leaves(source, root) if _counts(one, root)
    )
    for name in ("", *sorted(message.observed.resources)):
        holder = message.observed.resources[name] if name else message.observed.composite
        origins.update(
            dict.fromkeys(Origin("details", name, (key,)) for key in holder.connection_details)
        )
    for name, one in sorted(message.credentials.items()):
        origins.update(
            dict.fromkeys(Origin("credentials", name, (key,)) for key in one.credential_data.data)
        )
    if recorded is not None:
        origins.update(dict.fromkeys(_read(source, recorded)))
    return list(origins)


def _counts(origin: Origin, root: Origin) -> bool:
    """Return whether a resource may depend on a value below a root: of conditions, only on the
    status.
    """
    if root.steps == _CONDITIONS:
        return origin.steps[-1:] == ("status",)
    return (
        origin.steps[:1] != (HELD_BACK_KEY,) and (origin.part, origin.steps) not in _OF_THE_OBJECT
    )


_OF_THE_OBJECT: Final = frozenset({("input", ("apiVersion",)), ("input", ("kind",))})


def _read(source: Request, recorded: Recorded) -> Iterator[Origin]:
    """Yield the origins of the scalars that compose() has read.

    If compose() has read an object but none of its fields, the origins of all scalars in the object
    are yielded. Missing values are yielded only in the composite's spec and metadata.
    """
    above = {
        one._replace(steps=one.steps[:end])
        for one in recorded.reads
        for end in range(len(one.steps))
    }
    for origin in recorded.reads:
        if origin not in above:
            yield from _leaves(source, origin)
    yield from (
        one for one in recorded.unset if len(one.steps) > 1 and one.steps[0] in ("spec", "metadata")
    )


def _leaves(source: Request, origin: Origin) -> Iterator[Origin]:
    """Yield the origins of the scalars at and below an origin. Null isn't yielded."""
    value = source.value(origin) if origin.steps else source.tree(origin)
    for steps, one in reversed([*leaves(value)]):
        if one is not None and one not in ({}, []):
            yield origin._replace(steps=(*origin.steps, *steps))


def fields_of(raw: bytes) -> dict[Steps, Any]:
    """Return the scalars, empty objects and empty lists in a Struct, by the keys and indexes of
    their paths.

    Args:
        raw: The bytes of the Struct.

    Raises:
        WireError: The bytes aren't a valid Struct.
    """
    return {steps: value for steps, value in leaves(codec.decode_struct(raw)) if steps}
