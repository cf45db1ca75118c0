"""Placeholders for unresolved values inside text, and the search for them.

A token is a head, a number and a tail, lower-case ASCII letters only: a valid DNS label, untouched by JSON escaping and
found again after a change of case (a digit inside would let `title()` put capitals anywhere). The number belongs to the
path of the value, so a value has the same token in every call and in every process: two replicas of a function sort
texts alike.

Head and tail come from a fixed sequence of markers. A call takes the first of them; where its request contains that
one, it takes one that depends on all of the request, so nobody can put a token into a composite. Each marker has two
forms, `EARLY` for calls and `LATE` for runs that look again (`crossplane_lite._rehearsal.look_twice`). They differ in
every letter and in length, the early ones sort before most texts and the late ones behind, and among themselves they
sort the other way round: a text that was cut, hashed or chosen by its order differs between the two.

The search looks for overlapping windows of the marker, so that a token which was cut short is still found, and for the
base64 of the marker at the three alignments that base64 knows.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

__all__ = ["EARLY", "LATE", "Leftovers", "Marker", "marker_for", "number_of", "sequence_for"]

EARLY: Final = 0
LATE: Final = 1

_WINDOW: Final = 8
_ALIGNMENTS: Final = 3  # of a text in base64
_LETTERS: Final = 13  # each form has half of the alphabet
_NUMBER_LETTERS: Final = 8
_NUMBERS: Final = _LETTERS**_NUMBER_LETTERS
_LENGTHS: Final = ((12, 10), (13, 12))  # of head and tail

_WORD: Final = re.compile(r"[A-Za-z0-9]{8,}")
_BASE64_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]{10,}")


def number_of(text: str) -> int:
    """Return the number of a path; few paths share one."""
    return binascii.crc32(text.encode(errors="surrogatepass")) % _NUMBERS


@functools.lru_cache(maxsize=16)  # nearly every process needs two
def marker_for(sequence: int, form: int) -> Marker:
    """Return a marker; the same arguments give the same one in every process."""
    return Marker(sequence, form)


def sequence_for(request: bytes) -> int:
    """Return the number of the markers that no text of a request looks like."""
    if not any(marker_for(0, form).is_in(request) for form in (EARLY, LATE)):
        return 0
    import hashlib  # somebody has put a token there on purpose

    return int.from_bytes(hashlib.sha256(request).digest()[:7], "big") + 1


def _pseudo_random(seed: int) -> Iterator[int]:
    """Yield numbers that look random and are always the same (Knuth's linear congruential generator)."""
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


def _base64_cores(text: str) -> list[bytes]:
    """Return the characters of base64 output that `text` determines, for each alignment and each way to write it."""
    cores = []
    for data in (text.encode(), text.upper().encode(), text.capitalize().encode()):
        for shift in range(_ALIGNMENTS):
            encoded = base64.b64encode(b"\0" * shift + data)
            cores.append(encoded[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6])
    return cores


class Leftovers:
    """The search for whole tokens of earlier calls, in a text of a call that has made none itself.

    It is made for every resource of nearly every call, so it looks for the heads of all markers at once. A part of a
    token doesn't count: there is nothing of this call to find.

    Args:
        forms: The forms of the tokens to look for.
    """

    __slots__ = ("_common", "_heads", "_shortest", "_whole")

    def __init__(self, forms: Iterable[int]) -> None:
        markers = [marker_for(0, form) for form in forms]
        self._heads = tuple(marker.head for marker in markers)
        self._whole = tuple(part for marker in markers for part in marker.encoded_heads)
        self._shortest = min(map(len, self._heads + self._whole))
        common: dict[bytes, None] = {}
        for marker in markers:
            common |= dict.fromkeys(_common_parts(marker.encoded_heads))
        self._common = tuple(common)

    def are_in(self, data: bytes) -> bool:
        """Say whether `data` holds a token or the base64 of one."""
        if len(data) < self._shortest:  # as most names
            return False
        lowered = data.lower()
        for head in self._heads:
            if head in lowered:
                return True
        for part in self._common:
            if part in data:
                return any(whole in data for whole in self._whole)
        return False


def _common_parts(encoded: list[bytes]) -> list[bytes]:
    """Return a few strings. Each base64 form of a text contains at least one of them.

    A capital at the beginning changes the first characters alone. Those behind them need to be searched for only once.

    Args:
        encoded: The result of `_base64_cores` for the text.
    """
    small, large, capital = (encoded[at : at + _ALIGNMENTS] for at in range(0, 3 * _ALIGNMENTS, _ALIGNMENTS))
    return [*map(_common_end, small, capital), *large]


def _common_end(one: bytes, other: bytes) -> bytes:
    """Return the longest end that two texts have in common."""
    size = 0
    while size < min(len(one), len(other)) and one[-size - 1] == other[-size - 1]:
        size += 1
    return one[len(one) - size :]


class Marker:
    """Head and tail of tokens in one of the two forms."""

    __slots__ = (
        "_common",
        "_cores",
        "_encoded",
        "_form",
        "_head",
        "_head_encoded",
        "_plain",
        "_shortest_encoded",
        "_tail",
        "_token",
    )

    def __init__(self, sequence: int, form: int) -> None:
        digits = _pseudo_random(2 * sequence + form)
        head, tail = _LENGTHS[form]
        self._form = form
        self._head = self._letters([0, 0, *(next(digits) % _LETTERS for _ in range(head - 2))])
        self._tail = self._letters(next(digits) % _LETTERS for _ in range(tail))
        letters = "n-z" if form else "a-m"
        self._token = re.compile(
            f"{self._head}([{letters}]{{{_NUMBER_LETTERS}}}){self._tail}", re.IGNORECASE | re.ASCII
        )
        self._plain = [
            part[at : at + _WINDOW].encode()
            for part in (self._head, self._tail)
            for at in range(len(part) - _WINDOW + 1)
        ]
        # The common part of all windows of the head, and of the tail: without these a text holds none of them.
        self._cores = tuple(part[len(part) - _WINDOW : _WINDOW].encode() for part in (self._head, self._tail))
        self._head_encoded = _base64_cores(self._head)
        tail_encoded = _base64_cores(self._tail)
        self._encoded = self._head_encoded + tail_encoded
        self._common = tuple(_common_parts(self._head_encoded) + _common_parts(tail_encoded))
        self._shortest_encoded = min(map(len, self._encoded))

    def _letters(self, digits: Iterable[int]) -> str:
        return "".join(chr(ord("z") - digit) if self._form else chr(ord("a") + digit) for digit in digits)

    def token(self, number: int) -> str:
        """Return the token of a value."""
        digits = [number // _LETTERS**place % _LETTERS for place in reversed(range(_NUMBER_LETTERS))]
        return self._head + self._letters(digits) + self._tail

    def _number(self, letters: str) -> int:
        number = 0
        for letter in letters.lower():
            number = number * _LETTERS + (ord("z") - ord(letter) if self._form else ord(letter) - ord("a"))
        return number

    def is_in(self, data: bytes) -> bool:
        """Say whether `data` holds a token, a part of one, or the base64 of one."""
        lowered = data.lower()
        head, tail = self._cores
        if (head in lowered or tail in lowered) and any(part in lowered for part in self._plain):
            return True
        if len(data) < self._shortest_encoded:  # such as nearly every text
            return False
        for part in self._common:
            if part in data:
                return any(whole in data for whole in self._encoded)
        return False

    @property
    def head(self) -> bytes:
        """The beginning of every token, in lower case."""
        return self._head.encode()

    @property
    def encoded_heads(self) -> list[bytes]:
        """The forms that the head of a token can have in base64: for each spelling one for each alignment."""
        return self._head_encoded

    def numbers_in(self, text: str) -> list[int]:
        """Return the numbers of the whole tokens in `text`, also inside base64, in their order.

        An empty answer where `is_in` is true means that only a part of a token is left.
        """
        found = self._whole(text)
        for run in _BASE64_RUN.finditer(text):
            data = run.group().encode()
            if any(part in data for part in self._encoded):
                found += [number for number in self._decoded(data) if number not in found]
        return found

    def _whole(self, text: str) -> list[int]:
        return [self._number(match.group(1)) for match in self._token.finditer(text)]

    def _decoded(self, run: bytes) -> list[int]:
        found: list[int] = []
        for start in range(4):
            part = run[start:].translate(bytes.maketrans(b"-_", b"+/"))
            if len(part) % 4 == 1:  # no number of bytes encodes to this length
                part = part[:-1]
            decoded = base64.b64decode(part + b"=" * (-len(part) % 4)).decode("latin-1")
            found += [number for number in self._whole(decoded) if number not in found]
        return found

    def substitute(self, text: str, shown: Callable[[int], str], part_of_one: str) -> str:
        """Return `text` with every token replaced, also inside base64.

        Args:
            text: The text.
            shown: Returns the text for a number.
            part_of_one: Stands for a word with a part of a token.
        """

        def part(match: re.Match[str]) -> str:
            return part_of_one if self.is_in(match.group().encode()) else match.group()

        return _WORD.sub(part, self.replaced(text, shown))

    def replaced(self, text: str, shown: Callable[[int], str]) -> str:
        """Return `text` with every whole token replaced, also inside base64; a part of one stays."""

        def encoded(match: re.Match[str]) -> str:
            data = match.group().encode()
            if not any(part in data for part in self._encoded):
                return match.group()
            numbers = self._decoded(data)
            return f"base64({', '.join(shown(number) for number in numbers)})" if numbers else match.group()

        text = self._token.sub(lambda match: shown(self._number(match.group(1))), text)
        return _BASE64_RUN.sub(encoded, text)
