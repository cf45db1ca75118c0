"""Placeholders for unresolved values inside text, and the search for them.

A token is a marker around an index, lower-case ASCII letters only: a valid DNS label, untouched by JSON escaping
and found again after a change of case (a digit inside would let `title()` put capitals anywhere). The marker starts
with a part that is random per process, so that a text kept from an earlier call is recognised too, and the rest is
random per call; there is enough of it on both sides of the index for either half to be found. The search looks for
overlapping windows of the marker, so that a token which was cut short is still found, and for the base64 of the
marker at the three alignments that base64 knows.
"""

from __future__ import annotations

import base64
import os
import re
from typing import Final

__all__ = ["Marker", "is_left_in"]

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"
_WINDOW: Final = 8
_INDEX_LETTERS: Final = 5  # 26**5 values, more than any call makes


def _random(length: int) -> str:
    return _letters(int.from_bytes(os.urandom(length), "big"), length)  # 8 bits for each 4.7 that a letter takes


def _letters(number: int, length: int) -> str:
    return "".join(_ALPHABET[number // 26**place % 26] for place in reversed(range(length)))


def _number(letters: str) -> int:
    number = 0
    for letter in letters.lower():
        number = number * 26 + _ALPHABET.index(letter)
    return number


_PROCESS: Final = _random(_WINDOW)
_BEFORE: Final = 4  # characters of a call's own part in front of the index; the others stand behind it
_AFTER: Final = 10
_PLAIN_TOKEN: Final = re.compile(
    f"{_PROCESS}([a-z]{{{_BEFORE}}})([a-z]{{{_INDEX_LETTERS}}})([a-z]{{{_AFTER}}})", re.IGNORECASE | re.ASCII
)
_WORD: Final = re.compile(r"[A-Za-z0-9]{8,}")
_BASE64_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]{10,}")
_BASE64_BYTES: Final = re.compile(rb"[A-Za-z0-9+/_]{9}")
_SHORT: Final = 100  # bytes; looking for a run takes longer than the search where there are more


def _base64_cores(text: str) -> list[bytes]:
    """Return the characters of base64 output that `text` determines, for each alignment and each way to write it."""
    cores = []
    for data in (text.encode(), text.upper().encode(), text.capitalize().encode()):
        for shift in range(3):
            encoded = base64.b64encode(b"\0" * shift + data)
            cores.append(encoded[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6])
    return cores


# What tokens of all calls of this process have in common.
_COMMON: Final = _PROCESS.encode()
_COMMON_ENCODED: Final = _base64_cores(_PROCESS)


def is_left_in(data: bytes) -> bool:
    """Say whether `data` holds a token of any call of this process, or the base64 of one.

    That takes half as long as the search of `Marker`. It serves calls that have made no token themselves: there is
    nothing of theirs to find.
    """
    if _COMMON in data.lower():
        return True
    if len(data) < _SHORT and _BASE64_BYTES.search(data) is None:  # such as nearly every name
        return False
    return any(part in data for part in _COMMON_ENCODED)


class Marker:
    """The marker of one call.

    A token is the head, an index, and the tail.
    """

    __slots__ = ("_cores", "_encoded", "_own", "_plain")

    def __init__(self) -> None:
        self._own = (_random(_BEFORE), _random(_AFTER))
        self._plain = [
            part[at : at + _WINDOW].encode()
            for part in (_PROCESS + self._own[0], self._own[1])
            for at in range(len(part) - _WINDOW + 1)
        ]
        # What all windows of the head have in common, and all of the tail: without these there is none of them.
        head = _PROCESS + self._own[0]
        self._cores = (
            head[len(head) - _WINDOW : _WINDOW].encode(),
            self._own[1][_AFTER - _WINDOW : _WINDOW].encode(),
        )
        self._encoded = _COMMON_ENCODED + _base64_cores(self._own[1])

    def token(self, index: int) -> str:
        """Return the token of the value with this index."""
        return _PROCESS + self._own[0] + _letters(index, _INDEX_LETTERS) + self._own[1]

    def is_in(self, data: bytes) -> bool:
        """Say whether `data` holds a token, a part of one, or the base64 of one."""
        lowered = data.lower()
        if any(core in lowered for core in self._cores) and any(part in lowered for part in self._plain):
            return True
        return any(part in data for part in self._encoded)

    def indexes_in(self, text: str) -> list[int]:
        """Return the indexes of the whole tokens of this call in `text`, also inside base64, in their order.

        An empty answer where `is_in` is true means that only a part of a token is left, or one of an earlier call.
        """
        found = self._whole(text)
        for run in _BASE64_RUN.finditer(text):
            data = run.group().encode()
            if any(part in data for part in self._encoded):
                found += [index for index in self._decoded(data) if index not in found]
        return found

    def _whole(self, text: str) -> list[int]:
        return [_number(match.group(2)) for match in _PLAIN_TOKEN.finditer(text) if self._is_own(match)]

    def _is_own(self, match: re.Match[str]) -> bool:
        return (match.group(1).lower(), match.group(3).lower()) == self._own

    def _decoded(self, run: bytes) -> list[int]:
        found: list[int] = []
        for start in range(4):
            part = run[start:].translate(bytes.maketrans(b"-_", b"+/"))
            if len(part) % 4 == 1:  # no number of bytes encodes to this length
                part = part[:-1]
            decoded = base64.b64decode(part + b"=" * (-len(part) % 4)).decode("latin-1")
            found += [index for index in self._whole(decoded) if index not in found]
        return found

    def substitute(self, text: str, shown: list[str]) -> str:
        """Return `text` with every token, also inside base64, replaced by the text of its index in `shown`."""

        def token(match: re.Match[str]) -> str:
            index = _number(match.group(2))
            return shown[index] if self._is_own(match) and index < len(shown) else "(an earlier call's value)"

        def encoded(match: re.Match[str]) -> str:
            data = match.group().encode()
            if not any(part in data for part in self._encoded):
                return match.group()
            return "base64(" + ", ".join(shown[i] for i in self._decoded(data) if i < len(shown)) + ")"

        def part(match: re.Match[str]) -> str:
            return "(a part of an unresolved value)" if self.is_in(match.group().encode()) else match.group()

        return _WORD.sub(part, _BASE64_RUN.sub(encoded, _PLAIN_TOKEN.sub(token, text)))
