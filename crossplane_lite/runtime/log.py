"""Writes log lines to stderr: one JSON object each, or text for people.

Secret values of a request are masked in every text before it is written, so that they never reach
the log. A log that nobody reads doesn't stop a call: lines wait in a queue, and if it is full, they
are dropped.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from .._core.base.texts import LONGEST_LOGGED, capped, escaped, type_in_words

__all__ = [
    "JSONFormatter",
    "Seldom",
    "TextFormatter",
    "configure",
    "exception_in_call",
    "flush",
    "log_what_python_prints",
    "set_masker",
    "set_subject",
]

# The attributes of every record. Any other attribute comes from the argument `extra` of the logging
# call.
_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

# The keys of every JSON line. An extra field of such a name gets a trailing underscore.
_RESERVED: Final = frozenset({"exception", "level", "logger", "msg", "ts"})

# Down to this depth an extra field is shown as JSON. Deeper values are shown as text: a structure
# may contain itself.
_MAX_DEPTH: Final = 8

# The most items of a list or mapping in an extra field that are shown.
_MOST_ITEMS: Final = 1000

_INDENT: Final = "    "

# A pipe that can be written to takes so many bytes without waiting (PIPE_BUF of Linux).
_PIECE: Final = 4096
_MOST_WAITING: Final = 1 << 20
_SILENT_SECONDS: Final = 60.0

_log = logging.getLogger(__name__)

_mask: Callable[[str], str] = str


_subject: Callable[[], Mapping[str, str]] = dict


def set_masker(masker: Callable[[str], str]) -> None:
    """Pass every logged text through `masker` from now on.

    Args:
        masker: Takes a text and returns it with secrets masked. It is called in the thread that
            logs, and must be quick. If it raises an exception, a note is logged instead of the
            text.
    """
    global _mask
    _mask = masker


def set_subject(subject: Callable[[], Mapping[str, str]]) -> None:
    """Add the fields that `subject` returns to every log line from now on.

    Args:
        subject: Returns the fields that identify the current call, such as the composite's name. It
            is called in the thread that logs. A field that the line already has isn't replaced.
    """
    global _subject
    _subject = subject


def configure(level: int = logging.INFO, *, text: bool = False) -> None:
    """Send all log lines of this process to stderr only: replace the handlers of the root logger.

    Args:
        level: The lowest level that is logged.
        text: Whether to write lines for people instead of JSON.
    """
    handler = _Handler()
    handler.setFormatter(TextFormatter() if text else JSONFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


def flush(seconds: float = 0.0) -> None:
    """Write the lines that wait, as far as somebody reads them.

    Args:
        seconds: How long to wait for those who read the log.
    """
    end = time.monotonic() + seconds
    for handler in logging.getLogger().handlers:
        handler.flush()
        while isinstance(handler, _Handler) and handler.waiting and time.monotonic() < end:
            time.sleep(0.01)
            handler.flush()


class _Handler(logging.Handler):
    """Writes lines to a descriptor of its own for stderr, and never waits for those who read them.

    Code of the function may close the descriptor 2, and then the next connection has that number.
    Up to 1 MB of lines wait; further lines are dropped, and a later line says how many.

    Attributes:
        waiting: The bytes that wait.
    """

    def __init__(self) -> None:
        super().__init__()
        self.waiting = bytearray()
        self._dropped = 0
        self._file: int | None = None
        # there is no stderr, or it has no descriptor
        with contextlib.suppress(OSError, ValueError, AttributeError):
            self._file = os.dup(sys.stderr.fileno())

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line of a record, or put it into the queue."""
        try:
            line = (self.format(record) + "\n").encode("utf-8", "backslashreplace")
        except Exception:
            self.handleError(record)
            return
        if self._file is None:
            if sys.stderr is not None:  # an object of a test, for example
                sys.stderr.write(line.decode())
            return
        self._write()
        if len(self.waiting) + len(line) > _MOST_WAITING:
            self._dropped += 1
            return
        if self._dropped:
            self.waiting += self._note().encode()
            self._dropped = 0
        self.waiting += line
        self._write()

    def _note(self) -> str:
        text = f"{self._dropped:,} log lines were dropped, because nobody read the log"
        fields = {"name": __name__, "levelno": logging.WARNING, "levelname": "WARNING", "msg": text}
        return self.format(logging.makeLogRecord(fields)) + "\n"

    def flush(self) -> None:
        """Write the lines that wait, as far as that is possible without waiting."""
        with self.lock or contextlib.nullcontext():
            self._write()

    def _write(self) -> None:
        if self._file is None or not self.waiting:
            return
        try:
            poll = select.poll()
            poll.register(self._file, select.POLLOUT)
            while self.waiting and poll.poll(0):
                del self.waiting[: os.write(self._file, self.waiting[:_PIECE])]
        except OSError:  # those who read the log have gone
            self.waiting.clear()


class Seldom:
    """Says when a line may be logged again that peers could cause as often as they like: at most
    once a minute.
    """

    def __init__(self) -> None:
        self._left_out = 0
        self._silent_until = 0.0

    def more(self, now: float) -> str | None:
        """Return the end of the line, which says how many were left out before; None to leave this
        one out.

        Args:
            now: The present time, by `time.monotonic`.
        """
        if now < self._silent_until:
            self._left_out += 1
            return None
        more = f" ({self._left_out:,} more since the last line about one)" if self._left_out else ""
        self._left_out = 0
        self._silent_until = now + _SILENT_SECONDS
        return more


def log_what_python_prints() -> None:
    """Log warnings, and exceptions that end a thread or that Python ignores, as in `__del__`, from
    now on.

    Otherwise Python prints them to stderr as text of several lines. Hooks that aren't Python's own
    are kept.
    """
    logging.captureWarnings(True)
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _log_end_of_thread
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _log_unraisable


def _log_end_of_thread(raised: threading.ExceptHookArgs) -> None:
    if raised.exc_type is not SystemExit:  # which ends a thread without a message
        name = "without a name" if raised.thread is None else raised.thread.name
        _log_uncaught(f"an exception ended the thread {name}", raised)


def _log_unraisable(raised: Any) -> None:
    if sys.is_finalizing():  # logging may have lost its parts
        sys.__unraisablehook__(raised)
        return
    try:
        shown = repr(raised.object)
    except Exception as e:
        shown = f"{type_in_words(raised.object)} that can't be shown: {type(e).__name__}"
    message = raised.err_msg or "Exception ignored in"
    # From Python 3.13 on, the message may have the object in it already.
    _log_uncaught(message if raised.object is None else f"{message}: {shown}", raised)


def _log_uncaught(message: str, raised: Any) -> None:
    value = raised.exc_type() if raised.exc_value is None else raised.exc_value
    _log.error("%s", message, exc_info=(raised.exc_type, value, raised.exc_traceback))


def exception_in_call(logger: logging.Logger, message: str, request: bytes) -> None:
    """Log the exception that is being handled, with the secrets of a request masked.

    Args:
        logger: The logger for the line.
        message: The message of the line.
        request: The bytes of the request in whose call the exception was raised. The call may have
            ended already.
    """
    from .._core.observed.tracker import Tracker, enter, leave

    call = Tracker(request)
    before = enter(call)
    try:
        logger.exception(message)
    finally:
        leave(call, before)


class JSONFormatter(logging.Formatter):
    """Formats a record as one JSON object: ts, level, logger, msg, the extra fields, and exception
    if it has one.
    """

    def format(self, record: logging.LogRecord) -> str:
        # Imported here, because it takes a millisecond, which the start of a server doesn't need.
        import json

        line: dict[str, Any] = {
            "ts": _timestamp(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": _message(record),
        }
        for key, value in _extras(record):
            line[key + "_" if key in _RESERVED else key] = _json(value)
        exception = _exception(record)
        if exception:
            line["exception"] = exception
        return json.dumps(line)


class TextFormatter(logging.Formatter):
    """Formats a record as one line for people. A traceback follows on further lines.

    All lines of a record after the first are indented, and characters that can't be printed are
    escaped. So a logged text can't look like another record, and can't control a terminal.
    """

    def line(self, text: str) -> str:
        """Return one line of a record, with escapes for characters that can't be printed."""
        return escaped(text)

    def format(self, record: logging.LogRecord) -> str:
        return f"\n{_INDENT}".join(map(self.line, self.whole(record).split("\n")))

    def whole(self, record: logging.LogRecord) -> str:
        """Return all of a record's text with secrets masked. `format` then escapes and indents the
        lines.
        """
        line = f"{_timestamp(record)} {record.levelname:<7} {record.name}: {_message(record)}"
        for key, value in _extras(record):
            line += f" {key}={_json(value)!r}"
        exception = _exception(record)
        return f"{line}\n{exception}" if exception else line


def _timestamp(record: logging.LogRecord) -> str:
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    return f"{seconds}.{int(record.msecs):03d}Z"


def _message(record: logging.LogRecord) -> str:
    try:
        text = record.getMessage()
    except Exception as e:
        # If this raised, the standard library would print the arguments to stderr without masking
        # them.
        place = f"{record.filename}:{record.lineno}"
        text = f"{record.msg!r} (the arguments don't fit this message: {type(e).__name__}; {place})"
    return _masked(text)


def _extras(record: logging.LogRecord) -> Iterator[tuple[str, Any]]:
    own = vars(record)
    for key, value in own.items():
        if key not in _STANDARD:
            yield _masked(str(key)), value
    for key, text in _subject().items():
        if key not in own:
            yield key, text


def _exception(record: logging.LogRecord) -> str:
    parts = []
    if record.exc_info and record.exc_info[0] is not None:
        parts += traceback.format_exception(*record.exc_info)
    elif record.exc_text:
        parts.append(record.exc_text)
    if record.stack_info:
        parts.append(record.stack_info)
    return _masked("\n".join(part.rstrip() for part in parts)) if parts else ""


def _masked(text: str) -> str:
    """Return a text with its secrets masked. A very long text is shortened. If masking fails,
    return a note instead.
    """
    try:
        return (
            _mask(text) if len(text) <= LONGEST_LOGGED // 2 else capped(text, LONGEST_LOGGED, _mask)
        )
    except Exception as e:
        # The text may have a secret, so it isn't shown. The record is still logged, so that nothing
        # is hidden.
        return f"(not shown: the masker failed with {type(e).__name__})"


def _json(value: Any, depth: int = 0) -> Any:
    """Return a value as plain data for JSON, with secrets masked.

    A value of another type than JSON has, such as a date, becomes its text. So does a list or
    mapping that is nested more than eight levels deep. Only the first 1,000 items of a list or
    mapping are kept, with a note of their number.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _masked(str(value))
    if depth < _MAX_DEPTH:
        if isinstance(value, Mapping):
            shown: Any = {
                _masked(str(k)): _json(v, depth + 1) for k, v in islice(value.items(), _MOST_ITEMS)
            }
            if len(value) > _MOST_ITEMS:
                shown[f"… ({len(value):,} items)"] = None
            return shown
        if isinstance(value, (list, tuple, set, frozenset)):
            shown = [_json(item, depth + 1) for item in islice(value, _MOST_ITEMS)]
            return [*shown, f"… ({len(value):,} items)"] if len(value) > _MOST_ITEMS else shown
    try:
        text = str(value)
    except Exception as e:
        return f"({type_in_words(value)} that can't be shown: {type(e).__name__})"
    masked = _masked(text)
    # A number stays a number unless masking changes its digits. NaN and infinities, which JSON
    # lacks, become texts.
    number = type(value) is int or (type(value) is float and value - value == 0)
    return value if number and masked == text else masked
