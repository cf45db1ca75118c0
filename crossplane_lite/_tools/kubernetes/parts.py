"""Reads parts of objects for the rules of kinds, and checks the forms of texts that many kinds
have.

A value that isn't known yet, or has another type than the schema says, is left out: the schema's
check tells that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ..._core.base.names import (
    DNS_LABEL_FORM,
    KEY_FORM,
    WORD_FORM,
    is_dns_label,
    is_key,
    is_label_value,
    is_subdomain,
)
from ..._core.paths.trees import lookup
from ..._core.schemas import quantities

Path = tuple["str | int", ...]
Problem = tuple[Path, str]
"""The path in the object, and what is wrong there."""
Rule = Callable[[Mapping[str, Any]], Iterator[Problem]]

_LONGEST_PORT_NAME: Final = 15
_data_key: Final = re.compile(r"(?=.{1,253}$)(?!\.\.)[-._a-zA-Z0-9]+", re.ASCII).fullmatch


PROTOCOLS: Final = ("TCP", "UDP", "SCTP")


def mapping(holder: Any, *steps: str) -> Mapping[str, Any]:
    """Return the mapping at a path; an empty one if there is none."""
    found = lookup(holder, steps)
    return found if isinstance(found, Mapping) else {}


def elements(holder: Any, *steps: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the mappings in the list at a path, each with its index."""
    found = lookup(holder, steps)
    for index, one in enumerate(found if isinstance(found, list) else ()):
        if isinstance(one, Mapping):
            yield index, one


def text(holder: Any, *steps: str) -> str:
    """Return the string at a path; empty if there is none."""
    found = lookup(holder, steps)
    return found if type(found) is str else ""


def number(holder: Any, *steps: str) -> int | None:
    """Return the whole number at a path; None if there is none."""
    found = lookup(holder, steps)
    if type(found) is float and found.is_integer():
        return int(found)
    return found if type(found) is int else None


def is_known(value: Any) -> bool:
    """Return whether a value is plain data, without values that aren't there yet."""
    if isinstance(value, Mapping):
        return all(is_known(one) for one in value.values())
    if isinstance(value, list):
        return all(is_known(one) for one in value)
    return value is None or isinstance(value, (str, int, float))


def missing(holder: Mapping[str, Any], path: Path, *names: str) -> Iterator[Problem]:
    """Yield each field that is required and missing or empty."""
    for name in names:
        if holder.get(name) in (None, "", [], {}):
            yield (*path, name), "is required"


def outside(
    holder: Mapping[str, Any], path: Path, name: str, least: int, most: int | None = None
) -> Iterator[Problem]:
    """Yield a number that is outside of its range."""
    found = number(holder, name)
    if found is None or (found >= least and (most is None or found <= most)):
        return
    limits = f"{least} or more" if most is None else f"from {least} to {most}"
    yield (*path, name), f"must be {limits} (got {found})"


def other(
    holder: Mapping[str, Any], path: Path, name: str, allowed: Sequence[str]
) -> Iterator[Problem]:
    """Yield a string that isn't one of the allowed ones."""
    found = text(holder, name)
    if found and found not in allowed:
        yield (*path, name), f"must be {_one_of(allowed)} (got {found!r})"


def several(
    holder: Mapping[str, Any], path: Path, names: Sequence[str], *, needs_one: bool = True
) -> Iterator[Problem]:
    """Yield a problem unless exactly one of the fields is there; without `needs_one`, at most
    one.
    """
    found = [name for name in names if holder.get(name) is not None]
    if len(found) > 1:
        yield path, f"must have one of {_one_of(names)} (it has {' and '.join(found)})"
    elif not found and needs_one:
        yield path, f"must have {_one_of(names)}"


def _one_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def twice(found: Iterable[tuple[Any, Path]], what: str) -> Iterator[Problem]:
    """Yield the places of values that an element before has already."""
    seen = set()
    for value, path in found:
        if value in seen:
            yield path, f"the same {what} as an element before it: {value!r}"
        seen.add(value)


def label(value: Any, path: Path) -> Iterator[Problem]:
    """Yield a problem if a string isn't a DNS label."""
    if type(value) is str and not is_dns_label(value):
        yield path, f"{value!r} must be a DNS label: {DNS_LABEL_FORM}"


def domain(value: Any, path: Path, *, wildcard: bool = False) -> Iterator[Problem]:
    """Yield a problem if a string isn't a DNS name."""
    if type(value) is str and not is_subdomain(value.removeprefix("*.") if wildcard else value):
        yield path, f"{value!r} must be a DNS name: lower-case letters, digits, '-' and '.'"


def port(value: Any, path: Path) -> Iterator[Problem]:
    """Yield a problem if a value is neither the number nor the name of a port."""
    if type(value) is int and not 1 <= value <= 65535:
        yield path, f"must be from 1 to 65535 (got {value})"
    elif type(value) is str:
        yield from port_name(value, path)


def port_name(value: Any, path: Path) -> Iterator[Problem]:
    """Yield a problem if a string isn't the name of a port of a container."""
    if type(value) is str and not _is_port_name(value):
        yield (
            path,
            (
                f"{value!r} must have up to 15 lower-case letters, digits and '-', and a letter"
                " among them"
            ),
        )


def _is_port_name(text: str) -> bool:
    has_letter = re.search("[a-z]", text) is not None
    return (
        len(text) <= _LONGEST_PORT_NAME and has_letter and "--" not in text and is_dns_label(text)
    )


def data_key(value: str, path: Path) -> Iterator[Problem]:
    """Yield a problem if a key can't be one of a ConfigMap or Secret."""
    if not _data_key(value) or value == ".":
        yield (
            path,
            (
                f"the key {value!r} must have up to 253 letters, digits, '-', '_' and '.', and not"
                " begin with '..'"
            ),
        )


def labels(holder: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """Yield wrong keys and values of labels."""
    for key, value in holder.items():
        if not is_key(str(key)):
            yield (*path, key), f"{key!r} isn't a label's key: use {KEY_FORM}"
        if type(value) is str and not is_label_value(value):
            yield (*path, key), f"{value!r} isn't a label's value: use {WORD_FORM}"


def amount(value: Any) -> Fraction | float | None:
    """Return the number that a quantity such as `500m` stands for; None if it isn't known or isn't
    one.
    """
    if type(value) in (int, float):
        return float(value)
    try:
        return quantities.amount(value) if type(value) is str else None
    except ValueError:
        return None


def quantity(value: Any, path: Path, *, least: float | None = 0) -> Iterator[Problem]:
    """Yield a problem if a string isn't a quantity, or is too small."""
    found = amount(value)
    if type(value) is str and found is None:
        yield path, f"{value!r} must be a quantity, such as 500m, 1.5 or 2Gi"
    elif least is not None and found is not None and found < least:
        yield path, f"must be {least:g} or more (got {value})"
