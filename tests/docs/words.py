"""Words and patterns that make people read a sentence twice, with what to write instead."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["PATTERNS", "Pattern", "found_in", "prose"]


class Pattern(NamedTuple):
    """A pattern that isn't plain English.

    Attributes:
        words: A regular expression, which takes upper and lower case for the same.
        instead: What to write in its place.
        example: A sentence that it finds.
    """

    words: str
    instead: str
    example: str


PATTERNS = (
    Pattern(r"\bearlier (?:function|step)s?\b", "previous function, previous step", "What earlier functions desire"),
    Pattern(r"\bis to be\b|\bare to be\b", "must be", "The name is to be short."),
    Pattern(r"\bis no (?:text|string|number|list|dict|object|name)\b", "must be a ...", "5 is no number."),
    Pattern(r"\bmust be (?:a )?text\b", "must be a string", "The key must be text."),
    Pattern(r"\bcan't be had\b|\bto be had\b", "isn't available", "It can't be had."),
    Pattern(r"\bthe seeds?\b", "the specification's public name", "as the seed says"),
    Pattern(r"\b(?-i:Said|Told|Known|Asked) (?:is|are)\b", "a sentence with a subject", "Told is what is missing."),
    Pattern(
        r"\b(?-i:What) (?:isn't|can't|hasn't|doesn't|was|came|goes|comes|ends|needs|waits|earlier|another)\b",
        "a noun, such as: a value that",
        "What isn't there yet reads as an Observable.",
    ),
    Pattern(r"\b(?-i:that is none)\b", "that isn't a ...", "a name that is none"),
    Pattern(r"\bof (?:somebody|nobody)'s\b", "the user's, no one's, or a passive", "a tag of nobody's"),
    Pattern(r"\bwherefore\b|\bthereof\b|\bherein\b|\bwhereupon\b", "a plain word", "the parts thereof"),
    Pattern(r"\butili[sz]e\w*\b|\bleverag\w+\b", "use", "utilize a model"),
    Pattern(r"\bin order to\b", "to", "in order to render"),
    Pattern(r"\bsimply\b|\bobviously\b|\bof course\b", "nothing", "Simply run it."),
    Pattern(r"\bplease\b", "nothing", "Please run it."),
)

_CODE = re.compile(r"``.*?``|`[^`]*`_{0,2}|<[^>]*>", re.DOTALL)


def prose(text: str) -> str:
    """Return a text with code in it blanked, so that lines and columns stay."""
    return _CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def found_in(text: str) -> list[str]:
    """Return a line for each pattern in a text: the number of its line, the words, and what to write instead."""
    found = []
    for pattern in PATTERNS:
        spread = pattern.words.replace(" ", r"\s+")
        for match in re.finditer(spread, text, re.IGNORECASE):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{line}: {' '.join(match[0].split())!r}: write {pattern.instead}")
    return sorted(found, key=lambda one: int(one.partition(":")[0]))
