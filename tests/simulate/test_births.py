"""Resources that are created while values are missing, and change once these are there: `simulate` says so."""

from __future__ import annotations

from typing import Any

from crossplane_lite._tools.simulate.report import report
from crossplane_lite._tools.simulate.table import lines
from tests.render.scripted import Scripted, desire
from tests.simulate.simulating import simulated, thing


def _engine(ctx: Any) -> None:
    at = ctx.resource("db", thing("Database")).observed.status
    ctx.resource("settings", thing(engine="pg" if at.engine == "postgres" else "my"))


def test_what_changes_after_birth() -> None:
    """A field that gets another value later is told with both values, and with the value that came in that round."""
    done = simulated(_engine, fixtures={"db": {"status": {"engine": "postgres"}}})
    text = 'spec.forProvider.engine: "my" -> "pg"'
    assert (done.changed, done.came) == ({"settings": [text]}, {"settings": ["db.status.engine"]})
    data = report(done, [])
    assert (data["changed"], data["came"]) == (done.changed, done.came)
    assert f"  settings: {text}, once db.status.engine came" in list(lines(data))


def test_what_changes_by_itself() -> None:
    """Where no value came, only the change is told."""

    def script(request: Any, response: Any) -> None:
        spec = {"forProvider": {"count": len(request.observed.resources)}}
        desire(response, "a", {"apiVersion": "example.org/v1", "kind": "A", "spec": spec})

    done = simulated(Scripted(script))
    assert "  a: spec.forProvider.count: 0 -> 1" in list(lines(report(done, [])))


def test_what_stays_as_it_was_born() -> None:
    """A resource that is created while a value is missing, and doesn't change, isn't told."""
    done = simulated(_engine)
    assert (done.changed, done.came) == ({}, {})
    assert not any("after creation" in line for line in lines(report(done, [])))


def test_what_only_comes_later_is_no_change() -> None:
    """A field that waited for its value isn't told as changed."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", thing("VPC"))
        ctx.resource("net", thing(id=vpc.observed.status.id, size=1))

    assert simulated(compose).changed == {}
