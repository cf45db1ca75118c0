"""The one command of the long tier."""

from __future__ import annotations

import importlib.util
import subprocess
from typing import Any

import pytest

from tests.long.__main__ import main, parts


def test_parts_are_there() -> None:
    """Each part is a module that can be run."""
    for arguments in parts(1, 1).values():
        assert arguments[0] == "-m"
        assert importlib.util.find_spec(arguments[1]) is not None


def test_a_part_that_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """All parts run, whatever the others say, and one that fails is named and makes the status."""
    run: list[str] = []

    def fake(command: list[str], **_: Any) -> Any:
        run.append(command[2])
        return subprocess.CompletedProcess(command, 3 if command[2] == "tests.fuzzing" else 0)

    monkeypatch.setattr(subprocess, "run", fake)
    assert main(["--fuzz-seconds", "5"]) == 1
    assert run == [arguments[1] for arguments in parts(5, 1).values()]
    assert capsys.readouterr().out.endswith("\n1 failed: fuzzing\n")
    assert main(["--only", "growth"]) == 0


def test_a_part_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """The name of a part that there isn't is refused, with those that there are."""
    with pytest.raises(SystemExit):
        main(["--only", "nothing"])
    assert "there is no part 'nothing'; there are all tests, canaries, growth" in capsys.readouterr().err
