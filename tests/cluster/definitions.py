"""Takes the definitions of Kubernetes' own kinds from an API server: `python -m tests.cluster.definitions KUBECONFIG`.

They go into the package, without descriptions.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any, Final

from crossplane_lite._tools.kubernetes import PATH

from .kube import Kube

__all__ = ["main", "published"]

_KIND: Final = "x-kubernetes-group-version-kind"
_REF: Final = "#/components/schemas/"
# Groups of Kubernetes itself, among those of custom resources.
_GROUPS: Final = (
    "admissionregistration.k8s.io apiextensions.k8s.io apiregistration.k8s.io apps autoscaling batch "
    "certificates.k8s.io coordination.k8s.io discovery.k8s.io events.k8s.io flowcontrol.apiserver.k8s.io "
    "networking.k8s.io node.k8s.io policy rbac.authorization.k8s.io resource.k8s.io scheduling.k8s.io storage.k8s.io"
).split()
Json = dict[str, Any]


def published(kube: Kube) -> Json:
    """Return the kinds of an API server's own groups that it stores, as one OpenAPI v3 document."""
    index = kube.get("/openapi/v3")["paths"]
    schemas: Json = {}
    paths: Json = {}
    roots: list[str] = []
    for name in sorted(index):
        parts = name.split("/")
        is_own = name == "api/v1" or (parts[0] == "apis" and len(parts) == 3 and parts[1] in _GROUPS)
        if not is_own:
            continue
        document = kube.get(index[name]["serverRelativeURL"])
        stored = _stored(document["paths"], paths)
        for component, schema in document["components"]["schemas"].items():
            schemas[component] = _bare(schema)
            if any(_key(one) in stored for one in schema.get(_KIND, ())) and len(schema[_KIND]) == 1:
                roots.append(component)
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": kube.get("/version")["gitVersion"]},
        "paths": paths,
        "components": {"schemas": {name: schemas[name] for name in sorted(_reached(roots, schemas))}},
    }


def _stored(given: Json, paths: Json) -> set[tuple[str, ...]]:
    """Add the path of each kind that can be read by its name to `paths`, and return these kinds."""
    found = set()
    for path, item in given.items():
        operation = item.get("get", {})
        if path.endswith("/{name}") and _KIND in operation:
            paths[path] = {"get": {_KIND: operation[_KIND]}}
            found.add(_key(operation[_KIND]))
    return found


def _key(kind: Json) -> tuple[str, ...]:
    return kind["group"], kind["version"], kind["kind"]


def _bare(value: Any, *, is_properties: bool = False) -> Any:
    """Return a schema without descriptions. A property may be called `description`, too."""
    if isinstance(value, list):
        return [_bare(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _bare(one, is_properties=key == "properties" and not is_properties)
        for key, one in value.items()
        if is_properties or key != "description"
    }


def _reached(roots: list[str], schemas: Json) -> set[str]:
    """Return the components that references lead to from the roots, and the roots."""
    found: set[str] = set()
    work = [*roots]
    while work:
        name = work.pop()
        if name in found:
            continue
        found.add(name)
        text = json.dumps(schemas[name])
        work += [part.split('"')[0] for part in text.split(f'"$ref": "{_REF}')[1:]]
    return found


def main() -> None:
    """Write the definitions of the API server whose kubeconfig is the argument into the package."""
    document = published(Kube(Path(sys.argv[1])))
    text = json.dumps(document, separators=(",", ":"), sort_keys=True)
    PATH.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(document['components']['schemas'])} schemas, {PATH.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
