"""ensure-name-substring: a prefix or suffix in every name, and in the fields that name these
resources.
"""

from __future__ import annotations

from crossplane_lite import krm

if __package__:
    from .fields import Field, config_of, resources_of
else:  # run by its path
    from fields import Field, config_of, resources_of

LEFT_ALONE = ("CustomResourceDefinition", "Namespace", "APIService")

_PODS = ("spec", "spec/template/spec", "spec/jobTemplate/spec/template/spec")
_CONTAINERS = [f"{pod}/{kind}[]" for pod in _PODS for kind in ("containers", "initContainers")]
_BACKEND = "backend/service/name"
# Which fields name a resource of a kind.
REFERENCES = {
    "ConfigMap": [
        *(Field(f"{pod}/volumes[]/configMap/name") for pod in _PODS),
        *(Field(f"{pod}/volumes[]/projected/sources[]/configMap/name") for pod in _PODS),
        *(Field(f"{one}/env[]/valueFrom/configMapKeyRef/name") for one in _CONTAINERS),
        *(Field(f"{one}/envFrom[]/configMapRef/name") for one in _CONTAINERS),
    ],
    "Secret": [
        *(Field(f"{pod}/volumes[]/secret/secretName") for pod in _PODS),
        *(Field(f"{pod}/volumes[]/projected/sources[]/secret/name") for pod in _PODS),
        *(Field(f"{pod}/imagePullSecrets[]/name") for pod in _PODS),
        *(Field(f"{one}/env[]/valueFrom/secretKeyRef/name") for one in _CONTAINERS),
        *(Field(f"{one}/envFrom[]/secretRef/name") for one in _CONTAINERS),
        Field("imagePullSecrets[]/name", "ServiceAccount"),
        Field("secrets[]/name", "ServiceAccount"),
        Field("spec/tls[]/secretName", "Ingress"),
    ],
    "PersistentVolumeClaim": [
        Field(f"{pod}/volumes[]/persistentVolumeClaim/claimName") for pod in _PODS
    ],
    "ServiceAccount": [Field(f"{pod}/serviceAccountName") for pod in _PODS],
    "Service": [
        Field("spec/serviceName", "StatefulSet"),
        Field("spec/defaultBackend/service/name", "Ingress"),
        Field(f"spec/rules[]/http/paths[]/{_BACKEND}", "Ingress"),
    ],
}
# Fields that name a resource together with its kind, which stands beside.
KINDED = [
    Field("subjects[]/name", "RoleBinding"),
    Field("subjects[]/name", "ClusterRoleBinding"),
    Field("roleRef/name", "RoleBinding"),
    Field("roleRef/name", "ClusterRoleBinding"),
    Field("spec/scaleTargetRef/name", "HorizontalPodAutoscaler"),
]


def _substring(rl: krm.ResourceList) -> tuple[str, bool, list[Field]] | None:
    """Return the text, whether it comes first, and further fields that hold names; None where that
    isn't said.
    """
    found = config_of(rl, "EnsureNameSubstring", "name")
    if found is None:
        return None
    config, extra = found
    if config is rl.function_config:
        text, mode = config.get("substring"), config.get("editMode", "prepend")
    elif len(config) == 1:
        ((mode, text),) = config.items()
    else:
        text, mode = None, ""
    if mode not in ("prepend", "append") or not isinstance(text, str) or not text:
        rl.results.error("functionConfig must have a string to prepend or to append, and only one")
        return None
    return text, mode == "prepend", extra


@krm.function(name="ensure-name-substring")
def transform(rl: krm.ResourceList) -> None:
    """Put a text in front of every name or behind it, unless the name has it already.

    functionConfig is a ConfigMap with prepend or append in its data, or an object of kind
    EnsureNameSubstring with substring, editMode and additionalNameFields.
    """
    wanted = _substring(rl)
    if wanted is None:
        return
    text, is_first, extra = wanted

    def ensured(name: str) -> str:
        return name if text in name else text + name if is_first else name + text

    renamed: dict[tuple[str, str, str], str] = {}
    for resource in resources_of(rl):
        if resource.kind in LEFT_ALONE or not resource.name:
            continue
        before = resource.name
        resource.name = ensured(before)
        renamed[resource.kind, resource.namespace, before] = resource.name
        for field in extra:
            for holder, key in field.places(resource):
                holder[key] = ensured(holder.get(key) or "")
    count = sum(before != after for (_, _, before), after in renamed.items())
    rl.results.info(f"{text!r} was put into the names of {count} resources")
    for resource in rl.items:
        for kind, fields in REFERENCES.items():
            for field in fields:
                for holder, key in field.places(resource):
                    holder[key] = renamed.get((kind, resource.namespace, holder[key]), holder[key])
        for field in KINDED:
            for holder, key in field.places(resource):
                namespace = holder.get("namespace") or resource.namespace
                for one in (namespace, ""):  # what isn't in any namespace is named from each
                    holder[key] = renamed.get(
                        (holder.get("kind", ""), one, holder[key]), holder[key]
                    )


if __name__ == "__main__":
    transform.main()
