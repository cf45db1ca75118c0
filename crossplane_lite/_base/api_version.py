"""An apiVersion: group and version, such as `apps/v1`, or just the version of the core group, whose name is empty."""

from __future__ import annotations

__all__ = ["group_of", "joined", "split"]


def split(api_version: str) -> tuple[str, str]:
    """Return group and version. The text before the last slash is the group."""
    group, _, version = api_version.rpartition("/")
    return group, version


def group_of(api_version: str) -> str:
    """Return the group; the core group is the empty text."""
    return split(api_version)[0]


def joined(group: str, version: str) -> str:
    """Return the apiVersion of a group and a version."""
    return f"{group}/{version}" if group else version
