"""The decorator that turns a Python function, `compose(ctx)`, into a composition function.

For example::

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
from threading import get_ident
from types import FunctionType
from typing import TYPE_CHECKING, Any, overload

from ._core.answer.answer import respond
from ._core.base.texts import type_in_words
from ._core.call.call import Call, Callee, checked_ttl
from ._core.call.registering import former_names
from ._core.observed import tracker
from ._core.observed.tracker import Observer
from .context import Context
from .errors import UsageError, WireError

if TYPE_CHECKING:
    from datetime import timedelta

    from ._core.call.requirements import ResourceSelector as ResourceSelector
    from ._core.call.requirements import SchemaSelector as SchemaSelector
    from ._core.dependencies.dependencies import Dependency as Dependency

__all__ = ["Context", "Dependency", "Function", "ResourceSelector", "SchemaSelector", "function"]

# The flags in a code object of generators and of asynchronous generators.
_GENERATORS = 0x20 | 0x200

Compose = Callable[[Context], "None | Awaitable[None]"]


def __getattr__(name: str) -> Any:
    # most functions require no resources or schemas
    if name in ("ResourceSelector", "SchemaSelector"):
        from ._core.call import requirements

        return getattr(requirements, name)
    if name == "Dependency":  # calls don't need this module
        from ._core.dependencies.dependencies import Dependency

        return Dependency
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Function(Callee):
    """A composition function, which answers requests. The decorator `function` makes it from
    `compose(ctx)`.

    The server calls `run(bytes)`. Code that has protobuf messages, of this package or of the
    official SDK, calls the object itself: `f(req, rsp)`.

    Attributes:
        name: The function's name. The function uses it to recognise the resources that it has
            composed.
        is_named: Whether somebody chose the name. Otherwise it is the path of the module and of
            compose().
        formerly: The function's former names.
        file: The file of compose().
        auto_ready: Whether the readiness of each resource is set from its observed state, unless a
            function sets it.
        protect: Whether what was made with a value stays when the value goes missing.
        usages: Whether a Usage is composed for each dependency, so that Crossplane deletes
            resources in order.
        ttl: How long Crossplane may reuse an answer for an identical request, if compose() doesn't
            set `ctx.ttl`. If None, it follows from the composite's state.
    """

    is_named = True

    def __init__(
        self,
        compose: Compose,
        name: str,
        *,
        formerly: Sequence[str] = (),
        auto_ready: bool = False,
        protect: bool = True,
        usages: bool = False,
        ttl: timedelta | None = None,
    ) -> None:
        file: str = getattr(getattr(compose, "__code__", None), "co_filename", __file__)
        super().__init__(
            name,
            file,
            formerly=formerly,
            auto_ready=auto_ready,
            protect=protect,
            usages=usages,
            ttl=ttl,
        )
        self._compose = compose
        functools.update_wrapper(self, compose)

    def __repr__(self) -> str:
        return f"<composition function {self.name}>"

    def run(self, data: bytes, observer: Observer | None = None) -> bytes:
        """Answer one request.

        Args:
            data: The bytes of a RunFunctionRequest, v1 or v1beta1.
            observer: Is told what compose() does in this call.

        Returns:
            The bytes of the RunFunctionResponse. An exception in compose() becomes a Fatal result.
            Instead, it is only logged if compose() has registered resources and used a missing
            value before, or if Crossplane hasn't answered a requirement yet. Empty if the server
            has cancelled an `async def` after the call's deadline, because then nobody gets the
            answer.

        Raises:
            WireError: The bytes are malformed. Some faults show only when compose() reads the
                value.
            KeyboardInterrupt: Ctrl-C was pressed while compose() ran.
        """
        call = Call(data, self)
        before = tracker.enter(call)
        if observer is not None:
            tracker.observe(call, observer)
        problem: BaseException | None = None
        try:
            try:
                self.invoke(call)
            except (WireError, KeyboardInterrupt):
                raise
            except BaseException as error:
                # SystemExit and CancelledError too: they must not end more than this call
                if _is_given_up(error):
                    return b""
                problem = error
                call.log.error("compose() raised: %s", _traceback(error))
            if observer is not None:
                tracker.take_observer(call)
                observer.ended(call, problem)
            answer = respond(call, problem)
            if call.faults:
                raise call.faults[0]
            return answer
        finally:
            problem = None  # its traceback has this frame
            tracker.leave(call, before)
            call.release()

    def dependencies(self, request: bytes) -> list[Dependency]:
        """Return the dependencies that compose() has for a request, whether their values exist yet
        or not.

        compose() runs up to four times to find them, so it must act only through its context. In
        two of them nothing is observed, and questions about missing values are all answered with
        no, or all with yes; so a dependency that shows only with a mix of answers isn't found. The
        runs give no answer, write no log lines, and don't change the answers of other calls.

        Each field of the composite's status counts by itself, as a resource does. For example, `a`
        reads `xr.status.x`, which is set from `b`. Then there are two dependencies: `a` depends on
        `xr.status.x`, and `xr.status.x` on `b`. Reading the composite's spec or metadata, a
        required resource's metadata, or a field of the same resource is no dependency.

        Args:
            request: The bytes of a RunFunctionRequest.

        Returns:
            The dependencies, sorted, each once. If compose() raises an exception, the dependencies
            found before it.

        Raises:
            WireError: The bytes are malformed.
        """
        from ._core.dependencies.dependencies import show

        return show(self, request).dependencies

    def invoke(self, call: Call) -> None:
        """Run compose() for a call, and return when it ends. An exception of compose() is raised
        here.
        """
        try:
            self.call_compose(Context(call))
        finally:
            call.composing = False
            if call.own_secrets is not None:  # an `async def` runs in another thread
                call.own_secrets.thread = get_ident()

    def call_compose(self, ctx: Context) -> None:
        """Call compose() with a context, and return when it ends. An `async def` is awaited, too.

        Raises:
            UsageError: compose() has returned a value other than None.
            BaseException: compose() raised it.
        """
        result = self._compose(ctx)
        if result is None:
            return
        # a tenth of a server's start, and a compose() that is a plain function needs none of it
        import inspect

        if inspect.isawaitable(result):
            from ._core.call import event_loop

            result = event_loop.run(result)
        if result is not None:
            # No line of compose() is in the traceback any more, so the text names the line where
            # compose() begins.
            code = getattr(self._compose, "__code__", None)
            place = (
                f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"
                if code is not None
                else ""
            )
            raise UsageError(
                f"compose() must return nothing (got {type_in_words(result)}); register resources"
                f" with ctx.resource(){place}"
            )

    def __call__(self, req: Any, rsp: Any) -> None:
        """Answer a request message by filling in a response message. Both may be of this package or
        the official SDK.

        The function continues from the content of `rsp`. If `rsp` has desired state or a context,
        the function reads these there and not in `req`. Results, conditions and requirements are
        added to those of `rsp`.

        Args:
            req: A RunFunctionRequest.
            rsp: A RunFunctionResponse of the same implementation and version. It is changed.

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
        """Serve the function until a signal ends the server. Call this in a program that is one
        function.

        Args:
            argv: The command-line arguments without the program's name; by default those of the
                process.

        Raises:
            SystemExit: The server can't start (the status is 2, and the reason is on stderr), or
                `--help` was given.
        """
        from .runtime.flags import main

        main(self, argv)


def _is_given_up(error: BaseException) -> bool:
    """Return whether the server has cancelled an `async def` after its deadline, and has logged
    that.
    """
    loop = sys.modules.get("crossplane_lite._core.call.event_loop")
    return loop is not None and isinstance(error, loop.Cancelled)


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
    protect: bool = True,
    usages: bool = False,
    ttl: timedelta | None = None,
) -> Callable[[Compose], Function]: ...


def function(
    compose: Compose | None = None,
    /,
    *,
    name: str | None = None,
    formerly: Sequence[str] = (),
    auto_ready: bool = False,
    protect: bool = True,
    usages: bool = False,
    ttl: timedelta | None = None,
) -> Function | Callable[[Compose], Function]:
    """Make a composition function out of `compose(ctx)`, which may be `def` or `async def`.

    A `def` runs in the thread of its call. All `async def` functions share one event loop.

    Args:
        compose: The function `compose(ctx)`, if the decorator is used without arguments.
        name: The function's name; by default the names of its module and of `compose`, joined by a
            dot. The name should never change, because the function uses it to recognise the
            resources that it has composed.
        formerly: The function's former names. The function also recognises the resources that it
            composed under them.
        auto_ready: Whether the readiness of each resource is set from its observed state, unless
            compose() or a previous function sets it.
        protect: Whether a value that was there and goes missing counts as it last was. compose()
            may run up to three times in a call then, so it must act only through `ctx`. With False,
            the code is followed as it is: what an `if` on a missing value leaves out is deleted.
        usages: Whether a Usage is composed for every dependency between two composed resources, so
            that Crossplane deletes the dependent one first. A resource that isn't desired any more
            stays until its dependents are gone. Usages need Crossplane v2. compose() runs once more
            in each call, and twice if it uses missing values as plain ones. A dependency that shows
            only with a mix of answers, such as the middle of `a and b and c`, isn't found.
        ttl: How long Crossplane may reuse an answer for an identical request, and after which time
            it calls again. By default 10 seconds until the composite is Ready and nothing waits,
            and one minute from then on. 0 means for ever, so that only changes bring calls.
            `ctx.ttl` wins.

    Returns:
        The composition function; without `compose`, a decorator that makes it.

    Raises:
        UsageError: A name is empty, isn't a string, or has a comma, a semicolon, or a colon before
            a space; or `formerly` is a string, or has the present name; or `ttl` isn't a timedelta
            from 0 to 10,000 years; or `compose` can't be called with one argument, or is a
            generator.
    """

    def decorate(compose: Compose) -> Function:
        _check_compose(compose)
        chosen = name
        if chosen is None:
            chosen = (
                f"{_module_of(compose)}.{getattr(compose, '__qualname__', type(compose).__name__)}"
            )
        made = Function(
            compose,
            _checked_name(chosen),
            formerly=former_names(
                "@composition.function(formerly=...)", chosen, formerly, _checked_name
            ),
            auto_ready=auto_ready,
            protect=protect,
            usages=usages,
            ttl=None if ttl is None else checked_ttl(ttl),
        )
        made.is_named = name is not None
        return made

    return decorate if compose is None else decorate(compose)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name or "," in name or ";" in name or ": " in name:
        raise UsageError(
            "@composition.function: a name must be a non-empty string without ',', ';' and ': '"
            f" (got {name!r})"
        )
    return name


def _check_compose(compose: Any) -> None:
    if not callable(compose):
        hint = (
            "; give a name as @composition.function(name=...)" if isinstance(compose, str) else ""
        )
        raise UsageError(f"@composition.function must decorate a function (got {compose!r}){hint}")
    if _takes_a_context(compose):
        return
    import inspect  # only for unusual cases

    if inspect.isgeneratorfunction(compose) or inspect.isasyncgenfunction(compose):
        raise UsageError("compose() must not be a generator: take the 'yield' out of it")
    try:
        inspect.signature(compose).bind(None)
    except TypeError:
        name = getattr(compose, "__name__", "")
        if not name.isidentifier():  # a lambda, or an object with __call__
            name = "compose"
        raise UsageError(
            f"compose() is called with one argument, the Context, and {name} can't be; write "
            f"def {name}(ctx: composition.Context) -> None"
        ) from None
    except ValueError:  # some callables in C have no signature
        pass


def _takes_a_context(compose: Any) -> bool:
    """Say whether `compose` can certainly be called with one argument and isn't a generator.

    False means that this quick check can't decide, and `inspect` must.
    """
    code = getattr(compose, "__code__", None)
    if type(compose) is not FunctionType or code is None or hasattr(compose, "__wrapped__"):
        return False
    needed: int = code.co_argcount - len(compose.__defaults__ or ())
    return (
        code.co_argcount >= 1
        and needed <= 1
        and not code.co_kwonlyargcount
        and not code.co_flags & _GENERATORS
    )


def _module_of(compose: Compose) -> str:
    """Return the name of a function's module. For the module that runs as the program, return its
    name in imports.
    """
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
