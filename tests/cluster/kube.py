"""A small client of a Kubernetes API server, on the standard library."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import yaml

__all__ = ["ApiError", "Kube", "wait"]

Json = dict[str, Any]
T = TypeVar("T")

_KINDS = {"merge": "application/merge-patch+json", "apply": "application/apply-patch+yaml"}


class ApiError(Exception):
    """An answer of the API server with a status of 400 or more.

    Attributes:
        code: The status.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code


class Kube:
    """A client with one connection for each thread.

    Args:
        kubeconfig: A file with one cluster and one user, who has a token.
        agent: The name in the audit log, and of the fields that this client applies.
    """

    def __init__(self, kubeconfig: Path, agent: str = "tests") -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        self._host = cluster["server"].removeprefix("https://")
        self._tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self._headers = {"Authorization": f"Bearer {config['users'][0]['user']['token']}", "User-Agent": agent}
        self._agent = agent
        self._local = threading.local()
        self._plurals: dict[str, dict[str, tuple[str, bool]]] = {}

    def request(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        """Return the object that a request is answered with, or the text where it isn't JSON.

        Raises:
            ApiError: The status is 400 or more.
            OSError: The server can't be reached.
        """
        data = None if body is None else json.dumps(body)
        headers = {**self._headers, "Content-Type": kind, "Accept": "application/json"}
        for last in (False, True):  # the server may have closed an idle connection
            connection = getattr(self._local, "connection", None) or self._connect(30)
            self._local.connection = connection
            try:
                connection.request(method, path, data, headers)
                answer = connection.getresponse()
                text = answer.read().decode()
                break
            except (OSError, http.client.HTTPException) as e:
                connection.close()
                self._local.connection = None
                if last:
                    raise OSError(f"{method} {path}: {e!r}") from e
        if answer.status >= 400:
            raise ApiError(answer.status, text[:2000])
        return json.loads(text) if text[:1] in ("{", "[") else text

    def get(self, path: str) -> Any:
        return self.request("GET", path)

    def find(self, path: str) -> Json | None:
        """Return an object; None if it doesn't exist."""
        try:
            found: Json = self.get(path)
        except ApiError as e:
            if e.code != 404:
                raise
            return None
        return found

    def items(self, path: str) -> list[Json]:
        found: list[Json] = self.get(path)["items"]
        return found

    def put(self, path: str, body: Json) -> Json:
        made: Json = self.request("PUT", path, body)
        return made

    def merge(self, path: str, body: Json) -> Json:
        """Change an object by a JSON merge patch. This is somebody's hand, and no owner of fields."""
        made: Json = self.request("PATCH", path, body, _KINDS["merge"])
        return made

    def delete(self, path: str, policy: str = "Background") -> None:
        self.request("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": policy})

    def apply(self, *objects: Json, manager: str | None = None) -> list[Json]:
        """Apply objects by server-side apply, waiting for a new kind to be served, and return them."""
        return [self._apply(one, manager or self._agent) for one in objects]

    def _apply(self, one: Json, manager: str) -> Json:
        def applied() -> Json | None:
            try:
                path = f"{self.path(one)}?fieldManager={manager}&force=true"
                made: Json = self.request("PATCH", path, one, _KINDS["apply"])
                return made
            except ApiError as e:
                # 404: the kind isn't served yet, or has just begun to be; 409: somebody else has written.
                if e.code not in (404, 409):
                    raise
                return None

        made = wait(applied, 60)
        if made is None:
            raise TimeoutError(f"{one['kind']} {one['metadata']['name']} can't be applied")
        return made

    def path(self, one: Json) -> str:
        """Return the path of an object, by its kind, namespace and name.

        Raises:
            ApiError: The kind isn't served (404).
        """
        version, kind, metadata = one["apiVersion"], one["kind"], one["metadata"]
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        known = self._plurals.get(version, {})
        if kind not in known:
            kinds = self.get(base)["resources"]
            known = {k["kind"]: (k["name"], k["namespaced"]) for k in kinds if "/" not in k["name"]}
            self._plurals[version] = known
        if kind not in known:
            raise ApiError(404, f"{version} has no {kind}")
        plural, namespaced = known[kind]
        where = f"/namespaces/{metadata.get('namespace', 'default')}" if namespaced else ""
        return f"{base}{where}/{plural}/{metadata['name']}"

    def watch(self, path: str, seconds: int, version: str = "") -> Iterator[tuple[str, Json]]:
        """Yield what there is and then what changes, as (ADDED, MODIFIED or DELETED, object), for some seconds.

        Args:
            path: The objects' path.
            seconds: How long.
            version: A resource version, since which everything is yielded that has changed, and nothing else.

        Raises:
            ApiError: The server ends the watch with an error.
            OSError: The connection breaks.
        """
        connection = self._connect(seconds + 10)
        initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
        query = f"watch=true&{f'resourceVersion={version}' if version else initial}&allowWatchBookmarks=true"
        connection.request("GET", f"{path}?{query}&timeoutSeconds={seconds}", headers=self._headers)
        answer = connection.getresponse()
        if answer.status >= 400:
            raise ApiError(answer.status, answer.read().decode())
        for line in answer:
            event = json.loads(line)
            if event["type"] == "ERROR":
                raise ApiError(500, str(event["object"]))
            if event["type"] != "BOOKMARK":
                yield event["type"], event["object"]
        connection.close()

    def _connect(self, timeout: float) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(self._host, context=self._tls, timeout=timeout)


def wait(look: Callable[[], T], seconds: float, every: float = 0.3) -> T:
    """Return `look()` as soon as it is true, and its last value when the time is over."""
    until = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < until:
        time.sleep(every)
    return found
