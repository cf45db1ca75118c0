"""A program that is written for the official SDK. The tests run it as it is, and with its imports changed to ours."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from crossplane.function import logging, request, resource, response, runtime
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1


class FunctionRunner(grpcv1.FunctionRunnerService):
    """Composes buckets, and uses every helper that the official SDK has."""

    def __init__(self) -> None:
        self.log = logging.get_logger()

    async def RunFunction(self, req: fnv1.RunFunctionRequest, _: Any) -> fnv1.RunFunctionResponse:
        """Answer a request."""
        log = self.log.bind(tag=req.meta.tag)
        log.info("Running function", name="buckets")
        await asyncio.sleep(0)
        rsp = response.to(req)

        xr = resource.struct_to_dict(req.observed.composite.resource)
        for zone in xr["spec"]["zones"]:
            name = resource.child_name(xr["metadata"]["name"], zone)
            bucket = rsp.desired.resources[f"bucket-{zone}"]
            resource.update(bucket, {"apiVersion": "example.org/v1", "kind": "Bucket", "metadata": {"name": name}})
            resource.update(bucket, resource.dict_to_struct({"spec": {"zone": zone, "size": xr["spec"]["size"]}}))
            ready = resource.get_condition(req.observed.resources.get(f"bucket-{zone}"), "Ready")
            bucket.ready = fnv1.READY_TRUE if ready.status == "True" else fnv1.READY_FALSE

        credentials = request.get_credentials(req, "cloud")
        resource.update_status(rsp.desired.composite, {"zones": xr["spec"]["zones"], "user": credentials.data["user"]})
        response.require_resources(rsp, "configs", "v1", "ConfigMap", match_labels={"a": "b"}, namespace="ns")
        if request.has_capability(req, fnv1.CAPABILITY_REQUIRED_SCHEMAS):
            response.require_schema(rsp, "bucket", "example.org/v1", "Bucket")
        schema = request.get_required_schema(req, "bucket")
        config = request.get_required_resource(req, "configs")
        response.set_output(rsp, {"schema": schema, "config": config, "watched": request.get_watched_resource(req)})
        response.set_conditions(
            rsp, resource.Condition("Configured", "True" if config else "False", "Found", "one of many")
        )
        response.normal(rsp, "composed")
        if not request.advertises_capabilities(req):
            response.warning(rsp, "an old Crossplane")
        return rsp


if __name__ == "__main__":
    logging.configure(level=logging.Level.INFO)
    directory = sys.argv[1] if len(sys.argv) > 1 else None
    runtime.serve(
        FunctionRunner(),
        "127.0.0.1:0",
        creds=runtime.load_credentials(directory),
        insecure=directory is None,
        options=[("grpc.max_receive_message_length", 8 << 20), ("grpc.max_send_message_length", 8 << 20)],
    )
