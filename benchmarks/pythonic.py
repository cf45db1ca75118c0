"""Rows of function-pythonic's server beside the official SDK's and ours, which this Python runs.

function-pythonic needs Python 3.12. So it gets an environment of its own, with the first such Python that is found; the
rows are skipped where there is none.
"""

from __future__ import annotations

import contextlib
import functools
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import calls, data, models, processes, starts
from benchmarks.measuring import Row, Samples, in_turns
from crossplane_lite.proto.v1 import run_function_pb2 as pb

__all__ = ["LARGE", "MEMORY", "NAME", "ONE", "PACKAGE", "ROWS", "START", "python", "version"]

NAME = "function-pythonic"
PACKAGE = "crossplane-function-pythonic>=0.6"
START = "function-pythonic: cold start to first answer"
MEMORY = "function-pythonic: resident memory of that server"
ONE = "function-pythonic: p50 of one call, an XR and one resource"
LARGE = "function-pythonic: p50 of one call, 100 / 100 / 100"

_SIDES = ("official", NAME, "ours")
_MODULE = "pythonic_buckets"
_LEAST = (3, 12)
_NAMES = ("python3.12", "python3.13", "python3.14", "python3.15")


def _found() -> Path:
    """Return a Python that function-pythonic runs under.

    Raises:
        SkipRow: There is none.
    """
    if sys.version_info >= _LEAST:
        return Path(sys.executable)
    folders = sorted(Path(sys.base_prefix).parent.glob("3.*/bin"))  # where pyenv and its like have others
    for name in _NAMES:
        for path in (shutil.which(name), *(shutil.which(name, path=str(folder)) for folder in folders)):
            # The name may be a stand-in for a version that isn't there.
            if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
                return Path(path)
    raise models.SkipRow(f"{NAME} needs Python {'.'.join(map(str, _LEAST))} or later, and none is found")


@functools.cache
def _environment() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="benchmarks-pythonic-")


@functools.cache
def python() -> Path:
    """Return the Python of an environment that has function-pythonic and nothing else.

    Raises:
        SkipRow: There is no Python for it, or pip can't install it.
    """
    found = _found()
    folder = Path(_environment().name)
    inside = folder / "bin" / "python"
    for command in ([found, "-m", "venv", folder], [inside, "-m", "pip", "install", "-q", PACKAGE]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise models.SkipRow(f"{NAME} can't be installed: {done.stderr[-300:]}")
    return inside


def version() -> str:
    """Return the versions of function-pythonic and of its Python, for people.

    Raises:
        SkipRow: As `python`.
    """
    code = "import platform, importlib.metadata as m; print(m.version('crossplane-function-pythonic'), "
    code += "'under Python', platform.python_version())"
    done = subprocess.run([python(), "-c", code], capture_output=True, text=True, check=True)
    return f"{NAME} {done.stdout.strip()}"


def _request(side: str, size: tuple[int, int, int]) -> bytes:
    """Return a request; function-pythonic's has the class in its input, as its Compositions do."""
    request = data.request(*size)
    if side != NAME:
        return request
    more = pb.RunFunctionRequest()
    more.input.update({"composite": f"benchmarks.functions.{_MODULE}.Buckets", "step": "buckets"})
    return request + more.SerializeToString()


def _server(side: str) -> processes.Server:
    if side == NAME:
        return processes.Server(_MODULE, with_models=False, python=python())
    return processes.Server(side)


@contextlib.contextmanager
def _calling(side: str) -> Iterator[processes.Call]:
    server = _server(side)
    try:
        server.wait()
        with processes.caller(server) as call:
            yield call
    finally:
        server.stop()


def _assert_same(answers: dict[str, bytes]) -> None:
    """All sides desire the same; function-pythonic has conditions and context of its own beside it."""
    desired: dict[str, Any] = {side: data.answer_of(answer)["desired"] for side, answer in answers.items()}
    for side, one in desired.items():
        assert one == desired["ours"], side


def _calls(size: tuple[int, int, int], rounds: int) -> Samples:
    models.pydantic()
    python()
    requests = {side: _request(side, size) for side in _SIDES}
    with contextlib.ExitStack() as stack:
        opened = {side: stack.enter_context(_calling(side)) for side in _SIDES}
        calls.make_placeholder(opened["ours"])
        for side, call in opened.items():
            for _ in range(20):
                call(requests[side])
        _assert_same({side: call(requests[side]) for side, call in opened.items()})
        timed = {side: functools.partial(calls.timed, call, requests[side]) for side, call in opened.items()}
        return in_turns(timed, rounds)


@functools.cache
def _starts() -> dict[str, Samples]:
    models.pydantic()
    python()
    servers = {side: functools.partial(_server, side) for side in _SIDES}
    return starts.fresh(servers, {side: _request(side, (1, 0, 1)) for side in _SIDES}, _assert_same)


ROWS = (
    Row(START, _SIDES, lambda: _starts()["answer"]),
    Row(MEMORY, _SIDES, lambda: _starts()["memory"], unit="B"),
    Row(ONE, _SIDES, lambda: _calls((0, 0, 1), 500)),
    Row(LARGE, _SIDES, lambda: _calls((100, 100, 100), 40)),
)
