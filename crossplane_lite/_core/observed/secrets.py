"""The secret values of a request, and masking them in texts: their parts, the forms of each, and the search.

A structured value (JSON, lines of pairs, PEM, a URL) is taken apart, and each part is a secret value by its own key. A
form is a way to write a value: as it is, in base64, or with the escapes of JSON, Python or URLs. Only whole values are
masked, and upper and lower case differ.

A value is masked anywhere, also inside of words. But a value of less than eight characters is masked only as a word,
and one whose key names a host, a user or the like only if it isn't a part of a longer name either. Values of less than
four characters, usual words such as "enabled", and names of resources, functions and kinds are never masked.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from ...errors import WireError
from .. import codec
from .tokens import base64_cores

# The key of a secret value, and the value's bytes.
Secret = tuple[str, bytes]

IsName = Callable[[str], bool]
_Texts = Iterator[tuple[str, str]]  # parts of a value, each with its key

MASK = "[secret]"

# Where a form is masked: not in longer names, such as `db` in `my-db`; not in longer words; anywhere.
_ITSELF = 0
_WORD = 1
_ANYWHERE = 2

_SHORTEST = 4
_GRAM = 8  # the shortest form that is masked inside of words
_CHUNK = 2048  # longer forms are looked for in pieces, because long texts are cut before they are searched
_LONGEST_FORM = 2 * _CHUNK
_LONGEST_NAME = 253
_MOST_SEARCHES = 250
# Limits for the parts of a value: the depth of parts inside of parts (JSON in a string), and their number.
_DEEPEST = 4
_MOST_PARTS = 10_000

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KEY_OF_SECRET = re.compile(r"pass|pwd|secret|token|key|cred|private|auth|cert|sign|jwt|dsn|pem")
_LAST_WORD = r"(?:^|[\W_])(?:%s)s?$"
_NOTHINGS = (
    r"schema|region|zone|location|engine|type|scheme|protocol|ssl_?mode|version|kind|profile|output|format|"
    r"current_context"
)
_PLACES = (
    r"|host(?:name)?|end_?point|addr(?:ess)?|server|domain|port|user(?:_?name|_?id)?|login|db(?:_?name)?|database|"
    r"name|ur[il]|id|e?mail|account|project|tenant|namespace|role|arn|bucket"
)
_KEY_OF_NOTHING = re.compile(_LAST_WORD % _NOTHINGS)
_KEY_OF_PLACE = re.compile(_LAST_WORD % (_NOTHINGS + _PLACES))  # or of nothing
_KEY_OF_FACT = re.compile(
    _LAST_WORD
    % (_NOTHINGS + _PLACES + r"|ip|dns|status|state|count|size|ref|time|date|required|enabled|algorithm|issuer")
)
_ORDINARY = frozenset(
    "true false null none default enabled disabled json yaml text password passwort username database hostname "
    "endpoint connection secret secrets token tokens string certificate unknown".split()
)

_NAME = r"[A-Za-z_][\w.-]{0,253}"
# The first pair of a line, and the beginning of each further one. A colon alone may belong to a value, as in `db:5432`.
_FIRST = re.compile(rf"""[\s"'{{-]*({_NAME})["']?[ \t]*(?:=|:(?!//))[ \t]*""")
_NEXT = re.compile(rf"""(?<=[;&,?#{{\s])["']?({_NAME})["']?[ \t]*(?:=|:(?=[ \t"']))[ \t]*""")
_BEHIND_VALUE = re.compile(r"[;&]|[ \t]#")
# A user and a password behind `://`. Some drivers also take `/`, `?` and `#` in a password.
_AUTHORITY = re.compile(r"://([^\s/?#]*@|[^\s/?#@:]*:(?![0-9]*(?:[/?#]|$))[^\s@]{1,256}@)")
_PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")
_NOT_IN_NAMES = re.compile(r"[^\w.-]")
# What stands before and behind a form that is masked: nothing of a name, or no letter or digit.
_BEFORE = re.compile(r"(?<![\w.-])"), re.compile(r"(?<![^\W_])")
_BEHIND = re.compile(r"(?![\w-]|\.[^\W_])"), re.compile(r"(?![^\W_])")
_URL_SAFE = str.maketrans("+/", "-_")


def _never(_name: str) -> bool:
    return False


class Masker:
    """Masks secret values in texts. A masker never changes, so all threads may use it.

    The time of a search hardly depends on the number of values, and that of making a masker grows with their size.

    Args:
        secrets: The values, each with its key.
        is_name: The function that says whether a word is the name of a resource, a function or a kind.
    """

    def __init__(self, secrets: Iterable[Secret] = (), is_name: IsName = _never) -> None:
        self._is_name = is_name
        self._where: dict[str, int] = {}  # each form, and where it is masked
        self._index: dict[int, dict[str, list[str]]] = {}  # sorted forms by their first characters, by how many
        self._add(secrets)

    def more(self, secrets: Iterable[Secret]) -> Masker:
        """Return a masker of these values and of those that this one masks."""
        made = Masker((), self._is_name)
        made._where = self._where.copy()
        made._index = {size: index.copy() for size, index in self._index.items()}
        made._add(secrets)
        return made

    def _add(self, secrets: Iterable[Secret]) -> None:
        new: dict[str, list[str]] = {}
        for key, value in dict.fromkeys(secrets):
            for form, where in _forms_of(key, value):
                if form not in self._where:
                    new.setdefault(form[:_GRAM], []).append(form)
                self._where[form] = max(where, self._where.get(form, _ITSELF))
        for gram, forms in new.items():
            index = self._index.setdefault(len(gram), {})
            index[gram] = sorted([*index.get(gram, ()), *forms])

    def __call__(self, text: str, is_name: IsName = _never) -> str:
        """Return `text` with `[secret]` in the place of each secret value; `is_name` finds more names."""
        hidden = bytearray(len(text))  # values may overlap or touch each other
        for size, index in self._index.items():
            for start in _places(text, index, size):
                length = self._length_at(text, start, index[text[start : start + size]])
                hidden[start : start + length] = b"x" * length
        if b"x" not in hidden:  # nearly always so
            return text
        shown = ""
        at = 0
        for found in re.finditer(b"x+", hidden):
            start, end = found.span()
            if text[start - 1 : end + 1] != MASK and not self._is_part_of_name(text, start, end, is_name):
                shown += text[at:start] + MASK
                at = end
        return shown + text[at:]

    def _length_at(self, text: str, at: int, forms: list[str]) -> int:
        """Return the length of the longest one of the sorted `forms` that is masked at `text[at]`; 0 if none is."""
        piece = text[at : at + _LONGEST_FORM]
        while piece:
            # In the sorted list a beginning of the piece comes before the piece, and all texts between begin like it.
            place = bisect_right(forms, piece)
            if not place:
                return 0
            one = forms[place - 1]
            if piece.startswith(one) and _stands(text, at, at + len(one), self._where[one]):
                return len(one)
            # Next are the forms that are as long as what both begin with, or shorter. A form may have megabytes.
            size = bisect_left(range(len(one)), True, key=lambda size: not piece.startswith(one[:size]))
            piece = one[: size - 1]
        return 0

    def _is_part_of_name(self, text: str, start: int, end: int, is_name: IsName) -> bool:
        backwards = text[max(0, start - _LONGEST_NAME) : start][::-1]
        before = _NOT_IN_NAMES.split(backwards, maxsplit=1)[0][::-1]
        behind = _NOT_IN_NAMES.split(text[end : end + _LONGEST_NAME], maxsplit=1)[0]
        known = before + text[start:end]
        word = (known + behind).strip(".-")
        if not end - start <= len(word) <= _LONGEST_NAME:
            return False
        # The word may be a path, which begins with a name.
        names = (word, known + behind.partition(".")[0])
        return any(map(self._is_name, names)) or any(map(is_name, names))


def _places(text: str, index: dict[str, Any], size: int) -> Iterator[int]:
    """Yield the indexes of `text` at which a key of `index` begins; all keys have `size` characters."""
    # A search for one key in C takes about as long as one look into the index; in a long text, as hundreds of them.
    if len(index) > min(len(text), _MOST_SEARCHES):
        yield from (at for at in range(len(text) - size + 1) if text[at : at + size] in index)
        return
    for gram in index:
        at = text.find(gram)
        while at >= 0:
            yield at
            at = text.find(gram, at + 1)


def _stands(text: str, start: int, end: int, where: int) -> bool:
    """Say whether the form at `text[start:end]` is masked there."""
    if where == _ANYWHERE:
        return True
    return bool(_BEFORE[where].match(text, start) and _BEHIND[where].match(text, end))


# Forms


def _forms_of(key: str, value: bytes) -> Iterator[tuple[str, int]]:
    """Yield the forms of a secret value and of its parts, each with where it is masked."""
    for name, part in islice(_parts_of(key, value), _MOST_PARTS):
        try:
            text = part.decode()
        except UnicodeDecodeError:
            anywhere, forms = True, [repr(part)[2:-1]]
        else:
            if text.strip().lower() in _ORDINARY:
                continue
            anywhere = _names(name, _KEY_OF_SECRET) or not _names(name, _KEY_OF_PLACE)
            forms = [text, text.strip(), *_escaped(text, part)]
        for form in forms + _in_base64(part, anywhere):
            yield from _pieces(form, anywhere)


def _pieces(form: str, anywhere: bool) -> Iterator[tuple[str, int]]:
    size = len(form)
    if _SHORTEST <= size <= _LONGEST_FORM:
        yield form, _ITSELF if not anywhere else _WORD if size < _GRAM else _ANYWHERE
    for at in range(0, size, _CHUNK) if size > _LONGEST_FORM else ():
        at = min(at, size - _CHUNK)
        yield form[at : at + _CHUNK], _ANYWHERE


def _escaped(text: str, data: bytes) -> tuple[str, ...]:
    if _PLAIN.fullmatch(text):
        return ()
    from urllib.parse import quote, quote_plus

    return (
        repr(text)[1:-1],  # as in log lines and tracebacks
        repr(data)[2:-1],
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        quote(data, safe=""),
        quote(data),
        quote_plus(data),
    )


def _in_base64(data: bytes, anywhere: bool) -> list[str]:
    """Return the forms of a value in base64; with `anywhere` also those inside of a longer text, as `user:password`."""
    encoded = [base64.b64encode(data)]
    if anywhere and len(data) >= _GRAM:
        encoded += base64_cores(data)
    texts = [one.decode() for one in encoded]
    return [*texts, texts[0].rstrip("="), *(text.translate(_URL_SAFE) for text in texts)]


# Parts


def _names(key: str, pattern: re.Pattern[str]) -> bool:
    return pattern.search(_CAMEL.sub("_", key).lower()) is not None


def names_secret(keys: Iterable[str]) -> bool:
    """Say whether a value is secret by its keys, the outermost first: one of them names a secret, as in `auth.value`.

    It isn't if the last one says what the value is about, as in `secretName`.
    """
    *around, last = keys
    if _names(last, _KEY_OF_FACT):
        return False
    return any(_names(key, _KEY_OF_SECRET) for key in (*around, last))


def _parts_of(key: str, value: bytes, depth: int = 0) -> Iterator[Secret]:
    """Yield a secret value and its parts, and their parts, each with its key, but none of less than four bytes."""
    if len(value) < _SHORTEST:
        return
    yield key, value
    if depth == _DEEPEST:
        return
    # json.loads reads other encodings, too.
    for encoding in dict.fromkeys(("utf-8", json.detect_encoding(value))):
        try:
            text = value.decode(encoding)
        except UnicodeDecodeError:
            continue
        for name, part in _parts_in(key, text):
            if part != text:
                yield from _parts_of(name, part.encode(errors="replace"), depth + 1)


def _parts_in(key: str, text: str) -> _Texts:
    """Yield the parts of a value: leaves of JSON, the text in base64, or the pairs, lines and URLs' users in it."""
    if text.lstrip().startswith(("{", "[")):
        with contextlib.suppress(ValueError, RecursionError):
            yield from _leaves(key, json.loads(text))
            return
    try:
        inner = base64.b64decode("".join(text.split()), validate=True).decode()
    except ValueError:
        yield from _pairs(text)
        yield from _users(text)
    else:
        if len(inner) >= _GRAM and (inner.isprintable() or "-----BEGIN " in inner):  # as in a kubeconfig
            yield key, inner
        yield from ((key, line) for line in text.split("\n") if len(line) >= _GRAM)


def _leaves(key: str, value: Any) -> _Texts:
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _leaves(name, one)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(key, one)
    elif isinstance(value, str) and not _names(key, _KEY_OF_NOTHING):
        yield key, value
    elif type(value) is int and _names(key, _KEY_OF_SECRET) and not _names(key, _KEY_OF_PLACE):
        yield key, str(value)


def _users(text: str) -> _Texts:
    """Yield the users and passwords of all URLs in `text`, as they are and with their escapes replaced."""
    for match in _AUTHORITY.finditer(text):
        for one in (match[1], *re.split("[,;]", match[1])):  # one URL may have several hosts
            user, _, password = one.rpartition("@")[0].partition(":")
            for part in _unquoted(user):
                yield "user", part
            for part in _unquoted(password):
                yield "password", part


def _unquoted(text: str) -> tuple[str, ...]:
    if "%" not in text:
        return (text,)
    from urllib.parse import unquote

    return text, unquote(text)


def _pairs(text: str) -> _Texts:
    """Yield the values of the pairs `name = value` and `name: value` in `text`, and of lines without a pair.

    A pair has several values where it isn't certain which one it has, such as at a semicolon. A line without a pair
    belongs to the name above it, if it is indented or the item of a list.
    """
    above = "lines"
    lines = text.split("\n")
    for line in map(str.strip, lines):
        first = _FIRST.match(line)
        rest = line[first.end() :] if first else line
        # A string that follows a name is the name's value: value, name, value, name, value.
        pieces = _NEXT.split(rest)
        if first:
            # Behind the first name, the value may also be all of the line.
            pieces = ["", first[1], *pieces, first[1], rest]
            if rest in ("", "|", "|-", ">", ">-"):
                above = first[1]
            elif _is_short_word(first, rest, lines):
                continue
        elif len(pieces) == 1 and len(lines) > 1 and not line.startswith(("-----", "[")):
            yield above, line.removeprefix("- ").strip("\"'")
        for key, value in zip(pieces[1::2], pieces[2::2], strict=True):
            yield from _ends_of(key, value)


def _is_short_word(first: re.Match[str], rest: str, lines: list[str]) -> bool:
    """Say whether a string is one short word after a name and a colon, such as `abc: def`.

    It may be a password with a colon in it, and such a word would be found by chance in many texts.
    """
    is_short = len(lines) == 1 and ":" in first[0] and len(rest) < _GRAM
    return is_short and not _names(first[1], _KEY_OF_SECRET)


def _ends_of(key: str, value: str) -> _Texts:
    """Yield what the value of a pair may be, where it isn't certain where it ends."""
    if _names(key, _KEY_OF_NOTHING):
        return
    for end in (value.rstrip(";&, \t"), value.rstrip(" \t]}"), _BEHIND_VALUE.split(value, maxsplit=1)[0]):
        for part in _unquoted(end.strip(" \t\"'")):
            yield key, part


def masker_for(request: Any) -> Masker:
    """Return the masker of all secret values of a request; names in the request are never masked.

    Credentials, connection details and the data of Secrets are secret, also data of Secrets inside of other objects.
    """
    names = functools.cache(lambda: names_of(request))  # read when they are first needed
    return Masker(secrets_of(request), lambda word: word in names())


def names_of(request: Any) -> set[str]:
    """Return the names and kinds of all resources in a request, and the keys of its required resources.

    A name or kind is left out if it can't be read, because the resource's bytes are malformed.
    """
    answers = {*request.required_resources, *request.extra_resources}
    found: set[str] = {*answers, *request.observed.resources, *request.desired.resources}
    for resource in _all_resources(request):
        for path in (("kind",), ("metadata", "name")):
            with contextlib.suppress(WireError):
                value = codec.get_path(resource.resource, path)
                if isinstance(value, str):
                    found.add(value)
    return found


def secrets_of(request: Any) -> Iterator[Secret]:
    """Yield the secret values in `request`, each with its key. Secrets in malformed bytes are left out."""
    for one in request.credentials.values():
        yield from one.credential_data.data.items()
    for resource in _all_resources(request):
        yield from resource.connection_details.items()
        # The byte before the word is its length, or the end of a length that is written in more bytes than it needs.
        if b"\x06Secret" in resource.resource or b"\x00Secret" in resource.resource:
            with contextlib.suppress(WireError):  # reported where the resource is read
                yield from secrets_in(codec.decode_struct(resource.resource))


def secrets_in(content: Any) -> Iterator[Secret]:
    """Yield the secret values of each Secret in `content`. The plain data `content` may be a Secret itself."""
    work = [content]
    while work:
        one = work.pop()
        # Not isinstance(): reading the class of a missing value would count as a use of it.
        if issubclass(type(one), Mapping):
            if one.get("kind") == "Secret":
                yield from _values(one)
            work += one.values()
        elif type(one) is list:
            work += one


def _values(secret: Mapping[str, Any]) -> Iterator[Secret]:
    for field in ("data", "stringData"):
        values: Any = secret.get(field)
        for key, text in values.items() if issubclass(type(values), Mapping) else ():
            if issubclass(type(text), str):
                value = text.encode(errors="replace")
                if field == "data":
                    with contextlib.suppress(ValueError):
                        value = base64.b64decode(value, validate=True)
                yield str(key), value


def _all_resources(request: Any) -> Iterator[Any]:
    for state in (request.observed, request.desired):
        yield state.composite
        yield from state.resources.values()
    for answers in (request.required_resources, request.extra_resources):
        for answer in answers.values():
            yield from answer.items
