"""Seeds and the inputs that once failed, in each run; searches by coverage, as long as the run has time for."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.fuzzing import __main__ as command
from tests.fuzzing.choices import Choices
from tests.fuzzing.targets import TARGETS

FILES = [(name, file.name) for name in TARGETS for file in sorted((command.DATA / name).iterdir())]
needs_atheris = pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris is not installed: pip install atheris"
)


def test_targets_and_their_seeds() -> None:
    """The command knows all targets, and the seeds of each are kept, and differ."""
    assert tuple(TARGETS) == command.NAMES
    for name, target in TARGETS.items():
        kept = {file.name: file.read_bytes() for file in (command.DATA / name).iterdir()}
        assert {f"seed-{seed}" for seed in target.seeds()} <= set(kept)
        assert len(set(kept.values())) == len(kept)


@pytest.mark.parametrize(("name", "file"), FILES)
def test_kept_inputs(name: str, file: str) -> None:
    """What a target says holds for each seed and for each input that once broke it."""
    TARGETS[name].run((command.DATA / name / file).read_bytes())


def test_choices() -> None:
    """Decisions are those of the bytes, and there are some behind the end."""
    choices = Choices(b"\x03\x01\x00\x02ab\xffcd")
    assert (choices.of("abc"), choices.below(300), choices.text(9)) == ("a", 256, "ab")
    assert (choices.left, choices.byte(), choices.bytes(), choices.rest(), choices.byte()) == (3, 255, b"d", b"", 0)
    assert (choices.left, choices.bytes(), choices.of("xy")) == (0, b"", "x")


@needs_atheris
@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_bounded_search(name: str) -> None:
    """A few seconds of search from the seeds on find nothing."""
    found = command.search(name, 2, seed=1)
    assert found.found == [], found.log[-3000:]
    assert found.runs > 50
    assert found.features > 100


@needs_atheris
@pytest.mark.slow
def test_a_search_finds_what_is_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    """A target that is wrong for some input is found out, and the input is kept."""
    monkeypatch.setattr(command, "DATA", tmp_path)
    monkeypatch.setattr(command, "NAMES", ("wrong",))
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "seed-a").write_bytes(b"\x00\x01")
    assert command.main(["wrong", "--seconds", "60"]) == 1
    (found,) = (file for file in (tmp_path / "wrong").iterdir() if file.name.startswith("found-"))
    assert found.read_bytes().startswith(b"boo")
    assert "AssertionError: boo" in capsys.readouterr().out
