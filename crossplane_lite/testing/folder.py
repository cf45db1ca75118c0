"""Builds requests, renders and simulates in tests, with inputs from plain data, models, YAML text
and files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .._core.base.texts import short_repr
from .._core.call.results import strictly
from .._tools.manifests import project
from .._tools.manifests.project import NAME
from .._tools.render.inputs import is_text
from .._tools.render.pipeline import Step
from ..composition import Function
from ..errors import InputError, UsageError
from ._requests import ALL_CAPABILITIES, build
from ._sources import as_path, is_single, named, one, one_document, resources

if TYPE_CHECKING:
    from .._tools.manifests.kind_schemas import Schemas
    from .._tools.manifests.yaml import Document
    from .._tools.render.arguments import Inputs
    from .._tools.render.pipeline import Runner
    from .._tools.render.rendered import Rendered
    from .._tools.render.validation import Check
    from .._tools.simulate.simulation import Simulation
    from ._sources import Named, Resources, Source

__all__ = ["Folder", "refuse", "render", "request", "schemas_of", "simulate"]


class Folder:
    """The folder that relative paths in a test start from, with methods that build requests, render
    and simulate.

    These methods take a resource or a document (a source) as a dict, a model, a string of YAML, or
    the path of a file. A string without a colon and without a line end is a path.

    Args:
        path: The path of the folder; by default the current directory.

    Attributes:
        path: The path of the folder.
    """

    def __init__(self, path: str | os.PathLike[str] = "") -> None:
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"Folder({str(self.path)!r})"

    def request(
        self,
        xr: Source | None = None,
        *,
        observed: Named = (),
        desired: Named = (),
        desired_xr: Source | None = None,
        desired_ready: Mapping[str, bool] = {},
        required: Mapping[str, Resources | None] = {},
        schemas: Mapping[str, Source | None] = {},
        credentials: Mapping[str, Mapping[str, str | bytes]] = {},
        connection_details: Mapping[str, Mapping[str, str | bytes]] = {},
        xr_connection_details: Mapping[str, str | bytes] = {},
        context: Source | None = None,
        input: Source | None = None,
        capabilities: Iterable[str] = ALL_CAPABILITIES,
        tag: str = "testing",
    ) -> bytes:
        """Build the request for one call of a function, as Crossplane 2.4 would send it.

        Args:
            xr: The observed composite; None for an Operation.
            observed: The observed composed resources: a mapping from their names to sources; or
                sources of resources that have the annotation
                `crossplane.io/composition-resource-name`.
            desired: The composed resources that previous functions of the pipeline desire, in the
                same form.
            desired_xr: The composite that previous functions desire; None for none.
            desired_ready: Whether previous functions report a desired resource as ready: True or
                False, by the resource's name.
            required: The resources that answer a requirement, by the requirement's name. None or
                `()` means that nothing matches.
            schemas: The OpenAPI schema that answers a requirement, by the requirement's name. None
                means that Crossplane doesn't know the kind.
            credentials: The function's credentials, by name. Each is a mapping from keys to strings
                or bytes.
            connection_details: The connection details of observed resources, by the resource's
                name. Each is a mapping from keys to strings or bytes.
            xr_connection_details: The composite's connection details, a mapping from keys to
                strings or bytes.
            context: The pipeline's context; None for none.
            input: The function's input; None for none.
            capabilities: The caller's capabilities, such as `REQUIRED_SCHEMAS`; the prefix
                `CAPABILITY_` is optional. `()` stands for a Crossplane before 2.2, which lists no
                capabilities.
            tag: The request's tag.

        Returns:
            The bytes of a RunFunctionRequest.

        Raises:
            InputError: A file or a resource can't be used. The message names it.
            UsageError: An argument is wrong.
            UnresolvedError: An argument is a model that contains a value that doesn't exist yet.
            MissingExtraError: An argument is YAML, and PyYAML isn't installed.
        """
        given = dict(locals())
        del given["self"]
        return build(self.path, given)

    def render(
        self,
        xr: Source | None = None,
        composition: Source | Function | None = None,
        *,
        functions: Mapping[str, Function | Runner] = {},
        observed: Named = (),
        required: Resources = (),
        schemas: Resources = (),
        context: Source | None = None,
        timeout: float = 60.0,
        xrd: Source | None = None,
        crds: Resources = (),
    ) -> Rendered:
        """Do one reconcile, as Crossplane would.

        Without a `composition`, arguments that are left out come from the table [preview] of the
        project file, which is searched in this folder and in those above.

        Likely mistakes are reported as a `UserWarning`: a resource that is made but not registered,
        a string that contains the `None` of an unset field, labels that Crossplane drops.

        Args:
            xr: The composite.
            composition: A Composition, or a composition function that is the only step.
            functions: The functions, by the names that the Composition gives them: composition
                functions, or other runners such as `crossplane_lite.render.Remote`. Leave them out
                if `composition` is a function.
            observed: The composed resources that exist: a mapping from their names to sources; or
                sources of resources that have the annotation
                `crossplane.io/composition-resource-name`.
            required: Other objects that exist: resources that functions ask for, and Secrets with
                credentials or connection details.
            schemas: CustomResourceDefinitions, CompositeResourceDefinitions and OpenAPI documents,
                folders of them, or packages in registries, such as
                `xpkg://example.org/provider:v1`. Functions that ask for schemas get them from here.
            context: The pipeline's context before the first step; None for an empty one.
            timeout: The time limit of the reconcile, in seconds.
            xrd: The composite's CompositeResourceDefinition. The composite is checked against it
                and gets its defaults, and the status that functions desire is checked. The XRD's
                scope says whether the composite is one of Crossplane 1.
            crds: Definitions of kinds, as for `schemas`. All resources that functions desire are
                checked against them, held-back ones too, with unresolved values as right ones.

        Returns:
            The objects that Crossplane would apply, delete, store and report.

        Raises:
            FatalResultError: A function returned a fatal result.
            InvalidStatusError: The desired status of the composite doesn't fit its kind's schema in
                `xrd` or `schemas`.
            InvalidResourceError: A resource doesn't fit its kind's schema in `crds`.
            RenderError: The reconcile failed for another reason.
            InputError: A file or a resource can't be used. The message names it.
            UsageError: An argument is wrong.
            UnresolvedError: An argument is a model that contains a value that doesn't exist yet.
            MissingExtraError: An argument is YAML, and PyYAML isn't installed.
        """
        inputs, _ = self._inputs(dict(locals()))
        rendered = strictly(inputs.render)
        _warn(rendered.notes)
        refuse(inputs.check(rendered))
        return rendered

    def simulate(
        self,
        xr: Source | None = None,
        composition: Source | Function | None = None,
        *,
        functions: Mapping[str, Function | Runner] = {},
        observed: Named = (),
        required: Resources = (),
        schemas: Resources = (),
        context: Source | None = None,
        fixtures: Mapping[str, Mapping[str, Any]] | str | os.PathLike[str] | None = None,
        most_rounds: int = 50,
        timeout: float = 60.0,
        xrd: Source | None = None,
        crds: Resources = (),
    ) -> Simulation:
        """Reconcile until nothing changes. After each round, the composed resources of that round
        exist.

        Without a `composition`, the project file is used as by `render`, also for the fixtures.

        Likely mistakes are reported as a `UserWarning`, as by `render`. So is a fixture for which
        there is no resource.

        Args:
            xr: The same as for `render`.
            composition: The same as for `render`.
            functions: The same as for `render`.
            observed: The same as for `render`: the composed resources that exist at the start.
            required: The same as for `render`.
            schemas: The same as for `render`. Values of status fields that no fixture gives are
                made up by these schemas.
            context: The same as for `render`.
            fixtures: The status and other observed fields of composed resources, by resource name,
                `apiVersion/kind` or kind: a mapping, YAML text, or the path of a file or directory.
                None for no fixtures.
            most_rounds: The number of rounds after which the simulation gives up; 2 or more.
            timeout: The time limit of each round, in seconds.
            xrd: The same as for `render`.
            crds: The same as for `render`; status fields are made up by them, too. Each round is
                checked.

        Returns:
            The simulation, after its last round. It may not be stable; see `Simulation.problem`.

        Raises:
            FatalResultError, InvalidResourceError, InvalidStatusError, RenderError, InputError,
            UsageError,
                UnresolvedError, MissingExtraError: The same as for `render`.
        """
        from .._tools.simulate.simulation import Simulation

        inputs, known = self._inputs(dict(locals()))
        given: Any = known if fixtures is None else fixtures
        found: Any = as_path(given, self.path)
        if found is None and given is not None:
            found = one_document(given, self.path, "fixtures").content
        simulation = Simulation(inputs, found, most_rounds)
        simulation.run()
        _warn(note for each in simulation.rounds for note in each.rendered.notes)
        _warn(simulation.notes_on_fixtures())
        refuse(inputs.check(*(one.rendered for one in simulation.rounds)))
        return simulation

    def _inputs(self, given: dict[str, Any]) -> tuple[Inputs, Path | None]:
        """Return the inputs of a reconcile, and the path of the fixtures that the project file
        names.

        `given` has the arguments of `render` or `simulate`, by name.
        """
        from .._tools.render.arguments import Inputs
        from .._tools.render.cluster import Files
        from .._tools.render.functions import runners_of

        known: dict[str, Any] = {}
        xr, composition, xrd, schemas, crds = (
            given[key] for key in ("xr", "composition", "xrd", "schemas", "crds")
        )
        if composition is None:
            known = self._project()
            xr, composition = known.get("xr") if xr is None else xr, known.get("composition")
            xrd, crds = known.get("xrd") if xrd is None else xrd, crds or known.get("crds", ())
        if xr is None or composition is None:
            missing = "xr" if xr is None else "composition"
            raise UsageError(
                f"{missing!r} is missing: give it, or name it in the table [preview] of {NAME} in "
                f"{self.path.absolute()} or a folder above"
            )
        composite = one(xr, self.path, "xr")
        if not is_text(composite.content["metadata"].get("name")):
            raise InputError(f"{composite.where} has no metadata.name")
        definition = None
        if xrd is not None:
            from .._tools.render.definition import admitted

            definition = one(xrd, self.path, "xrd")
            composite, notes = admitted(composite, definition)
            _warn(notes, above=1)
        pipeline, runners, name = self._pipeline(
            composition, given["functions"], composite, definition
        )
        if "functions" in known:
            runners = _runners(known["functions"], pipeline, runners)
        served = schemas_of(schemas, definition, self.path)
        checks = schemas_of(crds, definition, self.path) if crds else None
        existing = resources(given["required"], self.path, "required")
        inputs = Inputs(
            composite,
            pipeline,
            runners_of(runners),
            Files([document.content for document in existing], served),
            [*named(given["observed"], self.path, "observed").values()],
            (
                {}
                if given["context"] is None
                else one_document(given["context"], self.path, "context").content
            ),
            given["timeout"],
            (
                served
                if checks is None
                else schemas_of([*_listed(schemas), *_listed(crds)], definition, self.path)
            ),
            checks,
            name,
            None if definition is None else definition.content,
        )
        return inputs, known.get("fixtures")

    def _project(self) -> dict[str, Any]:
        """Return the table [preview] of the nearest project file in this folder or above; empty if
        there is none.
        """
        here = self.path.absolute()
        found = next(
            (one for folder in (here, *here.parents) if (one := project.find(folder)) is not None),
            None,
        )
        return {} if found is None else found.preview()

    def _pipeline(
        self,
        composition: Source | Function,
        functions: Mapping[str, Function | Runner],
        composite: Document,
        definition: Document | None,
    ) -> tuple[list[Step], Mapping[str, Function | Runner], str | None]:
        if isinstance(composition, Function):
            if functions:
                raise UsageError(
                    "'functions' is for the steps of a Composition, and 'composition' is a"
                    " function: leave 'functions' out"
                )
            return [Step(composition.name, composition.name)], {composition.name: composition}, None
        if callable(composition):
            raise UsageError(
                "'composition' is neither a Composition nor a composition function (got"
                f" {short_repr(composition)}); is @composition.function missing?"
            )
        from .._tools.render.composition import composition_steps
        from .._tools.render.definition import is_legacy

        document = one(composition, self.path, "composition")
        legacy = definition is not None and is_legacy(definition.content)
        name = document.content["metadata"].get("name")
        return (
            composition_steps(document, composite, legacy),
            functions,
            name if isinstance(name, str) else None,
        )


def schemas_of(sources: Resources, xrd: Document | None, folder: Path) -> Schemas | None:
    """Return the schemas of the kinds that the sources and the XRD define; None if there are
    neither.

    Files are read later, when a schema is needed, so mistakes in files are found only then.

    Args:
        sources: CRDs, XRDs and OpenAPI documents, paths of files and folders with them, or packages
            in registries.
        xrd: The composite's XRD; None for none.
        folder: The folder that relative paths start from.

    Raises:
        InputError: A path doesn't exist; or a source that isn't a path can't be read, or has no
            usable schema.
        UnresolvedError: A source contains a value that doesn't exist yet.
        UsageError: A source has a type that isn't supported.
        MissingExtraError: A source is YAML text, and PyYAML isn't installed.
    """
    several = _listed(sources)
    if not several and xrd is None:
        return None
    from .._tools.manifests.kind_schemas import Schemas
    from .._tools.registry.references import is_package

    found = Schemas()
    if xrd is not None:
        found.add_crd(xrd.content, xrd.where)
    for index, source in enumerate(several):
        path = as_path(source, folder)
        if isinstance(source, str) and is_package(source):
            found.add_path(source)
            continue
        if path is not None:
            found.add_path(path)
            continue
        document = one_document(source, folder, f"schemas[{index}]")
        add = found.add_openapi if "openapi" in document.content else found.add_crd
        add(document.content, document.where)
    return found


def _runners(
    path: Path, steps: Sequence[Step], given: Mapping[str, Function | Runner]
) -> Mapping[str, Function | Runner]:
    """Return the runners of a pipeline's functions: those that a test gives, and those of a file of
    Functions.
    """
    from .._tools.render import functions, inputs

    others = [step for step in steps if step.function not in given]
    return {**functions.runners(others, {}, inputs.read_functions(path)), **given}


def _listed(sources: Resources) -> list[Source]:
    return [sources] if is_single(sources) else list(sources)


def refuse(check: Check | None, *, above: int = 0) -> None:
    """Raise InvalidResourceError if a check has found mistakes, and warn of fields that are read
    and don't exist.

    `above` is the same as for `_warn`.
    """
    from .._tools.render.rendered import InvalidResourceError

    if check is None:
        return
    _warn(check.reads, above=above + 1)
    if check.errors:
        raise InvalidResourceError(check.errors)


def _warn(notes: Iterable[str], *, above: int = 0) -> None:
    """Issue a UserWarning for each different note. Its place is the line of the test.

    Args:
        notes: The notes.
        above: How many functions are between the one that the test calls and `_warn`.
    """
    import warnings

    for note in dict.fromkeys(notes):
        warnings.warn(note, stacklevel=3 + above)


_HERE: Final = Folder()

for _method in (Folder.request, Folder.render, Folder.simulate):
    # Python's errors about arguments name it, as users of both call it
    _method.__qualname__ = _method.__name__

request = _HERE.request
render = _HERE.render
simulate = _HERE.simulate
