"""The typed kinds of these tests."""

from __future__ import annotations

from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "VPC": "@example.org/v1 metadata:meta.ObjectMeta spec:VPCSpec status:VPCStatus",
        "VPCSpec": "cidr:s region:s size:i",
        "VPCStatus": (
            "id:s arn:s cidr:s count:i ratio:f isDefault:b subnets:[SubnetRef zones:[s tags:{s endpoint:Endpoint "
            "names:s doc:s port:s phase:s created:s extra:x conditions:[meta.Condition#type"
        ),
        "SubnetRef": "id:s zone:s",
        "Endpoint": "host:s port:i",
        "Balancer": "@example.org/v1 metadata:meta.ObjectMeta spec:BalancerSpec status:VPCStatus",
        "BalancerSpec": "vpc:s subnetIds:[s labels:{s rules:[Rule#name size:i public:b ref:Ref note:s",
        "Rule": "name:s target:s",
        "Ref": "name:s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
