"""Makes the edits for changed mappings and sequences in flow style, which means in brackets, as always in JSON.

Functions add these edits (start, end, new text) to the list `out`.
"""

from __future__ import annotations

import re

from ._layout import entries, line_start, open_at
from ._nodes import MAPPING
from ._replace import apply, flow_value
from ._style import beside, flow_style, style_at
from ._write import key_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._nodes import YamlNode
    from ._replace import Edit, EditsOf

__all__ = ["flow_edits", "is_noted"]

_SKIPPED = re.compile(r"(?:[ \t\r\n]|(?<=\s)#[^\n]*)*")
_NOTE = re.compile(r"[ \t]*#[^\r\n]*")
_INDENT = re.compile(r"[ \t]*")
_SPACED = re.compile(r"(?<=\n)[ \t]+(?=\r?\n)")


class _Part:
    """An entry in brackets, and the text around it.

    Attributes:
        lead: The text before the entry, back to the bracket, or to the last comma and the comment after this comma.
        body: Where the entry begins and ends.
        post: The text between the entry and its comma; empty if it has no comma.
        note: The comment after the entry, on its line.
    """

    __slots__ = ("body", "lead", "note", "post")

    def __init__(self, lead: str, body: tuple[int, int], post: str, note: str) -> None:
        self.lead = lead
        self.body = body
        self.post = post
        self.note = note


def _span(child: YamlNode) -> tuple[int, int]:
    start = child.kstart if child.kstart >= 0 else child.start
    return start, max(child.end, child.kend)


def _parts(node: YamlNode) -> tuple[str, list[_Part], bool, str]:
    """Split the text of a collection in brackets.

    Returns:
        The comment after the opening bracket, the entries, whether the last entry has a comma, and the text between the
        last entry and the closing bracket.
    """
    text, close = node.doc.text, node.end - 1
    at = open_at(node) + 1
    note = _NOTE.match(text, at)
    head = note[0] if note else ""
    at += len(head)
    parts: list[_Part] = []
    has_comma = False
    for child in entries(node):
        start, end = _span(child)
        skipped = _SKIPPED.match(text, end)
        assert skipped is not None
        comma = skipped.end()
        has_comma = text[comma : comma + 1] == "," and comma < close
        after = comma + 1 if has_comma else end
        note = _NOTE.match(text, after, close)
        parts.append(_Part(text[at:start], (start, end), text[end:comma] if has_comma else "", note[0] if note else ""))
        at = after + len(parts[-1].note)
    return head, parts, has_comma, text[at:close]


def is_noted(node: YamlNode) -> bool:
    """Return whether a collection in brackets has comments that belong to none of its entries; False in block style."""
    if not node.style:
        return False
    head, _, _, tail = _parts(node)
    return "#" in head or "#" in tail


def flow_edits(node: YamlNode, out: list[Edit], edits_of: EditsOf) -> None:
    """Add the edits of a sequence or mapping in brackets.

    Args:
        node: The sequence or mapping.
        out: The list that the edits are added to.
        edits_of: Adds the edits of a child.
    """
    children = list(node.content.values()) if node.kind == MAPPING else node.content
    if node.source is None:
        for child in children:
            edits_of(child, out)
        return
    text, nodes = node.doc.text, entries(node)
    index = {id(child): at for at, child in enumerate(nodes)}
    head, parts, has_comma, tail = _parts(node)
    usual = _usual_lead(node, parts)
    first = parts[0].lead if parts and "#" not in parts[0].lead else usual if parts else ""
    keys = list(node.content) if node.kind == MAPPING else [None] * len(children)
    new, after_note = head, bool(head)
    for number, (key, child) in enumerate(zip(keys, children, strict=True)):
        at = index.get(id(child))
        is_last = number + 1 == len(children)
        if at is None:
            lead, post, note = usual if number else first, "", ""
            body = _fresh(node, key, child.value(), lead)
        else:
            part = parts[at]
            inner: list[Edit] = []
            edits_of(child, inner)
            body = apply(text, *part.body, inner)
            lead, post, note = part.lead, part.post, part.note
            if "#" not in lead and (at == 0) != (number == 0):
                lead = usual if number else first
        if node.doc.cache["bare"]:
            lead = _SPACED.sub("", lead)  # no tab may stand there behind a plain scalar
        if after_note and not _breaks(lead):
            lead = node.doc.newline + _indent(node) + lead.lstrip(" \t")
        if is_last and not has_comma and "#" not in post:
            post = ""
        comma = "" if is_last and not has_comma else ","
        new += lead + body + post + comma + (" " if note.startswith("#") and not comma else "") + note
        after_note = bool(note)
    if after_note and not _breaks(tail):
        tail = node.doc.newline + _indent(node) + tail
    if node.doc.cache["bare"]:
        tail = _SPACED.sub("", tail)
    out.append((open_at(node) + 1, node.end - 1, new + tail))


def _breaks(text: str) -> bool:
    return text.lstrip(" \t").startswith(("\n", "\r"))


def _indent(node: YamlNode) -> str:
    """Return the indentation of a new line inside of brackets."""
    text = node.doc.text
    found = _INDENT.match(text, line_start(text, node.start))
    assert found is not None
    return found[0] + "  "


def _usual_lead(node: YamlNode, parts: list[_Part]) -> str:
    """Return the white space that usually stands before the entries in brackets. The first entry doesn't count."""
    for part in parts[1:]:
        if "#" not in part.lead:
            return part.lead
    lead = parts[0].lead if parts else ""
    if "\n" in lead:
        return lead[lead.rindex("\n") - lead.endswith("\r\n", 0, lead.rindex("\n") + 1) :]
    style = flow_style(node, style_at(node))
    return "" if style.colon == ":" else " "


def _fresh(node: YamlNode, key: str | None, value: Any, lead: str) -> str:
    style = flow_style(node, style_at(node))
    body = flow_value(node, value, style, lead, beside(node))
    if key is None:
        return body
    return key_text(key, style, old=beside(node, keys=True), in_flow=True) + style.colon + body
