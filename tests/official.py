"""A call of a function that is written with the official SDK, for the functions of tests."""

from __future__ import annotations

from typing import Any, Final

from crossplane.function import resource, response
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

__all__ = ["EC2", "Call"]

EC2: Final = "ec2.aws.m.upbound.io/v1beta1"


class Call:
    """A call of a function.

    Args:
        req: The request.

    Attributes:
        answer: The answer.
        spec: The composite's spec.
        told: The composite's status.
    """

    def __init__(self, req: fnv1.RunFunctionRequest) -> None:
        self.answer = response.to(req)
        xr = resource.struct_to_dict(req.observed.composite.resource)
        self.spec: dict[str, Any] = xr["spec"]
        self.told: dict[str, Any] = xr.get("status", {})
        self._observed = {name: resource.struct_to_dict(one.resource) for name, one in req.observed.resources.items()}

    def compose(self, name: str, kind: str, /, *, labels: dict[str, str] | None = None, **fields: Any) -> None:
        """Desire a resource."""
        body: dict[str, Any] = {"apiVersion": EC2, "kind": kind, "spec": {"forProvider": fields}}
        if labels:
            body["metadata"] = {"labels": labels}
        resource.update(self.answer.desired.resources[name], body)
        if self.is_ready(name):
            self.answer.desired.resources[name].ready = fnv1.READY_TRUE

    def is_ready(self, name: str) -> bool:
        """Say whether a resource is ready."""
        conditions = self.status(name).get("conditions", [])
        return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)

    def status(self, name: str) -> dict[str, Any]:
        """Return the status of a composed resource."""
        found: dict[str, Any] = self._observed.get(name, {}).get("status", {})
        return found

    def seen(self, name: str) -> dict[str, Any]:
        """Return the `status.atProvider` of a composed resource."""
        found: dict[str, Any] = self.status(name).get("atProvider") or {}
        return found

    def report(self, **status: Any) -> None:
        """Set fields of the composite's status."""
        resource.update(self.answer.desired.composite, {"status": status})
