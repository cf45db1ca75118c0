"""The table of messages by their words: each message that the package raises has a row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from crossplane_lite import errors
from tests.docs.blocks import ROOT

PACKAGE = ROOT / "crossplane_lite"
PAGE = (ROOT / "docs" / "reference" / "errors.rst").read_text(encoding="utf-8")
# Those of the package that have a base class in `errors`, and are raised by these names.
CLASSES = {name for name in dir(errors) if name.endswith("Error")} | {
    *("ApiVersionError", "ConfigError", "FatalResultError", "MissingCredentialError", "RenderError", "SchemaError"),
    "SnapshotError",
}


class Message(NamedTuple):
    """A message that is raised somewhere.

    Attributes:
        place: The file and line.
        text: Its text, with `...` in the place of values.
    """

    place: str
    text: str


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "..." for part in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return "..."


def messages(source: str, name: str) -> Iterator[Message]:
    """Yield the messages that a module raises with a class of the package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            raised = ast.unparse(node.exc.func).rpartition(".")[2]
            text = _text(node.exc.args[0])
            # One that is put together of other texts alone, such as `PATH: REASON`, has no words of its own.
            if raised in CLASSES and re.search("[a-z]{3}", text.replace(", line ...", "")):
                yield Message(f"{name}:{node.lineno}", text)


def rows() -> list[list[str]]:
    """Return the words of each row."""
    table = PAGE.partition("\nOther messages, by their words\n")[2].partition("\nFrom Crossplane itself\n")[0]
    cells = re.findall(r"^   \* - (``.*(?:\n       .*)*)$", table, re.MULTILINE)
    return [re.findall(r"``(.+?)``", " ".join(cell.split())) for cell in cells]


def without_row(found: list[Message]) -> list[Message]:
    """Return the messages for which neither this table nor those above it have words."""
    words = [word for row in rows() for word in row]
    return [one for one in found if not any(word in one.text for word in words)]


@pytest.fixture(scope="module")
def raised() -> list[Message]:
    """All messages of the package."""
    return [
        message
        for path in sorted(PACKAGE.rglob("*.py"))
        for message in messages(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    ]


@pytest.mark.slow
def test_every_message_has_a_row(raised: list[Message]) -> None:
    """Each message that is raised has words of the table, so that what to do about it can be found."""
    assert len(raised) > 500
    assert without_row(raised) == []


@pytest.mark.slow
def test_every_word_is_in_a_message(raised: list[Message]) -> None:
    """No row has words that no message has."""
    assert len(rows()) > 10
    unused = [word for row in rows() for word in row if not any(word in one.text for one in raised)]
    assert unused == []


def test_a_new_message_is_found() -> None:
    """A message in words of its own is found, and one in words of the table isn't."""
    source = 'raise InputError(f"{path}: perhaps another day")\nraise errors.UsageError(f"{name} must be short")\n'
    found = list(messages(source, "a.py"))
    assert found == [Message("a.py:1", "...: perhaps another day"), Message("a.py:2", "... must be short")]
    assert without_row(found) == found[:1]
