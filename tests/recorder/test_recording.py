"""The format of recordings, and their reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossplane_lite._tools.recorder.recording import Recording, Subject
from crossplane_lite.errors import InputError
from tests.recorder.recordings import NETWORK, at, write_call, writer

OTHER = Subject("example.org/v1", "XNetwork", "team", "other", "12", "networks")


def _three(folder: Path) -> Path:
    made = writer(folder)
    write_call(made, {"meta": {"tag": "a"}}, {"desired": {}}, 1)
    write_call(made, {"meta": {"tag": "b"}}, "no connection", 2, trace="t2", span="s2")
    write_call(made, {"meta": {"tag": "a"}}, {"desired": {}}, 3, trace="t3", span="s3", subject=OTHER)
    made.close()
    return folder


def test_calls_come_back_as_they_were_written(tmp_path: Path) -> None:
    """Each request comes back with its answer or its error, by time."""
    calls = Recording(_three(tmp_path)).calls
    assert [(one.request, one.response, one.error) for one in calls] == [
        ({"meta": {"tag": "a"}}, {"desired": {}}, ""),
        ({"meta": {"tag": "b"}}, {}, "no connection"),
        ({"meta": {"tag": "a"}}, {"desired": {}}, ""),
    ]
    assert [one.subject for one in calls] == [NETWORK, NETWORK, OTHER]
    assert calls[0].event.time == at(1)
    assert calls[0].ended == at(1.001)


def test_equal_contents_are_stored_once(tmp_path: Path) -> None:
    """A request that came before isn't stored again."""
    calls = Recording(_three(tmp_path)).calls
    assert calls[0].asked == calls[2].asked
    assert sum(b'"tag": "a"' in line for line in (tmp_path / "000001.jsonl").read_bytes().splitlines()) == 1


def test_a_single_file_is_a_recording(tmp_path: Path) -> None:
    """A file can be given in the place of its folder."""
    assert len(Recording(_three(tmp_path) / "000001.jsonl").calls) == 3


def test_reconciles_have_the_calls_of_a_trace_in_the_order_of_steps(tmp_path: Path) -> None:
    """Calls of one trace belong together, by step and iteration."""
    made = writer(tmp_path)
    write_call(made, {"n": 1}, {}, 1, number=0, span="a")
    write_call(made, {"n": 2}, {}, 2, number=0, span="b", iteration=1)
    write_call(made, {"n": 3}, {}, 3, number=1, span="c")
    write_call(made, {"n": 4}, {}, 1.5, trace="t2", span="d")
    made.close()
    found = Recording(tmp_path).reconciles()
    assert [[call.request["n"] for call in one.calls] for one in found] == [[1, 2, 3], [4]]
    assert [one.time for one in found] == [at(1), at(1.5)]


@pytest.mark.parametrize(
    ("what", "trace"),
    [
        ("example", "t2"),
        ("team/example", "t2"),
        ("XNetwork/team/example", "t2"),
        ("example@2026-11-24T18:30:01", "t1"),
        ("example@2026-11-24T18:30", "t2"),
        ("other", "t3"),
    ],
)
def test_a_reconcile_is_found_by_name_and_time(tmp_path: Path, what: str, trace: str) -> None:
    """A name finds the last reconcile; with a time, or the beginning of one, the last one until then."""
    assert Recording(_three(tmp_path)).find(what).trace == trace


@pytest.mark.parametrize("what", ["nobody", "", "example@2026-11-24T17"])
def test_what_isnt_there_is_told_with_what_is(tmp_path: Path, what: str) -> None:
    """An unknown or unclear name, or a time before the first reconcile, is an error that shows what there is."""
    with pytest.raises(InputError, match=r"XNetwork/team/example|at 2026-11-24T18:30:01"):
        Recording(_three(tmp_path)).find(what)


@pytest.mark.parametrize("time", ["yesterday", "18:30", "2026-11-24 18:30", "2026/11/24"])
def test_what_is_no_time_is_refused(tmp_path: Path, time: str) -> None:
    """A text behind @ that can't begin a recorded time is an error with an example."""
    with pytest.raises(InputError, match="isn't a time.*such as 2026-11-24T18:30"):
        Recording(_three(tmp_path)).find(f"example@{time}")


@pytest.mark.sample(1)
@pytest.mark.parametrize("first", range(20))
def test_every_beginning_of_a_file_can_be_read(tmp_path: Path, first: int) -> None:
    """A file that is cut off anywhere gives the calls before the cut."""
    whole = (_three(tmp_path / "all") / "000001.jsonl").read_bytes()
    cut = tmp_path / "cut.jsonl"
    counts = []
    for length in range(first, len(whole) + 1, 20):
        cut.write_bytes(whole[:length])
        counts.append(len(Recording(cut).calls))
    assert counts == sorted(counts)
    assert set(counts) == {0, 1, 2, 3}


def test_a_cut_off_line_is_told(tmp_path: Path) -> None:
    """The reader says which line it has left out."""
    file = _three(tmp_path) / "000001.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    found = Recording(tmp_path)
    assert found.calls[-1].answered is None
    assert any("000001.jsonl" in note and "cut off" in note for note in found.notes)


EVENT = (
    '{"event": "request", "time": "t", "trace": "t", "span": "s", "step": "s", "number": %s, "iteration": 0, '
    '"function": "f", "subject": {"name": %s}}'
)


@pytest.mark.parametrize(
    "line",
    [
        *("[]", "7", '"x"', "{}", '{"event": "request"}', "not json", '{"dropped": "x"}', "[" * 100_000),
        *(EVENT % wrong for wrong in (('"0"', '"n"'), ("true", '"n"'), ("0", "5"), ("0", "null"), ("0", "{}"))),
    ],
)
def test_a_damaged_line_is_left_out(tmp_path: Path, line: str) -> None:
    """A line that isn't of the format is named, and the others are read."""
    file = _three(tmp_path) / "000001.jsonl"
    file.write_text(f"{file.read_text()}{line}\n")
    found = Recording(file)
    assert len(found.calls) == 3
    assert len(found.notes) == 1


@pytest.mark.parametrize("text", ["", "{}\n", "<html>", '{"recording": 99}\n', "[1]\n", "\n", "[" * 100_000])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    """A file that isn't a recording of a known version is an error; an empty one is an empty recording."""
    file = tmp_path / "x.jsonl"
    file.write_text(text)
    if not text:
        assert Recording(file).calls == []
        return
    with pytest.raises(InputError, match=r"x\.jsonl"):
        Recording(file)


def test_a_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    """An empty or a missing folder is an error."""
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError):
            Recording(path)


def test_an_answer_without_its_request_is_told(tmp_path: Path) -> None:
    """A call whose request is lost is there, and the notes count it."""
    made = writer(tmp_path)
    write_call(made, {"n": 1}, {"results": []})
    made.close()
    file = tmp_path / "000001.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("".join(f"{line}\n" for line in lines if '"request"' not in line))
    found = Recording(tmp_path)
    assert found.calls[0].request == {}
    assert found.calls[0].response == {"results": []}
    assert found.notes == ["the requests of 1 calls aren't in the recording"]


def test_unknown_fields_of_an_event_are_a_damaged_line(tmp_path: Path) -> None:
    """Events have exactly the documented fields, so a later format must have a number of its own."""
    file = _three(tmp_path) / "000001.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[-1]["more"] = 1
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert len(Recording(file).notes) == 1
