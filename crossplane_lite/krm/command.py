"""The command `crossplane-lite krm`, and the command line of a KRM function's own program."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator

from ..errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .._core.paths.schema import Schema
    from .files import Changes
    from .functions import Function
    from .resource_list import ResourceList
    from .runner import Output

__all__ = ["command", "started"]


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
        The exit status. It is the function's; 0 for help; 1 if `--diff` shows a difference; 2 if no
        function is named; 130 after Ctrl-C.

    Raises:
        InputError: The function can't be loaded, a file or stdin can't be read or written, or a
            flag doesn't fit the given files.
        UsageError: `--help` or `--doc` is given, and the function's annotation or its config class
            is wrong.
        SystemExit: A flag is wrong, with the status 2; argparse has written a message to stderr.
    """
    name, rest = (argv[0], list(argv[1:])) if argv else ("", [])
    if name in ("-h", "--help") or (name == "run" and rest[:1] in (["-h"], ["--help"])):
        print(_USAGE)
        return 0
    if name != "run" or not rest or rest[0].startswith("-"):
        from .._core.base.texts import near_name

        unknown = f"there is no command {name!r}{near_name(name, ('init', 'run'))}" if name else ""
        problem = "run needs a function first, as module:function" if name == "run" else unknown
        print(f"crossplane-lite krm: {problem}\n\n{_USAGE}" if problem else _USAGE, file=sys.stderr)
        return 2
    return started(lambda: _load(rest[0]), f"crossplane-lite krm run {rest[0]}", rest[1:])


def _load(name: str) -> Function:
    from ..runtime.load import load_object

    found: Function = load_object(name, _FUNCTION, "KRM function", "@krm.function", "transform")
    return found


def started(load: Callable[[], Function], program: str, argv: Sequence[str]) -> int:
    """Run a function as its command-line arguments say, and return the exit status.

    Args:
        load: Imports and returns the function. Nothing that the import prints reaches stdout.
        program: The program's name in messages.
        argv: The arguments. If there are none, a ResourceList is read from stdin and written to
            stdout.

    Raises:
        InputError: As for `command`.
        UsageError: As for `command`.
        SystemExit: As for `command`.
    """
    from .._core.base import stdio
    from .runner import serve

    if not argv:
        return serve(load, program)
    stdio.take(is_ours=False)
    function = load()
    parser = _parser(function, program)
    given = parser.parse_args(argv)  # argparse writes mistakes to stderr; help is printed below
    if given.help:
        return _put(program, with_config(parser.format_help(), function))
    if given.doc:
        return _put(program, document(function))
    return _show(*_outcome(function, program, given), program, given)


def _put(program: str, text: str) -> int:
    from .runner import Output, finish

    return finish(program, Output(text.encode(), 0, ""))


def _outcome(function: Function, program: str, given: argparse.Namespace) -> tuple[Output, Changes]:
    """Run a function on the ResourceList in stdin or on files, and return its output and the
    changes of files.

    Raises:
        InputError: stdin or a file can't be read or written, or a flag is given that needs files.
    """
    if given.config is None and not given.items:
        return _of_list(function, program, given)
    return _of_files(function, program, given)


def _of_list(function: Function, program: str, given: argparse.Namespace) -> tuple[Output, Changes]:
    """Run a function on the ResourceList in stdin."""
    for flag, what in (("in_place", "changes"), ("skip_unreadable", "is for")):
        if getattr(given, flag):
            name = flag.replace("_", "-")
            raise InputError(
                f"--{name} {what} files, and none are given; name them after the flags"
            )
    data = _stdin(program, "a ResourceList")
    output = function.run(data)
    if not output.stdout:
        return output, []
    if given.diff or given.output == "unwrap":
        from .resource_list import ResourceList

        output.stderr += _told(ResourceList.read(output.stdout))
    if given.output == "unwrap":
        from .files import unwrapped

        output.stdout = unwrapped(output.stdout).encode()
    return output, [("<stdin>", data, output.stdout)]


def _of_files(
    function: Function, program: str, given: argparse.Namespace
) -> tuple[Output, Changes]:
    """Run a function on files, and on the documents of stdin where `-` is among them."""
    from .files import Package
    from .runner import Output, answered

    if given.in_place and "-" in given.items:
        raise InputError(
            "--in-place can't change documents from stdin (-): leave one of the two out"
        )
    stdin = _stdin(program, "documents") if "-" in given.items else b""
    # A directory is a package, as for orchestrators: the names of its files are relative to it.
    root = given.items[0] if len(given.items) == 1 and os.path.isdir(given.items[0]) else ""
    package = Package(
        given.config, given.items, stdin, root=root, skip_unreadable=given.skip_unreadable
    )
    is_listed = not (given.diff or given.in_place or given.output == "unwrap")
    made = (
        package.as_list
        if is_listed
        else package.documents
        if given.output == "unwrap"
        else package.changes
    )
    answer = answered(function, package.read, made)
    stderr = (
        "".join(f"warning: skipped: {problem}\n" for problem in package.problems) + answer.stderr
    )
    output = Output(b"", answer.status, stderr if is_listed else stderr + _told(answer.rl))
    if isinstance(answer.made, bytes):
        output.stdout = answer.made
        return output, []
    if given.in_place and not output.status:  # orchestrators too write no files after an error
        output.stderr += "".join(f"{file}\n" for file in package.write(answer.made))
    return output, [(package.path(name), before, after) for name, before, after in answer.made]


def _told(rl: ResourceList[Any]) -> str:
    """Return a line for each result of severity info. The stderr of `Output` has only errors and
    warnings.
    """
    return "".join(f"{result}\n" for result in rl.results if result.severity == "info")


def _stdin(program: str, what: str) -> bytes:
    from .._core.base import stdio

    try:
        return stdio.read(f"{program}: reading {what} from the terminal")
    except OSError as error:
        raise InputError(f"can't read stdin: {error.strerror or error}") from None


def _show(output: Output, changes: Changes, program: str, given: argparse.Namespace) -> int:
    """Write the output of a run, or the changes as a diff, and return the exit status."""
    from .runner import finish

    if given.diff and changes:
        from .._core.base import stdio
        from .files import diff

        colour = stdio.is_terminal() and not os.environ.get("NO_COLOR")
        output.stdout = diff(changes, colour=colour).encode()
        output.status = output.status or int(bool(output.stdout))
    return finish(program, output)


def _parser(function: Function, program: str) -> argparse.ArgumentParser:
    import argparse

    parser = argparse.ArgumentParser(
        prog=program,
        description=function.description or f"The KRM function {function.name}, a {function.role}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
        epilog=(
            "Without arguments it reads a ResourceList from stdin and writes one to stdout, for"
            " orchestrators\nsuch as kpt and kustomize.\n\nExit status: 0; 1 if a result has the"
            " severity error, the input can't be read,\nor --diff shows a difference; 2 if the"
            " command line or a file can't be used; 130 after Ctrl-C."
        ),
    )
    parser.add_argument(
        "items",
        metavar="ITEMS",
        nargs="*",
        help=(
            "files of resources, directories (their files ending in .yaml, .yml and .json), or -"
            " for stdin; new files are written to the directory if it is the only argument, else to"
            " the current one"
        ),
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
        "-d",
        "--diff",
        action="store_true",
        help="print the changes of files as a unified diff, and write nothing",
    )
    how.add_argument(
        "-i",
        "--in-place",
        action="store_true",
        help="write the changes to the files, unless there are errors",
    )
    how.add_argument(
        "--doc", action="store_true", help="print name, description, role and config schema as JSON"
    )
    parser.add_argument(
        "--skip-unreadable",
        action="store_true",
        help=(
            "skip documents that can't be read, such as templates, with a warning; they stay as"
            " they are"
        ),
    )
    parser.add_argument("-h", "--help", action="store_true", help="print this and exit")
    return parser


_SPECIFICATION = "config.kubernetes.io/v1"


def with_config(text: str, function: Function) -> str:
    """Return a function's help with the fields of its config class; unchanged if it has no config
    class.

    Args:
        text: The help. The fields are put before its last two paragraphs.
        function: The function.

    Raises:
        UsageError: The function's annotation is wrong, or a field of the config class has a type
            that isn't supported.
    """
    from .._core.paths.schema import Schema

    source = _schema(function)
    if source is None:
        return text
    schema = Schema(source)
    # The fields stand before the last two paragraphs.
    head, *tail = text.rstrip("\n").rsplit("\n\n", 2)
    lines = ["functionConfig:", *(f"  {line}" for line in _lines(schema, "")), ""]
    if schema.description:
        lines[1:1] = [f"  {line}" for line in schema.description.splitlines()] + [""]
    return "\n".join([head, "", *lines, "\n\n".join(tail), ""])


def _lines(schema: Schema, above: str) -> Iterator[str]:
    for key, field in schema.properties.items():
        path = f"{above}{key}"
        yield f"{path}: {_type(field.source)}{_default(field.source, key in schema.required)}"
        yield from (f"    {line}" for line in field.description.splitlines())
        others = field.others
        if field.items is not None:
            yield from _lines(field.items, f"{path}[].")
        else:
            yield from _lines(
                field if isinstance(others, bool) else others,
                f"{path}{'.' if others is False else '.*.'}",
            )


def _type(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(one["type"] for one in field["anyOf"])
    type_ = field.get("type", "any")
    if type_ == "array":
        return f"list of {_type(field['items'])}"
    if isinstance(field.get("additionalProperties"), dict):
        return f"map of {_type(field['additionalProperties'])}"
    return str(type_) + (" or null" if field.get("nullable") else "")


def _default(field: Mapping[str, Any], is_required: bool) -> str:
    if is_required:
        return ", required"
    return (
        f", default {json.dumps(field['default'], ensure_ascii=False)}"
        if "default" in field
        else ""
    )


def document(function: Function) -> str:
    """Return a function's description as a JSON text, for programs.

    Its keys are `name`, `description`, `role`, `specification` (the version) and `config`, the
    schema of the config class, which is null without a class.

    Raises:
        UsageError: The function's annotation is wrong, or a field of the config class has a type
            that isn't supported.
    """
    told = {
        "name": function.name,
        "description": function.description,
        "role": function.role,
        "specification": _SPECIFICATION,
        "config": _schema(function),
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _schema(function: Function) -> dict[str, Any] | None:
    """Return an OpenAPI schema of a function's config class, as in a CustomResourceDefinition; None
    without a class.

    Raises:
        UsageError: The function's annotation is wrong, or a field of the config class has a type
            that isn't supported.
    """
    cls = function.config_class
    if cls is None:
        return None
    from .._core.schemas.of_class import class_schema
    from .._core.schemas.types import check_class

    check_class(cls)
    return class_schema(cls)
