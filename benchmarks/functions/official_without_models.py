"""The official SDK's side without generated models."""

import click  # noqa: F401  # the template's entry point is a click command
from crossplane.function import logging, resource, response, runtime
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1


class FunctionRunner(grpcv1.FunctionRunnerService):
    async def RunFunction(self, req, _):
        rsp = response.to(req)
        xr = resource.struct_to_dict(req.observed.composite.resource)
        resource.update(
            rsp.desired.resources["bucket-0"],
            {
                "apiVersion": "storage.gcp.upbound.io/v1beta2",
                "kind": "Bucket",
                "spec": {"forProvider": {"location": xr["spec"]["parameters"]["location"]}},
            },
        )
        observed = resource.struct_to_dict(req.observed.resources["bucket-0"].resource)
        resource.update_status(
            rsp.desired.composite, {"urls": [observed["status"]["atProvider"]["url"]]}
        )
        return rsp


def main():
    import sys

    logging.configure()
    runtime.serve(FunctionRunner(), sys.argv[1], creds=None, insecure=True)
