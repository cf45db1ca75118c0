"""upsert-resource: the resources of functionConfig, in place of those of the same name, or as new
ones.
"""

from __future__ import annotations

from typing import Any

from crossplane_lite import krm

TARGET = "config.kubernetes.io/target-path"


@krm.function(name="upsert-resource")
def transform(rl: krm.ResourceList) -> None:
    """Replace each resource of the same group, kind, namespace and name, or add the resource.

    functionConfig is the resource, or a List of resources. The annotation
    config.kubernetes.io/target-path names the file that is meant.
    """
    config = rl.function_config
    if config is None:
        rl.results.error("functionConfig is required: the resource")
        return
    contents = config["items"] if config.kind == "List" else [config]
    for content in contents:
        _upsert(rl, content.to_dict())


def _upsert(rl: krm.ResourceList, content: dict[str, Any]) -> None:
    metadata = content.get("metadata", {})
    own = {
        key: one for key, one in metadata.get("annotations", {}).items() if "config.k" not in key
    }
    target = metadata.get("annotations", {}).get(TARGET, "")
    metadata = {key: one for key, one in metadata.items() if key != "annotations"}
    wanted = krm.Resource(
        {**content, "metadata": {**metadata, "annotations": own} if own else metadata}
    )
    found = rl.where(lambda one: one.id == wanted.id and target in ("", one.path))
    for item in found:
        item.replace(wanted)
    if not found:
        made = rl.items.add(wanted)
        if target:
            made.move_to(target)


if __name__ == "__main__":
    transform.main()
