"""Merges plain data: field by field, or as a strategic merge patch, as Kubernetes and kustomize
do.
"""

from __future__ import annotations

from .._core.paths.text import show
from ..errors import UsageError
from ._text._nodes import copied, same

# type checkers take it for typing's, which would take longer to import than this module
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from .._core.paths.schema import Schema

    Path: TypeAlias = tuple[str, ...]


# The merge keys of Kubernetes 1.33's own kinds (`x-kubernetes-patch-merge-key`), by the list's key,
# or by that and the key of the object around it. An empty one is for lists of strings that are
# joined.
_KEYS = {
    "addresses": "type",
    "conditions": "type",
    "containers": "name",
    "env": "name",
    "ephemeralContainers": "name",
    "finalizers": "",
    "hostAliases": "ip",
    "hostIPs": "ip",
    "imagePullSecrets": "name",
    "initContainers": "name",
    "ownerReferences": "uid",
    "podCIDRs": "",
    "podIPs": "ip",
    "ports": "containerPort",
    "resourceClaims": "name",
    "schedulingGates": "name",
    "secrets": "name",
    "spec.ports": "port",
    "topologySpreadConstraints": "topologyKey",
    "volumeDevices": "devicePath",
    "volumeMounts": "mountPath",
    "volumes": "name",
}
_GROUPS = (
    "",
    "apps",
    "batch",
    "autoscaling",
    "policy",
    "networking.k8s.io",
    "rbac.authorization.k8s.io",
)
_SOME = object()


def joined(old: Any, new: Any) -> Any:
    """Return two values merged: objects field by field; any other new value replaces the old
    one.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{key: joined(old.get(key), one) for key, one in new.items()}}
    return new


def merged(
    old: dict[str, Any],
    patch: dict[str, Any],
    schema: Mapping[str, Any] | None,
    api_version: Any,
    *,
    prepend: bool,
) -> Any:
    """Return an object after a strategic merge patch; see `Resource.merge`.

    Args:
        old: The object, plain data, which may be changed.
        patch: The patch, plain data.
        schema: The schema of the object's kind, or a CustomResourceDefinition; None to use
            Kubernetes' merge keys.
        api_version: The object's apiVersion.
        prepend: Whether the elements of the patch come first in lists that are merged.

    Raises:
        UsageError: A directive or an element of a list isn't valid.
    """
    from .._core.base.api_version import group_of

    is_known = isinstance(api_version, str) and group_of(api_version) in _GROUPS
    return _Merge(is_known, prepend=prepend).merged(old, patch, _schema_of(schema, api_version), ())


def _schema_of(schema: Any, api_version: Any) -> Schema | None:
    if schema is None:
        return None
    from .._core.paths.schema import Schema
    from .._tools.manifests.crd import crds_in, versions_of

    definitions = crds_in("the schema", schema)
    if definitions is None:
        return Schema(schema)
    version = str(api_version).rpartition("/")[2]
    for one in (one for crd in definitions for one in versions_of("the schema", crd)):
        if one.version == version:
            return Schema(one.schema)
    raise UsageError(f"the {schema.get('kind')} has no version {version!r}")


class _Merge:
    """One strategic merge patch.

    Args:
        is_known: Whether the object is of one of Kubernetes' own kinds, so that their merge keys
            count.
        prepend: Whether the elements of the patch come first in lists that are merged.
    """

    def __init__(self, is_known: bool, *, prepend: bool) -> None:
        self._is_known = is_known
        self._prepend = prepend

    def merged(self, old: Any, patch: dict[str, Any], schema: Schema | None, path: Path) -> Any:
        """Return an object after a patch, or None if the patch removes it."""
        directive = patch.get("$patch", "merge")
        fields = {key: one for key, one in patch.items() if not key.startswith("$")}
        if directive == "delete":
            return None
        if directive not in ("merge", "replace"):
            raise UsageError(
                f"{show((*path, '$patch'))} must be delete, merge or replace (got"
                f" {directive!r:.40})"
            )
        made = old if isinstance(old, dict) and directive == "merge" else {}
        for key, one in fields.items():
            inner, at = schema and schema.below(key), (*path, key)
            if one is None:
                made.pop(key, None)
            elif isinstance(one, dict):
                found = self.merged(made.get(key), one, inner, at)
                if found is None:
                    made.pop(key, None)
                else:
                    made[key] = found
            elif isinstance(one, list):
                made[key] = self.elements(
                    made.get(key), one, inner, at, patch.get(f"$setElementOrder/{key}")
                )
            else:
                made[key] = one
        for key, one in patch.items():
            name = key.partition("/")[2]
            if key.startswith("$deleteFromPrimitiveList/") and isinstance(made.get(name), list):
                made[name] = [other for other in made[name] if not _has(one, other)]
        retained = patch.get("$retainKeys")
        if isinstance(retained, list):
            made = {key: one for key, one in made.items() if key in retained}
        return made

    def elements(
        self, old: Any, patch: list[Any], schema: Schema | None, path: Path, order: Any
    ) -> list[Any]:
        """Return a list after a patch: merged by the list's merge keys if it has some, else the
        list of the patch.
        """
        keys = self._keys(schema, path)
        if keys is None or not isinstance(old, list) or _replaces(patch):
            return [self._made(one, schema, path) for one in patch if not _is_directive(one)]
        if not keys:
            first, second = (patch, old) if self._prepend else (old, patch)
            return [*first, *(one for one in second if not _has(first, one))]
        made = self._by_keys(list(old), patch, keys, schema, path)
        if isinstance(order, list):
            known = {}
            for at, other in enumerate(order):
                if isinstance(other, dict):
                    known[repr(other.get(keys[0]))] = at
            made.sort(key=lambda one: known.get(repr(one.get(keys[0])), len(known)))
        return made

    def _by_keys(
        self, made: list[Any], patch: list[Any], keys: list[str], schema: Schema | None, path: Path
    ) -> list[Any]:
        """Return elements after a patch whose elements have the same merge keys, or are new."""
        patched = []
        for at, one in enumerate(patch):
            found = self._at(made, one, keys, (*path, str(at)))
            if found is not None:
                now = self.merged(made[found], one, schema and schema.items, path)
                if now is None:
                    del made[found]
                    continue
                made[found] = now
            elif one.get("$patch") == "delete":
                continue
            else:
                now = self._made(one, schema, path)
                made.append(now)
            patched.append(now)
        if not self._prepend:
            return made
        return patched + [one for one in made if not any(one is other for other in patched)]

    def _made(self, one: Any, schema: Schema | None, path: Path) -> Any:
        return (
            self.merged({}, one, schema and schema.items, path)
            if isinstance(one, dict)
            else copied(one)
        )

    def _at(self, elements: list[Any], one: Any, keys: list[str], path: Path) -> int | None:
        """Return the index of the element with the same merge keys as `one`; None if there is
        none.
        """
        if not isinstance(one, dict) or keys[0] not in one:
            raise UsageError(
                f"{show(path)} must be an object with the merge key {keys[0]} (got {one!r:.60})"
            )
        # Keys after the first, such as a port's protocol, count only if both elements have them.
        for at, other in enumerate(elements):
            if isinstance(other, dict) and same(other.get(keys[0], _SOME), one[keys[0]]):
                if all(
                    key not in one or key not in other or same(one[key], other[key])
                    for key in keys[1:]
                ):
                    return at
        return None

    def _keys(self, schema: Schema | None, path: Path) -> list[str] | None:
        """Return the merge keys of a list, none for one of strings that are joined; None if the
        list is replaced.
        """
        if schema is not None and schema.merge_keys is not None:
            return list(schema.merge_keys)
        if not self._is_known and path[:1] != ("metadata",):
            return None
        key = _KEYS.get(".".join(path[-2:]), _KEYS.get(path[-1]))
        return (
            None
            if key is None
            else [key, "protocol"]
            if path[-1] == "ports"
            else [key]
            if key
            else []
        )


def _has(elements: list[Any], one: Any) -> bool:
    return any(same(one, other) for other in elements)


def _replaces(patch: list[Any]) -> bool:
    """Return whether the first element that is only a directive says that the list is replaced."""
    for one in patch:
        if isinstance(one, dict) and set(one) == {"$patch"}:
            return bool(one["$patch"] == "replace")
    return False


def _is_directive(one: Any) -> bool:
    return isinstance(one, dict) and one.get("$patch") in ("replace", "delete")
