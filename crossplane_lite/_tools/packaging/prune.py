"""`crossplane-lite prune`: removes the files that a served function never loads from a folder of Python packages."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..programs.help import parser
from . import pruning
from .report import rule_table, size

__all__ = ["add_rule_flags", "command", "make_parser"]


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite prune` with the arguments that follow it.

    A table of the files and bytes that each rule has removed is printed on stdout; with `--dry-run`, of those that each
    rule would remove.

    Returns:
        Always 0.

    Raises:
        InputError: The folder has no installed packages, or a file can't be read or removed.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    arguments = make_parser().parse_args(argv)
    pruned = pruning.prune(arguments.folder, arguments.keep or (), for_krm=arguments.krm, dry_run=arguments.dry_run)
    print("\n".join(rule_table(pruned)))
    done = "would be removed" if arguments.dry_run else "were removed"
    print(f"\n{arguments.folder}: {size(pruned.before - pruned.after)} of {size(pruned.before)} {done}")
    return 0


def add_rule_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags `--keep` and `--krm`, which choose the rules for pruning, to a parser."""
    parser.add_argument(
        "--keep",
        metavar="RULE",
        action="append",
        choices=[rule.name for rule in pruning.RULES],
        help="switch a rule off; can be given several times",
    )
    parser.add_argument("--krm", action="store_true", help="keep the files that KRM functions load")


def rules_text() -> str:
    """Return the section of a command's help that lists the rules, each with its name and a description."""
    width = max(len(rule.name) for rule in pruning.RULES)
    return "\n".join(["rules:", *(f"  {rule.name:<{width}}  {rule.about}" for rule in pruning.RULES)])


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments of `crossplane-lite prune`."""
    made = parser(
        "prune",
        "Make a folder of installed packages smaller: remove the files that a served function never loads. "
        "The command is meant for a Dockerfile, after pip install --target. The files can't be restored.",
        rules_text() + "\n\nexamples:\n  crossplane-lite prune /packages\n"
        "  crossplane-lite prune /packages --dry-run --keep grpc",
    )
    made.add_argument("folder", metavar="DIR", type=Path, help="the folder that pip installed to")
    add_rule_flags(made)
    made.add_argument("--dry-run", action="store_true", help="remove nothing, only print how much would be removed")
    return made
