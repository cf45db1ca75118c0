"""The command `crossplane-lite`: finds the sub-command and turns errors into one line and an exit status.

A sub-command's code is imported when it is called, so that none pays for another.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Final

from .errors import CrossplaneLiteError

__all__ = ["main"]

# Name: the module whose `command(argv)` returns the exit status, and what help says.
_COMMANDS: Final = {
    "generate": ("codegen.command", "make models from API definitions"),
    "generate-input": ("codegen.input_crd", "print the CustomResourceDefinition of a function's input"),
    "graph": ("graph.command", "draw what depends on what in a composition"),
    "krm": ("krm.command", "run a KRM function, or begin one"),
    "render": ("render.command", "do one reconcile from files and print what it composes"),
    "serve": ("runtime.flags", "serve one function over gRPC"),
    "simulate": ("simulate.command", "reconcile until nothing changes and show what appears when"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command.

    Args:
        argv: Command-line arguments without the program's name; by default the process's own.

    Returns:
        The exit status: 0, 1 for a fatal result, 2 for a wrong command line or bad input, 130 after Ctrl-C.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        return _complain(_help())
    name = arguments[0]
    if name in ("-h", "--help"):
        print(_help())
        return 0
    if name == "--version":
        print(f"crossplane-lite {_version()}")
        return 0
    if name not in _COMMANDS:
        return _complain(f"crossplane-lite: there is no command {name!r}; the commands are {', '.join(_COMMANDS)}")
    try:
        module = importlib.import_module(f".{_COMMANDS[name][0]}", __package__)
        status: int = module.command(arguments[1:])
        if sys.stdout is not None:  # closed by the shell, as `>&-` does
            sys.stdout.flush()
        return status
    except CrossplaneLiteError as e:
        return _complain(f"crossplane-lite {name}: {e}")
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        _drop_output()
        return 1
    except OSError as e:  # what is written to stdout finds no place
        _drop_output()
        return _complain(f"crossplane-lite {name}: {e}")
    except KeyboardInterrupt:
        return 130


def _drop_output() -> None:
    """Let go of what stdout still holds; Python would complain about it once more at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(text: str) -> int:
    print(text, file=sys.stderr)
    return 2


def _help() -> str:
    commands = "\n".join(f"  {name:<14} {text}" for name, (_, text) in _COMMANDS.items())
    return (
        "usage: crossplane-lite COMMAND ...\n\n"
        f"commands:\n{commands}\n\n"
        "crossplane-lite COMMAND --help says more; crossplane-lite --version prints the version."
    )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("crossplane-lite")
    except PackageNotFoundError:
        return "(not installed)"
