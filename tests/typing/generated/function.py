# pyright: strict
"""Composes a platform: network, database and bucket in AWS, a cluster in Google Cloud, and a deployment."""

from __future__ import annotations

import hashlib

from models.io.k8s.api.apps import v1 as appsv1
from models.io.k8s.api.core import v1 as corev1
from models.io.upbound.aws.ec2.securitygroup import v1beta1 as securitygroupv1beta1
from models.io.upbound.aws.ec2.subnet import v1beta1 as subnetv1beta1
from models.io.upbound.aws.ec2.vpc import v1beta1 as vpcv1beta1
from models.io.upbound.aws.rds.instance import v1beta3 as instancev1beta3
from models.io.upbound.aws.s3.bucket import v1beta2 as bucketv1beta2
from models.io.upbound.gcp.container.cluster import v1beta2 as clusterv1beta2
from models.io.upbound.gcp.storage.bucketacl import v1beta1 as bucketaclv1beta1
from models.org.example.platform.xplatform import v1alpha1 as xplatformv1alpha1

from crossplane_lite import NULL, apply, composition
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import LabelSelector, ObjectMeta


def fingerprint(vpc: str, endpoint: str) -> str:
    """Return what tells two platforms apart."""
    return hashlib.sha256(f"{vpc}/{endpoint}".encode()).hexdigest()[:8]


@composition.function
def compose(ctx: composition.Context) -> None:
    """Compose everything; what waits for what follows from the values that are read of each other."""
    xr = ctx.composite(xplatformv1alpha1.XPlatform)
    wanted = xr.observed.spec.parameters
    labels = {key: value for key, value in wanted.labels.items() if key != "internal"}

    vpc = ctx.resource(
        "vpc",
        vpcv1beta1.VPC(
            metadata=ObjectMeta(labels=labels),
            spec=vpcv1beta1.VPCSpec(
                deletionPolicy="Orphan",
                managementPolicies=["Observe", "Create", "Update"],
                forProvider=vpcv1beta1.ForProvider(
                    region=wanted.region, cidrBlock=wanted.cidrBlock, enableDnsSupport=True, tags=labels
                ),
            ),
        ),
    )

    subnets: list[subnetv1beta1.Subnet] = []
    for index, zone in enumerate(wanted.zones):
        provider = subnetv1beta1.ForProvider(region=wanted.region, cidrBlock=zone.cidrBlock)
        provider.vpcId = vpc.observed.external_name
        provider.availabilityZone = f"{wanted.region}{zone.name}"
        provider.mapPublicIpOnLaunch = zone.public
        provider.tags["Name"] = f"{vpc.observed.external_name}-{zone.name}"
        subnet = subnetv1beta1.Subnet(spec=subnetv1beta1.SubnetSpec(forProvider=provider))
        subnets.append(ctx.resource(f"subnet-{index}", subnet))

    group = ctx.resource(
        "security-group",
        securitygroupv1beta1.SecurityGroup(
            spec={"forProvider": {"vpcId": vpc.observed.external_name, "region": wanted.region}}
        ),
    )
    group.spec.forProvider.description = f"Of {vpc.observed.status.atProvider.arn}"

    database = ctx.resource(
        "database",
        instancev1beta3.Instance(
            spec=instancev1beta3.InstanceSpec(
                forProvider=instancev1beta3.ForProvider(
                    region=wanted.region,
                    instanceClass="db.t4g.micro",
                    engine="postgres",
                    allocatedStorage=wanted.databaseGiB,
                    vpcSecurityGroupIds=[group.observed.status.atProvider.id],
                    passwordSecretRef=instancev1beta3.PasswordSecretRef(name="database", namespace="x", key="password"),
                    dbSubnetGroupNameSelector={"matchLabels": {"platform": xr.name}},
                ),
                providerConfigRef={"name": "aws", "policy": NULL},
            )
        ),
    )

    bucket = ctx.resource("bucket", bucketv1beta2.Bucket())
    bucket.spec.forProvider.region = wanted.region
    bucket.spec.forProvider.tags = {**labels, "database": database.observed.status.atProvider.arn, "legacy": NULL}

    ctx.resource(
        "acl",
        bucketaclv1beta1.BucketACL(
            spec=bucketaclv1beta1.BucketACLSpec(
                forProvider=bucketaclv1beta1.ForProvider(
                    bucket=f"{bucket.observed.external_name}-mirror",
                    roleEntity=[f"READER:{reader}" for reader in wanted.readers],
                )
            )
        ),
    )

    cluster = clusterv1beta2.Cluster()
    cluster.spec.forProvider.location = wanted.region
    cluster.spec.forProvider.masterAuthorizedNetworksConfig.cidrBlocks = [
        {"cidrBlock": wanted.cidrBlock},
        *(clusterv1beta2.CidrBlocksItem(cidrBlock=zone.cidrBlock, displayName=zone.name) for zone in wanted.zones),
    ]
    cluster.spec.forProvider.nodeConfig.taint.append({"key": "platform", "effect": "NO_SCHEDULE"})
    cluster.spec.forProvider.clusterAutoscaling = None
    ctx.resource("cluster", cluster)

    host = database.observed.status.atProvider.address
    ctx.resource(
        "deployment",
        appsv1.Deployment(
            metadata={"namespace": "x"},
            spec=appsv1.DeploymentSpec(
                replicas=wanted.replicas,
                selector=LabelSelector(matchLabels={"app": "platform"}),
                template=corev1.PodTemplateSpec(
                    metadata=ObjectMeta(labels={"app": "platform"}),
                    spec=corev1.PodSpec(
                        containers=[
                            corev1.Container(
                                name="main",
                                image=wanted.image,
                                env=[corev1.EnvVar(name="DATABASE", value=f"postgres://{host}/main")],
                                ports=[{"containerPort": 8080}],
                                resources=corev1.ResourceRequirements(limits={"cpu": 1, "memory": "64Mi"}),
                                readinessProbe=corev1.Probe(
                                    httpGet=corev1.HTTPGetAction(path="/", port=wanted.port or "http")
                                ),
                            )
                        ]
                    ),
                ),
            ),
        ),
    )

    xr.status.vpcId = vpc.observed.external_name
    xr.status.databaseEndpoint = host
    xr.status.subnetIds = [subnet.observed.external_name for subnet in subnets]
    xr.status.fingerprint = apply(fingerprint, vpc.observed.external_name, host)
