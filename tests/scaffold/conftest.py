"""What the tests of new projects share."""

from __future__ import annotations

import functools
import importlib.metadata

import pytest

# It reads the list of files of each installed package, to find the one that the name of a project would hide.
_once = functools.cache(importlib.metadata.packages_distributions)


@pytest.fixture(autouse=True)
def _packages_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages of the environment are the same for all tests."""
    monkeypatch.setattr(importlib.metadata, "packages_distributions", _once)
