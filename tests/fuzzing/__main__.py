"""Searches for inputs that break a target: `python -m tests.fuzzing [--seconds 1200] [TARGET ...]`.

It needs atheris (`pip install atheris`), which has wheels for some versions of Python only. Each target
gets a process of its own, one after the other. What is found lands in `tests/data/fuzzing/TARGET/found-*`, from where
each run of the tests tries it again.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["DATA", "main", "search"]

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "fuzzing"
NAMES = ("codec", "call", "manifests", "krm", "generator", "archive", "http2")


class Search:
    """How a search went.

    Attributes:
        found: The inputs that broke something.
        runs: How many inputs were tried.
        features: How many features of the code were reached, as libFuzzer counts them.
        log: What the fuzzer said.
    """

    def __init__(self, found: list[bytes], log: str) -> None:
        self.found = found
        self.log = log
        counts = re.findall(r"^#(\d+)\s.*?\bft: (\d+)", log, re.MULTILINE)
        self.runs, self.features = (int(one) for one in counts[-1]) if counts else (0, 0)


def search(name: str, seconds: int, *, seed: int = 0, seeds: Path | None = None, runs: int = -1) -> Search:
    """Search for inputs that break a target.

    Args:
        name: The target.
        seconds: For how long.
        seed: Where chance begins; 0 for anywhere.
        seeds: A folder with further inputs to begin with; what is interesting is kept there.
        runs: The most inputs that are tried.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "found")
        corpus = Path(folder, "corpus") if seeds is None else seeds
        out.mkdir()
        corpus.mkdir(parents=True, exist_ok=True)
        arguments = [
            *(str(corpus), str(DATA / name), f"-max_total_time={seconds}", f"-artifact_prefix={out}/"),
            *(f"-seed={seed}", f"-runs={runs}", "-timeout=30", "-rss_limit_mb=2048", "-print_final_stats=1"),
        ]
        program = [sys.executable, "-m", "tests.fuzzing.process", name, *arguments]
        done = subprocess.run(program, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        log = (done.stdout + done.stderr).decode(errors="replace")
        found = [path.read_bytes() for path in sorted(out.iterdir()) if not path.name.startswith("slow-unit-")]
        if not found and done.returncode:
            raise RuntimeError(f"the fuzzer ended with status {done.returncode}:\n{log[-3000:]}")
        return Search(found, log)


def main(argv: Sequence[str] | None = None) -> int:
    """Search all targets, or some.

    Returns:
        1 where something was found.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description="Search for what breaks a target.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"{', '.join(NAMES)}; default: all")
    parser.add_argument("--seconds", type=int, default=1200, help="for each target; default: %(default)s")
    parser.add_argument("--corpus", type=Path, help="a folder where interesting inputs are kept for the next search")
    parser.add_argument("--write-seeds", action="store_true", help="write seeds that are missing, and end")
    options = parser.parse_args(argv)
    if options.write_seeds:
        _write_seeds()
        return 0
    for name in options.targets:
        if name not in NAMES:
            parser.error(f"there is no target {name!r}; there are {', '.join(NAMES)}")
    status = 0
    for name in options.targets or NAMES:
        start = time.monotonic()
        one = search(name, options.seconds, seeds=options.corpus and options.corpus / name)
        took = time.monotonic() - start
        print(f"{name}: {one.runs:,} inputs in {took:.0f} s, {one.features:,} features, {len(one.found)} found")
        sys.stdout.flush()
        for data in one.found:
            status = 1
            file = DATA / name / f"found-{hashlib.sha256(data).hexdigest()[:12]}"
            file.write_bytes(data)
            print(f"  {file}\n{_end(one.log)}", flush=True)
    return status


def _write_seeds() -> None:
    from tests.fuzzing.targets import TARGETS

    for name, target in TARGETS.items():
        (DATA / name).mkdir(parents=True, exist_ok=True)
        for seed, data in target.seeds().items():
            file = DATA / name / f"seed-{seed}"
            if not file.exists():
                file.write_bytes(data)


def _end(log: str) -> str:
    """Return the traceback of what was found."""
    start = log.find("=== Uncaught Python exception")
    return log[start if start >= 0 else -2000 :][:4000]


if __name__ == "__main__":
    sys.exit(main())
