"""`async def` compose(): one event loop for all calls, and nothing else in common."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite._core.call import event_loop
from crossplane_lite._core.observed import tracker
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, XStorageBucket
from tests.support import cancelled, request, run

CALLS = 6


def at_once(function: Any, inputs: list[dict[str, Any]], **kwargs: Any) -> list[Any]:
    """Call a function in as many threads as there are inputs, at the same time."""
    barrier = threading.Barrier(len(inputs))

    def one(values: dict[str, Any]) -> Any:
        barrier.wait(30)
        return run(function, input=values, **kwargs)

    with ThreadPoolExecutor(len(inputs)) as pool:
        return list(pool.map(one, inputs))


def numbered(calls: int = CALLS) -> list[dict[str, Any]]:
    """Return inputs that tell calls apart."""
    return [{"n": str(n)} for n in range(calls)]


class Client:
    """A client as libraries make them: bound to a loop, with a task of its own, and a lock."""

    def __init__(self) -> None:
        self.lock = asyncio.Semaphore(2)
        self.queue: asyncio.Queue[Any] = asyncio.Queue()
        self.loop = asyncio.get_running_loop()

    async def ask(self, text: str) -> str:
        """Return an answer, which comes over a queue."""
        assert asyncio.get_running_loop() is self.loop
        async with self.lock:
            await self.queue.put(text)
            await asyncio.sleep(0.001)
            answer: str = await self.queue.get()
            return answer


@pytest.fixture
def _short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a blocked loop after a fifth of a second instead of one."""
    monkeypatch.setattr(event_loop, "_GRACE_SECONDS", 0.2)


def test_what_a_module_keeps_between_calls() -> None:
    """Semaphores, events and clients of a module serve all calls, at the same time and one after the other."""
    semaphore = asyncio.Semaphore(2)
    clients: list[Client] = []
    loops = set()
    most = [0, 0]

    @composition.function
    async def compose(ctx: Any) -> None:
        loops.add(id(asyncio.get_running_loop()))
        if not clients:
            clients.append(Client())
        async with semaphore:
            most[0] += 1
            most[1] = max(most)
            await asyncio.sleep(0.01)
            most[0] -= 1
        answer = await clients[0].ask(ctx.input["n"])
        ctx.results.normal(f"answer {answer}")

    for _ in range(2):
        answers = at_once(compose, numbered())
        assert [one.fatal for one in answers] == [[]] * CALLS
        assert sorted(one.results[0][1] for one in answers) == [f"answer {n}" for n in range(CALLS)]
    assert len(loops) == 1
    assert most[1] == 2


def test_calls_that_wait_for_each_other() -> None:
    """While one call waits, others run: none of them needs a thread of the loop for itself."""
    waiting: list[asyncio.Event] = []
    everybody = asyncio.Event()

    @composition.function
    async def compose(ctx: Any) -> None:
        waiting.append(asyncio.Event())
        if len(waiting) == CALLS:
            everybody.set()
        await asyncio.wait_for(everybody.wait(), 30)

    assert not any(one.fatal for one in at_once(compose, numbered()))


def test_each_call_has_its_own_state() -> None:
    """Observables, guesses, results and placeholders of calls that run at the same time are kept apart."""

    @composition.function(name="step")
    async def compose(ctx: Any) -> None:
        number = ctx.input["n"]
        call = tracker.current()
        vpc = ctx.resource("vpc", VPC())
        await asyncio.sleep(0.002)
        text = f"{number}-{vpc.observed.status.atProvider.vpcId}"
        await asyncio.sleep(0.001 * (int(number) % 3))
        assert tracker.current() is call
        bucket = ctx.resource(f"bucket-{number}", Bucket())
        bucket.spec.forProvider.project = text
        ctx.results.normal(f"{number} waits for {vpc.observed.status.atProvider.vpcId}")
        await asyncio.gather(*(nested(ctx, number, at) for at in range(3)))
        if number == "3":
            raise ValueError(f"only {number}")

    async def nested(ctx: Any, number: str, at: int) -> None:
        await asyncio.sleep(0)
        ctx.resource(f"nested-{number}-{at}", Bucket())

    answers = at_once(compose, numbered())
    for number, answer in enumerate(answers):
        assert ("normal", f"{number} waits for vpc.status.atProvider.vpcId") in answer.results
        if number == 3:
            assert "ValueError: only 3" in answer.texts
            continue
        assert not answer.fatal
        assert set(answer.resources) == {"vpc", *(f"nested-{number}-{at}" for at in range(3))}
        waits = answer.conditions["DependenciesResolved"][2]
        assert waits.count("waits for") == 1
        assert f"bucket-{number} waits for vpc.status.atProvider.vpcId" in waits


colour: contextvars.ContextVar[str] = contextvars.ContextVar("colour", default="none")


def test_context_variables() -> None:
    """A call sees the context variables of who calls; what it sets stays in it and in the tasks that it starts."""

    @composition.function
    async def compose(ctx: Any) -> None:
        seen = colour.get()
        colour.set(f"{seen} of {ctx.input['n']}")
        await asyncio.sleep(0.001)

        async def child() -> str:
            return colour.get()

        ctx.results.normal(f"{seen}, {await asyncio.create_task(child())}")

    def one(values: dict[str, Any]) -> Any:
        colour.set(f"colour {values['n']}")
        answer = run(compose, input=values)
        assert colour.get() == f"colour {values['n']}"
        return answer

    with ThreadPoolExecutor(CALLS) as pool:
        answers = list(pool.map(one, numbered()))
    for n, answer in enumerate(answers):
        assert answer.results == [("normal", f"colour {n}, colour {n} of {n}")]
    assert colour.get() == "none"


# --- how a call ends ---------------------------------------------------------------------------------------------


async def _cancels_itself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(10)


async def _times_out() -> None:
    await asyncio.wait_for(asyncio.Event().wait(), 0.001)


async def _exits() -> None:
    raise SystemExit(3)


async def _exits_in_a_task() -> None:
    await asyncio.create_task(_exits())


async def _leaves_an_exit() -> None:
    asyncio.create_task(_exits())  # noqa: RUF006
    await asyncio.sleep(0.01)
    raise LookupError("after it")


ENDS: dict[str, tuple[Callable[[], Any], str]] = {
    "cancelled": (_cancels_itself, "CancelledError"),
    "timeout": (_times_out, "TimeoutError"),
    "exit": (_exits, "SystemExit: 3"),
    "exit in a task": (_exits_in_a_task, "SystemExit: 3"),
    "exit left behind": (_leaves_an_exit, "LookupError: after it"),
}


@pytest.mark.parametrize("end", ENDS)
def test_one_call_ends_badly(end: str) -> None:
    """An exception or cancellation of one call is its own Fatal result; the others and later ones go on."""
    body, text = ENDS[end]

    @composition.function
    async def compose(ctx: Any) -> None:
        if ctx.input["n"] == "0":
            await body()
        await asyncio.sleep(0.02)
        ctx.results.normal("fine")

    for _ in range(2):
        bad, *good = at_once(compose, numbered(4))
        assert text in bad.fatal[0]
        assert [one.results for one in good] == [[("normal", "fine")]] * 3


def test_an_exception_names_its_line() -> None:
    """The text of an exception has the file and line of the author's code."""

    @composition.function
    async def compose(ctx: Any) -> None:
        await asyncio.sleep(0)
        raise ValueError("boom")

    assert "ValueError: boom (test_async.py:" in run(compose).fatal[0]


def test_tasks_that_are_left_behind() -> None:
    """Tasks that a call leaves running go on, because other calls may need them; a later call can await them."""
    kept: dict[str, Any] = {}

    async def keep_alive(event: asyncio.Event) -> str:
        await event.wait()
        return "kept"

    @composition.function
    async def compose(ctx: Any) -> None:
        if ctx.input["n"] == "0":
            kept["event"] = asyncio.Event()
            kept["task"] = asyncio.create_task(keep_alive(kept["event"]))
        else:
            assert not kept["task"].done()
            kept["event"].set()
            ctx.results.normal(await kept["task"])

    first, second = (run(compose, input=values) for values in numbered(2))
    assert not first.fatal
    assert "kept" in second.texts


def test_an_async_function_that_is_called_by_another_one() -> None:
    """A function that is run inside of an `async def` one, on its loop, gets to its end on a loop of its own."""

    @composition.function
    async def inner(ctx: Any) -> None:
        await asyncio.sleep(0.001)
        ctx.results.normal("inner")
        if ctx.input:
            raise ValueError("inner failed")

    @composition.function
    async def outer(ctx: Any) -> None:
        await asyncio.sleep(0)
        ctx.results.normal("; ".join(text for _, text in run(inner).results + run(inner, input={"a": 1}).results))

    ((_, text),) = run(outer).results
    assert text.startswith("inner; inner; ValueError: inner failed")


def test_from_a_running_loop() -> None:
    """Called from a thread with a loop of its own, a function still runs on the loop that all calls share."""
    loops = set()

    @composition.function
    async def compose(ctx: Any) -> None:
        loops.add(id(asyncio.get_running_loop()))

    async def main() -> None:
        loops.add(id(asyncio.get_running_loop()))
        assert not run(compose).fatal

    assert not run(compose).fatal
    asyncio.run(main())
    assert len(loops) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("_short_grace")
def test_a_loop_that_is_blocked_is_left() -> None:
    """Where who calls gives up on code that blocks the loop, the next call has another one."""
    release = threading.Event()

    async def blocking() -> None:
        release.wait(30)

    class _GivenUp(Exception):
        pass

    before = event_loop._shared.loop

    def give_up(*_args: Any) -> None:
        raise _GivenUp

    import signal

    handler = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(_GivenUp):
            event_loop.run(blocking())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert event_loop._shared.loop is None

    async def fine() -> str:
        return "fine"

    assert event_loop.run(fine()) == "fine"
    assert event_loop._shared.loop is not before
    release.set()


class Waiter:
    """A thread that waits for an awaitable on the shared loop.

    Attributes:
        awaited: What others cancel the awaitable with, as they got it before its end.
    """

    def __init__(self, awaitable: Any, named: str) -> None:
        self._outcome: Any = None
        self._thread = threading.Thread(target=self._run, args=(awaitable, named), daemon=True)
        self._thread.start()
        until = time.monotonic() + 30
        while True:
            found = event_loop.awaited(self._thread.ident or 0)
            if found is not None and found.loop is not None:
                break
            assert time.monotonic() < until
        self.awaited = found

    def _run(self, awaitable: Any, named: str) -> None:
        colour.set(named)
        try:
            self._outcome = event_loop.run(awaitable)
        except BaseException as error:
            self._outcome = type(error)

    def outcome(self) -> Any:
        """Wait for the thread's end, and return the result or the type of the exception."""
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self._outcome


@pytest.mark.slow
@pytest.mark.usefixtures("_short_grace")
def test_calls_behind_a_blocked_loop() -> None:
    """When a blocked loop is left, later calls run on the next one; those that wait there get on when it does."""
    release, inside = threading.Event(), threading.Event()
    gate: list[asyncio.Event] = []
    ran: list[str] = []

    async def begins() -> Any:
        ran.append(colour.get())
        gate.append(asyncio.Event())
        await gate[0].wait()
        return asyncio.get_running_loop()

    async def blocks() -> None:
        while not gate:
            await asyncio.sleep(0.001)
        gate[0].set()
        inside.set()
        release.wait(30)

    async def waits() -> Any:
        ran.append(colour.get())
        return asyncio.get_running_loop()

    async def hangs() -> None:
        ran.append(colour.get())
        await asyncio.Event().wait()

    first, second = Waiter(begins(), "first"), Waiter(blocks(), "second")
    assert inside.wait(30)
    blocked = second.awaited.loop
    assert blocked is not None
    third, fourth, fifth = Waiter(waits(), "third"), Waiter(hangs(), "fourth"), Waiter(waits(), "fifth")
    fifth.awaited.cancel()
    assert fifth.outcome() is event_loop.Cancelled
    assert event_loop._shared.loop is not blocked

    async def later() -> Any:
        return asyncio.get_running_loop()

    assert event_loop.run(later()) is not blocked
    fourth.awaited.cancel()
    assert fourth.outcome() is event_loop.Cancelled
    release.set()
    assert first.outcome() is blocked
    assert second.outcome() is None
    assert third.outcome() is blocked
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0.01), blocked).result(30)
    assert sorted(ran) == ["first", "third"]


def test_a_call_that_the_server_gives_up(caplog: pytest.LogCaptureFixture) -> None:
    """A call that is cancelled from outside has no answer, and no line about an exception; one that is its own has."""
    inside = threading.Event()

    @composition.function
    async def compose(ctx: Any) -> None:
        if ctx.input:
            raise asyncio.CancelledError
        inside.set()
        await asyncio.Event().wait()

    assert cancelled(lambda: compose.run(request()), inside) == b""
    assert not caplog.records
    assert "CancelledError" in run(compose, input={"a": 1}).fatal[0]
    assert "compose() raised" in caplog.text


def test_who_calls_gives_up() -> None:
    """What waits is cancelled when the thread that waits for it is interrupted, and the loop goes on."""
    import signal

    ended = threading.Event()

    async def waiting() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    class _GivenUp(BaseException):
        pass

    def give_up(*_args: Any) -> None:
        raise _GivenUp

    async def loop() -> Any:
        return asyncio.get_running_loop()

    before = event_loop.run(loop())
    handler = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(_GivenUp):
            event_loop.run(waiting())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert ended.wait(10)
    assert event_loop.run(loop()) is before


def test_a_call_leaves_nothing() -> None:
    """After an `async def` call, failed or not, nothing of it is left, without the garbage collector."""
    composites: list[weakref.ref[Any]] = []

    @composition.function
    async def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        composites.append(weakref.ref(xr))
        await asyncio.sleep(0)
        xr.status.bucketName = ctx.resource("bucket", Bucket()).observed.external_name
        if ctx.input:
            raise ValueError("boom")

    gc.collect()
    gc.disable()
    try:
        run(compose, observed={"bucket": samples.bucket({})})
        run(compose, input={"a": 1})
        deadline = time.monotonic() + 10
        # The loop lets go of a task a moment after it has told its outcome.
        while any(one() is not None for one in composites) and time.monotonic() < deadline:
            time.sleep(0.001)
        assert [one() for one in composites] == [None, None]
    finally:
        gc.enable()


PROGRAM = """
import asyncio, os, sys
from crossplane_lite import composition

kept = []

@composition.function
async def compose(ctx):
    await asyncio.sleep(0)
    ctx.results.normal("done")
    kept.append(asyncio.ensure_future(asyncio.Event().wait()))

data = bytes.fromhex(sys.argv[1])
assert b"done" in compose.run(data)
if sys.argv[2] == "fork":
    child = os.fork()
    if child == 0:
        os._exit(0 if b"done" in compose.run(data) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert b"done" in compose.run(data)
print("ended")
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["plain", "fork"])
def test_a_process_with_a_loop(how: str) -> None:
    """A process ends at once and without a word although its loop runs; the child of a fork has a loop of its own."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", PROGRAM, request().hex(), how],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("ended\n", 0)
    lines = [line for line in done.stderr.splitlines() if "DeprecationWarning" not in line and "os.fork" not in line]
    assert not lines


def test_loops_are_made_and_forgotten_one_at_a_time() -> None:
    """While one thread makes a loop, no other one forgets it, nor makes a second one."""
    shared = event_loop._Shared()
    forgetting = threading.Thread(target=shared.forget)
    with shared._lock:
        forgetting.start()
        forgetting.join(0.1)
        assert forgetting.is_alive()
    forgetting.join(60)
    assert not forgetting.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes can't be copied here")
def test_a_copy_of_the_process_waits_for_nothing() -> None:
    """In a copy of the process no thread waits, and the first call there has a loop of its own."""
    program = """
import os, threading, time
from crossplane_lite._core.call import event_loop

inside, leave = threading.Event(), threading.Event()

async def wait():
    inside.set()
    while not leave.is_set():
        await __import__("asyncio").sleep(0.01)

thread = threading.Thread(target=event_loop.run, args=(wait(),), daemon=True)
thread.start()
inside.wait(60)
while event_loop.awaited(thread.ident) is None:  # the loop may be quicker than the thread that waits for it
    time.sleep(0.001)
process = os.fork()
if not process:
    async def fine():
        return 0
    os._exit(0 if event_loop.awaited(thread.ident) is None and event_loop.run(fine()) == 0 else 1)
assert os.waitpid(process, 0)[1] == 0
leave.set()
thread.join(60)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
