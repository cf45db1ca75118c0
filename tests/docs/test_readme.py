"""The README: short, with a whole function, a picture of it, and figures that one command makes."""

from __future__ import annotations

import ast
import html
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import comparison
from tests.docs.blocks import ROOT, blocks
from tests.runtime.serving import run_command

README = ROOT / "README.rst"
PICTURE = ROOT / "docs" / "_static" / "network.svg"
NETWORK = ROOT / "examples" / "lost_field"


def test_length() -> None:
    """It is no longer than people read before they try something."""
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 90


def test_the_function() -> None:
    """The function is that of the example, without docstrings."""
    (shown,) = (block.text for block in blocks(README) if block.language == "python")
    tree = ast.parse((NETWORK / "ours.py").read_text(encoding="utf-8"))
    for node in (tree, tree.body[-1]):
        assert isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node)
        del node.body[0]
    assert ast.dump(ast.parse(shown)) == ast.dump(tree)


@pytest.mark.slow
def test_the_picture(tmp_path: Path) -> None:
    """The picture has what the README's `graph` draws of the function: its names, its waves, and its arrows."""
    (command,) = re.findall("``crossplane-lite (graph .*?)``", README.read_text(encoding="utf-8"))
    flags = command.replace("~/network.svg", str(tmp_path / "network.dot")).split()
    drawn = run_command(*flags, cwd=NETWORK)
    assert drawn.returncode == 0, drawn.stderr
    text = (tmp_path / "network.dot").read_text(encoding="utf-8")
    tips = set(re.findall(r'[\[ ]tooltip="([^"]+)"', text))
    assert len(tips) > 10
    picture = html.unescape(PICTURE.read_text(encoding="utf-8"))
    assert tips == set(re.findall(r'xlink:title="([^"]+)"', picture))


@pytest.mark.parametrize(
    ("file", "make"),
    [(comparison.README, comparison.rst), (comparison.PAGE, comparison.shares)],
    ids=["README", "page"],
)
def test_the_tables(file: Path, make: Any) -> None:
    """Tables and the sentence are those that the command makes, with other figures."""
    rounds = [{"memory": 1e8, "share": 0.03, "start": 0.1}] * 2
    side = {"size": 2e6, "deleted": 0, "python": "3.11.2 with PGO", "version": "0.1.0", "rounds": rounds}
    sides = {side.name for side in comparison.SERVERS.values()}
    made = make({"day": "2026-01-01", "sides": dict.fromkeys(sides, side)})
    assert len(made) > 200
    assert shape(comparison.shown(file)) == shape(made)


def shape(text: str) -> list[str]:
    """Return the cells and the words of a table and the sentence below it, with no figures and no machine."""
    table, _, sentence = text.strip().replace("=", "").rpartition("\n\n")
    cells = [cell for line in table.splitlines() for cell in re.split(" {2,}", line.strip()) if cell]
    words = " ".join(sentence.split())
    words = re.sub(r"rounds? on|cores \(.*?\), \w+,|;.*", "", words)
    return [re.sub(r" \(\S+ to \S+\)", "", re.sub(r"\d[\d.]*", "0", one)) for one in [*cells, words]]


def test_links() -> None:
    """Each file that it links to is there."""
    links = re.findall(r"<([\w./-]+)>`_", README.read_text(encoding="utf-8"))
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).exists()] == []
