"""Plain English: the README, the pages and the clean rooms have no words of the list."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, blocks, pages
from tests.docs.words import PATTERNS, Pattern, found_in, prose

PACKAGE = ROOT / "crossplane_lite"
# Its text is that of CHANGELOG.rst.
STYLE = "docs/CONTRIBUTING.rst"
QUOTING = ("docs/reference/changelog.rst",)
# It has the first sentence of each module, and becomes clean with the rooms.
MAP = "docs/ARCHITECTURE.rst"


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _without_blocks(page: Path) -> str:
    lines = page.read_text(encoding="utf-8").splitlines()
    if _name(page) == STYLE:  # its table shows what not to write
        start = lines.index("   * - Before")
        lines[start : start + lines[start:].index("")] = [""] * lines[start:].index("")
    for block in blocks(page):
        for at in range(block.line - 1, block.line - 1 + block.text.count("\n")):
            lines[at] = ""
    return prose("\n".join(lines))


def in_python(source: str) -> list[str]:
    """Return what of the list is in the strings and comments of a Python file."""
    text = [""] * (source.count("\n") + 1)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING) or tokenize.tok_name[token.type].startswith("FSTRING_M"):
            for at, line in enumerate(token.string.splitlines(), token.start[0] - 1):
                text[at] += f" {line}"
    return found_in(prose("\n".join(text)))


@pytest.mark.parametrize("page", [page for page in pages() if _name(page) not in QUOTING], ids=_name)
def test_pages(page: Path) -> None:
    """No page has a word of the list outside of its code."""
    assert found_in(_without_blocks(page)) == []


# The rooms of the package, and what lies beside them.
ROOMS = sorted({file.parent for file in PACKAGE.rglob("*.py")})


@pytest.mark.sample(3)
@pytest.mark.parametrize("room", ROOMS, ids=_name)
def test_package(room: Path) -> None:
    """No string or comment of the package has a word of the list."""
    found = []
    for file in sorted(room.glob("*.py")):
        found += [f"{_name(file)}:{line}" for line in in_python(file.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.instead)
def test_patterns(pattern: Pattern) -> None:
    """Each pattern finds its example, also over the end of a line."""
    assert any(pattern.instead in line for line in found_in(pattern.example))
    assert found_in(pattern.example.replace(" ", "\n"))
    assert not found_in(prose(f"``{pattern.example}``"))


def test_python() -> None:
    """Docstrings, messages and comments are searched; names and code are not."""
    source = '"""In order to."""\nplease = 1  # is to be\nraise ValueError(f"{please} please")\n'
    ast.parse(source)
    assert {line.partition(":")[0] for line in in_python(source)} == {"1", "2", "3"}
