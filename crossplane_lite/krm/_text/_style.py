"""Finds the style in which new values are written: that of the text around them."""

from __future__ import annotations

import re

from ..._base.yaml_scalars import resolve, tagged
from ..annotations import is_orchestrators
from ._layout import column, entries, is_block, key_start, open_at
from ._nodes import FRESH, MAPPING, SCALAR, SEQUENCE
from ._write import Style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._nodes import YamlNode

__all__ = ["beside", "flow_style", "style_at", "unit_of"]

# The most nodes that are searched for an indentation to follow.
_ENOUGH = 2000


def style_at(node: YamlNode, *, is_flat: bool = False) -> Style:
    """Return the style for new values in a node: as the node's own parts are written, else as the text around it is.

    Args:
        node: The node.
        is_flat: Whether all new values are written on one line, so that no indentation is needed.
    """
    doc = node.doc
    step = offset = None
    at: YamlNode | None = None if is_flat else node
    while at is not None and (step is None or offset is None):
        found = _steps(at, is_own=at is node)
        step = step if step is not None else found[0]
        offset = offset if offset is not None else found[1]
        at = at.parent
    is_json = _is_json(unit_of(node))
    style = Style(step or 2, offset or 0, _usual_quote(node), doc.newline, json=is_json, colon=": ")
    return flow_style(node, style) if is_json else style


def _is_json(unit: YamlNode) -> bool:
    """Return whether an item or a document is written as JSON: in brackets, with all its own keys in double quotes."""
    while unit.was != MAPPING and unit.parent is not None:
        unit = unit.parent
    cache = unit.doc.cache
    if (unit, "json") not in cache:
        text = unit.doc.text
        cache[unit, "json"] = (
            unit.was == MAPPING
            and unit.style == "{"
            and all(text[one.kstart : one.kstart + 1] == '"' for one in entries(unit))
        )
    found: bool = cache[unit, "json"]
    return found


def unit_of(node: YamlNode) -> YamlNode:
    """Return the item around a node, such as an element of `items` in a ResourceList; the document if there is no item.

    Each has its own style, because each may be from another file.
    """
    at = node
    while at.parent is not None:
        above = at.parent
        if above.was == SEQUENCE and above.parent is not None and above.parent.parent is None:
            return at
        at = above
    return at


def _usual_quote(node: YamlNode) -> str:
    """Return the quote of most values in the item or document around a node; else that of the stream; else `"`."""
    unit = unit_of(node)
    cache = unit.doc.cache
    if (unit, "usual") not in cache:
        text = unit.doc.text
        cache[unit, "usual"] = _most(text[unit.start : unit.end]) if unit.was != FRESH else ""
    found: str = cache[unit, "usual"]
    if not found:
        if "usual" not in cache:
            cache["usual"] = _most(unit.doc.text) or '"'
        found = cache["usual"]
    return found


# The annotations of orchestrators, which quote them in their own way.
_RESERVED = re.compile(r"\bconfig\.(?:kubernetes|k8s)\.io/[-.\w]+: (['\"])")


def _most(text: str) -> str:
    single, double = text.count(": '"), text.count(': "')
    if single or double:
        theirs = _RESERVED.findall(text)
        single -= theirs.count("'")
        double -= theirs.count('"')
    return "'" if single > double else '"' if double else ""


def _steps(top: YamlNode, *, is_own: bool) -> tuple[int | None, int | None]:
    """Return by how many columns mappings and sequences in a node are indented under their keys.

    Args:
        top: The node. At most 2,000 nodes in it are searched.
        is_own: Whether the fields of the document itself count, if `top` is a document.

    Returns:
        The columns of the first mapping and those of the first sequence; None if there is none.
    """
    cache = top.doc.cache
    if (top, is_own) in cache:
        found: tuple[int | None, int | None] = cache[top, is_own]
        return found
    step = offset = None
    text = top.doc.text
    todo = [top]
    for _ in range(_ENOUGH):
        if not todo or (step is not None and offset is not None):
            break
        one = todo.pop()
        kids = entries(one)
        todo += reversed(kids)
        # The list of items says nothing about the inside of the items.
        if one.was != MAPPING or one.style or (one.parent is None and not is_own):
            continue
        for child in kids:
            if not is_block(child):
                continue
            here = column(text, key_start(child))
            if child.was == MAPPING and step is None:
                step = max(column(text, key_start(entries(child)[0])) - here, 1)
            elif child.was == SEQUENCE and offset is None:
                offset = max(column(text, open_at(child)) - here, 0)
    cache[top, is_own] = step, offset
    return step, offset


def beside(node: YamlNode, *, keys: bool = False) -> str:
    """Return the common quote of all strings directly in a mapping or list, `'` or `"`; an empty string without one.

    Args:
        node: The mapping or list, as it is in the input. A scalar has no such quote.
        keys: Whether to return the quote of all keys in a mapping instead.
    """
    if node.was not in (MAPPING, SEQUENCE):
        return ""
    cache = node.doc.cache
    if (node, "quote", keys) not in cache:
        cache[node, "quote", keys] = _quote(node, keys)
    found: str = cache[node, "quote", keys]
    return found


def _quote(node: YamlNode, keys: bool) -> str:
    text = node.doc.text
    if keys:
        found = {text[child.kstart] for child in entries(node)}
    else:
        strings = [one for one in _entries(node) if one.was == SCALAR and (one.style or _is_text(one))]
        found = {one.style for one in strings}
    quote = found.pop() if len(found) == 1 else ""
    return quote if quote in ("'", '"') else ""


def _entries(node: YamlNode) -> list[YamlNode]:
    """Return the nodes of a collection's entries in the input, without annotations that kpt or kustomize write."""
    if node.was != MAPPING:
        return entries(node)
    source: dict[str | None, YamlNode] = node.content if node.source is None else node.source
    return [one for key, one in source.items() if key is None or not is_orchestrators(key)]


def _is_text(node: YamlNode) -> bool:
    """Return whether an unquoted scalar of the input is a string."""
    text = node.content if node.source is None else node.source
    return isinstance(resolve(text) if node.tag is None else tagged(node.tag, text), str)


_COLON = re.compile(r":[ ]*")


def flow_style(node: YamlNode, style: Style) -> Style:
    """Return `style` for values in brackets, with the space after colons that the nearest mapping in brackets has.

    If there is no such mapping around `node`, `style` is returned unchanged. Only JSON can be without the space.
    """
    cache = node.doc.cache
    if (node, "colon") not in cache:
        cache[node, "colon"] = _colon(node)
    colon: str | None = cache[node, "colon"]
    if colon is None:
        return style
    colon = ":" if colon == ":" and style.json else ": "
    return Style(style.step, style.offset, style.quote, style.newline, json=style.json, colon=colon)


def _colon(node: YamlNode) -> str | None:
    """Return the first colon, with the spaces after it, of the nearest mapping in brackets; None if there is none."""
    at: YamlNode | None = node
    while at is not None:
        if at.was == MAPPING and at.style and entries(at):
            found = _COLON.match(at.doc.text, entries(at)[0].kend)
            if found:
                return found[0]
        at = at.parent
    return None
