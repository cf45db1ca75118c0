# pyright: strict
"""What fields and constructors of generated models take, and that both checkers let it pass."""

from __future__ import annotations

from typing import Literal

from models.io.crossplane.kubernetes.object.v1alpha2 import ForProvider as Wrapped
from models.io.k8s.api.apps.v1 import Deployment, DeploymentSpec
from models.io.k8s.api.core.v1 import Container, EnvVar, HTTPGetAction, PodSpec, ResourceRequirements
from models.io.k8s.apiextensions_apiserver.pkg.apis.apiextensions.v1 import JSONSchemaProps
from models.io.upbound.aws.ec2.securitygroup.v1beta1 import IngressItem
from models.io.upbound.aws.ec2.vpc.v1beta1 import VPC, ForProvider, VPCSpec
from models.io.upbound.gcp.container.cluster.v1beta2 import CidrBlocksItem, Cluster, MasterAuthorizedNetworksConfig

from crossplane_lite import NULL, UNSET, Observable, apply
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import LabelSelector, ObjectMeta


def leaves(vpc: VPC, text: Observable[str], number: Observable[int], flag: Observable[bool], bare: Observable) -> None:
    provider = vpc.spec.forProvider
    provider.cidrBlock = "10.0.0.0/16"
    provider.cidrBlock = text
    provider.cidrBlock = bare
    provider.cidrBlock = vpc.observed.external_name
    provider.cidrBlock = vpc.observed.spec.forProvider.cidrBlock
    provider.cidrBlock = f"{vpc.observed.status.atProvider.cidrBlock}"
    provider.cidrBlock = apply(str.upper, text)
    provider.cidrBlock = None
    provider.cidrBlock = UNSET
    provider.cidrBlock = NULL
    provider.enableDnsSupport = flag
    provider.ipv4NetmaskLength = 16
    provider.ipv4NetmaskLength = number
    vpc.spec.deletionPolicy = "Orphan"
    vpc.apiVersion = "ec2.aws.upbound.io/v1beta1"
    vpc.kind = "VPC"
    del provider.cidrBlock


def nested(vpc: VPC, spec: Observable[VPCSpec]) -> None:
    vpc.spec = VPCSpec(forProvider=ForProvider(region="eu-west-1"))
    vpc.spec = {"forProvider": {"region": "eu-west-1"}}
    vpc.spec.forProvider = {"region": "eu-west-1"}
    vpc.spec = vpc.observed.spec
    vpc.spec = spec
    vpc.spec = None
    vpc.spec = UNSET
    vpc.spec = NULL
    vpc.metadata = {"name": "a"}
    vpc.metadata = ObjectMeta(name="a")
    del vpc.spec


def lists(cluster: Cluster, text: Observable[str], block: Observable[CidrBlocksItem], bare: Observable) -> None:
    networks = cluster.spec.forProvider.masterAuthorizedNetworksConfig
    networks.cidrBlocks = [CidrBlocksItem(cidrBlock=text), {"cidrBlock": "a"}, block, bare]
    networks.cidrBlocks = tuple(CidrBlocksItem(cidrBlock=one) for one in ("a", "b"))
    networks.cidrBlocks = cluster.observed.spec.forProvider.masterAuthorizedNetworksConfig.cidrBlocks
    networks.cidrBlocks = bare
    networks.cidrBlocks = None
    networks.cidrBlocks.append(CidrBlocksItem())
    networks.cidrBlocks.append({"cidrBlock": text})
    networks.cidrBlocks += [{"cidrBlock": "a"}]
    networks.cidrBlocks[0] = {"cidrBlock": "a"}
    known: list[str] = ["a"]
    cluster.spec.forProvider.nodeLocations = known
    cluster.spec.forProvider.nodeLocations = ["a", text, bare, f"{text}"]
    cluster.spec.forProvider.nodeLocations.append(text)
    cluster.spec.managementPolicies = ["Observe", "*"]
    policies: list[Literal["Observe", "Create"]] = ["Observe"]
    cluster.spec.managementPolicies = policies
    MasterAuthorizedNetworksConfig(cidrBlocks=[{"cidrBlock": text}], gcpPublicCidrsAccessEnabled=True)


def maps(vpc: VPC, text: Observable[str], bare: Observable) -> None:
    known: dict[str, str] = {"a": "b"}
    vpc.spec.forProvider.tags = {"a": "b", "c": text, "d": vpc.observed.external_name, "e": None, "f": NULL, "g": bare}
    vpc.spec.forProvider.tags = known
    vpc.spec.forProvider.tags = vpc.observed.metadata.labels
    vpc.spec.forProvider.tags["a"] = vpc.observed.external_name
    vpc.spec.forProvider.tags["b"] = NULL
    del vpc.spec.forProvider.tags["a"]
    ForProvider(tags=known)
    ResourceRequirements(limits={"cpu": 1, "memory": "64Mi", "other": text})


def recursive(schema: JSONSchemaProps) -> None:
    schema.properties = {"a": {"type": "string"}, "b": JSONSchemaProps(type="object", properties={"c": schema})}
    schema.properties["a"] = {"type": "integer"}
    schema.not_ = {"not": {"type": "string"}}
    schema.allOf = [schema, {"required": ["a"]}]
    schema.default = {"any": ["thing"]}
    schema.enum = [1, "a", None, {"b": ["c"]}]
    JSONSchemaProps(_ref="#/a", not_=schema, items={"type": "string"})


def any_json(text: Observable[str]) -> None:
    Wrapped(manifest={"apiVersion": "v1", "data": {"a": text}}).manifest = {"b": [1]}


def constructors(vpc: VPC, port: Observable[int]) -> None:
    VPC()
    VPC(apiVersion="ec2.aws.upbound.io/v1beta1", kind="VPC")
    VPC(metadata={"labels": {"a": "b"}}, spec=vpc.observed.spec, status=UNSET)
    IngressItem(self_=True, fromPort=80)
    Deployment(spec=DeploymentSpec(selector=LabelSelector(matchLabels={"a": "b"}), template={"spec": {}}))
    PodSpec(containers=[Container(env=[EnvVar(name="a", value=vpc.observed.external_name)]), {"name": "b"}])
    HTTPGetAction(port=80)
    HTTPGetAction(port="http")
    HTTPGetAction(port=port)
