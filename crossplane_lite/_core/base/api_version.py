"""Splits and joins apiVersions: group and version, such as `apps/v1`, or only the version for the
core group.
"""

from __future__ import annotations


def split(api_version: str) -> tuple[str, str]:
    """Return the group and the version of an apiVersion, split at the last slash. Without one, the
    group is empty.
    """
    group, _, version = api_version.rpartition("/")
    return group, version


def group_of(api_version: str) -> str:
    """Return the group of an apiVersion, such as `apps` for `apps/v1`; an empty string for the core
    group.
    """
    return split(api_version)[0]


def joined(group: str, version: str) -> str:
    """Return the apiVersion of a group and a version. It is only the version if the group is
    empty.
    """
    return f"{group}/{version}" if group else version
