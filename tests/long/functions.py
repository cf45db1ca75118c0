"""What the long run serves: a function in which each call does something else."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from crossplane_lite import Unstructured, composition

__all__ = ["mixed", "mixed_async"]


@composition.function(auto_ready=True)
def mixed(ctx: Any) -> None:
    """Do what the composite says: compose, wait, say, raise, guess, start a thread."""
    xr = ctx.composite(Unstructured)
    what = str(xr.observed.spec.what)
    bucket = ctx.resource("bucket", Unstructured("v1", "Bucket"))
    bucket.spec.location = xr.observed.spec.location
    other = ctx.resource("other", Unstructured("v1", "Bucket"))
    other.spec.name = f"x-{bucket.observed.status.id}"
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
