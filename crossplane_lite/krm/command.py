"""The command `crossplane-lite krm`, and the command line of a KRM function's own program."""

from __future__ import annotations

import os
import sys

from ..errors import CrossplaneLiteError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import Any

    from ._process import Output, Stdout
    from ._runnable import Runnable
    from .resource_list import ResourceList

__all__ = ["command", "main"]

_FUNCTION = "crossplane_lite.krm.functions.Function"

_USAGE = """\
usage: crossplane-lite krm run module:function [FLAGS] [ITEMS ...]
       crossplane-lite krm init DIR

  run   run a KRM function: from stdin to stdout, or on files;
        `krm run module:function --help` says more
  init  the same as `crossplane-lite init --template krm DIR`"""


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite krm` with the arguments that follow it.

    Returns:
        The exit status. It is the function's; 0 for help; 1 if `--diff` shows a difference; 2 if no function is named;
        130 after Ctrl-C.

    Raises:
        InputError: The function can't be loaded, a file or stdin can't be read or written, or a flag doesn't fit the
            given files.
        UsageError: `--help` or `--doc` is given, and the function's annotation or its config class is wrong.
        SystemExit: A flag is wrong, with the status 2; argparse has written a message to stderr.
    """
    name, rest = (argv[0], list(argv[1:])) if argv else ("", [])
    if name in ("-h", "--help") or (name == "run" and rest[:1] in (["-h"], ["--help"])):
        print(_USAGE)
        return 0
    if name != "run" or not rest or rest[0].startswith("-"):
        problem = f"there is no command {name!r}" if name and name != "run" else ""
        problem = problem or ("run needs a function first, as module:function" if name == "run" else "")
        print(f"crossplane-lite krm: {problem}\n\n{_USAGE}" if problem else _USAGE, file=sys.stderr)
        return 2
    return _started(lambda: _load(rest[0]), f"crossplane-lite krm run {rest[0]}", rest[1:])


def main(function: Runnable, argv: Sequence[str]) -> int:
    """Run the program of a KRM function with command-line arguments, and return the exit status.

    A flag or a file that can't be used has the exit status 2, with a message on stderr.

    Args:
        function: The function.
        argv: The arguments without the program's name.

    Raises:
        SystemExit: A flag is wrong, with the status 2; argparse has written a message to stderr.
    """
    program = os.path.basename(sys.argv[0]) or function.name
    try:
        return _started(lambda: function, program, argv)
    except CrossplaneLiteError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2


def _load(name: str) -> Runnable:
    from ..runtime.load import load_object

    found: Runnable = load_object(name, _FUNCTION, "KRM function", "@krm.function", "transform")
    return found


def _started(load: Callable[[], Runnable], program: str, argv: Sequence[str]) -> int:
    """Run a function as its command-line arguments say, and return the exit status.

    Args:
        load: Imports and returns the function. Nothing that the import prints reaches stdout.
        program: The program's name in messages.
        argv: The arguments. If there are none, a ResourceList is read from stdin and written to stdout.

    Raises:
        InputError: As for `command`.
        UsageError: As for `command`.
        SystemExit: As for `command`.
    """
    if not argv:
        from .runner import serve

        return serve(load, program)
    from ._process import INTERRUPTED, Stdout, complain

    try:
        stdout = Stdout()
    except OSError as error:
        complain(f"{program}: can't write to stdout: {error.strerror or error}")
        return 1
    try:
        return _answered(load(), program, argv, stdout)
    except KeyboardInterrupt:
        complain(f"{program}: interrupted")
        return INTERRUPTED


def _answered(function: Runnable, program: str, argv: Sequence[str], stdout: Stdout) -> int:
    parser = _parser(function, program)
    given = parser.parse_args(argv)  # argparse writes mistakes to stderr; help is printed below
    if given.help:
        from ._help import with_config

        return stdout.put(program, with_config(parser.format_help(), function).encode(), 0)
    if given.doc:
        from ._help import document

        return stdout.put(program, document(function).encode(), 0)
    if given.config is None and not given.items:
        return _on_list(function, program, given, stdout)
    return _on_files(function, program, given, stdout)


def _on_list(function: Runnable, program: str, given: argparse.Namespace, stdout: Stdout) -> int:
    """Run a function on the ResourceList in stdin, write the output, and return the exit status.

    Raises:
        InputError: stdin can't be read, or a flag is given that needs files.
    """
    if given.in_place:
        raise InputError("--in-place changes files, and none are given; name them after the flags")
    if given.skip_unreadable:
        raise InputError("--skip-unreadable is for files, and none are given; name them after the flags")
    from .resource_list import ResourceList

    data = _stdin(program, "a ResourceList")
    output = function.run(data)
    if output.stdout and given.diff:
        output.stderr += _told(ResourceList.read(output.stdout))
        return _show_diff(program, [("<stdin>", data, output.stdout)], output, stdout)
    if output.stdout and given.output == "unwrap":
        output.stderr += _told(ResourceList.read(output.stdout))
        from ._item_text import unwrapped

        output.stdout = unwrapped(output.stdout).encode()
    return stdout.finish(program, output)


def _on_files(function: Runnable, program: str, given: argparse.Namespace, stdout: Stdout) -> int:
    from ._process import Output
    from .files import Package
    from .runner import answered

    if given.in_place and "-" in given.items:
        raise InputError("--in-place can't change documents from stdin (-): leave one of the two out")
    stdin = _stdin(program, "documents") if "-" in given.items else b""
    # A directory is a package, as for orchestrators: the names of its files are relative to it.
    is_package = len(given.items) == 1 and os.path.isdir(given.items[0])
    root = given.items[0] if is_package else ""
    package = Package(given.config, given.items, stdin, root=root, skip_unreadable=given.skip_unreadable)
    passed = "".join(f"warning: skipped: {problem}\n" for problem in package.problems)
    if given.diff or given.in_place:
        changed = answered(function, package.read, package.changes)
        output = Output(b"", changed.status, passed + changed.stderr + _told(changed.rl))
        if given.diff:
            changes = [(package.path(name), before, after) for name, before, after in changed.made]
            return _show_diff(program, changes, output, stdout)
        if not output.status:  # orchestrators too write no files after an error
            output.stderr += "".join(f"{file}\n" for file in package.write(changed.made))
        return stdout.finish(program, output)
    if given.output == "unwrap":
        printed = answered(function, package.read, package.documents)
        stderr = passed + printed.stderr + _told(printed.rl)
        return stdout.finish(program, Output(printed.made.encode(), printed.status, stderr))
    listed = answered(function, package.read, package.as_list)
    return stdout.finish(program, Output(listed.made, listed.status, passed + listed.stderr))


def _told(rl: ResourceList[Any]) -> str:
    """Return a line for each result of severity info. The stderr of `Output` has only errors and warnings."""
    return "".join(f"{result}\n" for result in rl.results if result.severity == "info")


def _stdin(program: str, what: str) -> bytes:
    from ._process import read_stdin

    try:
        return read_stdin(f"{program}: reading {what} from the terminal")
    except OSError as error:
        raise InputError(f"can't read stdin: {error.strerror or error}") from None


def _show_diff(
    program: str, changes: Sequence[tuple[str, bytes | None, bytes | None]], output: Output, stdout: Stdout
) -> int:
    from ._help import diff

    colour = stdout.is_terminal and not os.environ.get("NO_COLOR")
    output.stdout = diff(changes, colour=colour).encode()
    if output.stdout and not output.status:
        output.status = 1
    return stdout.finish(program, output)


def _parser(function: Runnable, program: str) -> argparse.ArgumentParser:
    import argparse

    parser = argparse.ArgumentParser(
        prog=program,
        description=function.description or f"The KRM function {function.name}, a {function.role}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
        epilog="Without arguments it reads a ResourceList from stdin and writes one to stdout, for orchestrators\n"
        "such as kpt and kustomize.\n\nExit status: 0; 1 if a result has the severity error, the input can't be read,"
        "\nor --diff shows a difference; 2 if the command line or a file can't be used; 130 after Ctrl-C.",
    )
    parser.add_argument(
        "items",
        metavar="ITEMS",
        nargs="*",
        help="files of resources, directories (their files ending in .yaml and .yml), or - for stdin; new files are "
        "written to the directory if it is the only argument, else to the current one",
    )
    parser.add_argument("-f", "--config", metavar="FILE", help="file of the functionConfig")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "-o",
        "--output",
        choices=["stdout", "unwrap"],
        default="stdout",
        help="print a ResourceList (stdout, the default), or only the documents in it (unwrap)",
    )
    how.add_argument(
        "-d", "--diff", action="store_true", help="print the changes of files as a unified diff, and write nothing"
    )
    how.add_argument(
        "-i", "--in-place", action="store_true", help="write the changes to the files, unless there are errors"
    )
    how.add_argument("--doc", action="store_true", help="print name, description, role and config schema as JSON")
    parser.add_argument(
        "--skip-unreadable",
        action="store_true",
        help="skip documents that can't be read, such as templates, with a warning; they stay as they are",
    )
    parser.add_argument("-h", "--help", action="store_true", help="print this and exit")
    return parser
