"""The command `crossplane-lite`: finds the sub-command and turns errors into one line and an exit status.

A sub-command's code is imported when it is called, so that none pays for another.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Final

from ._terminal import stdio
from .errors import CrossplaneLiteError

__all__ = ["main"]

# Name: the module whose `command(argv)` returns the exit status, and what help says.
_COMMANDS: Final = {
    "dev": ("develop.command", "serve a function while it is written, and say what is asked and answered"),
    "generate": ("codegen.command", "make models from API definitions"),
    "generate-input": ("codegen.input_crd", "print the CustomResourceDefinition of a function's input"),
    "graph": ("graph.command", "draw what depends on what in a composition"),
    "image": ("packaging.image", "make a function's container image without Docker"),
    "init": ("scaffold.command", "write the project of a new function"),
    "krm": ("krm.command", "run a KRM function, or begin one"),
    "prune": ("packaging.prune", "take out of installed packages what a served function never loads"),
    "render": ("render.command", "do one reconcile from files and print what it composes"),
    "serve": ("runtime.flags", "serve one function over gRPC"),
    "simulate": ("simulate.command", "reconcile until nothing changes and show what appears when"),
    "xpkg": ("packaging.xpkg", "build, show and check Crossplane packages"),
}

# Those that see to stdin, stdout and signals themselves.
_BY_THEMSELVES: Final = (["dev"], ["krm"], ["serve"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command.

    Where the arguments are the process's own, the process is taken to end with the command: what anybody prints on
    stdout after its output goes to stderr, and threads that functions have left are not waited for.

    Args:
        argv: Command-line arguments without the program's name; by default the process's own.

    Returns:
        The exit status: 0, 1 for a fatal result, 2 for a wrong command line or bad input, 130 after Ctrl-C.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    ending = arguments == sys.argv[1:] and arguments[:1] not in _BY_THEMSELVES
    if ending:
        stdio.repair()
    try:
        status = _run(arguments)
    finally:
        stdio.give_back(ending=ending)
    if ending:
        stdio.leave(status)
    return status


def _run(arguments: list[str]) -> int:
    if not arguments:
        stdio.say(*_help())
        return 2
    if arguments[:2] == ["krm", "init"]:  # what it was called when only KRM functions had a template
        arguments = ["init", "--template", "krm", *arguments[2:]]
    name = arguments[0]
    try:
        if name in ("-h", "--help"):
            return _print(*_help())
        if name == "--version":
            return _print(f"crossplane-lite {_version()}")
        if name not in _COMMANDS:
            return _complain(f"crossplane-lite: there is no command {name!r}; the commands are {', '.join(_COMMANDS)}")
        module = importlib.import_module(f".{_COMMANDS[name][0]}", __package__)
        try:
            status: int = module.command(arguments[1:])
        finally:
            stdio.flush()
        return status
    except CrossplaneLiteError as e:
        return _complain(f"crossplane-lite {name}: {e}")
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        return 1
    except OSError as e:  # what is written to stdout finds no place
        return _complain(f"crossplane-lite {name}: {e.strerror if e.strerror and e.filename is None else e}")
    except KeyboardInterrupt:
        return 130


def _complain(text: str) -> int:
    stdio.say(text)
    return 2


def _print(*lines: str) -> int:
    stdio.write("".join(f"{line}\n" for line in lines).encode())
    return 0


def _help() -> list[str]:
    width = max(map(len, _COMMANDS))
    return [
        "usage: crossplane-lite COMMAND ...",
        "",
        "commands:",
        *(f"  {name:<{width}}  {text}" for name, (_, text) in _COMMANDS.items()),
        "",
        "crossplane-lite COMMAND --help says more; crossplane-lite --version prints the version.",
    ]


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("crossplane-lite")
    except PackageNotFoundError:
        return "(not installed)"
