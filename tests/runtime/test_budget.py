"""The accountant of the h2 transport."""

from __future__ import annotations

import pytest

from crossplane_lite.runtime.transports.budget import FOREVER, Budget, Exceeded, Pace, Shared, Used


def test_memory_of_a_connection_is_the_servers() -> None:
    """What is held for a connection is charged to the server, and all of it comes back."""
    memory = Shared(1000)
    one, other = Budget(memory, 0.0), Budget(memory, 0.0)
    one.hold(700)
    other.hold(200)
    one.buffer(300)
    assert (one.held, other.held, memory.left) == (1000, 200, -200)
    one.buffer(100)  # in place of the 300
    assert (one.held, memory.left) == (800, 0)
    one.buffer(0)
    one.hold(-700)
    other.hold(-200)
    assert (one.held, other.held, memory.held) == (0, 0, 0)


def test_events_come_back() -> None:
    """A connection has 1,000 events, gets 100 back each second and some for calls, and never has more than 1,000."""
    budget = Budget(Shared(0), 0.0)
    budget.earn(500)
    budget.spend(1000, 0.0)
    budget.earn(16)
    budget.spend(16, 0.0)
    budget.spend(100, 1.0)
    with pytest.raises(Exceeded):
        budget.spend(1, 1.0)
    budget = Budget(Shared(0), 0.0)
    with pytest.raises(Exceeded):
        budget.spend(1001, 1000.0)


def test_time_is_forgotten() -> None:
    """Half of the time that a peer has used counts a second later."""
    used = Used(0.0, 0.0)
    used.work(0.008, 0.0)
    used.work(0.001, 1.0)
    assert used.seconds(1.0) == pytest.approx(0.005)
    assert used.seconds(2.0) == pytest.approx(used.seconds(1.0) / 2)


def test_newcomers_share_an_account() -> None:
    """Connections of an address without a whole request count together; the newest come first, the busy ones last."""
    shared = Shared(0)
    old, busy, new = (Budget(shared, now) for now in (0.0, 0.0, 1.0))
    assert old.seconds(0.0) == Budget.FIRST_SECONDS
    busy.complete(0.0)
    busy.work(0.1, 1.0)
    old.work(0.01, 1.0)
    assert sorted((old, busy, new), key=lambda budget: budget.rank(1.0)) == [new, old, busy]
    new.work(0.3, 1.0)
    assert sorted((old, busy, new), key=lambda budget: budget.rank(1.0)) == [busy, old, new]
    new.complete(1.0)
    new.work(0.1, 1.0)
    new.complete(1.0)
    assert new.seconds(1.0) == pytest.approx(0.41)
    assert old.seconds(1.0) == pytest.approx(0.31)
    elsewhere = Budget(shared, 0.0, "10.0.0.2")
    assert min(old, elsewhere, Budget(shared, 1.0), key=lambda budget: budget.rank(1.0)) is elsewhere


def test_very_many_addresses() -> None:
    """The server remembers the newcomers of a bounded number of addresses."""
    shared = Shared(0)
    for number in range(2000):
        Budget(shared, 0.0, f"10.0.0.{number}")
    assert len(shared._newcomers) == 1000


def test_the_least_rate() -> None:
    """A peer has 30 seconds for each 64 KB, and single bytes in between give it no more time."""
    pace = Pace(30)
    assert pace.until == FOREVER
    pace.wait(0.0)
    pace.took(1, 20.0)
    pace.wait(20.0)
    assert pace.until == 30.0
    pace.took(Pace.LEAST - 1, 29.0)
    assert pace.until == 59.0
    pace.done()
    assert pace.until == FOREVER
