"""An apiVersion: group and version, such as `apps/v1`, or just the version of the core group, whose name is empty."""

from __future__ import annotations

__all__ = ["group_of", "joined", "split"]


def split(api_version: str) -> tuple[str, str]:
    """Return the group and the version of an apiVersion. Without a slash, as in `v1`, the group is empty."""
    group, _, version = api_version.rpartition("/")
    return group, version


def group_of(api_version: str) -> str:
    """Return the group of an apiVersion; an empty string for the core group."""
    return split(api_version)[0]


def joined(group: str, version: str) -> str:
    """Return the apiVersion of a group and a version: just the version where the group is empty."""
    return f"{group}/{version}" if group else version
