"""The tests as pytest collects them: pytest-xdist needs the same tests in each of its processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.runtime.serving import ROOT

# Of an object in memory; the numbers that tests are about are shorter.
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


@pytest.mark.slow
def test_ids_are_the_same_in_every_process() -> None:
    """Two processes that hash differently collect the same ids in the same order, and no id holds an address."""
    flags = ["-p", "no:cacheprovider", "-q", "--collect-only", "-m", "slow or not slow"]
    command = [sys.executable, "-m", "pytest", *flags]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    processes = [
        subprocess.Popen(command, cwd=ROOT, env={**kept, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True)
        for seed in ("1", "2")
    ]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    first, second = ([line for line in output.splitlines() if "::" in line] for output in outputs)
    assert [process.returncode for process in processes] == [0, 0], outputs[0][-2000:]
    assert f"{len(first)} tests collected" in outputs[0]
    assert [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]] == []
    assert [line for line in first if ADDRESS.search(line)] == []
