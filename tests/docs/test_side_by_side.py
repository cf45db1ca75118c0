"""The page that has one program three times: what is said of our side is what checkers and a run find today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import models, side_by_side
from benchmarks.side_by_side import MISTAKES, PAGE, SIDES

pytestmark = [pytest.mark.slow, pytest.mark.real]

OURS = "ours.py"
COLUMNS = ("mypy", "pyright", "run")


def table() -> dict[str, list[set[str]]]:
    """Return the rows of the page's table: the mistake, and what finds it on each side."""
    text = PAGE.read_text(encoding="utf-8")
    found = {}
    for mistake in MISTAKES:
        (row,) = re.findall(rf"^{re.escape(mistake.name)}  +(.*)$", text, re.MULTILINE)
        found[mistake.name] = [set(re.findall(r"\w+", cell)) for cell in re.split(" {2,}", row)]
    return found


def test_the_programs() -> None:
    """Each mistake is made in each program, and the page says how long each is."""
    text = PAGE.read_text(encoding="utf-8")
    for side, program in side_by_side.programs().items():
        assert len(side_by_side.variants(side, program)) == len(MISTAKES) + 1
        assert re.search(rf"^lines .*\b{side_by_side.lines(program)}\b", text, re.MULTILINE), SIDES[side]


def test_our_side(tmp_path: Path) -> None:
    """The right program has no error, and each mistake is found by what the page names."""
    try:
        side_by_side.generate_ours(tmp_path)
    except models.SkipRow as e:
        pytest.skip(str(e))
    made = side_by_side.variants(OURS, side_by_side.programs()[OURS])
    for name, text in made.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = {checker: side_by_side.found_by(checker, tmp_path, list(made)) for checker in COLUMNS[:2]}
    found["run"] = side_by_side.ends(OURS, tmp_path, list(made))
    assert {checker: one["right.py"] for checker, one in found.items()} == dict.fromkeys(COLUMNS, 0)
    ours = [{checker for checker in COLUMNS if found[checker][name]} for name in made if name != "right.py"]
    assert ours == [cells[0] for cells in table().values()]
