"""Compares two runs of the benchmarks: `python -m benchmarks.compare before.json after.json`.

Both come from `pytest benchmarks --benchmark-json FILE`, on one machine, one after the other.
Ratios are compared: ours to another side of the same run. A row without another side is compared by
our own median.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Change", "changes", "main"]

_OURS = "ours"
_MOST = 1.25


class Change(NamedTuple):
    """A row in two runs.

    Attributes:
        row: Its name, and the other side's.
        before: Our ratio to the other side before; our median, where the row has no other side.
        after: The same now.
    """

    row: str
    before: float
    after: float

    @property
    def factor(self) -> float:
        """The value now, divided by the value before."""
        return self.after / self.before if self.before else 1.0


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """Yield the rows that both runs have."""
    old = {row["row"]: row for row in before["rows"]}
    for row in after["rows"]:
        earlier = old.get(row["row"], {})
        ratios = {one["competitor"]: one["ratio"] for one in earlier.get("beside", ())}
        for one in row.get("beside", ()):
            if one["ratio"] and ratios.get(one["competitor"]):
                yield Change(
                    f"{row['row']}, beside {one['competitor']}",
                    ratios[one["competitor"]],
                    one["ratio"],
                )
        if (
            not row.get("beside")
            and _OURS in row.get("medians", {})
            and _OURS in earlier.get("medians", {})
        ):
            yield Change(row["row"], earlier["medians"][_OURS], row["medians"][_OURS])


def main(argv: Sequence[str] | None = None) -> int:
    """Show all changes, the largest first.

    Returns:
        1 where a row is worse by more than --most.
    """
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare", description="Compare two runs."
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument(
        "--most",
        type=float,
        default=_MOST,
        help="the factor above which a row is worse; %(default)s",
    )
    options = parser.parse_args(argv)
    found = list(
        changes(*(json.loads(file.read_text()) for file in (options.before, options.after)))
    )
    if not found:
        parser.error("the two runs have no row in common")
    for one in sorted(found, key=lambda one: -one.factor):
        mark = "  worse" if one.factor > options.most else ""
        print(f"{one.factor:6.2f}  {one.before:.4g} -> {one.after:.4g}  {one.row}{mark}")
    return int(any(one.factor > options.most for one in found))


if __name__ == "__main__":
    sys.exit(main())
