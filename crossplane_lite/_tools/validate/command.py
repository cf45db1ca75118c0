"""`crossplane-lite validate`: checks files of composites, compositions, definitions and other
objects.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..._core.base import stdio
from ..._core.base.api_version import group_of
from ..._core.paths import field_path
from ...errors import InputError
from ..manifests import project
from ..manifests.kind_sources import passed_over_text
from ..manifests.objects import metadata_of, text_of
from ..registry.references import SCHEME, is_package
from ..render import gate
from ..render.rendered import RenderError
from . import definitions
from .compositions import Surroundings
from .files import Object, Read

_CROSSPLANE: Final = "apiextensions.crossplane.io"
_DEFINITIONS: Final = (
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    (_CROSSPLANE, "CompositeResourceDefinition"),
)
_PACKAGES: Final = "pkg.crossplane.io"
# The keys of a project file whose files are checked where the command line names none.
_FILES: Final = ("xr", "operation", "composition", "functions", "xrd")
_INSTALLED: Final = ("Configuration", "Function", "Provider")


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite validate` with the arguments that follow it.

    Returns:
        0, or 1 if something is wrong.

    Raises:
        InputError: A path can't be read, or the project file can't be used.
        MissingExtraError: PyYAML or jsonschema-rs isn't installed.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    parser = make_parser()
    arguments = parser.parse_args(argv)
    found = project.find(Path())
    named = {} if found is None else found.preview()
    paths = arguments.paths or [str(named[key]) for key in _FILES if key in named]
    if not paths:
        parser.error(
            f"give PATH: the current folder has no {project.NAME} with [preview] that names files"
        )
    read = Read()
    for path in paths:
        read.add(path)
    read.schemas.add_kubernetes()
    for crds in arguments.crds or named.get("crds", []):
        read.schemas.add_definitions(crds)
    check = _Check(read)
    lines = [*read.unreadable, *check.lines()]
    for line in check.notes():
        print(line, file=sys.stderr)
    stdio.write("".join(f"{line}\n" for line in [*lines, check.summary()]).encode())
    return 1 if lines else 0


class _Check:
    """Checks all objects that were read."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._unknown: dict[tuple[str, str], list[str]] = {}
        self._unevaluated: dict[str, None] = {}
        contents = [one.content for one in read.objects if not one.lines]
        self._surroundings = Surroundings(
            read.schemas,
            [one for one in contents if _id_of(one) == _DEFINITIONS[1]],
            {
                text_of(metadata_of(one).get("name")): _package_of(one)
                for one in contents
                if _is_function(one)
            },
        )
        for one in read.objects:
            # an object without a kind, or a definition that can't be read, can't be checked
            if not one.lines:
                self._check(one)

    def _check(self, one: Object) -> None:
        try:
            self._check_by_kind(one)
        except RenderError as error:  # an apiVersion that can't be parsed
            one.add((), str(error))

    def _check_by_kind(self, one: Object) -> None:
        """Check an object.

        Raises:
            RenderError: An apiVersion can't be parsed.
        """
        key = _id_of(one.content)
        if key in _DEFINITIONS:
            for path, text in definitions.problems(one.place, one.content):
                one.add(path, text)
            if key == _DEFINITIONS[0]:
                # Crossplane fills in the service of the conversion of a provider's kinds.
                spec = {
                    name: value
                    for name, value in one.content["spec"].items()
                    if name != "conversion"
                }
                self._check_resource(one, {**one.content, "spec": spec})
        elif key == (_CROSSPLANE, "Composition"):
            _check_name(one)
            for path, text in self._surroundings.problems(one.place, one.content):
                one.add(path, text)
        elif key[0] == _PACKAGES and key[1] in _INSTALLED:
            _check_name(one)
            if not _package_of(one.content):
                one.add(("spec", "package"), "must be the name of a package")
        else:
            self._check_resource(one, one.content)

    def _check_resource(self, one: Object, content: dict[str, Any]) -> None:
        """Check the content of an object against the schema of its kind.

        Raises:
            RenderError: Its apiVersion can't be parsed.
        """
        api_version, kind = content["apiVersion"], content["kind"]
        schemas = self._read.schemas
        known = gate.kind_of(schemas, api_version, kind)
        mistakes = [*gate.embedded(content, schemas)]
        if known.schema is not None:
            _check_name(one)
            try:
                found = gate.judged(content, known)
            except InputError as error:  # the definition has mistakes
                found = gate.Judged([gate.Mistake("", f"isn't checked: {error}")])
            mistakes += found.mistakes
            self._unevaluated.update(
                dict.fromkeys(() if found.rules is None else found.rules.unknown)
            )
        elif wrong := gate.misnamed(schemas, api_version, kind):
            mistakes.append(wrong)
        else:
            one.unchecked = gate.no_schema(schemas, api_version, kind)
            self._unknown.setdefault((api_version, kind), []).append(one.place)
        for mistake in mistakes:
            steps: Any = field_path.parse(mistake.path) if mistake.path else ()
            one.add(steps, mistake.text)

    def lines(self) -> list[str]:
        """Return a line for each mistake."""
        return [line for one in self._read.objects for line in one.lines]

    def notes(self) -> list[str]:
        """Return lines about what isn't checked, one for each kind."""
        found = []
        for (api_version, kind), places in sorted(self._unknown.items()):
            more = f" and {len(places) - 1} more" if len(places) > 1 else ""
            found.append(
                f"not checked: {places[0]}{more}:"
                f" {gate.no_schema(self._read.schemas, api_version, kind)}"
            )
        for (api_version, kind), (place, package) in sorted(self._surroundings.unknown.items()):
            hint = (
                f"; its package may have one: --crds {SCHEME}{package}"
                if is_package(package)
                else ""
            )
            found.append(f"not checked: {place}: no definition of {api_version} {kind}{hint}")
        found += [f"not evaluated: rules in CEL: {why}" for why in self._unevaluated]
        passed_over = passed_over_text([*self._read.passed_over, *self._read.schemas.passed_over()])
        return [*found, *([passed_over] if passed_over else [])]

    def summary(self) -> str:
        """Return a line with how many objects are right."""
        objects = self._read.objects
        invalid = sum(bool(one.lines) for one in objects)
        unchecked = sum(bool(one.unchecked) for one in objects)
        noun = "object" if len(objects) == 1 else "objects"
        valid = len(objects) - invalid - unchecked
        return (
            f"{len(objects)} {noun}: {valid} valid, {invalid} invalid, {unchecked} without a schema"
        )


def _check_name(one: Object) -> None:
    """Check that an object has a name, or gets one."""
    metadata = metadata_of(one.content)
    if not metadata.get("name") and not metadata.get("generateName"):
        one.add(("metadata", "name"), "is missing")


def _id_of(content: Mapping[str, Any]) -> tuple[str, str]:
    return group_of(str(content["apiVersion"])), content["kind"]


def _is_function(content: Mapping[str, Any]) -> bool:
    return _id_of(content) == (_PACKAGES, "Function")


def _package_of(content: Mapping[str, Any]) -> str:
    """Return the package that an object installs; empty if it names none."""
    spec = content.get("spec")
    return text_of(spec.get("package")) if isinstance(spec, Mapping) else ""


def make_parser() -> argparse.ArgumentParser:
    """Return the argument parser of `crossplane-lite validate`."""
    parser = argparse.ArgumentParser(
        prog="crossplane-lite validate",
        description=(
            "Check files of composites, Compositions, XRDs, CRDs and other objects against each"
            " other, as an API server and Crossplane would: schemas, rules in CEL, the code for"
            " Kubernetes' own kinds, and what Compositions refer to. An object whose kind has no"
            " schema is no mistake, and is told once for each kind."
        ),
        epilog="Exit status: 0; 1 when something is wrong; 2 when a path can't be read.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help=(
            "a file, a folder, a quoted pattern, or - for standard input; of packages (.xpkg, or"
            f" {SCHEME}HOST/REPOSITORY:TAG) the definitions count; without any, the inputs that"
            f" {project.NAME} of the current folder names"
        ),
    )
    parser.add_argument(
        "--crds",
        metavar="PATH",
        action="append",
        default=[],
        help=(
            "more definitions, which aren't checked themselves: a file, a folder or a package; can"
            " be given several times (those of the project's file)"
        ),
    )
    return parser
