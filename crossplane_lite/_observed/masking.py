"""Masking: how secret values are found in texts, in all forms that they may stand in.

A value is added with the key that it stands under, which says how it is looked for:

- A value whose key names a secret (`password`, `client_secret`, `tls.key`) is masked wherever it stands, and so are its
  first and last letters, eight or more of them: texts are cut.
- Hosts, ports, users and names of databases are masked where they stand for themselves, not inside of other words.
- Anything else is masked wherever it stands, and where it stands for itself if it is shorter than eight letters.

A value shorter than four letters is left as it is, and so are names of resources and kinds.

Searching takes the same time however many values there are: text that begins like one of them is looked up by its first
letters.
"""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

__all__ = ["MASK", "Masker", "Secret"]

Secret = tuple[str, bytes]
"""The key that a value stands under, and the value."""

MASK: Final = "[secret]"

# Shorter values would be found in the middle of words, and masking those tells more than it hides.
_SHORTEST: Final = 4
# A value with so many letters is looked for inside of words, and by its beginning and its end.
_GRAM: Final = 8

# How a value is looked for: anywhere, where no letter or digit is beside it, or where it isn't part of a longer name.
_ANYWHERE: Final = 0
_WORD: Final = 1
_ITSELF: Final = 2

# How much is taken apart: values within values (a JSON text in a text), leaves of one value, letters of one value.
_DEEPEST: Final = 4
_MOST_LEAVES: Final = 10_000
_LONGEST: Final = 4 << 20

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KEY_OF_SECRET: Final = re.compile(
    r"pass|pwd|secret|token|key|cred|private|auth|cert|sign|jwt|dsn|pem|conn(ection)?[_.-]?(str|ur[il])|kubeconfig"
)
_KEY_OF_PLACE: Final = re.compile(
    r"(?:^|[\W_])(?:host(?:name)?|end_?point|addr(?:ess)?|server|domain|port|user(?:_?name|_?id)?|login|db(?:_?name)?|"
    r"database|name|ur[il]|id|e?mail|account|project|tenant|schema|region|zone|location|namespace|role|arn|bucket|"
    r"engine|type|scheme|protocol|ssl_?mode|version|kind|profile|output|format)s?$"
)
# These parts of structured values needn't be hidden.
_KEY_OF_NOTHING: Final = re.compile(
    r"(?:^|[\W_])(?:schema|region|zone|location|engine|type|scheme|protocol|ssl_?mode|version|kind|profile|output|"
    r"format|current_context|api_?version)s?$"
)
_ORDINARY: Final = frozenset(
    "true false null none default enabled disabled json yaml text password passwort username database hostname "
    "endpoint connection secret secrets token tokens string certificate unknown".split()
)

_PEM: Final = re.compile(r"-----BEGIN [^\n-]+-----(.*?)(?:-----END [^\n-]+-----|\Z)", re.DOTALL)
_PAIR: Final = re.compile(
    r"""(?<![\w.-])([A-Za-z_][\w.-]{0,253})["']?[ \t]*[=:][ \t]*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s;,&"'][^\n;&]*))"""
)
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:([^\s/?#@:]*):([^\s/?#@]*)@|([^\s/?#@:]+)@)?")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]{16,}={0,2}\s*")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.~-]*")
_LONGEST_NAME: Final = 253
_MOST_SEARCHES: Final = 250
_CHUNK: Final = 2048


def _never(_name: str) -> bool:
    return False


class Masker:
    """Masks secret values in texts.

    Args:
        secrets: The values, with their keys.
        is_name: Says whether a word is the name of a resource, a function or a kind, which is never masked.
    """

    __slots__ = ("_heads", "_is_name", "_modes", "_short", "_tails", "_values", "_wholes", "longest")

    def __init__(self, secrets: Iterable[Secret] = (), is_name: Callable[[str], bool] = _never) -> None:
        self._is_name = is_name
        self._values: set[Secret] = set()
        self._modes: dict[str, int] = {}  # of texts in _wholes
        self._short: dict[str, int] = {}  # texts of four to seven letters, and how they are looked for
        # By eight letters, in order: texts that are looked for as a whole, those whose beginning is enough, and those
        # whose end is, backwards.
        self._wholes: dict[str, list[str]] = {}
        self._heads: dict[str, list[str]] = {}
        self._tails: dict[str, list[str]] = {}
        self.longest = 0
        self.add(secrets)

    def __bool__(self) -> bool:
        return bool(self._wholes or self._short)

    def add(self, secrets: Iterable[Secret]) -> None:
        """Mask these values too."""
        for key, value in secrets:
            if len(value) >= _SHORTEST and (key, value) not in self._values:
                self._values.add((key, value))
                self._take(key, value[:_LONGEST])

    def __call__(self, text: str) -> str:
        """Return a text with `[secret]` in the place of each value."""
        if not self or len(text) < _SHORTEST:
            return text
        found = sorted(self._spans(text, _lowered(text)))
        if not found:
            return text
        out: list[str] = []
        at = 0
        for start, end in _joined(found):
            if self._is_kept(text, start, end):
                continue
            out += text[at:start], MASK
            at = end
        out.append(text[at:])
        return "".join(out)

    # Searching

    def _spans(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        for at in _places(lowered, self._wholes, _GRAM):
            size = self._whole_at(lowered, at)
            if size:
                yield at, at + size
        for at in _places(lowered, self._heads, _GRAM):
            size = self._shared_at(self._heads, lowered, at)
            if not _is_ordinary(lowered, at, at + size):
                yield at, at + size
        if self._tails:
            backwards = lowered[::-1]
            for at in _places(backwards, self._tails, _GRAM):
                size = self._shared_at(self._tails, backwards, at)
                end = len(text) - at
                if not _is_ordinary(lowered, end - size, end):
                    yield end - size, end
        if self._short:
            for size in range(_SHORTEST, _GRAM):
                for at in _places(lowered, self._short, size):
                    if _stands(lowered, at, at + size, self._short[lowered[at : at + size]]):
                        yield at, at + size

    def _whole_at(self, text: str, at: int) -> int:
        """Return the length of the longest value that begins at a place of a text, 0 for none."""
        several = self._wholes[text[at : at + _GRAM]]
        piece = text[at : at + self.longest]
        while piece:
            # A beginning of the piece comes before it in order, and shares a beginning with the pieces between.
            place = bisect_right(several, piece)
            if not place:
                return 0
            one = several[place - 1]
            if piece.startswith(one):
                if _stands(text, at, at + len(one), self._modes[one]):
                    return len(one)
                piece = piece[: len(one) - 1]
            else:
                piece = piece[: _shared(one, piece)]
        return 0

    def _shared_at(self, index: dict[str, list[str]], text: str, at: int) -> int:
        """Return how many letters from a place on are the beginning of one of an index."""
        several = index[text[at : at + _GRAM]]
        piece = text[at : at + self.longest]
        place = bisect_left(several, piece)
        # In order, those that share most are next to it.
        return max(_shared(one, piece) for one in several[max(0, place - 1) : place + 1])

    def _is_kept(self, text: str, start: int, end: int) -> bool:
        """Say whether a place is masked already, or is in a name."""
        if text[start - 1 : end + 1] == MASK:
            return True
        low, high = start, end
        while low > max(0, start - _LONGEST_NAME) and _is_of_name(text[low - 1]):
            low -= 1
        while high < min(len(text), end + _LONGEST_NAME) and _is_of_name(text[high]):
            high += 1
        word = text[low:high].strip(".-")
        if len(word) > _LONGEST_NAME or len(word) < end - start:
            return False
        # A path begins with a name.
        head = text[low:end] + text[end:high].partition(".")[0]
        return self._is_name(word) or self._is_name(head)

    # Taking values apart

    def _take(self, key: str, value: bytes) -> None:
        work: list[tuple[str, bytes, int]] = [(key, value, 0)]
        leaves = 0
        while work:
            key, value, depth = work.pop()
            leaves += 1
            if len(value) < _SHORTEST or leaves > _MOST_LEAVES:
                continue
            try:
                text = value.decode()
            except UnicodeDecodeError:
                self._add_bytes(value, is_secret=depth == 0 or _names_secret(key))
                continue
            parts = _parts(key, text) if depth < _DEEPEST else None
            self._add_text(key, text, is_structured=parts is not None)
            work += [(name, part, depth + 1) for name, part in reversed(parts or _inner(key, text))]

    def _add_bytes(self, value: bytes, *, is_secret: bool) -> None:
        for form in (*_base64_forms(value, is_anywhere=True), value.hex(), repr(value)[2:-1]):
            self._add(form, _ANYWHERE, is_cut=is_secret)

    def _add_text(self, key: str, text: str, *, is_structured: bool) -> None:
        is_secret = _names_secret(key)
        stripped = text.strip()
        if not is_secret and stripped.lower() in _ORDINARY:
            return
        mode = _ANYWHERE if is_secret or not _names_place(key) else _ITSELF
        # A value that begins like a URL, like JSON or like another block of PEM isn't known by its beginning.
        is_cut = is_secret and not is_structured
        for form in dict.fromkeys(_forms(text, is_anywhere=mode == _ANYWHERE)):
            self._add(form, mode, is_cut=is_cut)
        if stripped != text:
            self._add(stripped, mode, is_cut=is_cut)
        if not is_structured and "\n" in stripped:
            for line in text.splitlines():
                if len(line.strip()) >= _GRAM:
                    self._add(line.strip(), mode, is_cut=False)

    def _add(self, form: str, mode: int, *, is_cut: bool) -> None:
        if len(form) > 2 * _CHUNK:  # what is long is looked for by its pieces, which are side by side in a text
            for at in range(0, len(form) - _CHUNK, _CHUNK):
                self._add(form[at : at + _CHUNK], mode, is_cut=is_cut)
            form = form[at + _CHUNK :]
        form = _lowered(form)
        if len(form) < _SHORTEST:
            return
        self.longest = max(self.longest, len(form))
        if len(form) < _GRAM:
            self._short[form] = min(self._short.get(form, _ITSELF), max(mode, _WORD))
            return
        if form not in self._modes:
            insort(self._wholes.setdefault(form[:_GRAM], []), form)
            self._modes[form] = mode
        else:
            self._modes[form] = min(mode, self._modes[form])
        if is_cut and len(form) > _GRAM:
            for index, one in ((self._heads, form), (self._tails, form[::-1])):
                several = index.setdefault(one[:_GRAM], [])
                place = bisect_left(several, one)
                if several[place : place + 1] != [one]:
                    several.insert(place, one)


# Places


def _places(text: str, index: dict[str, Any], size: int) -> Iterator[int]:
    """Yield where something of an index stands in a text."""
    # A search in C takes about as long as a look into the index; in a long text as long as hundreds of them.
    if len(index) > min(len(text), _MOST_SEARCHES):
        for at in range(len(text) - size + 1):
            if text[at : at + size] in index:
                yield at
        return
    for gram in index:
        at = text.find(gram) if len(gram) == size else -1
        while at >= 0:
            yield at
            at = text.find(gram, at + 1)


def _shared(one: str, other: str) -> int:
    """Return how many letters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _stands(text: str, start: int, end: int, mode: int) -> bool:
    """Say whether the text at a place stands there in the wanted way."""
    if mode == _ANYWHERE:
        return True
    before, behind = text[start - 1 : start] if start else "", text[end : end + 1]
    if before.isalnum() or behind.isalnum():
        return False
    if mode == _WORD:
        return True
    if (before and before in "_.-") or (behind and behind in "_-"):
        return False
    return behind != "." or not text[end + 1 : end + 2].isalnum()


def _is_ordinary(text: str, start: int, end: int) -> bool:
    """Say whether a beginning or an end of a value is a usual word, which stands for itself."""
    return text[start:end] in _ORDINARY


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans in order, those that overlap, or are side by side, as one."""
    start, end = spans[0]
    for low, high in spans[1:]:
        if low > end:
            yield start, end
            start, end = low, high
        end = max(end, high)
    yield start, end


def _lowered(text: str) -> str:
    """Return a text in lower case, of the same length."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := one.lower()) == 1 else one for one in text)


def _is_of_name(letter: str) -> bool:
    return letter.isalnum() or letter in "_.-"


# Forms and parts


def _names_secret(key: str) -> bool:
    key = _CAMEL.sub("_", key).lower()
    return _KEY_OF_SECRET.search(key) is not None and _KEY_OF_PLACE.search(key) is None


def _names_place(key: str) -> bool:
    return _KEY_OF_PLACE.search(_CAMEL.sub("_", key).lower()) is not None


def _forms(text: str, *, is_anywhere: bool) -> Iterator[str]:
    """Yield the texts that a value may stand in. Upper case makes no difference in any of them."""
    yield text
    data = text.encode(errors="surrogatepass")
    yield from _base64_forms(data, is_anywhere=is_anywhere)
    yield data.hex()
    if len(upper := text.upper()) != len(text):
        yield upper
    if _PLAIN.fullmatch(text):
        return
    from urllib.parse import quote, quote_plus

    # A log line or a traceback shows the repr of a text, with its line ends escaped.
    yield repr(text)[1:-1]
    yield repr(data)[2:-1]
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield quote(data, safe="")
    yield quote(data)
    yield quote_plus(data)


def _base64_forms(data: bytes, *, is_anywhere: bool) -> Iterator[str]:
    """Yield a value in base64, alone and as a part of something longer, such as `user:password`."""
    whole = base64.b64encode(data).decode()
    yield whole
    if "=" in whole:
        yield whole.rstrip("=")
    if "+" in whole or "/" in whole:
        yield whole.translate(_URL_SAFE)
    if not is_anywhere or len(data) < _GRAM:
        return
    for shift in (0, 1, 2):
        # The letters that hold bits of this value alone: a letter has six bits.
        first, last = -(-shift * 8 // 6), (shift + len(data)) * 8 // 6
        inner = base64.b64encode(b"\0" * shift + data).decode()[first:last]
        yield inner
        if "+" in inner or "/" in inner:
            yield inner.translate(_URL_SAFE)


_URL_SAFE: Final = str.maketrans("+/", "-_")


def _parts(key: str, text: str) -> list[Secret] | None:
    """Return the parts of a structured value: leaves of JSON and of INI, bodies of PEM, the password of a URL.

    None for other values.
    """
    if text.lstrip()[:1] in ("{", "["):
        try:
            return list(_leaves(key, json.loads(text)))
        except (ValueError, RecursionError):
            pass
    if "-----BEGIN " in text:
        found: list[Secret] = []
        for body in _PEM.findall(text):
            lines = [line.strip() for line in body.split("\n")]
            content = [line for line in lines if line and ":" not in line]  # an encrypted key has headers
            found += [("pem", line.encode()) for line in content if len(line) >= _GRAM]
            found.append(("pem", "".join(content).encode()))
        return found + list(_pairs(_PEM.sub("", text)))
    url = _URL.match(text.lstrip())
    if url is not None:
        from urllib.parse import unquote

        user, password = url[1] or "", url[2] or ""
        credentials = [("user", user), ("password", password), ("password", unquote(password))]
        return [*((name, one.encode()) for name, one in credentials), *_pairs(text.partition("?")[2])]
    if "=" in text or ":" in text:
        pairs = list(_pairs(text))
        if len(pairs) > 1 or (pairs and "\n" in text):
            return pairs
    return None


def _inner(key: str, text: str) -> list[Secret]:
    """Return the text that a value is the base64 of, as in a kubeconfig."""
    if not (_names_secret(key) or key.endswith("data")) or not _BASE64.fullmatch(text):
        return []
    try:
        inner = base64.b64decode(text)
        return [(key, inner)] if inner.decode().isprintable() or b"-----BEGIN " in inner else []
    except ValueError:
        return []


def _pairs(text: str) -> Iterator[Secret]:
    for name, *values in _PAIR.findall(text):
        value = next((one.strip() for one in values if one), "")
        if not _KEY_OF_NOTHING.search(_CAMEL.sub("_", name).lower()):
            yield name, value.encode()


def _leaves(key: str, value: Any) -> Iterator[Secret]:
    work: list[tuple[str, Any]] = [(key, value)]
    while work:
        name, one = work.pop()
        if isinstance(one, dict):
            work += [(str(inner), child) for inner, child in one.items()]
        elif isinstance(one, list):
            work += [(name, child) for child in one]
        elif isinstance(one, str):
            if not _KEY_OF_NOTHING.search(_CAMEL.sub("_", name).lower()):
                yield name, one.encode(errors="replace")
        elif isinstance(one, int) and not isinstance(one, bool) and _names_secret(name):
            yield name, str(one).encode()
