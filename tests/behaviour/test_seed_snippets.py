"""The snippets of the documents on required schemas and on capabilities, word for word but for their imports."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

import openapi_schema_validator as oapi
import pytest
from crossplane.function.proto.v1 import run_function_pb2 as theirs

from crossplane_lite import request, response
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from tests.support import ALL_CAPABILITIES, build

# --- required-schemas, "Usage" -----------------------------------------------------------------------------------

desired_deployment: dict[str, Any] = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 3}}
SCHEMA = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {"replicas": {"type": "integer", "format": "int32"}}}},
}


def compose(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse):  # type: ignore[no-untyped-def]
    """The snippet."""
    # Request a schema for Deployment.
    response.require_schema(rsp, "deployment", "apps/v1", "Deployment")

    # Check if we received the schema yet.
    schema = request.get_required_schema(req, "deployment")
    if schema:
        # Validate a desired Deployment against the schema.
        oapi.validate(desired_deployment, schema)


def answered(messages: ModuleType, schemas: dict[str, Any]) -> tuple[Any, Any]:
    """Return a request of an implementation with these answers, and the response to it."""
    req = messages.RunFunctionRequest.FromString(build(schemas=schemas).SerializeToString())
    return req, response.to(req)


BOTH = pytest.mark.parametrize("messages", [fnv1, theirs], ids=["ours", "theirs"])


@BOTH
@pytest.mark.parametrize(
    "schemas", [{}, {"deployment": None}, {"deployment": SCHEMA}], ids=["waiting", "none", "found"]
)
def test_required_schema(messages: ModuleType, schemas: dict[str, Any]) -> None:
    """The schema is asked for in every call; without one nothing is validated, and with one what fits passes."""
    req, rsp = answered(messages, schemas)
    compose(req, rsp)
    selector = rsp.requirements.schemas["deployment"]
    assert (selector.api_version, selector.kind) == ("apps/v1", "Deployment")
    assert ("deployment" in req.required_schemas) is bool(schemas)
    assert (request.get_required_schema(req, "deployment") is not None) is (schemas == {"deployment": SCHEMA})


@BOTH
def test_required_schema_validates(messages: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """What doesn't fit the schema is found, by the validator of the snippet."""
    monkeypatch.setitem(desired_deployment, "spec", {"replicas": "three"})
    req, rsp = answered(messages, {"deployment": SCHEMA})
    with pytest.raises(Exception, match="'three' is not of type 'integer'"):
        compose(req, rsp)


# --- function-capabilities ---------------------------------------------------------------------------------------


class Runner:
    """The snippet's function, in the class around it."""

    async def RunFunction(
        self,
        req: fnv1.RunFunctionRequest,
        _: grpc.aio.ServicerContext,  # type: ignore[name-defined]  # noqa: F821
    ) -> fnv1.RunFunctionResponse:
        rsp = response.to(req)
        if request.has_capability(req, fnv1.CAPABILITY_REQUIRED_SCHEMAS):
            # Request the schema - Crossplane will populate it next iteration
            response.require_schema(rsp, "xr", "example.org/v1", "MyXR")
            schema = request.get_required_schema(req, "xr")
            if schema:
                # Use schema for validation
                pass
        else:
            # Crossplane doesn't support schemas - fall back or skip validation
            pass
        return rsp


@BOTH
@pytest.mark.parametrize(
    ("capabilities", "asks"),
    [
        (ALL_CAPABILITIES, True),
        ([name for name in ALL_CAPABILITIES if name != "CAPABILITY_REQUIRED_SCHEMAS"], False),
        ([], False),
    ],
)
def test_capability(messages: ModuleType, capabilities: list[str], asks: bool) -> None:
    """The schema is asked for only where the caller says that it supports that."""
    data = build(capabilities=capabilities, tag="t", schemas={"xr": SCHEMA}).SerializeToString()
    req = messages.RunFunctionRequest.FromString(data)
    rsp: Any = asyncio.run(Runner().RunFunction(req, None))
    assert rsp.meta.tag == "t"
    assert ("xr" in rsp.requirements.schemas) is asks
    assert request.advertises_capabilities(req) is bool(capabilities)
    assert isinstance(rsp, messages.RunFunctionResponse)
