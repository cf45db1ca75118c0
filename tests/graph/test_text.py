"""Graphs as plain text."""

from __future__ import annotations

from crossplane_lite._tools.graph.graph import Graph
from crossplane_lite._tools.graph.text import text
from tests.graph.graphs import drawn, existing, nasty

START = """\
App shop: 1 to be created, 4 held back, 1 depends on a value
required.settings  ConfigMap settings      found
required.sizes     ConfigMap sizes         not found
database           Instance                to be created
    needs required.settings[0].data.region
replica            Instance                held back
    needs required.sizes[0].data.size, which has no value yet
record             Record                  held back
    needs replica to be ready, which it isn't yet
    needs required.settings[0].data.region
user               User                    held back
    needs database.status.host, which has no value yet
    needs database.status.port, which has no value yet
backup             Backup                  depends on a value
    needs user.external_name
xr.status.login    field of the composite  no value yet
    needs user.external_name, which has no value yet
grant              Grant                   held back
    needs xr.status.login, which has no value yet
"""


def test_start() -> None:
    """Nodes stand in the order in which they can come, each with what it needs."""
    assert text(drawn()) == START


def test_cycle() -> None:
    """What is on a cycle says so."""
    assert "\ndatabase           Instance                held back (in a cycle)\n" in text(drawn(cycle=True))


def test_waves() -> None:
    """The waves of a simulation are headings."""
    lines = text(drawn(observed=[existing("database")], waves={"user": 2, "database": 1})).splitlines()
    headings = [line for line in lines if line.startswith(("wave", "no wave"))]
    assert headings == ["wave 1", "wave 2", "no wave"]
    assert lines[lines.index("wave 2") + 1].startswith("user  ")


def test_nasty_names() -> None:
    """Whatever nodes are called, each has one line, and nothing in it drives a terminal."""
    graph = nasty()
    lines = text(graph).splitlines()
    assert all(line.isprintable() for line in lines)
    shown = [line for line in lines if line and not line.startswith(("    needs", "wave", "no wave"))]
    assert len(shown) == len(graph.nodes) + 1


def test_empty() -> None:
    """A graph without nodes is one line."""
    assert text(Graph("App shop", [], [], [])) == "App shop: no composed resources\n"
