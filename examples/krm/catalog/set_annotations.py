"""set-annotations: annotations on every resource, and on the pods that it makes."""

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
    ("ReplicationController", ""),
]
FIELDS = [
    Field("metadata/annotations", create=True),
    *(
        Field("spec/template/metadata/annotations", kind, group, create=True)
        for kind, group in _POD_TEMPLATES
    ),
    Field("spec/jobTemplate/metadata/annotations", "CronJob", "batch", create=True),
    Field("spec/jobTemplate/spec/template/metadata/annotations", "CronJob", "batch", create=True),
]


@krm.function(name="set-annotations")
def transform(rl: krm.ResourceList) -> None:
    """Set annotations on every resource, and on its pods.

    functionConfig is a ConfigMap whose data are the annotations, or an object of kind
    SetAnnotations with annotations and additionalAnnotationFields.
    """
    found = config_of(rl, "SetAnnotations", "annotations")
    if found is None:
        return
    config, extra = found
    given = config if config is not rl.function_config else config.get("annotations", {})
    annotations = dict(sorted(given.items()))  # kpt sends them in any order
    changed = resources_of(rl)
    for resource in changed:
        for field in [*FIELDS, *extra]:
            for holder, key in field.places(resource):
                if holder.get(key) is None:
                    holder[key] = {}
                holder[key].update(annotations)
    rl.results.info(f"set {len(annotations)} annotations in a total of {len(changed)} resources")


if __name__ == "__main__":
    transform.main()
