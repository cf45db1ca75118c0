"""The logger for functions that handle raw messages."""

from __future__ import annotations

import json
import logging as standard
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from crossplane_lite import logging
from crossplane_lite._core.observed import tracker
from crossplane_lite._core.observed.tracker import Tracker
from crossplane_lite.runtime import log
from tests.helpers.families import ROOT, official


@pytest.fixture(autouse=True)
def root_as_it_was() -> Iterator[None]:
    """The root logger and the masker as they were, at the end."""
    root = standard.getLogger()
    handlers, level, mask = root.handlers[:], root.level, log._mask
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    log.set_masker(mask)


Lines = Any


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Lines:
    """What was logged since the last time, parsed, without timestamps."""

    def read() -> list[dict[str, Any]]:
        found = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
        for line in found:
            assert line.pop("ts")
        return found

    return read


def test_lines_with_fields(lines: Lines) -> None:
    """Keyword arguments become fields of a JSON line."""
    logging.configure()
    logging.get_logger().info("composing", buckets=3, zones=["a"], nothing=None)
    logger = "crossplane_lite.function"
    assert lines() == [
        {"level": "info", "logger": logger, "msg": "composing", "buckets": 3, "zones": ["a"], "nothing": None}
    ]


def test_bound_fields(lines: Lines) -> None:
    """Bound fields are in every line of the new logger and not of the old one; later ones win."""
    logging.configure()
    first = logging.get_logger("mine")
    second = first.bind(tag="t", step=1)
    third = second.bind(step=2)
    first.info("first")
    second.info("second", extra="e")
    third.info("third", tag="own")
    third.unbind("tag").info("fourth")
    third.try_unbind("tag", "missing").new(only=1).info("fifth")
    head = {"level": "info", "logger": "mine"}
    assert lines() == [
        {**head, "msg": "first"},
        {**head, "msg": "second", "tag": "t", "step": 1, "extra": "e"},
        {**head, "msg": "third", "tag": "own", "step": 2},
        {**head, "msg": "fourth", "step": 2},
        {**head, "msg": "fifth", "only": 1},
    ]
    with pytest.raises(KeyError, match="missing"):
        third.unbind("missing")


@pytest.mark.parametrize(
    ("method", "level"),
    [
        *(("debug", "debug"), ("info", "info"), ("msg", "info"), ("warning", "warning"), ("warn", "warning")),
        *(("error", "error"), ("critical", "critical"), ("fatal", "critical")),
    ],
)
def test_levels_of_lines(lines: Lines, method: str, level: str) -> None:
    """Every method logs at its level; debug lines are left out at level INFO, and all of them when it is disabled."""
    logger = logging.get_logger()
    logging.configure(logging.Level.INFO)
    getattr(logger, method)("text")
    assert [line["level"] for line in lines()] == [level] * (level != "debug")
    assert logger.is_enabled_for(standard.DEBUG) is False
    logging.configure(level=logging.Level.DISABLED)
    getattr(logger, method)("text")
    logger.exception("text")
    assert lines() == []


def test_level_by_number(lines: Lines) -> None:
    """A level can be given as the standard library's number."""
    logging.configure()
    logging.get_logger().log(standard.WARNING, "text", a=1)
    assert [(line["level"], line["msg"], line["a"]) for line in lines()] == [("warning", "text", 1)]


def test_text_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """When debugging, lines are text, with the fields behind it."""
    logging.configure(level=logging.Level.DEBUG)
    logging.get_logger("mine").debug("composing", buckets=3)
    assert capsys.readouterr().err.rstrip().endswith("DEBUG   mine: composing buckets=3")


def test_exceptions(lines: Lines) -> None:
    """exception() has the traceback of the exception that is being handled; exc_info takes any."""
    logging.configure()
    logger = logging.get_logger()
    try:
        raise LookupError("lost")
    except LookupError as error:
        logger.exception("failed", bucket="b")
        kept = error
    logger.info("again", exc_info=kept)
    first, second = lines()
    assert (first["level"], first["msg"], first["bucket"]) == ("error", "failed", "b")
    for line in (first, second):
        assert line["exception"].startswith("Traceback") and line["exception"].endswith("LookupError: lost")


def test_arguments_of_a_text(lines: Lines) -> None:
    """`%` is filled in only where there are arguments, and what isn't a text is shown as one."""
    logging.configure()
    logger = logging.get_logger()
    logger.info("100% of %s")
    logger.info("%d of %s", 3, "all", total=4)
    logger.info({"a": 1})
    assert [line["msg"] for line in lines()] == ["100% of %s", "3 of all", "{'a': 1}"]


def test_names_that_a_record_has_itself(lines: Lines) -> None:
    """A field may have any name; those of a record's own attributes get a trailing underscore."""
    logging.configure()
    logging.get_logger().info("text", name="n", args="a", message="m", level="l", event="e", msg="x", self="s")
    (line,) = lines()
    assert line["msg"] == "text" and line["level"] == "info"
    assert {key: line[key] for key in ("name_", "args_", "message_", "level_", "event", "msg_", "self")} == {
        "name_": "n",
        "args_": "a",
        "message_": "m",
        "level_": "l",
        "event": "e",
        "msg_": "x",
        "self": "s",
    }


def test_an_event_by_its_name(lines: Lines) -> None:
    """The text can be given by name, as the official SDK takes it; beside a text `event` is a field."""
    logging.configure()
    logging.get_logger().info(event="text", a=1)
    logging.get_logger().info("text", event="e")
    assert [(line["msg"], line.get("a"), line.get("event")) for line in lines()] == [
        ("text", 1, None),
        ("text", None, "e"),
    ]


def test_records_name_the_authors_line() -> None:
    """Other handlers see the file and the line of the call, through every method."""
    seen: list[standard.LogRecord] = []

    class Keeping(standard.Handler):
        def emit(self, record: standard.LogRecord) -> None:
            seen.append(record)

    root = standard.getLogger()
    root.handlers[:] = [Keeping()]
    root.setLevel(standard.DEBUG)
    logger = logging.get_logger().bind(a=1)
    for method in ("debug", "info", "warning", "error", "exception", "critical"):
        getattr(logger, method)("text")
    logger.log(standard.INFO, "text")

    def helper() -> None:
        logger.info("text", stacklevel=2)

    helper()
    assert {record.filename for record in seen} == {"test_logging.py"}
    assert {record.funcName for record in seen} == {"test_records_name_the_authors_line"}


def test_secrets_are_masked(lines: Lines) -> None:
    """Secret values of the call that is going on are masked in messages and fields, and a repr shows no value."""
    logging.configure()
    call = Tracker()
    call.hide("password", b"hunter2")
    before = tracker.enter(call)
    try:
        logger = logging.get_logger().bind(password="hunter2")
        logger.info("using hunter2", nested={"a": ["hunter2"]})
    finally:
        tracker.leave(call, before)
    (line,) = lines()
    assert (line["msg"], line["password"], line["nested"]) == ("using [secret]", "[secret]", {"a": ["[secret]"]})
    assert "hunter2" not in repr(logger)


PROGRAM = """
from crossplane.function import logging

logging.configure({level})
log = logging.get_logger()
log = log.bind(tag="t", n=1)
log.debug("debug")
log.info("info", xr={{"a": [1, None]}}, n=2)
log.warning("warning %s", "w")
log.error("error")
try:
    1 / 0
except ZeroDivisionError:
    log.exception("exception", zone="z")
log.unbind("n").info("unbound")
log.new(a=1).info("new")
"""


def parsed(program: str) -> list[dict[str, Any]]:
    """Run a program and return the lines that it logs, without what differs by design."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    found = [json.loads(line) for line in (done.stdout + done.stderr).splitlines()]
    for line in found:
        for key in ("ts", "filename", "lineno", "logger"):
            line.pop(key, None)
        if "exception" in line:
            line["exception"] = True
    return found


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("level", ["", "level=logging.Level.INFO", "logging.Level.DISABLED"])
def test_the_official_sdks_calls_work(level: str) -> None:
    """A program for the official SDK's logger logs the same lines with ours, when its import is changed."""
    official("logging")
    program = PROGRAM.format(level=level)
    wanted = parsed(program)
    assert parsed(program.replace("crossplane.function", "crossplane_lite")) == wanted
    assert len(wanted) == (0 if "DISABLED" in level else 6)
