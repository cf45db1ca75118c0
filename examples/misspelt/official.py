"""A database with the official SDK. Two of its fields are wrong, which no type checker sees in a
dict.
"""

from crossplane.function import resource
from crossplane.function.proto.v1 import run_function_pb2 as fnv1


def compose(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
    """Compose a database."""
    xr = resource.struct_to_dict(req.observed.composite.resource)
    fields = {"region": xr["spec"]["region"], "engin": "postgres", "engineVersion": 16}
    database = {
        "apiVersion": "rds.aws.m.upbound.io/v1beta1",
        "kind": "Instance",
        "spec": {"forProvider": fields},
    }
    resource.update(rsp.desired.resources["database"], database)
