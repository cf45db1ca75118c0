"""The forms in which a secret value, or a part of it, can stand in a text, and how each form is looked for.

The key of the value decides how its forms are looked for:

- If the key names a secret (`password`, `client_secret`, `tls.key`), the value is masked everywhere, and so is a
  beginning or an end of it with at least eight characters, because texts may be cut.
- Hosts, ports, users, names of databases and the like are masked as words of their own, not inside of other words.
- Values of other keys are masked everywhere.

A usual word, such as "enabled", is masked only if its key names a secret. The parts of a structured value (JSON, INI,
PEM, a URL with a password) are secret values too.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

__all__ = ["ANYWHERE", "GRAM", "ITSELF", "ORDINARY", "SHORTEST", "WORD", "Form", "Secret", "forms_of"]

Secret = tuple[str, bytes]
"""The key of a secret value, and the value's bytes."""

Form = tuple[str, int, bool]
"""A text; `ANYWHERE`, `WORD` or `ITSELF`; and whether beginnings and ends of the text are masked too."""

ANYWHERE: Final = 0
"""A form that is masked everywhere, also inside of words."""

WORD: Final = 1
"""A form that is masked only if no letter or digit is beside it."""

ITSELF: Final = 2
"""A form that is masked only if it isn't a part of a longer name, such as `db` in `my-db`."""

SHORTEST: Final = 4
"""The length of the shortest value that is masked. Shorter values are found by chance in many texts, and masks there
would tell more than they hide."""

GRAM: Final = 8
"""The smallest length of a value that is masked inside of words, and of a beginning or end that is masked."""

# Limits for the parts of a value: the depth of parts inside of parts (JSON in a string), and their number.
_DEEPEST: Final = 4
_MOST_LEAVES: Final = 10_000
_LONGEST_NAME: Final = 254

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KEY_OF_SECRET: Final = re.compile(
    r"pass|pwd|secret|token|key|cred|private|auth|cert|sign|jwt|dsn|pem|conn(ection)?[_.-]?(str|ur[il])|kubeconfig"
)
_KEY_OF_PLACE: Final = re.compile(
    r"(?:^|[\W_])(?:host(?:name)?|end_?point|addr(?:ess)?|server|domain|port|user(?:_?name|_?id)?|login|db(?:_?name)?|"
    r"database|name|ur[il]|id|e?mail|account|project|tenant|schema|region|zone|location|namespace|role|arn|bucket|"
    r"engine|type|scheme|protocol|ssl_?mode|version|kind|profile|output|format)s?$"
)
# Keys of parts of structured values that aren't secret.
_KEY_OF_NOTHING: Final = re.compile(
    r"(?:^|[\W_])(?:schema|region|zone|location|engine|type|scheme|protocol|ssl_?mode|version|kind|profile|output|"
    r"format|current_context|api_?version)s?$"
)
ORDINARY: Final = frozenset(
    "true false null none default enabled disabled json yaml text password passwort username database hostname "
    "endpoint connection secret secrets token tokens string certificate unknown".split()
)
"""Usual words that aren't masked: they aren't secret by themselves."""

_PEM: Final = re.compile(r"-----BEGIN [^\n-]+-----(.*?)(?:-----END [^\n-]+-----|\Z)", re.DOTALL)
_NAME: Final = r"[A-Za-z_][\w.-]{0,253}"
# The beginning of the next pair in a line, behind a separator. A colon alone may belong to a value, such as `db:5432`.
_NEXT: Final = rf"""[ \t]*["']?{_NAME}["']?[ \t]*(?:=|:(?=[ \t"']))"""
_SEPARATED: Final = re.compile(rf"[;&,](?={_NEXT})")
_PAIR: Final = re.compile(
    rf"""(?<![\w.-])(?<!//)({_NAME})["']?[ \t]*(?:=|:(?!//))[ \t]*"""
    rf"""("([^"]+)"|'([^']+)'|(?:[^;&, \t]+|[;&,](?!{_NEXT}|[ \t]*$)|[ \t](?!{_NAME}=))+)"""
)
# A comment behind a value, or the next pair. Each may belong to the value as well.
_BEHIND_VALUE: Final = re.compile(r"[;&]|[ \t]#")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
# Behind `://`: a user and a password, which may have `@`, as for urllib. Some drivers also take `/`, `?` and `#` there.
_AUTHORITY: Final = re.compile(r"[^\s/?#]*")
_LOOSE_AUTHORITY: Final = re.compile(r"[^\s/?#@:]*:(?![0-9]*(?:[/?#]|$))[^\s@]{1,256}@")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]{16,}={0,2}\s*")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.~-]*")
_URL_SAFE: Final = str.maketrans("+/", "-_")


def forms_of(key: str, value: bytes) -> Iterator[Form]:
    """Yield the forms of a secret value and of its parts; none for values and parts of less than four bytes.

    Parts are looked for four levels deep, and no more than 10,000 values and parts are used. The `key` decides how the
    forms are looked for.
    """
    work: list[tuple[str, bytes, int]] = [(key, value, 0)]
    leaves = 0
    while work:
        key, value, depth = work.pop()
        leaves += 1
        if len(value) < SHORTEST or leaves > _MOST_LEAVES:
            continue
        encoding = json.detect_encoding(value)  # json.loads reads bytes in other encodings than UTF-8, too
        if encoding == "utf-8-sig":
            value = value[3:]
        elif encoding != "utf-8" and depth < _DEEPEST:
            with contextlib.suppress(UnicodeDecodeError):
                work.append((key, value.decode(encoding).encode(), depth + 1))
        try:
            text = value.decode()
        except UnicodeDecodeError:
            yield from _forms_of_bytes(value, is_secret=depth == 0 or _names_secret(key))
            continue
        parts, is_structured = _parts(key, text) if depth < _DEEPEST else ([], False)
        yield from _forms_of_text(key, text, is_structured=is_structured)
        work += [(name, part, depth + 1) for name, part in reversed(parts or _inner(key, text))]


def _forms_of_bytes(value: bytes, *, is_secret: bool) -> Iterator[Form]:
    for form in (*_base64_forms(value, is_anywhere=True), value.hex(), repr(value)[2:-1]):
        yield form, ANYWHERE, is_secret


def _forms_of_text(key: str, text: str, *, is_structured: bool) -> Iterator[Form]:
    is_secret = _names_secret(key)
    stripped = text.strip()
    if not is_secret and stripped.lower() in ORDINARY:
        return
    mode = ANYWHERE if is_secret or not _names_place(key) else ITSELF
    # The beginning of a structured value isn't secret: all URLs, JSON objects or PEM blocks begin alike.
    is_cut = is_secret and not is_structured
    for form in dict.fromkeys(_written(text, is_anywhere=mode == ANYWHERE)):
        yield form, mode, is_cut
    if stripped != text:
        yield stripped, mode, is_cut
    if not is_structured and "\n" in stripped:
        for line in text.splitlines():
            for one in dict.fromkeys((line.strip(), line.strip().removeprefix("- "))):  # also the item of a list
                if len(one) >= GRAM:
                    yield one, mode, False


def _in_snake_case(key: str) -> str:
    return _CAMEL.sub("_", key).lower()


def _names_secret(key: str) -> bool:
    key = _in_snake_case(key)
    return _KEY_OF_SECRET.search(key) is not None and _KEY_OF_PLACE.search(key) is None


def _names_place(key: str) -> bool:
    return _KEY_OF_PLACE.search(_in_snake_case(key)) is not None


def _written(text: str, *, is_anywhere: bool) -> Iterator[str]:
    """Yield the forms in which `text` may be written: itself, base64, hex, and the escapes of Python, JSON and URLs.

    The search ignores case, so capitals have no forms of their own. With `is_anywhere`, the forms that `text` has
    inside of a longer text in base64 are yielded too.
    """
    yield text
    data = text.encode(errors="surrogatepass")
    yield from _base64_forms(data, is_anywhere=is_anywhere)
    yield data.hex()
    if len(upper := text.upper()) != len(text):
        yield upper
    if _PLAIN.fullmatch(text):
        return
    from urllib.parse import quote, quote_plus

    # Log lines and tracebacks show a string's repr, which has its line ends escaped.
    yield repr(text)[1:-1]
    yield repr(data)[2:-1]
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield quote(data, safe="")
    yield quote(data)
    yield quote_plus(data)


def _base64_forms(data: bytes, *, is_anywhere: bool) -> Iterator[str]:
    """Yield the forms of a value in base64.

    Args:
        data: The value.
        is_anywhere: Whether to yield also the forms that the value has inside of a longer text in base64, such as
            `user:password`. A value of less than eight bytes has no such forms.
    """
    whole = base64.b64encode(data).decode()
    yield whole
    if "=" in whole:
        yield whole.rstrip("=")
    if "+" in whole or "/" in whole:
        yield whole.translate(_URL_SAFE)
    if not is_anywhere or len(data) < GRAM:
        return
    for shift in (0, 1, 2):
        # Only the characters whose six bits all belong to this value.
        first, last = -(-shift * 8 // 6), (shift + len(data)) * 8 // 6
        inner = base64.b64encode(b"\0" * shift + data).decode()[first:last]
        yield inner
        if "+" in inner or "/" in inner:
            yield inner.translate(_URL_SAFE)


def _parts(key: str, text: str) -> tuple[list[Secret], bool]:
    """Return the parts of a value, each with its key; and whether the whole value is structured.

    Parts are the leaves of JSON, the pairs of INI files and the like, the bodies of PEM blocks, and users, passwords
    and query parameters of URLs. A text with a URL or a pair somewhere in it isn't structured: it may be a password.
    `key` is for parts without a key of their own.
    """
    if text.lstrip()[:1] in ("{", "["):
        try:
            return list(_leaves(key, json.loads(text))), True
        except (ValueError, RecursionError):
            pass
    found: list[Secret] = []
    is_url = _URL.match(text.lstrip()) is not None
    is_structured = is_url or "-----BEGIN " in text
    if "-----BEGIN " in text:
        for body in _PEM.findall(text):
            lines = [line.strip() for line in body.split("\n")]
            content = [line for line in lines if line and ":" not in line]  # lines with a colon are headers
            found += [("pem", line.encode()) for line in content if len(line) >= GRAM]
            found.append(("pem", "".join(content).encode()))
        text = _PEM.sub("", text)
    if "://" in text:
        found += ((name, one.encode()) for name, one in _credentials(text))
    pairs = list(islice(_pairs(text), _MOST_LEAVES)) if "=" in text or ":" in text else []
    if len(pairs) == 1 and not is_structured and "\n" not in text:
        name, values = pairs[0]
        is_structured = _names_secret(name) or _SEPARATED.search(text) is not None
        # A short word behind a colon, as a password may have it, would be found by chance in many texts.
        if not is_structured and len(values[0]) < GRAM:
            pairs = []
    else:
        is_structured = is_structured or bool(pairs)
    for name, values in pairs:
        found += ((name, one.encode()) for one in values)
        if is_url:
            found += ((name, unquoted.encode()) for one in values if (unquoted := _unquoted(one)) != one)
    return found, is_structured


def _credentials(text: str) -> Iterator[tuple[str, str]]:
    """Yield the users and passwords of all URLs in `text`, as they are and unquoted, each with its key."""
    at = text.find("://")
    while at >= 0:
        match = _AUTHORITY.match(text, at + 3)
        authority = match[0] if match else ""
        if "@" not in authority and (loose := _LOOSE_AUTHORITY.match(text, at + 3)):
            authority = loose[0]
        several = re.split("[,;]", authority)  # one URL with several hosts
        for one in dict.fromkeys([authority, *several]):
            user, _, password = one.rpartition("@")[0].partition(":")
            for name, part in (("user", user), ("password", password)):
                yield from ((name, written) for written in dict.fromkeys([part, _unquoted(part)]) if written)
        at = text.find("://", at + 3)


def _inner(key: str, text: str) -> list[Secret]:
    """Return the text that `text` encodes in base64, such as a value in a kubeconfig, with `key` as its key.

    The list is empty if `text` isn't base64 of a text, or if `key` names neither a secret nor data.
    """
    if not (_names_secret(key) or key.endswith("data")) or not _BASE64.fullmatch(text):
        return []
    try:
        inner = base64.b64decode(text)
        return [(key, inner)] if inner.decode().isprintable() or b"-----BEGIN " in inner else []
    except ValueError:
        return []


def _unquoted(text: str) -> str:
    """Return `text` with the escapes of URLs replaced."""
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)


def _pairs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the values of each pair in `text`: `name = value` or `name: value`, several in a line, too.

    A pair has several values if it isn't certain where its value ends, such as at a semicolon. An indented line without
    a pair belongs to the name above it, as do the items of a list in YAML.
    """
    above = ""
    for whole in text.split("\n"):
        line = pairs = whole.strip()
        if _URL.match(line):
            pairs = re.split("[?#]", line, maxsplit=1)[1] if "?" in line or "#" in line else ""
        first = ""
        for match in _PAIR.finditer(pairs):
            name = match[1]
            values = list(_values(match, is_first=not first))
            first = first or name
            if values and not _tells_nothing(name):
                yield name, values
        if first or not line:
            above = first or above
        elif line[-1] in ":=":
            above = line[:-1].strip(" \t-\"'")[:_LONGEST_NAME]
        elif whole[0] in " \t-" and above and line[0] not in "#;" and not _tells_nothing(above):
            yield above, [line.removeprefix("- ").strip(" \t\"'")]


def _values(match: re.Match[str], *, is_first: bool) -> Iterator[str]:
    """Yield the possible values of a pair, without duplicates.

    Args:
        match: The match of `_PAIR` in a line.
        is_first: Whether the pair is the first one in its line. Then its value may be all the rest of the line.
    """
    line, end = match.string, match.end()
    quoted = match[3] or match[4]
    if quoted:
        found = [quoted]
    else:
        # The value of a flow mapping of YAML may end at a bracket.
        found = [match[2].strip(), _BEHIND_VALUE.split(match[2], maxsplit=1)[0].strip(), match[2].rstrip(" \t]}")]
    # A quote that is escaped, or doubled, doesn't end the value.
    is_open = not quoted or line[end - 2] == "\\" or line[end : end + 1] == line[end - 1]
    if is_first and is_open and end < len(line):
        found.append(line[match.start(2) :])
    bare = (one if one is quoted else one.strip("\"'") for one in found)
    return (one for one in dict.fromkeys(bare) if one)


def _tells_nothing(name: str) -> bool:
    return _KEY_OF_NOTHING.search(_in_snake_case(name)) is not None


def _leaves(key: str, value: Any) -> Iterator[Secret]:
    work: list[tuple[str, Any]] = [(key, value)]
    while work:
        name, one = work.pop()
        if isinstance(one, dict):
            work += [(str(inner), child) for inner, child in one.items()]
        elif isinstance(one, list):
            work += [(name, child) for child in one]
        elif isinstance(one, str):
            if not _tells_nothing(name):
                yield name, one.encode(errors="replace")
        elif isinstance(one, int) and not isinstance(one, bool) and _names_secret(name):
            yield name, str(one).encode()
