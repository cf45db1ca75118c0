"""The calls that the examples make of their functions."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite.cli import main
from crossplane_lite.composition import Function
from tests.test_examples import BASELINE, ROOT, Stage

__all__ = ["requests_of", "requests_of_stage"]


def requests_of(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[tuple[Function, bytes]]:
    """Return the calls that a command makes, with their requests."""
    calls: list[tuple[Function, bytes]] = []
    run = Function.run

    def keep(self: Function, data: bytes, *observer: Any) -> bytes:
        calls.append((self, data))
        return run(self, data, *observer)

    with monkeypatch.context() as patch:
        patch.chdir(ROOT)
        patch.setattr(Function, "run", keep)
        status = main(command)
    assert status == 0, capsys.readouterr().err
    return calls


def requests_of_stage(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[tuple[Function, bytes]]:
    """Return the calls that rendering an example makes, with their requests."""
    command = stage.arguments("render")
    if stage.example == "two_steps":
        command += ["--function", f"function-baseline={BASELINE}"]
    return requests_of(command, monkeypatch, capsys)
