"""The command-line parser of render, simulate and graph, and the functions that parse the values of flags."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from ..._core.base import stdio
from ..._core.base.texts import short_repr

__all__ = [
    "Parser",
    "add_function",
    "add_tls",
    "duration",
    "function_target",
    "pair",
    "pair_of_path",
    "parse",
    "seconds",
    "several_pairs",
    "several_paths",
]

# A duration as Go writes it is a sequence of numbers with units. A number without a unit means seconds.
_NUMBER: Final = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
_DURATION: Final = _NUMBER + r"(ns|us|\u00b5s|\u03bcs|ms|s|m|h)"
# Searching a text for durations takes time that grows with the square of its length.
_LONGEST_DURATION: Final = 100
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "\u00b5s": 1e-6, "\u03bcs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}


class Parser(argparse.ArgumentParser):
    """An argument parser for commands with many flags, which can't be abbreviated.

    The message about a wrong argument shows the usage in one line, without the flags.

    Args:
        prog: The command's name.
        usage: The usage, in one line.
        description: The help text before the list of arguments.
        epilog: The help text after the list of arguments.
    """

    def __init__(self, prog: str, usage: str, description: str, epilog: str) -> None:
        super().__init__(prog=prog, usage=usage, description=description, epilog=epilog, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Print a mistake in the command line on stderr, and end the process with status 2."""
        stdio.say(f"usage: {self.usage}", f"{self.prog}: error: {message}", f"{self.prog} --help says more")
        sys.exit(2)

    def print_help(self, file: IO[str] | None = None) -> None:  # type: ignore[override]  # typeshed's is private
        """Print the help to `file`, or to stdout if `file` is None."""
        if file is None:
            stdio.write(self.format_help().encode())
        else:
            super().print_help(file)


def parse(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. Flags may stand before, between and after the other arguments.

    Raises:
        SystemExit: The command line is wrong (status 2), or asks for the help (status 0).
    """
    # With parse_args(), an optional argument after a flag would be an unknown argument.
    return parser.parse_intermixed_args(argv)


def add_function(
    group: argparse.ArgumentParser | argparse._ArgumentGroup, description: str, *, several: bool = True
) -> None:
    """Add the flag --function. `several` says whether it can be given several times, so that its value is a list."""
    more: dict[str, Any] = {"action": "append", "default": []} if several else {}
    group.add_argument("--function", metavar="[NAME=]module:function", type=function_target, help=description, **more)


def add_tls(group: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the flags for mutual TLS with functions' servers. `runners.dialling` makes runners with them."""
    group.add_argument(
        "--tls-certs-dir",
        metavar="DIR",
        type=Path,
        help="directory with tls.crt, tls.key and ca.crt, as in Crossplane's Secret crossplane-tls-client: functions' "
        "servers are called with mutual TLS; without it, they are called without TLS",
    )
    group.add_argument(
        "--tls-server-name",
        metavar="NAME",
        help="name in the certificates of functions' servers, if it isn't the host of their addresses, as after "
        "kubectl port-forward",
    )


def seconds(text: str) -> float:
    """Return the seconds of a duration such as `1m30s` or `500ms` (as Go writes it), or of a plain number of seconds.

    Raises:
        ValueError: The text isn't a duration, or is zero, or has more than 100 characters.
    """
    value = _value(text) if len(text) <= _LONGEST_DURATION else math.nan
    if not 0 < value < math.inf:
        raise ValueError(f"{short_repr(text)} is not a duration such as 1m30s, 500ms or 90 (seconds)")
    return value


def _value(text: str) -> float:
    # The pattern is compiled here, because few command lines have a duration.
    parts = re.findall(_DURATION, text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return math.fsum(float(number) * _UNITS[unit] for number, unit in parts)
    return float(text) if re.fullmatch(_NUMBER, text) else math.nan


def duration(text: str) -> float:
    """Return the seconds of a flag's value, as `seconds` does. A wrong value raises the error that argparse shows.

    Raises:
        argparse.ArgumentTypeError: The text isn't a duration.
    """
    try:
        return seconds(text)
    except ValueError as e:
        raise argparse.ArgumentTypeError(str(e)) from None


def pair(text: str) -> tuple[str, str]:
    """Return the key and the value of `KEY=VALUE`. The value may be empty, and may contain `=`.

    Raises:
        argparse.ArgumentTypeError: There is no `=`, or no key, or the text isn't UTF-8.
    """
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return _checked(key), _checked(value)


def _checked(text: str) -> str:
    """Return an argument's text unchanged if its bytes are UTF-8. Python keeps other bytes as lone surrogates.

    File names aren't checked in this way, because they may contain any bytes.

    Raises:
        argparse.ArgumentTypeError: The bytes aren't UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not UTF-8: use a terminal with UTF-8, for example LANG=C.UTF-8"
        ) from None
    return text


def _split(text: str) -> list[str]:
    r"""Split a text at its commas, and drop empty elements. `\,` is a comma inside of an element."""
    parts = re.split(r"(?<!\\),", text)
    return [part.replace("\\,", ",") for part in parts if part]


def several_pairs(text: str) -> list[tuple[str, str]]:
    r"""Return the keys and values of `KEY=VALUE,KEY=VALUE`. `\,` is a comma inside of a value.

    Raises:
        argparse.ArgumentTypeError: An element isn't `KEY=VALUE`, or isn't UTF-8.
    """
    return [pair(part) for part in _split(text) or [text]]


def several_paths(text: str) -> list[Path]:
    r"""Return the paths in a text that separates them by commas. `\,` is a comma inside of a path.

    If the whole text is the name of an existing file or directory, it is the only path.
    """
    # The name of an existing file may have commas.
    return [Path(text)] if os.path.exists(text) else [Path(part) for part in _split(text) or [text]]


def pair_of_path(text: str) -> tuple[str, Path]:
    """Return the key and the path of `KEY=FILE`.

    Raises:
        argparse.ArgumentTypeError: There is no `=`, or no key, or no path, or the key isn't UTF-8.
    """
    key, _, value = text.partition("=")
    if not key or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=FILE")
    return _checked(key), Path(value)


def function_target(text: str) -> tuple[str | None, str]:
    """Return the name and the target of `NAME=module:function`. For `module:function` alone, the name is None.

    The form `module:function` isn't checked.

    Raises:
        argparse.ArgumentTypeError: The name before the `=`, or the target, is empty.
    """
    name, equals, target = text.rpartition("=")
    if not target or (equals and not name):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=module:function or module:function")
    return name or None, target
