"""The files of a recording."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from crossplane_lite._tools.recorder.recording import Recording
from crossplane_lite.errors import InputError
from tests.recorder.recordings import event, write_call, writer


def test_files_are_for_their_owner(tmp_path: Path) -> None:
    """Nobody else may read a recording."""
    old = os.umask(0)
    try:
        made = writer(tmp_path / "new")
    finally:
        os.umask(old)
    made.close()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new/000001.jsonl").stat().st_mode) == 0o600


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_files_rotate_and_the_oldest_go(tmp_path: Path) -> None:
    """A full file is followed by the next, all are below the limit together, and each can be read alone."""
    made = writer(tmp_path, file_bytes=4_000, total_bytes=20_000)
    for number in range(200):
        write_call(made, {"n": number, "text": "x" * 300}, {"results": []}, number / 10, span=f"s{number}")
        assert _size(tmp_path) <= 20_000 + 1_500  # the last call of a file may be longer than what was left of it
    made.close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) >= 4
    assert "000001.jsonl" not in names
    for name in names[:-1]:
        assert [one.request["n"] for one in Recording(tmp_path / name).calls if one.asked]
    numbers = [one.request["n"] for one in Recording(tmp_path).calls if one.asked]
    assert numbers == list(range(numbers[0], 200))


def test_a_new_writer_begins_a_new_file(tmp_path: Path) -> None:
    """What a former process has left is kept, also a line that is cut off."""
    made = writer(tmp_path)
    write_call(made, {"n": 1}, {}, 1)
    made.close()
    with (tmp_path / "000001.jsonl").open("a") as file:
        file.write('{"content": "12')
    made = writer(tmp_path)
    write_call(made, {"n": 2}, {}, 2, span="s2")
    made.close()
    found = Recording(tmp_path)
    assert [one.request["n"] for one in found.calls] == [1, 2]
    assert len(found.notes) == 1


def test_dropped_events_are_told_with_the_next_line(tmp_path: Path) -> None:
    """What is dropped is counted in the recording, also when nothing follows."""
    made = writer(tmp_path)
    made.drop(2)
    write_call(made, {}, {})
    made.drop()
    made.close()
    found = Recording(tmp_path)
    assert found.dropped == made.dropped == 3
    assert found.notes == ["the recorder dropped 3 events"]


def test_contents_are_prepared_once(tmp_path: Path) -> None:
    """What masks contents runs once for equal ones, and contents that are equal then are stored once."""
    seen = []

    def prepare(content: bytes) -> bytes:
        seen.append(content)
        return b'{"masked": true}'

    made = writer(tmp_path)
    for number in range(3):
        made.write(event("request", span=f"s{number}"), b'{"n": 1}', prepare)
    made.write(event("request", span="s4"), b'{"n": 2}', prepare)
    made.close()
    assert seen == [b'{"n": 1}', b'{"n": 2}']
    assert len({one.asked for one in Recording(tmp_path).calls}) == 1


def test_what_cant_be_prepared_is_dropped(tmp_path: Path) -> None:
    """A content that isn't JSON is counted, and the next event is written."""

    def prepare(content: bytes) -> bytes:
        raise ValueError

    made = writer(tmp_path)
    made.write(event("request"), b"{", prepare)
    made.write(event("response")._replace(error="no connection"))
    made.close()
    found = Recording(tmp_path)
    assert found.dropped == 1
    assert [one.error for one in found.calls] == ["no connection"]


FULL = """
import resource, sys
from tests.recorder.recordings import *
made = writer(Path(sys.argv[1]))
write_call(made, {"n": 1}, {"results": []}, 1)
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, resource.RLIM_INFINITY))
for number in range(2, 8):
    write_call(made, {"n": number, "text": "x" * 300}, {"results": []}, number, span=f"s{number}")
print(made.dropped)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
write_call(made, {"n": 9}, {"results": []}, 9, span="s9")
made.close()
"""


@pytest.mark.slow
def test_a_full_disk_drops_and_counts(tmp_path: Path) -> None:
    """While nothing can be written, events are dropped; afterwards the file is whole, and says how many there were."""
    folder = tmp_path / "recording"
    done = subprocess.run([sys.executable, "-c", FULL, str(folder)], capture_output=True, text=True, check=True)
    found = Recording(folder)
    assert found.dropped == int(done.stdout) > 0
    assert found.notes[0] == f"the recorder dropped {found.dropped} events: File too large"
    assert not any("cut off" in note for note in found.notes)
    numbers = [one.request["n"] for one in found.calls if one.asked]
    assert numbers[0] == 1
    assert numbers[-1] == 9


FULL_IN_A_BATCH = """
import resource, sys
from tests.recorder.recordings import *
made = writer(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, resource.RLIM_INFINITY))
for number in range(9):
    made.write(event("request", number, span=f"s{number}"), b'{"text": "%s"}' % (b"x" * 300))
made.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
made.write(event("request", 9, span="s9"), b'{"text": "%s"}' % (b"x" * 300))
made.close()
"""


def test_a_batch_that_cant_be_written_is_dropped(tmp_path: Path) -> None:
    """Events that were added together are dropped together and counted, and their contents are stored again later."""
    subprocess.run([sys.executable, "-c", FULL_IN_A_BATCH, str(tmp_path)], check=True)
    found = Recording(tmp_path)
    assert found.dropped == 9
    assert [one.request for one in found.calls] == [{"text": "x" * 300}]


FULL_FROM_THE_BEGINNING = """
import resource, sys
from tests.recorder.recordings import *
made = writer(Path(sys.argv[1]), file_bytes=100)
write_call(made, {"n": 1}, {}, 1)
resource.setrlimit(resource.RLIMIT_FSIZE, (5, resource.RLIM_INFINITY))
write_call(made, {"n": 2}, {}, 2, span="s2")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
write_call(made, {"n": 3}, {}, 3, span="s3")
made.close()
"""


@pytest.mark.slow
def test_a_file_that_cant_be_begun_is_tried_again(tmp_path: Path) -> None:
    """A full disk at a rotation leaves no empty file behind, and the recording goes on when there is room."""
    folder = tmp_path / "recording"
    subprocess.run([sys.executable, "-c", FULL_FROM_THE_BEGINNING, str(folder)], check=True)
    found = Recording(folder)
    assert [one.request["n"] for one in found.calls] == [1, 3]
    assert found.dropped == 2
    assert all(path.stat().st_size for path in folder.iterdir())


def test_a_folder_that_cant_be_used_is_refused(tmp_path: Path) -> None:
    """A file in the place of the folder is an error that names it."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file"):
        writer(tmp_path / "file")
