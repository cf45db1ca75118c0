"""Restarts the Deployments that use a ConfigMap when its data has changed.

Deployments say that they use one by the label `platform.example.com/config`. The checksum of the
data goes into an annotation of their pods; where it is new, Kubernetes rolls the pods out again.
"""

import hashlib
import json

from crossplane_lite import composition
from crossplane_lite.composition import ResourceSelector

from .model.io.k8s.api.apps.v1 import Deployment

CHECKSUM = "platform.example.com/config-checksum"


@composition.function(name="restart")
def operate(ctx: composition.Context) -> None:
    config = ctx.watched
    if config is None:
        ctx.results.warning("the ConfigMap is gone; its Deployments run on with what they have")
        return

    ctx.requirements.resources["deployments"] = ResourceSelector(
        api_version="apps/v1",
        kind="Deployment",
        match_labels={"platform.example.com/config": config.metadata.name},
        namespace=config.metadata.namespace,
    )
    checksum = hashlib.sha256(json.dumps(dict(config.data), sort_keys=True).encode()).hexdigest()[
        :16
    ]

    restarted = []
    for deployment in ctx.required_resources.get("deployments", Deployment):
        if deployment.spec.template.metadata.annotations.get(CHECKSUM) == checksum:
            continue
        # Server-side apply changes what is set here, and leaves the rest of the Deployment alone.
        changed = ctx.resource(f"deployment-{deployment.metadata.name}", Deployment())
        changed.metadata.name = deployment.metadata.name
        changed.metadata.namespace = deployment.metadata.namespace
        changed.spec.template.metadata.annotations[CHECKSUM] = checksum
        restarted.append(deployment.metadata.name)
    ctx.output["restarted"] = restarted
