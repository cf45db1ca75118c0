"""set-labels: labels on every resource, on the pods that it makes, and in the selectors that pick
these.
"""

from __future__ import annotations

from crossplane_lite import krm

if __package__:
    from .fields import Field, config_of, resources_of
else:  # run by its path
    from fields import Field, config_of, resources_of

_POD_TEMPLATES = [
    ("Deployment", "apps"),
    ("ReplicaSet", "apps"),
    ("DaemonSet", "apps"),
    ("StatefulSet", "apps"),
    ("Job", "batch"),
]
_POLICIES = (
    "spec/podSelector",
    "spec/ingress[]/from[]/podSelector",
    "spec/egress[]/to[]/podSelector",
)
FIELDS = [
    Field("metadata/labels", create=True),
    Field("spec/selector", "Service", "", create=True),
    Field("spec/selector", "ReplicationController", "", create=True),
    Field("spec/template/metadata/labels", "ReplicationController", "", create=True),
    *(
        Field("spec/template/metadata/labels", kind, group, create=True)
        for kind, group in _POD_TEMPLATES
    ),
    *(
        Field("spec/selector/matchLabels", kind, group, create=kind != "Job")
        for kind, group in _POD_TEMPLATES
    ),
    Field("spec/volumeClaimTemplates[]/metadata/labels", "StatefulSet", "apps", create=True),
    Field("spec/jobTemplate/metadata/labels", "CronJob", "batch", create=True),
    Field("spec/jobTemplate/spec/template/metadata/labels", "CronJob", "batch", create=True),
    Field("spec/jobTemplate/spec/selector/matchLabels", "CronJob", "batch"),
    Field("spec/selector/matchLabels", "PodDisruptionBudget", "policy"),
    *(Field(f"{path}/matchLabels", "NetworkPolicy", "networking.k8s.io") for path in _POLICIES),
]


@krm.function(name="set-labels")
def transform(rl: krm.ResourceList) -> None:
    """Set labels on every resource, on its pods, and in selectors.

    functionConfig is a ConfigMap whose data are the labels, or an object of kind SetLabels with
    labels and additionalLabelFields.
    """
    found = config_of(rl, "SetLabels", "labels")
    if found is None:
        return
    config, extra = found
    given = config if config is not rl.function_config else config.get("labels", {})
    labels = dict(sorted(given.items()))  # kpt sends them in any order
    changed = resources_of(rl)
    for resource in changed:
        for field in [*FIELDS, *extra]:
            for holder, key in field.places(resource):
                if holder.get(key) is None:
                    holder[key] = {}
                holder[key].update(labels)
    rl.results.info(f"set {len(labels)} labels in a total of {len(changed)} resources")


if __name__ == "__main__":
    transform.main()
