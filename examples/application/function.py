"""Composes a web application: a Deployment, a Service, and a ServiceMonitor in clusters that know
the kind.

It asks Crossplane for resources and schemas. They come with the next call of the same reconcile, so
the code reads as if they were there at once.
"""

from crossplane_lite import Unstructured, composition
from crossplane_lite.composition import ResourceSelector
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1

from .model.com.example.platform.application.v1alpha1 import Application
from .model.io.k8s.api.apps import v1 as apps
from .model.io.k8s.api.core import v1 as core

CONNECTS = "platform.example.com/connects"


@composition.function(name="application", auto_ready=True)
def compose(ctx: composition.Context) -> None:
    xr = ctx.composite(Application)
    wanted = xr.observed.spec
    name, namespace = xr.observed.metadata.name, xr.observed.metadata.namespace

    # By name: a value that the environment lacks, or an environment that doesn't exist, holds back
    # what needs it.
    ctx.requirements.resources["environment"] = ResourceSelector(
        api_version="apiextensions.crossplane.io/v1beta1",
        kind="EnvironmentConfig",
        match_name=wanted.environment,
    )
    environment = ctx.required_resources["environment"][0].data

    # By label: as many as there are, none too.
    ctx.requirements.resources["connections"] = ResourceSelector(
        api_version="v1", kind="Secret", match_labels={CONNECTS: name}, namespace=namespace
    )
    connections = sorted(
        str(one.metadata.name) for one in ctx.required_resources.get("connections", core.Secret)
    )

    labels = {"app.kubernetes.io/name": name}
    deployment = ctx.resource("deployment", apps.Deployment(metadata=metav1.ObjectMeta(name=name)))
    deployment.spec.replicas = environment.replicas
    deployment.spec.selector.matchLabels = labels
    deployment.spec.template.metadata.labels = labels
    deployment.spec.template.spec.containers = [
        core.Container(
            name="application",
            image=f"{environment.registry}/{wanted.image}",
            ports=[core.ContainerPort(name="http", containerPort=wanted.port)],
            envFrom=[
                core.EnvFromSource(secretRef=core.SecretEnvSource(name=secret))
                for secret in connections
            ],
        )
    ]

    service = ctx.resource(
        "service", core.Service(metadata=metav1.ObjectMeta(name=name, labels=labels))
    )
    service.spec = core.ServiceSpec(
        selector=labels, ports=[core.ServicePort(name="http", port=80, targetPort="http")]
    )

    if ctx.schema("monitoring.coreos.com/v1", "ServiceMonitor").found:
        monitor = ctx.resource(
            "monitor", Unstructured("monitoring.coreos.com/v1", "ServiceMonitor")
        )
        monitor.spec = {"selector": {"matchLabels": labels}, "endpoints": [{"port": "http"}]}
        monitor.ready = True  # the kind reports no condition that would say so

    xr.status.url = f"http://{name}.{namespace}.svc"
    xr.status.connections = connections
    xr.status.replicas = deployment.observed.status.readyReplicas

    # What the cluster's API would refuse is found before anything is applied.
    for one in ctx.resources.values():
        for error in ctx.schema(one.apiVersion, one.kind).validate(one):
            ctx.results.fatal(error)
