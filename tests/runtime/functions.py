"""Composition functions that the tests serve, by name `tests.runtime.functions:...`."""

from __future__ import annotations

import _thread
import atexit
import contextlib
import logging
import os
import threading
import time
import warnings
from typing import Any

from crossplane_lite import Unstructured, composition

plain = "not a composition function"

_together = threading.Barrier(64)


def bucket_of(ctx: composition.Context, location: Any) -> None:
    bucket = Unstructured("storage.gcp.upbound.io/v1beta1", "Bucket")
    bucket.spec.forProvider.location = location
    ctx.resource("bucket", bucket)


@composition.function
def echo(ctx: composition.Context) -> None:
    """Composes a bucket where the composite says."""
    xr = ctx.composite(Unstructured)
    bucket_of(ctx, xr.observed.spec.location)


@composition.function
def many_keys(ctx: composition.Context) -> None:
    """Composes an object with a key for each letter, in no order that anybody would expect."""
    letters = dict.fromkeys("qwertzuiopasdfghjklyxcvbnm", "x")
    ctx.resource("many", Unstructured("v1", "ConfigMap", data=letters, spec={"a": {"d": 1, "c": 2}}))


@composition.function
def failing(ctx: composition.Context) -> None:
    """Raises."""
    raise LookupError("no such bucket class")


class _Ending:
    """Raises an exception when it ends, which Python ignores."""

    def __del__(self) -> None:
        raise LookupError("the end of hunter2hunter2")


def _fail(what: str) -> None:
    raise LookupError(f"{what} with hunter2hunter2")


@composition.function
def noisy(ctx: composition.Context) -> None:
    """Does what Python prints to stderr: ends threads with exceptions, ignores an exception, and warns."""
    thread = threading.Thread(target=_fail, args=("Thread",), name="lookup")
    thread.start()
    thread.join()
    _thread.start_new_thread(_fail, ("_thread",))
    time.sleep(0.5)  # nothing tells when that thread has ended; lines of threads are masked while the call goes on
    _Ending()
    warnings.warn("an old name of hunter2hunter2", stacklevel=1)
    ctx.results.normal(os.environ.get("GRPC_VERBOSITY", "unset"))


@composition.function
def meeting(ctx: composition.Context) -> None:
    """Goes on when 64 calls are in here at the same time."""
    _together.wait(timeout=60)
    bucket_of(ctx, "EU")


@composition.function
def waiting(ctx: composition.Context) -> None:
    """Says through one FIFO of its directory that it runs, and waits at the other."""
    xr = ctx.composite(Unstructured)
    directory = str(xr.observed.spec.directory)
    with open(os.path.join(directory, "running"), "w"):
        pass
    with open(os.path.join(directory, "go")) as go:
        go.read()
    bucket_of(ctx, "EU")


@composition.function
def logging_secrets(ctx: composition.Context) -> None:
    """Logs what it was given as credentials."""
    text = ctx.credentials["cloud"]["password"].decode()
    logging.getLogger("mine").warning("using %s", text, extra={"nested": {"values": [text]}})
    raise ValueError(f"wrong password {text}")


@composition.function
def warning(ctx: composition.Context) -> None:
    """Warns."""
    ctx.results.warning("mind the gap")


@composition.function(name="tests.runtime.functions.requiring")
def requiring(ctx: composition.Context) -> None:
    """Asks for resources of the cluster."""
    ctx.requirements.resources["vpcs"] = composition.ResourceSelector(
        api_version="ec2.aws.upbound.io/v1beta1", kind="VPC", match_labels={"env": "prod"}
    )


@composition.function
def counting(ctx: composition.Context) -> None:
    """Adds a byte to the file that the composite names, and takes a while."""
    xr = ctx.composite(Unstructured)
    file = os.open(str(xr.observed.spec.file), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, b".")
    os.close(file)
    time.sleep(0.002)
    bucket_of(ctx, "EU")


@composition.function
def talking(ctx: composition.Context) -> None:
    """Logs more than a pipe holds."""
    for _ in range(10):
        ctx.log.warning("x" * 100_000)
    bucket_of(ctx, "EU")


@composition.function
def hanging(ctx: composition.Context) -> None:
    """Hangs where the composite asks for it, and composes a bucket where it doesn't."""
    spec = ctx.composite(Unstructured).observed.spec
    if spec.hang:
        while True:
            _sleep_on()
    bucket_of(ctx, spec.location)


def _sleep_on() -> None:
    time.sleep(0.01)


@composition.function
async def sleeping(ctx: composition.Context) -> None:
    """Never ends, unless it is cancelled."""
    import asyncio  # which other functions of this module must not load

    await asyncio.sleep(3600)


@composition.function
async def stubborn(ctx: composition.Context) -> None:
    """Goes on when it is cancelled."""
    import asyncio  # which other functions of this module must not load

    spec = ctx.composite(Unstructured).observed.spec
    while spec.hang:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
    bucket_of(ctx, spec.location)


@composition.function
async def blocking(ctx: composition.Context) -> None:
    """Blocks the event loop that all calls share."""
    spec = ctx.composite(Unstructured).observed.spec
    while spec.hang:
        _sleep_on()
    bucket_of(ctx, spec.location)


@composition.function
def ending(ctx: composition.Context) -> None:
    """Ends its process where the composite asks for it, and says which process it is where it doesn't."""
    spec = ctx.composite(Unstructured).observed.spec
    if spec.end == "always":
        os._exit(3)
    if spec.end == "crash":
        import ctypes

        ctypes.string_at(0)
    if spec.end == "once":
        with contextlib.suppress(FileExistsError):
            os.close(os.open(str(spec.file), os.O_CREAT | os.O_EXCL))
            os._exit(3)
    ctx.results.normal(f"process {os.getpid()}")
    bucket_of(ctx, spec.location)


@composition.function
def forking(ctx: composition.Context) -> None:
    """Forks its process where the composite asks for it: with os.fork(), or with the one of C, or for a program."""
    spec = ctx.composite(Unstructured).observed.spec
    if spec.fork == "os":
        _note_child(str(spec.file), os.fork())
    elif spec.fork == "C":
        import ctypes

        _note_child(str(spec.file), ctypes.PyDLL(None).fork())
    elif spec.fork == "program":
        child = os.fork()
        _note_child(str(spec.file), child)
        if not child:
            os.execvp("no-such-tool", ["no-such-tool"])
    bucket_of(ctx, spec.location)


@composition.function
async def forking_async(ctx: composition.Context) -> None:
    """Forks its process in a coroutine, where the composite asks for it."""
    spec = ctx.composite(Unstructured).observed.spec
    if spec.fork:
        import asyncio  # here, because other functions of this module must be served without it

        _note_child(str(spec.file), os.fork())
        await asyncio.sleep(0)
    bucket_of(ctx, spec.location)


def _note_child(file: str, child: int) -> None:
    """Write a child's number into a file; the child itself leaves a mark there if it runs its exit handlers."""
    if child:
        with open(file, "a") as numbers:
            numbers.write(f"{child}\n")
    else:
        atexit.register(os.mkdir, f"{file}.exit")


@composition.function
def computing(ctx: composition.Context) -> None:
    """Computes for a while."""
    number = 0
    for one in range(100_000):
        number = (number * 31 + one) % 1_000_003
    bucket_of(ctx, str(number))


@composition.function
def counted(ctx: composition.Context) -> None:
    """Composes a bucket, and a grant that waits for it, with a cut text; hangs where the composite asks for it."""
    spec = ctx.composite(Unstructured).observed.spec
    while spec.hang:
        _sleep_on()
    bucket_of(ctx, spec.location)
    grant = Unstructured("example.org/v1", "Grant")
    other = Unstructured("example.org/v1", "Other")
    ctx.resource("other", other)
    grant.spec.other = other.observed.status.id
    grant.spec.short = str(other.observed.status.arn)[:8]
    ctx.resource("grant", grant)
    ctx.results.warning("mind the gap")


@composition.function
def keeping(ctx: composition.Context) -> None:
    """Composes a bucket only where a status is there that isn't there yet."""
    gate = Unstructured("example.org/v1", "Gate")
    ctx.resource("gate", gate)
    if gate.observed.status.open:
        bucket_of(ctx, "EU")


@composition.function
def holding(ctx: composition.Context) -> None:
    """Hangs in C code that keeps all other threads of Python waiting, where the composite asks for it."""
    spec = ctx.composite(Unstructured).observed.spec
    if spec.hang:
        import ctypes

        ctypes.PyDLL(None).sleep(3600)
    bucket_of(ctx, spec.location)
