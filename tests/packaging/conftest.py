"""What several files of tests build once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import wheels


@pytest.fixture(scope="session")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as a wheel."""
    return wheels.build(tmp_path_factory.mktemp("wheel"))
