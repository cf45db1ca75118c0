"""Log lines: JSON or text, complete, and without secrets."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite.runtime import log
from crossplane_lite.runtime.calls import current_subject
from tests.support import request


def record(message: str = "hello", *arguments: Any, exc_info: Any = None, **extra: Any) -> logging.LogRecord:
    """Return a record as a logger makes it."""
    logger = logging.getLogger("mine")
    return logger.makeRecord("mine", logging.WARNING, "file.py", 1, message, arguments, exc_info, extra=extra or None)


def line(made: logging.LogRecord) -> dict[str, Any]:
    """Return the parsed JSON line of a record."""
    text = log.JSONFormatter().format(made)
    assert "\n" not in text
    parsed: dict[str, Any] = json.loads(text, parse_constant=pytest.fail)
    return parsed


def test_json_line() -> None:
    """A line has timestamp, level, logger and message, in this order, and then the extra fields."""
    made = record("hello %s", "world", bucket="b", count=3, ratio=0.5, on=True, nothing=None)
    made.created, made.msecs = 1_765_584_720.25, 250.0
    assert list(line(made).items()) == [
        ("ts", "2025-12-13T00:12:00.250Z"),
        ("level", "warning"),
        ("logger", "mine"),
        ("msg", "hello world"),
        ("bucket", "b"),
        ("count", 3),
        ("ratio", 0.5),
        ("on", True),
        ("nothing", None),
    ]


def test_extra_that_has_a_name_of_ours() -> None:
    """An extra field never replaces one of the line's own."""
    parsed = line(record("hello", level="mine", ts="mine"))
    assert (parsed["level"], parsed["level_"], parsed["ts_"]) == ("warning", "mine", "mine")


def test_exception() -> None:
    """The traceback is one string of the line."""
    try:
        raise LookupError("gone")
    except LookupError:
        made = record("failed", exc_info=sys.exc_info())
    assert line(made)["exception"].startswith("Traceback (most recent call last):\n")
    assert line(made)["exception"].endswith("LookupError: gone")
    assert log.TextFormatter().format(made).endswith("\n    LookupError: gone")


def test_text_line() -> None:
    """The text for people has the same content on one line."""
    made = record("hello", bucket="b")
    made.created, made.msecs = 1_765_584_720.25, 250.0
    assert log.TextFormatter().format(made) == "2025-12-13T00:12:00.250Z WARNING mine: hello bucket='b'"


class Unshowable:
    """Has no text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_values_that_json_does_not_know() -> None:
    """Whatever an extra field holds, the line is JSON."""
    loop: list[Any] = []
    loop.append(loop)
    parsed = line(
        record(
            "hello",
            nan=float("nan"),
            data=b"x",
            pair=(1, {2: "x"}),
            unshowable=Unshowable(),
            loop=loop,
            huge=10**5000,
            lone="\ud800",
        )
    )
    assert parsed["nan"] == "nan"
    assert parsed["data"] == "b'x'"
    assert parsed["pair"] == [1, {"2": "x"}]
    assert parsed["unshowable"] == "(an Unshowable that can't be shown: RuntimeError)"
    assert "..." in json.dumps(parsed["loop"])


def test_arguments_that_do_not_fit() -> None:
    """A message whose arguments don't fit is logged with its line, and without them, since they might be secret."""
    told = "'a %d' (the arguments don't fit this message: TypeError; file.py:1)"
    assert line(record("a %d", "sesame"))["msg"] == told


def test_masker_sees_everything() -> None:
    """Message, arguments, extra fields at any depth, their keys, numbers and tracebacks pass the masker."""
    log.set_masker(lambda text: text.replace("sesame", "***").replace("4711", "***"))
    try:
        raise LookupError("sesame\nsesame")
    except LookupError:
        made = record(
            "open %s", "sesame", exc_info=sys.exc_info(), key="sesame", deep=[{"sesame": ("sesame", 4711, 4712)}]
        )
    for text in (log.JSONFormatter().format(made), log.TextFormatter().format(made)):
        assert "sesame" not in text
        assert "4711" not in text
        assert "4712" in text


def test_subject() -> None:
    """Lines say which call they belong to, unless they have such a field themselves."""
    log.set_subject(lambda: {"tag": "a tag", "composite": "team/photos"})
    assert (line(record())["tag"], line(record(tag="mine"))["tag"]) == ("a tag", "mine")
    assert log.TextFormatter().format(record()).endswith("hello tag='a tag' composite='team/photos'")


def test_lines_of_a_call() -> None:
    """Lines of compose() and of what it calls have the tag of the request and the name of the composite."""
    lines = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(json.loads(log.JSONFormatter().format(record)))

    @composition.function
    def compose(ctx: composition.Context) -> None:
        ctx.log.warning("by ctx.log")
        logging.getLogger("mine").warning("by logging")

    log.set_subject(current_subject)
    handler = Handler()
    logging.getLogger().addHandler(handler)
    try:
        xr = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "photos", "namespace": "team"}}
        compose.run(request(xr=xr, tag="a tag"))
        compose.run(request(xr={**xr, "metadata": {"name": "photos"}}, tag="another"))
        logging.getLogger("mine").warning("outside")
    finally:
        logging.getLogger().removeHandler(handler)
    found = [(one["msg"], one.get("tag"), one.get("composite")) for one in lines]
    assert found == [
        *((text, "a tag", "team/photos") for text in ("by ctx.log", "by logging")),
        *((text, "another", "photos") for text in ("by ctx.log", "by logging")),
        ("outside", None, None),
    ]


def test_masker_that_fails() -> None:
    """When the masker fails, the record is logged without its text."""

    def fail(text: str) -> str:
        raise ValueError(text)

    log.set_masker(fail)
    assert line(record("sesame"))["msg"] == "(not shown: the masker failed with ValueError)"


def test_configure(capsys: pytest.CaptureFixture[str]) -> None:
    """`configure` replaces what handled the root logger's records, and sets its level."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        log.configure()
        logging.getLogger("mine").debug("unheard")
        logging.getLogger("mine").info("heard")
        assert json.loads(capsys.readouterr().err)["msg"] == "heard"
        log.configure(logging.DEBUG, text=True)
        logging.getLogger("mine").debug("heard")
        assert capsys.readouterr().err.endswith("DEBUG   mine: heard\n")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Python's own hooks, and those from before at the end."""
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    with warnings.catch_warnings():
        logging.captureWarnings(False)  # a server in this process may have begun it
        yield
        logging.captureWarnings(False)


class Unspeakable:
    """Has no repr, and an end that fails."""

    def __repr__(self) -> str:
        raise LookupError

    def __del__(self) -> None:
        raise KeyError("the end")


def _end_thread(error: BaseException) -> None:
    def fail() -> None:
        raise error

    thread = threading.Thread(target=fail, name="mine")
    thread.start()
    thread.join()


@pytest.mark.usefixtures("hooks")
def test_what_python_prints(caplog: pytest.LogCaptureFixture) -> None:
    """Exceptions that end a thread are logged, but no SystemExit; so are those that Python ignores, and warnings."""
    log.log_what_python_prints()
    _end_thread(ValueError("no"))
    _end_thread(SystemExit(1))
    Unspeakable()
    warnings.warn("old", stacklevel=1)
    ended, ignored, warned = caplog.records
    assert ended.getMessage() == "an exception ended the thread mine"
    assert ended.exc_info is not None
    assert repr(ended.exc_info[1]) == "ValueError('no')"
    assert ignored.getMessage().startswith("Exception ignored")
    assert line(ignored)["exception"].endswith("KeyError: 'the end'")
    assert (warned.name, warned.levelname) == ("py.warnings", "WARNING")


@pytest.mark.usefixtures("hooks")
def test_hooks_of_the_author_are_kept(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook for exceptions of threads that isn't Python's own stays."""
    seen: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    log.log_what_python_prints()
    _end_thread(ValueError("no"))
    assert len(seen) == 1
    assert not caplog.records


FORGED = "a\n2025-01-01T00:00:00.000Z INFO    mine: forged\r2025 INFO\x1b[2J\x1b]0;x\x07\x85\u2028\x00b"


@pytest.mark.parametrize("where", ["message", "argument", "extra", "key", "exception", "logger"])
def test_text_lines_can_not_be_forged(where: str) -> None:
    """Text from elsewhere begins no line, and has no escape code in it, wherever it stands."""
    made = record("hello %s", FORGED) if where == "argument" else record("hello")
    if where == "message":
        made.msg = FORGED
    elif where == "extra":
        made.field = FORGED
    elif where == "key":
        vars(made)[FORGED] = "x"
    elif where == "logger":
        made.name = FORGED
    elif where == "exception":
        try:
            raise LookupError(FORGED)
        except LookupError:
            made.exc_info = sys.exc_info()
    text = log.TextFormatter().format(made)
    assert "forged" in text
    first, *others = text.split("\n")
    assert first.startswith("20")
    assert all(line.startswith("    ") for line in others)
    assert all(line.isprintable() for line in (first, *others))
    assert len(text.splitlines()) == len(text.split("\n"))
    assert "\n" not in log.JSONFormatter().format(made)


@pytest.mark.parametrize("where", ["message", "extra", "exception"])
def test_long_texts_are_cut(where: str) -> None:
    """A log line has the beginning and the end of a text of 5 MB, and says its length; secrets are masked first."""
    log.set_masker(lambda text: text.replace("sesame", "***"))
    huge = "begin " + "sesame " * 700_000 + "end"
    made = record(huge if where == "message" else "hello")
    if where == "extra":
        made.field = [huge]
    elif where == "exception":
        try:
            raise LookupError(huge)
        except LookupError:
            made.exc_info = sys.exc_info()
    for text in (log.JSONFormatter().format(made), log.TextFormatter().format(made)):
        assert len(text) < 60_000
        assert "begin ***" in text
        assert "*** end" in text
        assert "sesame" not in text
        assert "4,900," in text
        assert "are left out here" in text


def test_extra_fields_of_many_items() -> None:
    """Of a list of a million items a line has a thousand, and says how many there were."""
    parsed = line(record("hello", many=list(range(10**6)), keys=dict.fromkeys(range(5000))))
    assert parsed["many"][998:] == [998, 999, "… (1,000,000 items)"]
    assert len(parsed["keys"]) == 1001
    assert "… (5,000 items)" in parsed["keys"]


@pytest.mark.slow
def test_a_log_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """If nobody reads the log, lines wait and then are dropped, without waiting; later, a line says how many."""
    end, pipe = os.pipe()
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    with os.fdopen(pipe, "w") as stream, os.fdopen(end, "rb") as reader:
        monkeypatch.setattr(sys, "stderr", stream)
        try:
            log.configure()
            start = time.monotonic()
            for number in range(4000):
                logging.getLogger("x").info("line %d %s", number, "x" * 500)
            assert time.monotonic() - start < 20
            (handler,) = root.handlers
            received = b""
            while len(received.splitlines()) < 500:
                received += os.read(reader.fileno(), 1 << 16)
                log.flush()
            logging.getLogger("x").info("the end")
            while b"the end" not in received:
                log.flush()
                received += os.read(reader.fileno(), 1 << 16)
        finally:
            root.handlers[:] = before
            root.setLevel(level)
            os.close(handler._file)  # type: ignore[attr-defined]
    lines = [json.loads(line)["msg"] for line in received.splitlines()]
    kept = [line for line in lines if line.startswith("line")]
    assert kept == [f"line {number} {'x' * 500}" for number in range(len(kept))]
    assert lines[-2:] == [f"{4000 - len(kept):,} log lines were dropped, because nobody read the log", "the end"]
