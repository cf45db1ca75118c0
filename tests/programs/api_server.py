"""An API server of Kubernetes that kubectl can read from: discovery, objects, lists and OpenAPI documents."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

__all__ = ["ApiServer", "Kind", "needs_kubectl", "serving"]

Json = dict[str, Any]

needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


class Kind(NamedTuple):
    """A kind that a server has."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool = True

    @property
    def group(self) -> str:
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        return self.api_version.rpartition("/")[2]


class ApiServer:
    """What a server has, and what it was asked.

    Attributes:
        kinds: Its kinds.
        objects: Its objects.
        documents: Its OpenAPI documents by path, such as `apis/apps/v1`, each with its hash.
        forbidden: Plurals that nobody may read.
        silent: Paths below which it gives no answer before it is closed.
        aggregated: Whether discovery is in one document, as newer servers have it.
        asked: The paths of all requests, with their queries.
    """

    def __init__(self, kinds: list[Kind]) -> None:
        self.kinds = kinds
        self.objects: list[Json] = []
        self.documents: dict[str, tuple[str, bytes]] = {}
        self.forbidden: set[str] = set()
        self.silent: set[str] = set()
        self.aggregated = True
        self.asked: list[str] = []
        self.closed = threading.Event()

    def answer(self, target: str, accept: str) -> tuple[int, bytes | Json]:
        """Return the status and the body for a request."""
        self.asked.append(target)
        url = urlsplit(target)
        if any(url.path.startswith(path) for path in self.silent):
            self.closed.wait()
        steps = url.path.strip("/").split("/")
        if steps[0] == "version":
            return 200, {"major": "1", "minor": "33", "gitVersion": "v1.33.0"}
        if steps[0] == "openapi":
            return self._openapi(steps[2:])
        depth = 2 if steps[0] == "api" else 3
        if len(steps) < depth:
            return self._groups(steps[0], "g=apidiscovery.k8s.io;v=v2;" in accept and self.aggregated)
        kinds = [kind for kind in self.kinds if kind.api_version == "/".join(steps[1:depth])]
        if len(steps) == depth and kinds:
            return 200, self._resources(kinds)
        return self._objects(kinds, steps[depth:], parse_qs(url.query))

    def _openapi(self, steps: list[str]) -> tuple[int, bytes | Json]:
        path = "/".join(steps)
        if not path:
            urls = {
                path: {"serverRelativeURL": f"/openapi/v3/{path}" + (f"?hash={digest}" if digest else "")}
                for path, (digest, _) in self.documents.items()
            }
            return 200, {"paths": urls}
        return (200, self.documents[path][1]) if path in self.documents else _failure(404, "NotFound", "no such path")

    def _groups(self, root: str, aggregated: bool) -> tuple[int, Json]:
        kinds = [kind for kind in self.kinds if (root == "api") == (not kind.group)]
        groups = {kind.group: {k.version: k for k in kinds if k.group == kind.group} for kind in kinds}
        if aggregated:
            items = [
                {
                    "metadata": {"name": group},
                    "versions": [
                        {"version": version, "resources": [_discovered(kind) for kind in kinds if kind.group == group]}
                        for version in versions
                    ],
                }
                for group, versions in groups.items()
            ]
            return 200, {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items}
        if root == "api":
            return 200, {"kind": "APIVersions", "versions": ["v1"]}
        names = {g: [{"groupVersion": f"{g}/{v}", "version": v} for v in versions] for g, versions in groups.items()}
        listed = [{"name": g, "versions": each, "preferredVersion": each[0]} for g, each in names.items()]
        return 200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}

    def _resources(self, kinds: list[Kind]) -> Json:
        resources = [
            {
                "name": kind.plural,
                "singularName": kind.kind.lower(),
                "namespaced": kind.namespaced,
                "kind": kind.kind,
                "verbs": ["get", "list"],
            }
            for kind in kinds
        ]
        return {"kind": "APIResourceList", "groupVersion": kinds[0].api_version, "resources": resources}

    def _objects(self, kinds: list[Kind], steps: list[str], query: Mapping[str, list[str]]) -> tuple[int, Json]:
        namespace = None
        if steps[:1] == ["namespaces"] and len(steps) > 2:
            namespace, steps = steps[1], steps[2:]
        kind = next((kind for kind in kinds if [kind.plural] == steps[:1]), None)
        if kind is None:
            return _failure(404, "NotFound", "the server could not find the requested resource")
        if kind.plural in self.forbidden:
            return _failure(403, "Forbidden", f'{kind.plural} is forbidden: User "me" cannot get them')
        found = [
            one
            for one in self.objects
            if (one["apiVersion"], one["kind"]) == (kind.api_version, kind.kind)
            and namespace in (None, one["metadata"].get("namespace"))
        ]
        if len(steps) == 2:
            for one in found:
                if one["metadata"]["name"] == steps[1]:
                    return 200, one
            return _failure(404, "NotFound", f'{kind.plural} "{steps[1]}" not found')
        wanted = [pair.partition("=") for text in query.get("labelSelector", []) for pair in text.split(",")]
        items = [one for one in found if all(_labels(one).get(key) == value for key, _, value in wanted)]
        return 200, {"apiVersion": kind.api_version, "kind": f"{kind.kind}List", "metadata": {}, "items": items}


def _labels(resource: Json) -> Json:
    labels: Json = resource["metadata"].get("labels", {})
    return labels


def _discovered(kind: Kind) -> Json:
    return {
        "resource": kind.plural,
        "responseKind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.kind.lower(),
        "verbs": ["get", "list"],
    }


def _failure(code: int, reason: str, message: str) -> tuple[int, Json]:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    return code, {**status, "code": code, "reason": reason, "message": message}


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        code, body = self.server.api.answer(self.path, self.headers.get("Accept", ""))
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        kind = "application/json"
        if isinstance(body, dict) and body.get("kind") == "APIGroupDiscoveryList":
            kind += ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, api: ApiServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = api

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write nothing: a client that was stopped is no longer there for its answer."""


@contextmanager
def serving(folder: Path, monkeypatch: pytest.MonkeyPatch, api: ApiServer, context: str = "dev") -> Iterator[None]:
    """Serve, with an environment in which kubectl knows the server by a context, and nothing else of its user."""
    server = _Server(api)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_address[1]}"}}],
        "contexts": [{"name": context, "context": {"cluster": "c", "user": "u", "namespace": "default"}}],
        "users": [{"name": "u", "user": {}}],
        "current-context": context,
    }
    (folder / "kubeconfig").write_text(json.dumps(config))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("KUBECONFIG", str(folder / "kubeconfig"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    for name in [name for name in os.environ if name.lower() in ("http_proxy", "https_proxy", "all_proxy")]:
        monkeypatch.delenv(name)
    try:
        yield
    finally:
        api.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()
