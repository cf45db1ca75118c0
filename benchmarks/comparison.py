"""The README's table: `python -m benchmarks.comparison`.

Cold start, memory and calls of all servers are measured in turns; the images are built anew. It takes some minutes.
function-pythonic's server needs Python 3.12. Where there is none, only its packages are measured, which pip fetches for
that Python under any other.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import statistics
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks import images, pythonic
from benchmarks.measuring import Row
from benchmarks.models import SkipRow
from benchmarks.report import show
from benchmarks.rows import ROWS
from benchmarks.sizes import bytes_of, install

__all__ = ["FEATURES", "FIGURES", "HEADS", "Line", "circumstances", "main", "measured", "rst"]

HEADS = ("\\", "crossplane-lite", "official SDK", "function-pythonic")
UNKNOWN = "not measured"

# The rows of the report that the table shows, by their names in the table: one with all servers, and one without
# function-pythonic's.
FIGURES = {
    "process start to first answer": (pythonic.START, "cold start to first answer, with models"),
    "memory of that server": (pythonic.MEMORY, "resident memory of that server"),
    "a call: a composite and one resource, median": (pythonic.ONE, "p50 of one call, an XR and one resource"),
}

# Features aren't measured. Our documentation shows each of ours, and that of the other project each of its own.
FEATURES = (
    ("keeps what exists when an ``if`` or a loop has no value", "yes", "by hand", "no"),
    ("images and packages without Docker", "yes", "by other tools", "a ready function"),
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


def _pythonic(work: Path) -> images.Size:
    """Return the sizes of function-pythonic's packages for Python 3.12, as pip installs them under any Python.

    Raises:
        SkipRow: pip fails.
    """
    target = work / "pythonic"
    flags = ["--python-version", "3.12", "--ignore-requires-python", "--only-binary=:all:"]
    install(target, *flags, pythonic.PACKAGE)
    packed = work / "pythonic.tar.gz"
    with tarfile.open(packed, "w:gz", compresslevel=6) as archive:  # as the layers of the other images are
        archive.add(target, "")
    return images.Size(int(bytes_of(target)), packed.stat().st_size)


def _sizes() -> list[Line]:
    with tempfile.TemporaryDirectory(prefix="benchmarks-comparison-") as name:
        theirs = _pythonic(Path(name))
        sizes, _, _ = images.built(Path(name))

    def megabytes(size: int) -> str:
        return f"{size / 1e6:.1f} MB"

    layers = (sizes[images.PRUNED].layer, sizes[images.OFFICIAL].layer, theirs.layer)
    return [Line("packages in the image, gzipped", *map(megabytes, layers))]


def measured() -> list[Line]:
    """Measure everything, and return the lines in their order."""
    lines = _sizes()
    for what, (whole, without) in FIGURES.items():
        row = _row(whole)
        try:
            samples = row.sample()
        except SkipRow:
            row = _row(without)
            samples = row.sample()
        shown = {side: show(statistics.median(values), row.unit) for side, values in samples.items()}
        lines.append(Line(what, shown["ours"], shown["official"], shown.get(pythonic.NAME, UNKNOWN)))
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


def circumstances(theirs: str) -> str:
    """Return the sentence below the table: the day, the machine, and the versions that were compared.

    Args:
        theirs: The version of function-pythonic.
    """
    official = importlib.metadata.version("crossplane-function-sdk-python")
    grpcio = importlib.metadata.version("grpcio")
    today = datetime.datetime.now(datetime.timezone.utc)
    return (
        f"Measured on {today:%Y-%m-%d}: {os.cpu_count()} cores ({_processor()}), "
        f"{platform.system()}, Python {platform.python_version()}, grpcio {grpcio}, official SDK {official}, "
        f"{theirs}."
    )


def _version_of_pythonic() -> str:
    try:
        return pythonic.version()
    except SkipRow:
        return f"{pythonic.NAME} not run"


def main() -> None:
    """Print the table, and the sentence below it."""
    print(rst(measured()))
    print(circumstances(_version_of_pythonic()))


if __name__ == "__main__":
    main()
