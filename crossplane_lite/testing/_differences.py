"""Finds the differences between two lists of documents, and shows them as lines for people."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .._tools.manifests.objects import metadata_of, resource_name, text_of
from .._tools.manifests.yaml import dump

__all__ = ["differences"]

_CONTEXT: Final = 3
_MOST_LINES: Final = 40  # of one document
_MOST_DOCUMENTS: Final = 20
_LONGEST_LINE: Final = 160
# difflib takes seconds for documents of more lines.
_MOST_COMPARED: Final = 5000

_Key = tuple[str, ...]


def differences(expected: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return lines that show the differences between two lists of documents; no lines if the lists are equal.

    Composed resources are matched by composition resource name, and other documents by kind, namespace and name.
    Several documents with the same name are matched in order. Otherwise the order of documents doesn't count, nor does
    the order of keys. At most 20 documents are shown, with 40 lines each.

    Args:
        expected: The expected documents. Lines that only they have begin with `-`.
        actual: The actual documents. Lines that only they have begin with `+`.
    """
    ours, theirs = _keyed(expected), _keyed(actual)
    # The documents of the actual stream come first, then those that only the expected stream has.
    keys = [*theirs, *(key for key in ours if key not in theirs)]
    texts = [(key, _lines(ours.get(key)), _lines(theirs.get(key))) for key in keys]
    changed = [one for one in texts if one[1] != one[2]]
    lines: list[str] = []
    for key, before, after in changed[:_MOST_DOCUMENTS]:
        lines += ["", _heading(key, ours.get(key), theirs.get(key)), *_limited(_document(before, after))]
    if len(changed) > _MOST_DOCUMENTS:
        names = ", ".join(_name(key) for key, _, _ in changed[_MOST_DOCUMENTS:])
        lines += ["", _cut(f"and {len(changed) - _MOST_DOCUMENTS} more: {names}")]
    return lines


def _keyed(documents: Sequence[Mapping[str, Any]]) -> dict[_Key, Mapping[str, Any]]:
    found: dict[_Key, Mapping[str, Any]] = {}
    numbers: Counter[_Key] = Counter()  # documents without a name, such as results, are told apart by their order
    for document in documents:
        name = resource_name(document)
        metadata = metadata_of(document)
        key: _Key = ("resource", name)
        if not name:
            key = tuple(map(text_of, (document.get("kind"), metadata.get("namespace"), metadata.get("name"))))
        numbers[key] += 1
        numbered = (*key, str(numbers[key]))
        found[numbered] = document
    return found


def _name(key: _Key) -> str:
    if key[0] == "resource" and len(key) == 3:
        return key[1]
    kind, namespace, name, number = key
    return " ".join(
        part for part in (kind or "document", f"{namespace}/{name}" if namespace else name or number) if part
    )


def _heading(key: _Key, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    kind = text_of((after if after is not None else before or {}).get("kind"))
    what = f" ({kind})" if key[0] == "resource" and kind else ""
    side = " is not in the snapshot:" if before is None else " is only in the snapshot:" if after is None else ":"
    return f"{_name(key)}{what}{side}"


def _lines(document: Mapping[str, Any] | None) -> list[str]:
    if document is None:
        return []
    return dump([document], sort_keys=True)[len("---\n") :].splitlines()  # there is a space where it is empty


def _document(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the lines of a unified diff. In place of line numbers, headings name the keys above the first change.

    If only one side has lines, all of them are yielded. If a side has more than 5,000 lines, only the first difference
    is yielded.
    """
    if not before or not after:
        yield from (_cut(f"{'+' if after else '-'} {line}") for line in before or after)
        return
    if max(len(before), len(after)) > _MOST_COMPARED:
        at = next(
            (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
        )
        yield f"  @ {_place(before, at)}"
        yield from _replaced(before[at : at + 1], after[at : at + 1])
        yield f"  (and maybe more: {len(before)} and {len(after)} lines are too many to compare all)"
        return
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        _, i, j, k, _ = next(one for one in group if one[0] != "equal")
        place = _place(before, i) if j > i else _place(after, k)
        yield f"  @ {place}" if place else "  @"
        for tag, i, j, k, m in group:
            if tag == "equal":
                yield from (_cut(f"  {line}") for line in before[i:j])
            else:
                yield from _replaced(before[i:j], after[k:m])


def _replaced(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the removed lines, then the added lines. Long lines are cut.

    If both sides have equally many lines, long lines are cut at the beginning, too, to show where each pair differs.
    """
    starts = [0] * max(len(before), len(after))
    if len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=False)):
            if max(len(old), len(new)) > _LONGEST_LINE:
                starts[index] = max(_common(old, new) - _LONGEST_LINE // 2, 0)
    for mark, side in (("-", before), ("+", after)):
        yield from (_cut(f"{mark} {line}", start) for line, start in zip(side, starts, strict=False))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many elements at the beginning of two sequences are equal; for two texts, how many characters."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def _place(lines: Sequence[str], at: int) -> str:
    """Return the keys above a line of YAML as a path, such as `spec.forProvider`; empty for a line at the top level."""
    keys: list[str] = []
    indent = _indent(lines[at]) if at < len(lines) else 0
    for line in reversed(lines[:at]):
        if indent == 0:
            break
        stripped = line.lstrip(" ")
        if _indent(line) < indent and stripped.endswith(":"):
            indent = len(line) - len(stripped)
            keys.append(stripped.removeprefix("- ").rstrip(":"))
    return ".".join(reversed(keys))


def _indent(line: str) -> int:
    """Return a line's indentation.

    For a list's element (`- x`), add one, because the key above has the same indentation.
    """
    stripped = line.lstrip(" ")
    return len(line) - len(stripped) + (1 if stripped.startswith("- ") else 0)


def _cut(line: str, start: int = 0) -> str:
    """Return a line, cut if it has more than 160 characters.

    Args:
        line: The line, which begins with `-`, `+` or a space, and a space.
        start: The number of characters to leave out after these two, if the line is too long.
    """
    if len(line) <= _LONGEST_LINE:
        return line
    begin, rest = (line[:2], line[2 + start :]) if start else ("", line)
    shown = f"{begin}..." if start else begin
    if len(rest) <= _LONGEST_LINE:
        return shown + rest
    return f"{shown}{rest[:_LONGEST_LINE]}... ({len(rest) - _LONGEST_LINE} more characters)"


def _limited(lines: Iterator[str]) -> Iterator[str]:
    """Yield the first 40 lines. If there are more, then yield a line with the number of the others."""
    shown = 0
    more = 0
    for line in lines:
        if shown < _MOST_LINES:
            shown += 1
            yield line
        else:
            more += 1
    if more:
        yield f"  (and {more} more lines)"
