"""Rewrites patterns in Go's syntax, which Kubernetes has, for the validator, whose syntax is
JavaScript's.

Classes are of ASCII in Go: `\\d`, `\\w`, `\\s`, and those with names, such as `[:alpha:]`, which
JavaScript lacks.
"""

from __future__ import annotations

import re
from typing import Final

# What is in a class, as it is written inside of brackets; then what isn't in it.
_LAST: Final = "\\u{10FFFF}"
_CLASSES: Final = {
    "alnum": ("0-9A-Za-z", rf"\x00-/:-@\[-`\{{-{_LAST}"),
    "alpha": ("A-Za-z", rf"\x00-@\[-`\{{-{_LAST}"),
    "ascii": (r"\x00-\x7F", rf"\x80-{_LAST}"),
    "blank": (r"\t ", rf"\x00-\x08\x0A-\x1F!-{_LAST}"),
    "cntrl": (r"\x00-\x1F\x7F", rf" -~\x80-{_LAST}"),
    "digit": ("0-9", rf"\x00-/:-{_LAST}"),
    "graph": ("!-~", rf"\x00- \x7F-{_LAST}"),
    "lower": ("a-z", rf"\x00-`\{{-{_LAST}"),
    "print": (" -~", rf"\x00-\x1F\x7F-{_LAST}"),
    "punct": (r"!-/:-@\[-`\{-~", rf"\x00- 0-9A-Za-z\x7F-{_LAST}"),
    "space": (r"\t\n\x0B\f\r ", rf"\x00-\x08\x0E-\x1F!-{_LAST}"),
    "upper": ("A-Z", rf"\x00-@\[-{_LAST}"),
    "word": ("0-9A-Za-z_", rf"\x00-/:-@\[-^`\{{-{_LAST}"),
    "xdigit": ("0-9A-Fa-f", rf"\x00-/:-@G-`g-{_LAST}"),
    "perl space": (r"\t\n\f\r ", rf"\x00-\x08\x0B\x0E-\x1F!-{_LAST}"),
}
_PERL: Final = {"d": "digit", "w": "word", "s": "perl space"}
_SPECIAL: Final = frozenset("\\^$.|?*+()[]{}/-&~")

# The parts of a pattern. Flags, groups and repetitions are the same in both.
_part: Final = re.compile(
    r"""
      \\Q (?P<literal> .*?) (?: \\E | \Z)
    | \[ : (?P<negated> \^?) (?P<name> [a-z]+) : \]
    | \\ (?P<perl> [dwsDWS])
    | \\ (?P<octal> [0-7]{1,3})
    | \\ x (?: \{ (?P<long> [0-9A-Fa-f]+) \} | (?P<hex> [0-9A-Fa-f]{2}) )
    | \\ [pP] (?: \{ [^}]* \} | . )
    | \\ (?P<escaped> .)
    | (?P<repeat> \{ [0-9]+ (?: , [0-9]* )? \} )
    | (?P<plain> .)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES: Final = {"a": "\\x07", "v": "\\x0B"}
_SAME: Final = frozenset("AbBfnrtz")


def rewritten(pattern: str) -> str:
    """Return a pattern of Go in the syntax of the validator."""
    made = []
    begin = -1  # where the class in brackets begins that isn't closed yet
    at = 0
    while at < len(pattern):
        part = _part.match(pattern, at)
        assert part is not None
        at = part.end()
        is_inside = begin >= 0
        plain = part["plain"] or (part[0][0] if part["name"] and not is_inside else "")
        if part["name"] and not is_inside:
            at = part.start() + 1
        if plain and not is_inside:
            if plain == "[":
                begin = at + pattern.startswith("^", at)
            made.append("\\" + plain if plain in "{}]" else plain)
        elif plain:
            is_end = plain == "]" and part.start() > begin
            begin = -1 if is_end else begin
            is_range = plain == "-" and part.start() > begin and not pattern.startswith("]", at)
            is_negation = plain == "^" and part.start() < begin
            is_same = is_end or is_range or is_negation or plain not in _SPECIAL
            made.append(plain if is_same else "\\" + plain)
        elif part["repeat"]:
            made.append(
                "".join("\\" + one if one in "{}" else one for one in part[0])
                if is_inside
                else part[0]
            )
        else:
            made.append(_rewritten(part, is_inside))
    return "".join(made)


def _rewritten(part: re.Match[str], is_inside: bool) -> str:
    """Return a part of a pattern that has another form in the validator's syntax."""
    if part["literal"] is not None:
        return "".join("\\" + one if one in _SPECIAL else one for one in part["literal"])
    if part["name"] or part["perl"]:
        name = part["name"] or _PERL[part["perl"].lower()]
        if name not in _CLASSES:
            return part[0]
        members = _CLASSES[name][part["negated"] == "^" or (part["perl"] or "").isupper()]
        return members if is_inside else f"[{members}]"
    if part["octal"] or part["long"] or part["hex"]:
        number = int(part["octal"], 8) if part["octal"] else int(part["long"] or part["hex"], 16)
        return f"\\u{{{number:X}}}"
    escaped = part["escaped"]
    if escaped is None or escaped in _SAME:
        return part[0]
    if escaped in _ESCAPES:
        return _ESCAPES[escaped]
    return "\\" + escaped if escaped in _SPECIAL else escaped
