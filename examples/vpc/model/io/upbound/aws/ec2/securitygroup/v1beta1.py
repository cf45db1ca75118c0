"""Kind SecurityGroup of ec2.aws.upbound.io/v1beta1.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "SecurityGroup": "@ec2.aws.upbound.io/v1beta1;Cluster !spec >spec metadata:metav1.ObjectMeta spec:SecurityGroupSpec status:SecurityGroupStatus",
        "SecurityGroupSpec": "!forProvider >forProvider,initProvider,providerConfigRef,writeConnectionSecretToRef &deletionPolicy=Orphan,Delete &managementPolicies=Observe,Create,Update,Delete,LateInitialize,%2a deletionPolicy:s forProvider:ForProvider initProvider:InitProvider managementPolicies:[s providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "SecurityGroupStatus": "atProvider:AtProvider conditions:[ConditionsItem#type lastHandledReconcileAt:s observedGeneration:i",
        "ForProvider": "!region >vpcIdRef,vpcIdSelector description:s name:s region:s revokeRulesOnDelete:b tags:{s vpcId:s vpcIdRef:VpcIdRef vpcIdSelector:VpcIdSelector",
        "InitProvider": ">vpcIdRef,vpcIdSelector description:s name:s revokeRulesOnDelete:b tags:{s vpcId:s vpcIdRef:VpcIdRef vpcIdSelector:VpcIdSelector",
        "ProviderConfigRef": "=commonv1.Reference",
        "WriteConnectionSecretToRef": "=commonv1.SecretReference",
        "AtProvider": "arn:s description:s egress:[EgressItem id:s ingress:[IngressItem name:s ownerId:s region:s revokeRulesOnDelete:b tags:{s tagsAll:{s vpcId:s",
        "ConditionsItem": "=metav1.Condition",
        "VpcIdRef": "=commonv1.Reference",
        "VpcIdSelector": "=commonv1.Selector",
        "Policy": "=commonv1.Policy",
        "EgressItem": "cidrBlocks:[s description:s fromPort:f ipv6CidrBlocks:[s prefixListIds:[s protocol:s securityGroups:[s self_=self:b toPort:f",
        "IngressItem": "cidrBlocks:[s description:s fromPort:f ipv6CidrBlocks:[s prefixListIds:[s protocol:s securityGroups:[s self_=self:b toPort:f",
    },
    commonv1="crossplane_lite.models.io.crossplane.common.v1",
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
