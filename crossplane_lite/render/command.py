"""`crossplane-lite render`: one function in process, YAML in and YAML out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .._call import mask
from ..proto import _view
from ..runtime import log
from ..runtime.load import load_function
from . import output, request, yaml

__all__ = ["command"]


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite render` with the arguments that follow it.

    Returns:
        0, or 1 when the function returned a fatal result; then nothing is printed on stdout.

    Raises:
        InputError: A file or the function isn't what it should be.
    """
    arguments = _parser().parse_args(argv)
    log.configure(text=True)
    log.set_masker(mask)
    composite = request.read_composite(arguments.composite)
    observed = request.read_observed(arguments.observed_resources) if arguments.observed_resources else {}
    data = request.build_request(composite, observed)
    response = _view.RunFunctionResponse.FromString(load_function(arguments.function).run(data))
    for line in output.message_lines(response):
        print(line, file=sys.stderr)
    if output.has_fatal(response):
        return 1
    # Sorted as Crossplane's own render does it: the fields of a Struct come in another order in each process.
    print(yaml.dump(output.desired_documents(response, composite.content), sort_keys=True), end="")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="crossplane-lite render",
        description="Run one composition function on YAML files and print the desired state: the composite resource "
        "with its status, then the composed resources by name. Results go to stderr; the exit status is 1 when one "
        "is fatal, 2 when a file or the function can't be used.",
        allow_abbrev=False,
    )
    parser.add_argument("composite", metavar="XR.yaml", type=Path, help="the composite resource")
    parser.add_argument(
        "--function", metavar="module:function", required=True, help="can be in the current directory"
    )
    parser.add_argument(
        "--observed-resources",
        metavar="PATH",
        type=Path,
        help="file or directory of composed resources that exist already, each with the annotation "
        f"{request.RESOURCE_NAME}",
    )
    return parser
