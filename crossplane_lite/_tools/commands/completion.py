"""`crossplane-lite completion`: prints a script with which bash, zsh or fish completes commands and
flags.

The package shtab makes the script from the argparse parsers of all commands.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, Final

from ..._core.base.extras import load
from ..programs.help import parser
from .hints import parser_of
from .table import COMMANDS

SHELLS: Final = ("bash", "zsh", "fish")


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite completion` with the arguments that follow it, and print the script.

    Returns:
        The exit status 0.

    Raises:
        MissingExtraError: shtab isn't installed.
        SystemExit: The shell isn't given or unknown, or --help was given.
    """
    arguments = make_parser().parse_args(argv)
    shtab = load("shtab", "cli")
    script = shtab.complete(_whole(shtab), shell=arguments.shell)
    # shtab lets zsh complete only the first of several files: "(*)" excludes the others, "*"
    # repeats.
    print(re.sub(r'"\(\*\)::?', '"*:', script) if arguments.shell == "zsh" else script)
    return 0


def _whole(shtab: Any) -> argparse.ArgumentParser:
    """Return a parser of the program `crossplane-lite` with a subparser for each command."""
    whole = argparse.ArgumentParser(
        prog="crossplane-lite", description="Crossplane functions in Python."
    )
    whole.add_argument("--version", action="store_true", help="print the version")
    commands = whole.add_subparsers(metavar="COMMAND")
    for name, told in COMMANDS.items():
        made = parser_of(name)
        below = commands.add_parser(
            name, help=told.about, parents=[made] if made else [], add_help=made is None
        )
        if made is None and name == "help":
            below.add_argument("command", choices=sorted(COMMANDS))
        elif made is None:
            _flags_of_serving(name, below)
        _complete_files(shtab, below)
    return whole


def _complete_files(shtab: Any, parser: argparse.ArgumentParser) -> None:
    """Mark all arguments whose values aren't listed, here and in subparsers: the shell completes
    paths for them.

    Some of them aren't paths, but a shell completes paths by default, too.
    """
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                _complete_files(shtab, one)
        elif action.choices is None and action.nargs != 0:
            action.complete = shtab.DIRECTORY if action.metavar == "DIR" else shtab.FILE  # type: ignore[attr-defined]


def _flags_of_serving(name: str, parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command `name` to `parser`, for those without argparse: `krm`,
    `serve` and `guard`.
    """
    if name == "krm":
        parser.add_argument("what", choices=["run", "init"])
        parser.add_argument("more", nargs="*")
        return
    import importlib

    flags: Any = importlib.import_module(f"...{COMMANDS[name].module}", __package__)
    if name == "serve":
        parser.add_argument("function", metavar="module:function")
    for flag in flags.FLAGS:
        if flag.key != "h":
            parser.add_argument(
                *flag.names.split(", "),
                help=flag.text,
                action="store" if flag.value else "store_true",
            )


def make_parser() -> argparse.ArgumentParser:
    """Return the argparse parser of `crossplane-lite completion`."""
    made = parser(
        "completion",
        "Print a script with which a shell completes commands and flags of crossplane-lite. It"
        " needs the extra cli.",
        'examples:\n  eval "$(crossplane-lite completion bash)"      in ~/.bashrc\n'
        '  eval "$(crossplane-lite completion zsh)"       in ~/.zshrc, after compinit\n'
        "  crossplane-lite completion fish > ~/.config/fish/completions/crossplane-lite.fish",
    )
    made.add_argument("shell", choices=SHELLS, help="the shell")
    return made
