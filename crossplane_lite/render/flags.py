"""The parser of the command lines of render, simulate and graph, and the values of their flags."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final, NoReturn

from .._terminal import stdio
from .._terminal.excerpts import short_repr

__all__ = [
    "Parser",
    "duration",
    "function_target",
    "pair",
    "pair_of_path",
    "parse",
    "seconds",
    "several_pairs",
    "several_paths",
]

# Parts of a duration as Go writes it, of which the first one may stand alone.
_NUMBER: Final = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
_DURATION: Final = _NUMBER + r"(ns|us|\u00b5s|\u03bcs|ms|s|m|h)"
# Searching a text takes the square of its length.
_LONGEST_DURATION: Final = 100
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "\u00b5s": 1e-6, "\u03bcs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}


class Parser(argparse.ArgumentParser):
    """Parses a command line with many flags: an error message doesn't list them.

    Args:
        prog: The command's name.
        usage: Its one line of usage.
        description: The help text before the arguments.
        epilog: The help text after them.
    """

    def __init__(self, prog: str, usage: str, description: str, epilog: str) -> None:
        super().__init__(prog=prog, usage=usage, description=description, epilog=epilog, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Tell the mistake, and end with status 2."""
        stdio.say(f"usage: {self.usage}", f"{self.prog}: error: {message}", f"{self.prog} --help says more")
        sys.exit(2)

    def print_help(self, file: IO[str] | None = None) -> None:  # type: ignore[override]  # typeshed's is private
        """Print help, by default on stdout."""
        if file is None:
            stdio.write(self.format_help().encode())
        else:
            super().print_help(file)


def parse(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """Parse a command line on which flags may stand anywhere among the arguments."""
    # parse_args() takes optional arguments for absent as soon as a flag stands before them.
    return parser.parse_intermixed_args(argv)


def seconds(text: str) -> float:
    """Return a duration in seconds, written as Go writes it (`1m30s`) or as a plain number of seconds.

    Raises:
        ValueError: It isn't a duration, or isn't positive.
    """
    value = _value(text) if len(text) <= _LONGEST_DURATION else math.nan
    if not 0 < value < math.inf:
        raise ValueError(f"{short_repr(text)} is not a duration such as 1m30s, 500ms or 90 (seconds)")
    return value


def _value(text: str) -> float:
    # Compiled here: few command lines have one.
    parts = re.findall(_DURATION, text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return math.fsum(float(number) * _UNITS[unit] for number, unit in parts)
    return float(text) if re.fullmatch(_NUMBER, text) else math.nan


def duration(text: str) -> float:
    """Return the seconds of a flag's value."""
    try:
        return seconds(text)
    except ValueError as e:
        raise argparse.ArgumentTypeError(str(e)) from None


def pair(text: str) -> tuple[str, str]:
    """Return the key and the value of `KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return _checked(key), _checked(value)


def _checked(text: str) -> str:
    """Return a text that isn't the name of a file: such a name may have bytes that aren't UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8") from None
    return text


def _split(text: str) -> list[str]:
    """Return the elements of a list with commas; one that is part of an element has a backslash before it."""
    parts = re.split(r"(?<!\\),", text)
    return [part.replace("\\,", ",") for part in parts if part]


def several_pairs(text: str) -> list[tuple[str, str]]:
    """Return the keys and the values of a list with commas."""
    return [pair(part) for part in _split(text) or [text]]


def several_paths(text: str) -> list[Path]:
    """Return the paths of a list with commas."""
    # An existing file counts as it is written, whatever its name.
    return [Path(text)] if os.path.exists(text) else [Path(part) for part in _split(text) or [text]]


def pair_of_path(text: str) -> tuple[str, Path]:
    """Return the key and the path of `KEY=FILE`."""
    key, _, value = text.partition("=")
    if not key or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=FILE")
    return _checked(key), Path(value)


def function_target(text: str) -> tuple[str | None, str]:
    """Return the name or None, and the `module:function` of `NAME=module:function`."""
    name, equals, target = text.rpartition("=")
    if not target or (equals and not name):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=module:function or module:function")
    return name or None, target
