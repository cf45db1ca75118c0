"""Logging for functions that handle raw messages, in parity with `crossplane.function.logging`.

    from crossplane_lite import logging

    logging.configure(level=logging.Level.DEBUG)
    log = logging.get_logger().bind(tag=req.meta.tag)
    log.info("composing", buckets=3)

All lines go through the standard library's `logging`. They look like those of `crossplane-lite serve`: JSON objects on
stderr, or plain text at level DEBUG. Secret values of the request that is being answered are masked. Composition
functions have `ctx.log` instead and don't need this module.
"""

from __future__ import annotations

import enum
import logging
from typing import Any, Final

from ._observed.tracker import mask
from .runtime import log

__all__ = ["Level", "Logger", "configure", "get_logger"]

# A record has these itself, and the standard library refuses extra fields of the same names.
_TAKEN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"asctime", "message"}

_OPTIONS: Final = ("exc_info", "stack_info", "stacklevel")


class Level(enum.Enum):
    """The amount that is logged: nothing, everything, or everything but debug lines."""

    DISABLED = 0
    DEBUG = 1
    INFO = 2


# Above CRITICAL, the highest level that there is.
_LEVELS: Final = {Level.DISABLED: logging.CRITICAL + 1, Level.DEBUG: logging.DEBUG, Level.INFO: logging.INFO}


def configure(level: Level = Level.INFO) -> None:
    """Send the log of this process to stderr: as JSON objects, or as plain text where debug lines are logged.

    Args:
        level: The amount that is logged.
    """
    log.configure(_LEVELS[level], text=level is Level.DEBUG)
    log.set_masker(mask)


def get_logger(name: str = "crossplane_lite.function") -> Logger:
    """Return a logger that takes fields as keyword arguments.

    Args:
        name: The name of the standard library's logger that lines go to.
    """
    return Logger(logging.getLogger(name))


class Logger:
    """A logger that takes fields as keyword arguments. Bound fields are in every line.

    `exc_info`, `stack_info` and `stacklevel` mean what they mean in the standard library. A field that has the name of
    one of a record's own attributes, such as `name`, gets a trailing underscore.

    Args:
        logger: The standard library's logger that lines go to.
        fields: Fields of every line.
    """

    def __init__(self, logger: logging.Logger, fields: dict[str, Any] | None = None) -> None:
        self._logger = logger
        self._fields = fields or {}

    def __repr__(self) -> str:
        return f"<logger {self._logger.name} with {', '.join(self._fields) or 'no fields'}>"  # a value may be secret

    def bind(self, **new_values: Any) -> Logger:
        """Return a logger with these fields in every line, besides those of this one."""
        return Logger(self._logger, {**self._fields, **new_values})

    def unbind(self, *keys: str) -> Logger:
        """Return a logger without these fields.

        Raises:
            KeyError: A field isn't bound.
        """
        for key in keys:
            if key not in self._fields:
                raise KeyError(key)
        return self.try_unbind(*keys)

    def try_unbind(self, *keys: str) -> Logger:
        """Return a logger without these fields, whether or not they are bound."""
        return Logger(self._logger, {key: value for key, value in self._fields.items() if key not in keys})

    def new(self, **new_values: Any) -> Logger:
        """Return a logger with these fields and no others."""
        return Logger(self._logger, new_values)

    def debug(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level DEBUG; the arguments are those of `log`."""
        self._log(logging.DEBUG, event, args, fields)

    def info(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level INFO; the arguments are those of `log`."""
        self._log(logging.INFO, event, args, fields)

    msg = info

    def warning(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level WARNING; the arguments are those of `log`."""
        self._log(logging.WARNING, event, args, fields)

    warn = warning

    def error(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level ERROR; the arguments are those of `log`."""
        self._log(logging.ERROR, event, args, fields)

    def exception(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level ERROR, with the traceback of the exception that is being handled."""
        self._log(logging.ERROR, event, args, {"exc_info": True, **fields})

    def critical(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level CRITICAL; the arguments are those of `log`."""
        self._log(logging.CRITICAL, event, args, fields)

    fatal = critical

    def log(self, level: int, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log a line.

        Args:
            level: The standard library's number.
            event: The message. It can be given by name too.
            *args: What `%` puts into it, if there is any.
            **fields: Fields of the line.
        """
        self._log(level, event, args, fields)

    def is_enabled_for(self, level: int) -> bool:
        """Say whether lines of this level are logged."""
        return self._logger.isEnabledFor(level)

    def _log(self, level: int, event: object, args: tuple[Any, ...], fields: dict[str, Any]) -> None:
        if not self._logger.isEnabledFor(level):
            return
        if event is None:
            event = fields.pop("event", None)
        options = {name: fields.pop(name) for name in _OPTIONS if name in fields}
        # Two frames more than the caller's own, so that the record names the caller's line.
        options["stacklevel"] = options.get("stacklevel", 1) + 2
        named = {**self._fields, **fields}
        extra = {key + "_" if key in _TAKEN else key: value for key, value in named.items()}
        self._logger.log(level, event, *args, extra=extra, **options)
