"""A short run of what the long tier does for hours."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.long.calls import KINDS, Sizes, grown, growth, wrong


@pytest.mark.slow
@pytest.mark.parametrize("function", ["mixed", "mixed_async"])
def test_mixed_calls(transport: str, function: str) -> None:
    """Calls of all kinds are answered as they must be, and the server's threads and descriptors stay as they are."""
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
    ended = Counter({"say: OK": 5, "malformed: INVALID_ARGUMENT": 2, "say: SECRET": 1, "raise: UNAVAILABLE": 2})
    assert wrong(ended) == {"say: SECRET": 1, "raise: UNAVAILABLE": 2}
