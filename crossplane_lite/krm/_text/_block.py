"""Makes the edits for mappings and sequences in block style, when entries changed, or were added, removed or moved.

Functions add these edits (start, end, new text) to the list `out`.
"""

from __future__ import annotations

import re

from ._layout import bounds, column, entries, header, is_block_scalar, keeps_blanks, last_leaf, line_start
from ._nodes import FRESH, MAPPING, SEQUENCE
from ._replace import BLANK, apply, element_lines, replace, without_spaces
from ._style import beside, style_at
from ._write import mapping_lines, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._layout import Bounds
    from ._nodes import YamlNode
    from ._replace import Edit, EditsOf

__all__ = ["block_edits", "last_now", "seal"]

_SPACE = re.compile(r"[ \t\r\n]*")


def block_edits(node: YamlNode, out: list[Edit], edits_of: EditsOf) -> None:
    """Add the edits of a collection in block style. Entries may have changed, and may be new, removed or moved.

    Args:
        node: The sequence or mapping.
        out: The list that the edits are added to.
        edits_of: Adds the edits of a child.
    """
    if node.source is None:
        for child in entries(node):
            edits_of(child, out)
    elif node.kind == MAPPING:
        _mapping(node, out, edits_of)
    else:
        _sequence(node, out, edits_of)


def last_now(node: YamlNode) -> YamlNode:
    """Return the last value in a node, edits included; the node itself if it has no nodes inside, or is in brackets."""
    while node.kind in (MAPPING, SEQUENCE) and node.content and not (node.style and entries(node)):
        node = list(node.content.values() if node.kind == MAPPING else node.content)[-1]
    return node


def seal(node: YamlNode, out: list[Edit]) -> None:
    """Keep the value of a block scalar that ends a text without a last line break, before text is added after it.

    The added text gives the scalar's last line a line break. So an edit in `out` adds `-` to the scalar's header, which
    drops the line break from the value. Nothing is added if the last value of `node` isn't such a scalar.
    """
    doc, leaf = node.doc, last_leaf(node)
    sealed = doc.cache["sealed"]
    if doc.is_open and is_block_scalar(leaf) and leaf not in sealed and _is_there(leaf):
        sealed.add(leaf)
        found = header(leaf)
        if leaf.end == len(doc.text) - len(doc.newline) and "-" not in found[1]:
            out.append((found.start(1), found.end(1), found[1].strip("+") + "-"))


def _is_there(node: YamlNode) -> bool:
    """Return whether a value of the input is still in the document.

    It isn't if the value itself, or a value around it, was replaced or removed.
    """
    if node.kind != node.was:
        return False
    parent = node.parent
    while parent is not None:
        if parent.kind not in (MAPPING, SEQUENCE):
            return False
        children = parent.content.values() if parent.kind == MAPPING else parent.content
        if not any(child is node for child in children):
            return False
        node, parent = parent, parent.parent
    return True


def _remove(text: str, places: Bounds, before: YamlNode | None, out: list[Edit]) -> None:
    out.append((places.lead, places.end, ""))
    if before is not None and _takes_blanks(before):
        _remove_blanks(text, places.end, out)


def _takes_blanks(node: YamlNode) -> bool:
    """Return whether blank lines after a node would become a part of the node's last value, edits included."""
    leaf = last_now(node)
    if not is_block_scalar(leaf) or not keeps_blanks(leaf):
        return False
    return leaf.kind != FRESH or (isinstance(leaf.content, str) and leaf.content.endswith("\n"))


def _remove_blanks(text: str, at: int, out: list[Edit]) -> None:
    found = BLANK.match(text, at)
    assert found is not None
    edit = (at, found.end(), "")
    if edit not in out:
        out.append(edit)


def _remove_first(text: str, places: list[Bounds], out: list[Edit]) -> None:
    """Add the edit that removes the first entries of a block after a dash. The next entry moves up to the dash.

    Args:
        text: The text.
        places: The entries to remove.
        out: The list that the edit is added to.
    """
    found = _SPACE.match(text, places[-1].end)
    assert found is not None
    out.append((places[0].start, found.end(), ""))


def _mapping(node: YamlNode, out: list[Edit], edits_of: EditsOf) -> None:
    """Add the edits of a mapping in block style whose fields were added or removed.

    If no field of the input is left, the mapping is written as a whole.
    """
    doc, text = node.doc, node.doc.text
    places = bounds(node)
    is_inline = places[0].lead == places[0].start and bool(
        text[line_start(text, places[0].start) : places[0].start].strip()
    )
    before: YamlNode | None = None
    gone: list[Bounds] = []  # the first fields, while nothing is left before them
    kept = any(node.content.get(key) is child for key, child in node.source.items())
    new = {key: child.value() for key, child in node.content.items() if child.was == FRESH}
    if not kept:
        replace(node, out)
        return
    for (key, child), place in zip(node.source.items(), places, strict=True):
        if node.content.get(key) is child:
            if gone:
                _remove_first(text, gone, out)
                gone = []
            is_inline = False
            edits_of(child, out)
            before = child
        elif is_inline:
            gone.append(place)
        else:
            _remove(text, place, before, out)
    if new:
        style = style_at(node, is_flat=all(map(_is_flat, new.values())))
        last = entries(node)[-1]
        if places[-1].end == len(text):
            seal(last, out)
        indent = column(text, places[0].start)
        key_style = beside(node, keys=True)
        quote = beside(node)
        lines: list[str] = []
        for key, value in new.items():
            below = mapping_lines({key: value}, indent, style, old_key=key_style)
            if quote and isinstance(value, str) and "\n" not in value:
                head = below[0][: len(below[0]) - len(scalar(value, style))]
                below = [head + scalar(value, style, old=quote)]
            lines += below
        out.append((places[-1].end, places[-1].end, "".join(line + doc.newline for line in lines)))


def _is_flat(value: object) -> bool:
    return not isinstance(value, (dict, list)) and not (isinstance(value, str) and "\n" in value)


def _sequence(node: YamlNode, out: list[Edit], edits_of: EditsOf) -> None:
    """Add the edits of a sequence in block style whose elements were added, removed or moved.

    If no element of the input is left, the sequence is written as a whole.
    """
    index = {id(child): at for at, child in enumerate(node.source)}
    order = [index[id(child)] for child in node.content if id(child) in index]
    if not order:
        replace(node, out)
        return
    if order != sorted(order):
        _reorder(node, index, out, edits_of)
        return
    doc, text = node.doc, node.doc.text
    places = bounds(node)
    indent = column(text, places[0].start)
    is_inline = bool(text[line_start(text, places[0].start) : places[0].start].strip())
    at = places[0].lead
    for child in node.content:
        if id(child) in index:
            edits_of(child, out)
            at = places[index[id(child)]].end
            continue
        lines = element_lines(child, indent, style_at(node))
        if at == places[0].lead and is_inline:
            out.append((at, at, doc.newline.join([*lines, " " * indent])[indent:]))
        else:
            if at == len(text):
                seal(node.source[-1], out)
            out.append((at, at, "".join(line + doc.newline for line in lines)))
    kept = set(order)
    before: YamlNode | None = None
    for number, child in enumerate(node.source):
        if number in kept:
            before = child
        elif is_inline and number < order[0]:
            if number + 1 == order[0]:
                _remove_first(text, places[: number + 1], out)
        else:
            _remove(text, places[number], before, out)


def _reorder(node: YamlNode, index: dict[int, int], out: list[Edit], edits_of: EditsOf) -> None:
    """Add the edit that writes a sequence's elements in another order. Text between elements stays at its position."""
    doc, text = node.doc, node.doc.text
    places = bounds(node)
    start, end = places[0].lead, places[-1].end
    indent = column(text, places[0].start)
    is_inline = bool(text[line_start(text, places[0].start) : places[0].start].strip())
    gaps = ["", *(text[one.end : two.lead] for one, two in zip(places, places[1:], strict=False))]
    parts: list[str] = []
    before: YamlNode | None = None
    for child in node.content:
        gap = gaps.pop(0) if gaps else ""
        if before is not None and _takes_blanks(before):
            gap = gap[BLANK.match(gap).end() :]  # type: ignore[union-attr]
        parts.append(without_spaces(gap) if doc.cache["bare"] else gap)
        at = index.get(id(child))
        if at is None:
            parts.append(doc.newline.join(element_lines(child, indent, style_at(node))) + doc.newline)
            before = None
            continue
        inner: list[Edit] = []
        edits_of(child, inner)
        if places[at].end == len(text):
            seal(child, inner)
        chunk = apply(text, places[at].lead, places[at].end, inner, bare=doc.cache["bare"])
        if at == 0 and is_inline:
            chunk = " " * indent + chunk
        parts.append(chunk)
        before = child
    if before is not None and before is not node.source[-1] and _takes_blanks(before):
        _remove_blanks(text, end, out)
    parts += [gap for gap in gaps if "#" in gap]
    new = "".join(parts)
    if is_inline:
        new = new.lstrip(" ")
    out.append((start, end, new))
