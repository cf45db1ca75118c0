"""set-annotations: annotations on every resource, and on the pods that it makes."""

from __future__ import annotations

from crossplane_lite import krm

if __package__:
    from .fields import Field, config_of
else:  # run by its path
    from fields import Field, config_of

_POD_TEMPLATES = [
    ("Deployment", "apps"), ("ReplicaSet", "apps"), ("DaemonSet", "apps"), ("StatefulSet", "apps"), ("Job", "batch"),
    ("ReplicationController", ""),
]  # fmt: skip
FIELDS = [
    Field("metadata/annotations", create=True),
    *(Field("spec/template/metadata/annotations", kind, group, create=True) for kind, group in _POD_TEMPLATES),
    Field("spec/jobTemplate/metadata/annotations", "CronJob", "batch", create=True),
    Field("spec/jobTemplate/spec/template/metadata/annotations", "CronJob", "batch", create=True),
]


@krm.function(name="set-annotations")
def transform(rl: krm.ResourceList) -> None:
    """Set annotations on every resource, and on its pods.

    functionConfig is a ConfigMap whose data are the annotations, or an object of kind SetAnnotations with annotations
    and additionalAnnotationFields.
    """
    found = config_of(rl, "SetAnnotations", "annotations")
    if found is None:
        return
    config, extra = found
    annotations = config if config is not rl.function_config else config.get("annotations", {})
    for resource in rl.items:
        for field in [*FIELDS, *extra]:
            for holder, key in field.places(resource):
                if holder.get(key) is None:
                    holder[key] = {}
                holder[key].update(annotations)


if __name__ == "__main__":
    transform.main()
