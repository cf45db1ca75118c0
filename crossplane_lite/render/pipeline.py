"""The parts of a pipeline: steps, their requirements, and their runners.

Reading files, running one reconcile, simulating many reconciles, and drawing graphs share these types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

__all__ = ["Cluster", "Runner", "Selector", "Step"]


class Selector(NamedTuple):
    """A request for resources, by a function or by a step of the composition: one by name, or several by labels.

    Attributes:
        api_version: The resources' apiVersion.
        kind: The resources' kind.
        name: The name of the one resource; None where labels are matched.
        labels: The labels that the resources must have; empty for all resources of the kind. None where a name is
            matched.
        namespace: The resources' namespace. With a name, None means a cluster-scoped resource; with labels, None means
            resources of all namespaces and cluster-scoped resources.
    """

    api_version: str
    kind: str
    name: str | None = None
    labels: Mapping[str, str] | None = None
    namespace: str | None = None

    @classmethod
    def of(cls, message: Any) -> Selector:
        """Return the selector in a ResourceSelector message, of any class with its fields.

        A message without a match selects all resources of the kind.
        """
        by_name = message.WhichOneof("match") == "match_name"
        return cls(
            message.api_version,
            message.kind,
            name=message.match_name if by_name else None,
            labels=None if by_name else dict(sorted(message.match_labels.labels.items())),
            namespace=message.namespace or None,
        )

    def __str__(self) -> str:
        where = f" in namespace {self.namespace}" if self.namespace else ""
        if self.name is not None:
            return f"{self.api_version} {self.kind} named {self.name!r}{where}"
        labels = ",".join(f"{key}={value}" for key, value in sorted((self.labels or {}).items()))
        return f"{self.api_version} {self.kind} with labels {labels or '(any)'}{where}"


class Step(NamedTuple):
    """One step of a pipeline.

    Attributes:
        name: The step's name.
        function: The name of the function that the step calls.
        where: File and place of the step, for messages; may be empty.
        input: The function's input, an object of any kind; None for no input.
        credentials: The namespace and the name of a Secret, by the name of the credentials.
        resources: The resources that the composition itself requires for the step, by requirement name.
        schemas: The apiVersion and the kind of each schema that the composition itself requires for the step, by
            requirement name.
    """

    name: str
    function: str
    where: str = ""
    input: Mapping[str, Any] | None = None
    credentials: Mapping[str, tuple[str, str]] = {}
    resources: Mapping[str, Selector] = {}
    schemas: Mapping[str, tuple[str, str]] = {}


class Runner(Protocol):
    """A caller of one function: any object with this method."""

    def run(self, request: bytes, timeout: float) -> bytes:
        """Answer a request.

        Args:
            request: The bytes of a RunFunctionRequest.
            timeout: The time limit, in seconds.

        Returns:
            The bytes of the RunFunctionResponse.

        Raises:
            RenderError: The function could not be called, or gave no answer in time.
        """
        ...  # pragma: no cover


class Cluster(Protocol):
    """The source of the objects beside the composite: files, a live API server, or both."""

    def resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        """Return the resources that a selector matches; an empty list where none does."""
        ...  # pragma: no cover

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        """Return the OpenAPI schema of a kind with its references inlined; None where the schema isn't known.

        Raises:
            RenderError: `api_version` isn't an apiVersion, or the schema can't be read.
        """
        ...  # pragma: no cover
