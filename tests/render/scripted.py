"""Runners that answer by a script, with the official SDK's messages, and a cluster made of a list."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite._tools.render.pipeline import Selector

__all__ = ["XR", "Objects", "Scripted", "desire", "thing"]

XR: dict[str, Any] = {
    "apiVersion": "example.org/v1",
    "kind": "XBucket",
    "metadata": {"name": "photos", "uid": "an-uid"},
    "spec": {"size": 3},
}


def thing(name: str | None = None, /, **metadata: Any) -> dict[str, Any]:
    """Return a composed resource; with a composition resource name it is one that exists and is the composite's."""
    found: dict[str, Any] = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": dict(metadata)}
    if name is not None:
        owner = {"apiVersion": "example.org/v1", "kind": "XBucket", "name": "photos", "uid": "an-uid"}
        found["metadata"] = {
            "name": f"photos-{name}",
            "annotations": {"crossplane.io/composition-resource-name": name},
            "ownerReferences": [{**owner, "controller": True}],
            **metadata,
        }
    return found


def desire(
    response: fnv1.RunFunctionResponse, name: str, resource: Mapping[str, Any], ready: bool | None = None
) -> None:
    """Add a desired composed resource to an answer."""
    response.desired.resources[name].resource.update(copy.deepcopy(dict(resource)))
    if ready is not None:
        response.desired.resources[name].ready = fnv1.READY_TRUE if ready else fnv1.READY_FALSE


class Scripted:
    """A runner that fills in its answers with a function of request and response.

    Desired state and context of the request are passed on first, as the functions specification demands.

    Attributes:
        requests: The requests until now.
        timeouts: How many seconds there were for each.
    """

    def __init__(self, script: Callable[[fnv1.RunFunctionRequest, fnv1.RunFunctionResponse], object]) -> None:
        self._script = script
        self.requests: list[fnv1.RunFunctionRequest] = []
        self.timeouts: list[float] = []

    def run(self, request: bytes, timeout: float) -> bytes:
        """Answer a request."""
        message = fnv1.RunFunctionRequest.FromString(request)
        self.requests.append(message)
        self.timeouts.append(timeout)
        response = fnv1.RunFunctionResponse(meta=fnv1.ResponseMeta(tag=message.meta.tag))
        response.desired.CopyFrom(message.desired)
        if message.HasField("context"):
            response.context.CopyFrom(message.context)
        self._script(message, response)
        data: bytes = response.SerializeToString()
        return data


class Objects:
    """A cluster that is a list of objects, schemas by apiVersion and kind, and scopes by kind.

    Attributes:
        asked: The selectors that were looked up.
    """

    def __init__(
        self,
        *objects: Mapping[str, Any],
        schemas: Mapping[tuple[str, str], Mapping[str, Any]] | None = None,
        scopes: Mapping[str, str] | None = None,
    ) -> None:
        self._objects = objects
        self._schemas = schemas or {}
        self._scopes = scopes or {}
        self.asked: list[Selector] = []

    def resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        """Return what a selector matches."""
        self.asked.append(selector)
        return [one for one in self._objects if self._matches(one, selector)]

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        """Return a kind's schema."""
        return self._schemas.get((api_version, kind))

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return a kind's scope."""
        return self._scopes.get(kind)

    @staticmethod
    def _matches(one: Mapping[str, Any], selector: Selector) -> bool:
        metadata = one["metadata"]
        if (one["apiVersion"], one["kind"]) != (selector.api_version, selector.kind):
            return False
        if selector.name is not None:
            return (metadata["name"], metadata.get("namespace")) == (selector.name, selector.namespace)
        if selector.namespace is not None and metadata.get("namespace") != selector.namespace:
            return False
        return bool((selector.labels or {}).items() <= metadata.get("labels", {}).items())
