"""Reads YAML as Kubernetes reads it, and writes YAML that people like to read.

Reading follows sigs.k8s.io/yaml, the package with which kubectl and Crossplane read manifests:

- Unquoted `y`, `yes`, `on`, `true` and `n`, `no`, `off`, `false` are booleans, in lower case,
  capitalised and in upper case. `~`, `null` and an empty value are null. An unquoted `=` is a
  string.
- Timestamps are strings, and so are base-60 numbers such as `1:30`.
- `0x1f`, `0b11`, `0o17`, `017` and `1_000` are integers, and `1e3` is a number.
- Keys that are integers or booleans become strings: `80:` is "80", `y:` is "true".
- Aliases and merge keys (`<<`) work.

Reading is stricter in five points. These are errors:

- a key that occurs twice in a mapping, which kubectl refuses, too;
- a fractional number as a key; quote it;
- a tag outside of YAML's core, and `!!binary`;
- more than 200 levels of lists and mappings, with aliases followed, so that other code may walk
  objects by recursion;
- an alias in a document that has more than 2,000,000 values, with the values of its aliases counted
  again.

The argument `as_written` is for definitions. With it, only `true` and `false` are booleans, as for
kustomize and kpt: the other boolean words of YAML 1.1 are strings. And an unquoted key is always a
string, as it is written. So `on` and `80` in a schema stay as they are.
"""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..._core.base.extras import load
from ..._core.base.scalars import (
    FLOAT,
    NOT_JSON,
    TAG,
    WORDS,
    bad_tag,
    booleans_of_1_1,
    check_tag,
    number,
    tagged,
)
from ..._core.base.texts import json_value_in_words, short_repr, short_text
from ...errors import InputError
from .files import read_bytes

DEEPEST: Final = 200
_TOO_DEEP: Final = f"this is nested more than {DEEPEST} levels deep"
"""The most levels of lists and mappings in a document. The deepest known schemas have about a
hundred.
"""

# What to do about mistakes that PyYAML names by its own words.
_HINTS: Final = {
    "mapping values are not allowed": "check the indentation, or quote a text that has ': ' in it",
    "cannot start any token": (
        "indent with spaces, not tabs, or quote a text that begins with @, ` or %"
    ),
}

# Stands for the key << while its value is read.
_MERGE: Final = object()

# The values of unquoted words: without the booleans that only YAML 1.1 has, and with them.
_FEW_WORDS: Final[Mapping[str, bool | float | None]] = {**WORDS, **NOT_JSON}
_WORDS: Final[Mapping[str, bool | float | None]] = {**_FEW_WORDS, **booleans_of_1_1()}


# Byte order marks at the beginning of a later document of a stream.
_MARKS: Final = re.compile(r"(?m)^\ufeff(?=---)|(?<=^---\n)\ufeff")


class Document(NamedTuple):
    """One document of a YAML or JSON stream. Its content is always a mapping.

    Attributes:
        where: The document's place for messages, such as `crds.yaml, document 2 (line 14)`.
        content: The mapping.
    """

    where: str
    content: dict[str, Any]


def load_documents(path: Path) -> list[Document]:
    """Return the documents of a YAML file. Empty documents are left out.

    Raises:
        InputError: The file can't be read, isn't YAML as this module reads it, or a document isn't
            a mapping.
        MissingExtraError: PyYAML isn't installed.
    """
    load("yaml", "cli")  # so that a missing package is reported before mistakes in the file
    return list(parse_documents(decode(read_bytes(path), str(path)), str(path)))


# The place of a document, as `_values` gives it.
_PLACE: Final = re.compile(r"(.+), document (\d+) \(line (\d+)\)", re.DOTALL)


def line_of(where: str, path: Sequence[str | int]) -> str:
    """Return the file and the line of a value in a document, such as `xr.yaml, line 5`; empty if
    they aren't known.

    Args:
        where: The document's place.
        path: The keys and indexes that lead to the value.
    """
    place = _PLACE.fullmatch(where)
    if place is None or not os.path.isfile(place[1]):
        return ""
    line, is_whole = Lines(decode(read_bytes(Path(place[1])), place[1])).find(int(place[2]), path)
    return f"{place[1]}, line {line}" if is_whole else ""


def number_of(where: str) -> tuple[int, int]:
    """Return the number of a document in its stream, and the line where it begins, both from 1.

    Args:
        where: The document's place, as `parse_documents` gives it.
    """
    place = _PLACE.fullmatch(where)
    assert place is not None
    return int(place[2]), int(place[3])


class Lines:
    """Finds the lines of values in a stream of documents.

    Args:
        text: The stream, which `parse_documents` has read without an error.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._nodes: list[Any] | None = None

    def find(self, number: int, path: Sequence[str | int]) -> tuple[int, bool]:
        """Return the line of a value, and whether the document has the value; else it is that of
        the nearest around it.

        Args:
            number: The number of the document in the stream, from 1.
            path: The keys and indexes that lead to the value.
        """
        yaml = load("yaml", "cli")
        if self._nodes is None:
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            self._nodes = list(yaml.compose_all(self._text, Loader=loader))
        node = self._nodes[number - 1]
        line = node.start_mark.line
        for step in path:
            below: dict[Any, tuple[Any, Any]] = {}
            if isinstance(node, yaml.MappingNode):
                below = {key.value: (key, one) for key, one in node.value}
            elif isinstance(node, yaml.SequenceNode):
                below = {at: (one, one) for at, one in enumerate(node.value)}
            if step not in below:
                return line + 1, False
            head, node = below[step]
            line = head.start_mark.line
        return line + 1, True


def decode(data: bytes, label: str) -> str:
    """Return the text of a file, without byte order marks. Files that were joined have one before
    each.

    Raises InputError if the content isn't UTF-8.
    """
    try:
        return _MARKS.sub("", data.decode("utf-8-sig"))
    except UnicodeDecodeError as e:
        raise InputError(f"{label} is not UTF-8 text (byte {e.start}): save it in UTF-8") from None


def parse_documents(
    text: str, label: str, *, extra: str = "cli", as_written: bool = False
) -> Iterator[Document]:
    """Yield the documents of a YAML stream, each as soon as it is read. Empty documents are left
    out.

    The text may also be JSON objects, one behind the other. With `as_written`, unquoted keys, and
    words such as `yes`, stay strings (see the module's description), and infinities and .nan are
    errors. Raises InputError if the text isn't YAML as this module reads it, or a document isn't a
    mapping; and MissingExtraError, which names `extra`, if PyYAML isn't installed.
    """
    if text.lstrip()[:1] == "{":
        from .json_stream import parse_objects  # which needs this module

        objects = parse_objects(text, label, is_json=label.lower().endswith(".json"))
        if objects is not None:
            yield from objects
            return
    for where, content in _values(text, label, extra=extra, as_written=as_written):
        if content is None:
            continue
        if not isinstance(content, dict):
            raise InputError(f"{where} is not a mapping (got {short_repr(content)})")
        yield Document(where, content)


def parse_value(text: str, label: str) -> Any:
    """Return the value, of any type, of a text with one YAML document; None if the text has no
    document.

    Raises InputError if the text isn't YAML as this module reads it, or has several documents; and
    MissingExtraError if PyYAML isn't installed.
    """
    values = [value for _, value in _values(text, label, as_written=False)]
    if len(values) > 1:
        raise InputError(f"{label} must hold one value (it holds {len(values)} documents)")
    return values[0] if values else None


def _values(
    text: str, label: str, *, extra: str = "cli", as_written: bool
) -> Iterator[tuple[str, Any]]:
    """Yield the place and the value of each document of a stream. See `parse_documents` for the
    arguments.

    Raises:
        InputError: The text isn't YAML as this module reads it.
        MissingExtraError: PyYAML isn't installed.
    """
    yaml = load("yaml", extra)
    # By events: PyYAML makes its trees by recursion in C, and deep input would crash the process.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    number = 0
    try:
        while not isinstance(event := loader.get_event(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                number += 1
                mark = loader.peek_event().start_mark
                where = f"{label}, document {number} (line {mark.line + 1})"
                yield where, _Builder(yaml, label, as_written=as_written).build(loader)
    except yaml.MarkedYAMLError as e:
        problem = ", ".join(part for part in (e.context, e.problem) if part)
        # libyaml has a limit of its own from 0.2.6 on, which is far above ours
        if "nesting depth" in problem:
            problem = _TOO_DEEP
        hint = next((f"; {hint}" for words, hint in _HINTS.items() if words in problem), "")
        raise InputError(
            f"{_at(label, e.problem_mark or e.context_mark)}: {short_text(problem)}{hint}"
        ) from None
    except yaml.YAMLError as e:
        problem = " ".join(str(e).split()).replace(' in "<unicode string>",', " at")
        raise InputError(f"{label}: {problem}") from None
    finally:
        loader.dispose()


def dump(documents: Iterable[Mapping[str, Any]], *, sort_keys: bool = False) -> str:
    """Return documents as a YAML stream, each after a line `---`.

    A string is quoted if a common reader of YAML would take it for another type. A string of
    several lines is written as a block. Keys keep their order by default. Raises InputError if a
    document is nested too deeply for PyYAML, and MissingExtraError if PyYAML isn't installed.
    """
    yaml = load("yaml", "cli")
    try:
        text: str = yaml.dump_all(
            documents,
            Dumper=_dumper(yaml),
            explicit_start=True,
            sort_keys=sort_keys,
            default_flow_style=False,
            allow_unicode=True,
            width=1_000_000,  # so that long strings stay on one line
        )
    except RecursionError:
        raise InputError(
            "a document is nested too deeply to be written as YAML: use fewer levels"
        ) from None
    return text


def _at(label: str, mark: Any) -> str:
    return f"{label}, line {mark.line + 1}" if mark is not None else label


# The most values of a document, with the values of aliases counted again. A few lines with aliases
# of aliases could otherwise stand for more values than fit into memory.
_MOST_VALUES = 2_000_000


class _Open:
    """A list or a mapping whose end hasn't been read yet.

    Attributes:
        anchor: The name of the value's anchor; None without an anchor.
        before: The number of values in the document before this value.
        height: The number of levels of lists and mappings in the value so far, itself included.
        items: The items of a list; None for a mapping.
        own: The entries of a mapping.
        merged: The entries that merge keys (`<<`) add; `own` wins over them.
        key: The key whose value comes next; None if a key comes next.
    """

    __slots__ = ("anchor", "before", "height", "items", "key", "merged", "own")

    def __init__(self, anchor: str | None, before: int, *, is_list: bool) -> None:
        self.anchor = anchor
        self.before = before
        self.height = 1
        self.items: list[Any] | None = [] if is_list else None
        self.own: dict[str, Any] = {}
        self.merged: dict[str, Any] = {}
        self.key: Any = None

    def value(self) -> Any:
        if self.items is not None:
            return self.items
        return {**self.merged, **self.own} if self.merged else self.own


class _Builder:
    """Makes the plain value of one document from the events of PyYAML's parser, such as the start
    of a list.
    """

    def __init__(self, yaml: Any, label: str, *, as_written: bool) -> None:
        self._yaml = yaml
        self._label = label
        self._as_written = as_written
        self._open: list[_Open] = []
        # By the name of an anchor: its value, the number of values that it stands for, and how many
        # levels it has.
        self._anchored: dict[str, tuple[Any, int, int]] = {}
        self._count = 0  # the number of values so far, with the values of aliases counted again

    def build(self, loader: Any) -> Any:
        """Read the loader's events up to the end of the document, and return the document's value;
        None if it is empty.

        Raises:
            InputError: The document isn't YAML as this module reads it, has too many levels, or has
                too many values with its aliases.
        """
        yaml = self._yaml
        value: Any = None
        size = height = 0
        while not isinstance(event := loader.get_event(), yaml.DocumentEndEvent):
            if isinstance(event, yaml.CollectionStartEvent):
                self._start(event)
                continue
            if isinstance(event, yaml.CollectionEndEvent):
                done = self._open.pop()
                value, anchor = done.value(), done.anchor
                size, height = self._count - done.before, done.height
            elif isinstance(event, yaml.AliasEvent):
                anchor = None
                value, size, height = self._alias(event)
                self._check_depth(len(self._open) + height, event)
                self._count += size
                if self._count > _MOST_VALUES:
                    problem = (
                        f"with its aliases the document has more than {_MOST_VALUES:,} values; use"
                        " fewer aliases"
                    )
                    raise self._error(event, problem)
            else:
                value, anchor, size, height = self._scalar(event), event.anchor, 1, 0
                self._count += 1
            if anchor is not None:
                self._anchored[anchor] = value, size, height
            if self._open:
                self._open[-1].height = max(self._open[-1].height, height + 1)
                self._attach(value, event)
        return value

    def _start(self, event: Any) -> None:
        is_list = isinstance(event, self._yaml.SequenceStartEvent)
        if event.tag not in (None, "!", TAG + ("seq" if is_list else "map")):
            raise self._error(event, bad_tag(short_text(event.tag)))
        if self._expects_key():
            problem = (
                "a key must be a string, not a list or a mapping; quote a text that begins with ["
                " or {"
            )
            raise self._error(event, problem)
        self._check_depth(len(self._open) + 1, event)
        self._open.append(_Open(event.anchor, self._count, is_list=is_list))
        self._count += 1

    def _check_depth(self, depth: int, event: Any) -> None:
        if depth > DEEPEST:
            raise self._error(event, _TOO_DEEP)

    def _expects_key(self) -> bool:
        return bool(self._open) and self._open[-1].items is None and self._open[-1].key is None

    def _attach(self, value: Any, event: Any) -> None:
        top = self._open[-1]
        if top.items is not None:
            top.items.append(value)
        elif top.key is None:
            top.key = self._key(value, event)
            if top.key in top.own:
                raise self._error(
                    event, f"the key {short_repr(top.key)} occurs twice; remove one of the two"
                )
        else:
            if top.key is _MERGE:
                self._merge(top.merged, value, event)
            else:
                top.own[top.key] = value
            top.key = None

    def _key(self, value: Any, event: Any) -> Any:
        if isinstance(value, str):
            return _MERGE if value == "<<" and self._is_plain(event) else value
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        raise self._error(
            event,
            f"a key must be a string (got {json_value_in_words(value, short_repr(value))});"
            " quote it",
        )

    def _merge(self, into: dict[str, Any], value: Any, event: Any) -> None:
        for source in value if isinstance(value, list) else [value]:
            if not isinstance(source, dict):
                raise self._error(
                    event, f"only mappings can be merged with << (got {short_repr(source)})"
                )
            for key, item in source.items():  # the first mapping with a key counts
                into.setdefault(key, item)

    def _alias(self, event: Any) -> tuple[Any, int, int]:
        if event.anchor in self._anchored:
            return self._anchored[event.anchor]
        if any(one.anchor == event.anchor for one in self._open):
            name = short_text(event.anchor)
            raise self._error(
                event,
                f"the YAML alias *{name} contains itself: it is inside of the value of &{name}",
            )
        problem = (
            f"there is no anchor &{short_text(event.anchor)} before this alias; quote a text that"
            " begins with *"
        )
        raise self._error(event, problem)

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        is_plain = self._is_plain(event)
        if not self._as_written:
            return _meaning(text) if is_plain else self._tagged(event)
        if is_plain and text and self._expects_key():
            return text
        value = _meaning(text, _FEW_WORDS) if is_plain else self._tagged(event)
        if isinstance(value, float) and not math.isfinite(value):
            raise self._error(
                event,
                f"{short_text(text)} can't be used, because JSON has no such number; quote it if a"
                " string is meant",
            )
        return value

    def _tagged(self, event: Any) -> Any:
        """Return the value of a scalar that is quoted, written as a block, or has a tag such as
        `!!int`.

        Raises:
            InputError: The tag is unknown, or the text isn't a value of the tag's type.
        """
        text: str = event.value
        tag = (event.tag or "!").removeprefix(TAG)
        if tag in ("!", "str", "timestamp"):
            return text
        if tag == "binary":
            check_tag(TAG + tag, text, _at(self._label, event.start_mark))
            return tagged(TAG + tag, text)
        if tag not in ("null", "bool", "int", "float"):
            raise self._error(event, bad_tag(short_text(event.tag)))
        value = _meaning(text)
        if tag == "float" and type(value) is int:
            value = float(value)
        if type(value).__name__ != tag and not (value is None and tag == "null"):
            problem = (
                f"{short_repr(text)} is not a value of !!{tag}: change the value, or remove the tag"
            )
            raise self._error(event, problem)
        return value

    def _is_plain(self, event: Any) -> bool:
        """Return whether an event is a scalar without a tag that is neither quoted nor written as a
        block.
        """
        return (
            isinstance(event, self._yaml.ScalarEvent)
            and event.tag is None
            and bool(event.implicit[0])
        )

    def _error(self, event: Any, problem: str) -> InputError:
        return InputError(f"{_at(self._label, event.start_mark)}: {problem}")


def _meaning(text: str, words: Mapping[str, bool | float | None] = _WORDS) -> Any:
    """Return the value of a scalar without quotes and tag.

    The keys of `words` are those that aren't strings, such as `true`.
    """
    if text in words:
        return words[text]
    found = number(text)
    return text if found is None else found


def _represent_text(dumper: Any, text: str) -> Any:
    # PyYAML's resolver knows the values of YAML 1.1, but not the numbers of YAML 1.2 and of Go's
    # reader.
    tag = dumper.resolve(dumper.scalar_node, text, (True, False))
    other = tag != TAG + "str" or _meaning(text) is not text or FLOAT.fullmatch(text)
    # Double quotes, like kubectl and Crossplane, so that their files can be compared with ours.
    return dumper.represent_scalar(
        TAG + "str", text, style="|" if "\n" in text else '"' if other else None
    )


@functools.cache
def _dumper(yaml: Any) -> Any:
    dumper: Any = type(
        "_Dumper",
        (getattr(yaml, "CSafeDumper", yaml.SafeDumper),),
        {"ignore_aliases": lambda _self, _data: True, "scalar_node": yaml.ScalarNode},
    )
    dumper.add_representer(str, _represent_text)
    return dumper
