"""The command-line arguments that render, simulate and graph share, and a reader of the files that
they name.

    parser = arguments.Parser(...)
    arguments.add_inputs(parser)
    inputs = arguments.read_inputs(arguments.parse(parser, argv))

The flags have the names and short forms of Crossplane's `crossplane composition render`. Only
`--function`, `--from`, `--tls-certs-dir`, `--tls-server-name`, `--kube-context`, `--crds` and
`--explain` (which graph doesn't have) are flags that Crossplane's command doesn't have.
"""

from __future__ import annotations

import argparse
import logging
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from ..._core.base import stdio
from ..._core.base.api_version import group_of
from ..._core.base.texts import short_repr
from ...errors import InputError, MissingExtraError
from .. import kubernetes
from ..manifests import objects, project
from ..manifests.yaml import Document
from ..registry.references import is_package
from . import inputs
from .pipeline import OPERATIONS_GROUP, Cluster, Runner, Step

if TYPE_CHECKING:
    from ..manifests.kind_schemas import Schemas
    from .rendered import Rendered
    from .validation import Check

_log = logging.getLogger(__name__)


def parse(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. The project file of the current folder fills in the inputs that it
    leaves out.

    A command line that names a COMPOSITION takes nothing from the file, because the file is about
    another one. Only the file's XRD counts then, for a composite of its kind in the project's
    folder.

    Raises:
        InputError: The project file can't be used.
        MissingExtraError: Python 3.10 needs tomli to read the file, and it isn't installed.
        SystemExit: The command line is wrong (status 2), or asks for the help (status 0).
    """
    given = parser.parse_intermixed_args(argv)  # flags may stand anywhere
    complete(parser, given)
    return given


def complete(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Fill in the inputs that a parsed command line leaves out, as `parse` does, with the same
    errors.
    """
    main = "composite" if hasattr(given, "composite") else "operation"
    has_composition = getattr(given, "composition", None) is not None
    given.project_xrd = _xrd_for(given.composite) if has_composition and given.xrd is None else None
    found = None if has_composition else project.find(Path())
    given.project = None if found is None else found.file
    if found is not None:
        for key, value in found.preview().items():
            key = "composite" if key == "xr" else key
            # graph takes them with --simulate only
            is_used = key != "fixtures" or getattr(given, "simulate", True)
            if hasattr(given, key) and not getattr(given, key) and is_used:
                setattr(given, key, value)
    if getattr(given, main) is None:
        here = (
            f"{found.file} names none"
            if found is not None
            else f"the current folder has no {project.NAME}"
        )
        parser.error(f"give {'XR' if main == 'composite' else 'OPERATION'}: {here}")


def _xrd_for(composite: Path) -> Path | None:
    if not composite.resolve().is_relative_to(Path().resolve()):  # such as the files of a recording
        return None
    try:
        found = project.find(Path())
        return None if found is None else found.preview().get("xrd")
    except (InputError, MissingExtraError):  # the command line says all that it needs
        return None


class Inputs(NamedTuple):
    """The inputs of one reconcile, read from files or a live cluster, and checked.

    Attributes:
        composite: The composite resource. If an XRD was given, the XRD's defaults are filled in.
            With --kube-context, it has the live composite's uid and status where the file gives
            none. For `render op`, this is the Operation.
        pipeline: The steps of the pipeline.
        functions: The runner of each function, by the function's name in the pipeline.
        cluster: The source of all other objects: required resources, Secrets with credentials,
            schemas.
        observed: The composed resources that exist, each with the annotation
            `crossplane.io/composition-resource-name`.
        context: The pipeline's context before the first step.
        timeout: The time limit of one reconcile, in seconds.
        schemas: The schemas of kinds, from --xrd, --required-schemas and --crds, and those of
            Kubernetes' own kinds; None for none.
        checks: The schemas that all desired resources are checked against; None without --crds.
            Then only Kubernetes' own kinds are checked.
        composition: The name of the Composition; None if no Composition was given.
        xrd: The CompositeResourceDefinition of the composite's kind, from --xrd or the project
            file; None if there is none.
        notes: Remarks on the inputs, which the commands print as warnings.
    """

    composite: Document
    pipeline: list[Step]
    functions: dict[str, Runner]
    cluster: Cluster
    observed: list[Document]
    context: dict[str, Any]
    timeout: float
    schemas: Schemas | None
    checks: Schemas | None = None
    composition: str | None = None
    xrd: Mapping[str, Any] | None = None
    notes: Sequence[str] = ()

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema of the composite's kind; None if none was given."""
        composite = self.composite.content
        return (
            None
            if self.schemas is None
            else self.schemas.find(composite["apiVersion"], composite["kind"])
        )

    def render(self) -> Rendered:
        """Do one reconcile of the composite, and return its result. `reconcile.render` describes
        the errors.
        """
        from .reconcile import render

        return render(
            self.composite.content,
            self.pipeline,
            self.functions,
            cluster=self.cluster,
            observed=[document.content for document in self.observed],
            context=self.context,
            timeout=self.timeout,
            xrd=self.xrd,
            composition=self.composition,
        )

    def check(self, *rounds: Rendered) -> Check | None:
        """Check what reconciles, one after the other, desire. Return None if nothing is checked.

        Raises:
            InputError: A file of schemas can't be read, or is malformed.
            RenderError: A resource's apiVersion can't be parsed.
        """
        if (
            self.checks is None
            and group_of(self.composite.content["apiVersion"]) == OPERATIONS_GROUP
        ):
            return None  # an Operation desires parts of objects that exist
        schemas = self.checks or self.schemas
        if schemas is None or (self.checks is None and not any(map(_has_own_kinds, rounds))):
            return None
        from .validation import Check

        check = Check(schemas, tells_unchecked=self.checks is not None)
        for one in rounds:
            check.add(one, beyond=self.checks is not None and one is rounds[-1])
        return check


def _has_own_kinds(rendered: Rendered) -> bool:
    """Return whether a reconcile composes kinds of Kubernetes itself."""
    groups = {group_of(one["apiVersion"]) for one in rendered.composed.values()}
    return any(map(kubernetes.has_group, groups))


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the reconcile of a composite resource: XR, COMPOSITION, FUNCTIONS,
    and
    """
    parser.add_argument(
        "composite",
        metavar="XR",
        nargs="?",
        type=Path,
        help=(
            f"file of the composite resource; without one, the inputs that {project.NAME} of the"
            " current folder names"
        ),
    )
    parser.add_argument(
        "composition",
        metavar="COMPOSITION",
        nargs="?",
        type=Path,
        help="file of the Composition, of mode Pipeline; without one, --function is the only step",
    )
    _add_functions(parser)
    group = _add_shared(parser)
    group.add_argument(
        "--from",
        metavar="RECORDING#XR[@TIME]",
        help=(
            "in place of XR, COMPOSITION and the files of what exists: the last request until that"
            " time in a recording of crossplane-lite record; --function says who answers"
        ),
    )
    group.add_argument(
        "-o",
        "--observed-resources",
        metavar="PATH",
        type=Path,
        help=(
            "file or directory of composed resources that exist already, each with the annotation "
            f"{objects.RESOURCE_NAME}"
        ),
    )
    group.add_argument(
        "--xrd",
        metavar="PATH",
        type=Path,
        help=(
            "file of the XR's CompositeResourceDefinition: the XR and the status that functions"
            " give it are checked against it, and its defaults are filled in; its scope says"
            " whether the XR is one of Crossplane 1"
        ),
    )


def add_explain(group: argparse._ArgumentGroup) -> None:
    """Add the flag --explain, whose values are the names of the resources to explain."""
    group.add_argument(
        "--explain",
        metavar="NAME",
        action="append",
        nargs="?",
        const="",  # the message about a missing NAME has the names that there are
        default=[],
        help=(
            "explain this composed resource, or the composite's status by the name `xr`: the line"
            " that set each field, the values that the field is made from, and the values that the"
            " resource waits for. This calls each function many times, so it is slower. Can be"
            " given several times"
        ),
    )


def add_operation(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `render op`: OPERATION, FUNCTIONS, and flags for more inputs."""
    parser.add_argument(
        "operation",
        metavar="OPERATION",
        nargs="?",
        type=Path,
        help="file of the Operation, CronOperation or WatchOperation",
    )
    _add_functions(parser)
    _add_shared(parser).add_argument(
        "-w",
        "--watched-resource",
        metavar="PATH",
        type=Path,
        help="file of the resource that a WatchOperation watches; every step requires it",
    )


def _add_shared(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the flags that both composites and Operations have. Return the flags' group, to which
    more can be added.
    """
    group = parser.add_argument_group("inputs")

    def several(flag: str, metavar: str, type: Callable[[str], object], help: str) -> None:
        group.add_argument(flag, metavar=metavar, action="append", default=[], type=type, help=help)

    add_function(
        group,
        "run the pipeline's function NAME in this process; the module can be in the current"
        " directory. NAME can be left out where the pipeline has one function. Can be given several"
        " times",
    )
    several(
        "--context-values",
        "KEY=VALUE",
        _pair,
        "key of the pipeline's context with its value as YAML or JSON; can be given several times",
    )
    group.add_argument(
        "-e",
        "--required-resources",
        metavar="PATH",
        action="extend",
        default=[],
        type=_several_paths,
        help=(
            "file or directory of resources that functions can ask for, or several with commas"
            " between; can be given several times"
        ),
    )
    group.add_argument(
        "-s",
        "--required-schemas",
        metavar="DIR",
        type=Path,
        help=(
            "directory of OpenAPI v3 documents, from `kubectl get --raw"
            " /openapi/v3/<group-version>`; functions can ask for the schemas in them"
        ),
    )
    group.add_argument(
        "--function-credentials",
        metavar="PATH",
        type=Path,
        help="file or directory of the Secrets with the credentials of steps",
    )
    add_tls(group)
    group.add_argument(
        "--guard",
        action="store_true",
        help=(
            "put a guard in front of each function on a server or of another SDK, as"
            " crossplane-lite guard does"
        ),
    )
    several(
        "--crds",
        "PATH",
        definitions,
        "file or directory of CustomResourceDefinitions, CompositeResourceDefinitions and OpenAPI"
        " v3 documents, or a package in a registry (xpkg://HOST/REPOSITORY:TAG), whose schemas"
        " functions can ask for; desired resources are checked against them, and awaited fields"
        " that they lack are named; can be given several times",
    )
    group.add_argument(
        "--kube-context",
        metavar="NAME",
        help=(
            "context of kubectl; observed resources, required resources and schemas that no file"
            " gives are read from that cluster"
        ),
    )
    group.add_argument(
        "--timeout",
        metavar="DURATION",
        default=60.0,
        type=duration,
        help="time limit of a reconcile's calls of servers: 90s, 1m30s or a number of seconds (1m)",
    )
    return group


def read_inputs(
    arguments: argparse.Namespace,
    *,
    composite: Document | None = None,
    observed: Sequence[Document] = (),
) -> Inputs:
    """Read all inputs that the arguments of `add_inputs` name.

    Args:
        arguments: The parsed command line.
        composite: The composite, if it has been read already. With None, it is read from the file
            that XR names.
        observed: The observed composed resources, if they have been read already. They are ignored
            if --observed-resources is given.

    Returns:
        The inputs. With --kube-context, the composite gets the live composite's uid and status
        where it has none. If no observed resources are given, they are read from the live cluster.
        Required resources, Secrets with credentials and schemas that no file gives are read from
        there, too, but only when a reconcile needs them.

    Raises:
        InputError: An input can't be read or is malformed; or two inputs don't fit together, such
            as a Composition for another kind; or the live cluster can't be read.
        RenderError: With --xrd only. The composite's apiVersion can't be parsed.
        MissingExtraError: PyYAML isn't installed.
    """
    composite = inputs.read_composite(arguments.composite) if composite is None else composite
    name: str | None = None
    xrd: Document | None = None
    notes: list[str] = []
    if arguments.xrd is not None or arguments.project_xrd is not None:
        from .definition import admitted, defines, is_legacy

        xrd = inputs.read_object(
            arguments.xrd or arguments.project_xrd, "CompositeResourceDefinition"
        )
        if arguments.xrd is None and not defines(xrd.content, composite.content):
            xrd = None
        else:
            composite, notes = admitted(composite, xrd)
    if arguments.composition is None:
        steps = _one_step(arguments)
    else:
        from .composition import composition_steps

        composition = inputs.read_object(arguments.composition, "Composition")
        steps = composition_steps(
            composition, composite, xrd is not None and is_legacy(xrd.content)
        )
        name = composition.content["metadata"]["name"]
    if arguments.observed_resources:
        observed = inputs.read_observed(arguments.observed_resources, composite)
    schemas = _schemas(arguments, xrd)
    cluster = _files(arguments, schemas)
    if arguments.kube_context is not None:
        composite, observed, cluster = _live(arguments, composite, list(observed), cluster)
    found = _inputs(arguments, composite, steps, cluster, list(observed), schemas)
    return found._replace(
        composition=name, xrd=None if xrd is None else xrd.content, notes=[*notes, *found.notes]
    )


def read_operation_inputs(arguments: argparse.Namespace) -> Inputs:
    """Read all inputs that the arguments of `add_operation` name.

    Args:
        arguments: The parsed command line.

    Returns:
        The inputs. With --kube-context, required resources, Secrets with credentials and schemas
        that no file gives are read from the live cluster, but only when the run needs them.

    Raises:
        InputError: An input can't be read or is malformed, or two inputs don't fit together, such
            as a WatchOperation and a watched resource of another kind.
        MissingExtraError: PyYAML isn't installed.
    """
    from .composition import operation_of, operation_steps, watching

    document = inputs.read_object(arguments.operation, "Operation")
    operation = operation_of(document)
    steps = operation_steps(operation)
    watched = None
    if arguments.watched_resource is not None:
        watched = inputs.read_object(arguments.watched_resource, "watched resource")
        steps = watching(steps, document, watched)
    schemas = _schemas(arguments)
    cluster = _files(arguments, schemas, *([watched] if watched is not None else ()))
    if arguments.kube_context is not None:
        from .cluster import Chain
        from .kubectl import Kubectl

        cluster = Chain(cluster, Kubectl(arguments.kube_context, arguments.timeout))
    return _inputs(arguments, operation, steps, cluster, [], schemas)


def paths(arguments: argparse.Namespace) -> list[Path]:
    """Return the paths of all files and directories that a parsed command line names, whether they
    exist or not.
    """
    named = vars(arguments)
    single = [
        *(
            "composite",
            "composition",
            "operation",
            "functions",
            "observed_resources",
            "watched_resource",
            "xrd",
        ),
        *("required_schemas", "function_credentials", "project", "project_xrd"),
    ]
    found = [named[key] for key in single if named.get(key) is not None]
    crds = [one for one in arguments.crds if isinstance(one, Path)]
    return [*found, *arguments.required_resources, *crds]


def definitions(text: str) -> Path | str:
    """Return the path of a source of definitions; a package in a registry stays as it is."""
    return text if is_package(text) else Path(text)


def _add_functions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "functions",
        metavar="FUNCTIONS",
        nargs="?",
        type=Path,
        help="file or directory of Function documents, whose annotations say how each is run",
    )


def _one_step(arguments: argparse.Namespace) -> list[Step]:
    """Return a pipeline of one step, which calls the function that --function names.

    Raises:
        InputError: --function isn't given, or is given several times.
    """
    if len(arguments.function) != 1:
        given = f"{len(arguments.function)} are given" if arguments.function else "none is given"
        raise InputError(
            f"without a COMPOSITION, --function must name the one function to run ({given})"
        )
    name, target = arguments.function[0]
    return [Step(name or target.rpartition(":")[2], name or target, where="--function")]


def _schemas(arguments: argparse.Namespace, xrd: Document | None = None) -> Schemas:
    from ..manifests.kind_schemas import Schemas

    schemas = Schemas()
    if arguments.kube_context is None:  # a cluster has definitions of its own
        schemas.add_kubernetes()
    if xrd is not None:
        schemas.add_crd(xrd.content, xrd.where)
    if arguments.required_schemas:
        schemas.add_path(arguments.required_schemas)
    for path in arguments.crds:
        schemas.add_definitions(path)
    return schemas


def _files(arguments: argparse.Namespace, schemas: Schemas | None, *more: Document) -> Cluster:
    from .cluster import Files

    documents = inputs.read_resources(arguments.required_resources)
    if arguments.function_credentials is not None:
        documents += inputs.read_secrets(arguments.function_credentials)
    return Files([document.content for document in (*documents, *more)], schemas)


def _live(
    arguments: argparse.Namespace, composite: Document, observed: list[Document], files: Cluster
) -> tuple[Document, list[Document], Cluster]:
    """Complete the inputs from files with data of the live cluster that --kube-context names.

    The composite gets the live one's uid and status where it has none. If no observed resources
    were given, they are the resources that the live composite refers to, without those of other
    controllers. The cluster looks into the files first, then into the live cluster. Raises
    InputError if the live cluster can't be read, or the composite's references are malformed.
    """
    from .cluster import Chain
    from .kubectl import Kubectl

    live = Kubectl(arguments.kube_context, arguments.timeout)
    where = f"the kubectl context {arguments.kube_context}"
    found = live.live(composite.content)
    if found is not None:
        # Composed resources refer to the composite by its uid, and functions read the status that
        # they set before.
        known = {
            "metadata": {"uid": objects.metadata_of(found).get("uid")},
            "status": found.get("status") or {},
        }
        metadata = {**known["metadata"], **composite.content["metadata"]}
        composite = Document(composite.where, {**known, **composite.content, "metadata": metadata})
    if arguments.observed_resources is None and not observed:
        observed = _own(
            [Document(where, content) for content in live.observed(found or composite.content)],
            composite,
        )
    return composite, observed, Chain(files, live)


def _own(observed: list[Document], composite: Document) -> list[Document]:
    """Return the observed resources that the composite controls, and those that have no controller.

    A resource with another controller may belong to another composite. It is left out, and a
    warning is logged.
    """
    uid = objects.composite_uid(composite.content)
    own = []
    for document in observed:
        controller = objects.controller_of(document.content)
        if controller is None or controller.get("uid") == uid:
            own.append(document)
            continue
        _log.warning(
            "the resource %s is left out of the observed ones: its controller is %s %s (uid %s),"
            " not the composite (uid %s); if it should be used, give the composite the metadata.uid"
            " that it has in the cluster",
            objects.quoted(objects.resource_name(document.content)),
            controller.get("kind") or "an object",
            controller.get("name") or "without a name",
            controller.get("uid") or "missing",
            uid,
        )
    return own


def _inputs(
    arguments: argparse.Namespace,
    composite: Document,
    steps: list[Step],
    cluster: Cluster,
    observed: list[Document],
    schemas: Schemas | None,
) -> Inputs:
    from .functions import assign, behind_guards, dialling, runners

    documents = (
        inputs.read_functions(arguments.functions) if arguments.functions is not None else {}
    )
    context = inputs.read_context(arguments.context_values)
    # Functions are imported last, because an import may take long, and print.
    functions = runners(steps, assign(arguments.function, steps), documents, dialling(arguments))
    if arguments.guard:
        functions = behind_guards(functions)
    checks = schemas if arguments.crds else None
    return Inputs(
        composite,
        steps,
        functions,
        cluster,
        observed,
        context,
        arguments.timeout,
        schemas,
        checks,
        notes=[*_nameless(functions.values()), *_habits(functions.values())],
    )


def _nameless(found: Iterable[Runner]) -> Iterator[str]:
    """Yield a warning for each function that runs in this process and has no name of its own."""
    from .functions import InProcess

    for one in dict.fromkeys(one.function for one in found if isinstance(one, InProcess)):
        if not one.is_named:
            yield (
                f"{Path(one.file).name}: the function has no name, which marks what it makes;"
                " without one it is the module's path, which changes when the code moves: write"
                f" @composition.function(name={one.name!r})"
            )


def _habits(found: Iterable[Runner]) -> Iterator[str]:
    """Yield what goes wrong silently in the source of functions that run in this process."""
    from ..check.command import in_file
    from .functions import InProcess

    files = {Path(one.function.file) for one in found if isinstance(one, InProcess)}
    for file in sorted(files):
        # A function may also come from a notebook, a string or byte code.
        if file.suffix == ".py" and file.is_file():
            for one in in_file(file):
                yield f"{file.name}:{one.line}: {one.text} ({one.code})"


# A duration as Go writes it is a sequence of numbers with units. A number without a unit means
# seconds.
_NUMBER: Final = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
_DURATION: Final = _NUMBER + r"(ns|us|\u00b5s|\u03bcs|ms|s|m|h)"
# Searching a text for durations takes time that grows with the square of its length.
_LONGEST_DURATION: Final = 100
_UNITS: Final = {
    "ns": 1e-9,
    "us": 1e-6,
    "\u00b5s": 1e-6,
    "\u03bcs": 1e-6,
    "ms": 1e-3,
    "s": 1,
    "m": 60,
    "h": 3600,
}


class Parser(argparse.ArgumentParser):
    """An argument parser for commands with many flags, which can't be abbreviated.

    The message about a wrong argument shows the usage in one line, without the flags.

    Args:
        prog: The command's name.
        usage: The usage, in one line.
        description: The help text before the list of arguments.
        epilog: The help text after the list of arguments.
    """

    def __init__(self, prog: str, usage: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=prog, usage=usage, description=description, epilog=epilog, allow_abbrev=False
        )

    def error(self, message: str) -> NoReturn:
        """Print a mistake in the command line on stderr, and end the process with status 2."""
        stdio.say(
            f"usage: {self.usage}",
            f"{self.prog}: error: {message}",
            f"{self.prog} --help says more",
        )
        sys.exit(2)

    def print_help(self, file: IO[str] | None = None) -> None:  # type: ignore[override]  # typeshed's is private
        """Print the help to `file`, or to stdout if `file` is None."""
        if file is None:
            stdio.write(self.format_help().encode())
        else:
            super().print_help(file)


def add_function(
    group: argparse.ArgumentParser | argparse._ArgumentGroup,
    description: str,
    *,
    several: bool = True,
) -> None:
    """Add the flag --function. `several` says whether it can be given several times, so that its
    value is a list.
    """
    more: dict[str, Any] = {"action": "append", "default": []} if several else {}
    group.add_argument(
        "--function",
        metavar="[NAME=]module:function",
        type=_function_target,
        help=description,
        **more,
    )


def add_tls(group: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the flags for mutual TLS with functions' servers. `functions.dialling` makes runners with
    them.
    """
    group.add_argument(
        "--tls-certs-dir",
        metavar="DIR",
        type=Path,
        help=(
            "directory with tls.crt, tls.key and ca.crt, as in Crossplane's Secret"
            " crossplane-tls-client: functions' servers are called with mutual TLS; without it,"
            " they are called without TLS"
        ),
    )
    group.add_argument(
        "--tls-server-name",
        metavar="NAME",
        help=(
            "name in the certificates of functions' servers, if it isn't the host of their"
            " addresses, as after kubectl port-forward"
        ),
    )


def duration(text: str) -> float:
    """Return the seconds of a duration such as `1m30s` or `500ms` (as Go writes it), or of a plain
    number of seconds.

    Raises:
        argparse.ArgumentTypeError: The text isn't a duration, or is zero, or has more than 100
            characters.
    """
    # The pattern is compiled here, because few command lines have a duration.
    parts = re.findall(_DURATION, text) if len(text) <= _LONGEST_DURATION else []
    value = math.nan
    if parts and "".join(number + unit for number, unit in parts) == text:
        value = math.fsum(float(number) * _UNITS[unit] for number, unit in parts)
    elif len(text) <= _LONGEST_DURATION and re.fullmatch(_NUMBER, text):
        value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(
            f"{short_repr(text)} is not a duration such as 1m30s, 500ms or 90 (seconds)"
        )
    return value


def _pair(text: str) -> tuple[str, str]:
    """Return the key and the value of `KEY=VALUE`. The value may be empty, and may contain `=`.

    Raises:
        argparse.ArgumentTypeError: There is no `=`, or no key, or the text isn't UTF-8.
    """
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return _checked(key), _checked(value)


def _checked(text: str) -> str:
    """Return an argument's text unchanged if its bytes are UTF-8. Python keeps other bytes as lone
    surrogates.

    File names aren't checked in this way, because they may contain any bytes.

    Raises:
        argparse.ArgumentTypeError: The bytes aren't UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not UTF-8: use a terminal with UTF-8, for example LANG=C.UTF-8"
        ) from None
    return text


def _split(text: str) -> list[str]:
    r"""Split a text at its commas, and drop empty elements. `\,` is a comma inside of an
    element.
    """
    parts = re.split(r"(?<!\\),", text)
    return [part.replace("\\,", ",") for part in parts if part]


def _several_paths(text: str) -> list[Path]:
    r"""Return the paths in a text that separates them by commas. `\,` is a comma inside of a path.

    If the whole text is the name of an existing file or directory, it is the only path.
    """
    # The name of an existing file may have commas.
    return [Path(text)] if os.path.exists(text) else [Path(part) for part in _split(text) or [text]]


def _function_target(text: str) -> tuple[str | None, str]:
    """Return the name and the target of `NAME=module:function`. For `module:function` alone, the
    name is None.

    The form `module:function` isn't checked.

    Raises:
        argparse.ArgumentTypeError: The name before the `=`, or the target, is empty.
    """
    name, equals, target = text.rpartition("=")
    if not target or (equals and not name):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=module:function or module:function")
    return name or None, target
