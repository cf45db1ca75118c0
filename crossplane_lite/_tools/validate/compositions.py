"""What is wrong with a Composition, by itself and beside the XRDs, Functions and definitions that
are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..._core.base.api_version import split
from ..._core.base.texts import near_name, short_text
from ..._core.paths import field_path
from ..._core.paths.trees import lookup
from ...errors import InputError
from ..manifests.kind_schemas import Schemas
from ..manifests.objects import text_of
from ..manifests.yaml import Document
from ..render import gate
from ..render.composition import problems_of
from .definitions import Problem


class Surroundings:
    """What Compositions refer to.

    Args:
        schemas: The schemas of kinds.
        xrds: The CompositeResourceDefinitions.
        functions: The Functions, by name, with their packages.

    Attributes:
        unknown: The kinds without a schema that Compositions refer to, each with the first place,
            and with the package that may have it.
    """

    def __init__(
        self, schemas: Schemas, xrds: Sequence[Mapping[str, Any]], functions: Mapping[str, str]
    ) -> None:
        self.unknown: dict[tuple[str, str], tuple[str, str]] = {}
        self._place = ""
        self._schemas = schemas
        self._xrds = xrds
        self._functions = functions

    def problems(self, place: str, content: dict[str, Any]) -> Iterator[Problem]:
        """Yield what is wrong with a Composition, which lies at a place."""
        self._place = place
        found = [
            Problem(tuple(one.path), one.problem.strip())
            for one in problems_of(Document("", content))
        ]
        yield from found
        wrong = {one.path for one in found}
        reference = lookup(content, ("spec", "compositeTypeRef"))
        if isinstance(reference, Mapping):
            yield from self._of_type(reference)
        elif ("spec",) not in wrong:
            yield Problem(
                ("spec", "compositeTypeRef"), "is missing; it names the kind of the composites"
            )
        pipeline = lookup(content, ("spec", "pipeline"))
        for number, step in enumerate(pipeline if isinstance(pipeline, list) else ()):
            if isinstance(step, Mapping):
                yield from self._of_step(step, ("spec", "pipeline", number))

    def _of_type(self, reference: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what is wrong with the reference to the kind of the composites."""
        path = ("spec", "compositeTypeRef")
        api_version, kind = (text_of(reference.get(key)) for key in ("apiVersion", "kind"))
        for key, value in (("apiVersion", api_version), ("kind", kind)):
            if not value:
                yield Problem((*path, key), "must be a string that isn't empty")
                return
        group, version = split(api_version)
        own = [xrd for xrd in self._xrds if lookup(xrd, ("spec", "group")) == group]
        for xrd in own:
            if lookup(xrd, ("spec", "claimNames", "kind")) == kind:
                composite = lookup(xrd, ("spec", "names", "kind"))
                yield Problem(
                    (*path, "kind"),
                    f"is the kind of a claim; its composite is {short_text(composite)}",
                )
                return
        versions = [
            xrd["spec"]["versions"] for xrd in own if lookup(xrd, ("spec", "names", "kind")) == kind
        ]
        marked = [
            one["name"] for some in versions for one in some if one.get("referenceable") is True
        ]
        if marked and version not in marked:
            yield Problem(
                (*path, "apiVersion"),
                f"must be {group}/{marked[0]}, the version that is referenceable (got"
                f" {short_text(api_version)})",
            )
        elif not marked:
            yield from self._of_kind(path, api_version, kind, "")

    def _of_step(self, step: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Problem]:
        """Yield what is wrong with the function and the input of a step."""
        name = lookup(step, ("functionRef", "name"))
        if isinstance(name, str) and self._functions and name not in self._functions:
            hint = near_name(name, self._functions)
            yield Problem(
                (*path, "functionRef", "name"), f"there is no Function {short_text(name)}{hint}"
            )
        given = step.get("input")
        if not isinstance(given, dict):
            return
        api_version, kind = (text_of(given.get(key)) for key in ("apiVersion", "kind"))
        if not api_version or not kind:
            return  # the step's own problems say it
        at = (*path, "input")
        known = gate.kind_of(self._schemas, api_version, kind)
        if known.schema is None:
            yield from self._of_kind(at, api_version, kind, self._functions.get(text_of(name), ""))
            return
        try:
            mistakes = gate.judged(given, known).mistakes
        except InputError as error:  # the definition has mistakes
            mistakes = [gate.Mistake("", f"isn't checked: {error}")]
        for one in mistakes:
            steps: Any = field_path.parse(one.path) if one.path else ()
            yield Problem((*at, *steps), one.text)

    def _of_kind(
        self, path: tuple[str | int, ...], api_version: str, kind: str, package: str
    ) -> Iterator[Problem]:
        """Yield what is wrong with the name of a kind that no XRD has; note the kind if that isn't
        known.
        """
        if gate.kind_of(self._schemas, api_version, kind).schema is not None:
            return
        wrong = gate.misnamed(self._schemas, api_version, kind)
        if wrong is None:
            self.unknown.setdefault((api_version, kind), (self._place, package))
        else:
            yield Problem((*path, wrong.path), wrong.text)
