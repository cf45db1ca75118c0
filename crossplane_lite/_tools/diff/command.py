"""`crossplane-lite diff`: shows the changes that a rollout makes to existing resources."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ..._core.base import stdio
from ..._core.base.terminal import StatusLine
from ...errors import InputError
from ..manifests.objects import RESOURCE_NAME, resource_name
from ..manifests.yaml import Document
from ..render import arguments, terminal
from ..render.inputs import field, files_of, is_text, read_composite, read_object, read_resources
from ..render.rendered import InvalidStatusError, NoAnswerError, RenderError
from . import report
from .compare import Difference, against_cluster, against_version, failed, masking

if TYPE_CHECKING:
    from ..render.arguments import Inputs
    from ..render.pipeline import Runner
    from ..render.rendered import Rendered

_NAME: Final = "crossplane-lite diff"

CHANGES: Final = 1
"""The exit status with --exit-code if something changes."""
DELETIONS: Final = 3
"""The exit status if something is deleted, now or once a missing value is there."""
FAILURES: Final = 4
"""The exit status if a reconcile fails, or the API server would refuse or drop a part of it."""


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite diff` with the arguments that follow it, and print the changes.

    Returns:
        The exit status. It is 4 if a composite's reconcile fails, --crds finds mistakes, or a file
        can't be used; else 3 if something is deleted, now or once a missing value is there, else 1
        if --exit-code is given and something changes, else 0.

    Raises:
        InputError: A file, a function or a version can't be used. If the command line names a
            folder, an error that concerns a single composite in it counts as a failed reconcile
            instead.
        MissingExtraError: An extra that the command needs isn't installed.
        OSError: The output can't be written.
        SystemExit: An argument is wrong or missing, or --help was given.
    """
    given = arguments.parse(make_parser(), argv)
    terminal.begin()
    differences: list[Difference] = []
    files = _files(given)
    with contextlib.ExitStack() as stack, StatusLine() as status:
        others: dict[str, Runner] | None = None
        for number, one in enumerate(files, 1):
            try:
                inputs = _read(given, one)
            except InputError as error:
                if one is None:
                    raise
                # The other composites are compared even if one can't be used.
                differences.append(failed(one.composite.content, str(error)))
                continue
            if given.against is not None and others is None:
                from ..render.functions import dialling
                from .versions import other_version

                old = other_version(given.against, inputs.functions, dialling(given))
                others = stack.enter_context(old)
            status.clear()
            stdio.say(*(f"warning: {note}" for note in inputs.notes))
            if len(files) > 1:
                status.show(f"{number}/{len(files)} {inputs.composite.content['metadata']['name']}")
            try:
                differences.append(_difference(inputs, others, status))
            except InputError as error:
                if one is None:
                    raise
                differences.append(failed(one.composite.content, str(error)))
    stdio.write(_shown(differences, given).encode(errors="surrogateescape"))
    if any(one.error is not None or one.invalid for one in differences):
        return FAILURES
    if any(one.counts["delete"] for one in differences):
        return DELETIONS
    return CHANGES if given.exit_code and not all(one.is_empty for one in differences) else 0


def _read(given: argparse.Namespace, one: _Saved | None) -> Inputs:
    if one is None:
        folder = (
            "; if it has a composite and its composed resources, give its folder,"
            f" {given.composite.parent}"
        )
        return arguments.read_inputs(given, composite=read_composite(given.composite, folder))
    return arguments.read_inputs(given, composite=one.composite, observed=one.observed)


def _files(given: argparse.Namespace) -> list[_Saved | None]:
    """Return the saved composites of a folder; [None] if the command line names a file with a
    single composite.

    Raises:
        InputError: A file of the folder can't be used, or the command line has --observed-resources
            and a folder.
    """
    if not given.composite.is_dir():
        return [None]
    if given.observed_resources is not None:
        raise InputError(
            f"--observed-resources works only with one composite, and {given.composite} is a"
            " folder: put the composed resources of each composite into the composite's file"
        )
    return list(_saved(given.composite, given.composition))


class _Saved(NamedTuple):
    """A saved composite with its composed resources.

    Attributes:
        composite: The composite.
        observed: The composite's composed resources as they existed when the file was saved.
    """

    composite: Document
    observed: list[Document]


def _saved(folder: Path, composition: Path | None) -> Iterator[_Saved]:
    """Yield the composite and the composed resources of each file in a folder, in the order of the
    files' names.

    Args:
        folder: The folder. Its files that end in .yaml, .yml and .json are read.
        composition: The file of the Composition, which names the kind of the composites. The first
            object of this kind is the file's composite; others with the annotation
            `crossplane.io/composition-resource-name` are composed resources. If `composition` is
            None, the composite is the object without this annotation.

    Raises:
        InputError: A file can't be read, doesn't have exactly one composite, or its composite has
            no name.
    """
    wanted = None
    if composition is not None:
        document = read_object(composition, "Composition")
        wanted = tuple(
            field(document, str, "spec", "compositeTypeRef", key) for key in ("apiVersion", "kind")
        )
    for path in files_of(folder):
        composites: list[Document] = []
        observed: list[Document] = []
        for one in read_resources([path]):
            kind = one.content["apiVersion"], one.content["kind"]
            is_composite = not resource_name(one.content) if wanted is None else kind == wanted
            # A composite may compose others of its kind.
            (
                composites
                if is_composite and not (composites and resource_name(one.content))
                else observed
            ).append(one)
        if len(composites) != 1:
            sign = (
                "the kind of the Composition's spec.compositeTypeRef"
                if wanted
                else f"no annotation {RESOURCE_NAME}"
            )
            raise InputError(
                f"{path} must hold one composite and its composed resources, and it holds"
                f" {len(composites)} composites (a composite has {sign})"
            )
        if not is_text(composites[0].content["metadata"].get("name")):
            raise InputError(
                f"{composites[0].where} has no metadata.name, which a composite must have"
            )
        yield _Saved(composites[0], observed)


def _difference(
    inputs: Inputs, others: Mapping[str, Runner] | None, status: StatusLine
) -> Difference:
    composite = inputs.composite.content
    observed = [document.content for document in inputs.observed]
    try:
        new = inputs.render()
    except RenderError as error:
        from ..render.output import failure_lines

        mask = masking((), observed, error.steps)
        status.clear()
        stdio.say(*map(mask, failure_lines(error, inputs.schemas)))
        return failed(composite, mask(str(error)))
    from ..render.validation import beyond

    lines, is_whole = beyond(new)
    invalid: list[str] = [] if is_whole else lines
    unchecked: list[str] = lines if is_whole else []
    check = inputs.check(new)
    if check is not None:
        mask = masking((), observed, new.steps)
        invalid += map(mask, check.errors)
        unchecked += filter(None, [check.unchecked, check.unevaluated])
    if others is None:
        found = against_cluster(composite, observed, new, inputs.schemas)
        return found._replace(notes=[*found.notes, *unchecked], invalid=invalid)
    old: Rendered | None = None
    notes = []
    try:
        old = inputs._replace(functions=dict(others)).render()
    except InvalidStatusError as error:  # its composed resources are applied nevertheless
        old = error.rendered
    except NoAnswerError as error:
        raise InputError(f"--against: the other version can't be called: {error}") from None
    except RenderError as error:
        notes.append(f"the other version fails, so all resources count as new: {error}")
    found = against_version(composite, observed, old, new, inputs.schemas)
    return found._replace(notes=[*notes, *found.notes, *unchecked], invalid=invalid)


def _shown(differences: Sequence[Difference], given: argparse.Namespace) -> str:
    if given.format == "json":
        return report.as_json(differences)
    if given.format == "markdown":
        return report.as_markdown(differences)
    return report.as_text(differences, colour=_has_colour(given.color))


def _has_colour(wanted: str) -> bool:
    if wanted != "auto":
        return wanted == "always"
    return (
        stdio.is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def make_parser() -> argparse.ArgumentParser:
    """Return the argparse parser of `crossplane-lite diff`."""
    parser = arguments.Parser(
        prog=_NAME,
        usage=f"{_NAME} [options] XR|FOLDER [COMPOSITION] [FUNCTIONS]",
        description=(
            "Show what a rollout changes: which resources are deleted, created, changed field by"
            " field, held back and kept. Existing resources come from --observed-resources or"
            " --kube-context; with --against, the desired state of another version of the function"
            " stands in their place. In a FOLDER each file is one composite with its composed"
            " resources."
        ),
        epilog=(
            "Exit status: 0; 1 with --exit-code where something changes; 2 when the command line or"
            " a file can't be used; 3 where something is deleted, now or once a missing value is"
            " there, with or without --exit-code; 4 when a reconcile fails, or --crds finds"
            " mistakes in a resource."
        ),
    )
    arguments.add_inputs(parser)
    group = parser.add_argument_group("comparison and output")
    group.add_argument(
        "--against",
        metavar="VERSION",
        help=(
            "compare with another version of the function on the same inputs: a folder with its"
            " source, a revision of git, a virtual environment that it is installed in, or the"
            " address of a server (host:port)"
        ),
    )
    group.add_argument(
        "--format", choices=("text", "markdown", "json"), default="text", help="the format (text)"
    )
    group.add_argument(
        "--exit-code",
        action="store_true",
        help="end with status 1 where something changes, as git diff does",
    )
    group.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colour the text; auto does on a terminal, unless NO_COLOR is set (auto)",
    )
    return parser
