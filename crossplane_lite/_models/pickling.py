"""Tells pickle, which may have models, from PyYAML, which pickles what it doesn't know, into tags of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UsageError

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["not_by_yaml"]


def not_by_yaml(frame: FrameType) -> None:
    """Raise UsageError if `frame`, which pickles a model or its list or map, is one of a PyYAML that doesn't know them.

    That is so in the call that imports PyYAML first. The next call teaches it (see `yaml_dumps`).
    """
    if frame.f_globals.get("__name__") == "yaml.representer":
        raise UsageError(
            "PyYAML can't write models before the first call knows it: import yaml at the top of the module"
        )
