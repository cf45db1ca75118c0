"""No room has more lines of code than its budget."""

from __future__ import annotations

import pytest

from tests.import_graph import ROOT
from tests.lines import budget, lines_of_code, lines_of_rooms, lines_of_tokens


def test_rooms_keep_to_their_budget() -> None:
    """Each room has at most the lines of code that the budget allows, and the budget names each room."""
    found, allowed = lines_of_rooms(), budget()
    assert found.keys() == allowed.keys()
    assert {room: lines for room, lines in found.items() if lines > allowed[room]} == {}


def test_a_budget_is_not_a_reserve() -> None:
    """A room that has shrunk gives its lines back: no budget is more than a twentieth, or 20 lines, above its room."""
    found = lines_of_rooms()
    assert {room: lines for room, lines in budget().items() if lines > max(found[room] * 1.05, found[room] + 20)} == {}


def test_what_counts() -> None:
    """Code counts by its lines; docstrings, comments and blank lines don't."""
    source = '"""A module."""\n\n# why\nx = (\n    1,\n)\n\n\ndef f() -> None:\n    """Do it."""\n    y = """a\nb"""\n'
    assert lines_of_code(source) == 6


def test_strings_over_lines_count() -> None:
    """A string over lines is code as a whole, with its blank lines and its signs of comments."""
    assert lines_of_code('"""A module."""\nx = """\n# a\n\n"""\n') == 4


@pytest.mark.slow  # tokens of the whole package
def test_lines_are_counted_as_tokens_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short way to count gives the same number for each file as its tokens do."""
    sources = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    found = {path: lines_of_code(source) for path, source in sources.items()}
    monkeypatch.setattr("tests.lines.plain_lines", lines_of_tokens)
    assert found == {path: lines_of_code(source) for path, source in sources.items()}
