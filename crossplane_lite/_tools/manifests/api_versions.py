"""Splits the apiVersions of manifests, and refuses strings that Kubernetes can't parse as an
apiVersion.
"""

from __future__ import annotations

from ..._core.base.api_version import split
from ..._core.base.texts import short_repr
from ...errors import InputError


class ApiVersionError(InputError):
    """A string that must be an apiVersion, such as `apps/v1`, has more than one slash."""


def split_api_version(api_version: str) -> tuple[str, str]:
    """Return the group and the version of an apiVersion. Without a slash, as in `v1`, the group is
    an empty string.

    Raises:
        ApiVersionError: The string has more than one slash.
    """
    group, version = split(api_version)
    if "/" in group:
        raise ApiVersionError(
            f"cannot parse apiVersion {short_repr(api_version, 120)}: it must be `version` or"
            " `group/version`"
        )
    return group, version
