"""Masking secret values in texts, in all of their forms.

A form is a way to write a value, such as base64, hex or a URL escape (`crossplane_lite._observed.secret_forms`). Forms
under eight characters are masked only as whole words. Values of less than four bytes are never masked, nor are the
names of resources, functions and kinds.

The time of a search hardly depends on the number of values: if there are many, each place in the text is looked up in
an index of their first eight characters.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from .secret_forms import ANYWHERE, GRAM, ITSELF, ORDINARY, SHORTEST, WORD, Secret, forms_of

__all__ = ["MASK", "Masker"]

MASK: Final = "[secret]"

_LONGEST: Final = 4 << 20  # only so many bytes of a value are looked for
_LONGEST_NAME: Final = 253
_MOST_SEARCHES: Final = 250
_CHUNK: Final = 2048


def _never(_name: str) -> bool:
    return False


class Masker:
    """Masks secret values in texts. Calling a masker with a text returns the masked text.

    Args:
        secrets: The values, each with its key. Values of less than four bytes are ignored, and only the first 4 MiB of
            a longer value are masked.
        is_name: The function that says whether a word is the name of a resource, a function or a kind. Names are never
            masked.
    """

    __slots__ = ("_heads", "_is_name", "_modes", "_short", "_tails", "_values", "_wholes", "longest")

    def __init__(self, secrets: Iterable[Secret] = (), is_name: Callable[[str], bool] = _never) -> None:
        self._is_name = is_name
        self._values: set[Secret] = set()
        self._modes: dict[str, int] = {}  # how each text in _wholes is looked for
        self._short: dict[str, int] = {}  # how each text of four to seven characters is looked for
        # Sorted texts by their first eight characters: texts that are looked for as a whole; texts that are also found
        # by a beginning; and texts that are also found by an end, written backwards.
        self._wholes: dict[str, list[str]] = {}
        self._heads: dict[str, list[str]] = {}
        self._tails: dict[str, list[str]] = {}
        self.longest = 0
        self.add(secrets)

    def __bool__(self) -> bool:
        return bool(self._wholes or self._short)

    def add(self, secrets: Iterable[Secret]) -> None:
        """Mask the values in `secrets` from now on, too, with the same limits as for the first values."""
        for key, value in secrets:
            if len(value) >= SHORTEST and (key, value) not in self._values:
                self._values.add((key, value))
                for form, mode, is_cut in forms_of(key, value[:_LONGEST]):
                    self._add(form, mode, is_cut=is_cut)

    def __call__(self, text: str) -> str:
        """Return `text` with `[secret]` in the place of each secret value; names are not masked."""
        if not self or len(text) < SHORTEST:
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
        for at in _places(lowered, self._wholes, GRAM):
            size = self._whole_at(lowered, at)
            if size:
                yield at, at + size
        for at in _places(lowered, self._heads, GRAM):
            size = self._shared_at(self._heads, lowered, at)
            if not _is_ordinary(lowered, at, at + size):
                yield at, at + size
        if self._tails:
            backwards = lowered[::-1]
            for at in _places(backwards, self._tails, GRAM):
                size = self._shared_at(self._tails, backwards, at)
                end = len(text) - at
                if not _is_ordinary(lowered, end - size, end):
                    yield end - size, end
        if self._short:
            for size in range(SHORTEST, GRAM):
                for at in _places(lowered, self._short, size):
                    if _stands(lowered, at, at + size, self._short[lowered[at : at + size]]):
                        yield at, at + size

    def _whole_at(self, text: str, at: int) -> int:
        """Return the length of the longest form to mask that begins at `text[at]`; 0 if there is no such form."""
        several = self._wholes[text[at : at + GRAM]]
        piece = text[at : at + self.longest]
        while piece:
            # In the sorted list a beginning of the piece comes before the piece, and all texts between begin like it.
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
        """Return how many characters of `text`, from the index `at` on, are the beginning of a text in `index`.

        If several texts in `index` fit, the text with the longest common beginning counts.
        """
        several = index[text[at : at + GRAM]]
        piece = text[at : at + self.longest]
        place = bisect_left(several, piece)
        # In the sorted list, the texts that share most with the piece are next to its place.
        return max(_shared(one, piece) for one in several[max(0, place - 1) : place + 1])

    def _is_kept(self, text: str, start: int, end: int) -> bool:
        """Say whether `text[start:end]` must not be masked, because it is in a mask already or is a part of a name."""
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
        # The word may be a path, which begins with a name.
        head = text[low:end] + text[end:high].partition(".")[0]
        return self._is_name(word) or self._is_name(head)

    def _add(self, form: str, mode: int, *, is_cut: bool) -> None:
        if len(form) > 2 * _CHUNK:  # a long form is looked for in pieces, which are found side by side in a text
            for at in range(0, len(form) - _CHUNK, _CHUNK):
                self._add(form[at : at + _CHUNK], mode, is_cut=is_cut)
            form = form[at + _CHUNK :]
        form = _lowered(form)
        if len(form) < SHORTEST:
            return
        self.longest = max(self.longest, len(form))
        if len(form) < GRAM:
            self._short[form] = min(self._short.get(form, ITSELF), max(mode, WORD))
            return
        if form not in self._modes:
            insort(self._wholes.setdefault(form[:GRAM], []), form)
            self._modes[form] = mode
        else:
            self._modes[form] = min(mode, self._modes[form])
        if is_cut and len(form) > GRAM:
            for index, one in ((self._heads, form), (self._tails, form[::-1])):
                several = index.setdefault(one[:GRAM], [])
                place = bisect_left(several, one)
                if several[place : place + 1] != [one]:
                    several.insert(place, one)


# Places


def _places(text: str, index: dict[str, Any], size: int) -> Iterator[int]:
    """Yield the indexes of `text` at which a key of `index` begins.

    Args:
        text: The text.
        index: The dict whose keys are looked for.
        size: The number of characters in a key. Longer and shorter keys aren't looked for.
    """
    # A search for one key in C takes about as long as one look into the index; in a long text, as hundreds of them.
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
    """Return the number of characters that `one` and `other` have in common, counted from the beginning of both."""
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
    """Say whether the form that was found at `text[start:end]` is masked there.

    The mode is `ANYWHERE`, `WORD` or `ITSELF` (`crossplane_lite._observed.secret_forms`).
    """
    if mode == ANYWHERE:
        return True
    before, behind = text[start - 1 : start] if start else "", text[end : end + 1]
    if before.isalnum() or behind.isalnum():
        return False
    if mode == WORD:
        return True
    if (before and before in "_.-") or (behind and behind in "_-"):
        return False
    return behind != "." or not text[end + 1 : end + 2].isalnum()


def _is_ordinary(text: str, start: int, end: int) -> bool:
    """Say whether `text[start:end]` is a usual word, such as "password", which isn't masked."""
    return text[start:end] in ORDINARY


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield `spans` in order. Spans that overlap or touch each other are joined to one.

    Args:
        spans: The start and end of each span, sorted; not empty.
    """
    start, end = spans[0]
    for low, high in spans[1:]:
        if low > end:
            yield start, end
            start, end = low, high
        end = max(end, high)
    yield start, end


def _lowered(text: str) -> str:
    """Return `text` in lower case. A letter whose lower case has two characters stays, so the length stays, too."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := one.lower()) == 1 else one for one in text)


def _is_of_name(letter: str) -> bool:
    return letter.isalnum() or letter in "_.-"
