"""A registry of packages that answers as a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.manifests.packages import Oci, digest, layer

__all__ = ["Answer", "Registry", "packaged", "registry", "serving"]

Answer = tuple[int, Mapping[str, str], bytes]
"""The status, the headers and the body of an answer."""


class Registry(dict[str, Answer]):
    """The answers of a registry, by path, and what it was asked.

    Attributes:
        address: Its address.
        asked: The path and the login of each request.
    """

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        self.asked: list[tuple[str, str]] = []

    def add(self, name: str, image: Oci, entry: Mapping[str, Any]) -> str:
        """Serve an image under `team/a:TAG` and by its digests; return the digest that the tag stands for.

        Args:
            name: The tag.
            image: The image.
            entry: The descriptor of what the tag stands for.
        """
        for file, content in image.files.items():
            place = file.removeprefix("blobs/").replace("/", ":")
            for what in ("manifests", "blobs"):
                self[f"/v2/team/a/{what}/{place}"] = (200, {}, content)
        found: str = entry["digest"]
        self[f"/v2/team/a/manifests/{name}"] = self[f"/v2/team/a/manifests/{found}"]
        return found

    def paths(self) -> list[str]:
        """Return what was asked since the last call, without what all paths begin with."""
        found = [path.removeprefix("/v2/team/a/") for path, _ in self.asked]
        self.asked.clear()
        return found


@contextmanager
def serving() -> Iterator[Registry]:
    """Run such a registry on this machine. Paths without an answer are 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append((self.path, self.headers.get("Authorization") or ""))
            status, headers, body = found.get(self.path, (404, {}, b'{"errors": [{"message": "unknown"}]}'))
            self.send_response(status)
            for key, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(key, value)
            self.end_headers()
            with suppress(ConnectionError):  # who asks has enough
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Registry(f"127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def packaged(*definitions: Mapping[str, Any], **more: bytes) -> tuple[Oci, dict[str, Any]]:
    """Return a package of definitions, with a layer of a program that nobody needs, and its descriptor."""
    image = Oci()
    content = more.get("content") or b"\n---\n".join(json.dumps(one).encode() for one in definitions)
    base = layer(content)
    made = image.image((layer(b"program", "bin/run"), {}), (base, {"io.crossplane.xpkg": "base"}))
    assert digest(base) in json.dumps([*image.files]).replace("/", ":")
    return image, made


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry, with an empty cache, no login, and a folder without a project file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    for name in ("REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    with serving() as found:
        yield found
