# pyright: strict
"""The raw messages, which are made while the program runs."""

from __future__ import annotations

from typing_extensions import reveal_type

from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from crossplane_lite.proto.v1beta1 import run_function_pb2 as fnv1beta1


def requests(req: fnv1.RunFunctionRequest) -> None:
    reveal_type(req.meta.tag)  # reveal: str
    reveal_type(req.meta.capabilities[0])  # reveal: Capability
    reveal_type(req.observed.resources["a"])  # reveal: Resource
    reveal_type(req.observed.composite.connection_details["a"])  # reveal: bytes
    reveal_type(req.required_resources["a"].items[0].ready)  # reveal: Ready
    reveal_type(req.input["a"])  # reveal: Any
    reveal_type(req.credentials["a"].credential_data.data["b"])  # reveal: bytes
    reveal_type(fnv1.RunFunctionRequest.FromString(req.SerializeToString()))  # reveal: RunFunctionRequest
    reveal_type(fnv1.Severity.Name(1))  # reveal: str


def older(req: fnv1beta1.RunFunctionRequest) -> None:
    reveal_type(req.desired.resources["a"].ready)  # reveal: Ready
    reveal_type(fnv1beta1.READY_TRUE)  # reveal: Ready


def responses(req: fnv1.RunFunctionRequest) -> fnv1.RunFunctionResponse:
    rsp = fnv1.RunFunctionResponse(meta={"tag": req.meta.tag}, desired=req.desired)
    rsp.meta.ttl.FromSeconds(60)
    rsp.results.add(severity=fnv1.SEVERITY_WARNING, message="a")
    rsp.results.append(fnv1.Result(severity=fnv1.Severity.SEVERITY_NORMAL, target="TARGET_COMPOSITE"))
    rsp.conditions.add(type="A").status = fnv1.STATUS_CONDITION_TRUE
    rsp.desired.resources["a"].resource.update({"kind": "A"})
    rsp.desired.resources["a"].ready = fnv1.READY_TRUE
    rsp.requirements.resources["a"].match_labels.labels["b"] = "c"
    rsp.requirements.resources["a"].CopyFrom(fnv1.ResourceSelector(api_version="v1", kind="A", match_name="b"))
    return rsp


def wrong(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
    fnv1.RunFunctionRequest(mta=None)  # error: call-arg reportCallIssue
    rsp.meta = fnv1.ResponseMeta()  # error: misc reportAttributeAccessIssue
    rsp.desired.resources["a"] = fnv1.Resource()  # error: index reportIndexIssue
    req.meta.tag = 1  # error: assignment reportAttributeAccessIssue
