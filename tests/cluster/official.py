"""The composition of `functions.guess` with the official SDK: `official.py PORT [CERTIFICATES]` serves it."""

from __future__ import annotations

import sys

import grpc
from crossplane.function import logging, resource, response, runtime
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as services

EC2 = "ec2.aws.m.upbound.io/v1beta1"
REGION = "eu-central-1"


class FunctionRunner(services.FunctionRunnerService):  # type: ignore[misc]
    """Composes a VPC and, as soon as its id is there, the resources that refer to it."""

    async def RunFunction(self, req: fnv1.RunFunctionRequest, _: grpc.aio.ServicerContext) -> fnv1.RunFunctionResponse:
        rsp = response.to(req)
        xr = resource.struct_to_dict(req.observed.composite.resource)
        observed = {name: resource.struct_to_dict(one.resource) for name, one in req.observed.resources.items()}

        def compose(name: str, kind: str, /, **fields: object) -> None:
            one = {"apiVersion": EC2, "kind": kind, "spec": {"forProvider": {"region": REGION, **fields}}}
            resource.update(rsp.desired.resources[name], one)
            conditions = observed.get(name, {}).get("status", {}).get("conditions", [])
            if any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions):
                rsp.desired.resources[name].ready = fnv1.READY_TRUE

        compose("vpc", "VPC", cidrBlock="10.0.0.0/16")
        vpc_id = observed.get("vpc", {}).get("status", {}).get("atProvider", {}).get("id")
        if vpc_id:
            compose("subnet", "Subnet", vpcId=vpc_id, cidrBlock="10.0.0.0/20")
            compose("table", "RouteTable", vpcId=vpc_id, tags={"short": vpc_id[-6:]})
            for name, description in sorted(xr["spec"]["groups"].items()):
                compose(f"group-{name}", "SecurityGroup", vpcId=vpc_id, name=name, description=description)
            compose("gateway", "InternetGateway", vpcId=vpc_id)
            resource.update(rsp.desired.composite, {"status": {"vpcId": vpc_id}})
        return rsp


if __name__ == "__main__":
    logging.configure(level=logging.Level.INFO)
    credentials = runtime.load_credentials(sys.argv[2]) if sys.argv[2:] else None
    runtime.serve(FunctionRunner(), f"127.0.0.1:{sys.argv[1]}", creds=credentials, insecure=credentials is None)
