"""Reads an edited text again before it is returned: its values must be those of the edits."""

from __future__ import annotations

import re

import yaml  # type: ignore[import-untyped]
from yaml.events import (  # type: ignore[import-untyped]
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from ..._core.base.scalars import NOT_JSON, resolve
from ..._core.paths.text import show
from ...errors import InputError
from ._layout import header, is_block_scalar
from ._nodes import ALIAS, MAPPING, SEQUENCE, YamlNode, same, says, wanted
from ._replace import apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ._nodes import Edit, Stream

    Path = tuple[str | int, ...]


_SPACES = re.compile(r"^[ \t]+(?=\r?$)", re.MULTILINE)


def expected(doc: Stream) -> list[Any]:
    """Return the values that the documents of a stream must have with its edits, those of new
    documents included.
    """
    found = []
    for root in doc.documents:
        if root not in doc.gone:
            found.append(wanted(root))
        elif root in doc.slots:
            found += [one.value() for one in doc.read(doc.slots[root])]
    return found + [one.value() for text in doc.added for one in doc.read(text)]


def settled(doc: Stream, text: str, values: Sequence[Any]) -> str:
    """Return the edited text of a stream, mended so that its documents have these values.

    Where only the end of a block scalar says something else, because other lines follow it now than
    before, this end is written so that it says the value.

    Args:
        doc: The stream whose edited text it is, or a part of it.
        text: The text.
        values: The value of each document.

    Raises:
        InputError: A document has another value.
    """
    if _says(text, values):
        return text
    for is_last in (False, True):
        try:
            roots = doc.read(text)
        except InputError as error:
            raise _refusal(doc, _first(doc), f"the text would not be YAML: {error}") from None
        if len(roots) != len(values):
            raise _refusal(
                doc, _first(doc), f"there would be {len(roots)} documents, and not {len(values)}"
            )
        ends: dict[YamlNode, Edit] = {}
        for at, (root, value) in enumerate(zip(roots, values, strict=True)):
            for path, node, one in _differences(root, value, ()):
                edit = None if is_last else _end(node, one)
                if edit is None:
                    raise _refusal(doc, *_told(doc, at, path, node.value(), one))
                ends[node] = edit
        if not ends:
            break
        text = apply(text, 0, len(text), [*ends.values()])
    return text


def _says(text: str, values: Sequence[Any]) -> bool:
    """Return True if a text has exactly these documents, and False if it has others or rare YAML.

    It takes half of the time of `_parse`.
    """
    if "\\u" in text:  # text that JSON and YAML read differently
        return False
    from yaml._yaml import CParser  # type: ignore[import-untyped]

    next_event = CParser(text).get_event
    found: list[Any] = []
    top: Any = found
    key: Any = None
    above: list[Any] = []
    try:
        while type(event := next_event()) is not StreamEndEvent:
            cls = type(event)
            if cls is MappingEndEvent or cls is SequenceEndEvent:
                top = above.pop()
                continue
            if (
                cls is AliasEvent
                or getattr(event, "anchor", None) is not None
                or getattr(event, "tag", None)
            ):
                return False
            is_key = top.__class__ is dict and key is None
            if cls is ScalarEvent:
                value: Any = event.value
                if is_key:
                    key = value
                    if key in top or key == "<<" or not key:
                        return False
                    continue
                if not event.style:
                    if value in NOT_JSON:
                        return False
                    value = resolve(value)
            elif cls is MappingStartEvent or cls is SequenceStartEvent:
                if is_key:
                    return False
                value = {} if cls is MappingStartEvent else []
            else:
                continue
            if key is None:
                top.append(value)
            else:
                top[key] = value
                key = None
            if cls is not ScalarEvent:
                above.append(top)
                top = value
    except yaml.YAMLError:
        return False
    return same(found, [*values])


def _differences(node: YamlNode, value: Any, path: Path) -> Iterator[tuple[Path, YamlNode, Any]]:
    """Yield the path, the node and the wanted value of each inner value that isn't the wanted
    one.
    """
    if says(node, value) or same(node.value(), value):
        return
    while node.kind == ALIAS:
        node = node.content
    if node.kind == MAPPING and isinstance(value, dict) and node.content.keys() == value.keys():
        for key, child in node.content.items():
            yield from _differences(child, value[key], (*path, key))
    elif node.kind == SEQUENCE and isinstance(value, list) and len(node.content) == len(value):
        for at, (child, one) in enumerate(zip(node.content, value, strict=True)):
            yield from _differences(child, one, (*path, at))
    else:
        yield path, node, value


def _end(node: YamlNode, value: Any) -> Edit | None:
    """Return the edit after which a block scalar has a value that differs only in line breaks and
    spaces at its end.

    Return None if the value differs in another way.
    """
    if not is_block_scalar(node) or not isinstance(value, str):
        return None
    bare = value.rstrip("\n")
    breaks = len(value) - len(bare)
    if (
        not node.content.startswith(bare)
        or node.content[len(bare) :].strip(" \t\n")
        or bare != bare.rstrip(" \t")
    ):
        return None
    text, newline, found = node.doc.text, node.doc.newline, header(node)
    end = max(len(text[: node.end].rstrip(" \t\r\n")), found.end(1))
    flags = found[1].strip("-+")
    if breaks > 1 or (breaks and "+" in found[1]):
        flags += "+"
        tail = newline * (breaks if bare else breaks + 1)
    else:
        flags += "" if breaks else "-"
        tail = _SPACES.sub("", text[end : node.end])
        tail = tail if tail or not breaks else newline
    return found.start(1), node.end, flags + text[found.end(1) : end] + tail


def _told(doc: Stream, at: int, path: Path, found: Any, value: Any) -> tuple[str, str]:
    """Return the place of a value in the input, for a message, and the reason why the text can't be
    written.
    """
    documents = [one for one in doc.documents if one not in doc.gone or one in doc.slots]
    place = documents[at] if at < len(documents) else None
    node = place
    for step in path:
        place = None if place is None else place.child(step)
        node = place or node
    where = doc.label if node is None else doc.at_line(node.line)
    return where, f"{show(path) or 'the document'} would be {found!r:.60}, and not {value!r:.60}"


def _first(doc: Stream) -> str:
    """Return the name of the first line that may have been edited, for a message."""
    return str(doc.at_line(min((node.line for node in doc.wanted), default=1)))


def _refusal(doc: Stream, where: str, reason: str) -> InputError:
    return InputError(
        f"{where}: the changes can't be written without changing other values: {reason}; nothing is"
        " written"
    )
