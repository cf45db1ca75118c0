"""Kind VPC of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "VPC": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:VPCSpec status:VPCStatus",
        "VPCSpec": "!forProvider >forProvider,initProvider,providerConfigRef,writeConnectionSecretToRef &deletionPolicy=Orphan,Delete &managementPolicies=Observe,Create,Update,Delete,LateInitialize,%2a deletionPolicy:s forProvider:ForProvider initProvider:InitProvider managementPolicies:[s providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "VPCStatus": "atProvider:AtProvider conditions:[ConditionsItem#type lastHandledReconcileAt:s observedGeneration:i",
        "ForProvider": "!region >ipv4IpamPoolIdRef,ipv4IpamPoolIdSelector assignGeneratedIpv6CidrBlock:b cidrBlock:s enableDnsHostnames:b enableDnsSupport:b enableNetworkAddressUsageMetrics:b instanceTenancy:s ipv4IpamPoolId:s ipv4IpamPoolIdRef:Ipv4IpamPoolIdRef ipv4IpamPoolIdSelector:Ipv4IpamPoolIdSelector ipv4NetmaskLength:f ipv6CidrBlock:s ipv6CidrBlockNetworkBorderGroup:s ipv6IpamPoolId:s ipv6NetmaskLength:f region:s tags:{s",
        "InitProvider": ">ipv4IpamPoolIdRef,ipv4IpamPoolIdSelector assignGeneratedIpv6CidrBlock:b cidrBlock:s enableDnsHostnames:b enableDnsSupport:b enableNetworkAddressUsageMetrics:b instanceTenancy:s ipv4IpamPoolId:s ipv4IpamPoolIdRef:Ipv4IpamPoolIdRef ipv4IpamPoolIdSelector:Ipv4IpamPoolIdSelector ipv4NetmaskLength:f ipv6CidrBlock:s ipv6CidrBlockNetworkBorderGroup:s ipv6IpamPoolId:s ipv6NetmaskLength:f tags:{s",
        "ProviderConfigRef": "=commonv1.Reference",
        "WriteConnectionSecretToRef": "=commonv1.SecretReference",
        "AtProvider": "arn:s assignGeneratedIpv6CidrBlock:b cidrBlock:s defaultNetworkAclId:s defaultRouteTableId:s defaultSecurityGroupId:s dhcpOptionsId:s enableDnsHostnames:b enableDnsSupport:b enableNetworkAddressUsageMetrics:b id:s instanceTenancy:s ipv4IpamPoolId:s ipv4NetmaskLength:f ipv6AssociationId:s ipv6CidrBlock:s ipv6CidrBlockNetworkBorderGroup:s ipv6IpamPoolId:s ipv6NetmaskLength:f mainRouteTableId:s ownerId:s region:s tags:{s tagsAll:{s",
        "ConditionsItem": "=metav1.Condition",
        "Ipv4IpamPoolIdRef": "=commonv1.Reference",
        "Ipv4IpamPoolIdSelector": "=commonv1.Selector",
        "Policy": "=commonv1.Policy",
    },
    commonv1="crossplane_lite.models.io.crossplane.common.v1",
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
