# pyright: strict
"""What reading generated models gives: the model, the list or the map itself at any depth, and leaves at the end."""

from __future__ import annotations

from models.io.crossplane.kubernetes.object.v1alpha2 import Object
from models.io.k8s.api.apps import v1 as appsv1
from models.io.k8s.api.core import v1 as corev1
from models.io.k8s.apiextensions_apiserver.pkg.apis.apiextensions import v1 as apiextensionsv1
from models.io.upbound.aws.ec2.securitygroup.v1beta1 import SecurityGroup
from models.io.upbound.aws.ec2.vpc.v1beta1 import VPC
from models.io.upbound.aws.s3.bucket import v1beta2 as bucketv1beta2
from models.io.upbound.gcp.container.cluster.v1beta2 import Cluster
from models.io.upbound.m.aws.s3.bucket import v1beta1 as namespacedv1beta1
from typing_extensions import reveal_type

from crossplane_lite import apply, composition


def heads(vpc: VPC, deployment: appsv1.Deployment) -> None:
    reveal_type(vpc.apiVersion)  # reveal: Literal['ec2.aws.upbound.io/v1beta1']
    reveal_type(vpc.kind)  # reveal: Literal['VPC']
    reveal_type(vpc.metadata)  # reveal: ObjectMeta
    reveal_type(vpc.metadata.labels)  # reveal: ValuesDict[str]
    reveal_type(deployment.apiVersion)  # reveal: Literal['apps/v1']
    reveal_type(deployment.metadata.ownerReferences[0].uid)  # reveal: str | Observable[str] | None


def leaves(vpc: VPC) -> None:
    reveal_type(vpc.spec)  # reveal: VPCSpec
    reveal_type(vpc.spec.forProvider)  # reveal: ForProvider
    reveal_type(vpc.spec.forProvider.cidrBlock)  # reveal: str | Observable[str] | None
    reveal_type(vpc.spec.forProvider.enableDnsSupport)  # reveal: bool | Observable[bool] | None
    reveal_type(vpc.spec.forProvider.ipv4NetmaskLength)  # reveal: float | Observable[float] | None
    reveal_type(vpc.status.observedGeneration)  # reveal: int | Observable[int]
    reveal_type(vpc.spec.deletionPolicy or "")  # reveal: Literal['Orphan', 'Delete', '']
    reveal_type(vpc.spec.providerConfigRef.policy.resolve or "")  # reveal: Literal['Always', 'IfNotPresent', '']


def lists(cluster: Cluster, group: SecurityGroup, vpc: VPC) -> None:
    networks = cluster.spec.forProvider.masterAuthorizedNetworksConfig
    reveal_type(networks)  # reveal: MasterAuthorizedNetworksConfig
    reveal_type(networks.cidrBlocks)  # reveal: ItemsList[CidrBlocksItem]
    reveal_type(networks.cidrBlocks[0])  # reveal: CidrBlocksItem
    reveal_type(networks.cidrBlocks[0].displayName)  # reveal: str | Observable[str] | None
    pool = cluster.observed.status.atProvider.nodePool[3].nodeConfig
    reveal_type(pool.taint[0].effect)  # reveal: str | Observable[str] | None
    reveal_type(pool.oauthScopes)  # reveal: ObservedList[str | Observable[str]]
    reveal_type(pool.oauthScopes[0])  # reveal: str | Observable[str]
    reveal_type(group.status.atProvider.ingress[0].self_)  # reveal: bool | Observable[bool]
    for policy in vpc.spec.managementPolicies:
        reveal_type(policy or "")  # reveal: Literal['*', 'Create', 'Delete', 'LateInitialize', 'Observe', 'Update', '']
    for rule in group.status.atProvider.egress:
        reveal_type(rule)  # reveal: EgressItem


def maps(vpc: VPC, pod: corev1.PodSpec) -> None:
    reveal_type(vpc.spec.forProvider.tags)  # reveal: ValuesDict[str]
    reveal_type(vpc.spec.forProvider.tags["a"])  # reveal: str | Observable[str]
    reveal_type(vpc.spec.forProvider.tags.get("a"))  # reveal: str | Observable[str] | None
    reveal_type(pod.containers[0].resources.limits)  # reveal: ValuesDict[float | str]
    reveal_type(pod.containers[0].resources.limits["cpu"])  # reveal: float | str | Observable[float | str]


def other_modules(deployment: appsv1.Deployment) -> None:
    reveal_type(deployment.spec.selector)  # reveal: LabelSelector
    reveal_type(deployment.spec.template)  # reveal: PodTemplateSpec
    container = deployment.spec.template.spec.initContainers[0]
    reveal_type(container)  # reveal: Container
    reveal_type(container.env[0].valueFrom.secretKeyRef.name)  # reveal: str | Observable[str] | None
    reveal_type(container.readinessProbe.httpGet.port)  # reveal: int | str | Observable[int | str] | None
    reveal_type(appsv1.DeploymentList().items[0].spec.replicas)  # reveal: int | Observable[int] | None


def recursive(definition: apiextensionsv1.CustomResourceDefinition) -> None:
    schema = definition.spec.versions[0].schema.openAPIV3Schema
    reveal_type(schema)  # reveal: JSONSchemaProps
    reveal_type(schema.not_.allOf[0].properties["a"])  # reveal: JSONSchemaProps
    reveal_type(schema.properties)  # reveal: ItemsDict[JSONSchemaProps]
    reveal_type(schema.properties["a"].properties["b"].anyOf[0].title)  # reveal: str | Observable[str] | None
    reveal_type(schema.default)  # reveal: Any
    reveal_type(schema.enum)  # reveal: ValuesList[Any]


def any_json(wrapped: Object) -> None:
    reveal_type(wrapped.spec.forProvider.manifest)  # reveal: DynamicModel
    reveal_type(wrapped.status.atProvider.manifest.status.loadBalancer["ingress"][0])  # reveal: Any


def versions(old: bucketv1beta2.Bucket, new: namespacedv1beta1.Bucket) -> None:
    reveal_type(old.apiVersion)  # reveal: Literal['s3.aws.upbound.io/v1beta2']
    reveal_type(new.apiVersion)  # reveal: Literal['s3.aws.m.upbound.io/v1beta1']
    reveal_type(old.status.atProvider.lifecycleRule[0].transition[0].days)  # reveal: float | Observable[float]


@composition.function
def compose(ctx: composition.Context) -> None:
    vpc = ctx.resource("vpc", VPC())
    reveal_type(vpc)  # reveal: VPC
    reveal_type(vpc.observed)  # reveal: _ObservedVPC
    reveal_type(vpc.external_name)  # reveal: str | Observable[str] | None
    reveal_type(vpc.observed.status.atProvider.arn)  # reveal: str | Observable[str]
    reveal_type(vpc.condition("Ready").status)  # reveal: str | Observable[str]
    reveal_type(apply(len, vpc.observed.status.atProvider.arn))  # reveal: int | Observable[int]
    reveal_type(ctx.required_resources.get("clusters", Cluster)[0].spec.forProvider)  # reveal: ForProvider
