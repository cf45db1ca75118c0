"""What the API requires of resources, as the tables of models say it: required fields, choices and
limits.

`checking` has the check.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..base.texts import near_name, some
from .types import unescape

if TYPE_CHECKING:
    from types import CodeType

Origin = tuple["CodeType", int]
"""The place in the author's code that registered a resource: its code, and the index of the
instruction in it.
"""


class Limit:
    """What the value of a field may be.

    Attributes:
        choices: The values, as text; empty for a range.
        counts: Whether the range is one of lengths.
        least: The lower end of a range; None without one.
        most: The upper end of a range; None without one.
    """

    __slots__ = ("choices", "counts", "least", "most")

    def __init__(self, sort: str, rule: str) -> None:
        ends = rule.split("..") if sort != "=" else ("", "")
        self.choices = {} if sort != "=" else dict.fromkeys(map(unescape, rule.split(",")))
        self.counts = sort == "^"
        self.least, self.most = (float(end) if end else None for end in ends)

    def problem(self, value: Any) -> str:
        """Return what is wrong with a value; an empty string if nothing is, or if the value isn't
        known yet.
        """
        kind = type(value)
        if self.choices:
            for one in value if issubclass(kind, list) else [str(value) if kind is int else value]:
                if type(one) is str and one not in self.choices:
                    known = list(self.choices)
                    return (
                        f"must be one of {some(known, 10)} (got {one!r:.60}){near_name(one, known)}"
                    )
            return ""
        if self.counts:
            return (
                self._range(len(value), "have a length of") if issubclass(kind, (str, list)) else ""
            )
        return self._range(value, "be") if kind is int or kind is float else ""

    def _range(self, size: float, words: str) -> str:
        if self.least is not None and size < self.least:
            return f"must {words} at least {self.least:g} (got {size})"
        return (
            f"must {words} at most {self.most:g} (got {size})"
            if self.most is not None and size > self.most
            else ""
        )


class Rules:
    """The rules of a class of models. Fields are named by their attributes.

    Attributes:
        required: The fields that an instance must have.
        ways: The fields that lead to instances of classes with rules.
        parameters: The fields of `forProvider` that must be set there or in `initProvider` (upjet's
            rule), unless `managementPolicies` keep the provider from writing.
        limits: What the values of fields may be.
    """

    def __init__(self, words: Iterable[str]) -> None:
        names: dict[str, list[str]] = {}
        for word in words:
            names.setdefault(word[0], []).append(word[1:])
        of = {mark: tuple(found[0].split(",")) for mark, found in names.items() if mark != "&"}
        self.required = frozenset(of.get("!", ()))
        self.ways = of.get(">", ())
        self.parameters = frozenset(of.get("?", ()))
        self.limits: dict[str, Limit] = {}
        for rule in names.get("&", ()):
            at = next(at for at, character in enumerate(rule) if character in "=~^")
            self.limits[rule[:at]] = Limit(rule[at], rule[at + 1 :])
