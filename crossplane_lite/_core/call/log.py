"""The logger of a call.

Its lines are for people: secret values are masked, and a placeholder for a missing value is shown as the value's path.
"""

from __future__ import annotations

import logging
import traceback
from typing import Any

from ..base.excerpts import LONGEST_LOGGED
from ..observed.tracker import Tracker

__all__ = ["log_for"]


class _CallLogger(logging.LoggerAdapter):  # type: ignore[type-arg]  # generic only for checkers before Python 3.11
    """A logger that shows each message for people: secret values masked, placeholders as paths, and long messages cut.

    Each message is formatted before handlers get it, so that its arguments and tracebacks are masked too.
    """

    def __init__(self, logger: logging.Logger, call: Tracker) -> None:
        super().__init__(logger, {})
        self._call = call

    def log(self, level: int, msg: object, *args: Any, **kwargs: Any) -> None:
        if self.isEnabledFor(level):
            text = str(msg) % args if args else str(msg)
            if kwargs.pop("exc_info", None):
                text += "\n" + traceback.format_exc().rstrip()  # masked with the message, whatever formats the record
            # This function is one frame more than the adapter has: so the record names the author's line.
            kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
            self.logger.log(level, "%s", self._call.show_capped(text, LONGEST_LOGGED), **kwargs)


def log_for(name: str, call: Tracker) -> logging.LoggerAdapter:  # type: ignore[type-arg]  # as above
    """Return the logger `crossplane_lite.function.<name>` for `call`, with secret values masked in its lines."""
    return _CallLogger(logging.getLogger(f"crossplane_lite.function.{name}"), call)
