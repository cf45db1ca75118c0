"""The command `crossplane-lite render`: does one reconcile of a composite resource or of an
Operation, from files.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..._core.base import stdio
from ..._core.call.results import strictly
from ..manifests import yaml
from . import arguments, terminal
from .rendered import InvalidStatusError, RenderError, cut_off

if TYPE_CHECKING:
    from .rendered import Rendered

_EPILOG: Final = (
    "Exit status: 0; 1 when a function returned a fatal result or the reconcile failed otherwise,"
    " and nothing is printed on stdout then; also 1 when the XR's status doesn't fit its XRD, or"
    " --crds finds mistakes in desired resources, or values that never come because a schema lacks"
    " the field, and the resources are printed nevertheless; 2 when the command line or a file"
    " can't be used; 130 after Ctrl-C."
)


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite render`. With --watch, it renders again after each change, until it is
    interrupted.

    Args:
        argv: The arguments after `render`. A first argument `op` renders an Operation.

    Returns:
        The exit status. It is 1 if the reconcile failed or a function returned a fatal result; then
        stdout stays empty. It is also 1 if the composite's status doesn't fit its schema; and with
        `--crds`, if desired resources have mistakes, or if a resource or field waits for a value
        that never comes. Else it is 0. With --watch, it says which signal ended the command: 130
        after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.

    Raises:
        SystemExit: The arguments are wrong (status 2), or --help was given (status 0).
        InputError: A file or a function can't be read or used; or no function composes or holds
            back a resource that --explain names. The message names it.
        MissingExtraError: A package that is needed isn't installed.
    """
    is_operation = argv[:1] == ["op"]
    parser = _operation_parser() if is_operation else make_parser()
    given = arguments.parse(parser, argv[1:] if is_operation else argv)
    if given.format and not given.explain:
        parser.error(
            "--format sets the form of what --explain prints: give --explain too, or leave out"
            " --format"
        )
    if given.watch:
        from ..programs.watch import watch

        return watch(argv, arguments.paths(given), __name__.partition(".")[0])
    terminal.begin()
    wrong: Sequence[str] = ()
    inputs: arguments.Inputs | None = None
    try:
        inputs = (arguments.read_operation_inputs if is_operation else arguments.read_inputs)(given)
        rendered = _operation(inputs) if is_operation else strictly(inputs.render)
    except RenderError as error:
        if inputs is None or not isinstance(error, InvalidStatusError) or error.rendered is None:
            from .output import failure_lines

            stdio.say(
                *failure_lines(error, inputs and inputs.schemas), f"crossplane-lite render: {error}"
            )
            return 1
        rendered, wrong = error.rendered, error.errors
    return _show(rendered, inputs, given, wrong)


def _operation(inputs: arguments.Inputs) -> Rendered:
    from .operation import render_operation

    return render_operation(
        inputs.composite.content,
        inputs.pipeline,
        inputs.functions,
        cluster=inputs.cluster,
        context=inputs.context,
        timeout=inputs.timeout,
    )


def _show(
    rendered: Rendered, inputs: arguments.Inputs, given: argparse.Namespace, wrong: Sequence[str]
) -> int:
    """Print warnings and results on stderr, then the documents on stdout; with --explain,
    explanations in their place.

    `wrong` are messages about mistakes in the composite's status: with any, the exit status is 1;
    else it is that of `_check` with --crds, or 0. Raises InputError if no function composes or
    holds back a resource that --explain names, or a file of --crds can't be used.
    """
    from . import output

    with_results: bool = given.include_function_results
    # An explanation says itself what the resource waits for.
    told = output.lines(rendered, results=not with_results, waits=not given.explain)
    stdio.say(*(f"warning: {note}" for note in inputs.notes), *told)
    stdio.say(*(f"invalid: {error}" for error in wrong))
    status = 1 if wrong else 0
    try:
        status |= _check(rendered, inputs)
    except RenderError as error:  # nothing can be checked then, but the documents are there
        stdio.say(f"crossplane-lite render: {error}")
        status = 1
    if cut_off(rendered):
        from .validation import beyond

        lines, is_whole = beyond(rendered)
        stdio.say(*lines)
        status |= not is_whole
    if given.explain:
        _explain(rendered, inputs, given)
        return status
    shown = output.documents(
        rendered,
        inputs.composite.content,
        full=given.include_full,
        results=(
            output.events(rendered, inputs.composite.content, inputs.composition)
            if with_results
            else ()
        ),
        context=given.include_context,
    )
    # The keys are sorted, as in Crossplane's own render: fields of a Struct have another order in
    # each process.
    stdio.write(yaml.dump(shown, sort_keys=True).encode())
    return status


def _explain(rendered: Rendered, inputs: arguments.Inputs, given: argparse.Namespace) -> None:
    """Print where the fields of the resources that --explain names come from.

    Raises:
        InputError: No function composes or holds back a resource of one of the names.
    """
    from .explain import as_json, as_text, explain

    found = explain(rendered.steps, given.explain, timeout=inputs.timeout, schema=inputs.schema)
    stdio.write(
        (as_json(found) if given.format == "json" else as_text(found)).encode(
            errors="surrogateescape"
        )
    )


def _check(rendered: Rendered, inputs: arguments.Inputs) -> int:
    """Check the desired resources against the schemas of --crds and of Kubernetes' own kinds, and
    print the findings.

    These are invalid fields, kinds that have no schema and so aren't checked, and waits that never
    end, because the schema lacks the awaited field. The exit status is 1 if a field is invalid or a
    wait would never end, else 0. Raises InputError if a file of schemas can't be read, and
    RenderError if a resource's apiVersion can't be parsed.
    """
    check = inputs.check(rendered)
    if check is None:
        return 0
    from .told import HEADING, in_vain, lines, summary

    unresolved = {} if inputs.checks is None else in_vain(rendered.steps, inputs.checks)
    stdio.say(
        *check.lines,
        *(f"{HEADING} {line}" for line in lines(unresolved)),
    )
    if unresolved:
        stdio.say(f"crossplane-lite render: {summary(unresolved)}")
    return 1 if check.errors or unresolved else 0


def make_parser() -> argparse.ArgumentParser:
    """Return the argument parser of `crossplane-lite render`. `render op` has a parser of its
    own.
    """
    parser = arguments.Parser(
        prog="crossplane-lite render",
        usage="crossplane-lite render [options] XR [COMPOSITION] [FUNCTIONS]",
        description=(
            "Do one reconcile of a composite resource as Crossplane would, and print the result:"
            " the composite with its status, then the composed resources by composition resource"
            " name. Results of functions, and resources that would be deleted, go to stderr."
        ),
        epilog=f"{_EPILOG} `crossplane-lite render op OPERATION [FUNCTIONS]` renders an Operation.",
    )
    arguments.add_inputs(parser)
    group = _add_output(parser)
    group.add_argument(
        "-x",
        "--include-full-xr",
        dest="include_full",
        action="store_true",
        help="print the XR's spec and metadata as well",
    )
    return parser


def _operation_parser() -> argparse.ArgumentParser:
    parser = arguments.Parser(
        prog="crossplane-lite render op",
        usage="crossplane-lite render op [options] OPERATION [FUNCTIONS]",
        description=(
            "Run an Operation as Crossplane would, and print the result: the Operation with its"
            " status, then the resources that it applies."
        ),
        epilog=_EPILOG,
    )
    arguments.add_operation(parser)
    group = _add_output(parser)
    group.add_argument(
        "-o",
        "--include-full-operation",
        dest="include_full",
        action="store_true",
        help="print the Operation's spec and metadata as well",
    )
    return parser


def _add_output(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("output")
    group.add_argument(
        "-r",
        "--include-function-results",
        action="store_true",
        help="print the functions' results as documents of kind Result, instead of on stderr",
    )
    group.add_argument(
        "-c",
        "--include-context",
        action="store_true",
        help="print the pipeline's context after the last step as a document of kind Context",
    )
    arguments.add_explain(group)
    group.add_argument("--format", choices=("text", "json"), help="the format of --explain (text)")
    group.add_argument(
        "--watch",
        action="store_true",
        help="render again whenever a named file changes, or Python below the current folder",
    )
    return group
