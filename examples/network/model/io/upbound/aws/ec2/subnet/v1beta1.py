"""Kind Subnet of ec2.aws.upbound.io/v1beta1: the fields that functions set and read most."""

from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Subnet": (
            "@ec2.aws.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:SubnetSpec"
            " status:SubnetStatus"
        ),
        "SubnetSpec": (
            "deletionPolicy:s forProvider:SubnetForProvider managementPolicies:[s"
            " providerConfigRef:ProviderConfigRef"
            " writeConnectionSecretToRef:WriteConnectionSecretToRef"
        ),
        "SubnetForProvider": (
            "availabilityZone:s cidrBlock:s mapPublicIpOnLaunch:b region:s tags:{s vpcId:s"
            " vpcIdRef:VpcIdRef vpcIdSelector:VpcIdSelector"
        ),
        "VpcIdRef": "name:s policy:Policy",
        "VpcIdSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "ProviderConfigRef": "name:s policy:Policy",
        "Policy": "resolution:s resolve:s",
        "WriteConnectionSecretToRef": "name:s namespace:s",
        "SubnetStatus": (
            "atProvider:SubnetAtProvider conditions:[meta.Condition#type observedGeneration:i"
        ),
        "SubnetAtProvider": (
            "arn:s availabilityZone:s cidrBlock:s id:s mapPublicIpOnLaunch:b ownerId:s region:s"
            " tags:{s tagsAll:{s vpcId:s"
        ),
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
