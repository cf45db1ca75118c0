"""Logging for functions that handle raw messages, with the names of `crossplane.function.logging`.

    from crossplane_lite import logging

    logging.configure(level=logging.Level.DEBUG)
    log = logging.get_logger().bind(tag=req.meta.tag)
    log.info("composing", buckets=3)

Every line goes through the standard library's `logging`, and looks like the lines of `crossplane-lite serve`: JSON
objects on stderr, or text at level DEBUG. Secret values of the request that is being answered are masked. Composition
functions use `ctx.log` instead.
"""

from __future__ import annotations

import enum
import logging
from typing import Any, Final

from ._observed.tracker import mask
from .runtime import log

__all__ = ["Level", "Logger", "configure", "get_logger"]

# The attributes of every record. The standard library refuses extra fields with these names.
_TAKEN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"asctime", "message"}

_OPTIONS: Final = ("exc_info", "stack_info", "stacklevel")


class Level(enum.Enum):
    """How much is logged: DISABLED logs nothing, DEBUG all lines, INFO all but debug lines."""

    DISABLED = 0
    DEBUG = 1
    INFO = 2


# DISABLED is above CRITICAL, the highest level of the standard library.
_LEVELS: Final = {Level.DISABLED: logging.CRITICAL + 1, Level.DEBUG: logging.DEBUG, Level.INFO: logging.INFO}


def configure(level: Level = Level.INFO) -> None:
    """Send the log lines of this process to stderr, with secret values of the request masked.

    Args:
        level: How much is logged. Lines are text for people with `Level.DEBUG`, and JSON objects otherwise.
    """
    log.configure(_LEVELS[level], text=level is Level.DEBUG)
    log.set_masker(mask)


def get_logger(name: str = "crossplane_lite.function") -> Logger:
    """Return a logger that takes fields as keyword arguments.

    Args:
        name: The name of the standard library's logger that gets the lines.
    """
    return Logger(logging.getLogger(name))


class Logger:
    """A logger that takes fields as keyword arguments. `bind` returns a logger that adds fields to each of
    its lines.

    The keyword arguments `exc_info`, `stack_info` and `stacklevel` are options of the standard library, and not fields.
    A field whose name a log record already has, such as `name`, gets a trailing underscore.

    Args:
        logger: The standard library's logger that gets the lines.
        fields: The fields of every line.
    """

    def __init__(self, logger: logging.Logger, fields: dict[str, Any] | None = None) -> None:
        self._logger = logger
        self._fields = fields or {}

    def __repr__(self) -> str:
        return f"<logger {self._logger.name} with {', '.join(self._fields) or 'no fields'}>"  # a value may be secret

    def bind(self, **new_values: Any) -> Logger:
        """Return a logger whose lines have these fields too. A field of the same name is replaced."""
        return Logger(self._logger, {**self._fields, **new_values})

    def unbind(self, *keys: str) -> Logger:
        """Return a logger whose lines don't have these fields.

        Raises:
            KeyError: A field isn't bound.
        """
        for key in keys:
            if key not in self._fields:
                raise KeyError(key)
        return self.try_unbind(*keys)

    def try_unbind(self, *keys: str) -> Logger:
        """Return a logger whose lines don't have these fields; names of fields that aren't bound are ignored."""
        return Logger(self._logger, {key: value for key, value in self._fields.items() if key not in keys})

    def new(self, **new_values: Any) -> Logger:
        """Return a logger whose lines have these bound fields and no others."""
        return Logger(self._logger, new_values)

    def debug(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level DEBUG; the arguments are those of `log`, without `level`."""
        self._log(logging.DEBUG, event, args, fields)

    def info(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level INFO; the arguments are those of `log`, without `level`."""
        self._log(logging.INFO, event, args, fields)

    msg = info

    def warning(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level WARNING; the arguments are those of `log`, without `level`."""
        self._log(logging.WARNING, event, args, fields)

    warn = warning

    def error(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level ERROR; the arguments are those of `log`, without `level`."""
        self._log(logging.ERROR, event, args, fields)

    def exception(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level ERROR, with the traceback of the exception that is being handled.

        The arguments are those of `log`, without `level`.
        """
        self._log(logging.ERROR, event, args, {"exc_info": True, **fields})

    def critical(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log at level CRITICAL; the arguments are those of `log`, without `level`."""
        self._log(logging.CRITICAL, event, args, fields)

    fatal = critical

    def log(self, level: int, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log a line.

        Args:
            level: The number of a level, such as `logging.INFO` of the standard library.
            event: The message. It can also be given as the keyword argument `event`.
            *args: Values for the message's `%` placeholders.
            **fields: Fields of this line.
        """
        self._log(level, event, args, fields)

    def is_enabled_for(self, level: int) -> bool:
        """Say whether lines of `level`, one of the standard library's numbers, are logged."""
        return self._logger.isEnabledFor(level)

    def _log(self, level: int, event: object, args: tuple[Any, ...], fields: dict[str, Any]) -> None:
        if not self._logger.isEnabledFor(level):
            return
        if event is None:
            event = fields.pop("event", None)
        options = {name: fields.pop(name) for name in _OPTIONS if name in fields}
        # Skip this method and the public one that called it, so that the record names the caller's line.
        options["stacklevel"] = options.get("stacklevel", 1) + 2
        named = {**self._fields, **fields}
        extra = {key + "_" if key in _TAKEN else key: value for key, value in named.items()}
        self._logger.log(level, event, *args, extra=extra, **options)
