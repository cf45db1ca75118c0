"""Finds the differences between two lists of documents, and shows them as lines for people."""

from __future__ import annotations

import difflib
import os.path
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .._tools.manifests.objects import metadata_of, resource_name, text_of
from .._tools.manifests.yaml import dump

_CONTEXT: Final = 3
_MOST_LINES: Final = 40  # of one document
_MOST_DOCUMENTS: Final = 20
_LONGEST_LINE: Final = 160

_Key = tuple[str, ...]


def differences(
    expected: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return lines that show the differences between two lists of documents; no lines if the lists
    are equal.

    Composed resources are matched by composition resource name, and other documents by kind,
    namespace and name. Several documents with the same name are matched in order. Otherwise the
    order of documents doesn't count, nor does the order of keys. At most 20 documents are shown,
    with 40 lines each.

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
        shown = list(_document(before, after))
        lines += ["", _heading(key, ours.get(key), theirs.get(key)), *shown[:_MOST_LINES]]
        if len(shown) > _MOST_LINES:
            lines.append(f"  (and {len(shown) - _MOST_LINES} more lines)")
    if len(changed) > _MOST_DOCUMENTS:
        names = ", ".join(_name(key) for key, _, _ in changed[_MOST_DOCUMENTS:])
        lines += ["", _cut("", f"and {len(changed) - _MOST_DOCUMENTS} more: {names}")]
    return lines


def _keyed(documents: Sequence[Mapping[str, Any]]) -> dict[_Key, Mapping[str, Any]]:
    found: dict[_Key, Mapping[str, Any]] = {}
    # documents without a name, such as results, are told apart by their order
    numbers: Counter[_Key] = Counter()
    for document in documents:
        name = resource_name(document)
        metadata = metadata_of(document)
        key: _Key = ("resource", name)
        if not name:
            key = tuple(
                map(
                    text_of, (document.get("kind"), metadata.get("namespace"), metadata.get("name"))
                )
            )
        numbers[key] += 1
        numbered = (*key, str(numbers[key]))
        found[numbered] = document
    return found


def _name(key: _Key) -> str:
    if key[0] == "resource" and len(key) == 3:
        return key[1]
    kind, namespace, name, number = key
    return " ".join(
        part
        for part in (kind or "document", f"{namespace}/{name}" if namespace else name or number)
        if part
    )


def _heading(key: _Key, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    kind = text_of((after if after is not None else before or {}).get("kind"))
    what = f" ({kind})" if key[0] == "resource" and kind else ""
    side = (
        " is not in the snapshot:"
        if before is None
        else " is only in the snapshot:"
        if after is None
        else ":"
    )
    return f"{_name(key)}{what}{side}"


def _lines(document: Mapping[str, Any] | None) -> list[str]:
    if document is None:
        return []
    # there is a space where it is empty
    return dump([document], sort_keys=True)[len("---\n") :].splitlines()


def _document(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the lines of a unified diff. In place of line numbers, headings name the keys above the
    first change.

    If only one side has lines, all of them are yielded.
    """
    if not before or not after:
        yield from (_cut("+ " if after else "- ", line) for line in before or after)
        return
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(
        _CONTEXT
    ):
        _, i, j, k, _ = next(one for one in group if one[0] != "equal")
        place = _place(before, i) if j > i else _place(after, k)
        yield f"  @ {place}" if place else "  @"
        for tag, i, j, k, m in group:
            if tag == "equal":
                yield from (_cut("  ", line) for line in before[i:j])
                continue
            # Where lines were replaced one by one, long ones are shown from shortly before they
            # differ.
            pairs = list(zip(before[i:j], after[k:m], strict=False)) if j - i == m - k else []
            starts = [
                max(len(os.path.commonprefix(pair)) - _LONGEST_LINE // 2, 0) for pair in pairs
            ]
            for sign, side in (("- ", before[i:j]), ("+ ", after[k:m])):
                yield from (
                    _cut(sign, line, starts[at] if pairs else 0) for at, line in enumerate(side)
                )


def _place(lines: Sequence[str], at: int) -> str:
    """Return the keys above a line of YAML as a path, such as `spec.forProvider`; empty for a line
    at the top level.
    """
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


def _cut(sign: str, line: str, start: int = 0) -> str:
    """Return a sign and a line. A line of more than 160 characters is cut, and begins at
    `start`.
    """
    if len(line) <= _LONGEST_LINE:
        return sign + line
    rest = line[start:]
    more = f"... ({len(rest) - _LONGEST_LINE} more characters)" if len(rest) > _LONGEST_LINE else ""
    return f"{sign}{'...' if start else ''}{rest[:_LONGEST_LINE]}{more}"
