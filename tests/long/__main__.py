"""The long tier, in one command: `python -m tests.long [--fuzz-seconds 1200] [--calls 1000000]`. It takes some hours.

Each part is a process of its own, and all of them run, whatever the others say. docs/CONTRIBUTING.rst has the list.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence

__all__ = ["main", "parts"]


def parts(fuzz_seconds: int, calls: int) -> dict[str, list[str]]:
    """Return the arguments of `python` for each part, by its name."""
    module = ["-m", "tests.long.calls", "--calls"]
    no_cluster = "(slow or not slow) and not cluster"
    return {
        "all tests": ["-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "-m", no_cluster],
        "canaries": ["-m", "tests.behaviour.canaries"],
        "growth": ["-m", "tests.behaviour.growth"],
        "fuzzing": ["-m", "tests.fuzzing", "--seconds", str(fuzz_seconds)],
        "calls, grpcio": [*module, str(calls)],
        "calls, h2": [*module, str(calls // 4), "--transport", "h2"],
        "calls, async def": [*module, str(calls // 4), "--function", "mixed_async"],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run all parts.

    Returns:
        1 where one of them failed.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.long", description="Run what takes hours.")
    parser.add_argument("--fuzz-seconds", type=int, default=1200, help="for each target; default: %(default)s")
    parser.add_argument("--calls", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--only", action="append", metavar="PART", help="run this part; can be repeated")
    options = parser.parse_args(argv)
    known = parts(options.fuzz_seconds, options.calls)
    for name in options.only or ():
        if name not in known:
            parser.error(f"there is no part {name!r}; there are {', '.join(known)}")
    failed = []
    for name in options.only or known:
        print(f"\n== {name}: python {' '.join(known[name])}", flush=True)
        start = time.monotonic()
        status = subprocess.run([sys.executable, *known[name]], check=False).returncode
        print(f"== {name}: {'passed' if status == 0 else f'failed with status {status}'} "
              f"after {time.monotonic() - start:,.0f} s", flush=True)  # fmt: skip
        if status:
            failed.append(name)
    print(f"\n{len(failed)} failed{': ' if failed else ''}{', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
