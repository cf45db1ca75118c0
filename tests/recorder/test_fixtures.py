"""Recordings in tests of functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossplane_lite import testing
from crossplane_lite._tools.recorder.recording import OPERATION, Subject
from crossplane_lite.errors import InputError
from tests.recorder import functions
from tests.recorder.recordings import network, play, record_all, write_call, writer


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Two composites from birth on, an Operation, and a call of another function."""
    record_all(tmp_path, functions.first, network("a"), network("b", "abc"))
    made = writer(tmp_path)
    write_call(made, {"meta": {"tag": "1"}}, {}, 9, subject=Subject(*OPERATION, "", "nightly", "3"))
    play(made, functions.first, testing.request(network("d")), 9, function="function-other")
    made.close()
    return tmp_path


def test_the_requests_of_a_recording(recording: Path) -> None:
    """Each distinct request of a composite is there once, with a name for people, and `testing.run` takes it."""
    found = testing.recorded(recording)
    assert len(found) == 7
    assert len({str(one) for one in found}) == 7
    assert str(found[0]) == "XNetwork team/a@2026-11-24T18:30:00.000000Z"
    assert "vpc" in testing.run(functions.first, found[0].request).desired


def test_requests_are_chosen(recording: Path) -> None:
    """A function, patterns, `#` and the last reconcile choose requests."""
    assert len(testing.recorded(recording, function="function-network")) == 6
    assert len(testing.recorded(recording, function="function-network", last=True)) == 2
    assert {one.composite for one in testing.recorded(recording, xrs=["team/b"])} == {"XNetwork team/b"}
    assert len(testing.recorded(f"{recording}#a@2026-11-24T18:30:01")) == 1


def test_nothing_is_an_error(recording: Path) -> None:
    """No request at all is an error, because pytest would leave the test out."""
    with pytest.raises(InputError, match="calls of function-network, function-other for"):
        testing.recorded(recording, function="function-nobody")


def test_a_check_passes_and_fails(recording: Path) -> None:
    """The same version passes with each request, and another one fails where it does something else."""
    found = testing.recorded(recording, function="function-network")
    for one in found:
        one.check(functions.first)
    failures = []
    for one in found:
        try:
            one.check(functions.moved)
        except AssertionError as e:
            failures.append(str(e))
    assert len(failures) == 2
    assert all(text.startswith("XNetwork team/b@") and "delete subnet-c" in text for text in failures)


def test_a_new_wait_fails(recording: Path) -> None:
    """A check fails also if something newly waits."""
    with pytest.raises(AssertionError, match="newly waiting: subnet-a, subnet-b"):
        testing.recorded(f"{recording}#team/a")[0].check(functions.waits)
