"""One compact table of all rows: `python -m benchmarks.report [part of a row's name ...]`."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable, Mapping

from benchmarks.measuring import Row, Samples
from benchmarks.models import SkipRow
from benchmarks.rows import ROWS

__all__ = ["lines", "main"]

_LAYOUT = "{:<58} {:<20} {:>10} {:>10} {:>8} {:>8} {:>8}  {}"


def show(value: float, unit: str) -> str:
    """Return a value with three digits and its unit."""
    scales = {"s": ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1.0, "s")), "B": ((1.0, "B"), (1e3, "KB"), (1e6, "MB"))}[
        unit
    ]
    scale, name = next((pair for pair in reversed(scales) if abs(value) >= pair[0]), scales[0])
    return f"{value / scale:.3g} {name}"


def lines(measured: Mapping[str, Samples | str], rows: Iterable[Row] = ROWS) -> list[str]:
    """Return the table: medians, their ratio, and the ratio of the best of each, which a busy machine disturbs less.

    Args:
        measured: Samples by row; a text in their place says why the row was skipped.
        rows: The rows to show, as far as they were measured.
    """
    table = [_LAYOUT.format("what", "beside", "theirs", "ours", "ratio", "of best", "target", "reached")]
    for row in rows:
        samples = measured.get(row.name)
        if samples is None:
            continue
        if isinstance(samples, str):
            table.append(f"{row.name:<58} skipped: {samples}")
            continue
        ours = statistics.median(samples["ours"])
        targets = {reach.against: reach.factor for reach in row.reach}
        for side in row.sides:
            if side != "ours":
                theirs = statistics.median(samples[side])
                ratio = ours / theirs if theirs else float("inf")
                best = min(samples["ours"]) / (min(samples[side]) or float("inf"))
                target = targets.get(side)
                verdict = "" if target is None else "yes" if ratio <= target else "NO"
                shown = "" if target is None else f"{target:.3g}"
                values = show(theirs, row.unit), show(ours, row.unit), f"{ratio:.3g}", f"{best:.3g}"
                table.append(_LAYOUT.format(row.name, side, *values, shown, verdict))
    return table


def main() -> None:
    parts = sys.argv[1:]
    rows = [row for row in ROWS if not parts or any(part in row.name for part in parts)]
    measured: dict[str, Samples | str] = {}
    print(lines({})[0])
    for row in rows:
        try:
            measured[row.name] = row.sample()
        except SkipRow as reason:
            measured[row.name] = str(reason)
        print(*lines({row.name: measured[row.name]}, [row])[1:], sep="\n", flush=True)


if __name__ == "__main__":
    main()
