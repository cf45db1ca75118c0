"""Logging for functions that handle raw messages.

The names are those of the official Python SDK's `crossplane.function.logging`::

    from crossplane_lite import logging

    logging.configure(level=logging.Level.DEBUG)
    log = logging.get_logger().bind(tag=req.meta.tag)
    log.info("composing", buckets=3)

Every line goes through the standard library's `logging`, and looks like the lines of
`crossplane-lite serve`: JSON objects on stderr, or text at level DEBUG. Secret values of the
current request are masked. Functions with the decorator `composition.function` use `ctx.log`
instead.
"""

from __future__ import annotations

import enum
import logging
from typing import Any, Final

from ._core.observed.tracker import mask
from .runtime import log

__all__ = ["Level", "Logger", "configure", "get_logger"]

# The attributes of every record. The standard library refuses extra fields with these names.
_TAKEN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"asctime", "message"}

_OPTIONS: Final = ("exc_info", "stack_info", "stacklevel")


class Level(enum.Enum):
    """How much is logged: nothing (DISABLED), all lines (DEBUG), or all lines except debug lines
    (INFO).
    """

    DISABLED = 0
    DEBUG = 1
    INFO = 2


# DISABLED is above CRITICAL, the highest level of the standard library.
_LEVELS: Final = {
    Level.DISABLED: logging.CRITICAL + 1,
    Level.DEBUG: logging.DEBUG,
    Level.INFO: logging.INFO,
}


def configure(level: Level = Level.INFO) -> None:
    """Send all log lines of this process to stderr, and nowhere else. Secret values of the current
    request are masked.

    Args:
        level: How much is logged. With `Level.DEBUG`, lines are text for people; otherwise they are
            JSON objects.
    """
    log.configure(_LEVELS[level], text=level is Level.DEBUG)
    log.set_masker(mask)


def get_logger(name: str = "crossplane_lite.function") -> Logger:
    """Return a logger that takes fields as keyword arguments, as in
    `log.info("composing", buckets=3)`.

    Args:
        name: The name of the standard library's logger that gets the lines.
    """
    return Logger(logging.getLogger(name))


class Logger:
    """A logger that takes fields as keyword arguments. `bind` returns a logger with fields for
    every line.

    The keyword arguments `exc_info`, `stack_info` and `stacklevel` are options of the standard
    library, not fields. If a field has a name that every log record has already, such as `name`,
    `_` is added to the field's name.

    Args:
        logger: The standard library's logger that gets the lines.
        fields: The fields of every line.
    """

    def __init__(self, logger: logging.Logger, fields: dict[str, Any] | None = None) -> None:
        self._logger = logger
        self._fields = fields or {}

    def __repr__(self) -> str:
        # a value may be secret
        return f"<logger {self._logger.name} with {', '.join(self._fields) or 'no fields'}>"

    def bind(self, **new_values: Any) -> Logger:
        """Return a logger whose lines have these fields, too. A bound field of the same name is
        replaced.
        """
        return Logger(self._logger, {**self._fields, **new_values})

    def unbind(self, *keys: str) -> Logger:
        """Return a logger whose lines don't have these bound fields.

        Args:
            *keys: The names of the fields.

        Raises:
            KeyError: No field of this name is bound.
        """
        for key in keys:
            if key not in self._fields:
                raise KeyError(key)
        return self.try_unbind(*keys)

    def try_unbind(self, *keys: str) -> Logger:
        """Return a logger whose lines don't have these bound fields. Names of fields that aren't
        bound are ignored.
        """
        return Logger(
            self._logger, {key: value for key, value in self._fields.items() if key not in keys}
        )

    def new(self, **new_values: Any) -> Logger:
        """Return a logger whose lines have only these bound fields, and none of this logger's."""
        return Logger(self._logger, new_values)

    def debug(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log a line at level DEBUG. The arguments are those of `log` without `level`."""
        self._log(logging.DEBUG, event, args, fields)

    def info(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log a line at level INFO. The arguments are those of `log` without `level`."""
        self._log(logging.INFO, event, args, fields)

    msg = info

    def warning(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log a line at level WARNING. The arguments are those of `log` without `level`."""
        self._log(logging.WARNING, event, args, fields)

    warn = warning

    def error(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log a line at level ERROR. The arguments are those of `log` without `level`."""
        self._log(logging.ERROR, event, args, fields)

    def exception(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log a line at level ERROR, with the traceback of the exception that is being handled.

        The arguments are those of `log` without `level`. `exc_info=False` leaves the traceback out.
        """
        self._log(logging.ERROR, event, args, {"exc_info": True, **fields})

    def critical(self, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log a line at level CRITICAL. The arguments are those of `log` without `level`."""
        self._log(logging.CRITICAL, event, args, fields)

    fatal = critical

    def log(self, level: int, event: object = None, /, *args: Any, **fields: Any) -> None:
        """Log a line.

        Args:
            level: The number of a level, such as `logging.INFO` of the standard library.
            event: The message. It can also be given as the keyword argument `event`.
            *args: Values for the message's `%` placeholders.
            **fields: Fields of this line. A field replaces a bound field of the same name.
        """
        self._log(level, event, args, fields)

    def is_enabled_for(self, level: int) -> bool:
        """Say whether lines of `level`, a number such as the standard library's `logging.INFO`, are
        logged.
        """
        return self._logger.isEnabledFor(level)

    def _log(
        self, level: int, event: object, args: tuple[Any, ...], fields: dict[str, Any]
    ) -> None:
        if not self._logger.isEnabledFor(level):
            return
        if event is None:
            event = fields.pop("event", None)
        options = {name: fields.pop(name) for name in _OPTIONS if name in fields}
        # Skip this method and the public one that called it, so that the record names the caller's
        # line.
        options["stacklevel"] = options.get("stacklevel", 1) + 2
        named = {**self._fields, **fields}
        extra = {key + "_" if key in _TAKEN else key: value for key, value in named.items()}
        self._logger.log(level, event, *args, extra=extra, **options)
