"""Timing several sides of one comparison in turns, so that a machine that slows down slows all of
them.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Reach", "Row", "Samples", "in_turns", "per_call"]

Samples = dict[str, list[float]]
"""Side to measurements, all in seconds, in bytes or in objects."""

_BATCH_SECONDS = 0.004


@dataclass(frozen=True)
class Reach:
    """What is to be reached: at most `factor` times what the side `against` needs; 0 is none at
    all.
    """

    against: str
    factor: float


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes:
        name: What is measured.
        sides: The sides; `ours` is among them.
        sample: Measures all sides, and asserts first that they give the same answer. It may skip
            with pytest.skip().
        reach: What is to be reached.
        unit: `s`, `B` or `objects`.
    """

    name: str
    sides: tuple[str, ...]
    sample: Callable[[], Samples]
    reach: tuple[Reach, ...] = ()
    unit: str = "s"
    notes: list[str] = field(default_factory=list)


def in_turns(sides: Mapping[str, Callable[[], float]], rounds: int) -> Samples:
    """Take one measurement of each side, `rounds` times, the order turned round every time."""
    samples: Samples = {name: [] for name in sides}
    order = list(sides)
    for _ in range(rounds):
        for name in order:
            samples[name].append(sides[name]())
        order.reverse()
    return samples


def per_call(sides: Mapping[str, Callable[[], Any]], rounds: int = 41) -> Samples:
    """Return seconds per call of functions that are too short to be timed one by one."""

    def timer(function: Callable[[], Any]) -> Callable[[], float]:
        function()
        start = time.perf_counter()
        function()
        loops = max(1, int(_BATCH_SECONDS / max(time.perf_counter() - start, 1e-7)))

        def measure() -> float:
            start = time.perf_counter()
            for _ in range(loops):
                function()
            return (time.perf_counter() - start) / loops

        return measure

    gc.collect()
    return in_turns({name: timer(function) for name, function in sides.items()}, rounds)
