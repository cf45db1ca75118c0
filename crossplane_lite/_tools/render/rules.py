"""Evaluates the rules in CEL that schemas of kinds have (`x-kubernetes-validations`), as an API server does.

The library is the one of the CEL project. Without it, one form of rule is understood: providers that upjet generates
have it for each required parameter, and hardly any others. Rules that can't be evaluated are counted. Rules on
`oldSelf` need the object as it exists.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..._core.base import extras
from ..._core.base.texts import short_text
from ..._core.observed.observable import Observable
from ..._core.paths.schema import PARAMETER, Schema
from ..._core.paths.text import show
from ..._core.paths.trees import identity
from ...errors import MissingExtraError
from ..manifests.objects import merged
from .definition import defaulted

_RULES: Final = "x-kubernetes-validations"
_ABSENT: Final = object()
_DEEPEST: Final = 100
_WRITES: Final = ("*", "Create", "Update")
# https://kubernetes.io/docs/reference/using-api/cel/#escaping: how CEL names what isn't one of its identifiers.
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_WORDS: Final = frozenset(
    "as break const continue else false for function if import in let loop null namespace package return true var "
    "void while".split()
)


class Verdicts(NamedTuple):
    """What the rules of a schema say about an object.

    Attributes:
        broken: The path and the message of each rule that is broken.
        unknown: Why rules couldn't be evaluated, once for each.
        applied: The number of rules that apply.
    """

    broken: list[tuple[str, str]]
    unknown: list[str]
    applied: int


class _Rule(NamedTuple):
    path: tuple[str | int, ...]
    rule: Mapping[str, Any]
    value: Any
    old: Any
    schema: Schema


def verdicts(resource: Mapping[str, Any], schema: Mapping[str, Any], old: Mapping[str, Any] | None = None) -> Verdicts:
    """Evaluate the rules of a kind for an object.

    Args:
        resource: The object as it is desired, in which Observables stand for unresolved values. A rule that is broken
            and names a field with such a value counts as kept.
        schema: The schema of the kind.
        old: The object as it exists, over which the desired one is merged; None if it doesn't exist.
    """
    now = defaulted(resource if old is None else merged(old, resource), schema)
    broken: list[tuple[str, str]] = []
    unknown: list[str] = []
    applied = 0
    for one in _rules(now, old if old is not None else _ABSENT, Schema(schema), ()):
        text = str(one.rule.get("rule"))
        if re.search(r"\boldSelf\b", text) and one.old is _ABSENT:
            continue
        applied += 1
        try:
            open_ = {str(step) for steps in _open(one.value, ()) for step in steps}
            is_kept = _is_kept(text, one)
        except (_Unknown, RecursionError) as why:
            unknown.append(str(why))
            continue
        if not is_kept and not any(re.search(rf"\b{re.escape(_name(step))}\b", text) for step in open_):
            broken.append((show(one.path), _message(one)))
    return Verdicts(broken, unknown, applied)


class _Unknown(Exception):
    """A rule can't be evaluated."""


def _rules(value: Any, old: Any, schema: Schema, path: tuple[str | int, ...]) -> Iterator[_Rule]:
    """Yield each rule of a schema that applies to a part of an object, with that part."""
    if value is None or type(value) is Observable or len(path) > _DEEPEST:
        return
    rules = schema.source.get(_RULES)
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, Mapping):
            yield _Rule(path, rule, value, old, schema)
    if isinstance(value, Mapping):
        before = old if isinstance(old, Mapping) else {}
    elif isinstance(value, list):
        # An API server knows old elements by their keys in maps alone.
        keys = schema.list_keys
        known = {identity(one, keys): one for one in old} if keys and isinstance(old, list) else {}
        before = {at: known.get(identity(one, keys), _ABSENT) for at, one in enumerate(value)}
    else:
        return
    for key, one in _members(value):
        below = schema.below(key)
        if below is not None:
            yield from _rules(one, before.get(key, _ABSENT), below, (*path, key))


def _members(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _open(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each unresolved value."""
    if type(value) is Observable:
        yield path
    for key, one in _members(value):
        yield from _open(one, (*path, key))


def _message(one: _Rule) -> str:
    message = one.rule.get("message")
    return str(message) if message else f"failed rule: {short_text(str(one.rule.get('rule')))}"


def _is_kept(text: str, one: _Rule) -> bool:
    """Evaluate a rule.

    Raises:
        _Unknown: It can't be evaluated.
    """
    if isinstance(one.value, Mapping):
        required = PARAMETER.fullmatch(text.strip())
        if required is not None:
            policies = one.value.get("managementPolicies", ["*"])
            places = [one.value.get("forProvider"), one.value.get("initProvider") if required[2] else None]
            has = any(isinstance(place, Mapping) and _has(place, required[1]) for place in places)
            return has or not isinstance(policies, Sequence) or not any(word in policies for word in _WRITES)
    try:
        program, values = _compiled(text), {"self": _as_cel(one.value, one.schema)}
    except MissingExtraError as error:
        raise _Unknown(str(error)) from None
    except RuntimeError as error:
        raise _Unknown(str(error).partition("ERROR: ")[2].partition("\n")[0] or str(error)) from None
    if one.old is not _ABSENT:
        values["oldSelf"] = _as_cel(one.old, one.schema)
    made = program.eval(data=values)
    value = made.value()
    if value is True or value is False:
        return bool(value)
    if "NOT_FOUND" in str(value):  # a missing key: the API server refuses that too
        return False
    raise _Unknown(short_text(f"{text}: {value}"))


def _has(holder: Mapping[str, Any], name: str) -> bool:
    return any(_name(key) == name and value is not None for key, value in holder.items())


@functools.lru_cache(4096)
def _compiled(text: str) -> Any:
    return _environment().compile(text)


@functools.cache
def _environment() -> Any:
    cel = extras.load("cel_expr_python.cel", "cel")
    extensions = [
        getattr(extras.load(f"cel_expr_python.ext.ext_{name.lower()}", "cel"), f"Ext{name}")()
        for name in ("Strings", "Math", "Optional")
    ]
    return cel.NewEnv(variables=dict.fromkeys(("self", "oldSelf"), cel.Type.DYN), extensions=extensions)


def _as_cel(value: Any, schema: Schema) -> Any:
    """Return a value as CEL sees it: names of fields escaped, unresolved values as empty texts."""
    if type(value) is Observable:
        return ""
    below = {key: _as_cel(one, schema.below(key) or Schema({})) for key, one in _members(value)}
    if isinstance(value, Mapping):
        fields = schema.properties
        return {_name(key) if key in fields else key: one for key, one in below.items()}
    if isinstance(value, list):
        return list(below.values())
    return float(value) if schema.source.get("type") == "number" and type(value) is int else value


def _name(key: str) -> str:
    if key in _WORDS:
        return f"__{key}__"
    return re.sub(r"__|[./-]", lambda found: _ESCAPES[found[0]], key)
