"""Checking plain data against a schema: preparing the data for the validator, and turning its
errors into mistakes.

Steps are the keys and indexes that lead to a value. A value is unresolved if it is an Observable
without a value, or a string made from one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...errors import EncodeError, UsageError
from .. import codec
from ..base import extras
from ..base.hashes import sha256
from ..base.kept import Kept
from ..base.scalars import EXACT
from ..models.walker import canonical, show_path
from ..observed.observable import Observable
from ..observed.tracker import mask
from ..paths.trees import identity
from ..resources.object_meta import metadata_problem
from . import texts
from .formats import FORMATS
from .go_patterns import rewritten
from .translate import (
    DEEPEST_SCHEMA,
    MERGE_KEYS,
    NULL_IS_ABSENT,
    NULLABLE,
    OBJECT,
    TOO_DEEP,
    SchemaError,
    key_of,
    name_of,
    translate,
)

if TYPE_CHECKING:
    from ..observed.tracker import Tracker

Steps = tuple["str | int", ...]
Problem = tuple[Steps, str]
"""A mistake in the data: the steps that lead to it, and its text."""

Rules = dict[str, Any]

# The rules whose result depends on all values in the object or list, so that they say nothing if
# one is unresolved.
_OF_CONTENT: Final = frozenset({"anyOf", "not", "oneOf", "uniqueItems"})
_OF_KEYS: Final = frozenset({"maxProperties", "minProperties", "required"})
_ANYTHING: Final[Rules] = {}
_TESTS: Final = {name: test for name, (test, _) in FORMATS.items()}

_kept: Final[Kept[Validator]] = Kept(64)


def library() -> Any:
    """Import and return the package `jsonschema_rs`, the validator.

    Raises:
        MissingExtraError: The extra `schemas` isn't installed.
    """
    return extras.load("jsonschema_rs", "schemas")


def validator_for(schema: Mapping[str, Any]) -> Validator:
    """Return the validator of a schema. The 64 validators that were used last are cached.

    A schema with the same content in another order has the same validator, because Crossplane sends
    the entries of a map in a different order each time.

    Raises:
        SchemaError: The schema can't be used.
        MissingExtraError: The extra `schemas` isn't installed.
    """
    try:
        text = canonical(schema)
    except UsageError:
        raise SchemaError(TOO_DEEP) from None
    key = sha256(text.encode(errors="surrogatepass")).digest()
    return _kept.get(key, lambda: Validator(schema))


class Validator:
    """Checks data against one schema, which is translated and compiled once.

    Args:
        schema: The schema of a kind, as Crossplane sends it.

    Raises:
        SchemaError: The schema can't be used.
        MissingExtraError: The extra `schemas` isn't installed.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._plain = translate(schema)
        self._compiled = _compile(self._plain)

    def problems(
        self, data: Mapping[str, Any], call: Tracker | None, *, secret: bool, partial: bool = False
    ) -> list[Problem]:
        """Return the mistakes in plain data, ordered by path. A value of a wrong type has no other
        mistake.

        Unresolved values are never mistakes. `call` finds Observables in strings. `secret` hides
        values in the texts, and `partial` allows fields to be missing, because others set them.
        """
        checked = _Checked(data, self._plain, call, partial=partial)
        found = set(checked.problems)
        for error in self._compiled.iter_errors(checked.data):
            found.update(
                self._describe(
                    list(error.instance_path), list(error.schema_path), checked, secret=secret
                )
            )
        wrong_types = {steps for steps, _, is_type in found if is_type}
        told = {
            (steps, text) for steps, text, is_type in found if is_type or steps not in wrong_types
        }
        return sorted(told, key=lambda problem: ([_order(step) for step in problem[0]], problem[1]))

    def _describe(
        self, path: list[Any], schema_path: list[Any], checked: _Checked, *, secret: bool
    ) -> Iterator[tuple[Steps, str, bool]]:
        """Yield the mistakes that one error of the validator means.

        An error yields nothing if its cause is an unresolved value, or a null that the schema
        allows. A mistake is a tuple: the steps that lead to it, its text, and whether the value has
        a wrong type. `schema_path` leads to the broken rule. `secret` hides values in the text.
        """
        keyword = str(schema_path[-1])
        steps = _real(path)
        if checked.is_open(steps) or steps in checked.nulls:
            return
        if (keyword in _OF_CONTENT and steps in checked.holders) or (
            keyword in _OF_KEYS and steps in checked.keyless
        ):
            return
        rules = _at(self._plain, schema_path[:-1])
        value = _at(checked.data, path)
        for place, text in texts.describe(keyword, rules, value, secret=secret):
            yield (*steps, *_real(place)), text, keyword == "type"


def _real(path: Iterable[str | int]) -> Steps:
    return tuple(step if isinstance(step, int) else name_of(step) for step in path)


def _order(step: str | int) -> tuple[int, str]:
    return (step, "") if isinstance(step, int) else (-1, step)


def _at(data: Any, steps: Any) -> Any:
    for step in steps:
        data = data[step]
    return data


def _compile(plain: dict[str, Any]) -> Any:
    """Return the compiled validator of a translated schema. Patterns that can't be compiled are
    removed from `plain`.

    Raises:
        SchemaError: The schema can't be compiled without these patterns either.
        MissingExtraError: The extra `schemas` isn't installed.
    """
    try:
        return _made(plain)
    except ValueError:
        _drop_unknown_patterns(plain)
    try:
        return _made(plain)
    except ValueError as error:
        at = show_path(list(_real(getattr(error, "instance_path", ()))))
        text = str(error).partition("\n")[0]  # the other lines only repeat the place
        raise SchemaError(
            f"the schema can't be used: {at}{': ' if at else ''}{text:.200}"
        ) from None


def _made(plain: dict[str, Any]) -> Any:
    rust = library()
    return rust.Draft202012Validator(
        plain,
        formats=_TESTS,
        validate_formats=True,
        # As in Kubernetes: matching takes time that is linear in the text, and there is no
        # look-around.
        pattern_options=rust.RegexOptions(),
    )


def is_pattern(pattern: str) -> bool:
    """Return whether a pattern in Go's syntax can be compiled.

    Raises:
        MissingExtraError: The extra `schemas` isn't installed.
    """
    return _is_known(rewritten(pattern))


def _is_known(pattern: str) -> bool:
    """Return whether the validator can compile a rewritten pattern."""
    try:
        _made({"pattern": pattern})
    except ValueError:
        return False
    return True


def _drop_unknown_patterns(rules: Any) -> None:
    """Remove the patterns that the validator can't compile from a schema, so that its other rules
    can be checked.
    """
    if isinstance(rules, dict):
        if "pattern" in rules and not _is_known(rules["pattern"]):
            del rules["pattern"]
        names = ("items", "additionalProperties", "not", "allOf", "anyOf", "oneOf")
        rules = [*rules.get("properties", {}).values(), *(rules.get(name) for name in names)]
    for inner in rules:
        if isinstance(inner, (dict, list)):
            _drop_unknown_patterns(inner)


class _Checked:
    """The data that the validator gets: a copy, in which fields are left out that Kubernetes
    wouldn't see.

    Attributes:
        data: The copy. None stands for an unresolved value, and for what is deeper than a schema
            can be.
        problems: The mistakes found while copying. Each is a tuple of its steps, its text, and
            False: it isn't a wrong type.
        holders: The steps of objects and lists that have an unresolved value or key somewhere
            inside.
        nulls: The steps of the nulls that the schema allows.
        keyless: The steps of objects that may have more fields: those with an unresolved key; with
            `partial`, all.
    """

    def __init__(self, data: Any, rules: Rules, call: Tracker | None, *, partial: bool) -> None:
        self.problems: list[tuple[Steps, str, bool]] = []
        self.holders: set[Steps] = set()
        self.keyless: set[Steps] = set()
        self._open: set[Steps] = set()
        self.nulls: set[Steps] = set()
        self._call = call if call is not None and call.searches else None
        self._partial = partial
        self.data = self._copy(data, rules, ())

    def _copy(self, value: Any, rules: Rules, steps: Steps) -> Any:
        if len(steps) > DEEPEST_SCHEMA:
            return None
        if isinstance(value, dict):
            if self._partial:
                self.keyless.add(steps)
                self._hold(steps)
            made = {
                key_of(name): self._copy(item, inner, (*steps, name))
                for name, item, inner in self._members(value, rules, steps)
            }
            if rules.get(OBJECT):
                self._check_metadata(value, steps)
            return made
        if isinstance(value, list):
            self._find_twins(value, rules, steps)
            items = rules.get("items", _ANYTHING)
            return [self._copy(item, items, (*steps, at)) for at, item in enumerate(value)]
        return self._leaf(value, rules, steps)

    def _check_metadata(self, resource: dict[Any, Any], steps: Steps) -> None:
        """Add the first mistake in the metadata of a resource, which may be inside of the data."""
        # Only the data itself has a name that counts.
        api_version, kind = (
            ("", "") if steps else (str(resource.get(key)) for key in ("apiVersion", "kind"))
        )
        unresolved = [one[len(steps) :] for one in self._open]
        found = metadata_problem(resource.get("metadata"), api_version, kind, unresolved)
        if found is not None:
            self.problems.append(((*steps, *found.steps), found.problem, False))

    def is_open(self, steps: Steps) -> bool:
        """Return whether the value that `steps` lead to, or a value around it, is unresolved or
        can't be sent.
        """
        return bool(self._open) and any(
            steps[:length] in self._open for length in range(len(steps) + 1)
        )

    def _members(
        self, value: dict[Any, Any], rules: Rules, steps: Steps
    ) -> Iterator[tuple[str, Any, Rules]]:
        """Yield the fields of an object that the validator must see: name, value and rules.

        Unresolved keys are left out. So are nulls that stand for missing fields. A key that isn't a
        string is added to `problems`.
        """
        properties = rules.get("properties", _ANYTHING)
        others = rules.get("additionalProperties") or _ANYTHING
        for name, item in value.items():
            if self._is_unresolved(name):
                self.keyless.add(steps)
                self._hold(steps)
            elif not isinstance(name, str):
                self.problems.append(
                    (steps, f"has the key {mask(repr(name)):.60}, which isn't a string", False)
                )
            else:
                inner = properties.get(key_of(name), others)
                is_needed = key_of(name) in rules.get("required", ())
                if item is not None or is_needed or not inner.get(NULL_IS_ABSENT):
                    yield name, item, inner

    def _leaf(self, value: Any, rules: Rules, steps: Steps) -> Any:
        if value is None:
            if rules.get(NULLABLE) and "enum" not in rules:
                self.nulls.add(steps)
            return None
        if self._is_unresolved(value):
            self._open.add(steps)
            self._hold(steps[:-1])
            return None
        kind = type(value)
        if (
            kind is bool
            or (kind is str and value.isascii())
            or (kind is int and -EXACT <= value <= EXACT)
        ):
            return value
        try:
            return codec.decode_value(codec.encode_value(value))  # as Crossplane gets the value
        except EncodeError as error:
            self.problems.append((steps, error.problem, False))
            self._open.add(steps)
            return None

    def _is_unresolved(self, value: Any) -> bool:
        if type(value) is Observable:
            return True
        return (
            self._call is not None and isinstance(value, str) and bool(self._call.tokens_in(value))
        )

    def _hold(self, steps: Steps) -> None:
        """Add the object or list that `steps` lead to, and each object or list around it, to
        `holders`.
        """
        while steps not in self.holders:
            self.holders.add(steps)
            steps = steps[:-1]

    def _find_twins(self, values: list[Any], rules: Rules, steps: Steps) -> None:
        """Add a problem for each element whose merge keys have the same values as those of a
        previous element.

        Elements with a missing or unresolved merge key aren't compared. A list without merge keys
        has no problem.
        """
        keys = rules.get(MERGE_KEYS) or {}
        seen: dict[str, int] = {}
        for at, element in enumerate(values if keys else ()):
            found = identity({**keys, **element}, keys) if isinstance(element, dict) else None
            if found is None or any(map(self._is_unresolved, found)):
                continue
            first = seen.setdefault(repr(found), at)
            if first != at:
                self.problems.append(
                    ((*steps, at), f"has the same {' and '.join(keys)} as [{first}]", False)
                )
