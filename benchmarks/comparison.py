"""The README's table: `python -m benchmarks.comparison`.

Cold start, memory and calls are measured beside the official SDK in turns; the images are built anew. It takes some
minutes. Of function-pythonic only the packages are measured, which pip fetches for Python 3.12 under any Python: its
server needs that Python to run.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import statistics
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks import images
from benchmarks.measuring import Row
from benchmarks.models import SkipRow
from benchmarks.report import show
from benchmarks.rows import ROWS
from benchmarks.sizes import bytes_of, install

__all__ = ["FEATURES", "FIGURES", "HEADS", "Line", "circumstances", "main", "measured", "rst"]

HEADS = ("\\", "crossplane-lite", "official SDK", "function-pythonic")
UNKNOWN = "not measured"

# The rows of the report that the table shows, by their names in the table.
FIGURES = {
    "process start to first answer": "cold start to first answer, with models",
    "memory of that server": "resident memory of that server",
    "a call: a composite and one resource, median": "p50 of one call, an XR and one resource",
    "a call: 100 / 100 / 100 resources, median": "p50 of one call, 100 / 100 / 100",
}

# Features aren't measured. Our documentation shows each of ours, and that of the other project each of its own.
FEATURES = (
    ("waits for values that don't exist yet", "yes", "by hand", "yes"),
    ("keeps what exists when an ``if`` or a loop has no value", "yes", "by hand", "no"),
    ("order of deletion (Usages)", "yes", "by hand", "yes"),
    ("typed models from CRDs", "yes", "yes, pydantic", "no"),
    ("previews without Docker", "render, simulate, diff, graph", "by other tools", "render"),
    ("pytest plugin", "yes", "no", "no"),
    ("images and packages without Docker", "yes", "by other tools", "a ready function"),
    ("Python", "3.10 to 3.14", "3.11 and later", "3.12 to 3.15"),
    ("versions of grpcio and protobuf", "a wide range", "pinned", "pinned"),
)


class Line(NamedTuple):
    """A line of the table.

    Attributes:
        what: The feature or the figure.
        ours: Its value for this SDK.
        official: Its value for the official SDK.
        pythonic: Its value for function-pythonic.
    """

    what: str
    ours: str
    official: str
    pythonic: str = UNKNOWN


def _row(name: str) -> Row:
    (found,) = (row for row in ROWS if row.name == name)
    return found


def _pythonic(work: Path) -> str:
    """Return the size of function-pythonic's packages for Python 3.12; any Python can run this."""
    target = work / "pythonic"
    flags = ["--python-version", "3.12", "--ignore-requires-python", "--only-binary=:all:"]
    try:
        install(target, *flags, "crossplane-function-pythonic>=0.6")
    except SkipRow as reason:
        return f"{UNKNOWN}: {reason}"
    return f"{bytes_of(target) / 1e6:.1f} MB"


def _sizes() -> list[Line]:
    with tempfile.TemporaryDirectory(prefix="benchmarks-comparison-") as name:
        pythonic = _pythonic(Path(name))
        sizes, _, _ = images.built(Path(name))
    ours, official, small = (sizes[one] for one in (images.PRUNED, images.OFFICIAL, images.WITHOUT_GRPCIO))

    def megabytes(size: int) -> str:
        return f"{size / 1e6:.1f} MB"

    return [
        Line("packages in the image", megabytes(ours.files), megabytes(official.files), pythonic),
        Line("the same, gzipped", megabytes(ours.layer), megabytes(official.layer)),
        Line("packages with ``--transport h2``", megabytes(small.files), "\\-", "\\-"),
    ]


def measured() -> list[Line]:
    """Measure everything, and return the lines in their order."""
    lines = _sizes()
    for what, name in FIGURES.items():
        row = _row(name)
        samples = row.sample()
        shown = {side: show(statistics.median(samples[side]), row.unit) for side in ("ours", "official")}
        lines.append(Line(what, shown["ours"], shown["official"]))
    return lines


def rst(lines: list[Line]) -> str:
    """Return the table as the README has it."""
    rows = [Line(*HEADS), *(Line(*feature) for feature in FEATURES), *lines]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    border = "  ".join("=" * width for width in widths)
    text = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([border, text[0], border, *text[1:], border]) + "\n"


def _processor() -> str:
    """Return the processor's name, or its architecture where the system doesn't say more."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def circumstances() -> str:
    """Return the sentence below the table: the day, the machine, and the versions that were compared."""
    official = importlib.metadata.version("crossplane-function-sdk-python")
    grpcio = importlib.metadata.version("grpcio")
    today = datetime.datetime.now(datetime.timezone.utc)
    return (
        f"Measured on {today:%Y-%m-%d}: {os.cpu_count()} cores ({_processor()}), "
        f"{platform.system()}, Python {platform.python_version()}, grpcio {grpcio}, official SDK {official}."
    )


def main() -> None:
    """Print the table, and the sentence below it."""
    print(rst(measured()))
    print(circumstances())


if __name__ == "__main__":
    main()
