"""Kubernetes' quantities, such as `500m` and `1.5Gi`, as exact numbers.

The rules are those of k8s.io/apimachinery (pkg/api/resource).
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

_SUFFIXES: Final = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_POWERS: Final = {f"{one}i": 10 * (at + 1) for at, one in enumerate("KMGTPE")}
_quantity: Final = re.compile(
    r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:[eE]([+-]?[0-9]+)|([KMGTPE]i|[numkMGTPE]?))",
    re.ASCII,
).fullmatch
_MOST_DIGITS: Final = 1000


def amount(text: str) -> Fraction:
    """Return the number that a quantity stands for.

    Raises:
        ValueError: The string isn't a quantity, or its exponent is beyond 1,000.
    """
    parts = _quantity(text)
    if parts is None:
        raise ValueError(f"{text!r} isn't a quantity")
    if parts[3] in _POWERS:
        return Fraction(parts[1]) * Fraction(2 ** _POWERS[parts[3]])
    exponent = int(parts[2]) if parts[2] else _SUFFIXES[parts[3] or ""]
    if abs(exponent) > _MOST_DIGITS:
        raise ValueError("the quantity is too large or too small")
    return Fraction(f"{parts[1]}e{exponent}")
