"""Kind RouteTable of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "RouteTable": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:RouteTableSpec status:RouteTableStatus",
        "RouteTableSpec": "!forProvider >forProvider,initProvider,providerConfigRef,writeConnectionSecretToRef &deletionPolicy=Orphan,Delete &managementPolicies=Observe,Create,Update,Delete,LateInitialize,%2a deletionPolicy:s forProvider:ForProvider initProvider:InitProvider managementPolicies:[s providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "RouteTableStatus": "atProvider:AtProvider conditions:[ConditionsItem#type lastHandledReconcileAt:s observedGeneration:i",
        "ForProvider": "!region >vpcIdRef,vpcIdSelector region:s tags:{s vpcId:s vpcIdRef:VpcIdRef vpcIdSelector:VpcIdSelector",
        "InitProvider": ">vpcIdRef,vpcIdSelector tags:{s vpcId:s vpcIdRef:VpcIdRef vpcIdSelector:VpcIdSelector",
        "ProviderConfigRef": "=commonv1.Reference",
        "WriteConnectionSecretToRef": "=commonv1.SecretReference",
        "AtProvider": "arn:s id:s ownerId:s propagatingVgws:[s region:s route:[RouteItem tags:{s tagsAll:{s vpcId:s",
        "ConditionsItem": "=metav1.Condition",
        "VpcIdRef": "=commonv1.Reference",
        "VpcIdSelector": "=commonv1.Selector",
        "Policy": "=commonv1.Policy",
        "RouteItem": "carrierGatewayId:s cidrBlock:s coreNetworkArn:s destinationPrefixListId:s egressOnlyGatewayId:s gatewayId:s ipv6CidrBlock:s localGatewayId:s natGatewayId:s networkInterfaceId:s odbNetworkArn:s transitGatewayId:s vpcEndpointId:s vpcPeeringConnectionId:s",
    },
    commonv1="crossplane_lite.models.io.crossplane.common.v1",
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
