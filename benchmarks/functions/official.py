"""The official SDK's side, written as its template and its documentation have it, without a log
line per call.

Fields are read by their keys, which converts nothing else; the other official sides convert whole
resources.
"""

import typing

import click  # noqa: F401  # the template's entry point is a click command
import pydantic
from crossplane.function import logging, resource, response, runtime
from crossplane.function.proto.v1 import run_function_pb2 as fnv1  # noqa: F401  # an annotation of the template's
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1
from pydantic_models import bucket as v1beta2
from pydantic_models import cluster  # noqa: F401  # what is measured is that it is imported


def _class(model, field):
    """Return the class of a field; the generator's versions number classes of one name
    differently.
    """
    work = [model.model_fields[field].annotation]
    while work:
        one = work.pop()
        if isinstance(one, type) and issubclass(one, pydantic.BaseModel):
            return one
        work.extend(typing.get_args(one))
    raise LookupError(field)


ObjectMeta = _class(v1beta2.Bucket, "metadata")
Spec = _class(v1beta2.Bucket, "spec")
ForProvider = _class(Spec, "forProvider")
ProviderConfigRef = _class(Spec, "providerConfigRef")
Versioning = _class(ForProvider, "versioning")
LifecycleRule = _class(ForProvider, "lifecycleRule")
Action = _class(LifecycleRule, "action")
Condition = _class(LifecycleRule, "condition")


class FunctionRunner(grpcv1.FunctionRunnerService):
    @staticmethod
    def read(struct):
        """Return what fields are read from: the message itself, which takes keys in brackets."""
        return struct

    def url_of(self, observed):
        """Return one field of an observed Bucket."""
        return self.read(observed)["status"]["atProvider"]["url"]

    @staticmethod
    def lay_over(desired, source):
        """Set the fields of a model in what a previous function desires, and leave the others as
        they are.

        `resource.update` would replace metadata and spec as a whole.
        """
        _merge_struct(desired.resource, _dump(source))

    async def RunFunction(self, req, _):
        rsp = response.to(req)
        parameters = self.read(req.observed.composite.resource)["spec"]["parameters"]
        location, read, describe = (
            parameters["location"],
            parameters["read"],
            parameters["describe"],
        )
        status = {}
        urls = []
        for index in range(int(parameters["emit"])):
            name = f"bucket-{index}"
            bucket = v1beta2.Bucket(
                metadata=ObjectMeta(
                    labels={"example.org/team": "platform", "example.org/stage": "prod"},
                    annotations={"example.org/owner": "storage"},
                ),
                spec=Spec(
                    forProvider=ForProvider(
                        location=location,
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
                ),
            )
            if name in rsp.desired.resources:
                self.lay_over(rsp.desired.resources[name], bucket)
            else:
                resource.update(rsp.desired.resources[name], bucket)
            if index < read:
                urls.append(self.url_of(req.observed.resources[name].resource))
            if describe and name in req.observed.resources:
                status["about"] = (
                    f"the last one is at {self.url_of(req.observed.resources[name].resource)}"
                )
        resource.update_status(rsp.desired.composite, {**status, "urls": urls})
        return rsp


def _dump(source):
    """Return a model's fields as `resource.update` makes them."""
    data = source.model_dump(exclude_unset=True, by_alias=True, warnings=False)
    return {**data, "apiVersion": source.apiVersion, "kind": source.kind}


def _merge_struct(struct, values):
    for key, value in values.items():
        if isinstance(value, dict) and key in struct:
            _merge_struct(struct[key], value)
        else:
            struct[key] = value


def main(runner=FunctionRunner):
    import sys

    logging.configure()
    runtime.serve(runner(), sys.argv[1], creds=None, insecure=True)
