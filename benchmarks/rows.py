"""All rows, in the order in which they are reported."""

from __future__ import annotations

from benchmarks import (
    calls,
    codec,
    generation,
    guarding,
    krm,
    pythonic,
    rendering,
    scaling,
    sizes,
    starts,
    transports,
    waiting,
)
from benchmarks.measuring import Row

__all__ = ["ROWS"]

ROWS: tuple[Row, ...] = (
    *(starts.ROWS + calls.ROWS + waiting.ROWS + codec.ROWS + scaling.ROWS),
    *(
        generation.ROWS
        + rendering.ROWS
        + krm.ROWS
        + sizes.ROWS
        + transports.ROWS
        + guarding.ROWS
        + pythonic.ROWS
    ),
)
