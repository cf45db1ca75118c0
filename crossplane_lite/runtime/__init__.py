"""Runs a function as a process: command-line flags, the gRPC server, logging.

A function that handles raw messages is an object with a method `RunFunction(request, context)`,
which takes and returns protobuf messages. For such functions, this package has the names of the
official SDK's `crossplane.function.runtime`, and `main`, which reads the flags of the functions
specification. The names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._message_functions import SERVICE_NAMES as SERVICE_NAMES
    from ._message_functions import SHUTDOWN_GRACE_PERIOD_SECONDS as SHUTDOWN_GRACE_PERIOD_SECONDS
    from ._message_functions import BetaFunctionRunner as BetaFunctionRunner
    from ._message_functions import load_credentials as load_credentials
    from ._message_functions import main as main
    from ._message_functions import serve as serve

__all__ = [
    "SERVICE_NAMES",
    "SHUTDOWN_GRACE_PERIOD_SECONDS",
    "BetaFunctionRunner",
    "load_credentials",
    "main",
    "serve",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Imported only now, because it imports asyncio, which the other modules of this package don't
    # need.
    from . import _message_functions

    globals().update((each, getattr(_message_functions, each)) for each in __all__)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
