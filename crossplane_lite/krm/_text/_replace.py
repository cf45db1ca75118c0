"""Makes the edits that put a node's new value in place of the old one: after a key, after a dash or
in brackets.

An edit is a tuple: the start and the end of the replaced text, and the new text. Functions add
edits to the list `out`.
"""

from __future__ import annotations

import re

from ...errors import InputError
from . import _layout, _write
from ._nodes import MAPPING, SCALAR, SEQUENCE, YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._nodes import Edit
    from ._write import Style


_INDENT = re.compile(r"[ \t]*")
_DEEP_COMMENT = re.compile(r"(?:[ \t]*\r?\n)*([ \t]*)#")
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")


def apply(text: str, start: int, end: int, edits: list[Edit]) -> str:
    """Return the part of a text between `start` and `end`, changed by edits.

    Args:
        text: The text.
        start: Where the part begins.
        end: Where the part ends.
        edits: The edits, in any order.

    Raises:
        InputError: The edits overlap.
    """
    parts: list[str] = []
    # Insertions at one place keep their order, and come before a replacement that begins there.
    for first, last, new in sorted(edits, key=lambda edit: edit[:2]):
        if first < start:
            line = text.count("\n", 0, first) + 1
            raise InputError(
                f"line {line}: two changes overlap there, so they can't be written; nothing is"
                " written"
            )
        parts += (text[start:first], new)
        start = last
    return "".join([*parts, text[start:end]])


def replace(
    node: YamlNode, value: Any, has_anchor: bool, out: list[Edit], *, in_lines: bool = False
) -> None:
    """Add the edit that writes a value in place of a node's text.

    Args:
        node: The node.
        value: The value; elements of lists may be nodes of other streams, which keep their text.
        has_anchor: Whether the node's anchor is written before the value.
        out: The list that the edit is added to.
        in_lines: Whether a value that isn't empty is written in lines, also in place of brackets.

    Raises:
        UsageError: A key or an integer is too long.
    """
    parent = node.parent
    anchor = f"&{node.anchor} " if has_anchor else ""
    if parent is None:
        _replace_root(node, value, out)
    elif parent.style:
        _replace_in_flow(node, value, anchor, out)
    else:
        _replace_entry(node, parent, value, anchor, out, in_lines=in_lines)


def _replace_root(node: YamlNode, value: Any, out: list[Edit]) -> None:
    text, style = node.doc.text, _write.style_at(node)
    if node.style:
        out.append(
            (
                node.start,
                node.end,
                _write.flow(value, style) if style.json else _block_or(value, style),
            )
        )
    else:
        end = _layout.own_end(node)
        out.append(
            (_layout.line_start(text, node.start), end, _block_or(value, style) + style.newline)
        )


def _block_or(value: Any, style: Style) -> str:
    return style.newline.join(_write.block_lines(value, 0, style)) if value else "{}"


def _replace_entry(
    node: YamlNode, parent: YamlNode, value: Any, anchor: str, out: list[Edit], *, in_lines: bool
) -> None:
    """Add the edit that writes `value` after the key or dash of an entry in block style, in place
    of the old value.

    Comments beside the old value stay.
    """
    text, style = node.doc.text, _write.style_at(parent)
    if parent.kind == MAPPING and _layout.colon_of(node) < 0:  # `? key` without a colon
        at = _layout.line_end(text, node.kend)
        column = _layout.column(text, _layout.key_start(node))
        new = "".join(line + style.newline for line in _write.entry_lines("", value, column, style))
        out.append((at, at, new))
        return
    if parent.kind == MAPPING:
        head = _layout.colon_of(node) + 1
        indent = _layout.column(text, _layout.key_start(node))
    else:
        place = _layout.place_of(node)
        head = place.start + 1
        indent = _layout.column(text, place.start)
    inline, lines = _written(
        node, value, indent, style, in_list=parent.kind == SEQUENCE, in_lines=in_lines
    )
    inline = (anchor + inline).rstrip(" ")
    if not lines and _stays_in_line(node, value, head):
        space = " " if text[node.start - 1] in ":-?" else ""
        out.append((node.start, node.end, space + inline))
        return
    end, below = _end_of_entry(node, value, head)
    notes = _notes_beside(node, head)
    if notes and not inline and notes[0][0] == "\t":
        notes[0] = " " + notes[0].lstrip(" \t")  # no tab may stand behind a dash
    new = f" {inline}" if inline else ""
    if notes:
        new += notes.pop(0)
    kept = ""
    if lines and not isinstance(value, str) and _write.ends_in_block(value):
        # A comment further to the right would become a part of the lines' last value.
        kept = text[end : max(end, _layout.place_of(node).end)]
        end += len(kept)
    is_bare = not new and not kept and parent.kind == SEQUENCE
    if is_bare and lines and lines[0][indent + 1] == " ":
        new = lines.pop(0)[indent + 1 :]
    pad = " " * (_indent_of(lines) or indent + 2)
    parts = [new + style.newline]
    parts += [pad + note.lstrip() + style.newline for note in notes]
    parts.append(kept)
    parts += [line + style.newline for line in lines]
    out.append((head, end, "".join(parts) + below))


def _stays_in_line(node: YamlNode, value: Any, head: int) -> bool:
    """Return whether a value of one line is written where the old value is."""
    if _layout.is_block(node) or _layout.is_block_scalar(node):
        return False
    # Go's readers don't see brackets that stand below a comment behind the key.
    return not (isinstance(value, (dict, list)) and "\n" in node.doc.text[head : node.start])


def _end_of_entry(node: YamlNode, value: Any, head: int) -> tuple[int, str]:
    """Return where the old value ends, and the comments of its entries that stay below an empty new
    value.
    """
    end = _layout.own_end(node)
    if not _layout.is_block(node):
        return end, ""
    end = max(end, _layout.place_of(node).end)
    is_of_its_kind = isinstance(value, dict if node.kind == MAPPING else list)
    return end, _between(node, head, end) if is_of_its_kind and not value else ""


def _notes_beside(node: YamlNode, head: int) -> list[str]:
    """Return the comments on the lines of a key or dash and of its value."""
    text = node.doc.text
    notes: list[str] = []
    if _layout.is_block(node):
        first = _layout.bounds(node)[0].start
        comment = _COMMENT.search(text, head, min(_layout.line_end(text, head), first))
    elif _layout.is_block_scalar(node):
        comment = _COMMENT.match(text, _layout.header(node).end())
    else:
        notes = _COMMENT.findall(text, head, node.start)
        comment = _COMMENT.match(text, node.end)
    if comment:
        notes.append(comment[0])
    return notes


def _indent_of(lines: list[str]) -> int:
    return len(lines[0]) - len(lines[0].lstrip(" ")) if lines else 0


def _between(node: YamlNode, head: int, end: int) -> str:
    """Return the comments that belong to no entry of a block. They stay when all entries are
    removed.

    Args:
        node: The collection in block style.
        head: The position after the collection's key or dash.
        end: Where the collection's last line ends.
    """
    text, at = node.doc.text, _layout.line_end(node.doc.text, head)
    parts: list[str] = []
    for place in _layout.bounds(node):
        parts.append(text[at : place.lead])
        at = max(at, place.end)
    parts.append(text[at:end])
    return "".join(part for part in parts if "#" in part)


def _written(
    node: YamlNode, value: Any, indent: int, style: Style, *, in_list: bool, in_lines: bool
) -> tuple[str, list[str]]:
    """Return the text of a value in two parts: the rest of the line after its key or dash, and the
    lines below.

    Args:
        node: The node. If possible, its new value is written like the old one.
        value: The new value.
        indent: The column of the key or dash.
        style: The style of the text around the value.
        in_list: Whether the value comes after a dash.
        in_lines: As for `replace`.

    Raises:
        UsageError: A key or an integer is too long.
    """
    text = node.doc.text
    if isinstance(value, (dict, list)):
        is_flow = (
            node.kind in (MAPPING, SEQUENCE)
            and node.style
            and _layout.entries(node)
            and not in_lines
        )
        if not value or is_flow:
            return _write.flow(value, _write.style_at(node)), []
        kind = _write.kind_of(value)
        at = indent + (2 if in_list else style.indent(kind))
        if _layout.is_block(node) and node.kind == kind:
            at = _layout.column(text, _layout.bounds(node)[0].start)
        return "", _write.block_lines(value, at, style)
    old = node.style if node.kind == SCALAR else None
    if isinstance(value, str) and value and _wants_block(node, value, old):
        at = _layout.content_column(node) if _layout.is_block_scalar(node) else 0
        at = at if at > indent else indent + style.indent(MAPPING)
        keep = _layout.is_block_scalar(node) and _layout.keeps_blanks(node)
        explicit = _layout.is_block_scalar(node) and bool(_layout.header(node)[1].strip("-+"))
        block = _write.block_scalar(value, at, indent, old=old or "|", keep=keep, explicit=explicit)
        if block is not None and not _is_among_comments(node, indent):
            return block
    if old is None and isinstance(value, str) and node.parent is not None:
        old = _write.beside(node.parent)
    return _write.scalar(value, style, old=old), []


def _wants_block(node: YamlNode, value: str, old: str | None) -> bool:
    if _layout.is_block_scalar(node):
        return True
    # A string that is written on one line, with escapes, stays so.
    return "\n" in value and not (old == '"' and "\n" in node.content)


def _is_among_comments(node: YamlNode, indent: int) -> bool:
    """Return whether a value can't be written as a block scalar, because a comment beside it would
    become its text.
    """
    text, parent = node.doc.text, node.parent
    if parent is not None and not _layout.is_block_scalar(node) and not _layout.is_block(node):
        head = _layout.colon_of(node) if parent.kind == MAPPING else _layout.place_of(node).start
        if len(_COMMENT.findall(text, head, node.start)) + bool(_COMMENT.match(text, node.end)) > 1:
            return True
    found = _DEEP_COMMENT.match(text, _layout.own_end(node))
    return found is not None and len(found[1]) > indent


def flow_value(node: YamlNode, value: Any, style: Style, lead: str, old: str | None) -> str:
    """Return the text of a new value in brackets.

    Args:
        node: The list or mapping in brackets that gets the value.
        value: The new value.
        style: The style of the text around the value.
        lead: The white space before the value. If it has a line break and the text is JSON, a list
            or mapping is written in several lines.
        old: The quote that the replaced value or a neighbouring value has, as for `scalar`.

    Raises:
        UsageError: A key or an integer is too long.
    """
    if not isinstance(value, (dict, list)):
        return _write.scalar(value, style, old=old, in_flow=True)
    if "\n" not in lead or not style.json:
        return _write.flow(value, style)
    text = node.doc.text
    inner = lead[lead.rindex("\n") + 1 :]
    outer = _INDENT.match(text, _layout.line_start(text, node.start))
    assert outer is not None
    step = inner.removeprefix(outer[0]) if inner.startswith(outer[0]) else "  "
    return _write.flow(value, style, lead=inner, step=step)


def _replace_in_flow(node: YamlNode, value: Any, anchor: str, out: list[Edit]) -> None:
    """Add the edit that writes the new value of a node in brackets in place of its old value."""
    text, parent = node.doc.text, node.parent
    assert parent is not None
    style = _write.style_at(parent)
    start = node.kstart if node.kstart >= 0 else node.start
    line = _layout.line_start(text, start)
    indent = text[line:start]
    lead = "\n" + indent if not indent.strip() and line else ""
    body = anchor + flow_value(
        parent, value, style, lead, node.style if node.kind == SCALAR else None
    )
    if node.start == node.end and node.kstart >= 0:
        if (
            ":" not in text[node.kend : node.start + 1].split("#")[0]
            or text[node.start - 1] not in ": \t\r\n"
        ):
            # An entry without a colon: {key}
            out.append((node.kend, node.kend, ": " + body))
            return
        body = body if text[node.start - 1] in " \t" else " " + body
    out.append((node.start, node.end, body))
