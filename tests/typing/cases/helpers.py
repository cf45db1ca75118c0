# pyright: strict
"""The helpers for raw messages, with messages of both versions and with models."""

from __future__ import annotations

import datetime

import attrs
from typing_extensions import reveal_type

from crossplane_lite import Observable, Unstructured, logging, request, resource, response, runtime
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from crossplane_lite.proto.v1 import run_function_pb2_grpc as grpcv1
from crossplane_lite.proto.v1beta1 import run_function_pb2 as fnv1beta1
from examples.network.model.io.upbound.aws.ec2.vpc.v1beta1 import VPC, VPCForProvider, VPCStatus


@attrs.define
class Input:
    count: int


def reads(req: fnv1.RunFunctionRequest, older: fnv1beta1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
    reveal_type(request.get_required_resources(req, "a"))  # reveal: list[dict[str, Any]]
    reveal_type(request.get_required_resources(older, "a", VPC))  # reveal: list[VPC]
    reveal_type(request.get_required_resource(req, "a"))  # reveal: dict[str, Any] | None
    reveal_type(request.get_required_resource(req, "a", VPC))  # reveal: VPC | None
    reveal_type(request.get_watched_resource(req, Unstructured))  # reveal: Unstructured | None
    reveal_type(request.get_extra_resources(req, "a"))  # reveal: list[dict[str, Any]]
    reveal_type(request.get_required_schema(req, "a"))  # reveal: dict[str, Any] | None
    reveal_type(request.get_credentials(older, "a").data["b"])  # reveal: str
    reveal_type(request.get_credential_data(req, "a"))  # reveal: dict[str, bytes] | None
    reveal_type(request.has_capability(req, fnv1.CAPABILITY_CONDITIONS))  # reveal: bool
    reveal_type(request.get_input(req))  # reveal: dict[str, Any] | None
    reveal_type(request.get_input(req, Input))  # reveal: Input
    reveal_type(request.get_context_key(req, "a"))  # reveal: Any
    reveal_type(request.get_observed_composite_resource(req, Unstructured))  # reveal: Unstructured
    reveal_type(request.get_observed_composed_resource(req, "a", VPC))  # reveal: VPC | None
    reveal_type(request.get_observed_composed_resources(req))  # reveal: dict[str, dict[str, Any]]
    reveal_type(request.get_desired_composed_resources(req, VPC))  # reveal: dict[str, VPC]
    reveal_type(request.get_desired_composed_resource(rsp, "a"))  # reveal: dict[str, Any] | None
    reveal_type(request.get_desired_composite_resource(rsp))  # reveal: dict[str, Any]


def answers(req: fnv1.RunFunctionRequest, older: fnv1beta1.RunFunctionRequest) -> fnv1.RunFunctionResponse:
    reveal_type(response.to(older).desired)  # reveal: State
    rsp = response.to(req, datetime.timedelta(minutes=5))
    reveal_type(rsp)  # reveal: RunFunctionResponse
    response.normal(rsp, "a", reason="B", target="composite_and_claim")
    response.warning(response.to(older), "a", target=fnv1beta1.TARGET_COMPOSITE)
    response.fatal(rsp, ValueError("a"))
    response.set_conditions(rsp, resource.Condition("A", "True", "B", target="composite"))
    response.set_output(rsp, {"a": [1, None]})
    response.set_context_key(rsp, "a", {"b": 1})
    response.require_resources(rsp, "a", "v1", "A", match_labels={"b": "c"})
    response.require_schema(rsp, "a", "v1", "A")
    response.set_desired_composite_resource(rsp, Unstructured("v1", "A"))
    response.set_desired_composed_resources(rsp, {"a": VPC()})
    response.set_desired_composed_resources(rsp, {"a": {"kind": "A"}, "b": VPC(), "c": req.input})
    return rsp


def resources(rsp: fnv1.RunFunctionResponse, older: fnv1beta1.RunFunctionResponse, value: Observable[str]) -> None:
    vpc = rsp.desired.resources["a"]
    resource.update(vpc, VPC())
    resource.update(older.desired.composite, {"spec": {"a": value}})
    resource.update(vpc, rsp.output)
    resource.update_status(rsp.desired.composite, VPCStatus())
    resource.update(vpc, resource.dict_to_struct({"a": 1}))
    vpc.resource.CopyFrom(resource.dict_to_struct(VPCForProvider(region="eu")))
    reveal_type(resource.struct_to_dict(vpc.resource))  # reveal: dict[str, Any]
    condition = resource.get_condition(rsp.desired.resources.get("a"), "Ready")
    reveal_type(condition.status)  # reveal: str
    reveal_type(condition.last_transition_time)  # reveal: datetime | None
    reveal_type(resource.child_name("a", "b", sep="."))  # reveal: str
    reveal_type(resource.get_ready(vpc))  # reveal: bool | None
    reveal_type(resource.get_connection_details(vpc))  # reveal: dict[str, bytes]
    resource.update_connection_details(vpc, {"a": "b"})
    reveal_type(resource.get_value(vpc, "spec.a"))  # reveal: Any
    resource.set_ready(vpc, True)


class FunctionRunner(grpcv1.FunctionRunnerService):
    def __init__(self) -> None:
        self.log = logging.get_logger()

    async def RunFunction(self, req: fnv1.RunFunctionRequest, _: object) -> fnv1.RunFunctionResponse:
        log = self.log.bind(tag=req.meta.tag)
        log.info("a %s", "b", c=1)
        reveal_type(log)  # reveal: Logger
        return response.to(req)


def serves() -> None:
    logging.configure(level=logging.Level.DEBUG)
    runtime.serve(FunctionRunner(), "a:1", creds=runtime.load_credentials(None), insecure=True)
    runtime.main(FunctionRunner())


def wrong(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
    request.get_observed_composite_resource(rsp)  # error: call-overload reportCallIssue|reportArgumentType
    request.get_watched_resource(req, VPCStatus)  # error: type-var|call-overload reportArgumentType|reportCallIssue
    response.set_output(req, {})  # error: arg-type reportArgumentType
    response.set_output(rsp, 5)  # error: arg-type reportArgumentType
    response.fatal(rsp, "a", target="claim")  # error: arg-type reportArgumentType
    resource.update(rsp.desired.composite, "a")  # error: arg-type reportArgumentType
    resource.update(rsp, {})  # error: arg-type reportArgumentType
    resource.set_ready(rsp.desired.composite, "True")  # error: arg-type reportArgumentType
    resource.Condition("A", "True", target="claim")  # error: arg-type reportArgumentType
    resource.child_name(1)  # error: arg-type reportArgumentType
    runtime.serve(FunctionRunner(), "a:1")  # error: call-arg reportCallIssue
