"""Makes the edits that put a node's new value in place of the old one: after a key, after a dash or in brackets.

An edit is a tuple: the start and the end of the replaced text, and the new text. Functions add edits to the list `out`.
"""

from __future__ import annotations

import re

from ._layout import (
    bounds,
    colon_of,
    column,
    content_column,
    entries,
    header,
    is_block,
    is_block_scalar,
    keeps_blanks,
    key_start,
    line_end,
    line_start,
    own_end,
    place_of,
)
from ._nodes import MAPPING, SCALAR, SEQUENCE
from ._style import beside, flow_style, style_at
from ._write import block_scalar, ends_in_block, flow, mapping_lines, scalar, sequence_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._nodes import YamlNode
    from ._write import Style

    Edit = tuple[int, int, str]
    EditsOf = Callable[[YamlNode, list[Edit]], None]

__all__ = ["BLANK", "Edit", "EditsOf", "apply", "element_lines", "flow_value", "replace", "without_spaces"]

BLANK = re.compile(r"(?:[ \t]*\r?\n)*")
_INDENT = re.compile(r"[ \t]*")
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")
_DEEP_COMMENT = re.compile(r"(?:[ \t]*\r?\n)*([ \t]*)#")


def apply(text: str, start: int, end: int, edits: list[Edit], *, bare: bool = False) -> str:
    """Return the part of a text between `start` and `end`, changed by edits.

    Args:
        text: The text.
        start: Where the part begins.
        end: Where the part ends.
        edits: The edits, in any order. They must not overlap.
        bare: Whether blank lines directly after an edit lose their spaces.
    """
    parts: list[str] = []
    # Insertions at one place keep their order, and come before a replacement that begins there.
    for first, last, new in sorted(edits, key=lambda edit: edit[:2]):
        assert first >= start, "edits overlap"
        kept = text[start:first]
        parts += (without_spaces(kept) if bare and parts else kept, new)
        start = last
    kept = text[start:end]
    return "".join([*parts, without_spaces(kept) if bare and parts else kept])


def without_spaces(text: str) -> str:
    """Return a text without the spaces and tabs in the blank lines at its beginning."""
    found = BLANK.match(text)
    assert found is not None
    return re.sub(r"[ \t]+", "", found[0]) + text[found.end() :]


def replace(node: YamlNode, out: list[Edit]) -> None:
    """Add the edit that writes a node's present value in place of the node's text.

    Raises:
        UsageError: A key or an integer is too long.
    """
    parent, value = node.parent, node.value()
    if parent is None:
        _replace_root(node, value, out)
    elif parent.style:
        _replace_in_flow(node, value, out)
    else:
        _replace_entry(node, parent, value, out)


def _replace_root(node: YamlNode, value: Any, out: list[Edit]) -> None:
    text, style = node.doc.text, style_at(node)
    if node.style:
        out.append((node.start, node.end, flow(value, style) if style.json else _block_or(value, style)))
    else:
        end = own_end(node)
        out.append((line_start(text, node.start), end, _block_or(value, style) + style.newline))


def _block_or(value: Any, style: Style) -> str:
    return style.newline.join(mapping_lines(value, 0, style)) if value else "{}"


def _replace_entry(node: YamlNode, parent: YamlNode, value: Any, out: list[Edit]) -> None:
    """Add the edit that writes `value` after the key or dash of an entry in block style, in place of the old value.

    Comments beside the old value stay.
    """
    text, style = node.doc.text, style_at(parent)
    if parent.was == MAPPING:
        head = colon_of(node) + 1
        indent = column(text, key_start(node))
    else:
        place = place_of(node)
        head = place.start + 1
        indent = column(text, place.start)
    was_block = is_block(node)
    end = own_end(node)
    inline, lines = _written(node, value, indent, style, in_list=parent.was == SEQUENCE)
    inline = (_anchor_of(node) + inline).rstrip(" ")
    # Go's readers don't see brackets that stand below a comment behind the key.
    is_below = isinstance(value, (dict, list)) and "\n" in text[head : node.start]
    if not was_block and not lines and not is_block_scalar(node) and not is_below:
        space = " " if text[node.start - 1] in ":-?" else ""
        out.append((node.start, node.end, space + inline))
        return
    below = ""
    notes: list[str] = []
    if was_block:
        end = max(end, place_of(node).end)
        if not value and isinstance(value, dict if node.was == MAPPING else list):
            below = _between(node, head, end)
        first = bounds(node)[0].start
        comment = _COMMENT.search(text, head, min(line_end(text, head), first))
    elif is_block_scalar(node):
        comment = _COMMENT.match(text, header(node).end())
    else:
        comment = _COMMENT.match(text, node.end)
        notes = _COMMENT.findall(text, head, node.start)
    if comment:
        notes.append(comment[0])
    if notes and not inline:
        notes[0] = " " + notes[0].lstrip(" \t") if notes[0][0] == "\t" else notes[0]  # no tab may stand behind a dash
    new = (" " + inline if inline else "") + (notes.pop(0) if notes else "")
    kept = ""
    if lines and not isinstance(value, str) and ends_in_block(value):
        # A comment further to the right would become a part of the lines' last value.
        kept = text[end : max(end, place_of(node).end)]
        end += len(kept)
    if lines and not new and not kept and parent.was == SEQUENCE and lines[0][indent + 1] == " ":
        new = lines.pop(0)[indent + 1 :]
    pad = " " * (_indent_of(lines) or indent + 2)
    kept = "".join(pad + note.lstrip() + style.newline for note in notes) + kept
    new += style.newline + kept + "".join(line + style.newline for line in lines) + below
    out.append((head, end, new))


def _indent_of(lines: list[str]) -> int:
    return len(lines[0]) - len(lines[0].lstrip(" ")) if lines else 0


def _between(node: YamlNode, head: int, end: int) -> str:
    """Return the comments that belong to no entry of a block. They stay when all entries are removed.

    Args:
        node: The collection in block style.
        head: The position after the collection's key or dash.
        end: Where the collection's last line ends.
    """
    text, at = node.doc.text, line_end(node.doc.text, head)
    parts: list[str] = []
    for place in bounds(node):
        parts.append(text[at : place.lead])
        at = max(at, place.end)
    parts.append(text[at:end])
    return "".join(part for part in parts if "#" in part)


def _anchor_of(node: YamlNode) -> str:
    """Return the anchor and a space if aliases of the node need it before the new value; else an empty string."""
    return f"&{node.anchor} " if node.doc.aliases.get(node) else ""


def _written(node: YamlNode, value: Any, indent: int, style: Style, *, in_list: bool) -> tuple[str, list[str]]:
    """Return the text of a value in two parts: the rest of the line after its key or dash, and the lines below.

    Args:
        node: The node. If possible, its new value is written like the old one.
        value: The new value.
        indent: The column of the key or dash.
        style: The style of the text around the value.
        in_list: Whether the value comes after a dash.

    Raises:
        UsageError: A key or an integer is too long.
    """
    text = node.doc.text
    if isinstance(value, (dict, list)):
        kind = MAPPING if isinstance(value, dict) else SEQUENCE
        if not value or (node.was in (MAPPING, SEQUENCE) and node.style and entries(node)):
            return flow(value, flow_style(node, style)), []
        if is_block(node) and node.was == kind:
            at = column(text, bounds(node)[0].start)
        else:
            at = indent + (2 if in_list else style.step if kind == MAPPING else style.offset)
        if node.kind == SEQUENCE:
            return "", [line for child in node.content for line in element_lines(child, at, style)]
        return "", mapping_lines(value, at, style) if isinstance(value, dict) else sequence_lines(value, at, style)
    old = node.style if node.was == SCALAR else None
    if isinstance(value, str) and value and _wants_block(node, value, old):
        at = content_column(node) if is_block_scalar(node) else 0
        at = at if at > indent else indent + style.step
        keep = is_block_scalar(node) and keeps_blanks(node)
        explicit = is_block_scalar(node) and bool(header(node)[1].strip("-+"))
        block = block_scalar(value, at, indent, old=old or "|", keep=keep, explicit=explicit)
        if block is not None and not _is_among_comments(node, indent):
            return block
    if old is None and isinstance(value, str) and node.parent is not None:
        old = beside(node.parent)
    return scalar(value, style, old=old), []


def element_lines(child: YamlNode, column: int, style: Style) -> list[str]:
    """Return the lines of a new element of a sequence in block style, without line breaks.

    An element that comes with a text of its own (`Stream.written`) keeps this text.

    Args:
        child: The node of the element.
        column: The column of the dash.
        style: The style of the text around the element.

    Raises:
        UsageError: A key or an integer is too long.
    """
    text = child.doc.written.get(child)
    if text is None:
        return sequence_lines([child.value()], column, style)
    pad = " " * (column + 2)
    lines = [pad + line if line else line for line in text.replace("\r\n", "\n").removesuffix("\n").split("\n")]
    lines[0] = f"{pad[:column]}- {lines[0][column + 2 :]}"
    return lines


def _wants_block(node: YamlNode, value: str, old: str | None) -> bool:
    if is_block_scalar(node):
        return True
    # A string that is written on one line, with escapes, stays so.
    source = node.content if node.source is None else node.source
    return "\n" in value and not (old == '"' and "\n" in source)


def _is_among_comments(node: YamlNode, indent: int) -> bool:
    """Return whether a value can't be written as a block scalar, because a comment beside it would become its text."""
    text, parent = node.doc.text, node.parent
    if parent is not None and not is_block_scalar(node) and not is_block(node):
        head = colon_of(node) if parent.was == MAPPING else place_of(node).start
        if len(_COMMENT.findall(text, head, node.start)) + bool(_COMMENT.match(text, node.end)) > 1:
            return True
    found = _DEEP_COMMENT.match(text, own_end(node))
    return found is not None and len(found[1]) > indent


def flow_value(node: YamlNode, value: Any, style: Style, lead: str, old: str | None) -> str:
    """Return the text of a new value in brackets.

    Args:
        node: The list or mapping in brackets that gets the value.
        value: The new value.
        style: The style of the text around the value.
        lead: The white space before the value. If it has a line break and the text is JSON, a list or mapping is
            written in several lines.
        old: The quote that the replaced value or a neighbouring value has, as for `scalar`.

    Raises:
        UsageError: A key or an integer is too long.
    """
    if not isinstance(value, (dict, list)):
        return scalar(value, style, old=old, in_flow=True)
    if "\n" not in lead or not style.json:
        return flow(value, style)
    text = node.doc.text
    inner = lead[lead.rindex("\n") + 1 :]
    outer = _INDENT.match(text, line_start(text, node.start))
    assert outer is not None
    step = inner.removeprefix(outer[0]) if inner.startswith(outer[0]) else "  "
    return flow(value, style, lead=inner, step=step)


def _replace_in_flow(node: YamlNode, value: Any, out: list[Edit]) -> None:
    """Add the edit that writes the new value of a node in brackets in place of its old value."""
    text, parent = node.doc.text, node.parent
    assert parent is not None
    style = flow_style(parent, style_at(parent))
    start = node.kstart if node.kstart >= 0 else node.start
    line = line_start(text, start)
    indent = text[line:start]
    lead = "\n" + indent if not indent.strip() and line else ""
    body = _anchor_of(node) + flow_value(parent, value, style, lead, node.style if node.was == SCALAR else None)
    if node.start == node.end and node.kstart >= 0:
        if ":" not in text[node.kend : node.start + 1].split("#")[0] or text[node.start - 1] not in ": \t\r\n":
            # An entry without a colon: {key}
            out.append((node.kend, node.kend, ": " + body))
            return
        body = body if text[node.start - 1] in " \t" else " " + body
    out.append((node.start, node.end, body))
