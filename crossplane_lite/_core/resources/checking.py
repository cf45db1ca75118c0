"""Checks that registered resources keep the rules of their models' tables (see `rules`).

This is done when the answer is made. Nearly all resources keep the rules, which a look at the set
fields shows (`_is_suspect`); only the others are made plain data, because a field may also come
from a previous function.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..models.node import ModelShape
from ..models.types import LIST, MAP, MODEL, Type
from ..models.walker import plain_data, show_path
from ..observed.observable import Observable

if TYPE_CHECKING:
    from ..observed.tracker import Tracker
    from .resource import Resource

# Upjet's resources need their parameters only if the provider may create or update the object.
_WRITING: Final = frozenset(("*", "Create", "Update"))
_MISSING: Final = "is required, and nothing sets it"

# The digests of contents that keep the rules: nearly every call desires what the last one desired.
_MOST_DIGESTS: Final = 20_000
_sound: Final[set[str]] = set()

Problem = tuple[tuple["str | int", ...], str]


def broken_rules(resources: Iterable[tuple[str, Resource, str]], call: Tracker) -> list[str]:
    """Return a text for each rule that a registered resource breaks: the field's path, the problem,
    and the line.

    Values that aren't known yet, and values of previous functions, count as set. Each resource
    comes with its name and the digest of its content, which is empty if it is held back. A content
    that kept the rules isn't checked again.
    """
    texts: list[str] = []
    for name, model, digest in resources:
        if type(model)._rules is None or digest in _sound:
            continue
        found: Iterable[Problem] = ()
        if _is_suspect(model):
            found = list(_problems(type(model), plain_data(model), (), call))
        texts += [
            f"{name}.{show_path(list(steps))}: {problem}{line_of(model)}"
            for steps, problem in found
        ]
        if digest and not found:
            if len(_sound) >= _MOST_DIGESTS:
                _sound.clear()
            _sound.add(digest)
    return texts


def one_object_text(first: str, second: str, object_: Sequence[str]) -> str:
    """Return the message about two names of one object: its group, kind, namespace and name."""
    _, kind, namespace, name = object_
    where = f" in namespace {namespace!r}" if namespace else ""
    return (
        f"{first} and {second} are the same object, {kind} {name!r}{where}: Crossplane would apply"
        " one over the other, in turns; give each a metadata.name of its own, or register the"
        " object once"
    )


def line_of(model: Resource) -> str:
    place = None if model._state is None else model._state.origin
    if place is None:
        return ""
    code, index = place
    line = next((line for start, end, line in code.co_lines() if start <= index < end), None)
    return f" ({os.path.basename(code.co_filename)}:{line})"


def _is_suspect(value: Any) -> bool:
    """Return whether the set fields of a model, without those of previous functions, may break a
    rule.

    A list or map is suspect if something in it is.
    """
    rules = getattr(type(value), "_rules", None)
    if rules is None:
        inner = (
            value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
        )
        return any(map(_is_suspect, inner))
    fields = value.__dict__
    given = fields.get("forProvider") if rules.parameters else None
    if not rules.required <= fields.keys() or (
        isinstance(given, ModelShape) and not rules.parameters <= given.__dict__.keys()
    ):
        return True
    for name in rules.ways:
        if name in fields and _is_suspect(fields[name]):
            return True
    return bool(rules.limits) and any(
        rule.problem(fields.get(name)) for name, rule in rules.limits.items()
    )


def _problems(
    cls: type[ModelShape], data: Any, steps: tuple[str | int, ...], call: Tracker
) -> Iterator[Problem]:
    """Yield the problems of plain data that an instance of `cls` stands for."""
    rules = cls._rules
    if rules is None or not isinstance(data, dict):
        return
    fields = cls.__wire_fields__
    for wire in sorted(fields[name].wire for name in rules.required):
        if data.get(wire) is None:
            yield (*steps, wire), _MISSING
    for name, limit in rules.limits.items():
        wire = fields[name].wire
        value = data.get(wire)
        problem = limit.problem(value)
        if problem and not (call.searches and call.has_token(repr(value).encode(errors="replace"))):
            yield (*steps, wire), problem
    for name in rules.ways:
        yield from _within(
            fields[name].type, data.get(fields[name].wire), (*steps, fields[name].wire), call
        )
    given, initial = data.get("forProvider"), data.get("initProvider") or {}
    if rules.parameters and _writes(data.get("managementPolicies")) and isinstance(given, dict):
        known = fields["forProvider"].type.cls.__wire_fields__
        for wire in sorted(known[name].wire for name in rules.parameters):
            if given.get(wire) is None and isinstance(initial, dict) and initial.get(wire) is None:
                yield (*steps, "forProvider", wire), _MISSING


def _within(
    type_: Type, value: Any, steps: tuple[str | int, ...], call: Tracker
) -> Iterator[Problem]:
    if type_.code == MODEL:
        yield from _problems(type_.cls, value, steps, call)
    elif type_.code in (LIST, MAP) and isinstance(value, (list, dict)):
        for step, one in enumerate(value) if isinstance(value, list) else value.items():
            if not isinstance(step, Observable):
                yield from _within(type_.item, one, (*steps, step), call)


def _writes(policies: Any) -> bool:
    """Return whether a provider may create or update the object; False if the policies aren't known
    yet.
    """
    if policies is None:
        return True
    return isinstance(policies, list) and any(
        type(one) is str and one in _WRITING for one in policies
    )
