"""Kind VPC of ec2.aws.upbound.io/v1beta1: the fields that functions set and read most."""

from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "VPC": "@ec2.aws.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:VPCSpec status:VPCStatus",
        "VPCSpec": (
            "deletionPolicy:s forProvider:VPCForProvider managementPolicies:[s"
            " providerConfigRef:ProviderConfigRef"
            " writeConnectionSecretToRef:WriteConnectionSecretToRef"
        ),
        "VPCForProvider": (
            "cidrBlock:s enableDnsHostnames:b enableDnsSupport:b instanceTenancy:s ipv6CidrBlock:s"
            " region:s tags:{s"
        ),
        "ProviderConfigRef": "name:s policy:Policy",
        "Policy": "resolution:s resolve:s",
        "WriteConnectionSecretToRef": "name:s namespace:s",
        "VPCStatus": (
            "atProvider:VPCAtProvider conditions:[meta.Condition#type observedGeneration:i"
        ),
        "VPCAtProvider": (
            "arn:s cidrBlock:s defaultRouteTableId:s defaultSecurityGroupId:s enableDnsHostnames:b"
            " enableDnsSupport:b id:s instanceTenancy:s mainRouteTableId:s ownerId:s region:s"
            " tags:{s tagsAll:{s"
        ),
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
