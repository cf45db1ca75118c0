"""Fixtures of these tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.inner import FUNCTION, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty folder for tests, with a composition function in its module `net`."""
    made = Project(tmp_path)
    made.write("net.py", FUNCTION)
    return made
