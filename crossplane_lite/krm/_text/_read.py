"""Reads the value of a text without making nodes, for texts whose values are only compared."""

from __future__ import annotations

from yaml.events import (  # type: ignore[import-untyped]
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from ..._base.yaml_scalars import NOT_JSON, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Unusual", "value_of"]


class Unusual(Exception):  # noqa: N818 - it isn't an error: `_parse` must read the text
    """The text has parts that only the full reader (`_parse`) reads or refuses: anchors, tags, merge keys, mistakes."""


def value_of(text: str) -> Any:
    """Return the value of a text that has one document.

    Raises:
        Unusual: The text has parts that only the full reader (`_parse`) reads, or not exactly one document.
        yaml.YAMLError: The text isn't YAML.
    """
    from yaml._yaml import CParser  # type: ignore[import-untyped]

    next_event = CParser(text).get_event
    found: list[Any] = []
    top: Any = found
    is_map = False
    key: Any = None
    above: list[tuple[Any, bool]] = []
    while True:
        event = next_event()
        cls = type(event)
        if cls is ScalarEvent:
            if event.anchor is not None or event.tag is not None:
                raise Unusual
            value = event.value
            if is_map and key is None:
                key = value
                if key in top or key == "<<" or not key:
                    raise Unusual
                continue
            if not event.style:
                if value in NOT_JSON:
                    raise Unusual
                value = resolve(value)
        elif cls is MappingEndEvent or cls is SequenceEndEvent:
            top, is_map = above.pop()
            continue
        elif cls is MappingStartEvent or cls is SequenceStartEvent:
            if event.anchor is not None or event.tag is not None or (is_map and key is None):
                raise Unusual
            value = {} if cls is MappingStartEvent else []
        elif cls is AliasEvent:
            raise Unusual
        elif cls is StreamEndEvent:
            if len(found) != 1:
                raise Unusual
            return found[0]
        else:
            if cls is DocumentStartEvent and found:
                raise Unusual
            continue
        if is_map:
            top[key] = value
            key = None
        else:
            top.append(value)
        if value.__class__ is dict or value.__class__ is list:
            above.append((top, is_map))
            top, is_map = value, value.__class__ is dict
