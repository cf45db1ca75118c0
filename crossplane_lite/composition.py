"""The decorator that makes a composition function out of a typed Python function.

from crossplane_lite import composition

@composition.function
def compose(ctx: composition.Context):
    ...
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, overload

from ._answer.answer import respond
from ._base.type_names import type_in_words
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

# The flags of functions that are generators, and of asynchronous ones.
_GENERATORS = 0x20 | 0x200

Compose = Callable[[Context], "None | Awaitable[None]"]


def __getattr__(name: str) -> Any:
    if name in ("ResourceSelector", "SchemaSelector"):  # most functions ask for nothing
        from ._call import requirements

        return getattr(requirements, name)
    if name == "Dependency":  # things that calls don't need
        from ._rehearsal.dependencies import Dependency

        return Dependency
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Function(Callee):
    """A composition function: request in, answer out. Made by `function`.

    It is called as `(req, rsp)` with the messages of any implementation, or as `run(bytes)`, which the server
    does.

    Attributes:
        name: The step's name, by which it knows its own resources.
        formerly: Names that the function had.
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
        formerly: Sequence[str] = (),
        auto_ready: bool = False,
        allow_removal_when_unresolved: bool = False,
        usages: bool = False,
    ) -> None:
        file: str = getattr(getattr(compose, "__code__", None), "co_filename", __file__)
        super().__init__(
            name,
            file,
            formerly=formerly,
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
            The bytes of the RunFunctionResponse. An error in compose() is a Fatal result in it.

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
        and with which values): it may act only through its context. These runs leave nothing else behind: no
        answer, no log lines, and nothing changes in the answers of other calls.

        The composite is passed through field by field: where `a` reads `xr.status.x`, which is set from `b`, there are
        two dependencies, of `a` on `xr.status.x` and of `xr.status.x` on `b`. Reads of the composite's spec and
        metadata, of a required resource's metadata, and a resource's reads of itself don't count.

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
        if result is None:
            return
        import inspect  # a tenth of a server's start, and a compose() that is a plain function needs none of it

        if inspect.isawaitable(result):
            from ._call import event_loop

            result = event_loop.run(result, self._compose, ctx)
        if result is not None:
            raise UsageError(
                f"compose() must return nothing (got {type_in_words(result)}); register resources with ctx.resource()"
            )

    def __call__(self, req: Any, rsp: Any) -> None:
        """Answer a request message by filling in an answer message, of any implementation.

        The content of `rsp` counts: its desired state and context take the place of the request's, its results,
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
    formerly: Sequence[str] = (),
    auto_ready: bool = False,
    allow_removal_when_unresolved: bool = False,
    usages: bool = False,
) -> Callable[[Compose], Function]: ...


def function(
    compose: Compose | None = None,
    /,
    *,
    name: str | None = None,
    formerly: Sequence[str] = (),
    auto_ready: bool = False,
    allow_removal_when_unresolved: bool = False,
    usages: bool = False,
) -> Function | Callable[[Compose], Function]:
    """Make a composition function out of `compose(ctx)`, which may be `def` or `async def`.

    A `def` runs in the thread of its call. All calls of `async def` functions share one event loop
    (`crossplane_lite._call.event_loop`).

    Args:
        compose: The function, where the decorator is used without arguments.
        name: The step's name; module and function name when it isn't given. It has to stay the same over time: by it
            the step knows which resources are its own.
        formerly: Former names of the function. Resources that it composed under these names are its own as well.
        auto_ready: Set the readiness of resources from their observed state, where nobody else sets it.
        allow_removal_when_unresolved: Let existing resources go when compose() doesn't register them after it has
            used an unresolved value as a plain one. Otherwise they stay as they are where another answer would have
            registered them.
        usages: Compose a Usage for every dependency between two composed resources, so that Crossplane deletes the
            dependent first. It takes Crossplane v2. compose() is run once more in each call, and a few times more where
            it makes guesses, to see the dependencies of resolved values: it may act only through `ctx`.

    Raises:
        UsageError: The name is empty, or holds a comma or a colon before a space.
    """

    def decorate(compose: Compose) -> Function:
        _check_compose(compose)
        chosen = name
        if chosen is None:
            chosen = f"{_module_of(compose)}.{getattr(compose, '__qualname__', type(compose).__name__)}"
        _check_name(chosen)
        return Function(
            compose,
            chosen,
            formerly=_former_names(chosen, formerly),
            auto_ready=auto_ready,
            allow_removal_when_unresolved=allow_removal_when_unresolved,
            usages=usages,
        )

    return decorate if compose is None else decorate(compose)


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name or "," in name or ": " in name:
        raise UsageError(f"a function's name must be a string without a comma or ': ', and not empty (got {name!r})")


def _former_names(name: str, formerly: Sequence[str]) -> Sequence[str]:
    if isinstance(formerly, str):
        raise UsageError(f"'formerly' takes a list of names (got {formerly!r})")
    for former in formerly:
        _check_name(former)
        if former == name:
            raise UsageError(f"'formerly' has the name that the function has now: {name!r}")
    return formerly


def _check_compose(compose: Any) -> None:
    if not callable(compose):
        raise UsageError(f"@composition.function must decorate a function (got {compose!r})")
    if _takes_a_context(compose):
        return
    import inspect  # only for unusual cases

    if inspect.isgeneratorfunction(compose) or inspect.isasyncgenfunction(compose):
        raise UsageError("compose() must not be a generator: take the 'yield' out of it")
    try:
        inspect.signature(compose).bind(None)
    except TypeError:
        name = getattr(compose, "__name__", "compose")
        raise UsageError(
            f"compose() is called with one argument, the Context, and {name} can't be; write "
            f"def {name}(ctx: composition.Context) -> None"
        ) from None
    except ValueError:  # some callables in C have no signature
        pass


def _takes_a_context(compose: Any) -> bool:
    """Say whether it is plain to see that a function can be called with one argument, and isn't a generator."""
    code = getattr(compose, "__code__", None)
    if type(compose) is not FunctionType or code is None or hasattr(compose, "__wrapped__"):
        return False
    needed: int = code.co_argcount - len(compose.__defaults__ or ())
    return code.co_argcount >= 1 and needed <= 1 and not code.co_kwonlyargcount and not code.co_flags & _GENERATORS


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
