"""YAML as Kubernetes reads it, and as people like to read it.

Reading follows sigs.k8s.io/yaml, which kubectl and Crossplane read manifests with:

- Plain `y`, `yes`, `on`, `true` and `n`, `no`, `off`, `false` are booleans in lower case, capitalised and in
  upper case. `~`, `null` and nothing at all are null. A plain `=` is a string.
- Timestamps are strings. Sixty-based numbers such as `1:30` are strings.
- `0x1f`, `0b11`, `0o17` and `017` are integers, `1_000` is one, and `1e3` is a number.
- Keys that are integers or booleans become strings: `80:` is "80", `y:` is "true".
- Aliases and merge keys (`<<`) work.

It is stricter in three points: a key that occurs twice is refused, as kubectl does, and so are a fractional
number as a key (quote it) and every tag outside of YAML's core, `!!binary` included.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from .._extras import load
from ..errors import InputError

__all__ = ["Document", "dump", "load_documents"]

_yaml: Final = load("yaml", "render")

_TAG: Final = "tag:yaml.org,2002:"

# Stands for the key << while its value is read.
_MERGE: Final = object()

# What a plain scalar is that isn't a number: each word in lower case, capitalised and in upper case.
_WORDS: Final[dict[str, bool | float | None]] = {"": None, "~": None}
for _value, _words in (
    (True, "y yes true on"),
    (False, "n no false off"),
    (None, "null"),
    (math.nan, ".nan"),
    (math.inf, ".inf +.inf"),
    (-math.inf, "-.inf"),
):
    for _word in _words.split():
        _WORDS.update(dict.fromkeys((_word, _word.capitalize(), _word.upper()), _value))
_WORDS.update({".NaN": math.nan, ".Inf": math.inf, "+.Inf": math.inf, "-.Inf": -math.inf})

# Matched without underscores, which may stand anywhere behind the first character.
_INT: Final = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


class Document(NamedTuple):
    """One mapping of a YAML stream.

    Attributes:
        where: File and place, for messages.
        content: The mapping.
    """

    where: str
    content: dict[str, Any]


def load_documents(path: Path) -> list[Document]:
    """Read a file of one or several YAML documents.

    Empty documents are left out.

    Raises:
        InputError: The file can't be read, isn't YAML as described above, or a document isn't a mapping.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as e:
        raise InputError(f"can't read {path}: {e.strerror}") from e
    except UnicodeDecodeError as e:
        raise InputError(f"{path} is not UTF-8 text (byte {e.start})") from e
    return list(_documents(path, text))


def dump(documents: Iterable[Mapping[str, Any]]) -> str:
    """Return a YAML stream, each document after a line `---`, keys in their order.

    A string that any common reader of YAML takes for something else is quoted; several lines are a block.
    """
    try:
        text: str = _yaml.dump_all(
            documents,
            Dumper=_Dumper,
            explicit_start=True,
            sort_keys=False,
            default_flow_style=False,
            allow_unicode=True,
            width=1_000_000,  # or long strings are folded
        )
    except RecursionError:
        raise InputError("this is nested too deeply to be written as YAML") from None
    return text


def _documents(path: Path, text: str) -> Iterator[Document]:
    # Events, because PyYAML composes its trees by recursion in C, and deep input would crash the process.
    loader = getattr(_yaml, "CSafeLoader", _yaml.SafeLoader)(text)
    number = 0
    try:
        while not isinstance(event := loader.get_event(), _yaml.StreamEndEvent):
            if isinstance(event, _yaml.DocumentStartEvent):
                number += 1
                mark = loader.peek_event().start_mark
                where = f"{path}, document {number} (line {mark.line + 1})"
                content = _Builder(path).build(loader)
                if content is None:
                    continue
                if not isinstance(content, dict):
                    raise InputError(f"{where} is not a mapping")
                yield Document(where, content)
    except _yaml.MarkedYAMLError as e:
        problem = ", ".join(part for part in (e.context, e.problem) if part)
        raise InputError(f"{_at(path, e.problem_mark or e.context_mark)}: {problem}") from e
    except _yaml.YAMLError as e:
        raise InputError(f"{path}: {' '.join(str(e).split())}") from e
    finally:
        loader.dispose()


def _at(path: Path, mark: Any) -> str:
    return f"{path}, line {mark.line + 1}" if mark is not None else str(path)


# What aliases of aliases may add up to; a few lines of them could stand for more values than any memory holds.
_MOST_VALUES = 2_000_000


class _Open:
    """A sequence or a mapping whose end has not come yet."""

    __slots__ = ("anchor", "before", "items", "key", "merged", "own")

    def __init__(self, event: Any, before: int) -> None:
        self.anchor = event.anchor
        self.before = before  # how many values the document had when it began
        self.items: list[Any] | None = [] if isinstance(event, _yaml.SequenceStartEvent) else None
        self.own: dict[str, Any] = {}
        self.merged: dict[str, Any] = {}
        self.key: Any = None

    def value(self) -> Any:
        if self.items is not None:
            return self.items
        return {**self.merged, **self.own} if self.merged else self.own


class _Builder:
    """Makes JSON values of the events of one document."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[_Open] = []
        self._anchored: dict[str, Any] = {}
        # Values of the document, those that aliases stand for counted again, and how many each anchor stands for.
        self._count = 0
        self._sizes: dict[str, int] = {}

    def build(self, loader: Any) -> Any:
        """Return the value of the document, with its events up to its end taken from the loader."""
        value: Any = None
        size = 0
        while not isinstance(event := loader.get_event(), _yaml.DocumentEndEvent):
            if isinstance(event, _yaml.CollectionStartEvent):
                self._check_tag(event)
                if self._expects_key():
                    raise self._error(event, "a key must be a string; quote it")
                self._open.append(_Open(event, self._count))
                self._count += 1
                continue
            if isinstance(event, _yaml.CollectionEndEvent):
                done = self._open.pop()
                value, anchor = done.value(), done.anchor
                size = self._count - done.before
            elif isinstance(event, _yaml.AliasEvent):
                value, anchor = self._alias(event), None
                self._count += self._sizes[event.anchor]
                if self._count > _MOST_VALUES:
                    raise self._error(event, f"with its aliases the document has more than {_MOST_VALUES:,} values")
            else:
                value, anchor, size = self._scalar(event), event.anchor, 1
                self._count += 1
            if anchor is not None:
                self._anchored[anchor] = value
                self._sizes[anchor] = size
            if self._open:
                self._attach(value, event)
        return value

    def _expects_key(self) -> bool:
        return bool(self._open) and self._open[-1].items is None and self._open[-1].key is None

    def _attach(self, value: Any, event: Any) -> None:
        top = self._open[-1]
        if top.items is not None:
            top.items.append(value)
        elif top.key is None:
            top.key = self._key(value, event)
            if top.key in top.own:
                raise self._error(event, f"the key {top.key!r} occurs twice")
        else:
            if top.key is _MERGE:
                self._merge(top.merged, value, event)
            else:
                top.own[top.key] = value
            top.key = None

    def _key(self, value: Any, event: Any) -> Any:
        if isinstance(value, str):
            return _MERGE if value == "<<" and _is_plain(event) else value
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        raise self._error(event, "a key must be a string; quote it")

    def _merge(self, into: dict[str, Any], value: Any, event: Any) -> None:
        for source in value if isinstance(value, list) else [value]:
            if not isinstance(source, dict):
                raise self._error(event, "only mappings can be merged with <<")
            for key, item in source.items():  # the first one that names a key decides
                into.setdefault(key, item)

    def _alias(self, event: Any) -> Any:
        if event.anchor in self._anchored:
            return self._anchored[event.anchor]
        if any(one.anchor == event.anchor for one in self._open):
            raise self._error(event, "an alias stands inside of what it stands for")
        raise self._error(event, f"there is no anchor &{event.anchor} before this alias")

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        if _is_plain(event):
            return _plain(text)
        tag = (event.tag or "!").removeprefix(_TAG)
        if tag in ("!", "str", "timestamp"):
            return text
        if tag not in ("null", "bool", "int", "float"):
            raise self._error(event, f"the tag {event.tag} has no meaning in a manifest")
        value = _plain(text)
        if tag == "float" and type(value) is int:
            value = float(value)
        if type(value).__name__ != tag and not (value is None and tag == "null"):
            raise self._error(event, f"{text!r} is not a value of !!{tag}")
        return value

    def _check_tag(self, event: Any) -> None:
        own = "seq" if isinstance(event, _yaml.SequenceStartEvent) else "map"
        if event.tag not in (None, "!", _TAG + own):
            raise self._error(event, f"the tag {event.tag} has no meaning in a manifest")

    def _error(self, event: Any, problem: str) -> InputError:
        return InputError(f"{_at(self._path, event.start_mark)}: {problem}")


def _is_plain(event: Any) -> bool:
    """Say whether a scalar is neither quoted nor tagged."""
    return isinstance(event, _yaml.ScalarEvent) and event.tag is None and bool(event.implicit[0])


def _plain(text: str) -> Any:
    """Return what an unquoted scalar without a tag stands for."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[:1]
    if not (first.isdigit() or first in "+-."):
        return text
    bare = text if first == "." else text.replace("_", "")
    if _INT.fullmatch(bare):
        digits = bare.lstrip("+-")
        if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
            digits = "0o" + digits  # base 8, as C writes it
        return -int(digits, 0) if first == "-" else int(digits, 0)
    if _FLOAT.fullmatch(bare):
        number = float(bare)
        # Beyond a double's range it is no number for Kubernetes either.
        return text if math.isinf(number) else number
    return text


def _represent_text(dumper: Any, text: str) -> Any:
    # PyYAML quotes what readers of YAML 1.1 would take for something else, and doesn't know Go's and 1.2's numbers.
    other = _plain(text) is not text or _FLOAT.fullmatch(text)
    return dumper.represent_scalar(_TAG + "str", text, style="|" if "\n" in text else "'" if other else None)


_Dumper: Final = type(
    "_Dumper",
    (getattr(_yaml, "CSafeDumper", _yaml.SafeDumper),),
    {"ignore_aliases": lambda _self, _data: True},
)
_Dumper.add_representer(str, _represent_text)  # type: ignore[attr-defined]
