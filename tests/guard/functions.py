"""Functions as people write them with the official SDK: each deletes what exists when a value goes missing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from crossplane.function import response
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite.runtime.transports.status import Refused
from tests.official import Call

_UNKNOWN: Final = 2
"""The status with which gRPC answers where a handler raises."""


def lost_field(call: Call) -> None:
    """Composes a network's parts as soon as the network has an id."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    vpc_id = call.seen("vpc").get("id")
    if vpc_id:
        call.compose("subnet", "Subnet", vpcId=vpc_id)
        call.compose("table", "RouteTable", vpcId=vpc_id, region=call.spec["region"])
        call.report(vpcId=vpc_id)


def loop(call: Call) -> None:
    """Composes one part for each element of a list in a status."""
    call.compose("pool", "Pool", nodes=call.spec["nodes"])
    for node in call.seen("pool").get("nodes") or []:
        call.compose(f"disk-{node['name']}", "Disk", node=node["name"], ip=node["ip"])


def hashed(call: Call) -> None:
    """Names a part by the hash of a value."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    arn = call.seen("vpc").get("arn") or ""
    if arn:
        call.compose(f"peer-{hashlib.sha256(arn.encode()).hexdigest()[:8]}", "Peer", arn=arn)
    call.report(peers=1 if arn else 0)


def texts(call: Call) -> None:
    """Makes names and fields with f-strings."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    seen = call.seen("vpc")
    call.compose(f"zone-{seen.get('id')}", "Zone", comment=f"of {seen.get('arn')}") if seen.get("id") else None


def two_levels(call: Call) -> None:
    """Decides twice, with a resource of the first level as the owner of the second."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    vpc_id = call.seen("vpc").get("id")
    if not vpc_id:
        return
    call.compose("cluster", "Cluster", vpcId=vpc_id)
    call.compose("role", "Role", of=vpc_id)
    endpoint = call.seen("cluster").get("endpoint")
    if endpoint and call.seen("role").get("arn"):
        call.compose("app", "Release", server=endpoint, role=call.seen("role")["arn"])
        call.report(endpoint=endpoint)


def raises(call: Call) -> None:
    """Takes a value by its key once the resource exists, and raises where it isn't there."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    if call.is_ready("vpc"):
        vpc_id = call.seen("vpc")["id"]
        call.compose("subnet", "Subnet", vpcId=vpc_id)
        call.report(vpcId=vpc_id)


def refuses(call: Call) -> None:
    """Ends with a fatal result where a value isn't there."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    if not call.is_ready("vpc"):
        return
    vpc_id = call.seen("vpc").get("id")
    if not vpc_id:
        response.fatal(call.answer, "the vpc has no id")
        return
    call.compose("subnet", "Subnet", vpcId=vpc_id)
    call.report(vpcId=vpc_id)


def switched(call: Call) -> None:
    """Composes a part that the user switches on and off."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    vpc_id = call.seen("vpc").get("id")
    if vpc_id and call.spec["flag"]:
        call.compose("gateway", "Gateway", vpcId=vpc_id)


def counter(call: Call) -> None:
    """Puts a value that changes all the time into a label."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    seen = call.seen("vpc")
    if seen.get("id"):
        call.compose("subnet", "Subnet", labels={"seen": str(seen.get("counter"))}, vpcId=seen["id"])


def volatile(call: Call) -> None:
    """Puts a value that changes all the time into the composite's status."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    seen = call.seen("vpc")
    if "id" in seen and "counter" in seen:
        call.report(vpcId=seen["id"], counter=seen["counter"])


def signal(call: Call) -> None:
    """Takes the presence of a value as a signal: composes a repair while a database fails."""
    call.compose("db", "DB", region=call.spec["region"])
    if call.status("db").get("failureMessage"):
        call.compose("repair", "Job", target="db")


def gated(call: Call) -> None:
    """Composes the second part once the first one is ready."""
    call.compose("vpc", "VPC", region=call.spec["region"])
    if call.is_ready("vpc"):
        call.compose("subnet", "Subnet", region=call.spec["region"])


def nested(call: Call) -> None:
    """Takes values out of lists of objects in a status."""
    call.compose("pool", "Pool", nodes=call.spec["nodes"])
    first = next(iter(call.seen("pool").get("nodes") or []), {})
    if first.get("ip"):
        call.compose("record", "Record", address=first["ip"])


def remembers(call: Call) -> None:
    """Chooses a zone once, and keeps the choice in the composite's status."""
    zone = call.told.get("zone") or f"{call.spec['region']}-a"
    call.report(zone=zone)
    call.compose("vpc", "VPC", region=zone)
    call.compose(f"subnet-{zone}", "Subnet", zone=zone)
    if call.seen("vpc").get("id"):
        call.compose("table", "RouteTable", vpcId=call.seen("vpc")["id"])


def counted(call: Call) -> None:
    """Tells in the composite's status how many parts have an id."""
    for number in range(int(call.spec["nodes"])):
        call.compose(f"part-{number}", "Part", number=number)
    parts = [call.seen(f"part-{number}") for number in range(int(call.spec["nodes"]))]
    call.report(ids=sum("id" in part for part in parts), first=parts[0].get("id") or "pending")


def two_lists(call: Call) -> None:
    """Composes one part for each pair of elements of two lists."""
    for name in ("left", "right"):
        call.compose(name, "Pool", nodes=call.spec["nodes"])
    left, right = (call.seen(name).get("nodes") or [] for name in ("left", "right"))
    for one, other in zip(left, right):  # noqa: B905  # as people write it
        call.compose(f"link-{one.get('name')}", "Link", from_=one.get("ip"), to=other.get("ip"))


def chain(call: Call) -> None:
    """Composes four parts, each of which needs the previous one."""
    previous = "net"
    for name in ("a", "b", "c", "d"):
        call.compose(name, "Part", previous=previous)
        previous = call.seen(name).get("id")
        if not previous:
            return
    call.report(last=previous)


def once_all_are_ready(call: Call) -> None:
    """Composes the last part once all others are ready, and has a default for what it takes of them."""
    names = [f"part-{number}" for number in range(int(call.spec["nodes"]))]
    for name in names:
        call.compose(name, "Part", region=call.spec["region"])
    if all(call.is_ready(name) for name in names):
        ids = ",".join(str(call.seen(name).get("id", "none")) for name in names)
        call.compose("balancer", "Balancer", labels={"parts": ids}, of=len(names))


FUNCTIONS: Final[dict[str, Callable[[Call], None]]] = {
    one.__name__: one
    for one in (
        lost_field,
        loop,
        hashed,
        texts,
        two_levels,
        raises,
        refuses,
        switched,
        counter,
        volatile,
        signal,
        gated,
        nested,
        remembers,
        counted,
        two_lists,
        chain,
        once_all_are_ready,
    )
}


def run(compose: Callable[[Call], None], data: bytes) -> bytes:
    """Answer a request as a server of the official SDK does."""
    call = Call(fnv1.RunFunctionRequest.FromString(data))
    try:
        compose(call)
    except Exception as e:
        raise Refused(_UNKNOWN, repr(e)) from None
    return call.answer.SerializeToString()
