"""Kubernetes' own kinds: their definitions, and what only an API server's code checks of their
objects.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

NAME: Final = "kubernetes"
"""The name by which commands know the definitions as a source."""

TITLE: Final = "Kubernetes 1.35"
"""The name of the definitions in messages."""

PATH: Final = Path(__file__).with_name("kubernetes.json.gz")
"""The definitions: an OpenAPI v3 document of all stored kinds in the stable groups, without
descriptions.
"""


def has_group(group: str) -> bool:
    """Return whether a group is one of Kubernetes itself, or looks like one."""
    return "." not in group or group.endswith(".k8s.io")
