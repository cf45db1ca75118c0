"""The command `crossplane-lite`: runs a subcommand, and turns errors into one line and an exit
status.

Only the code of the called subcommand is imported, so that each starts quickly.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Sequence
from typing import Any, Final

from ._core.base import stdio
from ._core.base.terminal import painted
from .errors import CrossplaneLiteError, MissingExtraError

try:
    from ._tools.commands.table import COMMANDS, GROUPS
except ModuleNotFoundError:  # an image has no tools
    COMMANDS, GROUPS = {}, {}

__all__ = ["main"]

# The garbage collector runs after so many more objects than were freed; Python's own number is
# 2,000 or less.
_ALLOCATIONS: Final = 100_000

# Commands that handle stdin, stdout and signals themselves.
_BY_THEMSELVES: Final = (["dev"], ["guard"], ["serve"])

# The commands that images have, which have no tools, and their modules.
_IN_IMAGES: Final = {"guard": "runtime.guarding", "serve": "runtime.flags"}

# Commands whose files a recorded request can stand for.
_FROM: Final = ("diff", "graph", "render", "simulate")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Without `argv` (or if it has the process's own arguments), the process is expected to end after
    the subcommand. Output that functions print after the subcommand's own output then goes to
    stderr, and threads that functions have left running are ended after a second. `dev` and `serve`
    do both themselves.

    Args:
        argv: The command-line arguments without the program's name; by default the process's own.

    Returns:
        The exit status. It is 0 for success; 1 if the command's check failed, a function had a
        Fatal result, or the reader of the output has ended; 2 for a wrong command line, bad input,
        or output that can't be written; 130 after Ctrl-C. Some commands have further statuses,
        which their help lists.

    Raises:
        SystemExit: argparse has printed help, or an error of the command line.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    ending = arguments == sys.argv[1:] and arguments[:1] not in _BY_THEMSELVES
    if ending:
        stdio.repair()
        # Such a short process makes little garbage, and looking for garbage costs a twentieth of a
        # render.
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
    if arguments[:2] == ["krm", "init"]:  # the old name of `init --template krm`
        arguments = ["init", "--template", "krm", *arguments[2:]]
    if arguments[:1] == ["help"] and arguments[1:2] not in ([], ["-h"], ["--help"]):
        arguments = [*arguments[1:], "--help"]
    name = arguments[0] if arguments else ""
    try:
        if name in ("--version", "version"):
            return _print(f"crossplane-lite {_version()}")
        if not COMMANDS and name not in _IN_IMAGES:
            raise MissingExtraError(
                "this image holds only the code that serves a function, and of the commands only"
                " serve and guard: install crossplane-lite with pip to use the others"
            )
        if not arguments:
            from ._tools.commands.hints import next_steps

            if lines := list(next_steps()):
                return _print(*lines)
            stdio.say(*_help())
            return 2
        if name in ("-h", "--help", "help"):
            return _print(*_help())
        if COMMANDS and name not in COMMANDS:
            from ._core.base.texts import near_name

            names = ", ".join(COMMANDS)
            hint = near_name(name, COMMANDS) or f"; the commands are {names}"
            return _complain(f"crossplane-lite: there is no command {name!r}{hint}")
        home = COMMANDS[name].module if COMMANDS else _IN_IMAGES[name]
        module = importlib.import_module(f".{home}", __package__)
        try:
            return _called(module, arguments)
        except SystemExit as e:  # argparse ends with it after help and after a complaint
            if e.code == 2 and COMMANDS:
                from ._tools.commands.hints import spellings

                stdio.say(*spellings(name, arguments[1:]))
            raise
        finally:
            stdio.flush()
            if (
                arguments[1:] in (["-h"], ["--help"])
                and COMMANDS
                and (examples := COMMANDS[name].examples)
            ):
                _print("", "examples:", *(f"  crossplane-lite {example}" for example in examples))
    except CrossplaneLiteError as e:
        return _complain(f"{f'crossplane-lite {name}'.strip()}: {e}")
    except BrokenPipeError:  # the reader of our output has ended, such as `head`
        return 1
    except OSError as e:  # the output can't be written, such as on a full disk
        return _complain(
            f"crossplane-lite {name}: {e.strerror if e.strerror and e.filename is None else e}"
        )
    except KeyboardInterrupt:
        return 130


def _called(module: Any, arguments: list[str]) -> int:
    """Call a command. In the place of `--from RECORDING#XR@TIME` it gets the files of a recorded
    request.
    """
    flags = [one for one in arguments[1:] if one.partition("=")[0] == "--from"]
    if not flags or arguments[0] not in _FROM:
        status: int = module.command(arguments[1:])
        return status
    import tempfile
    from pathlib import Path

    from ._tools.recorder.files import with_files

    with tempfile.TemporaryDirectory(prefix="crossplane-lite-") as folder:
        status = module.command(with_files(arguments[1:], Path(folder)))
    return status


def _forget_interrupts() -> None:
    """Make sure that after Ctrl-C, `python -m` ends with our exit status and doesn't kill itself by
    SIGINT.

    Python remembers a KeyboardInterrupt that was raised through code compiled from a string, as
    namedtuple and dataclasses compile it. `python -m` then ends by SIGINT, even if the exception
    was caught. Any eval() makes Python forget the KeyboardInterrupt.
    """
    eval("0")


def _complain(text: str) -> int:
    head, colon, rest = text.partition(": ")
    stdio.say(f"{painted(head, 'red')}{colon}{rest}")
    return 2


def _print(*lines: str) -> int:
    stdio.write("".join(f"{line}\n" for line in lines).encode())
    return 0


def _help() -> list[str]:
    width = max(map(len, COMMANDS))
    lines = ["usage: crossplane-lite COMMAND ...", ""]
    for group, names in GROUPS.items():
        lines += [
            f"{group}:",
            *(f"  {name:<{width}}  {COMMANDS[name].about}" for name in names),
            "",
        ]
    return [
        *lines,
        "examples:",
        "  crossplane-lite init network",
        "  crossplane-lite render xr.yaml composition.yaml functions.yaml",
        "",
        (
            "crossplane-lite COMMAND --help says more, with examples; crossplane-lite --version"
            " prints the version."
        ),
    ]


def _version() -> str:
    found: str = importlib.import_module(str(__package__)).__version__
    return found or "(not installed)"
