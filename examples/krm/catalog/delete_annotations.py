"""delete-annotations: without some annotations, wherever they are."""

from __future__ import annotations

from crossplane_lite import krm

if __package__:
    from .fields import resources_of
else:  # run by its path
    from fields import resources_of


@krm.function(name="delete-annotations")
def transform(rl: krm.ResourceList) -> krm.Result | None:
    """Delete annotations from every resource.

    functionConfig is a ConfigMap with data.annotationKeys, keys with commas between them, or an
    object of kind DeleteAnnotations with annotationKeys, a list.
    """
    config = rl.function_config
    keys = (
        config.get("data.annotationKeys", config.get("annotationKeys"))
        if config is not None
        else None
    )
    if not keys:
        return rl.results.error("functionConfig must have annotationKeys")
    wanted = [key.strip() for key in (keys.split(",") if isinstance(keys, str) else keys)]
    count = 0
    for resource in resources_of(rl):
        gone = [key for key in wanted if resource.annotations.pop(key, None) is not None]
        if gone and not resource.annotations:
            resource.delete("metadata.annotations")
        count += len(gone)
    return rl.results.info(f"deleted {count} annotations")


if __name__ == "__main__":
    transform.main()
