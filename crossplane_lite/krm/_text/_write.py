"""Writes new values as text that every reader of YAML 1.1 and 1.2 reads as the same values."""

from __future__ import annotations

import re
from collections import namedtuple

from ..._core.base.scalars import resolve, tagged
from ...errors import UsageError
from ..annotations import is_orchestrators
from ._layout import column, entries, indented, is_block, key_start, open_at
from ._nodes import MAPPING, SCALAR, SEQUENCE, YamlNode, cached, wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# The patterns are strings: compiling them takes longer than all imports, and few values need them.

# Strings that a reader may take for a number or a timestamp, and some more.
_NUMBER = (
    r"(?=.*[0-9])[-+]?(?:0[xX][0-9a-fA-F_]*|0[oO][0-7_]*|0[bB][01_]*|[-+.0-9_:eE]*)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?"
)
_VERSION = r"[0-9]+(?:\.[0-9]+){2,}"
_DIGITS = frozenset("0123456789")
_WORDS = frozenset("y n yes no on off true false null ~ = << .inf -.inf +.inf .nan".split())
# The beginning of a string without quotes.
_START = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]|-(?=[\w\-./])|:(?=[\w/])")
_RARE_SPACE = r"[^\S ]"
_UNPRINTABLE = r"[\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\ufffe\uffff]"
_ESCAPED = r'["\\]|' + _UNPRINTABLE
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}

# libyaml refuses longer keys without a question mark before them.
_LONGEST_KEY = 1000


# How the text around a new value is written: a function that returns by how many columns the
# entries of a mapping or sequence are indented under its key; one that finds the usual quote; the
# line break, `\n` or `\r\n`; whether the item or document is JSON; the text between key and value
# in brackets, a colon with or without a space; and the values that have moved here, as in
# `Text.moved`.
Style = namedtuple("Style", "indent quote newline json colon moved")


def double_quoted(text: str) -> str:
    """Return a string in double quotes, with escapes that JSON and YAML read alike."""
    if not _is_printable(text) or '"' in text or "\\" in text:
        text = re.sub(
            _ESCAPED, lambda found: _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}", text
        )
    return f'"{text}"'


def _is_printable(text: str) -> bool:
    return (text.isascii() and text.isprintable()) or not re.search(_UNPRINTABLE, text)


def _is_plain(text: str, *, in_flow: bool) -> bool:
    # One pattern for all of this would take ten times as long, which matters for megabytes of text.
    if not _START.match(text) or text.startswith(("---", "...")) or text.endswith((" ", ":")):
        return False
    if " #" in text or ": " in text or not _is_printable(text):
        return False
    if not text.isascii() and re.search(_RARE_SPACE, text):
        return False
    if in_flow and any(char in ",[]{}:?" for char in text):
        return False
    if (
        not _DIGITS.isdisjoint(text)
        and re.fullmatch(_NUMBER, text)
        and not re.fullmatch(_VERSION, text)
    ):
        return False
    return text.lower() not in _WORDS and resolve(text) is text


def scalar(value: Any, style: Style, *, old: str | None = None, in_flow: bool = False) -> str:
    """Return the text of a value that isn't a list or dict, on one line.

    Args:
        value: The value.
        style: The style of the text around the value.
        old: The quote that the replaced value or a neighbouring value has; empty or None if it has
            none. A string gets the same quote. Without one, it gets `style.quote()`, and only if it
            needs quotes. In JSON, all strings get double quotes, and elsewhere those that need
            escapes.
        in_flow: Whether the value is inside of brackets (in flow style).

    Raises:
        UsageError: The value is an integer with thousands of digits.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        try:
            return str(value)
        except ValueError:
            raise UsageError(
                "an integer of thousands of digits can't be written; write it as a string"
            ) from None
    if isinstance(value, float):
        text = repr(value)
        mantissa, e, exponent = text.partition("e")
        return mantissa + (".0" if e and "." not in mantissa else "") + e + exponent
    return double_quoted(value) if style.json else _text(value, style, old, in_flow)


def _text(text: str, style: Style, old: str | None, in_flow: bool) -> str:
    if old not in ("'", '"'):
        if _is_plain(text, in_flow=in_flow):
            return text
        old = style.quote()
    if old == "'" and _is_printable(text):
        return "'" + text.replace("'", "''") + "'"
    return double_quoted(text)


def key_text(key: str, style: Style, *, old: str | None = None, in_flow: bool = False) -> str:
    """Return a key as YAML or JSON text, without the colon. It takes the same arguments as
    `scalar`.

    Raises:
        UsageError: The text has more than 1,000 characters, quotes and escapes included.
    """
    text = scalar(key, style, old=old, in_flow=in_flow)
    if len(text) > _LONGEST_KEY:
        raise UsageError(
            f"the key {key[:40]!r}... is too long; a key has at most {_LONGEST_KEY} characters"
        )
    return text


def block_scalar(
    text: str,
    indent: int,
    parent: int,
    *,
    old: str = "|",
    keep: bool = False,
    explicit: bool = False,
) -> tuple[str, list[str]] | None:
    """Return the header and the lines of a block scalar for a string.

    Args:
        text: The string.
        indent: The column of the block's lines.
        parent: The column of the entry that the string belongs to.
        old: The wanted indicator, `|` or `>`. In place of `>`, `|` is used if the string can't be
            written with `>`.
        keep: Whether the block may end in blank lines.
        explicit: Whether the header always gives the indentation. Otherwise it does so only if the
            first line begins with a space.

    Returns:
        The header and the lines; None if the string can't be written as a block.
    """
    bare = text.rstrip("\n")
    ends = len(text) - len(bare)
    lines = bare.split("\n")
    unfit = re.search(_UNPRINTABLE, bare.replace("\n", "").replace("\t", ""))
    if (
        unfit
        or (ends > 1 and not keep)
        or not lines[0].strip()
        or any(line.isspace() for line in lines)
    ):
        return None
    if lines[0][0] == "\t":
        return None  # Go's readers refuse a tab there, even behind an indentation indicator
    # Go's readers see one line too many at the end of a `>+`.
    if old == ">" and ends < 2 and not any(line[:1] in (" ", "\t") for line in lines):
        lines = re.sub("\n+", lambda found: found[0] + "\n", bare).split("\n")
    else:
        old = "|"
    first = str(indent - parent) if explicit or lines[0][0] == " " else ""
    if first and not 1 <= indent - parent <= 9:
        return None
    head = old + first + ("-" if ends == 0 else "" if ends == 1 else "+")
    pad = " " * indent
    return head, [pad + line if line else "" for line in lines] + [""] * (ends - 1)


def ends_in_block(value: Any) -> bool:
    """Return whether a new value ends in a string of several lines, which may be written as a block
    scalar.
    """
    while isinstance(value, (dict, list)) and value:
        value = list(value.values())[-1] if isinstance(value, dict) else value[-1]
    return isinstance(value, str) and "\n" in value


def kind_of(value: Any) -> int:
    """Return the kind of node that a dict or list is written as."""
    return MAPPING if isinstance(value, dict) else SEQUENCE


def _slot(value: Any, column: int, style: Style, *, in_list: bool) -> tuple[str, list[str]]:
    """Return the text of a value in two parts: the rest of the line after its colon or dash, and
    the lines below.

    Args:
        value: The value.
        column: The column of the value's key or dash.
        style: The style of the text around the value.
        in_list: Whether the value comes after a dash.

    Raises:
        UsageError: A key or an integer is too long.
    """
    if isinstance(value, (dict, list)):
        if not value:
            return flow(value, style), []
        return "", block_lines(
            value, column + (2 if in_list else style.indent(kind_of(value))), style
        )
    if isinstance(value, str) and "\n" in value:
        block = block_scalar(value, column + style.indent(MAPPING), column)
        if block is not None:
            return block
    return scalar(value, style), []


_PLAIN = Style(
    {MAPPING: 2, SEQUENCE: 0}.__getitem__, lambda: '"', "\n", json=False, colon=": ", moved={}
)


def new_text(fields: dict[str, Any]) -> str:
    """Return the text of a new document."""
    return "".join(line + "\n" for line in block_lines(fields, 0, _PLAIN)) or "{}\n"


def block_lines(value: Any, column: int, style: Style) -> list[str]:
    """Return the lines of a dict or list in block style, without line breaks.

    Args:
        value: The dict or list.
        column: The column of its keys or dashes.
        style: The style of the text around it.

    Raises:
        UsageError: A key or an integer is too long.
    """
    lines: list[str] = []
    if isinstance(value, list):
        for one in value:
            lines += entry_lines(None, one, column, style)
    else:
        for key, one in value.items():
            lines += entry_lines(key_text(key, style), one, column, style)
    return lines


def entry_lines(key: str | None, value: Any, column: int, style: Style) -> list[str]:
    """Return the lines of a new entry in block style, without line breaks.

    Args:
        key: The text of its key; None for an element of a list.
        value: The value. A node of another stream keeps its text.
        column: The column of the key or dash.
        style: The style of the text around the entry.

    Raises:
        UsageError: A key or an integer is too long.
    """
    if id(value) in style.moved:
        from ._moves import moved_lines

        return moved_lines(style.moved[id(value)][1], value, column, style, key)
    return fresh_lines(key, value, column, style)


def fresh_lines(key: str | None, value: Any, column: int, style: Style) -> list[str]:
    """Return the lines of a new entry as `entry_lines` does, but not those that the value itself
    had before.
    """
    if isinstance(value, YamlNode):
        text = value.doc.document(value).replace("\r\n", "\n").removesuffix("\n")
        inline, below = "", indented(text, column + 2).split("\n")
    else:
        inline, below = _slot(value, column, style, in_list=key is None)
    pad = " " * column
    if key is not None:
        return [f"{pad}{key}:{' ' + inline if inline else ''}", *below]
    if not inline:
        inline, *below = below
        inline = inline[column + 2 :]
    return [f"{pad}- {inline}", *below]


def flow(value: Any, style: Style, *, lead: str | None = None, step: str = "") -> str:
    """Return the text of a value in brackets. A scalar is written as it must be inside of brackets.

    Args:
        value: The value.
        style: The style of the text around the value.
        lead: The white space at the beginning of the line, if each entry gets its own line; None
            for one line.
        step: The white space that each level adds to `lead`.

    Raises:
        UsageError: A key or an integer is too long.
    """
    if isinstance(value, YamlNode):
        value = wanted(value)
    if not isinstance(value, (dict, list)):
        return scalar(value, style, in_flow=True)
    inner = None if lead is None else lead + step
    if isinstance(value, dict):
        parts = [
            key_text(key, style, in_flow=True)
            + style.colon
            + flow(one, style, lead=inner, step=step)
            for key, one in value.items()
        ]
    else:
        parts = [flow(one, style, lead=inner, step=step) for one in value]
    start, end = "{}" if isinstance(value, dict) else "[]"
    if not parts:
        return start + end
    if inner is None:
        return start + ("," if style.colon == ":" else ", ").join(parts) + end
    first = style.newline + inner
    return str(start + first + ("," + first).join(parts) + style.newline + (lead or "") + end)


# The most nodes that are searched for an indentation to follow.
_ENOUGH = 2000


def style_at(node: YamlNode) -> Style:
    """Return the style for new values in a node: as the node's own parts are written, else as the
    text around it is.
    """
    doc, unit = node.doc, unit_of(node)
    is_json = _is_json(unit)

    def indent(kind: int) -> int:
        at: YamlNode | None = node
        while at is not None:
            found = _steps(at)[kind]
            if found is not None:
                return found
            at = None if at is unit else at.parent
        return int(_PLAIN.indent(kind))

    # Only JSON can be without the space.
    colon = ":" if is_json and _colon(node) == ":" else ": "
    return Style(
        indent, lambda: _usual_quote(unit), doc.newline, json=is_json, colon=colon, moved=doc.moved
    )


@cached
def _is_json(unit: YamlNode) -> bool:
    """Return whether an item or a document is written as JSON: in brackets, with all its own keys
    in double quotes.
    """
    while unit.kind != MAPPING and unit.parent is not None:
        unit = unit.parent
    text = unit.doc.text
    return unit.style == "{" and {text[one.kstart : one.kstart + 1] for one in entries(unit)} <= {
        '"'
    }


def unit_of(node: YamlNode) -> YamlNode:
    """Return the item of a ResourceList or another list of resources around a node; the document if
    there is none.

    Each has its own style, because each may be from another file.
    """
    at = node
    while at.parent is not None:
        if is_item(at):
            return at
        at = at.parent
    return at


def is_item(node: YamlNode) -> bool:
    """Return whether a node is an item of a ResourceList, or of another list of resources."""
    items = node.parent
    if (
        items is None
        or items.kind != SEQUENCE
        or items.parent is None
        or items.parent.parent is not None
    ):
        return False
    root = items.parent
    return root.content.get("items") is items and root.get(["kind"]) in ("ResourceList", "List")


@cached
def _usual_quote(unit: YamlNode) -> str:
    """Return the quote of most values in an item or a document; `"` if it has no quotes."""
    return _most(unit.doc.text[unit.start : unit.end])


# The annotations of orchestrators, which quote them in their own way.
_RESERVED = re.compile(r"\bconfig\.(?:kubernetes|k8s)\.io/[-.\w]+: (['\"])")


def _most(text: str) -> str:
    single, double = text.count(": '"), text.count(': "')
    if single or double:
        theirs = _RESERVED.findall(text)
        single -= theirs.count("'")
        double -= theirs.count('"')
    return "'" if single > double else '"'


@cached
def _steps(top: YamlNode) -> dict[int, int | None]:
    """Return by how many columns mappings and sequences in a node are indented under their keys.

    Args:
        top: The node. At most 2,000 nodes in it are searched.

    Returns:
        The columns of the first mapping and those of the first sequence, by the kind; None if there
        is none.
    """
    found: dict[int, int | None] = {MAPPING: None, SEQUENCE: None}
    text = top.doc.text
    todo = [top]
    for _ in range(_ENOUGH):
        if not todo or None not in found.values():
            break
        one = todo.pop()
        kids = entries(one)
        todo += reversed(kids)
        if one.kind != MAPPING or one.style:
            continue
        for child in kids:
            if is_block(child) and found[child.kind] is None:
                by = column(text, open_at(child)) - column(text, key_start(child))
                found[child.kind] = max(by, 1 if child.kind == MAPPING else 0)
    return found


@cached
def beside(node: YamlNode, keys: bool = False) -> str:
    """Return the common quote of all strings directly in a mapping or list, `'` or `"`; an empty
    string without one.

    Args:
        node: The mapping or list, as it is in the input. A scalar has no such quote.
        keys: Whether to return the quote of all keys in a mapping instead.
    """
    if node.kind not in (MAPPING, SEQUENCE):
        return ""
    text = node.doc.text
    if keys:
        found = {text[child.kstart] for child in entries(node)}
    else:
        strings = [
            one for one in _entries(node) if one.kind == SCALAR and (one.style or _is_text(one))
        ]
        found = {one.style for one in strings}
    quote = found.pop() if len(found) == 1 else ""
    return quote if quote in ("'", '"') else ""


def _entries(node: YamlNode) -> list[YamlNode]:
    """Return the nodes of a collection's entries in the input, without annotations that kpt or
    kustomize write.
    """
    if node.kind != MAPPING:
        return entries(node)
    return [one for key, one in node.content.items() if key is None or not is_orchestrators(key)]


def _is_text(node: YamlNode) -> bool:
    """Return whether an unquoted scalar of the input is a string."""
    return isinstance(
        resolve(node.content) if node.tag is None else tagged(node.tag, node.content), str
    )


_COLON = re.compile(r":[ ]*")


@cached
def _colon(node: YamlNode) -> str | None:
    """Return the first colon, with the spaces after it, of the nearest mapping in brackets; None if
    there is none.
    """
    at: YamlNode | None = node
    while at is not None:
        if at.kind == MAPPING and at.style and entries(at):
            found = _COLON.match(at.doc.text, entries(at)[0].kend)
            if found:
                return found[0]
        at = at.parent
    return None
