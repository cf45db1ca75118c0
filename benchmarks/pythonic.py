"""Rows of function-pythonic's server beside the official SDK's and ours, which this Python runs.

function-pythonic needs Python 3.12. So it gets an environment of its own, with the first such
Python that is found; the rows are skipped where there is none.
"""

from __future__ import annotations

import contextlib
import functools
import shutil
import subprocess
import sys
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from benchmarks import calls, data, models, processes
from benchmarks.measuring import Row, Samples, in_turns
from crossplane_lite.proto.v1 import run_function_pb2 as pb

__all__ = ["NAME", "PACKAGE", "ROWS", "found", "python"]

NAME = "function-pythonic"
PACKAGE = "crossplane-function-pythonic>=0.6"

_SIDES = ("official", NAME, "ours")
_MODULE = "pythonic_buckets"
_LEAST = (3, 12)
_NAMES = ("python3.12", "python3.13", "python3.14", "python3.15")


def found(wanted: Path = Path(sys.executable)) -> Path:
    """Return a Python that function-pythonic runs under: the wanted one, or another one of this
    machine.

    Raises:
        SkipRow: There is none.
    """
    check = f"import sys; sys.exit(sys.version_info < {_LEAST})"
    if subprocess.run([wanted, "-c", check], check=False).returncode == 0:
        return wanted
    # where pyenv and its like have others
    folders = sorted(Path(sys.base_prefix).parent.glob("3.*/bin"))
    for name in _NAMES:
        for path in (
            shutil.which(name),
            *(shutil.which(name, path=str(folder)) for folder in folders),
        ):
            # The name may be a stand-in for a version that isn't there.
            if (
                path
                and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode
                == 0
            ):
                return Path(path)
    raise models.SkipRow(
        f"{NAME} needs Python {'.'.join(map(str, _LEAST))} or later, and none is found"
    )


@functools.cache
def _environment() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="benchmarks-pythonic-")


@functools.cache
def python() -> Path:
    """Return the Python of an environment that has function-pythonic and nothing else.

    Raises:
        SkipRow: There is no Python for it, or pip can't install it.
    """
    folder = Path(_environment().name)
    inside = folder / "bin" / "python"
    for command in (
        [str(found()), "-m", "venv", str(folder)],
        [str(inside), "-m", "pip", "install", "-q", PACKAGE],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise models.SkipRow(f"{NAME} can't be installed: {done.stderr[-300:]}")
    return inside


def _request(side: str, size: tuple[int, int, int]) -> bytes:
    """Return a request; function-pythonic's has the class in its input, as its Compositions do."""
    request = data.request(*size)
    if side != NAME:
        return request
    more = pb.RunFunctionRequest()
    more.input.update({"composite": f"benchmarks.functions.{_MODULE}.Buckets", "step": "buckets"})
    return request + more.SerializeToString()


def _server(side: str) -> AbstractContextManager[processes.Server]:
    if side == NAME:
        return processes.serving(_MODULE, with_models=False, python=python())
    return processes.serving(side)


def _assert_same(answers: dict[str, bytes]) -> None:
    """All sides desire the same; function-pythonic has conditions and context of its own beside
    it.
    """
    desired: dict[str, Any] = {
        side: data.answer_of(answer)["desired"] for side, answer in answers.items()
    }
    for side, one in desired.items():
        assert one == desired["ours"], side


def _calls(size: tuple[int, int, int], rounds: int) -> Samples:
    models.pydantic()
    python()
    requests = {side: _request(side, size) for side in _SIDES}
    with contextlib.ExitStack() as stack:
        servers = {side: stack.enter_context(_server(side)) for side in _SIDES}
        opened = {
            side: stack.enter_context(processes.caller(server)) for side, server in servers.items()
        }
        calls.make_placeholder(opened["ours"])
        for side, call in opened.items():
            for _ in range(20):
                call(requests[side])
        _assert_same({side: call(requests[side]) for side, call in opened.items()})
        timed = {
            side: functools.partial(calls.timed, call, requests[side])
            for side, call in opened.items()
        }
        return in_turns(timed, rounds)


ROWS = (
    Row(
        "function-pythonic: p50 of one call, an XR and one resource",
        _SIDES,
        lambda: _calls((0, 0, 1), 500),
    ),
    Row(
        "function-pythonic: p50 of one call, 100 / 100 / 100",
        _SIDES,
        lambda: _calls((100, 100, 100), 40),
    ),
)
