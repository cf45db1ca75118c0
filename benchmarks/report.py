"""One compact table of all rows: `python -m benchmarks.report [part of a row's name ...]`."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks import models
from benchmarks.measuring import Row, Samples
from benchmarks.models import SkipRow
from benchmarks.rows import ROWS

__all__ = ["Comparison", "as_json", "comparisons", "lines", "main"]

_LAYOUT = "{:<50} {:<18} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}  {}"


@dataclass(frozen=True)
class Comparison:
    """Ours beside one other side: medians and means.

    Attributes:
        competitor: The other side.
        theirs: Its median, in seconds, bytes or objects.
        ours: Our median.
        ratio: Ours by theirs.
        their_mean: The other side's mean.
        our_mean: Our mean.
        of_mean: The ratio of the means, in which what happens seldom counts, such as a run of the
            garbage collector.
        of_best: The same ratio of the best of each, which a busy machine disturbs less.
        target: What the ratio shall be at most, where something was set.
    """

    competitor: str
    theirs: float
    ours: float
    ratio: float
    their_mean: float
    our_mean: float
    of_mean: float
    of_best: float
    target: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the ratio is as it shall be; nothing without a target."""
        return None if self.target is None else self.ratio <= self.target

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; a ratio that isn't a finite number is null, which JSON can
        say.
        """
        ratio, of_mean = (one if math.isfinite(one) else None for one in (self.ratio, self.of_mean))
        return {
            "competitor": self.competitor,
            "ratio": ratio,
            "ratio_of_means": of_mean,
            "target": self.target,
            "reached": self.reached,
        }


def comparisons(row: Row, samples: Samples) -> list[Comparison]:
    """Compare ours with each other side of a row, those with a target first."""
    targets = {reach.against: reach.factor for reach in row.reach}
    found = []
    for side in row.sides:
        if side != "ours":
            theirs, ours = statistics.median(samples[side]), statistics.median(samples["ours"])
            their_mean, our_mean = (
                statistics.fmean(samples[side]),
                statistics.fmean(samples["ours"]),
            )
            ratios = (
                _ratio(ours, theirs),
                their_mean,
                our_mean,
                _ratio(our_mean, their_mean),
                _ratio(min(samples["ours"]), min(samples[side])),
            )
            found.append(Comparison(side, theirs, ours, *ratios, targets.get(side)))
    return sorted(found, key=lambda one: one.target is None)


def _ratio(ours: float, theirs: float) -> float:
    if theirs:
        return ours / theirs
    return math.inf if ours else 0.0


def as_json(
    measured: Mapping[str, Samples | str], rows: Iterable[Row] = ROWS
) -> list[dict[str, Any]]:
    """Return the table as plain data, rows that were skipped included."""
    found: list[dict[str, Any]] = []
    for row in rows:
        samples = measured.get(row.name)
        if isinstance(samples, str):
            found.append({"row": row.name, "skipped": samples})
        elif samples is not None:
            medians = {side: statistics.median(samples[side]) for side in row.sides}
            beside = [one.as_json() for one in comparisons(row, samples)]
            means = {side: statistics.fmean(samples[side]) for side in row.sides}
            found.append(
                {
                    "row": row.name,
                    "unit": row.unit,
                    "medians": medians,
                    "means": means,
                    "beside": beside,
                }
            )
    return found


def show(value: float, unit: str) -> str:
    """Return a value with three digits and its unit."""
    if unit == "objects":
        return f"{value:.0f}"
    scales = {
        "s": ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1.0, "s")),
        "B": ((1.0, "B"), (1e3, "KB"), (1e6, "MB")),
    }[unit]
    scale, name = next((pair for pair in reversed(scales) if abs(value) >= pair[0]), scales[0])
    return f"{value / scale:.3g} {name}"


def lines(measured: Mapping[str, Samples | str], rows: Iterable[Row] = ROWS) -> list[str]:
    """Return the table: medians and their ratio, means and theirs, and the ratio of the best of
    each.

    Args:
        measured: Samples by row; a text in their place says why the row was skipped.
        rows: The rows to show, as far as they were measured.
    """
    heads = ("theirs", "ours", "ratio", "mean", "ours", "ratio", "of best", "target", "reached")
    table = [_LAYOUT.format("what", "beside", *heads)]
    for row in rows:
        samples = measured.get(row.name)
        if samples is None:
            continue
        if isinstance(samples, str):
            table.append(f"{row.name:<50} skipped: {samples}")
            continue
        for one in comparisons(row, samples):
            verdict = {None: "", True: "yes", False: "NO"}[one.reached]
            target = "" if one.target is None else f"{one.target:.3g}"
            values = (
                *(show(one.theirs, row.unit), show(one.ours, row.unit), f"{one.ratio:.3g}"),
                *(
                    show(one.their_mean, row.unit),
                    show(one.our_mean, row.unit),
                    f"{one.of_mean:.3g}",
                ),
                f"{one.of_best:.3g}",
            )
            table.append(_LAYOUT.format(row.name, one.competitor, *values, target, verdict))
    return table


def main() -> None:
    parts = sys.argv[1:]
    rows = [row for row in ROWS if not parts or any(part in row.name for part in parts)]
    if not rows:
        names = "\n".join(row.name for row in ROWS)
        sys.exit(f"no row's name has {' or '.join(map(repr, parts))} in it; the rows are:\n{names}")
    try:
        source = models.source()
    except FileNotFoundError as error:
        sys.exit(str(error))
    measured: dict[str, Samples | str] = {}
    print(lines({})[0])
    for row in rows:
        try:
            measured[row.name] = row.sample()
        except SkipRow as reason:
            measured[row.name] = str(reason)
        print(*lines({row.name: measured[row.name]}, [row])[1:], sep="\n", flush=True)
    print(f"CRDs: {source}")


if __name__ == "__main__":
    main()
