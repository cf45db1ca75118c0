"""Finds the item that a line of a ResourceList's text is in, for messages about text that can't be read."""

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
    """Return a name, for messages, of the item that holds a line, and the line's number in it; None without an item.

    Args:
        text: The text of a ResourceList, which need not be YAML.
        lines: The number of the line, from 1, and numbers of other lines that the mistake may be on. The first item
            that holds one of them counts: a quote or a bracket that isn't closed is noticed only in a later item.
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
    """Return the file, kind, name and index of an item; file, kind and name only where its lines have them."""
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
