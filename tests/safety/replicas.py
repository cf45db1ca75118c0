"""Two replicas of a function: processes that put sets and the entries of protobuf's maps in different orders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["outputs"]

_ROOT = Path(__file__).resolve().parents[2]


def outputs(*arguments: str, timeout: float) -> list[str]:
    """Run Python with some arguments in two processes, each with hashes of its own.

    Args:
        arguments: Those of `python`.
        timeout: How many seconds each may take.

    Returns:
        The standard output of each.
    """
    return [
        subprocess.run(
            [sys.executable, *arguments],
            cwd=_ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
