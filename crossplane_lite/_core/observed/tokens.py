"""Placeholders for unresolved values inside text, and the search for them.

A placeholder is called a token here. It consists of a head, a number and a tail, all written in
lower-case ASCII letters. So it is a valid DNS label, JSON doesn't escape it, and it is found again
after a change of case (a digit inside would let `title()` put capitals anywhere). The number is
made from the path of the value. So a value has the same token in every call and in every process,
and two replicas of a function sort texts alike.

Head and tail together are called a marker. There is a fixed sequence of markers. A call uses the
first marker; if its request contains this marker, the call uses a marker that depends on all of the
request. So a composite can't contain a token of its own call. Each marker has two forms, `EARLY`
for calls and `LATE` for most of the further runs of compose() (`_core.answer.decide`). The forms
differ in every letter and in length. Early tokens sort before most texts, and late tokens behind;
among themselves, late tokens sort in the opposite order. So a text that was made by cutting,
hashing or sorting tokens differs between the two forms.

The search finds a token that was cut, because it looks for each window of eight letters of the
marker. It also finds base64 of the marker, at each of the three alignments that base64 has.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
from collections.abc import Callable

EARLY = 0
LATE = 1

_WINDOW = 8
_NUMBER_LETTERS = 8
_NUMBERS = 13**8  # how many there are
_LETTERS = 13  # each form has half of the alphabet
# By form: the lengths of head and tail, and the letters, which stand for digits to the base of 13.
_FORMS = ((12, 10, "abcdefghijklm"), (13, 12, "zyxwvutsrqpon"))
_DIGITS = "0123456789abc"

_WORD = re.compile(r"[A-Za-z0-9]{8,}")
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{10,}")


def number_of(text: str) -> int:
    """Return a number for the path `text`, the same in every process. Two paths seldom have the
    same number.
    """
    return binascii.crc32(text.encode(errors="surrogatepass")) % _NUMBERS


@functools.lru_cache(maxsize=16)  # nearly every process needs only two
def marker_for(sequence: int, form: int) -> Marker:
    """Return the marker with the number `sequence` in `form`, `EARLY` or `LATE`; it is the same in
    every process.
    """
    return Marker(sequence, form)


def sequence_for(request: bytes) -> int:
    """Return the number of the marker that the call of `request` uses.

    It is 0. If the request contains the marker with the number 0, it is another number, made from a
    hash of the request.
    """
    if not any(marker_for(0, form).is_in(request) for form in (EARLY, LATE)):
        return 0
    # imported here, because requests with a token in them are rare
    from ..base.hashes import sha256

    return int.from_bytes(sha256(request).digest()[:7], "big") + 1


def base64_cores(data: bytes) -> list[bytes]:
    """Return the base64 characters that depend on `data` alone, wherever it stands in a longer
    text.

    There are three results, because base64 has groups of three bytes, in which `data` may begin
    anywhere.
    """
    return [
        base64.b64encode(b"\0" * shift + data)[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6]
        for shift in range(3)
    ]


def _encoded_forms(data: bytes) -> list[bytes]:
    return base64_cores(data) + base64_cores(data.upper())


class Marker:
    """The head and tail of tokens. It makes tokens with this head and tail, and finds and replaces
    them in texts.

    Args:
        sequence: The marker's number.
        form: The form of its letters, `EARLY` or `LATE`.

    Attributes:
        head: The beginning of every token, in lower case.
        encoded_heads: The forms of the head in base64, without its first letter, which may be a
            capital.
    """

    def __init__(self, sequence: int, form: int) -> None:
        head, tail, letters = _FORMS[form]
        self._letters = letters
        self._digits = str.maketrans(letters, _DIGITS)
        # Knuth's linear congruential generator makes the letters look random.
        state = 2 * sequence + form
        text = 2 * letters[0]
        for _ in range(head - 2 + tail):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            text += letters[(state >> 33) % _LETTERS]
        self._head, self._tail = text[:head], text[head:]
        number = f"([{letters}]{{{_NUMBER_LETTERS}}})"
        self._token = re.compile(self._head + number + self._tail, re.IGNORECASE | re.ASCII)
        self.head, end = self._head.encode(), self._tail.encode()
        self._plain = [
            part[at : at + _WINDOW]
            for part in (self.head, end)
            for at in range(len(part) - _WINDOW + 1)
        ]
        # The letters that all windows of the head share, and those of the tail: a text without both
        # has no window.
        self._cores = self.head[head - _WINDOW : _WINDOW], end[tail - _WINDOW : _WINDOW]
        self.encoded_heads = _encoded_forms(self.head[1:])
        self._encoded = self.encoded_heads + _encoded_forms(end)
        self._shortest_encoded = min(map(len, self._encoded))

    def token(self, number: int) -> str:
        """Return the token with the number `number`."""
        text = ""
        for _ in range(_NUMBER_LETTERS):
            number, digit = divmod(number, _LETTERS)
            text = self._letters[digit] + text
        return self._head + text + self._tail

    def _number(self, found: re.Match[str]) -> int:
        return int(found[1].lower().translate(self._digits), _LETTERS)

    def is_in(self, data: bytes) -> bool:
        """Say whether `data` contains a token, eight letters of a token's head or tail, or a head
        or tail in base64.
        """
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
        """Say whether `data` contains the whole head of a token, as it is or in base64. Parts don't
        count.

        It looks for less than `is_in`, because it runs for every resource of nearly every call: it
        finds tokens of earlier calls in data of a call that has made none.
        """
        return self.head in data.lower() or any(part in data for part in self.encoded_heads)

    def numbers_in(self, text: str) -> list[int]:
        """Return the numbers of the whole tokens in `text`: first the plain ones in their order,
        then those in base64.

        If the list is empty and `is_in` is true, the text has only a part of a token.
        """
        found = self._whole(text)
        for run in _BASE64_RUN.findall(text):
            found += self._decoded(run)
        return list(dict.fromkeys(found))

    def _whole(self, text: str) -> list[int]:
        return [self._number(match) for match in self._token.finditer(text)]

    def _decoded(self, run: str) -> list[int]:
        """Return the numbers of the whole tokens in a text that may have base64 in it, at any
        place.
        """
        data = run.encode()
        if not any(part in data for part in self._encoded):
            return []
        found: list[int] = []
        for start in range(4):
            part = data[start:]
            if len(part) % 4 == 1:  # base64 never has this length
                part = part[:-1]
            decoded = base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4))
            found += self._whole(decoded.decode("latin-1"))
        return list(dict.fromkeys(found))

    def substitute(self, text: str, shown: Callable[[int], str]) -> str:
        """Return `text` with every token and every part of a token replaced, also inside base64.

        Text in base64 with tokens in it becomes `base64(...)` with the replacements of these
        tokens. `shown` gets the token's number.
        """

        def encoded(match: re.Match[str]) -> str:
            joined = ", ".join(map(shown, self._decoded(match[0])))
            return f"base64({joined})" if joined else match[0]

        def part(match: re.Match[str]) -> str:
            return "(a part of an unresolved value)" if self.is_in(match[0].encode()) else match[0]

        text = self._token.sub(lambda match: shown(self._number(match)), text)
        return _WORD.sub(part, _BASE64_RUN.sub(encoded, text))
