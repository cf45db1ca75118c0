"""Compares the nodes of a stream with the values that they must have, and makes the edits of the
text.

An edit is a tuple: the start and the end of the replaced text, and the new text. Methods add edits
to the list `out`.
"""

from __future__ import annotations

import re

from ...errors import UsageError
from ._edit import paired
from ._layout import bounds, column, entries, line_start, open_at, pieces_of, place_of
from ._moves import has_comments, is_movable, moved_lines, texts_in
from ._nodes import MAPPING, SEQUENCE, YamlNode, merged, same, says, wanted
from ._replace import apply, flow_value, replace
from ._write import beside, entry_lines, key_text, scalar, style_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any, TypeAlias

    from ._nodes import Edit, Stream, _Known

    # A field or an element: its key, or None; its node, or None if it is new; and its value.
    Entry: TypeAlias = tuple[str | None, YamlNode | None, Any]

_UNKNOWN: Any = object()


class Edits:
    """The edits of documents of one stream.

    An alias stays as long as its anchor does. If the value of the anchor is edited or removed, or
    if another anchor, or none, may come before the alias, the alias is replaced by a copy of its
    value. Which aliases these are is known only after all nodes were compared, so the comparison is
    repeated until there are no more of them.

    Args:
        doc: The stream.
        loose: Aliases that are replaced in any case.
    """

    def __init__(self, doc: Stream, loose: Iterable[YamlNode] = ()) -> None:
        self._doc = doc
        self._loose = {*loose}  # aliases that copies replace
        self._active: set[YamlNode] = set()  # all nodes that have an edit, or an edit in them
        self._known: _Known = {}
        self._touched: set[YamlNode] = set()  # nodes with a new value
        self._gone: set[YamlNode] = set()  # nodes whose text is removed or replaced
        self._arranged: list[YamlNode] = []  # lists in which elements were added, removed or moved

    def of(self, roots: Sequence[YamlNode]) -> list[Edit]:
        """Return the edits of these documents.

        Raises:
            InputError: Two edits overlap.
            UsageError: A key or an integer is too long.
        """
        self._activate((*self._doc.wanted, *self._loose))
        while True:
            out: list[Edit] = []
            known = len(self._doc.moved)
            for root in roots:
                self.edit(root, root, out)
            self._find_moved()
            loose = {
                alias for anchored in self._doc.aliases for alias in self._cut_off(anchored)
            } - self._loose
            if not loose and len(self._doc.moved) == known:
                return out
            self._loose |= loose
            self._activate(loose)

    def of_moved(self, node: YamlNode, value: Any) -> list[Edit]:
        """Return the edits that give a node another value, plain data, for its text at another
        place.
        """
        while True:
            out: list[Edit] = []
            known = len(self._doc.moved)
            self.edit(node, value, out)
            self._find_moved()
            if len(self._doc.moved) == known:
                return out

    def _find_moved(self) -> None:
        """Note which strings are gone and have comments: such a string itself may be at another
        place now.
        """
        if self._doc.aliases:
            return
        for node in self._gone:
            if is_movable(node) and has_comments(node):
                for one in texts_in(node):
                    self._doc.moved.setdefault(id(one.content), (one.content, one))

    def _activate(self, nodes: Iterable[YamlNode]) -> None:
        for one in nodes:
            at: YamlNode | None = one
            while at is not None and at not in self._active:
                self._active.add(at)
                at = at.parent

    def _touch(self, node: YamlNode) -> None:
        at: YamlNode | None = node
        while at is not None and at not in self._touched:
            self._touched.add(at)
            at = at.parent

    def _cut_off(self, anchored: YamlNode) -> list[YamlNode]:
        """Return the aliases of a node that can't stay."""
        aliases: list[YamlNode] = self._doc.aliases[anchored]
        at: YamlNode | None = anchored
        while at is not None and at not in self._gone:
            at = at.parent
        if at is not None or anchored in self._touched:
            return aliases
        unique = anchored.anchor not in self._doc.repeated
        for node in self._arranged:
            home = _element_of(node, anchored)
            if (home is not None or not unique) and any(
                _element_of(node, one) is not home for one in aliases
            ):
                return aliases
        return []

    # Comparing

    def edit(self, node: YamlNode, value: Any, out: list[Edit]) -> None:
        """Add the edits that give a node a value; the node itself stands for the value that was
        assigned to it.
        """
        if value is node:
            if node not in self._active:
                return
            if node in self._doc.wanted:
                value, self._known = self._doc.wanted[node]
            else:
                value = node.content if node.kind in (MAPPING, SEQUENCE) else node.value()
        elif not self._doc.aliases and says(node, value):
            return  # as most values
        origin = self._doc.moved.get(id(value))
        if (
            origin is not None
            and origin[1] is not node
            and node.parent is not None
            and not node.parent.style
        ):
            self._put(node, origin[1], value, out)
        elif isinstance(value, YamlNode):
            self._other_text(node, value, out)
        elif self._doc.moved and self.must_open(node, value):
            self._touch(node)
            self._gone.add(node)
            replace(node, value, False, out, in_lines=True)
        elif node.kind == MAPPING and value.__class__ is dict:
            self._fields(node, value, out)
        elif node.kind == SEQUENCE and value.__class__ is list:
            self._elements(node, value, out)
        elif not same(node.value(), value):
            self._replace(node, value, out)
        elif node in self._loose:
            replace(node, value, False, out)

    def _other_text(self, node: YamlNode, value: YamlNode, out: list[Edit]) -> None:
        """Add the edit of an item or a document that has got a text of its own."""
        text, place = value.doc.document(value), place_of_unit(node)
        if node.parent is not None:
            text = "-" + text[column(self._doc.text, place.start) + 1 :]
        out.append((place.start, place.end, text))

    def must_open(self, node: YamlNode, value: Any) -> bool:
        """Return whether a value in brackets must be written in lines: comments have moved into
        it.
        """
        if not node.style or not entries(node) or (node.parent is not None and node.parent.style):
            return False
        if "#" in node.doc.text[node.start : node.end] or style_at(node).json:
            return False
        work = [value]
        while work:
            one = work.pop()
            origin = self._doc.moved.get(id(one))
            if origin is not None and not _is_in(origin[1], node) and has_comments(origin[1]):
                return True
            work += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        return False

    def _put(self, node: YamlNode, origin: YamlNode, value: Any, out: list[Edit]) -> None:
        """Add the edit that writes a value from elsewhere, with its comments, in place of the value
        of an entry.
        """
        self._touch(node)
        self._gone.add(node)
        text, place, parent = node.doc.text, place_of(node), node.parent
        assert parent is not None
        key = text[place.start : node.kend] if parent.kind == MAPPING else None
        lines = moved_lines(origin, value, column(text, place.start), style_at(parent), key)
        out.append(
            (place.start, place.end, "".join(line + node.doc.newline for line in lines).lstrip(" "))
        )

    def _replace(self, node: YamlNode, value: Any, out: list[Edit]) -> None:
        self._touch(node)
        self._gone.add(node)
        replace(node, value, False, out)

    def _is_aliased(self, node: YamlNode) -> bool:
        return any(alias not in self._loose for alias in self._doc.aliases.get(node, ()))

    def _fields(self, node: YamlNode, value: dict[Any, Any], out: list[Edit]) -> None:
        """Add the edits of a mapping. A merge key (the key None) stays unless a field that it gives
        is removed.
        """
        merge = node.content.get(None)
        fields: dict[str, Any] = {}
        if merge is not None:
            value, fields = self._with_merge(node, merge, value)
        is_same = value.keys() == node.content.keys()
        if value is node.content or (
            is_same and (merge is not None or [*value] == [*node.content])
        ):
            for key, child in node.content.items():
                self.edit(child, value[key], out)
            return
        gone = {key for key in node.content if key not in value}
        new = {key: one for key, one in value.items() if key not in node.content}
        self._gone.update(node.content[key] for key in gone)
        if gone - {None} or any(
            key not in fields or not same(fields[key], one) for key, one in new.items()
        ):
            self._touch(node)
        # A merge key has no place among the fields of the value.
        before = [key for key in node.content if key in value]
        order = [*value] if merge is None else [*before, *new]
        if self._doc.aliases and [key for key in order if key in node.content] != before:
            self._touch(node)
            self._arranged.append(node)
        if node.style and value and node.content:
            self._in_brackets(
                node, [(key, node.content.get(key), value[key]) for key in order], out
            )
        elif not node.content or not value:
            replace(node, value, self._is_aliased(node), out)
        else:
            places = {key: at for at, key in enumerate(node.content)}
            lines = dict(zip(new, _new_fields(node, new, gone), strict=True))
            self._block(
                node,
                [places.get(key) for key in order],
                [lines.get(key, value[key]) for key in order],
                out,
            )

    def _with_merge(
        self, node: YamlNode, merge: YamlNode, value: dict[Any, Any]
    ) -> tuple[dict[Any, Any], dict[str, Any]]:
        """Return a value without the fields that a merge key gives, and with the key None for it,
        if it can stay.

        The second result has the fields of the mapping as it was; it is empty if the key has stayed
        in the value.
        """
        is_loose = any(one in self._loose for one in (merge, *entries(merge)))
        if None in value and is_loose:
            value = {**node.value(), **value}
            del value[None]
        if None in value:
            return value, {}
        fields = node.value()
        hidden = fields.keys() - node.content.keys()
        lost = [
            *hidden,
            *(key for key in node.content if key and any(one.child(key) for one in merged(merge))),
        ]
        if not is_loose and all(key in value for key in lost):
            value = {
                key: one
                for key, one in value.items()
                if key not in hidden or not same(fields[key], one)
            }
            value[None] = merge
        return value, fields

    def _elements(self, node: YamlNode, value: list[Any], out: list[Edit]) -> None:
        """Add the edits of a list, of which elements may have changed, and may be new, removed or
        moved.
        """
        children = node.content
        found = self._places(children, value)
        if found == [*range(len(children))]:
            for child, one in zip(children, value, strict=True):
                self.edit(child, one, out)
            return
        self._touch(node)
        self._arranged.append(node)
        order = [at for at in found if at is not None]
        self._gone.update(children[at] for at in {*range(len(children))}.difference(order))
        if node.style and value and children:
            nodes = [None if at is None else children[at] for at in found]
            self._in_brackets(
                node, [(None, child, one) for child, one in zip(nodes, value, strict=True)], out
            )
        elif not children or not value:
            replace(node, value, False, out)
        else:
            indent = column(node.doc.text, open_at(node))
            now = [
                entry_lines(None, one, indent, style_at(node)) if at is None else one
                for at, one in zip(found, value, strict=True)
            ]
            self._block(node, found, now, out)

    def _places(self, children: list[YamlNode], value: list[Any]) -> list[int | None]:
        """Return, for each element of a new list, the index of the node of the list that becomes
        it.
        """
        left: dict[Any, int] = {child: at for at, child in enumerate(children)}
        found = [left.pop(self._node_of(one), None) for one in value]
        is_compared = self._known.get(id(value), value) is not None
        new = [at for at, one in enumerate(found) if one is None] if left and is_compared else []
        free = [*left.values()]
        pairs = paired(
            [children[at].value() for at in free], [self._own(value[at], children) for at in new]
        )
        for at, pair in zip(new, pairs, strict=True):
            found[at] = None if pair is None else free[pair]
        return found

    def _node_of(self, value: Any) -> YamlNode | None:
        """Return the node from which an element of a new list was read; None if it wasn't read."""
        if isinstance(value, YamlNode):
            return value
        if not isinstance(value, (dict, list)):
            return None
        known = self._doc.moved.get(id(value)) or self._known.get(id(value))
        return None if known is None else known[1]

    def _own(self, value: Any, children: list[YamlNode]) -> Any:
        """Return an element of a new list; what equals nothing if it has come from elsewhere."""
        origin = self._doc.moved.get(id(value))
        is_own = origin is None or (bool(children) and origin[1].parent is children[0].parent)
        return value if is_own else _UNKNOWN

    # Lines

    def _block(
        self, node: YamlNode, found: list[int | None], now: list[Any], out: list[Edit]
    ) -> None:
        """Add the edit of a block in which entries were added, removed or moved. Some stay.

        Text between entries stays before the entry that it is before; if entries were moved, it
        stays at its position.

        Args:
            node: The list or mapping.
            found: For each entry the index that it has in the text; None for a new one.
            now: For each entry its value; the lines of a new one.
            out: The list that the edit is added to.
        """
        text, children, places = node.doc.text, entries(node), bounds(node)
        indent = column(text, places[0].start)
        # behind a list's dash
        is_inline = bool(text[line_start(text, places[0].start) : places[0].start].strip())
        order = [at for at in found if at is not None]
        is_moved = order != sorted(order)
        gaps = [
            "",
            *(text[one.end : two.lead] for one, two in zip(places, places[1:], strict=False)),
        ]
        parts: list[str] = []
        passed = 0
        last = max((number for number, at in enumerate(found) if at is not None), default=-1)
        for number, (at, one) in enumerate(zip(found, now, strict=True)):
            if is_moved:
                until = passed + 1
            elif at is not None:
                until = at + 1
            else:
                until = len(gaps) if node.kind == MAPPING and number > last else passed
            parts += gaps[passed:until]
            passed = until
            if at is None:
                parts += [line + node.doc.newline for line in one]
                continue
            inner: list[Edit] = []
            self.edit(children[at], one, inner)
            chunk = apply(text, places[at].lead, places[at].end, inner)
            parts.append(" " * indent + chunk if at == 0 and is_inline else chunk)
        parts += [gap for gap in gaps[passed:] if not is_moved or "#" in gap]
        new = "".join(parts)
        if (
            node.kind == SEQUENCE and found[0] != 0 and not is_moved
        ):  # the blank lines were those between the first entry and the next
            new = _BLANK_LINES.sub("", new, count=1)
        out.append((places[0].lead, places[-1].end, new.lstrip() if is_inline else new))

    # Brackets

    def _in_brackets(self, node: YamlNode, now: list[Entry], out: list[Edit]) -> None:
        """Add the edit of a list or mapping in brackets whose entries were added, removed or
        moved.
        """
        index = {id(child): at for at, child in enumerate(entries(node))}
        leads, notes, has_comma, tail = _split(node)
        usual = _usual_lead(node, leads)
        first = leads[0] if "#" not in leads[0] else usual
        new = ""
        for number, (key, child, value) in enumerate(now):
            lead, note = usual if number else first, ""
            if child is None:
                new += lead + _fresh(node, key, value, lead)
            else:
                at = index[id(child)]
                inner: list[Edit] = []
                self.edit(child, value, inner)
                if "#" in leads[at] or (at == 0) == (number == 0):
                    lead = leads[at]
                new += lead + apply(node.doc.text, _start(child), max(child.end, child.kend), inner)
                note = notes[at]
            new += ("," if has_comma or number + 1 < len(now) else "") + note
        out.append((open_at(node) + 1, node.end - 1, new + tail))


def place_of_unit(node: YamlNode) -> Any:
    """Return where a document lies, or an item with its dash: `start` and `end`.

    Raises:
        UsageError: The item is in brackets, where it can't have comments of its own.
    """
    if node.parent is None:
        return pieces_of(node.doc)[node]
    if node.parent.style:
        problem = (
            "comments can be set only if the items are written in lines, with dashes, not in"
            " brackets"
        )
        raise UsageError(f"{node.doc.label}: {problem}")
    return place_of(node)


def reaching_out(unit: YamlNode) -> list[YamlNode]:
    """Return the aliases in an item whose anchors are elsewhere."""
    if unit.parent is None:
        return []
    found: list[YamlNode] = []
    for anchored, aliases in unit.doc.aliases.items():
        if not _is_in(anchored, unit):
            found += [alias for alias in aliases if _is_in(alias, unit)]
    return found


def _is_in(node: YamlNode | None, unit: YamlNode) -> bool:
    while node is not None and node is not unit:
        node = node.parent
    return node is unit


def _element_of(node: YamlNode, inner: YamlNode | None) -> YamlNode | None:
    while inner is not None and inner.parent is not node:
        inner = inner.parent
    return inner


def _new_fields(
    node: YamlNode, new: dict[str, Any], gone: Collection[str | None]
) -> list[list[str]]:
    """Return the lines of each new field of a mapping in block style.

    Args:
        node: The mapping.
        new: The new fields.
        gone: The keys of the fields that are removed. A new field with the same value is such a
            field with a new key.
    """
    style = style_at(node)
    indent, quote, key_quote = (
        column(node.doc.text, bounds(node)[0].start),
        beside(node),
        beside(node, True),
    )
    left = [
        child
        for key, child in node.content.items()
        if key in gone and is_movable(child) and has_comments(child)
    ]
    found: list[list[str]] = []
    for key, one in new.items():
        name = key_text(key, style, old=key_quote)
        is_moved = id(one) in style.moved
        renamed = (
            None if is_moved else next((child for child in left if same(child.value(), one)), None)
        )
        if renamed is not None:
            left.remove(renamed)
            found.append(moved_lines(renamed, one, indent, style, name))
        elif not is_moved and quote and isinstance(one, str) and "\n" not in one:
            found.append([f"{' ' * indent}{name}: {scalar(one, style, old=quote)}"])
        else:
            found.append(entry_lines(name, one, indent, style))
    return found


_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")
_NOTE = re.compile(r"[ \t]*#[^\r\n]*")
_SKIPPED = re.compile(r"(?:[ \t\r\n]|(?<=\s)#[^\n]*)*")


def _split(node: YamlNode) -> tuple[list[str], list[str], bool, str]:
    """Split the text of a collection in brackets.

    Returns:
        The text before each entry; the comment behind each entry, on its line; whether the last
        entry has a comma; and the text behind it.
    """
    text, at, has_comma = node.doc.text, open_at(node) + 1, False
    leads: list[str] = []
    notes: list[str] = []
    for child in entries(node):
        leads.append(text[at : _start(child)])
        end = max(child.end, child.kend)
        comma = _SKIPPED.match(text, end).end()  # type: ignore[union-attr]
        has_comma = text[comma : comma + 1] == ","
        end = comma + 1 if has_comma else end
        found = _NOTE.match(text, end)
        notes.append(found[0] if found else "")
        at = end + len(notes[-1])
    return leads, notes, has_comma, text[at : node.end - 1]


def _start(child: YamlNode) -> int:
    return child.kstart if child.kstart >= 0 else child.start


def _usual_lead(node: YamlNode, leads: list[str]) -> str:
    """Return the white space that usually stands before the entries in brackets. The first entry
    doesn't count.
    """
    for lead in leads[1:]:
        if "#" not in lead:
            return lead
    lead = leads[0]
    if "\n" in lead:
        return lead[lead.rindex("\n") - lead.endswith("\r\n", 0, lead.rindex("\n") + 1) :]
    style = style_at(node)
    return "" if style.colon == ":" else " "


def _fresh(node: YamlNode, key: str | None, value: Any, lead: str) -> str:
    style = style_at(node)
    body = flow_value(node, wanted(value), style, lead, beside(node))
    if key is None:
        return body
    return str(key_text(key, style, old=beside(node, True), in_flow=True) + style.colon + body)
