"""Requests, renderings and simulations out of plain data, models, YAML text and files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .._terminal.excerpts import short_repr
from ..composition import Function
from ..errors import InputError, UsageError
from ..render.inputs import is_text
from ..render.pipeline import Step
from ._requests import ALL_CAPABILITIES, build
from ._sources import as_path, is_single, named, one, one_document, resources

if TYPE_CHECKING:
    from .._manifests.kind_schemas import Schemas
    from .._manifests.yaml import Document
    from ..render.pipeline import Cluster, Runner
    from ..render.rendered import Rendered
    from ..simulate.simulation import Simulation
    from ._sources import Named, Resources, Source

__all__ = ["Folder", "render", "request", "simulate"]


class Folder:
    """Where tests find their files: every relative path is taken from here.

    Wherever a resource or a document is expected, it can be a dict, a model, YAML text, or the path of a file. A text
    without a colon and without a line end is a path.

    Attributes:
        path: The folder; the current directory by default.
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
        """Build the request of one call, as Crossplane 2.4 would send it.

        Args:
            xr: The observed composite; an Operation lacks it.
            observed: The observed composed resources: by name, or with the annotation
                `crossplane.io/composition-resource-name`.
            desired: The desired state of previous functions of the pipeline, in the same way.
            desired_xr: The composite that they desire.
            desired_ready: Whether they call a desired resource ready, by name.
            required: The resources that answer a requirement, by its name; None or `()` where nothing matches.
            schemas: The OpenAPI schema that answers a requirement, by its name; None where Crossplane doesn't know
                the kind.
            credentials: Text or bytes by key, by the credentials' name.
            connection_details: Text or bytes by key, by the name of an observed resource.
            xr_connection_details: Text or bytes by key.
            context: The pipeline's context.
            input: The function's input.
            capabilities: The caller's capabilities, with or without `CAPABILITY_`; `()` is a Crossplane before 2.2,
                which advertises nothing.
            tag: The request's tag.

        Returns:
            The bytes of a RunFunctionRequest.

        Raises:
            InputError: A file or a resource can't be used; the message says which.
            UsageError: An argument is wrong.
        """
        given = dict(locals())
        del given["self"]
        return build(self.path, given)

    def render(
        self,
        xr: Source,
        composition: Source | Function,
        *,
        functions: Mapping[str, Function | Runner] = {},
        observed: Named = (),
        required: Resources = (),
        schemas: Resources = (),
        context: Source | None = None,
        timeout: float = 60.0,
        xrd: Source | None = None,
    ) -> Rendered:
        """Do one reconcile, as Crossplane would.

        Args:
            xr: The composite.
            composition: A Composition, or one function that is the whole pipeline.
            functions: Who runs the functions that the Composition names: composition functions, or other runners such
                as `crossplane_lite.render.Remote`.
            observed: The composed resources that exist: by name, or with the annotation
                `crossplane.io/composition-resource-name`.
            required: Other objects that exist: resources that functions ask for, Secrets with credentials and
                connection details.
            schemas: CustomResourceDefinitions, CompositeResourceDefinitions and OpenAPI documents, or folders of them,
                that answer for schemas.
            context: The context before the first step.
            timeout: Seconds for all of it.
            xrd: The composite's CompositeResourceDefinition: the composite is checked against it, gets its defaults,
                and is one of Crossplane 1 where it says so.

        A likely mistake is a `UserWarning`: a resource that is never registered, `None` of an unset field in a
        text, labels that Crossplane drops.

        Raises:
            FatalResultError: A function returned a fatal result.
            RenderError: The reconcile failed in another way.
            InputError: A file or a resource can't be used; the message says which.
        """
        from ..render.reconcile import render

        setup = self._setup(xr, composition, functions, observed, required, schemas, context, xrd)
        rendered = render(
            setup.composite,
            setup.pipeline,
            setup.functions,
            cluster=setup.cluster,
            observed=setup.observed,
            context=setup.context,
            timeout=timeout,
            xrd=setup.xrd,
            composition=setup.name,
        )
        _warn(rendered.notes)
        return rendered

    def simulate(
        self,
        xr: Source,
        composition: Source | Function,
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
    ) -> Simulation:
        """Reconcile until nothing changes any more, each composed resource existing from the round after it appeared.

        Args:
            xr: As in `render`, like all that isn't described here.
            composition: The same.
            functions: The same.
            observed: The same.
            required: The same.
            schemas: The same; status fields without a fixture are made up by them.
            context: The same.
            fixtures: Status and other observed fields of composed resources, by resource name or kind.
            most_rounds: After how many rounds without an end to give up.
            timeout: Seconds for each round.
            xrd: The same.

        Returns:
            The simulation, after its last round.

        Raises:
            FatalResultError, RenderError, InputError: As `render`.
        """
        from ..simulate.simulation import Simulation

        setup = self._setup(xr, composition, functions, observed, required, schemas, context, xrd)
        known: Mapping[str, Mapping[str, Any]] = {}
        path = as_path(fixtures, self.path)
        if path is not None:
            from ..simulate.fixtures import read_fixtures

            known = read_fixtures(path)
        elif fixtures is not None:
            known = one_document(fixtures, self.path, "fixtures").content
        simulation = Simulation(
            setup.composite,
            setup.pipeline,
            setup.functions,
            cluster=setup.cluster,
            observed=setup.observed,
            context=setup.context,
            fixtures=known,
            schemas=setup.schemas,
            most_rounds=most_rounds,
            timeout=timeout,
            xrd=setup.xrd,
            composition=setup.name,
        )
        simulation.run()
        _warn(note for each in simulation.rounds for note in each.rendered.notes)
        return simulation

    def _setup(
        self,
        xr: Source,
        composition: Source | Function,
        functions: Mapping[str, Function | Runner],
        observed: Named,
        required: Resources,
        schemas: Resources,
        context: Source | None,
        xrd: Source | None,
    ) -> _Setup:
        from ..render.cluster import Files

        composite = one(xr, self.path, "xr")
        if not is_text(composite.content["metadata"].get("name")):
            raise InputError(f"{composite.where} has no metadata.name")
        definition = None
        if xrd is not None:
            from ..render.definition import admitted

            definition = one(xrd, self.path, "xrd")
            composite, notes = admitted(composite, definition)
            _warn(notes)
        pipeline, runners, name = self._pipeline(composition, functions, composite, definition)
        known = self._schemas(schemas)
        existing = resources(required, self.path, "required")
        return _Setup(
            composite.content,
            pipeline,
            runners,
            Files([document.content for document in existing], known),
            [document.content for document in named(observed, self.path, "observed").values()],
            one_document(context, self.path, "context").content if context is not None else None,
            known,
            None if definition is None else definition.content,
            name,
        )

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
                    "'functions' runs the steps of a Composition; 'composition' is a function here, so leave "
                    "'functions' out"
                )
            return [Step(composition.name, composition.name)], {composition.name: composition}, None
        if callable(composition):
            raise UsageError(
                f"'composition' is neither a Composition nor a composition function (got {short_repr(composition)}); "
                "is @composition.function missing?"
            )
        from ..render.composition import composition_steps
        from ..render.definition import is_legacy

        document = one(composition, self.path, "composition")
        legacy = definition is not None and is_legacy(definition.content)
        name = document.content["metadata"].get("name")
        return composition_steps(document, composite, legacy), functions, name if isinstance(name, str) else None

    def _schemas(self, sources: Resources) -> Schemas | None:
        """Return the source of kinds' schemas; None without schemas."""
        several = [sources] if is_single(sources) else list(sources)
        if not several:
            return None
        from .._manifests.kind_schemas import Schemas

        found = Schemas()
        for index, source in enumerate(several):
            path = as_path(source, self.path)
            if path is not None:
                found.add_path(path)
                continue
            document = one_document(source, self.path, f"schemas[{index}]")
            add = found.add_openapi if "openapi" in document.content else found.add_crd
            add(document.content, document.where)
        return found


class _Setup(NamedTuple):
    """The common part of rendering and simulating."""

    composite: dict[str, Any]
    pipeline: list[Step]
    functions: Mapping[str, Function | Runner]
    cluster: Cluster
    observed: list[dict[str, Any]]
    context: dict[str, Any] | None
    schemas: Schemas | None
    xrd: dict[str, Any] | None
    name: str | None


def _warn(notes: Iterable[str]) -> None:
    """Warn of a likely mistake, at the line of the test."""
    import warnings

    for note in dict.fromkeys(notes):
        warnings.warn(note, stacklevel=3)


_HERE: Final = Folder()

request = _HERE.request
render = _HERE.render
simulate = _HERE.simulate
