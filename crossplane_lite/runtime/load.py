"""Imports the function that a command line names, such as `function:compose`."""

from __future__ import annotations

import importlib
import os
import sys

from .._core.base.folder import PACKAGE
from .._core.base.texts import near_name, type_in_words
from ..errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType, TracebackType
    from typing import Any, Protocol

    class Servable(Protocol):
        """The parts of a composition function that a server needs: a name, and a method that
        answers request bytes.
        """

        @property
        def name(self) -> str: ...

        def run(self, request: bytes, /) -> bytes: ...


__all__ = ["load_function", "load_object", "load_runner", "takes_messages"]


def load_function(name: str) -> Servable:
    """Import a function that can be served, and return it: a composition function, or one of those
    of `load_runner`.

    The current directory is put into `sys.path`, as with `python -m`.

    Args:
        name: The module's dotted name, a colon, and the function's name: `package.module:function`.

    Raises:
        InputError: `name` isn't such a name, there is no such module or attribute, importing the
            module fails, or the attribute isn't such a function.
    """
    found = load_runner(name)
    if not _is(found, _FUNCTION):
        from ._message_functions import runner_of

        found = runner_of(found)
    served: Servable = found
    return served


# Classes of functions are recognised by name: their modules import this module, and importing, for
# example, the class of KRM functions just to compare would take too long.
_FUNCTION = "crossplane_lite.composition.Function"
_OTHERS = {
    _FUNCTION: "a composition function; krm.from_composition makes a KRM function of it",
    "crossplane_lite.krm.functions.Function": (
        "a KRM function, which `crossplane-lite krm run` runs"
    ),
}


def load_runner(name: str) -> Any:
    """Import a composition function or a function that handles raw messages, and return it.

    A function that handles raw messages is an object with a method RunFunction, or a class of such
    objects, or a `compose(req, rsp)`. If `name` names a class, a new instance is returned; for a
    `compose(req, rsp)`, an object with a method RunFunction that calls it. The current directory is
    put into `sys.path`, as with `python -m`.

    Args:
        name: The module's dotted name, a colon, and the function's name: `package.module:function`.

    Raises:
        InputError: `name` isn't such a name, there is no such module or attribute, importing the
            module fails, the attribute is an object of another kind, or calling the class without
            arguments fails.
    """
    found = load_object(
        name, _FUNCTION, "composition function", "@composition.function", "compose", _is_runner
    )
    if takes_messages(found):
        from .._core.compat.pairs import Pair

        return Pair(found)
    if isinstance(found, type):
        try:
            return found()
        except Exception as e:
            failed = _failed(f"the class {name} is called without arguments, and that failed", e)
            hint = (
                "; if it needs some, make an object in the module, and name the object"
                if type(e) is TypeError
                else ""
            )
            raise InputError(f"{failed}{hint}") from e
    return found


def _is_runner(value: object) -> bool:
    return callable(getattr(value, "RunFunction", None)) or takes_messages(value)


def takes_messages(value: object) -> bool:
    """Return whether a value is a plain function of two arguments, as `compose(req, rsp)`."""
    code = getattr(value, "__code__", None)
    needed = (
        0 if code is None else code.co_argcount - len(getattr(value, "__defaults__", None) or ())
    )
    return type(value) is type(takes_messages) and needed == 2


def load_object(
    name: str,
    cls: str,
    called: str,
    decorator: str,
    example: str,
    also: Callable[[object], bool] | None = None,
) -> Any:
    """Import an object that a decorator has made, such as a composition function, and return it.

    The current directory is put into `sys.path`, as with `python -m`.

    Args:
        name: The module's dotted name, a colon, and the object's name: `package.module:function`.
        cls: The full name of the class that the object must have, such as
            `crossplane_lite.composition.Function`.
        called: The word for such an object in messages, such as `KRM function`.
        decorator: The decorator that makes such objects, such as `@composition.function`, for
            messages.
        example: The name of such an object in the examples of messages, such as `compose`.
        also: Returns whether an object of another class is accepted, too; None if no other object
            is.

    Raises:
        InputError: `name` isn't such a name, there is no such module or attribute, importing the
            module fails, or the attribute isn't such an object.
    """
    module_name, colon, attribute = name.partition(":")
    if attribute and module_name.endswith(".py"):
        meant = f"{os.path.basename(module_name)[:-3]}:{attribute}"
        raise InputError(
            f"{name} names a file, not a module: run the command in the file's folder, with {meant}"
        )
    if (
        not colon
        or not attribute
        or not all(part.isidentifier() for part in module_name.split("."))
    ):
        raise InputError(
            f"{name!r} is not module:function, for example main:{example} or"
            f" package.module:{example}, with names that Python can import"
        )
    module = _import(module_name)
    try:
        found = getattr(module, attribute)
    except AttributeError:
        raise InputError(
            f"module {module_name} has no {attribute!r}{_hint(module, attribute, cls, called)}"
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as e:  # the module's own __getattr__ may raise anything
        raise _failed(f"{attribute!r} of module {module_name} can't be read", e) from e
    if also is not None and also(found):
        return found
    if not _is(found, cls):
        other = _OTHERS.get(_full_name(type(found)))
        hint = (
            other
            or f"{type_in_words(found)}, not a {called}; is the decorator {decorator} missing?"
        )
        if also is not None and other is None:
            hint += (
                " compose(req, rsp) and an object with a method RunFunction(request, context)"
                " work too"
            )
        raise InputError(f"{name} is {hint}")
    return found


def _import(name: str) -> ModuleType:
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as e:
        if e.name is not None and (name + ".").startswith(e.name + "."):
            near = _near_module(here, e.name)
            raise InputError(
                f"there is no module {e.name!r} in {here} or among the installed packages{near}"
            ) from None
        if e.name is None:
            raise _failed(f"module {name} can't be imported", e) from e
        raise InputError(
            f"module {name} can't be imported: there is no module {e.name!r} in {here} or among the"
            " installed"
            f" packages{_near_module(here, e.name)}{_place(e.__traceback__)}{_generating(e.name)}"
        ) from e
    except KeyboardInterrupt:
        raise
    except BaseException as e:  # SystemExit, too
        raise _failed(f"module {name} can't be imported", e) from e


def _near_module(folder: str, name: str) -> str:
    """Return a hint with the module in `folder` whose name is most similar to `name`; "" if no name
    is similar.
    """
    import pkgutil  # here, because only messages about mistakes need it

    *way, _ = name.split(".")
    found = pkgutil.iter_modules([os.path.join(folder, *way)])
    return near_name(name, sorted(".".join([*way, one.name]) for one in found))


def _generating(name: str) -> str:
    """Return a hint on how models are generated if the missing module `name` has `model` in its
    name; otherwise "".
    """
    parts = name.split(".")
    end = next((at for at, part in enumerate(parts, 1) if "model" in part), 0)
    if not end:
        return ""
    is_ours = parts[0] == "crossplane_lite"  # models never go into the installed package
    folder = "models" if is_ours else "/".join(parts[:end])
    if parts[end : end + 2] == ["io", "k8s"]:
        return (
            "; crossplane-lite add kubernetes KIND makes the models of Kubernetes' own kinds, in"
            f" {folder}"
        )
    return f"; models are made by: crossplane-lite generate DEFINITIONS -o {folder}"


def _failed(problem: str, error: BaseException) -> InputError:
    import logging  # here, because a short process such as a KRM function doesn't need it otherwise

    from .._core.base.texts import line
    from .._core.call.lookups import advice

    logging.getLogger(__name__).debug("%s", problem, exc_info=error)
    try:
        text = f"{type(error).__name__}: {' '.join(str(error).split())}"
        text += advice(error, _authors_line(error.__traceback__)[0])
    except Exception:  # the exception's own __str__ has failed
        text = type(error).__name__
    return InputError(f"{problem}: {line(text)}{_place(error.__traceback__)}")


def _is(value: object, cls: str) -> bool:
    """Return whether a value is an instance of the class with the full name `cls`. This runs no
    code of the value.
    """
    return any(_full_name(one) == cls for one in type(value).__mro__)


def _full_name(cls: type[object]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _place(trace: TracebackType | None) -> str:
    """Return the place of `_authors_line` as ` (file, line 5)`."""
    file, line = _authors_line(trace)
    return f" ({file}, line {line})" if file else ""


def _authors_line(trace: TracebackType | None) -> tuple[str, int]:
    """Return file and line of the innermost frame that is neither in this package nor in importlib;
    else `"", 0`.
    """
    file, line = "", 0
    while trace is not None:
        found = trace.tb_frame.f_code.co_filename
        skipped = found.startswith(("<frozen", PACKAGE)) or os.path.dirname(
            found
        ) == os.path.dirname(importlib.__file__)
        if not skipped:
            file, line = found, trace.tb_lineno
        trace = trace.tb_next
    return ("", 0) if file == __file__ else (file, line)


def _hint(module: ModuleType, attribute: str, cls: str, called: str) -> str:
    try:
        values = vars(module)
    except Exception:  # code may have put any object into sys.modules
        values = {}
    found = sorted(
        name for name, value in values.items() if isinstance(name, str) and _is(value, cls)
    )
    return near_name(attribute, found) or (
        f"; its {called}s: {', '.join(found)}" if found else f" and no {called} at all"
    )
