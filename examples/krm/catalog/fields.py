"""What the catalog's functions have in common: configs, fields picked by group, version and kind,
and setters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from crossplane_lite import krm


class Field(NamedTuple):
    """A field of some resources. In its path `name[]` goes through each element of a list."""

    path: str
    kind: str = ""
    group: str | None = None
    create: bool = False
    version: str = ""

    def fits(self, resource: krm.Resource) -> bool:
        """Say whether a resource is one of these."""
        group, _, version = resource.api_version.rpartition("/")
        return (
            self.kind in ("", resource.kind)
            and self.group in (None, group)
            and self.version in ("", version)
            and bool(resource.kind)
        )

    def places(self, resource: krm.Resource) -> Iterator[tuple[Any, str]]:
        """Yield each object that has the field, or is to have it, and the field's key."""
        if self.fits(resource):
            yield from _places(resource, self.path.split("/"), self.create)


def _places(holder: Any, steps: list[str], create: bool) -> Iterator[tuple[Any, str]]:
    key, rest = steps[0].removesuffix("[]"), steps[1:]
    if not rest and not steps[0].endswith("[]"):
        if create or key in holder:
            yield holder, key
        return
    if key not in holder:
        if not create or steps[0].endswith("[]"):
            return
        holder[key] = {}
    below = holder[key]
    for one in below if steps[0].endswith("[]") else [below]:
        if krm.is_map(one):
            yield from _places(one, rest, create)


def resources_of(rl: krm.ResourceList) -> krm.Items:
    """Return the resources of the application: neither the Kptfile nor those that are only for
    tools.
    """
    return rl.where_not(lambda one: one.is_local_config or one.kind == "Kptfile")


def config_of(rl: krm.ResourceList, kind: str, what: str) -> tuple[Any, list[Field]] | None:
    """Return what functionConfig says, and further fields; None, with an error among the results,
    for nothing.

    Args:
        rl: The list.
        kind: The kind of a functionConfig that is no ConfigMap.
        what: What that has in its field: `labels` has its further fields in
            `additionalLabelFields`.
    """
    config = rl.function_config
    if rl.config is None or config is None:
        rl.results.error(f"functionConfig is required: a ConfigMap, or an object of kind {kind}")
        return None
    if config.kind == "ConfigMap":
        return config.get("data", {}), []
    if config.kind != kind:
        rl.results.error(
            f"functionConfig must be a ConfigMap or of kind {kind} (got {config.kind})", config
        )
        return None
    extra = config.get(f"additional{what.removesuffix('s').capitalize()}Fields", [])
    fields = [
        Field(
            one["path"],
            one.get("kind", ""),
            one.get("group"),
            bool(one.get("create")),
            one.get("version", ""),
        )
        for one in extra
    ]
    return config, fields


_SETTER = re.compile(r"\$\{([^{}]+)\}")


def setters_in(comment: str) -> str:
    """Return the pattern of a setter comment, such as `${image}:${tag}`; empty for another
    comment.
    """
    return comment.removeprefix("kpt-set:").strip() if comment.startswith("kpt-set:") else ""


def names_in(pattern: str) -> list[str]:
    """Return the setters of a pattern, in their order."""
    return _SETTER.findall(pattern)


def filled(pattern: str, values: dict[str, str]) -> str:
    """Return a pattern with values in the places of its setters."""
    return _SETTER.sub(lambda found: values[found[1]], pattern)


def derived(pattern: str, text: str) -> dict[str, str]:
    """Return the values that setters have where a pattern has become a text; none where it can't
    have.
    """
    names: list[str] = []
    parts = []
    for at, part in enumerate(_SETTER.split(pattern)):
        if at % 2 == 0:
            parts.append(re.escape(part))
        elif part in names:
            parts.append(rf"(?:\{names.index(part) + 1})")
        else:
            names.append(part)
            parts.append("(.+)")
    found = re.fullmatch("".join(parts), text, re.DOTALL)
    return dict(zip(names, found.groups(), strict=True)) if found else {}


def text_of(value: Any) -> str:
    """Return a value that is no list and no object as people write it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
