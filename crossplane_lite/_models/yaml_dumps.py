"""Makes PyYAML write models, and their lists and maps, as plain data. PyYAML itself isn't imported here."""

from __future__ import annotations

import sys
from typing import Any

from .containers import PlacedList
from .shape import ModelShape, PlacedMap
from .walker import plain_data

__all__ = ["teach"]

_knows: Any = None  # the module of PyYAML that knows models


def teach() -> None:
    """Make PyYAML write models as plain data from now on. Do nothing if PyYAML hasn't been imported.

    Otherwise `yaml.dump` would write tags that only Python understands, and `yaml.safe_dump` would refuse models.
    """
    global _knows
    representer = sys.modules.get("yaml.representer")
    if representer is None or _knows is representer:
        return
    _knows = representer
    for cls in (ModelShape, PlacedList, PlacedMap):
        for one in (representer.SafeRepresenter, representer.Representer):
            one.add_multi_representer(cls, _represent)


def _represent(dumper: Any, value: Any) -> Any:
    if issubclass(type(value), ModelShape):
        value._taken_whole()
    return dumper.represent_data(plain_data(value))
