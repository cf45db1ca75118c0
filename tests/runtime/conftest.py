"""What the tests of serving share."""

from __future__ import annotations

import pytest

from crossplane_lite.runtime.transports import NAMES


@pytest.fixture(scope="module", params=NAMES)
def transport(request: pytest.FixtureRequest) -> str:
    """Each transport in turn."""
    name: str = request.param
    return name
