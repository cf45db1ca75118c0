"""The definitions of Kubernetes' own kinds that come with the tools."""

from __future__ import annotations

import gzip
import json

from crossplane_lite._tools.kubernetes import PATH

from .definitions import published
from .plane import Plane


def test_definitions_are_those_of_the_api_server(plane: Plane) -> None:
    """They are what the API server publishes, without descriptions."""
    assert json.loads(gzip.decompress(PATH.read_bytes())) == published(plane.kube)
