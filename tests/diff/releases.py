"""Five releases of the network example, in a repository of their own, each changing one thing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["RELEASES", "ROOT", "diff", "git", "release"]

ROOT = Path(__file__).resolve().parents[2]

# What each release replaces in function.py, over the release before it.
RELEASES: Final[Mapping[str, tuple[str, str]]] = {
    "rename": ('ctx.resource("security-group", ', 'ctx.resource("inside", '),
    "zone-removed": ("    zones = xr.observed.spec.zones\n", "    zones = xr.observed.spec.zones[:2]\n"),
    "field-added": (
        "        enableDnsSupport=True,\n",
        "        enableDnsSupport=True,\n        instanceTenancy=name,\n",
    ),
    "field-moved": (
        'domain="vpc", tags={"Name": f"{name}-{zone}"}',
        'tags={"Name": f"{name}-{zone}", "domain": "vpc"}',
    ),
    "raises": (
        "    vpc_id = network.observed",
        "    if len(zones) > 1:\n        raise ValueError(zones)\n    vpc_id = network.observed",
    ),
}


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, whoever's machine this is."""
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a"}
    quiet = {"GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **who, **quiet}, capture_output=True, text=True, check=True
    )
    return done.stdout


def release(folder: Path) -> None:
    """Fill a folder with the example, and commit the releases, each with a tag."""
    ignored = shutil.ignore_patterns("__pycache__", "expected")
    shutil.copytree(ROOT / "examples" / "vpc", folder / "examples" / "vpc", ignore=ignored)
    (folder / "examples" / "__init__.py").write_text("", encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "first")
    git(folder, "tag", "first")
    source = folder / "examples" / "vpc" / "function.py"
    for name, (before, after) in RELEASES.items():
        text = source.read_text(encoding="utf-8")
        assert text.count(before) == 1, name
        source.write_text(text.replace(before, after), encoding="utf-8")
        git(folder, "commit", "--quiet", "-a", "-m", name)
        git(folder, "tag", name)


def diff(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run `crossplane-lite diff` in a folder, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "crossplane_lite", "diff", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
