"""A short run of what the long tier does for hours."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.long.calls import KINDS, Sizes, grown, growth, wrong
from tests.long.functions import call_threads


def test_a_call_that_does_not_end_is_seen() -> None:
    """A call thread counts as busy from the beginning of its call to the end, and not while it waits for the next."""
    pool = ThreadPoolExecutor(3, "call")
    go = threading.Event()
    began = [threading.Event() for _ in range(2)]

    def hang(own: threading.Event) -> None:
        own.set()
        go.wait(60)

    calls = [pool.submit(hang, own) for own in began]
    assert all(own.wait(60) for own in began)
    count, busy = call_threads()
    hanging = [stack for stack in busy if "hang" in stack.split(" < ")]
    assert count >= 2
    assert len(hanging) == 2
    go.set()
    for call in calls:
        call.result(60)
    while len(call_threads()[1]) > len(busy) - 2:  # the threads wait for the next call a moment after the results
        time.sleep(0.001)
    pool.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("function", ["mixed", "mixed_async"])
def test_mixed_calls(transport: str, function: str) -> None:
    """Calls of all kinds are answered as they must be and end, and threads and descriptors stay as they are."""
    seen = list(growth(800, transport, function))
    assert wrong(seen[-1][2]) == {}
    assert {how.partition(":")[0] for how in seen[-1][2]} == {*KINDS, "end"}
    # In so few calls memory is still growing into its caches.
    assert [one for one in grown(seen[4][1], seen[-1][1]) if "memory" not in one] == []


def test_growth_is_seen() -> None:
    """More memory, threads and descriptors are said, and so are calls that ended in another way."""
    first = Sizes(10_000_000, 40, 20)
    assert grown(first, Sizes(17_000_000, 43, 20)) == []
    assert grown(first, Sizes(19_000_000, 44, 25)) == ["9.0 MB of memory", "4 threads", "5 descriptors"]
    assert grown(first, Sizes(10_000_000, 40, 20, 9, ("wait < compose",))) == [
        "a call that hasn't ended, in wait < compose"
    ]
    ended = Counter({"say: OK": 5, "malformed: INVALID_ARGUMENT": 2, "say: SECRET": 1, "raise: UNAVAILABLE": 2})
    assert wrong(ended) == {"say: SECRET": 1, "raise: UNAVAILABLE": 2}
