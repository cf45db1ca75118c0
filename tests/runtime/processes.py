"""Processes of this machine."""

from __future__ import annotations

from pathlib import Path

__all__ = ["children", "exists"]


def exists(process: int) -> bool:
    """Say whether a process runs."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == process:
                found.append(int(entry.name))
    return found
