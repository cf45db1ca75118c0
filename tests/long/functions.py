"""What the long run serves: a function in which each call does something else."""

from __future__ import annotations

import asyncio
import sys
import threading
from types import FrameType
from typing import Any

from crossplane_lite import Unstructured, composition

__all__ = ["call_threads", "mixed", "mixed_async"]

# Where the threads of both transports wait for a call, and where h2's leader waits for sockets.
_FREE = ("_work", "_worker", "_lead_until_job")


def call_threads() -> tuple[int, list[str]]:
    """Return how many threads of this process are for calls, and the stacks of those that have one now."""
    frames = sys._current_frames()
    pool = [thread for thread in threading.enumerate() if thread.name.startswith("call_") and thread.ident in frames]
    stacks = [_stack(frames[thread.ident or 0]) for thread in pool]
    return len(pool), [" < ".join(stack) for stack in stacks if stack[0] not in _FREE and _FREE[2] not in stack]


def _stack(frame: FrameType | None) -> list[str]:
    """Return the functions that a thread is in, the innermost first."""
    names = []
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names


@composition.function(auto_ready=True)
def mixed(ctx: Any) -> None:
    """Do what the composite says: compose, wait, say, raise, guess, start a thread."""
    xr = ctx.composite(Unstructured)
    what = str(xr.observed.spec.what)
    bucket = ctx.resource("bucket", Unstructured("v1", "Bucket"))
    bucket.spec.location = xr.observed.spec.location
    other = ctx.resource("other", Unstructured("v1", "Bucket"))
    other.spec.name = f"x-{bucket.observed.status.id}"
    if what == "threads":
        bucket.spec.threads, bucket.spec.busy = call_threads()
    if what == "raise":
        raise LookupError(f"no such thing: {what * 100}")
    if what == "say":
        for number in range(20):
            ctx.results.warning(f"result {number} of hunter2hunter2")
            ctx.log.debug("line %d", number)
    if what == "guess" and bucket.observed.status.id == "a":
        ctx.resource("guessed", Unstructured("v1", "Bucket"))
    if what == "thread":
        thread = threading.Thread(target=ctx.log.debug, args=("from a thread",))
        thread.start()
        thread.join()
    if what == "secret":
        ctx.connection_secret({"password": "made-of-nothing", "port": 5432}, namespace="default")
        ctx.results.normal("made-of-nothing")


@composition.function
async def mixed_async(ctx: Any) -> None:
    """The same, on the loop that all calls share."""
    await asyncio.sleep(0)
    mixed.call_compose(ctx)
