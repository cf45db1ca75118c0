"""Splits apiVersions. An apiVersion that can't be parsed raises RenderError: Crossplane's reconcile would fail, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..manifests import api_versions
from .rendered import RenderError

__all__ = ["api_versions_checked", "split_api_version"]


@contextmanager
def api_versions_checked() -> Iterator[None]:
    """Turn an ApiVersionError in the block into a RenderError, with which the reconcile fails.

    Raises:
        RenderError: The code in the block has met a string that isn't an apiVersion.
    """
    try:
        yield
    except api_versions.ApiVersionError as error:
        raise RenderError(str(error)) from None


def split_api_version(api_version: str) -> tuple[str, str]:
    """Return the group and the version of an apiVersion, such as `apps` and `v1` for `apps/v1`.

    The group is an empty string for the core group, as in `v1`.

    Raises:
        RenderError: `api_version` has more than one slash.
    """
    with api_versions_checked():
        return api_versions.split_api_version(api_version)
