"""People's YAML files of public projects, fetched through the Go module proxy into Go's own cache.

No file is copied into this project. A version's content never changes, so each run searches the same files.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from random import Random

__all__ = ["MODULES", "Unreachable", "files"]

MODULES = (
    "github.com/argoproj/argo-cd/v2@v2.14.21",
    "github.com/cert-manager/cert-manager@v1.21.2",
    "github.com/kyverno/kyverno@v1.19.1",
    "github.com/open-policy-agent/gatekeeper/v3@v3.23.1",
    "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    "k8s.io/kubectl@v0.37.2",
    "knative.dev/serving@v0.51.0",
    "sigs.k8s.io/cluster-api@v1.14.2",
)
_MOST = 500  # of one project


class Unreachable(Exception):
    """Go is missing, or the proxy can't be reached."""


def files(largest: int) -> list[Path]:
    """Return files of all projects, each content once, of at most this many bytes.

    Raises:
        Unreachable: They can't be fetched.
    """
    found: list[Path] = []
    known: set[bytes] = set()
    for module in MODULES:
        mine = []
        for file in sorted(_fetched(module).rglob("*.y*ml")):
            is_wanted = file.is_file() and file.stat().st_size <= largest
            data = file.read_bytes() if is_wanted else b""
            if data.strip() and data not in known:
                known.add(data)
                mine.append(file)
        Random(module).shuffle(mine)
        found += mine[:_MOST]
    return found


def _fetched(module: str) -> Path:
    """Return the folder of a module in Go's cache."""
    go = shutil.which("go")
    if go is None:
        raise Unreachable("Go is not there, which fetches public files")
    with tempfile.TemporaryDirectory() as folder:  # with no module around it, Go fetches nothing else
        env = {**os.environ, "GOWORK": "off"}
        command = [go, "mod", "download", "-json", module]
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout or "{}")
    if "Dir" not in told:
        raise Unreachable(f"{module} can't be fetched: {told.get('Error') or done.stderr.strip()[-300:]}")
    return Path(told["Dir"])
