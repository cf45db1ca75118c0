"""The official SDK's side at its strongest: plain dicts, no generated models, and nothing converted
that isn't used.
"""

import click
from crossplane.function import logging, resource, response, runtime
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1


class FunctionRunner(grpcv1.FunctionRunnerService):
    async def RunFunction(self, req, _):
        rsp = response.to(req)
        parameters = req.observed.composite.resource["spec"]["parameters"]
        location, read, describe = (
            parameters["location"],
            parameters["read"],
            parameters["describe"],
        )
        status = {}
        urls = []
        for index in range(int(parameters["emit"])):
            name = f"bucket-{index}"
            bucket = {
                "apiVersion": "storage.gcp.upbound.io/v1beta2",
                "kind": "Bucket",
                "metadata": {
                    "labels": {"example.org/team": "platform", "example.org/stage": "prod"},
                    "annotations": {"example.org/owner": "storage"},
                },
                "spec": {
                    "forProvider": {
                        "location": location,
                        "labels": {"team": "platform", "index": str(index)},
                        "storageClass": "STANDARD",
                        "forceDestroy": True,
                        "uniformBucketLevelAccess": True,
                        "versioning": {"enabled": True},
                        "lifecycleRule": [
                            {
                                "action": {"type": "Delete"},
                                "condition": {"age": 30, "withState": "ANY"},
                            },
                        ],
                    },
                    "providerConfigRef": {"name": "default"},
                },
            }
            resource.update(rsp.desired.resources[name], bucket)
            if index < read:
                urls.append(req.observed.resources[name].resource["status"]["atProvider"]["url"])
            if describe and name in req.observed.resources:
                url = req.observed.resources[name].resource["status"]["atProvider"]["url"]
                status["about"] = f"the last one is at {url}"
        resource.update_status(rsp.desired.composite, {**status, "urls": urls})
        return rsp


@click.command()
@click.option("--address")
@click.option("--tls-certs-dir")
def main(address, tls_certs_dir):
    logging.configure()
    runtime.serve(
        FunctionRunner(), address, creds=runtime.load_credentials(tls_certs_dir), insecure=False
    )
