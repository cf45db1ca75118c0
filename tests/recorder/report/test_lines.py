"""The lines of code that set fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossplane_lite import Unstructured, composition
from crossplane_lite._tools.recorder.report.facts import lines_of
from crossplane_lite._tools.recorder.report.moments import Elsewhere
from crossplane_lite._tools.render.functions import InProcess
from tests.simulate.simulating import simulated as simulation
from tests.simulate.simulating import thing


def lines(compose: Callable[[Any], None]) -> Callable[[str, str], int]:
    """Return a function from a resource and a path to the number of the line in compose(), from 1; 0 for none."""
    (run,) = simulation(compose).rounds[0].rendered.steps
    found = lines_of(run)
    first = compose.__code__.co_firstlineno

    def number(name: str, path: str) -> int:
        line = found(name, path)
        return int(line.partition(":")[2].split()[0]) - first if line else 0

    return number


def composed(ctx: Any) -> None:
    made = thing(ports=[{"name": "web", "port": 80}])
    ctx.resource("made", made)
    made.spec.forProvider.size = 3
    made.spec.forProvider.tags = {
        "a.b/c": "x",
    }
    xr = ctx.composite(Unstructured)
    xr.status.size = 3


def test_each_field_has_its_line() -> None:
    """A field has the line that set it, in resources and in the composite's status."""
    line = lines(composed)
    assert line("made", "spec.forProvider.size") == 3
    assert line("", "status.size") == 8


def test_parts_of_a_value() -> None:
    """What was set with something around it has its line: lists, elements by their keys, keys that need quotes."""
    line = lines(composed)
    assert line("made", 'spec.forProvider.tags["a.b/c"]') == line("made", "spec.forProvider.tags") in (4, 5)
    whole = line("made", "spec.forProvider.ports")
    assert whole
    assert line("made", "spec.forProvider.ports[name=web].port") == whole
    assert line("made", "spec.forProvider.ports[0].port") == whole


def test_what_isnt_known() -> None:
    """A resource that compose() doesn't register has no lines, and neither has a function elsewhere."""
    assert lines(composed)("other", "spec.forProvider.size") == 0
    (run,) = simulation(composed).rounds[0].rendered.steps
    assert lines_of(run._replace(runner=Elsewhere()))("made", "spec.forProvider.size") == ""


def test_compose_that_raises() -> None:
    """Of a compose() that raises, what it has set before has lines."""

    def failing(ctx: Any) -> None:
        made = thing()
        ctx.resource("made", made)
        made.spec.forProvider.size = 3
        raise ValueError("no")

    (run,) = simulation(composed).rounds[0].rendered.steps
    function = composition.function(name="f0")(failing)
    assert lines_of(run._replace(runner=InProcess(function)))("made", "spec.forProvider.size").startswith(
        "test_lines.py"
    )
