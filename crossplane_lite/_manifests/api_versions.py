"""The apiVersions of manifests and functions."""

from __future__ import annotations

from .._base.api_version import split
from .._terminal.excerpts import short_repr
from ..errors import InputError

__all__ = ["ApiVersionError", "split_api_version"]


class ApiVersionError(InputError):
    """The given apiVersion isn't one."""


def split_api_version(api_version: str) -> tuple[str, str]:
    """Return group and version of an apiVersion; the core group is the empty text.

    Raises:
        ApiVersionError: It isn't one.
    """
    group, version = split(api_version)
    if "/" in group:
        raise ApiVersionError(
            f"cannot parse apiVersion {short_repr(api_version, 120)}: it must be `version` or `group/version`"
        )
    return group, version
