"""Compositions of `functions` with the official SDK: `official.py PORT [CERTIFICATES]` serves one of them.

The environment variable `COMPOSITION` names it: `guess`, `adopted` or `told`.
"""

from __future__ import annotations

import hashlib
import os
import sys
from typing import Any

import grpc
from crossplane.function import logging, runtime
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as services

from tests.official import Call

REGION = "eu-central-1"
_KEY = "example.com/vpc"


class _Call(Call):
    """A call whose resources are all in one region."""

    def compose(self, name: str, kind: str, /, *, labels: dict[str, str] | None = None, **fields: Any) -> None:
        """Desire a resource in the region."""
        super().compose(name, kind, labels=labels, region=REGION, **fields)


def guess(call: Call) -> None:
    """Composes a VPC and, as soon as its id is there, the resources that refer to it."""
    call.compose("vpc", "VPC", cidrBlock="10.0.0.0/16")
    vpc_id = call.seen("vpc").get("id")
    if vpc_id:
        call.compose("subnet", "Subnet", vpcId=vpc_id, cidrBlock="10.0.0.0/20")
        call.compose("table", "RouteTable", vpcId=vpc_id, tags={"short": vpc_id[-6:]})
        for name, description in sorted(call.spec["groups"].items()):
            call.compose(f"group-{name}", "SecurityGroup", vpcId=vpc_id, name=name, description=description)
        call.compose("gateway", "InternetGateway", vpcId=vpc_id)
        call.report(vpcId=vpc_id)


def adopted(call: Call) -> None:
    """Composes all that it has the values for, and tells the next step the VPC's id."""
    call.compose("vpc", "VPC", cidrBlock="10.0.0.0/16")
    vpc_id = call.seen("vpc").get("id")
    if vpc_id:
        call.compose("decided", "EIP", domain="vpc", tags={"net": vpc_id})
        call.compose(f"hashed-{_hash(vpc_id)}", "EIP", domain="vpc")
        call.compose("subnet", "Subnet", vpcId=vpc_id, cidrBlock="10.0.0.0/20")
        call.report(vpcId=vpc_id)
        call.answer.context[_KEY] = vpc_id
    entry = [{"cidr": block, "description": "private"} for block in call.spec["blocks"]]
    call.compose("blocks", "ManagedPrefixList", name="blocks", addressFamily="IPv4", maxEntries=8, entry=entry)
    for one in call.seen("blocks").get("entry", []):
        call.compose(f"listed-{_hash(one['cidr'])}", "EIP", domain="vpc")


def told(call: Call) -> None:
    """Composes zones as soon as the step before has told the id."""
    if _KEY in call.answer.context:
        for zone in call.spec["zones"]:
            call.compose(f"zone-{zone}", "EIP", domain="vpc")


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:8]


_COMPOSITIONS = {"guess": guess, "adopted": adopted, "told": told}


class FunctionRunner(services.FunctionRunnerService):  # type: ignore[misc]
    """Composes what the environment variable names."""

    async def RunFunction(self, req: fnv1.RunFunctionRequest, _: grpc.aio.ServicerContext) -> fnv1.RunFunctionResponse:
        call = _Call(req)
        _COMPOSITIONS[os.environ.get("COMPOSITION", "guess")](call)
        return call.answer


if __name__ == "__main__":
    logging.configure(level=logging.Level.INFO)
    credentials = runtime.load_credentials(sys.argv[2]) if sys.argv[2:] else None
    runtime.serve(FunctionRunner(), f"127.0.0.1:{sys.argv[1]}", creds=credentials, insecure=credentials is None)
