"""The page for contributors: its files are there, and its code is theirs."""

from __future__ import annotations

import re
import textwrap

from tests.docs.blocks import ROOT, blocks

PAGE = ROOT / "docs" / "CONTRIBUTING.rst"
TEXT = PAGE.read_text(encoding="utf-8")


def test_files() -> None:
    """Each file and folder that the page names is there."""
    named = set(re.findall(r"``((?:crossplane_lite|tests|docs|benchmarks|stubs|\.ci|\.github)(?:/[\w./-]+)?)``", TEXT))
    assert len(named) > 15
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_code() -> None:
    """Code that the page shows stands like this in one of the files that it names."""
    sources = [
        (ROOT / name).read_text(encoding="utf-8") for name in set(re.findall(r"``(crossplane_lite/[\w/]+\.py)``", TEXT))
    ]
    shown = [block.text for block in blocks(PAGE) if block.mark == "example"]
    assert len(shown) == 2
    for code in shown:
        assert any(code in source or textwrap.indent(code, " " * 4) in source for source in sources), code


def test_security_policy() -> None:
    """The file that GitHub shows beside a report leads to the section that has the policy."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "(docs/CONTRIBUTING.rst#security)" in text
    assert "\nSecurity\n--------\n" in TEXT
