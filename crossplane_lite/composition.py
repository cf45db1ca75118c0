"""The decorator that makes a composition function out of a typed Python function.

from crossplane_lite import composition

@composition.function
def compose(ctx: composition.Context):
    ...
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from ._answer.answer import respond
from ._call.call import Call
from ._call.callee import Callee
from ._observed import tracker
from .context import Context
from .errors import UsageError, WireError

if TYPE_CHECKING:
    from ._call.requirements import ResourceSelector as ResourceSelector
    from ._call.requirements import SchemaSelector as SchemaSelector
    from ._rehearsal.dependencies import Dependency as Dependency

__all__ = ["Context", "Dependency", "Function", "ResourceSelector", "SchemaSelector", "function"]

Compose = Callable[[Context], "None | Awaitable[None]"]


def __getattr__(name: str) -> Any:
    if name in ("ResourceSelector", "SchemaSelector"):  # most functions ask for nothing
        from ._call import requirements

        return getattr(requirements, name)
    if name == "Dependency":  # what no call needs
        from ._rehearsal.dependencies import Dependency

        return Dependency
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Function(Callee):
    """A composition function: request in, answer out. Made by `function`.

    It is called as `(req, rsp)` with the messages of any implementation, or as `run(bytes)`, which is what the server
    does.

    Attributes:
        name: The step's name, by which it knows its own resources.
        file: The file that compose() is in.
        auto_ready: Whether readiness comes from observed state.
        allow_removal_when_unresolved: Whether existing resources may be lost after a guess.
        usages: Whether Usages keep the order of deletion.
        ttl_seconds: How long Crossplane may use an answer for an identical request, when compose() doesn't say.
    """

    def __init__(
        self,
        compose: Compose,
        name: str,
        *,
        auto_ready: bool = False,
        allow_removal_when_unresolved: bool = False,
        usages: bool = False,
    ) -> None:
        file: str = getattr(getattr(compose, "__code__", None), "co_filename", __file__)
        super().__init__(
            name,
            file,
            auto_ready=auto_ready,
            allow_removal_when_unresolved=allow_removal_when_unresolved,
            usages=usages,
        )
        self._compose = compose
        functools.update_wrapper(self, compose)

    def __repr__(self) -> str:
        return f"<composition function {self.name}>"

    def run(self, data: bytes) -> bytes:
        """Answer one request.

        Args:
            data: The bytes of a RunFunctionRequest, v1 or v1beta1.

        Returns:
            The bytes of the RunFunctionResponse. What goes wrong in compose() is a Fatal result in it.

        Raises:
            WireError: The bytes are malformed, also when that comes to light only while compose() reads.
        """
        call = Call(data, self)
        before = tracker.enter(call)
        problem: BaseException | None = None
        try:
            try:
                self.invoke(call)
            except (WireError, KeyboardInterrupt):
                raise
            except BaseException as error:  # SystemExit and CancelledError too: they must not end more than this call
                problem = error
                call.log.error("compose() raised: %s", _traceback(error))
            answer = respond(call, problem)
            if call.faults:
                raise call.faults[0]
            return answer
        finally:
            problem = None  # its traceback has this frame
            tracker.leave(call, before)
            call.release()

    def dependencies(self, request: bytes) -> list[Dependency]:
        """Return the dependencies that compose() shows for a request, whether they have values by now or not.

        compose() runs a few times for it, as with `usages=True` (`crossplane_lite._rehearsal.rehearse` says how often
        and what it sees there): it must have no effect but through its context. Nothing else comes of these runs: no
        answer, no log lines, and nothing changes in the answers of other calls.

        The composite is passed through field by field: where `a` reads `xr.status.x`, which is set from `b`, there are
        two dependencies, of `a` on `xr.status.x` and of `xr.status.x` on `b`. What is read of the composite's spec and
        metadata, of a required resource's metadata, and what a resource reads of itself is none.

        Args:
            request: The bytes of a RunFunctionRequest.

        Returns:
            Each once, sorted. Where compose() raises, those that it showed until then.

        Raises:
            WireError: The bytes are malformed.
        """
        from ._rehearsal.dependencies import show

        return show(self, request).dependencies

    def invoke(self, call: Call) -> None:
        """Run compose() in a call, to its end."""
        self.call_compose(Context(call))

    def call_compose(self, ctx: Context) -> None:
        """Call compose() with a context, and wait for it where it is `async def`.

        Raises:
            UsageError: It returned something.
        """
        result = self._compose(ctx)
        if inspect.isawaitable(result):
            result = run_awaitable(result)
        if result is not None:
            raise UsageError(
                f"compose() must return nothing (got a {type(result).__name__}); register resources with ctx.resource()"
            )

    def __call__(self, req: Any, rsp: Any) -> None:
        """Answer a request message by filling in an answer message, of any implementation.

        What `rsp` holds already counts: its desired state and context take the place of the request's, its results,
        conditions and requirements stay.

        Args:
            req: A RunFunctionRequest.
            rsp: A RunFunctionResponse of the same implementation.

        Raises:
            WireError: The request holds malformed bytes.
        """
        request = req
        for field in ("desired", "context"):
            if rsp.HasField(field):
                if request is req:
                    request = type(req)()
                    request.CopyFrom(req)
                getattr(request, field).CopyFrom(getattr(rsp, field))
        answer = type(rsp).FromString(self.run(request.SerializeToString()))
        for field in ("desired", "context"):
            rsp.ClearField(field)
        rsp.MergeFrom(answer)

    def main(self, argv: Sequence[str] | None = None) -> None:
        """Serve the function: the entry point of a function's own program.

        Args:
            argv: Command-line arguments; those of the process when not given.
        """
        from .runtime.flags import main

        main(self, argv)


@overload
def function(compose: Compose, /) -> Function: ...


@overload
def function(
    compose: None = None,
    /,
    *,
    name: str | None = None,
    auto_ready: bool = False,
    allow_removal_when_unresolved: bool = False,
    usages: bool = False,
) -> Callable[[Compose], Function]: ...


def function(
    compose: Compose | None = None,
    /,
    *,
    name: str | None = None,
    auto_ready: bool = False,
    allow_removal_when_unresolved: bool = False,
    usages: bool = False,
) -> Function | Callable[[Compose], Function]:
    """Make a composition function out of `compose(ctx)`, which may be `def` or `async def`.

    Args:
        compose: The function, where the decorator is used without arguments.
        name: The step's name; module and function name when it isn't given. It has to stay the same over time: by it
            the step knows which resources are its own.
        auto_ready: Set the readiness of resources from their observed state, where nobody else sets it.
        allow_removal_when_unresolved: Let existing resources go when compose() doesn't register them after it has
            used an unresolved value as a plain one. Otherwise that is a Fatal result.
        usages: Compose a Usage for every dependency between two composed resources, so that Crossplane deletes the
            dependent first. It takes Crossplane v2. compose() is run once more in each call, and a few times more where
            it makes guesses, to see the dependencies of what is resolved: it must have no effect but through `ctx`.

    Raises:
        UsageError: The name is empty, or holds a comma or a colon before a space.
    """

    def decorate(compose: Compose) -> Function:
        _check_compose(compose)
        chosen = name
        if chosen is None:
            chosen = f"{_module_of(compose)}.{getattr(compose, '__qualname__', type(compose).__name__)}"
        if not chosen or "," in chosen or ": " in chosen:
            raise UsageError(f"a function's name must not be empty or hold a comma or ': ' (got {chosen!r})")
        return Function(
            compose,
            chosen,
            auto_ready=auto_ready,
            allow_removal_when_unresolved=allow_removal_when_unresolved,
            usages=usages,
        )

    return decorate if compose is None else decorate(compose)


def _check_compose(compose: Any) -> None:
    if not callable(compose):
        raise UsageError(f"@composition.function is for a function (got {compose!r})")
    if inspect.isgeneratorfunction(compose) or inspect.isasyncgenfunction(compose):
        raise UsageError("compose() must not be a generator: take the 'yield' out of it")
    try:
        inspect.signature(compose).bind(None)
    except TypeError:
        raise UsageError(f"compose() is called with one argument, the Context; {compose!r} can't be") from None
    except ValueError:  # no signature to be had, as for some callables in C
        pass


def _module_of(compose: Compose) -> str:
    """Return the name of a function's module, the same whether it is imported or run as the program itself."""
    module: str = getattr(compose, "__module__", None) or type(compose).__module__
    if module != "__main__":
        return module
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    if spec is not None:  # python -m package.module
        return str(spec.name).removesuffix(".__main__")
    return os.path.splitext(os.path.basename(getattr(main, "__file__", None) or "main"))[0]


def _traceback(error: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


_local = threading.local()


def run_awaitable(awaitable: Awaitable[Any]) -> Any:
    """Run an `async def` compose() to its end, whether or not this thread is in an event loop already."""
    import asyncio

    # Not asked for with get_running_loop(): what compose() raises would name its RuntimeError as context.
    if asyncio._get_running_loop() is None:
        # One loop is kept for each thread, because making one costs more than most calls.
        loop = getattr(_local, "loop", None)
        if loop is None or loop.is_closed():
            loop = _local.loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(awaitable)
        finally:
            # What compose() has left running must not run into the next call.
            for task in asyncio.all_tasks(loop):
                task.cancel()
                loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
    # Called from a coroutine, as in a server of another implementation: a loop can't be entered twice, so a thread of
    # its own.
    import contextvars

    failed: list[BaseException] = []
    returned: list[Any] = []

    def in_thread() -> None:
        try:
            returned.append(asyncio.run(_finish(awaitable)))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(in_thread,))
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return returned[0]


def close_loop() -> None:
    """Close the event loop that is kept for this thread, where there is one, because the thread ends."""
    loop = getattr(_local, "loop", None)
    if loop is not None:
        loop.close()


async def _finish(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
