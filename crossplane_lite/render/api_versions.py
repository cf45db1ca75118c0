"""Splits apiVersions. One that can't be parsed gives the RenderError with which Crossplane's reconcile would fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .._manifests import api_versions
from .rendered import RenderError

__all__ = ["api_versions_checked", "split_api_version"]


@contextmanager
def api_versions_checked() -> Iterator[None]:
    """Let the reconcile fail where the code in the block meets a string that isn't an apiVersion.

    Raises:
        RenderError: The code has met such a string.
    """
    try:
        yield
    except api_versions.ApiVersionError as error:
        raise RenderError(str(error)) from None


def split_api_version(api_version: str) -> tuple[str, str]:
    """Return group and version of an apiVersion. The group is empty for the core group, as in `v1`.

    Raises:
        RenderError: The string isn't an apiVersion.
    """
    with api_versions_checked():
        return api_versions.split_api_version(api_version)
