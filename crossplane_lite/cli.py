"""The command `crossplane-lite`: finds the sub-command and turns errors into one line and an exit status.

A sub-command's code is imported when it is called, so that none pays for another.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Sequence
from typing import Any, Final

from ._commands.table import COMMANDS
from ._terminal import stdio
from ._terminal.colour import painted
from .errors import CrossplaneLiteError, MissingExtraError

__all__ = ["main"]

_ALLOCATIONS: Final = 100_000

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
        # A process that ends with its command has little garbage, and looking for it costs a twentieth of a render.
        gc.set_threshold(_ALLOCATIONS, 10, 10)
    try:
        status = _run(arguments)
    finally:
        stdio.give_back(ending=ending)
        _forget_interrupts()
    if ending:
        stdio.leave(status)
    return status


def _run(arguments: list[str]) -> int:
    if not arguments:
        stdio.say(*_help())
        return 2
    if arguments[:2] == ["krm", "init"]:  # what it was called when only KRM functions had a template
        arguments = ["init", "--template", "krm", *arguments[2:]]
    if arguments[0] == "help" and arguments[1:2] not in ([], ["-h"], ["--help"]):
        arguments = [*arguments[1:], "--help"]
    name = arguments[0]
    try:
        if name in ("-h", "--help", "help"):
            return _print(*_help())
        if name in ("--version", "version"):
            return _print(f"crossplane-lite {_version()}")
        if name not in COMMANDS:
            from ._commands.suggesting import near

            names = ", ".join(COMMANDS)
            hint = near(name, COMMANDS) or f"; the commands are {names}"
            return _complain(f"crossplane-lite: there is no command {name!r}{hint}")
        module = _module(name)
        try:
            status: int = module.command(arguments[1:])
        except SystemExit as e:  # argparse's way to end
            _add_to_argparse(name, arguments[1:], e.code)
            raise
        finally:
            stdio.flush()
        if arguments[1:] in (["-h"], ["--help"]):
            _print_examples(name)
        return status
    except CrossplaneLiteError as e:
        return _complain(f"crossplane-lite {name}: {e}")
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        return 1
    except OSError as e:  # what is written to stdout finds no place
        return _complain(f"crossplane-lite {name}: {e.strerror if e.strerror and e.filename is None else e}")
    except KeyboardInterrupt:
        return 130


def _forget_interrupts() -> None:
    """Let the process end with its exit status, also where code that came from a string was interrupted.

    Python notes a KeyboardInterrupt that leaves such code, which namedtuple and dataclasses write too. Because of the
    note, `python -m` kills itself by SIGINT in the end, although the exception was caught. An eval() drops the note.
    """
    eval("0")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f".{COMMANDS[name].module}", __package__)
    except ModuleNotFoundError as e:
        if e.name is None or not e.name.startswith(f"{__package__}."):
            raise
        raise MissingExtraError(f"this installation was pruned: it can serve functions, and has no {e.name}") from None


def _add_to_argparse(name: str, arguments: list[str], status: object) -> None:
    """Add to what argparse has printed: examples to help, what was meant to a complaint."""
    if status == 2:
        from ._commands.suggesting import flag_hints

        stdio.say(*flag_hints(name, arguments))
    elif arguments in (["-h"], ["--help"]):
        stdio.flush()
        _print_examples(name)


def _print_examples(name: str) -> None:
    examples = COMMANDS[name].examples
    if examples:
        _print("", "examples:", *(f"  crossplane-lite {example}" for example in examples))


def _complain(text: str) -> int:
    head, colon, rest = text.partition(": ")
    stdio.say(f"{painted(head, 'red')}{colon}{rest}")
    return 2


def _print(*lines: str) -> int:
    stdio.write("".join(f"{line}\n" for line in lines).encode())
    return 0


def _help() -> list[str]:
    width = max(map(len, COMMANDS))
    return [
        "usage: crossplane-lite COMMAND ...",
        "",
        "commands:",
        *(f"  {name:<{width}}  {told.about}" for name, told in COMMANDS.items()),
        "",
        "examples:",
        "  crossplane-lite init network",
        "  crossplane-lite render xr.yaml composition.yaml functions.yaml",
        "",
        "crossplane-lite COMMAND --help says more, with examples; crossplane-lite --version prints the version.",
    ]


def _version() -> str:
    found: str = importlib.import_module(str(__package__)).__version__
    return found or "(not installed)"
