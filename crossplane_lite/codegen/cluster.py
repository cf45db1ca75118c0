"""The definitions of a live API server, read through kubectl: CustomResourceDefinitions and OpenAPI documents."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .._manifests.yaml import Document
from .._programs.kubectl import ApiServer
from ..errors import InputError

__all__ = ["documents"]

_CRDS: Final = "customresourcedefinitions.apiextensions.k8s.io"
# The documents of one group and version. The index has others, without kinds.
_PATH: Final = re.compile(r"api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+)")
_TIMEOUT: Final = 120.0  # a provider of a thousand kinds is a quarter of a gigabyte


def documents(context: str, only: Sequence[str] = ()) -> Iterator[Document]:
    """Yield the definitions of an API server.

    A kind with a CustomResourceDefinition is read from that, and any other from the OpenAPI document of its group and
    version.

    Args:
        context: The context of kubectl; empty for the current one.
        only: Patterns `GROUP/KIND`; documents of groups that none of them can mean are not fetched.

    Raises:
        InputError: The API server can't be read: the message has kubectl's own text.
    """
    server = ApiServer(context, _TIMEOUT)
    listed = server.object(["get", "--output=json", _CRDS], "CustomResourceDefinitions") or {}
    items = listed.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InputError(f"kubectl printed no list of the CustomResourceDefinitions of {server}")
    defined: set[tuple[str, str]] = set()
    for item in items:
        crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **item}
        defined.update(_versions(crd))
        yield Document(f"{server}, {_name(crd)}", crd)
    wanted = [pattern.rpartition("/")[0].lower() for pattern in only]
    for path in sorted(server.paths()):
        found = _PATH.fullmatch(path)
        if found is None:
            continue
        group, version = found["group"] or "", found["version"] or found["core"]
        names = (group, "core") if not group else (group,)
        if (group, version) in defined:
            continue
        if wanted and not any(fnmatch.fnmatchcase(name.lower(), one) for name in names for one in wanted):
            continue
        document = server.document(path, lambda content, where: Document(where, content))
        assert document is not None  # it is in the index
        yield document


def _versions(crd: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    spec = crd.get("spec")
    if isinstance(spec, Mapping) and isinstance(spec.get("versions"), list):
        for version in spec["versions"]:
            if isinstance(version, Mapping):
                yield str(spec.get("group")), str(version.get("name"))


def _name(crd: Mapping[str, Any]) -> str:
    metadata = crd.get("metadata")
    return str(metadata.get("name")) if isinstance(metadata, Mapping) else "a definition without a name"
