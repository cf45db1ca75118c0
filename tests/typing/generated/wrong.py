# pyright: strict, reportUnusedExpression=false
# ruff: noqa: B018
"""Mistakes with generated models that both checkers must report: behind each line mypy's code and pyright's rule."""

from __future__ import annotations

from models.io.k8s.api.apps.v1 import Deployment, DeploymentSpec
from models.io.k8s.api.core.v1 import Container, EnvVar, HTTPGetAction, PodSpec, PodTemplateSpec, ResourceRequirements
from models.io.k8s.api.core.v1 import Deployment as Misplaced  # error: attr-defined reportAttributeAccessIssue
from models.io.k8s.apiextensions_apiserver.pkg.apis.apiextensions.v1 import JSONSchemaProps
from models.io.upbound.aws.ec2.subnet.v1beta1 import ForProvider as SubnetForProvider
from models.io.upbound.aws.ec2.vpc import v1beta1 as vpcv1beta1
from models.io.upbound.aws.ec2.vpc.v1beta1 import VPC, ForProvider, VPCSpec
from models.io.upbound.gcp.container.cluster.v1beta2 import CidrBlocksItem, Cluster, MasterAuthorizedNetworksConfig
from models.io.upbound.gcp.storage.bucketacl.v1beta1 import ForProvider as ACLForProvider

from crossplane_lite import Observable, composition


def missing_kind() -> None:
    Misplaced()
    vpcv1beta1.Vpc()  # error: attr-defined reportAttributeAccessIssue
    vpcv1beta1.VPCList()  # error: attr-defined reportAttributeAccessIssue


def misspelt(vpc: VPC, deployment: Deployment) -> None:
    VPC(spek=VPCSpec())  # error: call-arg reportCallIssue
    ForProvider(cidrblock="a")  # error: call-arg reportCallIssue
    vpc.spec.forProvider.cidrblock  # error: attr-defined reportAttributeAccessIssue
    vpc.spec.forProvider.cidrblock = "a"  # error: attr-defined reportAttributeAccessIssue
    vpc.observed.status.atProvidr.arn  # error: attr-defined reportAttributeAccessIssue
    deployment.spec.template.spec.container  # error: attr-defined reportAttributeAccessIssue
    deployment.spec.template.spec.containers[0].ports[0].conatinerPort  # error: attr-defined reportAttributeAccessIssue
    del vpc.spec.forProvidr  # error: attr-defined reportAttributeAccessIssue


def wrong_arguments() -> None:
    VPC(VPCSpec())  # error: call-arg|misc reportCallIssue
    ForProvider("10.0.0.0/16")  # error: call-arg|misc reportCallIssue
    Container("main", "image")  # error: call-arg|misc reportCallIssue
    VPC(external_name="a")  # error: call-arg reportCallIssue
    VPC(kind="Vpc")  # error: arg-type reportArgumentType
    VPC(apiVersion="ec2.aws.upbound.io/v1beta2")  # error: arg-type reportArgumentType
    Deployment(apiVersion="v1")  # error: arg-type reportArgumentType


def wrong_types(vpc: VPC, number: Observable[int], text: Observable[str]) -> None:
    ForProvider(cidrBlock=1)  # error: arg-type reportArgumentType
    ForProvider(cidrBlock=number)  # error: arg-type reportArgumentType
    ForProvider(cidrBlock=["a"])  # error: arg-type reportArgumentType
    ForProvider(enableDnsSupport="yes")  # error: arg-type reportArgumentType
    ForProvider(enableDnsSupport=text)  # error: arg-type reportArgumentType
    DeploymentSpec(replicas=1.5)  # error: arg-type reportArgumentType
    DeploymentSpec(replicas="1")  # error: arg-type reportArgumentType
    HTTPGetAction(port=1.5)  # error: arg-type reportArgumentType
    EnvVar(value=1)  # error: arg-type reportArgumentType
    vpc.spec.forProvider.cidrBlock = 1  # error: assignment reportAttributeAccessIssue
    vpc.spec.forProvider.cidrBlock = number  # error: assignment reportAttributeAccessIssue
    vpc.status.atProvider.arn = vpc.status.observedGeneration  # error: assignment reportAttributeAccessIssue
    vpc.kind = "Vpc"  # error: assignment reportAttributeAccessIssue
    vpc.apiVersion = "v1"  # error: assignment reportAttributeAccessIssue


def observed(vpc: VPC, deployment: Deployment, cluster: Cluster) -> None:
    vpc.observed.spec.forProvider.cidrBlock = "a"  # error: arg-type reportAttributeAccessIssue
    vpc.observed.spec.forProvider.tags["a"] = "b"  # error: index reportArgumentType
    vpc.observed.metadata.name = "a"  # error: arg-type reportAttributeAccessIssue
    vpc.observed.status.atProvider.arn = "a"  # error: arg-type reportAttributeAccessIssue
    deployment.observed.spec.template.spec.containers[0].image = "a"  # error: arg-type reportAttributeAccessIssue
    networks = cluster.observed.spec.forProvider.masterAuthorizedNetworksConfig
    networks.cidrBlocks.append(CidrBlocksItem())  # error: arg-type reportArgumentType
    vpc.spec.forProvider = vpc.observed.spec.forProvider
    cluster.spec.forProvider.masterAuthorizedNetworksConfig = networks


def wrong_enums(vpc: VPC) -> None:
    VPCSpec(deletionPolicy="Orphn")  # error: arg-type reportArgumentType
    VPCSpec(managementPolicies=["Observ"])  # error: list-item reportArgumentType
    vpc.spec.deletionPolicy = "Orphn"  # error: assignment reportAttributeAccessIssue
    vpc.spec.managementPolicies = ["Observ"]  # error: list-item reportAttributeAccessIssue
    vpc.spec.providerConfigRef.policy.resolve = "Never"  # error: assignment reportAttributeAccessIssue


def wrong_nesting(vpc: VPC, cluster: Cluster) -> None:
    VPC(spec=ForProvider())  # error: arg-type reportArgumentType
    VPCSpec(forProvider=VPCSpec())  # error: arg-type reportArgumentType
    VPCSpec(forProvider=SubnetForProvider())  # error: arg-type reportArgumentType
    VPCSpec(forProvider="a")  # error: arg-type reportArgumentType
    VPCSpec(forProvider={1: 2})  # error: dict-item reportArgumentType
    DeploymentSpec(template=PodSpec())  # error: arg-type reportArgumentType
    PodTemplateSpec(spec=[PodSpec()])  # error: arg-type reportArgumentType
    vpc.spec = ForProvider()  # error: assignment reportAttributeAccessIssue
    vpc.spec.cidrBlock  # error: attr-defined reportAttributeAccessIssue
    vpc.spec = cluster.spec  # error: assignment reportAttributeAccessIssue


def wrong_lists(cluster: Cluster, number: Observable[int]) -> None:
    MasterAuthorizedNetworksConfig(cidrBlocks=CidrBlocksItem())  # error: arg-type reportArgumentType
    MasterAuthorizedNetworksConfig(cidrBlocks={"cidrBlock": "a"})  # error: arg-type reportArgumentType
    MasterAuthorizedNetworksConfig(cidrBlocks=["a"])  # error: list-item reportArgumentType
    MasterAuthorizedNetworksConfig(cidrBlocks=[ForProvider()])  # error: list-item reportArgumentType
    MasterAuthorizedNetworksConfig(cidrBlocks=[None])  # error: list-item reportArgumentType
    PodSpec(containers=[EnvVar()])  # error: list-item reportArgumentType
    ACLForProvider(roleEntity="a")  # error: arg-type reportArgumentType
    ACLForProvider(roleEntity=[1])  # error: list-item reportArgumentType
    ACLForProvider(roleEntity=[number])  # error: list-item reportArgumentType
    ACLForProvider(roleEntity={"a": "b"})  # error: arg-type reportArgumentType
    cluster.spec.forProvider.nodeConfig.taint.append("a")  # error: arg-type reportArgumentType
    cluster.spec.forProvider.nodeConfig.taint[0].effect = 1  # error: assignment reportAttributeAccessIssue
    cluster.spec.forProvider.nodeLocations.append(1)  # error: arg-type reportArgumentType


def wrong_maps(vpc: VPC, schema: JSONSchemaProps) -> None:
    ForProvider(tags={"a": 1})  # error: dict-item reportArgumentType
    ForProvider(tags={1: "a"})  # error: dict-item reportArgumentType
    ForProvider(tags=["a"])  # error: arg-type reportArgumentType
    ResourceRequirements(limits={"cpu": ["1"]})  # error: dict-item reportArgumentType
    JSONSchemaProps(properties={"a": "b"})  # error: dict-item reportArgumentType
    vpc.spec.forProvider.tags["a"] = 1  # error: assignment reportArgumentType
    schema.properties["a"] = "b"  # error: assignment reportArgumentType


def unguarded(vpc: VPC) -> None:
    vpc.spec.forProvider.cidrBlock.upper()  # error: union-attr|operator reportOptionalMemberAccess
    vpc.spec.forProvider.cidrBlock + "a"  # error: operator reportOptionalOperand


@composition.function
def compose(ctx: composition.Context) -> None:
    vpc = ctx.resource("vpc", VPC())
    vpc.observed.status.atProvider.vpcId  # error: attr-defined reportAttributeAccessIssue
    ctx.resource("spec", vpc.spec)  # error: type-var reportArgumentType
