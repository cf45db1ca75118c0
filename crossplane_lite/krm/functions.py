"""The decorator `function`, which turns a typed Python function into a KRM function.

    from crossplane_lite import krm

    @krm.function
    def transform(rl: krm.ResourceList[SetLabels]) -> None:
        ...

    if __name__ == "__main__":
        transform.main()

The module isn't called `function`, because the package's attribute of that name is the decorator
itself.
"""

from __future__ import annotations

import atexit
import os
import sys

from .._core.base.texts import type_in_words
from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any, Literal, NoReturn, TypeAlias, overload

    from .resource_list import ResourceList
    from .results import Result
    from .runner import Output

    Body: TypeAlias = Callable[[ResourceList[Any]], Result | None | Awaitable[Result | None]]
    Role: TypeAlias = Literal["transformer", "generator", "validator"]

__all__ = ["Function", "chain", "expect_main", "function"]

ROLES = ("transformer", "generator", "validator")

# Bits of a code object's flags.
_GENERATOR = 0x20
_ASYNC_GENERATOR = 0x200


class Function:
    """A KRM function: it reads a ResourceList, changes it, and writes it. The decorator `function`
    makes it.

    Attributes:
        name: The function's name in messages and in help.
        role: `transformer`, `generator` or `validator`.
        file: The path of the file with the function's code.
    """

    _was_run = False  # whether any function of this process was run

    def __init__(self, body: Body, name: str, role: Role, names: Mapping[str, Any]) -> None:
        self._body = body
        self._names = names  # the local names that the annotation may use
        self._config_class: type[Any] | None = None
        self._is_optional = True
        self._is_resolved = False
        self.name = name
        self.role = role
        code = getattr(body, "__code__", None)
        self.file: str = getattr(code, "co_filename", __file__)
        self.__doc__ = body.__doc__
        self.__name__ = getattr(body, "__name__", name)
        self.__qualname__ = getattr(body, "__qualname__", name)
        self.__module__ = getattr(body, "__module__", type(self).__module__)
        self.__wrapped__ = body

    def __repr__(self) -> str:
        return f"<KRM function {self.name}>"

    def __call__(self, rl: ResourceList[Any]) -> None:
        """Call the Python function with a ResourceList, and wait for its end if it is `async def`.

        Raises:
            UsageError: The Python function returned something other than None or a result that it
                has added.
            Exception: The Python function raised it.
        """
        Function._was_run = True
        result: Any = self._body(rl)
        if result is not None and hasattr(result, "__await__"):
            from .._core.call import event_loop

            result = event_loop.run(result)
        if result is not None and not any(one is result for one in rl.results):
            raise UsageError(
                f"{self.name}() must return nothing (got {type_in_words(result)}); "
                "change rl.items and add to rl.results instead"
            )

    @property
    def description(self) -> str:
        """The function's docstring without its indentation; empty if the function has none."""
        import inspect  # for help only

        return inspect.cleandoc(self.__doc__ or "")

    @property
    def config_class(self) -> type[Any] | None:
        """The class that functionConfig is converted to, such as Config in
        `krm.ResourceList[Config]`.

        It is read from the annotation of the Python function's parameter. None if there is no
        annotation, or if it is `krm.ResourceList` without a class in brackets, or with Any, dict or
        Resource. Then `rl.config` is functionConfig as a Resource.

        Raises:
            UsageError: The parameter's annotation has a name that isn't defined, isn't a
                ResourceList, or has the config class in quotes.
        """
        if not self._is_resolved:
            self._config_class, self._is_optional = _config_class(self._body, self._names)
            self._is_resolved = True
        return self._config_class

    @property
    def is_config_optional(self) -> bool:
        """Whether `rl.config` is None if there is no functionConfig.

        True for `rl: krm.ResourceList[Config | None]`, and without a config class. False for
        `rl: krm.ResourceList[Config]`: then `rl.config` has the defaults of Config, and it is an
        error if a field of Config has no default.

        Raises:
            UsageError: As for `config_class`.
        """
        return self.config_class is None or self._is_optional

    def run(self, data: bytes) -> Output:
        """Run the function on one ResourceList, and return its output.

        Nothing is redirected: the function's prints go to `sys.stdout`. An exception of the
        function isn't raised, except KeyboardInterrupt.

        Args:
            data: A ResourceList in YAML or JSON, such as the content of stdin.

        Returns:
            The bytes for stdout, the text for stderr, and the exit status. If the function raises,
            the ResourceList has a result of severity error, and its items are unchanged. If `data`
            can't be read, stdout is empty, the status is 1, and stderr says why.
        """
        from .._core.base import stdio
        from .runner import run

        Function._was_run = True
        stdio.release()
        return run(self, data)

    def main(self, argv: Sequence[str] | None = None) -> NoReturn:
        """Run the function as a program: from stdin to stdout, or on files, as its arguments say
        (see `--help`).

        Only the ResourceList, or the text that a flag asks for, is written to stdout. Everything
        that the function, a subprocess, or the module below the decorator prints goes to stderr. So
        does text that the module has printed above the decorator, if Python still has it in the
        buffer. After a flush, or with PYTHONUNBUFFERED, it is on stdout already; only
        `crossplane-lite krm run` prevents that.

        Args:
            argv: Command-line arguments without the program's name; by default those of the
                process.

        Raises:
            SystemExit: Always, with the exit status.
        """
        from .._core.base import stdio

        Function._was_run = True
        stdio.repair()
        program = os.path.basename(sys.argv[0]) or self.name
        try:
            raise SystemExit(_main(self, program, sys.argv[1:] if argv is None else list(argv)))
        finally:
            stdio.give_back(ending=True)


def _main(function: Function, program: str, arguments: list[str]) -> int:
    from ..errors import CrossplaneLiteError
    from .runner import serve, tell

    try:
        if not arguments:
            return serve(lambda: function, program)
        from .command import started

        return started(lambda: function, program, arguments)
    except CrossplaneLiteError as error:
        tell(f"{program}: {error}")
        return 2
    except KeyboardInterrupt:
        tell(f"{program}: interrupted")
        return 130


if TYPE_CHECKING:

    @overload
    def function(body: Body, /) -> Function: ...

    @overload
    def function(
        body: None = None, /, *, role: Role = "transformer", name: str | None = None
    ) -> Callable[[Body], Function]: ...


def function(
    body: Body | None = None, /, *, role: Role = "transformer", name: str | None = None
) -> Function | Callable[[Body], Function]:
    """Turn the decorated Python function, which may be `def` or `async def`, into a KRM function.

    The Python function takes a ResourceList, changes it, and returns None, or a result that it has
    added. Its docstring becomes the text of `--help`. If its parameter has the type
    `krm.ResourceList[Config]`, functionConfig is converted to the attrs class Config. With the
    plain `krm.ResourceList`, or without a type, functionConfig stays as it is.

    Args:
        body: The Python function, if the decorator is used without arguments.
        role: `transformer`; `generator`, which makes items from functionConfig; or `validator`,
            which only checks: if it changes items, the changes are dropped and the run fails with
            an error.
        name: The KRM function's name; by default the Python function's name, with dashes for
            underscores.

    Returns:
        The KRM function; the decorator if `body` is None.

    Raises:
        UsageError: The decorated object can't be called with one argument, or is a generator; or
            `role` or `name` isn't valid.
    """
    names: Mapping[str, Any] = {}

    def decorate(body: Body) -> Function:
        _check(body)
        return Function(
            body, name or _name(body), role, names if "<locals>" in _qualified(body) else {}
        )

    if role not in ROLES:
        raise UsageError(f"'role' must be one of {', '.join(map(repr, ROLES))} (got {role!r})")
    if name is not None and (not isinstance(name, str) or not name):
        raise UsageError(f"'name' must be a string that isn't empty (got {name!r})")
    # A class inside of a function isn't in its module's names; only the function's frame has it.
    frame = sys._getframe(1)
    expect_main(frame.f_globals)
    if frame.f_code.co_name != "<module>":
        names = dict(frame.f_locals)
    return decorate if body is None else decorate(body)


def chain(*functions: Function, name: str | None = None) -> Function:
    """Return a KRM function that runs several functions in this order on the same list, until one
    adds an error.

    Each function gets the functionConfig as its own config class.

    Args:
        *functions: The functions.
        name: The function's name; by default the functions' names with `+` between them.

    Raises:
        UsageError: There are no functions, or one isn't a KRM function; or `name` isn't valid.
    """
    if not functions or not all(isinstance(one, Function) for one in functions):
        raise UsageError(f"chain() takes functions made by @krm.function (got {functions!r:.80})")
    expect_main(sys._getframe(1).f_globals)

    def run(rl: ResourceList) -> None:
        for one in functions:
            rl._read_config(one.config_class, needed=not one.is_config_optional)
            if not rl.has_errors:
                one(rl)
            if rl.has_errors:
                return

    run.__doc__ = "\n\n".join(f"{one.name}: {one.description}" for one in functions)
    made = function(name=name or "+".join(one.name for one in functions))(run)
    made.file = functions[0].file
    return made


def expect_main(names: Mapping[str, Any]) -> None:
    """If the module is run as a program, make the program end with status 1 unless it runs a KRM
    function.

    An empty stdout with status 0 would make kpt delete every file. A program that was started with
    arguments may end without a run. Printed text is collected from now on (`stdio.hold`). Nothing
    happens in an imported module, at a prompt or in a notebook.

    Args:
        names: The global names of the module that defines the KRM function.
    """
    # a program, no prompt or notebook
    if names.get("__name__") == "__main__" and "__file__" in names:
        from .._core.base import stdio

        atexit.unregister(_check_used)
        atexit.register(_check_used)
        stdio.hold()


def _check_used() -> None:
    if (
        Function._was_run
        or len(sys.argv) > 1
        or sys.flags.interactive
        or hasattr(sys, "last_value")
    ):
        return  # the program did something else, or has failed already
    from .runner import tell

    tell(
        f"{os.path.basename(sys.argv[0])}: no KRM function was run; the program must end with a"
        " call of the function's main()"
    )
    os._exit(1)  # nothing else changes the exit status here


def _qualified(body: Any) -> str:
    return str(getattr(body, "__qualname__", ""))


def _name(body: Any) -> str:
    return (
        str(getattr(body, "__name__", type(body).__name__)).replace("_", "-").strip("-")
        or "function"
    )


def _check(body: Any) -> None:
    if not callable(body):
        raise UsageError(f"@krm.function takes a function (got {body!r})")
    code = getattr(body, "__code__", None)
    if code is not None and code.co_flags & (_GENERATOR | _ASYNC_GENERATOR):
        raise UsageError(
            f"{_qualified(body)}() must not be a generator: take the 'yield' out of it"
        )
    # Plain functions are checked without the module for signatures, which takes long to import.
    if (
        code is not None
        and code.co_argcount == 1
        and not hasattr(body, "__wrapped__")
        and not code.co_kwonlyargcount
    ):
        return
    import inspect

    try:
        inspect.signature(body).bind(None)
    except TypeError:
        raise UsageError(
            f"{_qualified(body) or repr(body)} must take one argument, the ResourceList"
        ) from None
    except ValueError:  # some callables in C have no signature
        pass


def _config_class(body: Any, names: Mapping[str, Any]) -> tuple[type[Any] | None, bool]:
    """Return the config class of a Python function, and whether the config is None without a
    functionConfig.

    For a parameter of the type `ResourceList[Config]` these are Config and False, and for
    `ResourceList[Config | None]` they are Config and True. Without a type, or with the plain
    `ResourceList`, they are None and True.

    Args:
        body: The Python function.
        names: The local names of the function that defines it; empty for a function at the top of a
            module.

    Raises:
        UsageError: The type has a name that isn't defined, isn't a ResourceList, or has the config
            class in quotes.
    """
    annotation = _annotation(body, names)
    if annotation is None:
        return None, True
    from .resource import Resource
    from .resource_list import ResourceList

    if annotation is ResourceList:
        return None, True
    wanted: tuple[Any, ...] = getattr(annotation, "__args__", ())
    if getattr(annotation, "__origin__", None) is not ResourceList or len(wanted) != 1:
        shown = (
            annotation.__name__ if isinstance(annotation, type) and not wanted else repr(annotation)
        )
        raise UsageError(
            f"the type of the parameter of {_qualified(body)}() must be krm.ResourceList or"
            f" krm.ResourceList[Config] (got {shown})"
        )
    members: tuple[Any, ...] = getattr(wanted[0], "__args__", ())
    options = [one for one in members if one is not type(None)]
    cls: Any = options[0] if len(options) == 1 and len(members) == 2 else wanted[0]
    quoted = cls if isinstance(cls, str) else getattr(cls, "__forward_arg__", None)
    if quoted is not None:
        raise UsageError(
            f"{_qualified(body)}(): write the config class {quoted} in the type of the parameter"
            " without quotes, and define the class before the function"
        )
    # The others ask for functionConfig as it is: a type variable, None, and Any, which is a class
    # from Python 3.11 on.
    is_class = (
        isinstance(cls, type)
        and cls not in (object, dict, Resource, type(None))
        and cls.__module__ != "typing"
    )
    return cls if is_class else None, type(None) in members


def _annotation(body: Any, names: Mapping[str, Any]) -> Any:
    """Return the annotation of a Python function's first parameter; None if it has none, or is a
    plain ResourceList.

    Raises:
        UsageError: A name in the annotation isn't defined.
    """
    try:
        code, known = getattr(body, "__code__", None), getattr(body, "__annotations__", {})
        if code is not None and not hasattr(body, "__wrapped__") and not hasattr(body, "__self__"):
            found = known.get(code.co_varnames[0]) if code.co_argcount else None
            # the module inspect takes long
            if not isinstance(found, str) or found.strip().endswith("ResourceList"):
                return None if isinstance(found, str) else found
        import inspect

        parameters = list(inspect.signature(body, locals=names, eval_str=True).parameters.values())
    except (NameError, AttributeError) as error:
        # Python 3.14 looks names up when annotations are read
        raise UsageError(
            f"the type of the parameter of {_qualified(body)}() can't be looked up: {error}; "
            "import the names in it at run time too, not only under TYPE_CHECKING"
        ) from None
    except TypeError as error:
        raise UsageError(
            f"the type of the parameter of {_qualified(body)}() can't be used: {error}"
        ) from None
    found = parameters[0].annotation
    return None if found is inspect.Parameter.empty else found
