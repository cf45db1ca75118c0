"""kustomize, built through the Go module proxy into the user's cache: for tests that run the real program.

`python -m tests.krm.kustomize` builds it, where that hasn't been done, and prints its path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["VERSION", "built", "found"]

VERSION = "v5.8.1"
_MODULE = f"sigs.k8s.io/kustomize/kustomize/v5@{VERSION}"


def _cached() -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        cache = Path(os.environ["XDG_CACHE_HOME"])
    else:
        cache = Path.home() / (".cache" if sys.platform != "darwin" else "Library/Caches")
    return cache / "crossplane-lite" / f"kustomize-{VERSION}" / "kustomize"


def found() -> str | None:
    """Return the path of kustomize: of $KUSTOMIZE, which says by being empty that there is none; of PATH; or built."""
    if "KUSTOMIZE" in os.environ:
        return os.environ["KUSTOMIZE"] or None
    cached = _cached()
    return shutil.which("kustomize") or (str(cached) if cached.exists() else None)


def built() -> str:
    """Return the path of kustomize in this version; it is built where that hasn't been done.

    Raises:
        RuntimeError: Go is missing, or can't build it.
    """
    cached = _cached()
    if cached.exists():
        return str(cached)
    go = shutil.which("go")
    if go is None:
        raise RuntimeError(f"kustomize {VERSION} is not there, and neither is Go to build it")
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cached.parent) as folder:
        env = {**os.environ, "GOBIN": folder, "CGO_ENABLED": "0"}
        done = subprocess.run([go, "install", _MODULE], env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"Go can't build kustomize {VERSION}: {done.stderr.strip()[-500:]}")
        # Whoever comes second has built the same.
        os.replace(Path(folder) / "kustomize", cached)
    return str(cached)


if __name__ == "__main__":
    try:
        print(built())
    except RuntimeError as error:
        raise SystemExit(str(error)) from None
