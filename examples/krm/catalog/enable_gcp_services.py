"""enable-gcp-services: a Service of Google's Config Connector for each service of a
ProjectServiceSet.
"""

from __future__ import annotations

from crossplane_lite import krm

OWNER = "blueprints.cloud.google.com/ownerReference"
SERVICE = """\
apiVersion: serviceusage.cnrm.cloud.google.com/v1beta1
kind: Service
metadata:
  name: {name}
  annotations:
    blueprints.cloud.google.com/ownerReference: '{owner}'
    cnrm.cloud.google.com/blueprint: 'kpt-fn'
spec:
  resourceID: {service}
"""


@krm.function(name="enable-gcp-services")
def transform(rl: krm.ResourceList) -> None:
    """Make a Service for each service of a ProjectServiceSet, and remove those that it doesn't have
    any more.
    """
    for owner in rl.where(kind="ProjectServiceSet", group="blueprints.cloud.google.com"):
        reference = f"{owner.group}/{owner.kind}/{owner.name}"
        known = {
            one.get("spec.resourceID"): one
            for one in rl.where(kind="Service", annotations={OWNER: reference})
        }
        services = list(owner.get("spec.services", []))
        for service in services:
            if service not in known:
                _add(rl, owner, reference, service)
        for service, one in known.items():
            if service not in services:
                rl.results.info("pruned service", one)
                rl.items.remove(one)


def _add(rl: krm.ResourceList, owner: krm.Resource, reference: str, service: str) -> None:
    name = f"{owner.name}-{service.partition('.')[0]}"
    made = rl.items.add(SERVICE.format(name=name, owner=reference, service=service))
    if owner.namespace:
        made.namespace = owner.namespace
    project = owner.get("spec.projectID")
    if project:
        made.set("spec.projectRef.external", project)
    made.move_to(f"service_{name}.yaml")
    rl.results.info("generated service", made)


if __name__ == "__main__":
    transform.main()
