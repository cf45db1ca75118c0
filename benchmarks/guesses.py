"""Rows of a call in which a value is missing and was used as a plain one, beside the same call with the value.

They run in this process, on the function's bytes, and show the cost of further runs of compose() and of comparing them.
The composite already has the condition that such calls set, as it has from the second call on.
"""

from __future__ import annotations

import functools
from typing import Any

from benchmarks import data
from benchmarks.measuring import Reach, Row, Samples, per_call

__all__ = ["ROWS"]

_KIND = "ec2.aws.upbound.io/v1beta1"
_NOTHING_DIFFERS = 2.3
_SOMETHING_DIFFERS = 5.0


def _function(resources: int, *, decides: bool) -> Any:
    """Return a function that asks for a value that may be missing.

    Args:
        resources: How many resources it composes besides.
        decides: Whether a field depends on the answer.
    """
    from crossplane_lite import Unstructured, composition

    @composition.function(name="guessing")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", Unstructured(_KIND, "VPC"))
        for index in range(resources):
            subnet = Unstructured(_KIND, "Subnet")
            subnet.metadata.labels = {"example.org/team": "platform", "example.org/stage": "prod"}
            subnet.metadata.annotations = {"example.org/owner": "network"}
            subnet.spec.forProvider.cidrBlock = f"10.{index // 256}.{index % 256}.0/24"
            subnet.spec.forProvider.region = "eu-west-1"
            ctx.resource(f"subnet-{index}", subnet)
        has_value = bool(vpc.observed.status.vpcId)
        if decides:
            last = ctx.resource("last", Unstructured(_KIND, "Subnet"))
            last.spec.forProvider.region = "eu-west-1" if has_value else "eu-west-2"

    return compose


def _request(status: dict[str, Any], conditions: list[dict[str, Any]]) -> bytes:
    from crossplane_lite.proto.v1 import run_function_pb2 as v1

    request = v1.RunFunctionRequest()
    request.observed.composite.resource.update(
        {"apiVersion": "example.org/v1", "kind": "XNetwork", "metadata": {"name": "net"}}
    )
    if conditions:
        request.observed.composite.resource.update({"status": {"conditions": conditions}})
    request.observed.resources["vpc"].resource.update(
        {"apiVersion": _KIND, "kind": "VPC", "metadata": {"name": "vpc"}, "status": status}
    )
    serialised: bytes = request.SerializeToString()
    return serialised


def _sample(resources: int, *, decides: bool) -> Samples:
    compose = _function(resources, decides=decides)
    resolved = _request({"vpcId": "vpc-1"}, [])
    first = data.answer_of(compose.run(_request({"other": "x"}, [])))
    conditions = [{**one, "status": "False"} for one in first.get("conditions", [])]
    guessing = _request({"other": "x"}, conditions)
    for request in (resolved, guessing):
        found = data.answer_of(compose.run(request))["desired"]["resources"]
        assert len(found) == resources + 1 + decides
        if decides:
            region = found["last"]["resource"]["spec"]["forProvider"]["region"]
            assert region == ("eu-west-1" if request is resolved else "eu-west-2")
    return per_call({"resolved": lambda: compose.run(resolved), "ours": lambda: compose.run(guessing)})


def _row(resources: int, *, decides: bool) -> Row:
    what = "that decides a field" if decides else "that decides nothing"
    factor = _SOMETHING_DIFFERS if decides else _NOTHING_DIFFERS
    return Row(
        f"a guess {what}, {resources} resources",
        ("resolved", "ours"),
        functools.partial(_sample, resources, decides=decides),
        (Reach("resolved", factor),),
    )


ROWS = tuple(_row(resources, decides=decides) for resources in (18, 300) for decides in (False, True))
