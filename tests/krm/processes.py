"""KRM functions as real processes, and the lists that go into them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crossplane_lite._tools.manifests.yaml import decode, parse_documents

__all__ = ["HEAD", "LIST", "ROOT", "Done", "program", "run", "value"]

ROOT = Path(__file__).resolve().parents[2]

HEAD = """\
from crossplane_lite import krm

"""

# As kpt sends it: the two spellings of the annotations, a comment at the head of an item.
LIST = b"""\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- # The shop's own.
  apiVersion: v1
  kind: Service
  metadata:
    name: web # as in the DNS
    annotations:
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'web.yaml'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/path: 'web.yaml'
      internal.config.kubernetes.io/id: '1'
      config.k8s.io/id: '1'
  spec: {type: ClusterIP}
- apiVersion: v1
  kind: Service
  metadata:
    name: api
    annotations:
      config.kubernetes.io/index: '1'
      config.kubernetes.io/path: 'web.yaml'
      internal.config.kubernetes.io/index: '1'
      internal.config.kubernetes.io/path: 'web.yaml'
      internal.config.kubernetes.io/id: '2'
      config.k8s.io/id: '2'
"""


class Done(NamedTuple):
    """What a process left behind."""

    stdout: bytes
    stderr: str
    status: int

    @property
    def value(self) -> dict[str, Any]:
        """What stdout says."""
        return value(self.stdout)

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results in it."""
        found: list[dict[str, Any]] = self.value.get("results", [])
        return found


def value(data: bytes) -> dict[str, Any]:
    """Return what a ResourceList says, as another reader than the function's sees it."""
    (document,) = parse_documents(decode(data, "stdout"), "stdout", extra="krm")
    return document.content


def program(folder: Path, body: str, *, decorator: str = "@krm.function", name: str = "function.py") -> Path:
    """Write a function's program: `body` is what `transform(rl)` does."""
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    file = folder / name
    file.write_text(
        f'{HEAD}\n{decorator}\ndef transform(rl):\n{lines}\n\nif __name__ == "__main__":\n    transform.main()\n'
    )
    return file


def run(
    file: Path | Sequence[str],
    data: bytes | None = LIST,
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
) -> Done:
    """Run a program, or a command of the same interpreter, to its end."""
    command = [sys.executable, str(file)] if isinstance(file, Path) else [sys.executable, *file]
    done = subprocess.run(
        [*command, *arguments],
        input=data,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "", **(env or {})},
        timeout=timeout,
        check=False,
    )
    return Done(done.stdout, done.stderr.decode(), done.returncode)
