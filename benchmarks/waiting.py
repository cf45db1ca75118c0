"""Rows of calls in which a value is missing, beside a call of the same composition with the value.

They run in this process, on the function's bytes. Both requests come from a cluster that has done
what earlier answers said: so the objects, the composite's conditions and all that the function
remembers are there.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from benchmarks.measuring import Reach, Row, Samples, per_call
from crossplane_lite import composition
from crossplane_lite.table import load

if TYPE_CHECKING:
    from tests.safety.cluster import Cluster

__all__ = ["ROWS", "STATES", "USES", "scene"]

# How many times a resolved call a call may take, by the state of the value. A hash takes one more
# run while the value is new, and a cut text more work; once it was there, the whole request is
# searched for placeholders besides.
_MISSING: Final = {"new": 1.3, "kept": 2.2, "lost": 2.2, "never": 1.1}
_MISSING_IN_PARTS: Final = {"new": 2.2, "kept": 2.5}
_SIZES: Final = (20, 200, 2000)
_CHAIN: Final = 4  # so many resources wait one after the other
_ID: Final = {
    "id": "vpc-0a1b2c3d4e5f60718",
    "arn": "arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-0a1b2c3d4e5f60718",
}

_model, _ = load(
    f"{__name__}.models",
    {
        "VPC": "@ec2.example.org/v1beta1 metadata:meta.ObjectMeta spec:Spec status:Status",
        "Subnet": "@ec2.example.org/v1beta1 metadata:meta.ObjectMeta spec:Spec status:Status",
        "Spec": "deletionPolicy:s forProvider:Parameters providerConfigRef:Ref",
        "Parameters": (
            "region:s cidrBlock:s availabilityZone:s vpcId:s mapPublicIp:b tags:{s rules:[Rule#name"
        ),
        "Rule": "name:s fromPort:i toPort:i cidrBlocks:[s",
        "Ref": "name:s",
        "Status": "atProvider:Observation conditions:[meta.Condition#type",
        "Observation": (
            "id:s arn:s region:s cidrBlock:s availabilityZone:s tags:{s rules:[Rule#name"
        ),
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)

Use = Callable[[Any, Any, Any, Any], None]
"""How a composition uses the VPC's id: gets the context, the VPC, a new Subnet and the Subnet
before.
"""


def _direct(ctx: Any, vpc: Any, subnet: Any, before: Any) -> None:
    subnet.spec.forProvider.vpcId = vpc.observed.status.atProvider.id


def _chain(ctx: Any, vpc: Any, subnet: Any, before: Any) -> None:
    subnet.spec.forProvider.vpcId = before.observed.status.atProvider.id


def _if(ctx: Any, vpc: Any, subnet: Any, before: Any) -> None:
    if vpc.observed.status.atProvider.id:
        subnet.spec.forProvider.mapPublicIp = True


def _or(ctx: Any, vpc: Any, subnet: Any, before: Any) -> None:
    subnet.spec.forProvider.vpcId = vpc.observed.status.atProvider.id or "default"


def _text(ctx: Any, vpc: Any, subnet: Any, before: Any) -> None:
    subnet.spec.forProvider.tags["vpc"] = f"network/{vpc.observed.status.atProvider.id}"


def _hash(ctx: Any, vpc: Any, subnet: Any, before: Any) -> None:
    digest = hashlib.sha256(f"network/{vpc.observed.status.atProvider.id}".encode()).hexdigest()
    subnet.spec.forProvider.tags["digest"] = digest[:12]


def _cut(ctx: Any, vpc: Any, subnet: Any, before: Any) -> None:
    link = vpc.observed.status.atProvider.id
    subnet.spec.forProvider.tags["link"] = link or "default"
    if not link:
        subnet.spec.forProvider.tags["cut"] = str(link)[-8:]


USES: Final[dict[str, Use]] = {
    "direct": _direct,
    "chain": _chain,
    "if": _if,
    "or": _or,
    "f-string": _text,
    "hash": _hash,
    "cut": _cut,
}


def _function(use: str, number: int) -> Any:
    """Return a function with a VPC and so many Subnets. In `branch`, it composes these only if the
    VPC has an id.
    """
    apply = USES.get(use)
    vpc_model, subnet_model = _model("VPC"), _model("Subnet")

    @composition.function(name="network")
    def compose(ctx: Any) -> None:
        before = vpc = ctx.resource("vpc", vpc_model())
        vpc.spec.forProvider.region = "eu-west-1"
        vpc.spec.forProvider.cidrBlock = "10.0.0.0/8"
        if apply is None and not vpc.observed.status.atProvider.id:
            return
        for at in range(number):
            subnet = ctx.resource(f"subnet-{at}", subnet_model())
            subnet.metadata.labels = {"example.org/team": "platform", "example.org/stage": "prod"}
            subnet.metadata.annotations = {"example.org/owner": "network"}
            subnet.spec.providerConfigRef.name = "default"
            subnet.spec.deletionPolicy = "Delete"
            parameters = subnet.spec.forProvider
            parameters.region = "eu-west-1"
            parameters.availabilityZone = f"eu-west-1{'abc'[at % 3]}"
            parameters.cidrBlock = f"10.{at // 256}.{at % 256}.0/24"
            parameters.tags = {"team": "platform", "stage": "prod", "number": str(at)}
            parameters.rules = [
                {"name": "http", "fromPort": 80, "toPort": 80, "cidrBlocks": ["0.0.0.0/0"]},
                {"name": "https", "fromPort": 443, "toPort": 443, "cidrBlocks": ["0.0.0.0/0"]},
            ]
            if apply is not None:
                apply(ctx, vpc, subnet, before)
            before = vpc if at % _CHAIN == _CHAIN - 1 else subnet

    return compose


def _settle(cluster: Cluster, owner: dict[str, str], *, ready: bool) -> Cluster:
    """Reconcile until nothing changes, with everything ready but the VPC, whose status has the
    fields of `owner`.
    """
    answers: list[bytes] = []
    while True:
        done = cluster.reconcile()
        for name, found in cluster.objects.items():
            at = {"id": name, "arn": f"arn:{name}"} if name != "vpc" else owner
            seen = {
                key: value
                for key, value in found.live["spec"]["forProvider"].items()
                if key != "vpcId"
            }
            is_ready = ready or name != "vpc"
            cluster.provide(
                name, {"atProvider": {**seen, **at}}, ready=is_ready, external_name=at.get("id")
            )
        conditions = cluster.xr.setdefault("status", {}).setdefault("conditions", [])
        if not any(one["type"] == "Ready" for one in conditions):  # Crossplane's own
            conditions.append(
                {"type": "Ready", "status": "True" if ready else "False", "reason": "Available"}
            )
        if done.answers == answers:
            return cluster
        answers = done.answers


def scene(use: str, state: str, number: int) -> tuple[Any, bytes]:
    """Return a function and a request to it.

    Args:
        use: A key of `USES`, or `branch`.
        state: How the value is missing. `there`: it isn't. `new`: it wasn't there yet, and its
            owner isn't Ready. `lost`: it was there until this call. `kept`: it was there, and some
            calls have kept what it decides. `never`: its owner is Ready without it, and nothing
            changes any more.
        number: How many resources use it.
    """
    from tests.safety.cluster import Cluster

    function = _function(use, number)
    born_without = state in ("new", "never")
    cluster = _settle(Cluster(function), {} if born_without else _ID, ready=state != "new")
    if state in ("lost", "kept"):
        seen = cluster.objects["vpc"].live["status"]["atProvider"]
        cluster.provide(
            "vpc", {"atProvider": {key: seen[key] for key in seen if key not in _ID}}, ready=False
        )
    if state == "kept":
        _settle(cluster, {}, ready=False)
    request: bytes = cluster.request().SerializeToString(deterministic=True)
    return function, request


def _sample(use: str, state: str, number: int) -> Samples:
    from crossplane_lite.proto.v1 import run_function_pb2 as v1

    function, resolved = scene(use, "there", number)
    _, missing = scene(use, state, number)
    for request in (resolved, missing):
        answer = v1.RunFunctionResponse.FromString(function.run(request))
        there = v1.RunFunctionRequest.FromString(request).observed.resources
        assert set(answer.desired.resources) == set(there), "what exists stays, and nothing is new"
    rounds = min(41, max(5, 820 // number))
    return per_call(
        {"resolved": lambda: function.run(resolved), "ours": lambda: function.run(missing)}, rounds
    )


STATES: Final = (
    *((use, "new") for use in USES),
    *((use, "kept") for use in ("direct", "if", "or", "f-string", "hash", "branch")),
    *((use, "lost") for use in ("if", "branch")),
    ("if", "never"),
)
_NAMES: Final = {"new": "waits", "kept": "kept", "lost": "just lost", "never": "never comes"}


def _row(use: str, state: str, number: int) -> Row:
    factor = (_MISSING_IN_PARTS if use in ("hash", "cut") else _MISSING)[state]
    sample = functools.partial(_sample, use, state, number)
    return Row(
        f"{_NAMES[state]}: {use}, {number} resources",
        ("resolved", "ours"),
        sample,
        (Reach("resolved", factor),),
    )


ROWS = tuple(_row(use, state, number) for use, state in STATES for number in _SIZES)
