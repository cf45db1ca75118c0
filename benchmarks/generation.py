"""Rows of the generator: how long it takes for one kind, and how many bytes of modules it makes."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import models, processes
from benchmarks.measuring import Reach, Row, Samples, in_turns

__all__ = ["ROWS"]

_ROUNDS = 5
_SIDES = ("official", "ours")


@functools.cache
def _generated() -> tuple[Samples, Samples]:
    models.pydantic()
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    crd = models.crd_file(models.CLUSTER)
    sizes: Samples = {side: [] for side in _SIDES}
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "cluster.json")
        document.write_text(
            json.dumps(models.openapi(yaml.load(crd.read_text(encoding="utf-8"), loader))),
            encoding="utf-8",
        )
        commands = {
            "official": (
                "datamodel_code_generator",
                [*models.PYDANTIC_FLAGS, f"--input={document}", "--output"],
            ),
            "ours": ("crossplane_lite", ["generate", str(crd), "--versions=storage", "--output"]),
        }

        def generate(side: str) -> float:
            module, arguments = commands[side]
            with tempfile.TemporaryDirectory(dir=folder) as target:
                start = processes.time.perf_counter()
                done = subprocess.run(
                    [sys.executable, "-m", module, *arguments, str(Path(target, "models"))],
                    cwd=processes.ROOT,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                seconds = processes.time.perf_counter() - start
                assert done.returncode == 0, done.stderr[-2000:]
                files = list(Path(target).rglob("*.py"))
                assert any(
                    "class Cluster(" in text or '"Cluster": ' in text
                    for text in map(Path.read_text, files)
                )
                sizes[side] = [float(sum(file.stat().st_size for file in files))]
                return seconds

        sides = {side: functools.partial(generate, side) for side in _SIDES}
        in_turns(sides, 1)  # leaves byte code behind
        return in_turns(sides, _ROUNDS), sizes


ROWS = (
    Row(
        "generate models of the GKE Cluster",
        _SIDES,
        lambda: _generated()[0],
        (Reach("official", 1 / 10),),
    ),
    Row("their .py files", _SIDES, lambda: _generated()[1], unit="B"),
)
