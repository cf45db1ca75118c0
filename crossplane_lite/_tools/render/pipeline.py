"""The types of a pipeline: steps, required resources, runners (which call functions), and the
cluster.

The modules that read files, run a reconcile, simulate several reconciles and draw graphs share
these types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

OPERATIONS_GROUP: Final = "ops.crossplane.io"
"""The group of Operations, and of the kinds that make them."""


class Selector(NamedTuple):
    """Selects the resources that a function or a step of the Composition requires: one by name, or
    several by labels.

    Attributes:
        api_version: The resources' apiVersion.
        kind: The resources' kind.
        name: The resource's name; None to select by labels.
        labels: The labels that the resources must have; empty for all resources of the kind, None
            to select by name.
        namespace: The resources' namespace. With a name, None means a cluster-scoped resource. With
            labels, None means resources of all namespaces and cluster-scoped resources.
    """

    api_version: str
    kind: str
    name: str | None = None
    labels: Mapping[str, str] | None = None
    namespace: str | None = None

    @classmethod
    def of(cls, message: Any) -> Selector:
        """Return the selector of a ResourceSelector message.

        A message with neither a name nor labels selects all resources of its kind.

        Args:
            message: The message, of any class that has the fields of ResourceSelector.
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
        where: The step's file and path in it, for error messages; may be empty.
        input: The function's input, an object of any kind; None for no input.
        credentials: The namespace and the name of a Secret for each name of credentials.
        resources: The resources that the Composition, rather than the function, requires for the
            step, by requirement name.
        schemas: The apiVersion and the kind of each schema that the Composition, rather than the
            function, requires for the step, by requirement name.
    """

    name: str
    function: str
    where: str = ""
    input: Mapping[str, Any] | None = None
    credentials: Mapping[str, tuple[str, str]] = {}
    resources: Mapping[str, Selector] = {}
    schemas: Mapping[str, tuple[str, str]] = {}


class Runner(Protocol):
    """An object that calls one function, in this process or elsewhere: any object with the method
    `run`.
    """

    def run(self, request: bytes, timeout: float) -> bytes:
        """Call the function with a request, and return its response.

        Args:
            request: The bytes of a RunFunctionRequest.
            timeout: The time limit, in seconds.

        Returns:
            The bytes of the RunFunctionResponse.

        Raises:
            RenderError: The function can't be called, or doesn't respond in time.
        """
        ...  # pragma: no cover


class Cluster(Protocol):
    """A source of required resources, Secrets and schemas: files, a live API server, or both."""

    def resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        """Return the resources that a selector matches; an empty list if there are none.

        Raises:
            RenderError: The resources can't be read.
        """
        ...  # pragma: no cover

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        """Return the OpenAPI schema of a kind, with each `$ref` replaced by its content; None if it
        isn't known.

        Raises:
            RenderError: `api_version` isn't an apiVersion, or the schema can't be read.
        """
        ...  # pragma: no cover
