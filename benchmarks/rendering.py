"""Rows of rendering the network of examples/vpc, with everything observed, beside
function-pythonic's own `render` and Crossplane's own engine, which is built from source where Go is
installed.

function-pythonic registers the protocol's messages in protobuf's global pool, and so does the
official SDK, which other rows import: one process can't hold both. Renders in process are therefore
timed in child processes.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from benchmarks import processes
from benchmarks.measuring import Reach, Row, Samples, in_turns
from benchmarks.models import SkipRow

__all__ = ["ROWS"]

_EXAMPLE = processes.ROOT / "examples" / "vpc"
_NAME = "crossplane.io/composition-resource-name"
_THEIRS = "function-pythonic"
_ENGINE = "crossplane internal render"
_ROUNDS = 7
_LEAST_RESOURCES = 18

_IN_PROCESS = {
    _THEIRS: """
import asyncio, statistics, sys, time, yaml
from crossplane.pythonic import protobuf, render

command = render.Command()
xr = protobuf.Yaml(open(sys.argv[1]).read())
observed = [protobuf.Value(None, None, one) for one in yaml.safe_load_all(open(sys.argv[2]))]
composition = command.create_composition(xr, "benchmarks.functions.pythonic.Network")
loop = asyncio.new_event_loop()

def once():
    return loop.run_until_complete(command.render(xr, observed, composition))

def show(rendered):
    return "---\\n".join(str(one) for one in (rendered.composite, *rendered.resources))
""",
    "ours": """
import statistics, sys, time, yaml
from crossplane_lite.render import Step, render
from examples.vpc.function import compose

xr = yaml.safe_load(open(sys.argv[1]))
observed = list(yaml.safe_load_all(open(sys.argv[2])))

def once():
    step = Step("network", "function-network")
    return render(xr, [step], {"function-network": compose}, observed=observed)

def show(rendered):
    return yaml.safe_dump_all([rendered.composite, *rendered.composed.values()])
""",
}
_TIMED = """
for _ in range(5):
    rendered = once()
seconds = []
for _ in range(25):
    start = time.perf_counter()
    once()
    seconds.append(time.perf_counter() - start)
print(statistics.median(seconds))
print(show(rendered))
"""


_XR = _EXAMPLE / "settled.yaml"
_OBSERVED = _EXAMPLE / "observed" / "all.yaml"


def _require_theirs() -> None:
    try:
        found = importlib.util.find_spec("crossplane.pythonic")
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise SkipRow("crossplane-function-pythonic is not installed; it needs Python 3.12")


def _documents(text: str) -> list[dict[str, Any]]:
    import yaml

    return [document for document in yaml.safe_load_all(text) if document]


def _run(arguments: list[str]) -> str:
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=processes.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _desired(text: str) -> dict[str, Any]:
    """Return what was rendered, without metadata and conditions, which the two fill in with their
    own ways.
    """
    composite, *composed = _documents(text)
    shown = {
        one["metadata"]["annotations"][_NAME]: (one["apiVersion"], one["kind"], one["spec"])
        for one in composed
    }
    assert len(shown) == len(composed) >= _LEAST_RESOURCES
    return {
        "composed": shown,
        "status": {key: value for key, value in composite["status"].items() if key != "conditions"},
    }


def _assert_same(texts: Mapping[str, str]) -> None:
    theirs, ours = _desired(texts[_THEIRS]), _desired(texts["ours"])
    assert theirs == ours


def _whole_process() -> Samples:
    _require_theirs()
    xr, observed = str(_XR), str(_OBSERVED)
    commands = {
        _THEIRS: [
            "-m",
            "crossplane.pythonic",
            "render",
            xr,
            "benchmarks.functions.pythonic.Network",
            "-o",
            observed,
        ],
        "ours": [
            "-m",
            "crossplane_lite",
            "render",
            xr,
            *(str(_EXAMPLE / f"{name}.yaml") for name in ("composition", "functions")),
            "-o",
            observed,
        ],
    }
    texts: dict[str, str] = {}

    def start(side: str) -> float:
        start = processes.time.perf_counter()
        output = _run(commands[side])
        seconds = processes.time.perf_counter() - start
        texts[side] = output[output.index("---\n") :]  # function-pythonic logs to stdout as well
        return seconds

    sides = {side: functools.partial(start, side) for side in commands}
    in_turns(sides, 1)  # leaves byte code behind
    _assert_same(texts)
    return in_turns(sides, _ROUNDS)


def _in_process() -> Samples:
    _require_theirs()
    texts: dict[str, str] = {}

    def render(side: str) -> float:
        seconds, _, texts[side] = _run(
            ["-c", _IN_PROCESS[side] + _TIMED, str(_XR), str(_OBSERVED)]
        ).partition("\n")
        return float(seconds)

    sides = {side: functools.partial(render, side) for side in _IN_PROCESS}
    in_turns(sides, 1)
    _assert_same(texts)
    return in_turns(sides, _ROUNDS)


def _cpu_seconds() -> float:
    """Return the CPU time of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _with_the_engine() -> Samples:
    """Crossplane's own engine and the served function, both from start to end, beside one render of
    ours.
    """
    if shutil.which("go") is None:
        raise SkipRow("Go is not installed; Crossplane's own engine is built from source")
    from crossplane_lite._tools.manifests.yaml import load_documents
    from crossplane_lite._tools.render.inputs import read_observed
    from tests.real import engine
    from tests.runtime.serving import serving

    engine.binary()
    given = {
        "composite_resource": load_documents(_XR)[0].content,
        "composition": load_documents(_EXAMPLE / "composition.yaml")[0].content,
        "observed_resources": [document.content for document in read_observed(_OBSERVED)],
    }
    composed: dict[str, Any] = {}
    files = [str(_EXAMPLE / f"{name}.yaml") for name in ("composition", "functions")]
    command = ["-m", "crossplane_lite", "render", str(_XR), *files, "-o", str(_OBSERVED)]

    def theirs() -> float:
        before = _cpu_seconds()
        with serving(
            "examples.vpc.function:compose", "--insecure", env={"PYTHONDONTWRITEBYTECODE": ""}
        ) as server:
            found = engine.render(
                "composite", functions={"function-network": server.address}, **given
            )
        assert found.status == 0, found.error
        composed[_ENGINE] = {one["metadata"]["name"]: one for one in found.applied}
        return _cpu_seconds() - before

    def ours() -> float:
        before = _cpu_seconds()
        documents = _documents(_run(command))[1:]
        composed["ours"] = {one["metadata"]["name"]: one for one in documents}
        return _cpu_seconds() - before

    sides = {_ENGINE: theirs, "ours": ours}
    in_turns(sides, 1)  # leaves byte code behind
    assert composed["ours"] == composed[_ENGINE]
    assert len(composed["ours"]) >= _LEAST_RESOURCES
    return in_turns(sides, _ROUNDS)


ROWS = (
    Row(
        "CPU of rendering a network of 30 resources, whole processes",
        (_ENGINE, "ours"),
        _with_the_engine,
        (Reach(_ENGINE, 0.8),),
    ),
    Row(
        "render a network of 30 resources, whole process",
        (_THEIRS, "ours"),
        _whole_process,
        (Reach(_THEIRS, 1 / 4),),
    ),
    Row(
        "render a network of 30 resources, in process",
        (_THEIRS, "ours"),
        _in_process,
        (Reach(_THEIRS, 1 / 3),),
    ),
)
