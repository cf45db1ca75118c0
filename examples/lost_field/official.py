"""A network with the official SDK. Five of six resources need the id of the VPC, so it looks
whether it is there.
"""

from crossplane.function import resource
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

EC2 = "ec2.aws.m.upbound.io/v1beta1"


def compose(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
    """Compose the VPC, and the others once its id is there."""
    xr = resource.struct_to_dict(req.observed.composite.resource)
    region = xr["spec"]["region"]

    def add(name: str, kind: str, **fields: str) -> None:
        one = {
            "apiVersion": EC2,
            "kind": kind,
            "spec": {"forProvider": {"region": region, **fields}},
        }
        resource.update(rsp.desired.resources[name], one)

    add("vpc", "VPC", cidrBlock="10.0.0.0/16")
    observed = resource.struct_to_dict(req.observed.resources["vpc"].resource)
    vpc_id = observed.get("status", {}).get("atProvider", {}).get("id")
    if vpc_id is None:
        return
    for zone in xr["spec"]["zones"]:
        add(f"subnet-{zone}", "Subnet", vpcId=vpc_id, availabilityZone=f"{region}{zone}")
    add("gateway", "InternetGateway", vpcId=vpc_id)
    add("table", "RouteTable", vpcId=vpc_id)
    add("group", "SecurityGroup", vpcId=vpc_id)
