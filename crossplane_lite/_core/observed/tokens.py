"""Placeholders for unresolved values inside text, and the search for them.

A placeholder is called a token here. It consists of a head, a number and a tail, all written in lower-case ASCII
letters. So it is a valid DNS label, JSON doesn't escape it, and it is found again after a change of case (a digit
inside would let `title()` put capitals anywhere). The number is made from the path of the value. So a value has the
same token in every call and in every process, and two replicas of a function sort texts alike.

Head and tail together are called a marker. There is a fixed sequence of markers. A call uses the first marker; if its
request contains this marker, the call uses a marker that depends on all of the request. So a composite can't contain a
token of its own call. Each marker has two forms, `EARLY` for calls and `LATE` for most of the further runs of compose()
(`_core.answer.decide`). The forms differ in every letter and in length. Early tokens sort before most
texts, and late tokens behind; among themselves, late tokens sort in the opposite order. So a text that was made by
cutting, hashing or sorting tokens differs between the two forms.

The search finds a token that was cut, because it looks for each window of eight letters of the marker. It also finds
base64 of the marker, at each of the three alignments that base64 has.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

EARLY: Final = 0
LATE: Final = 1

_WINDOW: Final = 8
_LETTERS: Final = 13  # each form has half of the alphabet
_NUMBER_LETTERS: Final = 8
_NUMBERS: Final = _LETTERS**_NUMBER_LETTERS
_LENGTHS: Final = ((12, 10), (13, 12))  # the lengths of head and tail, by form

_WORD: Final = re.compile(r"[A-Za-z0-9]{8,}")
_BASE64_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]{10,}")


def number_of(text: str) -> int:
    """Return a number for the path `text`, the same in every process. Two paths seldom have the same number."""
    return binascii.crc32(text.encode(errors="surrogatepass")) % _NUMBERS


@functools.lru_cache(maxsize=16)  # nearly every process needs only two
def marker_for(sequence: int, form: int) -> Marker:
    """Return the marker with the number `sequence` in `form`, `EARLY` or `LATE`; it is the same in every process."""
    return Marker(sequence, form)


def sequence_for(request: bytes) -> int:
    """Return the number of the marker that the call of `request` uses.

    It is 0. If the request contains the marker with the number 0, it is another number, made from a hash of the
    request.
    """
    if not any(marker_for(0, form).is_in(request) for form in (EARLY, LATE)):
        return 0
    from ..base.hashes import sha256  # imported here, because requests with a token in them are rare

    return int.from_bytes(sha256(request).digest()[:7], "big") + 1


def _pseudo_random(seed: int) -> Iterator[int]:
    """Yield numbers without end that look random: Knuth's linear congruential generator, started with `seed`."""
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


def base64_cores(data: bytes) -> list[bytes]:
    """Return the base64 characters that depend on `data` alone, wherever it stands in a longer text.

    There are three results, because base64 has groups of three bytes, in which `data` may begin anywhere.
    """
    return [
        base64.b64encode(b"\0" * shift + data)[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6] for shift in range(3)
    ]


class Marker:
    """The head and tail of tokens. It makes tokens with this head and tail, and finds and replaces them in texts.

    Args:
        sequence: The marker's number.
        form: The form of its letters, `EARLY` or `LATE`.

    Attributes:
        head: The beginning of every token, in lower case.
        encoded_heads: The forms of the head in base64, without its first letter, which may be a capital.
    """

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
        # The letters that all windows of the head share, and those of the tail: a text without both has no window.
        self._cores = tuple(part[len(part) - _WINDOW : _WINDOW].encode() for part in (self._head, self._tail))
        self.head = self._head.encode()
        begin, end = self.head[1:], self._tail.encode()
        self.encoded_heads = base64_cores(begin) + base64_cores(begin.upper())
        self._encoded = self.encoded_heads + base64_cores(end) + base64_cores(end.upper())
        self._shortest_encoded = min(map(len, self._encoded))

    def _letters(self, digits: Iterable[int]) -> str:
        return "".join(chr(ord("z") - digit) if self._form else chr(ord("a") + digit) for digit in digits)

    def token(self, number: int) -> str:
        """Return the token with the number `number`."""
        digits = [number // _LETTERS**place % _LETTERS for place in reversed(range(_NUMBER_LETTERS))]
        return self._head + self._letters(digits) + self._tail

    def _number(self, letters: str) -> int:
        number = 0
        for letter in letters.lower():
            number = number * _LETTERS + (ord("z") - ord(letter) if self._form else ord(letter) - ord("a"))
        return number

    def is_in(self, data: bytes) -> bool:
        """Say whether `data` contains a token, eight letters of a token's head or tail, or a head or tail in base64."""
        lowered = data.lower()
        head, tail = self._cores
        if (head in lowered or tail in lowered) and any(part in lowered for part in self._plain):
            return True
        if len(data) < self._shortest_encoded:  # nearly every text is so short
            return False
        for part in self._encoded:
            if part in data:
                return True
        return False

    def begins_in(self, data: bytes) -> bool:
        """Say whether `data` contains the whole head of a token, as it is or in base64. Parts don't count.

        It looks for less than `is_in`, because it runs for every resource of nearly every call: it finds tokens of
        earlier calls in data of a call that has made none.
        """
        return self.head in data.lower() or any(part in data for part in self.encoded_heads)

    def numbers_in(self, text: str) -> list[int]:
        """Return the numbers of the whole tokens in `text`: first the plain ones in their order, then those in base64.

        If the list is empty and `is_in` is true, the text has only a part of a token.
        """
        found = self._whole(text)
        for run in _BASE64_RUN.finditer(text):
            found += [number for number in self._decoded(run.group()) if number not in found]
        return found

    def _whole(self, text: str) -> list[int]:
        return [self._number(match.group(1)) for match in self._token.finditer(text)]

    def _decoded(self, run: str) -> list[int]:
        """Return the numbers of the whole tokens in a text that may have base64 in it, at any place."""
        data = run.encode()
        found: list[int] = []
        for start in range(4) if any(part in data for part in self._encoded) else ():
            part = data[start:].translate(bytes.maketrans(b"-_", b"+/"))
            if len(part) % 4 == 1:  # base64 never has this length
                part = part[:-1]
            decoded = base64.b64decode(part + b"=" * (-len(part) % 4)).decode("latin-1")
            found += [number for number in self._whole(decoded) if number not in found]
        return found

    def substitute(self, text: str, shown: Callable[[int], str], part_of_one: str) -> str:
        """Return `text` with every token and every part of a token replaced, also inside base64.

        `shown` gets a token's number; `part_of_one` replaces a word with a part of a token.
        """

        def part(match: re.Match[str]) -> str:
            return part_of_one if self.is_in(match.group().encode()) else match.group()

        return _WORD.sub(part, self.replaced(text, shown))

    def replaced(self, text: str, shown: Callable[[int], str]) -> str:
        """Return `text` with every whole token replaced, also inside base64. Parts of tokens stay.

        Text in base64 with tokens in it becomes `base64(...)` with the replacements of these tokens. `shown` gets the
        token's number.
        """

        def encoded(match: re.Match[str]) -> str:
            numbers = self._decoded(match.group())
            return f"base64({', '.join(shown(number) for number in numbers)})" if numbers else match.group()

        text = self._token.sub(lambda match: shown(self._number(match.group(1))), text)
        return _BASE64_RUN.sub(encoded, text)
