"""Suggestions for unknown flags, such as `--output` for `--outptu`."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .table import COMMANDS

if TYPE_CHECKING:
    import argparse

__all__ = ["flag_hints", "parser_of"]


def parser_of(name: str) -> argparse.ArgumentParser | None:
    """Return the argparse parser of the command `name`; None if the command doesn't use argparse."""
    if not COMMANDS[name].module:
        return None
    module = importlib.import_module(f"...{COMMANDS[name].module}", __package__)
    make: Any = getattr(module, "make_parser", None)
    made: argparse.ArgumentParser | None = make() if make is not None else None
    return made


def flag_hints(name: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield a message for each unknown long flag that resembles a known flag of a command.

    A message is such as `there is no --outptu; did you mean --output?`. Nothing is yielded for a command that
    doesn't use argparse.

    Args:
        name: The command.
        arguments: The arguments after the command. Flags of all its subcommands count as known.
    """
    parser = parser_of(name)
    if parser is None:
        return
    known = _flags(parser)
    for argument in arguments:
        flag = argument.partition("=")[0]
        if flag.startswith("--") and len(flag) > 2 and flag not in known:
            found = difflib.get_close_matches(flag, sorted(known), n=1)
            if found:
                yield f"there is no {flag}; did you mean {found[0]}?"


def _flags(parser: argparse.ArgumentParser) -> set[str]:
    import argparse

    known: set[str] = set()
    work = [parser]
    while work:
        for action in work.pop()._actions:
            known.update(action.option_strings)
            if isinstance(action, argparse._SubParsersAction):
                work += action.choices.values()
    return known
