"""Reads the definitions of an API server with kubectl: CustomResourceDefinitions and OpenAPI
documents.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ...errors import InputError
from ..manifests.objects import metadata_of, text_of
from ..manifests.yaml import Document
from ..programs.kubectl import ApiServer

_CRDS: Final = "customresourcedefinitions.apiextensions.k8s.io"
# The path of a document of one group and version. The index of documents has other paths too, whose
# documents define no kinds.
_PATH: Final = re.compile(r"api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+)")
# seconds; the definitions of a provider with a thousand kinds are a quarter of a gigabyte
_TIMEOUT: Final = 120.0


def documents(context: str, only: Sequence[str] = ()) -> Iterator[Document]:
    """Yield the definitions of an API server: first all CustomResourceDefinitions, then OpenAPI
    documents.

    The OpenAPI document of a group and version isn't fetched if a CustomResourceDefinition has that
    group and version.

    Args:
        context: The name of kubectl's context; empty for the current context.
        only: Patterns `GROUP/KIND`; empty to read all definitions. OpenAPI documents of groups that
            no pattern matches aren't fetched. CustomResourceDefinitions are yielded also if no
            pattern matches them.

    Raises:
        InputError: kubectl can't read the API server (the message has kubectl's own text), or
            kubectl printed something else than definitions.
    """
    server = ApiServer(context, _TIMEOUT)
    listed = server.object(["get", "--output=json", _CRDS], "CustomResourceDefinitions") or {}
    items = listed.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InputError(
            f"kubectl's output for the CustomResourceDefinitions of {server} has no list of objects"
            f" in 'items': look at the output of `kubectl get {_CRDS} --output=json`"
        )
    defined: set[tuple[str, str]] = set()
    for item in items:
        crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **item}
        defined.update(_versions(crd))
        yield Document(
            f"{server}, {text_of(metadata_of(crd).get('name')) or 'a definition without a name'}",
            crd,
        )
    wanted = [pattern.rpartition("/")[0].lower() for pattern in only]
    for path in sorted(server.paths()):
        found = _PATH.fullmatch(path)
        if found is None:
            continue
        group, version = found["group"] or "", found["version"] or found["core"]
        names = (group, "core") if not group else (group,)
        if (group, version) in defined:
            continue
        if wanted and not any(
            fnmatch.fnmatchcase(name.lower(), one) for name in names for one in wanted
        ):
            continue
        document = server.document(path, lambda content, where: Document(where, content))
        assert document is not None  # the index lists it
        yield document


def _versions(crd: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the group and the name of each version in a CustomResourceDefinition; nothing for
    malformed versions.
    """
    spec = crd.get("spec")
    if isinstance(spec, Mapping) and isinstance(spec.get("versions"), list):
        for version in spec["versions"]:
            if isinstance(version, Mapping):
                yield str(spec.get("group")), str(version.get("name"))
