"""set-image: another name, tag or digest for an image, wherever it is used."""

from __future__ import annotations

from crossplane_lite import krm

if __package__:
    from .fields import Field, config_of, resources_of
else:  # run by its path
    from fields import Field, config_of, resources_of

_PODS = ("spec", "spec/template/spec", "spec/jobTemplate/spec/template/spec", "template/spec")
FIELDS = [
    Field(f"{pod}/{containers}[]/image")
    for pod in _PODS
    for containers in ("containers", "initContainers")
]


def replaced(image: str, name: str, new_name: str, new_tag: str, digest: str) -> str:
    """Return what an image becomes; itself where it isn't of that name."""
    bare, at, old_digest = image.partition("@")
    repository, colon, tag = bare.rpartition(":")
    if not colon or "/" in tag:  # the colon is that of a registry's port
        repository, tag = bare, ""
    if repository != name:
        return image
    repository = new_name or repository
    if digest:
        return f"{repository}@{digest}"
    if new_tag:
        return f"{repository}:{new_tag}"
    return repository + (f":{tag}" if tag else "") + (f"@{old_digest}" if at else "")


@krm.function(name="set-image")
def transform(rl: krm.ResourceList) -> None:
    """Set the image of every container that has an image of a name.

    functionConfig is a ConfigMap with name and newName, newTag or digest in its data, or an object
    of kind SetImage with these in its field image, and additionalImageFields.
    """
    found = config_of(rl, "SetImage", "image")
    if found is None:
        return
    config, extra = found
    wanted = config if config is not rl.function_config else config.get("image", {})
    name, new_name, new_tag, digest = (
        wanted.get(key) or "" for key in ("name", "newName", "newTag", "digest")
    )
    if not name:
        rl.results.error("functionConfig must have name, the image to replace")
    elif not (new_name or new_tag or digest):
        rl.results.error("functionConfig must have newName, newTag or digest")
    elif new_tag and digest:
        rl.results.error("functionConfig can't have both newTag and digest")
    else:
        count = 0
        for resource in resources_of(rl):
            for field in [*FIELDS, *extra]:
                for holder, key in field.places(resource):
                    if isinstance(before := holder.get(key, name), str):
                        holder[key] = replaced(before, name, new_name, new_tag, digest)
                        count += holder[key] != before
        rl.results.info(f"summary: updated a total of {count} image(s)")


if __name__ == "__main__":
    transform.main()
