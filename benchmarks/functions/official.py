"""The official SDK's side, written as its template and its documentation have it, without a log line per call."""

import typing

import click  # noqa: F401  # the template's entry point is a click command
import pydantic
from crossplane.function import logging, resource, response, runtime
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1
from pydantic_models import bucket as v1beta2
from pydantic_models import cluster  # noqa: F401  # what is measured is that it is imported


def _class(model, field):
    """Return the class of a field; the generator's versions number classes of one name differently."""
    work = [model.model_fields[field].annotation]
    while work:
        one = work.pop()
        if isinstance(one, type) and issubclass(one, pydantic.BaseModel):
            return one
        work.extend(typing.get_args(one))
    raise LookupError(field)


Spec = _class(v1beta2.Bucket, "spec")
ForProvider = _class(Spec, "forProvider")
ProviderConfigRef = _class(Spec, "providerConfigRef")
Versioning = _class(ForProvider, "versioning")
LifecycleRule = _class(ForProvider, "lifecycleRule")
Action = _class(LifecycleRule, "action")
Condition = _class(LifecycleRule, "condition")


class FunctionRunner(grpcv1.FunctionRunnerService):
    async def RunFunction(self, req, _):
        rsp = response.to(req)
        xr = resource.struct_to_dict(req.observed.composite.resource)
        parameters = xr["spec"]["parameters"]
        urls = []
        for index in range(int(parameters["emit"])):
            name = f"bucket-{index}"
            resource.update(
                rsp.desired.resources[name],
                v1beta2.Bucket(
                    spec=Spec(
                        forProvider=ForProvider(
                            location=parameters["location"],
                            labels={"team": "platform", "index": str(index)},
                            storageClass="STANDARD",
                            forceDestroy=True,
                            uniformBucketLevelAccess=True,
                            versioning=Versioning(enabled=True),
                            lifecycleRule=[
                                LifecycleRule(
                                    action=Action(type="Delete"),
                                    condition=Condition(age=30, withState="ANY"),
                                )
                            ],
                        ),
                        providerConfigRef=ProviderConfigRef(name="default"),
                    )
                ),
            )
            if index < parameters["read"]:
                observed = resource.struct_to_dict(req.observed.resources[name].resource)
                urls.append(observed["status"]["atProvider"]["url"])
        resource.update_status(rsp.desired.composite, {"urls": urls})
        return rsp


def main():
    import sys

    logging.configure()
    runtime.serve(FunctionRunner(), sys.argv[1], creds=None, insecure=True)
