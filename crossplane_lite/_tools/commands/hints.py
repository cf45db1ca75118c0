"""Hints of the command line: suggestions for misspelt flags and choices, and the next steps.

In a project, `crossplane-lite` without arguments prints the latter.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..manifests import project
from .table import COMMANDS

if TYPE_CHECKING:
    import argparse


def parser_of(name: str) -> argparse.ArgumentParser | None:
    """Return the argparse parser of the command `name`; None if the command doesn't use
    argparse.
    """
    if not COMMANDS[name].module:
        return None
    module = importlib.import_module(f"...{COMMANDS[name].module}", __package__)
    make: Any = getattr(module, "make_parser", None)
    made: argparse.ArgumentParser | None = make() if make is not None else None
    return made


def spellings(name: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield a message for each long flag that resembles a flag of a command, and each value that
    resembles a choice.

    A message is such as `there is no --outptu; did you mean --output?`. Nothing is yielded for a
    command that doesn't use argparse.

    Args:
        name: The command.
        arguments: The arguments after the command. Flags of all its subcommands count as known.
    """
    parser = parser_of(name)
    if parser is None:
        return
    flags = _flags(parser)
    # Nothing is before the first argument, which has choices in commands such as `xpkg build`.
    first = {
        one
        for action in parser._actions
        if not action.option_strings
        for one in action.choices or ()
    }
    choices = {**flags, "": first}
    for before, argument in zip(("", *arguments), arguments, strict=False):
        flag, equals, value = argument.partition("=")
        if flag.startswith("--") and len(flag) > 2 and flag not in flags:
            word, known = flag, set(flags)
        elif equals and flag in flags:
            word, known = value, flags[flag]
        else:
            word, known = argument, choices.get(before, set())
        found = difflib.get_close_matches(word, sorted(known), n=1)
        if word not in known and found:
            yield f"there is no {word}; did you mean {found[0]}?"


def _flags(parser: argparse.ArgumentParser) -> dict[str, set[str]]:
    """Return the choices of each flag of a parser and of its subparsers, empty if any value will
    do.
    """
    import argparse

    known: dict[str, set[str]] = {}
    work = [parser]
    while work:
        for action in work.pop()._actions:
            if isinstance(action, argparse._SubParsersAction):
                work += action.choices.values()
            for flag in action.option_strings:
                known.setdefault(flag, set()).update(action.choices or ())
    return known


# A table of the project file that a command needs (or a file of the project), the command, and what
# it is for.
_STEPS = (
    ("preview", "crossplane-lite render", "what the first reconcile composes"),
    ("preview", "crossplane-lite simulate", "what appears when, until nothing changes"),
    ("preview", "crossplane-lite diff --kube-context NAME", "what a rollout changes in a cluster"),
    (
        "tests",
        "python -m pytest",
        "the tests; --crossplane-update-snapshots takes intended changes",
    ),
    (
        "generate",
        "crossplane-lite add SOURCE KIND",
        "models of a provider's kinds, from its package or definitions",
    ),
    (
        "generate",
        "crossplane-lite generate --check",
        "whether the models are those of the definitions",
    ),
    ("pyproject.toml", "crossplane-lite image --base PATH", "the function's image, without Docker"),
    ("package", "crossplane-lite xpkg build", "its package; xpkg push puts it into a registry"),
)


def next_steps() -> Iterator[str]:
    """Yield the lines about the project in the current folder; none if it has no project file.

    Raises:
        InputError: The project file can't be read, or isn't TOML.
        MissingExtraError: Python 3.10 needs tomli to read the file, and it isn't installed.
    """
    found = project.find(Path())
    if found is None:
        return
    is_operation = "operation" in (found.tables.get("preview") or ())
    yield f"{Path().absolute().name} is a project ({found.file}). Next:"
    yield ""
    for needed, command, about in _STEPS:
        if needed == "preview" and is_operation:
            if not command.endswith("render"):
                continue
            command += " op"
        if needed in found.tables or Path(needed).exists():
            yield f"  {command:<41} {about}"
    yield ""
    yield "crossplane-lite --help lists all commands."
