"""Checks version constraints such as `>=1.20, <3`, as Crossplane's package manager does for `spec.crossplane.version`.

A version has one to three numbers, such as `1.20`; `x`, `X` or `*` can stand for a number. A pre-release and a build
may follow. A constraint has one or more comparisons with spaces or commas between them, and all of them must be true.
`||` separates alternatives, and `1.2 - 2` is a range.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["problem"]

_LONGEST: Final = 512
_MOST: Final = 32

_NUMBER: Final = r"(?:\d+|[xX*])"
_NAMES: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION: Final = rf"v?{_NUMBER}(?:\.{_NUMBER}){{0,2}}(?:-{_NAMES})?(?:\+{_NAMES})?"
_ONE: Final = rf"(?:!=|>=|=>|<=|=<|~>|[=<>~^])?\s*{_VERSION}"
_RANGE: Final = re.compile(rf"\s*({_VERSION})\s+-\s+({_VERSION})\s*", re.ASCII)
_ALL: Final = re.compile(rf"\s*{_ONE}\s*(?:(?:\s|,\s*){_ONE}\s*)*", re.ASCII)


def problem(text: str) -> str | None:
    """Return why `text` isn't a version constraint, in words that begin with `must be`; None if it is a constraint."""
    if len(text) > _LONGEST:
        return f"must be a version constraint of at most {_LONGEST} characters (it has {len(text)})"
    # A range stands for two comparisons.
    groups = _RANGE.sub(r">=\1, <=\2 ", text).split("||")
    if len(groups) > _MOST:
        return f"must be a version constraint of at most {_MOST} alternatives (it has {len(groups)})"
    for group in groups:
        if not _ALL.fullmatch(group):
            return f"must be a version constraint, for example >=v2.0.0 or >=1.20, <3 (got {text!r})"
    return None
