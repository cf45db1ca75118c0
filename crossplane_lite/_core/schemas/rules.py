"""Evaluates the rules in CEL that schemas of kinds have (`x-kubernetes-validations`), as an API
server does.

The library is the one of the CEL project. Without it, one form of rule is understood: providers
that upjet generates have it for each required parameter, and hardly any others. Rules that can't be
evaluated are counted. Rules on `oldSelf` need the object as it exists.
"""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...errors import MissingExtraError
from ..base import extras
from ..base.texts import short_text
from ..observed.observable import Observable
from ..paths.schema import PARAMETER, Schema
from ..paths.text import show
from ..paths.trees import identity
from .cel_functions import extension, with_one_variable

_RULES: Final = "x-kubernetes-validations"
_ABSENT: Final = object()
_EXISTS: Final = "own_exists"
_OLD: Final = re.compile(r"\boldSelf\b")
# Errors that come from the library, which doesn't know all types of Kubernetes.
_OURS: Final = ("No matching overloads", "Non-CEL value type")
_DEEPEST: Final = 100
_WRITES: Final = ("*", "Create", "Update")
# https://kubernetes.io/docs/reference/using-api/cel/#escaping: how CEL names what isn't one of its
# identifiers.
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_WORDS: Final = frozenset(
    "as break const continue else false for function if import in let loop null namespace package"
    " return true var void while".split()
)


class Verdicts(NamedTuple):
    """What the rules of a schema say about an object.

    Attributes:
        broken: The path and the message of each rule that is broken, or that the library can't
            evaluate.
        unknown: Why rules aren't evaluated, because the library isn't installed, once for each.
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


def verdicts(
    resource: Mapping[str, Any], schema: Mapping[str, Any], old: Mapping[str, Any] | None = None
) -> Verdicts:
    """Evaluate the rules of a kind for an object.

    Args:
        resource: The object as it would be stored, with defaults, in which Observables stand for
            unresolved values. A rule that is broken and names a field with such a value counts as
            kept.
        schema: The schema of the kind.
        old: The object as it exists; None if it doesn't exist.
    """
    broken: list[tuple[str, str]] = []
    unknown: list[str] = []
    applied = 0
    for one in _rules(resource, old if old is not None else _ABSENT, Schema(schema), ()):
        text = str(one.rule.get("rule"))
        is_transition = _OLD.search(text) is not None
        if is_transition and one.old is _ABSENT and one.rule.get("optionalOldSelf") is not True:
            continue
        if not is_transition and one.old is not _ABSENT and one.old == one.value:
            continue  # an API server takes what doesn't change as it is
        applied += 1
        try:
            open_ = {str(step) for steps in _open(one.value, ()) for step in steps}
            is_kept = _is_kept(text, one)
        except MissingExtraError as why:
            unknown.append(str(why))
            continue
        except (_Unknown, RecursionError) as why:
            broken.append(
                (show(one.path), f"the rule {short_text(text)} can't be checked here: {why}")
            )
            continue
        if not is_kept and not any(
            re.search(rf"\b{re.escape(_name(step))}\b", text) for step in open_
        ):
            broken.append((show(one.path), _message(one)))
    return Verdicts(broken, unknown, applied)


def wrong_rule(rule: Mapping[str, Any]) -> str:
    """Return why a rule can't be compiled; empty if it can, or if the library isn't installed."""
    text = str(rule.get("rule"))
    if PARAMETER.fullmatch(text.strip()):
        return ""
    try:
        _compiled(_with_old(text, rule))
    except MissingExtraError:
        return ""
    except RuntimeError as error:
        return _first_error(error)
    return ""


def _with_old(text: str, rule: Mapping[str, Any]) -> str:
    """Return the text of a rule, in which an optional `oldSelf` is one for CEL, too."""
    if rule.get("optionalOldSelf") is not True:
        return text
    return _OLD.sub(f"({_EXISTS} ? optional.of(oldSelf) : optional.none())", text)


def _first_error(error: RuntimeError) -> str:
    """Return the first of the mistakes that the library has found in a rule."""
    return str(error).partition("ERROR: ")[2].partition("\n")[0] or str(error)


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
            places = [
                one.value.get("forProvider"),
                one.value.get("initProvider") if required[2] else None,
            ]
            has = any(isinstance(place, Mapping) and _has(place, required[1]) for place in places)
            return (
                has
                or not isinstance(policies, Sequence)
                or not any(word in policies for word in _WRITES)
            )
    try:
        program = _compiled(_with_old(text, one.rule))
        values = {
            "self": _as_cel(one.value, one.schema),
            "oldSelf": None,
            _EXISTS: one.old is not _ABSENT,
        }
    except RuntimeError as error:
        raise _Unknown(_first_error(error)) from None
    if one.old is not _ABSENT:
        values["oldSelf"] = _as_cel(_in_order(one.old, one.value, one.schema), one.schema)
    made = program.eval(data=values)
    value = made.value()
    if value is True or value is False:
        return bool(value)
    if any(words in str(value) for words in _OURS):
        raise _Unknown(short_text(str(value)))
    return False  # an error, such as a missing key, refuses the object


def _in_order(old: Any, new: Any, schema: Schema) -> Any:
    """Return an old value in which sets have the order of the new one's, because their order
    doesn't count.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        return {
            key: _in_order(one, new[key], schema.below(key) or Schema({})) if key in new else one
            for key, one in old.items()
        }
    if not isinstance(old, list) or not isinstance(new, list):
        return old
    keys = schema.list_keys
    if schema.list_type == "set":
        return [*(one for one in new if one in old), *(one for one in old if one not in new)]
    if not keys:
        return old
    order = [identity(one, keys) for one in new]
    known = {identity(one, keys): one for one in old}
    found = [known.pop(key) for key in order if key in known]
    return [*found, *known.values()]


def _has(holder: Mapping[str, Any], name: str) -> bool:
    return any(_name(key) == name and value is not None for key, value in holder.items())


@functools.lru_cache(4096)
def _compiled(text: str) -> Any:
    return _environment().compile(with_one_variable(text))


@functools.cache
def _environment() -> Any:
    cel = extras.load("cel_expr_python.cel", "cli")
    extensions = [
        getattr(extras.load(f"cel_expr_python.ext.ext_{name.lower()}", "cli"), f"Ext{name}")()
        for name in ("Strings", "Math", "Optional", "Bindings")
    ]
    names = ("self", "oldSelf", _EXISTS)
    return cel.NewEnv(
        variables=dict.fromkeys(names, cel.Type.DYN), extensions=[*extensions, extension(cel)]
    )


def _as_cel(value: Any, schema: Schema) -> Any:
    """Return a value as CEL sees it: names of fields escaped, unresolved values as empty texts."""
    if type(value) is Observable:
        return ""
    if schema.source.get("format") == "byte" and isinstance(value, str):
        return base64.b64decode(value)
    below = {key: _as_cel(one, schema.below(key) or Schema({})) for key, one in _members(value)}
    if isinstance(value, Mapping):
        fields = schema.properties
        # A null in a field is no value for an API server, but one in a map is.
        return {
            _name(key) if key in fields else key: one
            for key, one in below.items()
            if one is not None or key not in fields
        }
    if isinstance(value, list):
        return list(below.values())
    return float(value) if schema.source.get("type") == "number" and type(value) is int else value


def _name(key: str) -> str:
    if key in _WORDS:
        return f"__{key}__"
    return re.sub(r"__|[./-]", lambda found: _ESCAPES[found[0]], key)
