"""The parts of secret values: leaves of JSON, values of pairs, lines, passwords of URLs and flags,
what is in base64.

Each part is a secret value by its own key, and has parts itself.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Generator, Iterable, Iterator
from typing import Any, Final

# The key of a secret value, and the value's bytes.
Secret = tuple[str, bytes]

_Texts = Iterator[tuple[str, str]]  # parts of a value, each with its key

SHORTEST: Final = 4
"""How many bytes a value has at least, to be masked."""
GRAM: Final = 8
"""How many characters the shortest form has that is masked inside of words."""

_DEEPEST: Final = 4  # parts inside of parts, such as JSON in a string
# The work for parts, in the time for one character: that of a step, and how much more it is if the
# part is new.
_STEP: Final = 100
_NEW_PART: Final = 500
_MOST_FOR_ONE: Final = 1_200_000
_MOST_FOR_ALL: Final = 8_000_000
# Found where there is no part. It counts as a step.
_NO_PART: Final = ("", "")

LONGEST_ESCAPED: Final = 4096
"""A longer value isn't looked for in URLs, nor in strings that were escaped twice: the most
characters.
"""

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KEY_OF_SECRET: Final = re.compile(
    r"pass|pwd|secret|token|key|cred|private|auth|cert|sign|jwt|dsn|pem"
)
_LAST_WORD: Final = r"(?:^|[\W_])(?:%s)s?$"
_NOTHINGS: Final = (
    r"schema|region|zone|location|engine|type|scheme|protocol|ssl_?mode|version|kind|profile|output|format|"
    r"current_context"
)
_PLACES: Final = (
    r"|host(?:name)?|end_?point|addr(?:ess)?|server|domain|port|user(?:_?name|_?id)?|login|db(?:_?name)?|database|"
    r"name|ur[il]|id|e?mail|account|project|tenant|namespace|role|arn|bucket"
)
_KEY_OF_NOTHING: Final = re.compile(_LAST_WORD % _NOTHINGS)
_KEY_OF_PLACE: Final = re.compile(_LAST_WORD % (_NOTHINGS + _PLACES))  # or of nothing
_KEY_OF_FACT: Final = re.compile(
    _LAST_WORD
    % (
        _NOTHINGS
        + _PLACES
        + r"|ip|dns|status|state|count|size|ref|time|date|required|enabled|algorithm|issuer"
    )
)

_NAME: Final = r"[A-Za-z_][\w.-]{0,253}"
# The first pair of a line, behind a host in an .npmrc file, and the beginning of each further one.
# A colon alone may belong to a value, as in `db:5432`.
_FIRST: Final = re.compile(rf"""[\s"'{{-]*(?://\S*/:)?({_NAME})["']?[ \t]*(?:=|:(?!//))[ \t]*""")
_NEXT: Final = re.compile(
    rf"""(?<=[;&,?#{{\s])-{{0,2}}["']?({_NAME})["']?[ \t]*(?:=|:(?=[ \t"']))[ \t]*"""
)
_BEHIND_VALUE: Final = re.compile(r"[;&]|[ \t]#")
# Values behind a space: of `--password x`, of `Bearer x`, and in a netrc file. Looking behind comes
# after the first letters, for which the search is fast.
_FLAG: Final = re.compile(rf"""--(?<!\S--)({_NAME})[ \t]+["']?([^\s"',;]+)""")
_SCHEME: Final = re.compile(
    r"""[Bb](?<!\w[Bb])(?<![^\s:=][ \t][Bb])(?:earer|asic)[ \t]+["']?([^\s"',;]+)"""
)
_NETRC: Final = re.compile(r"(?:machine\s+\S+|default)\s+login\s+(\S+)\s+password\s+(\S+)")
# A user and a password behind `://`. Some drivers also take `/`, `?` and `#` in a password.
_AUTHORITY: Final = re.compile(r"([^\s/?#]*@|[^\s/?#@:]*:(?![0-9]*(?:[/?#]|$))[^\s@]{1,256}@)")


def parts_of(values: Iterable[Secret]) -> Iterator[Secret]:
    """Yield secret values and their parts, and their parts, each with its key, but none of less
    than four bytes.

    The work for parts is limited. All values have the same share of it, and short ones leave some
    for longer ones.
    """
    whole = sorted(dict.fromkeys(values), key=lambda one: len(one[1]))
    whole = [one for one in whole if len(one[1]) >= SHORTEST]
    seen = set(whole)
    left = _MOST_FOR_ALL
    for number, one in enumerate(whole):
        yield one
        share = left // (len(whole) - number)
        left -= yield from _parts_within(one, min(share, _MOST_FOR_ONE), seen)


def _parts_within(whole: Secret, most: int, seen: set[Secret]) -> Generator[Secret, None, int]:
    """Yield the parts of a value that aren't in `seen`, the outer ones first; return the work for
    them.

    There are no further ones when the work is more than `most`.
    """
    work = 0
    level = [whole]
    for _ in range(_DEEPEST):
        found = []
        for one in level:
            for key, text in _parts_in(*one):
                work += _STEP + len(text)
                part = key, text.encode(errors="replace")
                if len(part[1]) >= SHORTEST and part not in seen:
                    work += _NEW_PART
                    seen.add(part)
                    found.append(part)
                    yield part
                if work > most:
                    return work
        level = found
    return work


def _parts_in(key: str, value: bytes) -> _Texts:
    # json.loads reads other encodings, too.
    for encoding in dict.fromkeys(("utf-8", json.detect_encoding(value))):
        with contextlib.suppress(UnicodeDecodeError):
            yield from _parts_of_text(key, value.decode(encoding))


def _parts_of_text(key: str, text: str) -> _Texts:
    """Yield the parts of a value: leaves of JSON, the text in base64, or the pairs, lines and URLs'
    users in it.
    """
    if text.lstrip().startswith(("{", "[")):
        with contextlib.suppress(ValueError, RecursionError):
            yield from _leaves(key, json.loads(text))
            return
    try:
        inner = base64.b64decode("".join(text.split()), validate=True).decode()
    except ValueError:
        yield from _pairs(text)
        yield from _users(text)
        yield from _spaced(text)
    else:
        # as in a kubeconfig
        if len(inner) >= GRAM and (inner.isprintable() or "-----BEGIN " in inner):
            yield key, inner
            if key.lower().endswith(("auth", "authorization")):  # as in a docker config
                user, _, password = inner.partition(":")
                yield "user", user
                yield "password", password
        for line in text.split("\n"):
            yield (key, line) if len(line) >= GRAM else _NO_PART


def _leaves(key: str, value: Any) -> _Texts:
    work = [(key, value)]
    while work:
        key, one = work.pop()
        part = _NO_PART
        if isinstance(one, dict):
            work += reversed(one.items())
        elif isinstance(one, list):
            work += [(key, element) for element in reversed(one)]
        elif isinstance(one, str) and not _names(key, _KEY_OF_NOTHING):
            part = key, one
        elif type(one) is int and _names(key, _KEY_OF_SECRET) and not _names(key, _KEY_OF_PLACE):
            part = key, str(one)
        yield part


def _spaced(text: str) -> _Texts:
    """Yield values that stand behind a space: of flags, of headers, and in netrc files."""
    for match in _FLAG.finditer(text):
        yield (match[1], match[2]) if names_secret([match[1]]) else _NO_PART
    for match in _SCHEME.finditer(text):
        yield "authorization", match[1]
    for match in _NETRC.finditer(text) if "login" in text else ():
        yield "user", match[1]
        yield "password", match[2]


def _users(text: str) -> _Texts:
    """Yield the users and passwords of all URLs in `text`, as they are and with their escapes
    replaced.
    """
    for start in re.finditer("://", text):
        match = _AUTHORITY.match(text, start.end())
        if not match:
            yield _NO_PART
            continue
        # one URL may have several hosts
        for one in (match[1], *match[1].replace(";", ",").split(",")):
            user, _, password = one.rpartition("@")[0].partition(":")
            for part in _unquoted(user):
                yield "user", part
            for part in _unquoted(password):
                yield "password", part


def _unquoted(text: str) -> tuple[str, ...]:
    if "%" not in text or len(text) > LONGEST_ESCAPED:
        return (text,)
    from urllib.parse import unquote

    return text, unquote(text)


def _pairs(text: str) -> _Texts:
    """Yield the values of the pairs `name = value` and `name: value` in `text`, and of lines
    without a pair.

    A pair has several values where it isn't certain which one it has, such as at a semicolon. A
    line without a pair belongs to the name above it, if it is indented or the item of a list.
    """
    above = "lines"
    lines = text.split("\n")
    for line in map(str.strip, lines):
        first = _FIRST.match(line)
        rest = line[first.end() :] if first else line
        yield _NO_PART
        if first is None:
            has_pair = False
            for part in _values_in(None, rest):
                has_pair = True
                yield part
            if not has_pair and len(lines) > 1 and not line.startswith(("-----", "[")):
                yield above, line.removeprefix("- ").strip("\"'")
        elif rest in ("", "|", "|-", ">", ">-"):
            above = first[1]
        elif not _is_short_word(first, rest, lines):
            yield from _values_in(first[1], rest)


def _values_in(name: str | None, line: str) -> _Texts:
    """Yield the values of the pairs in a line, whose beginning is the value of `name`, if there is
    one.

    The value of `name` may also be all of the line.
    """
    key, start = name, 0
    for match in _NEXT.finditer(line):
        if key is not None:
            yield from _ends_of(key, line[start : match.start()])
        key, start = match[1], match.end()
    if key is not None:
        yield from _ends_of(key, line[start:])
    if name is not None and start:
        yield from _ends_of(name, line)


def _is_short_word(first: re.Match[str], rest: str, lines: list[str]) -> bool:
    """Say whether a string is one short word after a name and a colon, such as `abc: def`.

    It may be a password with a colon in it, and such a word would be found by chance in many texts.
    """
    is_short = len(lines) == 1 and ":" in first[0] and len(rest) < GRAM
    return is_short and not _names(first[1], _KEY_OF_SECRET)


def _ends_of(key: str, value: str) -> _Texts:
    """Yield what the value of a pair may be, where it isn't certain where it ends."""
    if _names(key, _KEY_OF_NOTHING):
        yield _NO_PART
        return
    ends = (
        value.rstrip(";&, \t"),
        value.rstrip(" \t]}"),
        value.strip(";&, \t[]{}"),
        _BEHIND_VALUE.split(value, maxsplit=1)[0],
    )
    for end in dict.fromkeys(one.strip(" \t\"'") for one in ends):
        for part in _unquoted(end):
            yield key, part


# Keys


def _names(key: str, pattern: re.Pattern[str]) -> bool:
    return pattern.search(_CAMEL.sub("_", key).lower()) is not None


def is_masked_anywhere(key: str) -> bool:
    """Say whether a value with this key is masked anywhere, and not only where it isn't a part of a
    longer name.
    """
    return _names(key, _KEY_OF_SECRET) or not _names(key, _KEY_OF_PLACE)


def names_secret(keys: Iterable[str]) -> bool:
    """Say whether a value is secret by its keys, the outermost first: one of them names a secret,
    as in `auth.value`.

    It isn't if the last one says what the value is about, as in `secretName`.
    """
    *around, last = keys
    if _names(last, _KEY_OF_FACT):
        return False
    return any(_names(key, _KEY_OF_SECRET) for key in (*around, last))
