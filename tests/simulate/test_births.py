"""Resources that are created with a guess about missing values: `simulate`, `graph` and `render` say so."""

from __future__ import annotations

from typing import Any

from crossplane_lite._tools.graph.graph import graph_of, graph_of_simulation
from crossplane_lite._tools.render import output
from crossplane_lite._tools.simulate.report import report
from crossplane_lite._tools.simulate.table import lines
from tests.simulate.simulating import simulated, thing


def _engine(ctx: Any) -> None:
    at = ctx.resource("db", thing("Database")).observed.status
    ctx.resource("settings", thing(engine="pg" if at.engine == "postgres" else "my"))


def test_births() -> None:
    """The field and the missing value are named in the table, in the data, in the graph, and by `render`."""
    done = simulated(_engine)
    born = done.births["settings"]
    assert (born.fields, born.values) == (("spec.forProvider.engine",), ("db.status.engine",))
    data = report(done, [])
    assert data["births"] == [
        {"name": "settings", "fields": ("spec.forProvider.engine",), "values": ("db.status.engine",)}
    ]
    assert "  settings: spec.forProvider.engine, from db.status.engine" in list(lines(data))
    assert born.text in graph_of_simulation(done).notes
    assert born.text in graph_of(done.rounds[0].rendered).notes
    assert any(born.text in line for line in output.lines(done.rounds[0].rendered))


def test_what_changes_after_birth() -> None:
    """A field that a guess decided and that gets another value later is told with both values and the guess."""
    done = simulated(_engine, fixtures={"db": {"status": {"engine": "postgres"}}})
    text = 'spec.forProvider.engine: "my" -> "pg"'
    assert done.changed == {"settings": [text]}
    data = report(done, [])
    said = list(lines(data))
    assert data["changed"] == done.changed
    assert f"  settings: {text}, by a guess on db.status.engine" in said
    assert not any("created with a guess" in line for line in said)


def test_what_only_comes_later_is_no_change() -> None:
    """A field that waited for its value isn't told as changed."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", thing("VPC"))
        ctx.resource("net", thing(id=vpc.observed.status.id, size=1))

    assert simulated(compose).changed == {}


def test_no_births() -> None:
    """Where nothing is guessed nothing is said."""

    def compose(ctx: Any) -> None:
        db = ctx.resource("db", thing("Database"))
        ctx.resource("settings", thing(engine=db.observed.status.engine))

    done = simulated(compose)
    assert done.births == {}
    assert not any("guess" in line for line in lines(report(done, [])))
