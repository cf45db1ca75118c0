"""Settings of these tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _without_tracebacks() -> Iterator[None]:
    """Log nothing: many calls raise on purpose, and formatting a traceback takes longer than the call."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
