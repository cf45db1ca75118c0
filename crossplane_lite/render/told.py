"""What functions made with this package tell of who waits, wherever they run.

They say it for people, in the conditions `DependenciesResolved`, and for the pipeline's other steps, in the context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from .._answer.messages import CONDITION, CUT_OFF, HELD_BACK_KEY

__all__ = ["HELD_BACK_KEY", "Wait", "held_back", "waits"]

_LINE: Final = re.compile(r"(.+?) waits for (.+?) \((.*)\)", re.DOTALL)
_START: Final = re.compile(r".+? waits for .+? \(", re.DOTALL)
_BY_OTHERS: Final = " is held back by another step"


class Wait(NamedTuple):
    """One line of a condition.

    Attributes:
        name: What waits: a composed resource, or a requirement.
        path: The path of what it waits for; empty where another step holds it back.
        why: Why that has no value yet; empty likewise.
    """

    name: str
    path: str
    why: str


def waits(response: Any) -> Iterator[Wait]:
    """Yield what the conditions of an answer say, a RunFunctionResponse of any implementation."""
    for condition in response.conditions:
        if condition.type == CONDITION or condition.type.startswith(f"{CONDITION}-"):
            yield from _lines(condition.message)


def held_back(entry: Any) -> Iterator[str]:
    """Yield the names of the resources that any step holds back.

    Args:
        entry: What the context has under `HELD_BACK_KEY`, names by step; anything else counts as none.
    """
    for names in entry.values() if isinstance(entry, dict) else ():
        if isinstance(names, list):
            yield from (name for name in names if isinstance(name, str))


def _lines(message: str) -> Iterator[Wait]:
    parts: list[str] = []
    for part in message.split("; "):
        if not parts or _START.match(part) or part.endswith((_BY_OTHERS, CUT_OFF)) or part.startswith("and "):
            parts.append(part)
        else:  # the reason has a semicolon
            parts[-1] += f"; {part}"
    for part in parts:
        found = _LINE.fullmatch(part)
        if found is not None:
            yield Wait(found[1], found[2], found[3])
        elif part.endswith(_BY_OTHERS):
            yield Wait(part.removesuffix(_BY_OTHERS), "", "")
