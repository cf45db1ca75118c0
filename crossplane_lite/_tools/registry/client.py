"""Asks a registry, with the login that docker, podman or crane have saved.

This speaks the OCI distribution specification itself. The one client in Python that is kept well
(oras) writes manifests of its own, so the digest in the registry would not be the one that was
printed and signed.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from ..._core.base.terminal import going_on
from ...errors import InputError
from .logins import TOKEN, saved_login
from .references import Reference

_CHALLENGE: Final = re.compile(r'(\w+)="([^"]*)"')
_TIMEOUT: Final = 120.0
_LARGEST_ANSWER: Final = 1 << 20
_PART: Final = 1 << 20
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_MOST_REDIRECTS: Final = 5
# Docker Hub's registry has another name than its images, and its login a third one.
_HUB_NAMES: Final = ("docker.io", "index.docker.io")
_HUB: Final = "registry-1.docker.io"
_HUB_LOGIN: Final = "https://index.docker.io/v1/"
# The types of manifests and of indexes that are asked for.
_MANIFESTS: Final = ", ".join(
    f"application/vnd.{name}+json"
    for name in (
        "oci.image.index.v1",
        "oci.image.manifest.v1",
        "docker.distribution.manifest.list.v2",
        "docker.distribution.manifest.v2",
    )
)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a registry redirects to its storage, which must not see the login."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Sent:
    """A file that says how much of it was read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._all = f"{os.fstat(file.fileno()).st_size / 1e6:,.1f} MB"
        self._done = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._done += len(data)
        going_on(f"{self._done / 1e6:,.1f} of {self._all}")
        return data


class Target:
    """A file that gets an answer.

    Args:
        file: The file.
        largest: The most bytes that it may get.
        algorithm: The algorithm of the hash.

    Attributes:
        size: The bytes that it got.
        hash: The hash object of these.
    """

    def __init__(self, file: BinaryIO, largest: int, algorithm: str = "sha256") -> None:
        self._file = file
        self._largest = largest
        self.size = 0
        self.hash = hashlib.new(algorithm)

    def take(self, answer: Any, host: str) -> None:
        """Write an answer to the file, part by part.

        Raises:
            InputError: It is longer than the file may be.
        """
        while data := answer.read(_PART):
            self.size += len(data)
            if self.size > self._largest:
                raise InputError(
                    f"{host} sends more than {self._largest:,} bytes, the most that are expected"
                    " here"
                )
            self.hash.update(data)
            self._file.write(data)
            going_on(f"{self.size / 1e6:,.1f} MB")


class Client:
    """Asks for one repository of a registry.

    Args:
        reference: The name of what is asked for.
        actions: What the login must allow: `pull`, or `pull,push`.

    Raises:
        InputError: The saved login can't be read.
    """

    def __init__(self, reference: Reference, actions: str = "pull") -> None:
        self.host = reference.host
        name = self.host.rpartition(":")[0] if re.search(r":\d+$", self.host) else self.host
        # Like other tools, only a registry on this machine is asked without TLS.
        scheme = "http" if name in ("localhost", "127.0.0.1", "[::1]") else "https"
        is_hub = self.host in _HUB_NAMES
        self.root = f"{scheme}://{_HUB if is_hub else self.host}"
        self.base = f"{self.root}/v2/{reference.repository}"
        self._scope = f"repository:{reference.repository}:{actions}"
        # A proxy is for other machines, whatever NO_PROXY says.
        self._opener = urllib.request.build_opener(
            _NoRedirect, *([urllib.request.ProxyHandler({})] if scheme == "http" else [])
        )
        self._login = saved_login(_HUB_LOGIN if is_hub else self.host)
        self._authorization: str | None = None

    def fetch(self, what: str, name: str, target: Target) -> None:
        """Write a manifest or a blob to a file. Its digest is up to the caller.

        Args:
            what: `manifests` or `blobs`.
            name: The digest, or a manifest's tag.
            target: The file.

        Raises:
            InputError: The registry refuses it or can't be reached, or the answer is too long.
        """
        url = f"{self.base}/{what}/{name}"
        accepted = _MANIFESTS if what == "manifests" else ""
        for _ in range(_MOST_REDIRECTS):
            status, headers, _ = self.ask(
                "GET", url, media_type=accepted, wanted=(200, *_REDIRECTS), target=target
            )
            if status == 200:
                return
            url = self.elsewhere(url, headers, "download")
        raise InputError(
            f"{self.host} leads to other places without an end for {what}/{name}: ask who runs it"
        )

    def elsewhere(self, url: str, headers: Any, what: str) -> str:
        """Return the place that the answer of a registry leads to.

        Args:
            url: The place that was asked.
            headers: The headers of the answer.
            what: What happens there, for the message.

        Raises:
            InputError: The place is none, or has no TLS, and the registry has.
        """
        try:
            place = str(urllib.parse.urljoin(url, headers.get("Location") or ""))
        except ValueError:  # such as a bracket that isn't closed
            place = ""
        allowed = ("https://", "http://") if self.root.startswith("http:") else ("https://",)
        if not place.startswith(allowed):
            raise InputError(f"{self.host} wants the {what} without TLS, at {place}: not done")
        return place

    def ask(
        self,
        method: str,
        url: str,
        content: bytes | Path | None = None,
        media_type: str = "",
        *,
        wanted: Sequence[int],
        target: Target | None = None,
    ) -> tuple[int, Any, bytes]:
        """Send a request, with the login where the registry asks for it, and return the status,
        headers and body.

        Args:
            method: The method.
            url: The place.
            content: What is sent.
            media_type: The type of what is sent, or of what is asked for.
            wanted: The statuses that are no error.
            target: The file that gets a body of status 200; None to return it.

        Raises:
            InputError: The status is another, or there is no answer.
        """
        status, headers, body = self._send(method, url, content, media_type, target)
        if status == 401 and self._is_own(url):
            self._authorization = self._authorize(headers.get("WWW-Authenticate") or "")
            status, headers, body = self._send(method, url, content, media_type, target)
        if status in wanted:
            return status, headers, body
        place = urllib.parse.urlsplit(url)
        hint = ""
        if status in (401, 403) and self._is_own(url):
            login = f"the login of {self._login[0]}" if self._login else "no login"
            hint = f" ({login} was used; log in with docker login {self.host})"
        reason = _reason(body) or http.client.responses.get(status, "")
        raise InputError(f"{place.netloc} refuses {method} {place.path}: {status} {reason}{hint}")

    def _is_own(self, url: str) -> bool:
        return url.startswith(f"{self.root}/")

    def _send(
        self,
        method: str,
        url: str,
        content: bytes | Path | None,
        media_type: str,
        target: Target | None,
    ) -> tuple[int, Any, bytes]:
        headers = {
            "User-Agent": "crossplane-lite",
            "Content-Type": media_type,
            "Accept": media_type,
        }
        if content is None:
            del headers["Content-Type"]
        if self._authorization is not None and self._is_own(url):
            headers["Authorization"] = self._authorization
        if isinstance(content, Path):
            headers["Content-Length"] = str(content.stat().st_size)
            with open(content, "rb") as file:
                return self._open(method, url, _Sent(file), headers)
        return self._open(method, url, content, headers, target)

    def _open(
        self,
        method: str,
        url: str,
        data: Any,
        headers: Mapping[str, str],
        target: Target | None = None,
    ) -> tuple[int, Any, bytes]:
        sent = {key: value for key, value in headers.items() if value}
        host = urllib.parse.urlsplit(url).netloc
        try:
            request = urllib.request.Request(url, data=data, headers=sent, method=method)
            with self._opener.open(request, timeout=_TIMEOUT) as answer:
                if target is None:
                    return answer.status, answer.headers, answer.read(_LARGEST_ANSWER)
                target.take(answer, host)
                return answer.status, answer.headers, b""
        except urllib.error.HTTPError as e:
            with e:
                return e.code, e.headers, e.read(_LARGEST_ANSWER)
        except InputError:
            raise
        except (OSError, ValueError, http.client.HTTPException) as e:
            reason = getattr(e, "reason", None) or e
            raise InputError(f"can't reach {host}: {reason}") from None

    def _authorize(self, challenge: str) -> str:
        """Return the header with which a registry's challenge is answered."""
        scheme, _, rest = challenge.partition(" ")
        basic = (
            f"Basic {base64.b64encode(':'.join(self._login).encode()).decode()}"
            if self._login
            else None
        )
        if scheme.lower() != "bearer":
            return basic or ""
        said = dict(_CHALLENGE.findall(rest))
        realm = said.get("realm", "")
        if not realm.startswith("https://") and not (
            self.root.startswith("http:") and realm.startswith("http://")
        ):
            raise InputError(f"{self.host} sends logins to {realm!r}, which has no TLS: not done")
        asked = {"service": said.get("service", ""), "scope": self._scope}
        headers = {"User-Agent": "crossplane-lite"}
        if self._login and self._login[0] == TOKEN:
            more = {
                "grant_type": "refresh_token",
                "refresh_token": self._login[1],
                "client_id": "crossplane-lite",
            }
            form = urllib.parse.urlencode({**asked, **more}).encode()
            status, _, body = self._open("POST", realm, form, headers)
        else:
            url = f"{realm}{'&' if '?' in realm else '?'}{urllib.parse.urlencode(asked)}"
            status, _, body = self._open(
                "GET", url, None, {**headers, **({"Authorization": basic} if basic else {})}
            )
        try:
            answer = json.loads(body) if status == 200 else {}
            token = answer.get("token") or answer.get("access_token")
        except (ValueError, AttributeError):
            token = None
        if not token:
            raise InputError(
                f"{urllib.parse.urlsplit(realm).netloc} gives no token for {self.host}: {status} "
                f"{_reason(body)}; log in with docker login {self.host}"
            )
        return f"Bearer {token}"


def _reason(body: bytes) -> str:
    """Return the messages of a registry's error, without control characters."""
    try:
        found = [str(one.get("message") or one.get("code")) for one in json.loads(body)["errors"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        found = [body[:200].decode(errors="replace")]
    return "".join(c if c.isprintable() else " " for c in "; ".join(found))[:300].strip()
