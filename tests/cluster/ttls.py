"""Measures how soon a composite is Ready, by TTL, number of resources and speed of the provider's cloud.

`python -m tests.cluster.ttls` prints a table. Crossplane's circuit breaker is as it is by default. It takes about
twenty minutes on a quiet machine.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from . import programs
from .plane import Plane
from .world import World

__all__ = ["main"]

_TTLS: Final = (5, 10, 20, 60)
_SIZES: Final = (30, 100)
_DELAYS: Final = (1, 30)
_LIMIT_SECONDS: Final = 600


def _measure(plane: Plane, ttl: int, size: int) -> str:
    world = World(plane, f"ttl-{ttl}-{size}", "grpcio")
    try:
        function = world.function("tests.cluster.functions:wide", TTL=str(ttl))
        began = time.monotonic()
        one = world.composite("Wide", {"count": size}, function)
        seconds = one.wait_ready(_LIMIT_SECONDS)
        return f"TTL {ttl:2} s, {size:3} resources: Ready after {seconds:3.0f} s, {function.calls:2} calls"
    except AssertionError:
        return f"TTL {ttl:2} s, {size:3} resources: not Ready after {time.monotonic() - began:3.0f} s"
    finally:
        world.close()


def _measure_all(plane: Plane, size: int) -> list[str]:
    with ThreadPoolExecutor(len(_TTLS)) as pool:
        return list(pool.map(lambda ttl: _measure(plane, ttl, size), _TTLS))


def main() -> int:
    """Measure everything, and print a line for each; return the exit status."""
    sources = programs.found()
    if sources is None:
        raise SystemExit(programs.MISSING)
    for delay, size in itertools.product(_DELAYS, _SIZES):
        with tempfile.TemporaryDirectory() as folder:
            plane = Plane.start(Path(folder, "run"), sources, delay=delay)
            try:
                for line in _measure_all(plane, size):
                    print(f"cloud takes {delay:2} s, {line}", flush=True)
            finally:
                plane.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
