"""Reads streams of JSON objects strictly, and reports the first mistake with its line.

Python's json module reads large documents many times faster than any reader of YAML. But it also
accepts NaN and infinities, and if a key occurs twice in an object, it keeps the last value. This
module refuses both, like the module `yaml`. It also refuses numbers beyond the range of a double,
and strings with half of a surrogate pair.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from ...errors import InputError
from .yaml import DEEPEST, Document

TOO_DEEP: Final = f"this is nested more than {DEEPEST} levels deep"

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
# Half of an escaped pair of surrogates. Only both halves together are a character.
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class _RefusedError(Exception):
    """The document has NaN, an infinity or a number beyond the range of a double, or a key occurs
    twice.
    """


def parse_objects(text: str, label: str, *, is_json: bool) -> list[Document] | None:
    """Return the objects of a stream of JSON, in which objects follow each other, such as
    `{"a": 1} {"b": 2}`.

    Returns None if the text has something else than objects, such as a list. If it isn't JSON, the
    result is None too, unless `is_json` makes that an error. Raises InputError if a key occurs
    twice in an object, not every reader of JSON can represent a number or string, or the text is
    nested too deeply.
    """
    documents: list[Document] = []
    place = _end_of_space(text, 0)
    while place < len(text):
        if text[place] != "{":
            return None
        line = _line(text, place)
        try:
            content, end = _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as e:
            if is_json:
                raise InputError(f"{label}, line {e.lineno}: this is not JSON: {e.msg}") from e
            return None
        except RecursionError:
            raise InputError(f"{label}, line {line}: {TOO_DEEP}") from None
        except (_RefusedError, ValueError):
            # Python raises ValueError for integers of thousands of digits
            raise _problem(text, place, label) or InputError(
                f"{label}, line {line}: this is not JSON"
            ) from None
        if _SURROGATE.search(text, place, end) and (problem := _problem(text, place, label)):
            raise problem
        if _is_too_deep(content):
            raise InputError(f"{label}, line {line}: {TOO_DEEP}")
        documents.append(Document(f"{label}, document {len(documents) + 1} (line {line})", content))
        place = _end_of_space(text, end)
    return documents


def _is_too_deep(content: dict[str, Any]) -> bool:
    """Return whether an object is nested deeper than readers of YAML allow."""
    level: list[Any] = [content]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for one in level:
            values = one.values() if isinstance(one, dict) else one
            below += [value for value in values if isinstance(value, (dict, list))]
        level = below
        if not level:
            return False
    return True


def _problem(text: str, place: int, label: str) -> InputError | None:
    """Return an error for the first mistake in the document that begins at the index `place`; None
    without a mistake.

    Mistakes here are only those that Python's json module accepts: see the module's description.
    """
    keys: list[set[str] | None] = []  # the keys of each open object; None for an open array
    before = ""
    for token in _TOKEN.finditer(text, place):
        now = token[0]
        problem = None
        if now == "{":
            keys.append(set())
        elif now == "[":
            keys.append(None)
        elif now in ("}", "]"):
            keys.pop()
        elif now[0] == '"':
            problem = _problem_of_string(now, keys[-1] if before in ("{", ",") else None)
        elif now in ("NaN", "Infinity", "-Infinity"):
            problem = (
                f"{now} can't be used, because JSON has no such number; quote it, or write a number"
            )
        elif now[0] in "-0123456789" and math.isinf(float(now)):
            problem = (
                "this number is beyond the range of a double (about 1.8e308); quote it, or write a"
                " smaller one"
            )
        if problem is not None:
            return InputError(f"{label}, line {_line(text, token.start())}: {problem}")
        if not keys:
            break
        before = now
    return None


def _problem_of_string(token: str, keys: set[str] | None) -> str | None:
    text: str = json.loads(token)
    try:
        text.encode()
    except UnicodeEncodeError:
        return (
            "this string has half of a surrogate pair, such as \\ud83d; write both halves, or the"
            " character itself"
        )
    if keys is not None:
        if text in keys:
            return f"the key {text!r} occurs twice; remove one of the two"
        keys.add(text)
    return None


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _end_of_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _RefusedError
    return made


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _RefusedError
    return value


def _constant(text: str) -> Any:
    raise _RefusedError


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_constant=_constant
)
