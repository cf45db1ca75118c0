"""Kind Subnet of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Subnet": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:SubnetSpec status:SubnetStatus",
        "SubnetSpec": "!forProvider >forProvider,initProvider,providerConfigRef,writeConnectionSecretToRef &deletionPolicy=Orphan,Delete &managementPolicies=Observe,Create,Update,Delete,LateInitialize,%2a deletionPolicy:s forProvider:ForProvider initProvider:InitProvider managementPolicies:[s providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "SubnetStatus": "atProvider:AtProvider conditions:[ConditionsItem#type lastHandledReconcileAt:s observedGeneration:i",
        "ForProvider": "!region >ipv4IpamPoolIdRef,ipv4IpamPoolIdSelector,vpcIdRef,vpcIdSelector assignIpv6AddressOnCreation:b availabilityZone:s availabilityZoneId:s cidrBlock:s customerOwnedIpv4Pool:s enableDns64:b enableLniAtDeviceIndex:f enableResourceNameDnsARecordOnLaunch:b enableResourceNameDnsAaaaRecordOnLaunch:b ipv4IpamPoolId:s ipv4IpamPoolIdRef:Ipv4IpamPoolIdRef ipv4IpamPoolIdSelector:Ipv4IpamPoolIdSelector ipv4NetmaskLength:f ipv6CidrBlock:s ipv6IpamPoolId:s ipv6Native:b ipv6NetmaskLength:f mapCustomerOwnedIpOnLaunch:b mapPublicIpOnLaunch:b outpostArn:s privateDnsHostnameTypeOnLaunch:s region:s tags:{s vpcId:s vpcIdRef:VpcIdRef vpcIdSelector:VpcIdSelector",
        "InitProvider": ">ipv4IpamPoolIdRef,ipv4IpamPoolIdSelector,vpcIdRef,vpcIdSelector assignIpv6AddressOnCreation:b availabilityZone:s availabilityZoneId:s cidrBlock:s customerOwnedIpv4Pool:s enableDns64:b enableLniAtDeviceIndex:f enableResourceNameDnsARecordOnLaunch:b enableResourceNameDnsAaaaRecordOnLaunch:b ipv4IpamPoolId:s ipv4IpamPoolIdRef:Ipv4IpamPoolIdRef ipv4IpamPoolIdSelector:Ipv4IpamPoolIdSelector ipv4NetmaskLength:f ipv6CidrBlock:s ipv6IpamPoolId:s ipv6Native:b ipv6NetmaskLength:f mapCustomerOwnedIpOnLaunch:b mapPublicIpOnLaunch:b outpostArn:s privateDnsHostnameTypeOnLaunch:s tags:{s vpcId:s vpcIdRef:VpcIdRef vpcIdSelector:VpcIdSelector",
        "ProviderConfigRef": "=commonv1.Reference",
        "WriteConnectionSecretToRef": "=commonv1.SecretReference",
        "AtProvider": "arn:s assignIpv6AddressOnCreation:b availabilityZone:s availabilityZoneId:s cidrBlock:s customerOwnedIpv4Pool:s enableDns64:b enableLniAtDeviceIndex:f enableResourceNameDnsARecordOnLaunch:b enableResourceNameDnsAaaaRecordOnLaunch:b id:s ipv4IpamPoolId:s ipv4NetmaskLength:f ipv6CidrBlock:s ipv6CidrBlockAssociationId:s ipv6IpamPoolId:s ipv6Native:b ipv6NetmaskLength:f mapCustomerOwnedIpOnLaunch:b mapPublicIpOnLaunch:b outpostArn:s ownerId:s privateDnsHostnameTypeOnLaunch:s region:s tags:{s tagsAll:{s vpcId:s",
        "ConditionsItem": "=metav1.Condition",
        "Ipv4IpamPoolIdRef": "=commonv1.Reference",
        "Ipv4IpamPoolIdSelector": "=commonv1.Selector",
        "VpcIdRef": "=commonv1.Reference",
        "VpcIdSelector": "=commonv1.Selector",
        "Policy": "=commonv1.Policy",
    },
    commonv1="crossplane_lite.models.io.crossplane.common.v1",
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
