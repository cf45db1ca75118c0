"""apply-replacements: values of fields, copied into the fields of other resources, as kustomize's
replacements do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossplane_lite import krm
from crossplane_lite.errors import InputError, UsageError


def _is(resource: krm.Resource, select: Any) -> bool:
    group, _, version = resource.api_version.rpartition("/")
    own = {
        "group": group,
        "version": version,
        "kind": resource.kind,
        "name": resource.name,
        "namespace": resource.namespace,
    }
    return all(own[key] == select[key] for key in own if select.get(key))


def _paths(resource: krm.Resource, path: str) -> Iterator[str]:
    """Yield the paths that a path with stars stands for. Kustomize writes a dot before a
    bracket.
    """
    head, star, tail = path.replace(".[", "[").partition(".*")
    if not star:
        yield head
        return
    found = resource.get(head)
    keys = range(len(found)) if krm.is_list(found) else list(found or ())
    for key in keys:
        yield from _paths(resource, f"{head}[{key if isinstance(key, int) else repr(key)}]{tail}")


def _part(text: Any, options: Any, new: Any = None) -> Any:
    """Return the part of a string that the options name; with a new part, the string with it."""
    if not options.get("delimiter"):
        return text if new is None else new
    parts, at = str(text).split(options["delimiter"]), options.get("index", 0)
    if new is None:
        return parts[at]
    if 0 <= at < len(parts):
        parts[at] = str(new)
    else:
        parts.insert(0 if at < 0 else len(parts), str(new))
    return options["delimiter"].join(parts)


def _value(rl: krm.ResourceList, source: Any) -> Any:
    found = rl.where(lambda one: _is(one, source))
    if len(found) != 1:
        raise UsageError(f"the source {source!r} fits {len(found)} resources; it must fit one")
    path = source.get("fieldPath", "metadata.name").replace(".[", "[")
    value = found[0].get(path)
    if value is None:
        raise InputError(f"{found[0].kind} {found[0].name} has no {path}")
    return _part(value, source.get("options") or {})


@krm.function(name="apply-replacements")
def transform(rl: krm.ResourceList) -> krm.Result | None:
    """Copy values of fields into fields of other resources.

    functionConfig is an object of kind ApplyReplacements, whose replacements are those of
    kustomize: each has a source and targets.
    """
    config = rl.function_config
    if config is None or config.kind != "ApplyReplacements":
        return rl.results.error("functionConfig must be of kind ApplyReplacements")
    for one in config.get("replacements", []):
        value = _value(rl, one["source"])
        for target in one["targets"]:
            _apply(rl, value, target)
    return None


def _apply(rl: krm.ResourceList, value: Any, target: Any) -> None:
    options = target.get("options") or {}
    for resource in rl.where(lambda one: _is(one, target["select"])):
        if any(_is(resource, one) for one in target.get("reject") or ()):
            continue
        for pattern in target.get("fieldPaths") or ["metadata.name"]:
            for path in _paths(resource, pattern):
                before = resource.get(path)
                if before is None and not options.get("create"):
                    raise InputError(
                        f"{resource.kind} {resource.name} has no {path}; options.create makes it"
                    )
                resource.set(path, _part(before, options, value))


if __name__ == "__main__":
    transform.main()
