"""Functions for the pages of recordings."""

from __future__ import annotations

from typing import Any

from crossplane_lite import composition
from tests.simulate.simulating import chain

__all__ = ["composed", "failing"]

composed = composition.function(name="f0", auto_ready=True)(chain)


@composition.function(name="failing")
def failing(ctx: Any) -> None:
    """Fail."""
    ctx.results.fatal("there is no zone")
