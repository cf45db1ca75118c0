"""Compiles scripts, and keeps the 64 that were used last."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from typing import Any, Final

from .._core.base.hashes import sha256
from .._core.base.kept import Kept
from .._core.base.sentinels import NULL, UNSET
from ..composition import Function, function
from ..errors import InputError
from ..observable import Observable, apply
from ..unstructured import Unstructured

FILE: Final = "/composition/script"
"""The file name that error messages show for every script: its last part, `script`, and the line in
the script.
"""

LARGEST: Final = 256 * 1024
"""The most bytes that a script may have. A whole Composition can't have more than about a
megabyte.
"""

_kept: Final[Kept[Callable[[Any], Any]]] = Kept(
    64, lambda key: linecache.cache.pop(_file(key), None)
)
_executed: Final[Kept[dict[str, Any]]] = Kept(64, lambda key: linecache.cache.pop(_file(key), None))


def compiled(text: str) -> Callable[[Any], Any]:
    """Return the function `compose` of a script.

    The script is compiled and its statements are run, in a new namespace. That isn't done again as
    long as the same text is among the 64 that were used last.

    Args:
        text: The text of the script.

    Raises:
        InputError: The text is too large, isn't Python (the message has the line), or defines no
            function `compose`.
        UsageError: `compose` can't be called with one argument, or is a generator.
        Exception: A statement of the script raised it.
    """
    key = _key(text)
    return _kept.get(key, lambda: _made(text, _file(key)))


def executed(text: str) -> dict[str, Any]:
    """Return the names that a script has defined, in a new namespace. They are kept as those of
    `compiled`.

    Raises:
        InputError: The text is too large, or isn't Python (the message has the line).
        Exception: A statement of the script raised it.
    """
    key = _key(text)
    return _executed.get(key, lambda: _names(text, _file(key)))


def _key(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > LARGEST:
        raise InputError(
            f"the script has {len(data):,} bytes; it must have at most {LARGEST:,}: move code into"
            " a packaged function"
        )
    return sha256(data).digest()


def _file(key: bytes) -> str:
    """Return a variant of FILE of a script's own for tracebacks, such as
    `/composition/0a1b2c3d/../script`.
    """
    folder, _, name = FILE.rpartition("/")
    return f"{folder}/{key.hex()[:8]}/../{name}"


def _names(text: str, file: str) -> dict[str, Any]:
    try:
        code = compile(text, file, "exec", dont_inherit=True)
    except SyntaxError as e:
        line = f", line {e.lineno}" if e.lineno is not None else ""
        raise InputError(f"the script{line}: {e.msg}{_quoted(e.text)}") from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as e:
        raise InputError(f"the script can't be compiled: {e or type(e).__name__}") from None
    names: dict[str, Any] = {
        **{"__name__": "script", "__file__": file, "__builtins__": __builtins__},
        **{
            "NULL": NULL,
            "UNSET": UNSET,
            "Observable": Observable,
            "Unstructured": Unstructured,
            "apply": apply,
        },
        "composition": sys.modules[Function.__module__],
    }
    # So that tracebacks in the log show the lines of the script.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(code, names)
    return names


def _made(text: str, file: str) -> Callable[[Any], Any]:
    found = _names(text, file).get("compose")
    if isinstance(found, Function):  # the script uses the decorator @composition.function
        return found.call_compose
    if not callable(found):
        raise InputError("the script has no compose(ctx): it must define a function of that name")
    return function(name="script")(found).call_compose


def _quoted(line: str | None) -> str:
    return f": {line.strip():.80}" if line and line.strip() else ""
