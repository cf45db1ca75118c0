"""The reconciles of recordings and simulations in one form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured
from crossplane_lite._tools.recorder.recording import Recording
from crossplane_lite._tools.recorder.report.moments import Elsewhere, Moment, recorded, simulated
from crossplane_lite._tools.render.rendered import FatalResultError, NoAnswerError, Rendered, RenderError
from tests.recorder.recordings import event, write_call, writer
from tests.recorder.report.pages import record, state
from tests.simulate.simulating import chain
from tests.simulate.simulating import simulated as simulation

THING = {"spec": {"size": 1}}


def moments(folder: Path) -> list[Moment]:
    """Return the reconciles of a recording."""
    return list(recorded(Recording(folder), {}))


def outcome(folder: Path) -> Rendered | RenderError:
    """Return the only reconcile of a recording."""
    (moment,) = moments(folder)
    return moment.outcome()


def call(folder: Path, observed: Any, desired: Any, **answer: Any) -> Rendered | RenderError:
    """Record one call, and return its reconcile."""
    made = writer(folder)
    write_call(made, {"observed": observed}, {"desired": desired, **answer})
    made.close()
    return outcome(folder)


def test_a_recording_is_as_what_was_recorded(tmp_path: Path) -> None:
    """A reconcile that is read from a recording composes, readies and deletes what the recorded one did."""
    run = simulation(chain)
    found = [moment.outcome() for moment in moments(record(tmp_path, run))]
    assert len(found) == len(run.rounds)
    for one, original in zip(found, run.rounds, strict=True):
        assert isinstance(one, Rendered)
        assert one.composed == original.rendered.composed
        assert one.ready == original.rendered.ready
        assert one.deleted == original.rendered.deleted


def test_equal_reconciles_have_equal_keys(tmp_path: Path) -> None:
    """The reconciles of which every question and answer is equal have one key, and others have another."""
    made = writer(tmp_path)
    for second, size in enumerate([1, 1, 2]):
        thing = {"spec": {"size": size}}
        write_call(made, {"observed": state()}, {"desired": state(a=thing)}, second, trace=f"t{second}")
    made.close()
    keys = [moment.key for moment in moments(tmp_path)]
    assert keys[0] == keys[1] != keys[2]


def test_what_is_observed_and_not_desired_is_deleted(tmp_path: Path) -> None:
    """An observed resource that the last step doesn't desire is deleted."""
    found = call(tmp_path, state(a=THING, b=THING), state(a=THING))
    assert isinstance(found, Rendered)
    assert list(found.deleted) == ["b"]
    assert found.composed["a"]["metadata"]["labels"] == {"crossplane.io/composite": "net"}


def test_a_fatal_answer_is_a_failure(tmp_path: Path) -> None:
    """A reconcile with a Fatal result deletes nothing: it is a failure that names the step."""
    results = [{"severity": "SEVERITY_FATAL", "message": "no zone"}]
    found = call(tmp_path, state(a=THING), state(), results=results)
    assert isinstance(found, FatalResultError)
    assert "compose" in str(found) and "no zone" in str(found)


def test_a_resource_that_crossplane_refuses_is_a_failure(tmp_path: Path) -> None:
    """A desired resource without a kind is refused, as Crossplane does it."""
    desired = state(a=THING)
    del desired["resources"]["a"]["resource"]["kind"]
    found = call(tmp_path, state(), desired)
    assert isinstance(found, RenderError)
    assert found.steps and found.composite


@pytest.mark.parametrize("error", ["connection refused", ""])
def test_a_call_without_an_answer_is_a_failure(tmp_path: Path, error: str) -> None:
    """Where an answer is an error, or isn't in the recording, the reconcile is a failure that says so."""
    made = writer(tmp_path)
    if error:
        write_call(made, {"observed": state()}, error)
    else:
        made.write(event("request"), b'{"observed": {"composite": {"resource": {"kind": "XNetwork"}}}}')
    made.close()
    found = outcome(tmp_path)
    assert isinstance(found, NoAnswerError)
    assert (error or "isn't in the recording") in str(found)
    assert found.composite is not None and found.composite["kind"] == "XNetwork"


def test_a_request_that_is_lost_is_a_failure(tmp_path: Path) -> None:
    """An answer whose request isn't in the recording is a failure that says so."""
    made = writer(tmp_path)
    made.write(event("response"), b"{}")
    made.close()
    assert "request isn't in the recording" in str(outcome(tmp_path))


def test_the_last_iteration_counts(tmp_path: Path) -> None:
    """Of a step that was called again, the last call is shown, with their number."""
    made = writer(tmp_path)
    for iteration, name in enumerate(["a", "b"]):
        write_call(
            made, {"observed": state()}, {"desired": state(**{name: THING})}, iteration, span=name, iteration=iteration
        )
    made.close()
    found = outcome(tmp_path)
    assert isinstance(found, Rendered)
    assert list(found.composed) == ["b"]
    assert found.steps[0].calls == 2


def test_an_operation_has_no_composite(tmp_path: Path) -> None:
    """What an Operation's function desires is shown as it is, because nobody owns it."""
    made = writer(tmp_path)
    write_call(made, {}, {"desired": {"resources": state(a=THING)["resources"]}})
    made.close()
    found = outcome(tmp_path)
    assert isinstance(found, Rendered)
    assert "ownerReferences" not in found.composed["a"]["metadata"]


def test_what_is_elsewhere_cant_be_called() -> None:
    """The runner of a recorded step raises an error instead of answering."""
    with pytest.raises(NoAnswerError, match="can't be called"):
        Elsewhere().run(b"", 1)


def test_rounds_sort_by_their_text() -> None:
    """The rounds of a long simulation sort by time as texts, and its failure is the last one."""

    def counting(ctx: Any) -> None:
        """Count in the status."""
        xr = ctx.composite(Unstructured)
        xr.status.count = (xr.observed.status.get("count") or 0) + 1

    run = simulation(counting, most_rounds=11)
    failure = RenderError("it fails")
    found = list(simulated(run, failure))
    times = [moment.time for moment in found]
    assert len(times) == 12 and times == sorted(times)
    assert found[-1].outcome() is failure
    assert found[0].subject == ("XNetwork", "net")
