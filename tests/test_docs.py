"""The pages on packages, new projects and code inside of Compositions, held against the code."""

from __future__ import annotations

import re

import pytest

from crossplane_lite._tools.commands.hints import _flags, parser_of
from crossplane_lite._tools.commands.table import COMMANDS
from crossplane_lite.scripts import function as script_function
from crossplane_lite.scripts import text
from tests.wheels import ROOT

HOW_TO = ROOT / "docs" / "how-to"
PAGES = {
    name: (HOW_TO / f"{name}.rst").read_text(encoding="utf-8")
    for name in ("packaging", "start-a-project", "develop", "code-in-a-composition")
}


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_flags(page: str) -> None:
    """Each command line of crossplane-lite in a page has a command, and flags, that there are."""
    whole = re.sub(r"\\\n +", "", PAGES[page])
    found = re.findall(r"(?:``|^ {4}(?:\.venv/bin/)?|\$\()crossplane-lite ([a-z][^`\n]*)", whole, re.MULTILINE)
    assert found
    for line in found:
        line = re.split(r"[)\"#]", line)[0]
        name = line.split()[0]
        assert name in COMMANDS, line
        parser = parser_of(name)
        if parser is not None:
            assert set(re.findall(r"(?<= )--[a-z-]+", line)) <= _flags(parser).keys(), line


def test_limits_of_scripts() -> None:
    """The page says the limits of scripts as they are."""
    assert f"{text.LARGEST // 1024} KiB" in PAGES["code-in-a-composition"]
    assert script_function.name == "crossplane_lite.scripts"
