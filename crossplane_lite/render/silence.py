"""Drops what compose() logs and prints, for runs after the first one: their output was shown already."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..composition import Function

__all__ = ["silent"]


@contextlib.contextmanager
def silent(function: Function) -> Iterator[None]:
    """Drop the function's log lines, and all that Python prints on stdout and stderr, in the `with` block.

    Args:
        function: The function that runs in the block. Its log lines are known by its name.
    """
    logger = logging.getLogger(f"crossplane_lite.function.{function.name}")

    def never(_record: logging.LogRecord) -> bool:
        return False

    logger.addFilter(never)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logger.removeFilter(never)
