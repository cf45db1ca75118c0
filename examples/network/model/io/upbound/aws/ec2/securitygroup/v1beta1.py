"""Kind SecurityGroup of ec2.aws.upbound.io/v1beta1: the fields that functions set and read most."""

from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "SecurityGroup": (
            "@ec2.aws.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:SGSpec status:SGStatus"
        ),
        "SGSpec": (
            "deletionPolicy:s forProvider:SGForProvider managementPolicies:[s"
            " providerConfigRef:ProviderConfigRef"
            " writeConnectionSecretToRef:WriteConnectionSecretToRef"
        ),
        "SGForProvider": (
            "description:s name:s region:s revokeRulesOnDelete:b tags:{s vpcId:s"
            " vpcIdRef:VpcIdRef vpcIdSelector:VpcIdSelector"
        ),
        "VpcIdRef": "name:s policy:Policy",
        "VpcIdSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "ProviderConfigRef": "name:s policy:Policy",
        "Policy": "resolution:s resolve:s",
        "WriteConnectionSecretToRef": "name:s namespace:s",
        "SGStatus": "atProvider:SGAtProvider conditions:[meta.Condition#type observedGeneration:i",
        "SGAtProvider": (
            "arn:s description:s egress:[EgressItem id:s ingress:[IngressItem name:s ownerId:s"
            " region:s tags:{s tagsAll:{s vpcId:s"
        ),
        "EgressItem": (
            "cidrBlocks:[s description:s fromPort:f ipv6CidrBlocks:[s prefixListIds:[s protocol:s"
            " securityGroups:[s self_=self:b toPort:f"
        ),
        "IngressItem": (
            "cidrBlocks:[s description:s fromPort:f ipv6CidrBlocks:[s prefixListIds:[s protocol:s"
            " securityGroups:[s self_=self:b toPort:f"
        ),
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
