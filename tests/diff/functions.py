"""Functions for the tests of the command."""

from __future__ import annotations

import base64
from typing import Any

from crossplane_lite import Unstructured, composition, request, response

__all__ = ["Telling", "bucket", "failing", "moved", "ports", "renamed", "secrets"]


def thing(**fields: object) -> Unstructured:
    """Return a resource."""
    made = Unstructured("example.org/v1", "Thing")
    made.spec = {"forProvider": fields}
    return made


@composition.function(name="bucket")
def bucket(ctx: composition.Context) -> None:
    """A resource with the composite's size, and one that waits for it."""
    xr = ctx.composite(Unstructured)
    first = ctx.resource("first", thing(size=xr.observed.spec.size))
    ctx.resource("second", thing(id=first.observed.status.atProvider.id))


@composition.function(name="renamed")
def renamed(ctx: composition.Context) -> None:
    """The first resource of `bucket` under another name, and one of another kind."""
    xr = ctx.composite(Unstructured)
    ctx.resource("second", thing(size=xr.observed.spec.size))
    ctx.resource("other", Unstructured("example.org/v1", "Other"))


@composition.function(name="moved")
def moved(ctx: composition.Context) -> None:
    """The first resource of `bucket` under another name, with its former one."""
    xr = ctx.composite(Unstructured)
    ctx.resource("second", thing(size=xr.observed.spec.size), formerly=["first"])


@composition.function(name="failing")
def failing(ctx: composition.Context) -> None:
    """Fails for some composites."""
    xr = ctx.composite(Unstructured)
    ctx.resource("first", thing(size=10 // int(str(xr.observed.spec.size))))


@composition.function(name="secrets")
def secrets(ctx: composition.Context) -> None:
    """A Secret, and a resource with something of a Secret of the cluster."""
    ctx.requirements.resources["given"] = composition.ResourceSelector(
        api_version="v1", kind="Secret", match_name="given", namespace="team"
    )
    secret = Unstructured("v1", "Secret", metadata={"name": "made", "namespace": "team"})
    secret.stringData = {"password": "brand-new-word"}
    ctx.resource("secret", secret)
    for one in ctx.required_resources.get("given"):
        token = base64.b64decode(str(one.data["token"])).decode()
        ctx.resource("first", thing(token=token, size=1))


class Telling:
    """A function of raw messages that fails with something of a Secret in the message."""

    def RunFunction(self, req: Any, _context: Any) -> Any:
        """Ask for the Secret, and tell it."""
        answer = response.to(req)
        response.require_resources(
            answer, "given", api_version="v1", kind="Secret", match_name="given", namespace="team"
        )
        for one in request.get_required_resources(req, "given"):
            response.fatal(answer, f"the token is {base64.b64decode(one['data']['token']).decode()}")
        return answer


@composition.function(name="ports")
def ports(ctx: composition.Context) -> None:
    """A list of ports in another order than the cluster's, which leaves out what the schema has a default for."""
    made = Unstructured("example.org/v1", "Thing")
    size = ctx.composite(Unstructured).observed.spec.size
    made.spec.ports = [{"containerPort": 1, "hostPort": size}, {"containerPort": 2}]
    ctx.resource("ports", made)
