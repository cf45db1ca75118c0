"""Composes a PostgreSQL database on AWS, and a Secret with everything that applications need to
connect to it.
"""

from crossplane_lite import Unstructured, composition

from .model.com.example.platform.database.v1alpha1 import Database
from .model.io.upbound.aws.rds.instance import v1beta3 as instance

CLASSES = {"small": "db.t4g.medium", "large": "db.r8g.2xlarge"}
NAMESPACE = "crossplane-system"  # where Secrets are that only the provider reads and writes
USER = "application"


@composition.function(name="database", auto_ready=True)
def compose(ctx: composition.Context) -> None:
    xr = ctx.composite(Database)
    wanted = xr.observed.spec
    name = xr.observed.metadata.name

    # A kind without a model. It has the same two sides, only nothing checks the names of its
    # fields.
    subnets = ctx.resource("subnets", Unstructured("rds.aws.upbound.io/v1beta1", "SubnetGroup"))
    subnets.spec.forProvider = {"region": wanted.region, "subnetIds": list(wanted.subnetIds)}

    database = ctx.resource("database", instance.Instance())
    database.spec.forProvider = instance.ForProvider(
        region=wanted.region,
        engine="postgres",
        engineVersion="17",
        instanceClass=CLASSES[str(wanted.size)],
        allocatedStorage=wanted.storageGB,
        storageEncrypted=True,
        multiAz=wanted.size == "large",
        dbSubnetGroupName=subnets.observed.external_name,
        username=USER,
        # The provider makes up the password and writes it into this Secret.
        autoGeneratePassword=True,
        passwordSecretRef=instance.PasswordSecretRef(
            namespace=NAMESPACE, name=f"{name}-password", key="password"
        ),
        finalSnapshotIdentifier=f"{name}-final",
    )
    # The connection details that the provider writes here come back as observed ones.
    database.spec.writeConnectionSecretToRef.namespace = NAMESPACE
    database.spec.writeConnectionSecretToRef.name = f"{name}-rds"

    details = database.observed.connection_details
    host, port, password = details["host"], details["port"], details["password"]
    ctx.connection_secret(
        {
            "host": host,
            "port": port,
            "username": USER,
            "password": password,
            "url": f"postgres://{USER}:{password}@{host}:{port}/postgres?sslmode=require",
        }
    )

    xr.status.address = database.observed.status.atProvider.address
    xr.status.version = database.observed.status.atProvider.engineVersionActual
