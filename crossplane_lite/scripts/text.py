"""Compiles scripts, and keeps the 64 that were used last."""

from __future__ import annotations

import hashlib
import linecache
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from .._base.sentinels import NULL, UNSET
from ..composition import Function, function
from ..errors import InputError
from ..observable import Observable, apply
from ..unstructured import Unstructured

__all__ = ["FILE", "LARGEST", "compiled"]

FILE: Final = "/composition/script"
"""The file name that error messages show for every script: its last part, `script`, and the line in the script."""

LARGEST: Final = 256 * 1024
"""The most bytes that a script may have. A whole Composition can't have more than about a megabyte."""

# The number of compiled scripts that are kept. The script that was not used for the longest time is dropped first.
_MOST: Final = 64

_kept: OrderedDict[bytes, Callable[[Any], Any]] = OrderedDict()
_lock = threading.Lock()


def compiled(text: str) -> Callable[[Any], Any]:
    """Return the function `compose` of a script.

    The script is compiled and its statements are run, in a new namespace. That isn't done again as long as the same
    text is among the 64 that were used last.

    Args:
        text: The text of the script.

    Raises:
        InputError: The text is too large, isn't Python (the message has the line), or defines no function `compose`.
        UsageError: `compose` can't be called with one argument, or is a generator.
        Exception: A statement of the script raised it.
    """
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > LARGEST:
        raise InputError(
            f"the script has {len(data):,} bytes; it must have at most {LARGEST:,}: move code into a packaged function"
        )
    key = hashlib.sha256(data).digest()
    with _lock:
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
            return found
    made = _made(text, _file(key))
    with _lock:
        made = _kept.setdefault(key, made)
        while len(_kept) > _MOST:
            gone, _ = _kept.popitem(last=False)
            linecache.cache.pop(_file(gone), None)
    return made


def _file(key: bytes) -> str:
    """Return a variant of FILE for one script, such as `/composition/0a1b2c3d/../script`.

    Each script needs a file name of its own, so that tracebacks show its lines.

    Args:
        key: A hash of the script's text.
    """
    folder, _, name = FILE.rpartition("/")
    return f"{folder}/{key.hex()[:8]}/../{name}"


def _made(text: str, file: str) -> Callable[[Any], Any]:
    try:
        code = compile(text, file, "exec", dont_inherit=True)
    except SyntaxError as e:
        line = f", line {e.lineno}" if e.lineno is not None else ""
        raise InputError(f"the script{line}: {e.msg}{_quoted(e.text)}") from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as e:
        raise InputError(f"the script can't be compiled: {e or type(e).__name__}") from None
    names: dict[str, Any] = {
        **{"__name__": "script", "__file__": file, "__builtins__": __builtins__},
        **{"NULL": NULL, "UNSET": UNSET, "Observable": Observable, "Unstructured": Unstructured, "apply": apply},
        "composition": sys.modules[Function.__module__],
    }
    # So that tracebacks in the log show the lines of the script.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(code, names)
    found = names.get("compose")
    if isinstance(found, Function):  # the script uses the decorator @composition.function
        return found.call_compose
    if not callable(found):
        raise InputError("the script has no compose(ctx): it must define a function of that name")
    return function(name="script")(found).call_compose


def _quoted(line: str | None) -> str:
    return f": {line.strip():.80}" if line and line.strip() else ""
