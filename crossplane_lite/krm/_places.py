"""Finds the item of a ResourceList to which a line of the text belongs, for messages about text that isn't YAML."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from typing import Any

__all__ = ["item_at"]

_ITEMS = re.compile(r"^(?:items|\"items\"|'items'):[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_DASH = re.compile(r"^( *)-(?=[ \t\r\n])", re.MULTILINE)
_PATH = re.compile(
    r"^ +['\"]?(?:internal\.)?config\.kubernetes\.io/path['\"]?: *(['\"]?)(\S.*?)\1[ \t]*\r?$", re.MULTILINE
)
_VALUE = r":[ \t]+(['\"]?)([^\s'\"#{&*!|>][^\n#]*?)\1[ \t]*(?:#.*)?\r?$"


def item_at(text: str, *lines: int) -> str | None:
    """Return the name of the item to which a line belongs, with the line's number in the item, for a message.

    An example: `app/web.yaml, Deployment web (items[3]), line 5 of the item`.

    Args:
        text: The text of a ResourceList, which need not be valid YAML. Only a block list under `items` is searched.
        lines: The numbers, from 1, of the lines where the mistake may be. If they belong to several items, the first
            item is returned: a quote or a bracket that isn't closed is noticed only in a later item.

    Returns:
        The text; None if no line belongs to an item.
    """
    head = _ITEMS.search(text)
    first = _DASH.search(text, head.end()) if head else None
    if head is None or first is None:
        return None
    indent = len(first[1])
    starts = [
        one.start() for one in re.compile(rf"^ {{{indent}}}-(?=[ \t\r\n])", re.MULTILINE).finditer(text, first.start())
    ]
    end = re.compile(rf"^ {{0,{indent}}}[^\s#-]", re.MULTILINE).search(text, first.start())
    starts.append(len(text) if end is None else end.start())
    places = [_start_of(text, line) for line in lines]
    for index, (start, stop) in enumerate(zip(starts, starts[1:], strict=False)):
        for line, place in zip(lines, places, strict=True):
            if start <= place < stop:
                number = line - text.count("\n", 0, start)
                return f"{_name(text[start:stop], index, indent)}, line {number} of the item"
    return None


def _start_of(text: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
    return at


def _name(item: str, index: int, indent: int) -> str:
    """Return an item's name in messages, such as `app/web.yaml, Deployment prod/web (items[3])`.

    File, kind, namespace and name are left out if they can't be found.

    Args:
        item: The lines of the item.
        index: The item's index in `items`.
        indent: The column of the item's dash.
    """
    body = f"{' ' * (indent + 1)}{item[indent + 1 :]}"
    fields = re.search(r"^ +(?=[^\s#])", body, re.MULTILINE)
    deep = len(fields[0]) if fields else indent + 2
    kind = _found(rf"^ {{{deep}}}kind{_VALUE}", body)
    metadata = re.search(rf"^ {{{deep}}}metadata:[^\n]*\n((?: {{{deep + 1},}}[^\n]*\n|[ \t]*\n)*)", body, re.MULTILINE)
    inner = metadata[1] if metadata else ""
    first = re.search(r"^ +(?=[^\s#])", inner, re.MULTILINE)
    pad = len(first[0]) if first else 0
    name, namespace = (_found(rf"^ {{{pad}}}{key}{_VALUE}", inner) for key in ("name", "namespace"))
    path = _PATH.search(inner)
    called = " ".join(part for part in (kind, f"{namespace}/{name}" if namespace and name else name) if part)
    called = f"{called} (items[{index}])" if called else f"items[{index}]"
    return f"{path[2]}, {called}" if path else called


def _found(pattern: str, text: str) -> str:
    found: Any = re.search(pattern, text, re.MULTILINE)
    return found[2].strip() if found else ""
