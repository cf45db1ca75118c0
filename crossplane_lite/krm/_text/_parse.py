"""Reads a stream of YAML or JSON into nodes. libyaml's events say where each value begins and
ends.
"""

from __future__ import annotations

import re

try:
    import yaml  # type: ignore[import-untyped]
except ModuleNotFoundError:
    from ..._core.base.extras import load

    load("yaml", "krm")  # which says what to install
    raise
from yaml.events import (  # type: ignore[import-untyped]
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from ..._core.base.scalars import NOT_JSON, TAG, check_tag
from ..._core.base.texts import json_type_in_words
from ...errors import InputError
from ._nodes import ALIAS, DEEPEST, MAPPING, SCALAR, SEQUENCE, YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from ._nodes import _Known

    Places: TypeAlias = Callable[..., str | None]


_TOO_DEEP = f"this is nested more than {DEEPEST} levels deep"
_UNPRINTABLE = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_SURROGATES = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"


class Unreadable(str):
    """The text of an item or document that can't be read, in place of its value.

    Attributes:
        problem: The message of the error, with the line.
    """

    __slots__ = ("problem",)

    problem: str


class Text:
    r"""A stream of YAML or JSON: its text, its documents, and its edits.

    `parse` makes it, with the same arguments, and fills in the documents.

    Attributes:
        label: The stream's name in messages.
        text: The characters, without a byte order mark.
        documents: The documents that aren't empty; each is a mapping.
        aliases: The alias nodes of each anchored node.
        newline: The line break after the first line, `\n` or `\r\n`, which new lines get, too.
    """

    def __init__(
        self, data: bytes, label: str, places: Places | None = None, *, unreadable: int = -1
    ) -> None:
        self.label = label
        self._unreadable = unreadable
        self._places = places
        self._data = data
        self.text = _decode(data, label)
        self.documents: list[YamlNode] = []
        self.aliases: dict[YamlNode, list[YamlNode]] = {}
        self.repeated: set[str] = set()  # names of anchors that a document has twice
        self.gone: list[YamlNode] = []  # removed documents
        self.added: list[str] = []  # the texts of documents to append
        self.slots: dict[YamlNode, str] = {}  # the texts of documents that replace removed ones
        # the values that were assigned to nodes, see `assign`
        self.wanted: dict[YamlNode, tuple[Any, _Known]] = {}
        # values from elsewhere, and their nodes there, by their id()
        self.moved: dict[int, tuple[Any, YamlNode]] = {}
        self.problems: list[str] = []  # the mistakes in documents that are skipped
        self.is_open = False  # whether the last line had no end, and was given one
        self.cache: dict[Any, Any] = {}  # facts about the text's style
        first = self.text.find("\n")
        self.newline = "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    @property
    def root(self) -> YamlNode:
        """The only document of the stream.

        Raises:
            InputError: The stream has no document, or several.
        """
        if len(self.documents) != 1:
            many = len(self.documents)
            raise InputError(
                f"{self.label} must hold one document that isn't empty (it holds {many})"
            )
        return self.documents[0]

    def dump(self) -> bytes:
        """Return the stream with its edits; without edits, the bytes of the input.

        Raises:
            InputError: The edits can't be written without changing other values.
            UsageError: A comment that was set has no place in the text, or a key or an integer is
                too long.
        """
        if not (self.wanted or self.gone or self.added):
            return self._data
        from ._splice import spliced

        mark = b"\xef\xbb\xbf" if self._data.startswith(b"\xef\xbb\xbf") else b""
        return mark + spliced(self).encode()

    def read(self, text: str) -> list[YamlNode]:
        """Return the documents of another text, read as this one was; InputError if it can't be
        read.
        """
        return parse(text.encode(), unreadable=self._unreadable, skip=bool(self.problems)).documents

    def close(self) -> None:
        """Let the text end in a line break."""
        if not self.text.endswith("\n"):
            self.text += self.newline
            self.is_open = True
            self.cache.clear()

    def document(self, root: YamlNode) -> str:
        """Return the text of one of the documents with its edits; see `_splice.document_text`."""
        from ._splice import document_text

        return document_text(root)

    def at(self, index: int) -> str:
        """Return a name, for messages, of the line with the character at `index`, such as
        `<stdin>, line 3`.
        """
        return self.at_line(self.text.count("\n", 0, index) + 1)

    def at_line(self, *lines: int) -> str:
        """Return a name, for messages, of the first of these lines.

        It is the name that `places` gives to one of the lines; without such a name, the label and
        the number.
        """
        found = None if self._places is None else self._places(self.text, *lines)
        return found or f"{self.label}, line {lines[0]}"


def parse(
    data: bytes,
    label: str = "<stdin>",
    places: Places | None = None,
    *,
    unreadable: int = -1,
    skip: bool = False,
) -> Text:
    """Read a stream.

    Args:
        data: The stream, UTF-8.
        label: The stream's name in messages, such as a file's name.
        places: A function that names lines in messages by something else than numbers, such as by
            the item around the line. It takes the text and numbers of lines, and returns the name
            of one of these lines, or None.
        unreadable: The number of levels around the values that may be unreadable: 0 for documents,
            2 for the elements of the list `items`; -1 for none. A value there that isn't a mapping,
            has a key twice, or contains a value that JSON doesn't have becomes `Unreadable`.
        skip: Whether to leave out documents that can't be read; `Text.problems` says what is wrong
            with them.

    Raises:
        InputError: The data isn't UTF-8 or isn't YAML, a document isn't a mapping, a key occurs
            twice or isn't a string, a tag or number has no counterpart in JSON, values are nested
            too deep, or aliases stand for too many values.
    """
    text = Text(data, label, places, unreadable=unreadable)
    if skip:
        try:
            return parse(data, label)
        except InputError:
            left, problems = _masked(text.text, label)
        found = parse(left.encode(), label)
        found.text, found._data, found.problems = text.text, data, problems
        return found
    try:
        _Composer(text, unreadable).run()
    except yaml.reader.ReaderError:
        bad = re.search(_UNPRINTABLE, text.text)
        assert bad is not None
        raise InputError(
            f"{text.at(bad.start())}: the character U+{ord(bad[0]):04X} is not allowed in YAML; "
            "in double quotes it can be written as an escape"
        ) from None
    except yaml.MarkedYAMLError as e:
        raise InputError(_problem(text, e)) from None
    if text.aliases:
        for root in text.documents:
            root.value()  # checks the size of aliases now, not in the middle of the user's program
    return text


def _masked(text: str, label: str) -> tuple[str, list[str]]:
    """Return a stream with spaces in place of the documents that can't be read, and the mistake in
    each of these.

    The spaces keep the positions of all other text. If the mistake is between documents, the whole
    stream becomes spaces.

    Args:
        text: The stream.
        label: The stream's name in messages.
    """
    from ._layout import split

    problems: list[str] = []
    left = text
    for piece in split(text):
        if piece.is_marker or piece.start == piece.end:
            continue
        try:
            parse(
                ("\n" * text.count("\n", 0, piece.start) + text[piece.start : piece.end]).encode(),
                label,
            )
        except InputError as error:
            problems.append(str(error))
            left = (
                left[: piece.start]
                + re.sub(r"[^\r\n]", " ", text[piece.start : piece.end])
                + left[piece.end :]
            )
    try:
        parse(left.encode(), label)
    except InputError as error:  # the mistake is between the documents
        return re.sub(r"[^\r\n]", " ", text), [*problems, str(error)]
    return left, problems


def _decode(data: bytes, label: str) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise InputError(f"{label} is UTF-16 or UTF-32 text, or isn't text; save it as UTF-8")
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise InputError(
            f"{label}, line {line}: this is not UTF-8 text (byte {e.start}); save it as UTF-8"
        ) from None


def _problem(text: Text, error: Any) -> str:
    mark = error.problem_mark or error.context_mark
    problem = ", ".join(part for part in (error.context, error.problem) if part)
    if mark is None:
        return f"{text.label}: {problem}"
    # libyaml has a limit of its own from 0.2.6 on, which is far above ours
    if "nesting depth" in problem:
        problem = _TOO_DEEP
    elif text.text[mark.index : mark.index + 1] == "\t":
        problem = "a tab stands where only spaces may indent"
    lines = [one.line + 1 for one in (mark, error.context_mark) if one is not None]
    return f"{text.at_line(*lines)}: {problem}"


class _Composer:
    """Makes the nodes of a stream's documents from libyaml's events."""

    def __init__(self, doc: Text, unreadable: int) -> None:
        self._doc = doc
        self._unreadable = unreadable
        self._anchors: dict[str, YamlNode] = {}
        self._merges: list[YamlNode] = []
        self._raw = False
        text = doc.text
        # JSON writes characters beyond U+FFFF as two escapes, which YAML doesn't know. libyaml gets
        # two other escapes of the same length instead, and the scalars with them are read as JSON.
        if "\\u" in text and text.lstrip()[:1] == "{":
            text = re.sub(_SURROGATES, r"\\uFFFD\\uFFFD", text)
            self._raw = text != doc.text
        # The parser alone; loaders would also set up the constructor of Python values.
        from yaml._yaml import CParser  # type: ignore[import-untyped]

        self._next = CParser(text).get_event

    def run(self) -> None:
        """Read the whole stream.

        Raises:
            InputError: The stream can't be used, for example because a document isn't a mapping.
            YAMLError: The stream isn't YAML.
        """
        while True:
            event = self._next()
            cls = type(event)
            if cls is DocumentStartEvent:
                self._anchors = {}
                root = self._document()
                if root.kind == MAPPING or isinstance(root.content, Unreadable):
                    self._doc.documents.append(root)
                elif root.kind != SCALAR or root.style or root.tag or root.value() is not None:
                    found = json_type_in_words(root.value())
                    problem = (
                        f"{self._doc.at(root.start)}: a document must be a mapping (got {found})"
                    )
                    if self._unreadable:
                        raise InputError(problem)
                    self._doc.documents.append(self._as_text(root, root.end, problem))
            elif cls is StreamEndEvent:
                self._check_merges()
                return

    def _document(self) -> YamlNode:
        """Read the events of a document, and return its root. It is one loop without calls, because
        events are many.

        Raises:
            InputError: A key isn't a string or occurs twice, or another value isn't a JSON value.
            YAMLError: The text isn't YAML.
        """
        doc, next_event = self._doc, self._next
        open_nodes: list[YamlNode] = []
        top: YamlNode | None = None
        root: YamlNode | None = None
        pending: Any = None  # the event of a key whose value comes next
        while True:
            event = next_event()
            cls = type(event)
            try:
                if cls is ScalarEvent:
                    if top is not None and top.kind == MAPPING and pending is None:
                        pending = event
                        continue
                    start, end = event.start_mark.index, event.end_mark.index
                    node = YamlNode(doc, top, SCALAR, event.value, start, end, event.style)
                    if event.tag is not None or event.value in NOT_JSON or self._raw:
                        self._unusual(node, event)
                elif cls is MappingEndEvent or cls is SequenceEndEvent:
                    assert top is not None
                    top.end = event.end_mark.index
                    open_nodes.pop()
                    top = open_nodes[-1] if open_nodes else None
                    continue
                elif cls is DocumentEndEvent:
                    assert root is not None
                    return root
                else:
                    if top is not None and top.kind == MAPPING and pending is None:
                        raise self._error(event, self._no_key(event))
                    node = (
                        self._alias(event, top)
                        if cls is AliasEvent
                        else self._collection(event, top, len(open_nodes))
                    )
                if cls is not AliasEvent and event.anchor is not None:
                    self._anchor(node, event.anchor)
                if top is None:
                    root = node
                elif top.kind == SEQUENCE:
                    top.content.append(node)
                else:
                    key = self._string(pending) if self._raw else pending.value
                    if (
                        pending.anchor is not None
                        or pending.tag is not None
                        or not key
                        or key == "<<"
                    ):
                        key = self._key(pending, node)
                    if key in top.content:
                        raise self._error(
                            pending, f"the key {'<<' if key is None else key!r} occurs twice"
                        )
                    node.kstart, node.kend = pending.start_mark.index, pending.end_mark.index
                    top.content[key] = node
                    pending = None
                if node.kind == MAPPING or node.kind == SEQUENCE:
                    open_nodes.append(node)
                    top = node
            except InputError as error:
                deep = self._unreadable
                if not 0 <= deep <= len(open_nodes) or (
                    deep and open_nodes[0].content.get("items") is not open_nodes[1]
                ):
                    raise
                if deep < len(open_nodes):
                    node = open_nodes[deep]
                else:  # the item or document itself is refused
                    node = YamlNode(doc, top, SCALAR, "", event.start_mark.index, -1, "")
                    if top is not None:
                        top.content.append(node)
                self._as_text(node, self._skipped(event, len(open_nodes) - deep), str(error))
                del open_nodes[deep:]
                top, pending = open_nodes[-1] if open_nodes else None, None
                if top is None:
                    root = node

    def _skipped(self, event: Any, depth: int) -> int:
        """Read the rest of an item that can't be read, and return where the text of its last value
        ends.

        Args:
            event: The event that can't be used.
            depth: How many collections of the item are open.
        """
        end: int = event.end_mark.index
        depth += type(event) in (MappingStartEvent, SequenceStartEvent)
        while depth:
            event = self._next()
            cls = type(event)
            depth += (cls is MappingStartEvent or cls is SequenceStartEvent) - (
                cls is MappingEndEvent or cls is SequenceEndEvent
            )
            # The end of a collection in lines is where the next token begins; that of a bracket is
            # behind it.
            if (
                cls is ScalarEvent
                or cls is AliasEvent
                or self._doc.text[event.end_mark.index - 1] in "]}"
            ):
                end = event.end_mark.index
        return end

    def _as_text(self, node: YamlNode, end: int, problem: str) -> YamlNode:
        """Make a node an `Unreadable`: a scalar that is its own text, which nobody edits."""
        text = self._doc.text
        node.end = end - (text[end - 1 : end] == "\n")  # a block scalar ends in the next line
        node.content = Unreadable(text[node.start : node.end])
        node.content.problem = problem
        node.kind = SCALAR
        node.style = "?"
        node.tag = None
        return node

    def _collection(self, event: Any, top: YamlNode | None, depth: int) -> YamlNode:
        is_list = type(event) is SequenceStartEvent
        assert is_list or type(event) is MappingStartEvent
        if event.tag not in (None, "!", TAG + ("seq" if is_list else "map")):
            check_tag(event.tag, None, self._at(event))
        if depth == DEEPEST:
            raise self._error(event, _TOO_DEEP)
        style = ("[" if is_list else "{") if event.flow_style else ""
        content: Any = [] if is_list else {}
        return YamlNode(
            self._doc,
            top,
            SEQUENCE if is_list else MAPPING,
            content,
            event.start_mark.index,
            -1,
            style,
        )

    def _alias(self, event: Any, top: YamlNode | None) -> YamlNode:
        target = self._anchors.get(event.anchor)
        if target is None:
            raise self._error(event, f"there is no anchor &{event.anchor} before this alias")
        if target.end < 0:
            raise self._error(
                event,
                f"the YAML alias *{event.anchor} contains itself: it is inside of the value of"
                f" &{event.anchor}",
            )
        node = YamlNode(
            self._doc, top, ALIAS, target, event.start_mark.index, event.end_mark.index, ""
        )
        self._doc.aliases.setdefault(target, []).append(node)
        return node

    def _anchor(self, node: YamlNode, name: str) -> None:
        if name in self._anchors:
            self._doc.repeated.add(name)
        node.anchor = name
        self._anchors[name] = node

    def _key(self, event: Any, node: YamlNode) -> str | None:
        """Return the text of an unusual key: one with an anchor or a tag, an empty key or `<<`;
        None for a merge key.

        Raises:
            InputError: The key isn't a string.
        """
        key: str = event.value
        # kpt and `kustomize fn run` write `!!merge <<`.
        is_plain = event.style == "" and (
            event.tag is None or (event.tag == TAG + "merge" and key == "<<")
        )
        if event.tag is not None and not (is_plain and key == "<<"):
            check_tag(event.tag, key, self._at(event))
        if not key and is_plain:
            raise self._error(
                event, 'this key is empty: write a key before the colon, or "" for the empty string'
            )
        if event.anchor is not None:
            start, end = event.start_mark.index, event.end_mark.index
            node.key = YamlNode(self._doc, node, SCALAR, key, start, end, event.style)
            self._anchor(node.key, event.anchor)
        if key != "<<" or not is_plain:
            return key
        self._merges.append(node)
        return None

    def _check_merges(self) -> None:
        for node in self._merges:
            target = node.content if node.kind == ALIAS else node
            for one in target.content if target.kind == SEQUENCE else [target]:
                if (one.content if one.kind == ALIAS else one).kind != MAPPING:
                    found = json_type_in_words(one.value())
                    raise InputError(
                        f"{self._doc.at(node.kstart)}: only mappings can be merged with << (got"
                        f" {found})"
                    )

    def _unusual(self, node: YamlNode, event: Any) -> None:
        r"""Check a scalar that has a tag or isn't a JSON value.

        In JSON, also read a character that is written as two escapes, such as `\ud83d\ude00`.

        Raises:
            InputError: The scalar has no counterpart in JSON, or its escapes can't be read.
        """
        if event.tag is not None:
            node.tag = event.tag
            check_tag(event.tag, event.value, self._at(event))
        elif event.value in NOT_JSON and not event.style:
            raise self._error(
                event,
                f"{event.value} can't be used, because JSON has no such number; quote it if a"
                " string is meant",
            )
        if self._raw:
            node.content = self._string(event)

    def _string(self, event: Any) -> str:
        r"""Return a scalar's text, in which JSON may have a character as two escapes, such as
        `\ud83d\ude00`.

        Raises:
            InputError: The scalar has two such escapes, and isn't a string of JSON.
        """
        value: str = event.value
        text = self._doc.text[event.start_mark.index : event.end_mark.index]
        if not ("\ufffd" in value or "\\uFFFD" in value) or not re.search(_SURROGATES, text):
            return value
        import json

        try:
            return str(json.loads(text, strict=False))
        except ValueError as error:
            raise self._error(
                event, f"this string has two escapes for one character, and isn't JSON: {error}"
            ) from None

    def _no_key(self, event: Any) -> str:
        at = event.start_mark.index
        if "{{" in self._doc.text[max(at - 1, 0) : at + 2]:
            return "this is a template, not YAML: render it first, or quote the braces"
        return "a key must be a string, and can't be a list, a mapping or an alias; quote it"

    def _error(self, event: Any, problem: str) -> InputError:
        return InputError(f"{self._at(event)}: {problem}")

    def _at(self, event: Any) -> str:
        return self._doc.at_line(event.start_mark.line + 1)
