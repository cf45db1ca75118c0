"""Pushes images and packages to a registry, with the login that docker, podman or crane have saved.

This speaks the OCI distribution specification itself. The one client in Python that is kept well (oras) writes
manifests of its own, so the digest in the registry would not be the one that was printed and signed.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from ..._core.base.terminal import going_on
from ...errors import InputError
from . import images, sbom

_REFERENCE: Final = re.compile(
    r"(?P<host>(?:localhost|\[[0-9a-f:]+\]|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|[A-Za-z0-9-]+(?=:))(?::\d+)?)/"
    r"(?P<repository>[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*)"
    r":(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127})"
)
_CHALLENGE: Final = re.compile(r'(\w+)="([^"]*)"')
_TIMEOUT: Final = 120.0
_LARGEST_ANSWER: Final = 1 << 20
_TOKEN: Final = "<token>"  # the user of a login with an identity token


class Reference(NamedTuple):
    """The name of an image in a registry: `host/repository:tag`."""

    host: str
    repository: str
    tag: str


def reference_of(text: str) -> Reference:
    """Return the parts of a reference.

    Raises:
        InputError: The text isn't `HOST/REPOSITORY:TAG`.
    """
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise InputError(
            f"{text!r} isn't the name of a package in a registry: give HOST/REPOSITORY:TAG, such as "
            "registry.example.com/team/function-network:v0.1.0"
        )
    return Reference(match["host"], match["repository"], match["tag"])


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


class Registry:
    """A repository of a registry.

    Args:
        reference: The reference of what is pushed.

    Raises:
        InputError: The saved login can't be read.
    """

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        name = reference.host.rpartition(":")[0] if re.search(r":\d+$", reference.host) else reference.host
        # Like other tools, only a registry on this machine is asked without TLS.
        scheme = "http" if name in ("localhost", "127.0.0.1", "[::1]") else "https"
        self._root = f"{scheme}://{reference.host}"
        self._base = f"{self._root}/v2/{reference.repository}"
        # A proxy is for other machines, whatever NO_PROXY says.
        self._opener = urllib.request.build_opener(
            _NoRedirect, *([urllib.request.ProxyHandler({})] if scheme == "http" else [])
        )
        self._login = _saved_login(reference.host)
        self._authorization: str | None = None

    def push(self, digest: str, content: bytes | Path) -> None:
        """Upload a blob, unless the repository has it.

        Raises:
            InputError: The registry refuses it, or can't be reached.
        """
        if self._ask("HEAD", f"{self._base}/blobs/{digest}", wanted=(200, 307, 404))[0] != 404:
            return
        _, headers, _ = self._ask("POST", f"{self._base}/blobs/uploads/", b"", wanted=(202,))
        place = urllib.parse.urljoin(self._root, headers.get("Location") or "")
        if self._root.startswith("https:") and not place.startswith("https:"):
            raise InputError(f"{self._reference.host} wants the upload without TLS, at {place}: not done")
        place += f"{'&' if '?' in place else '?'}digest={urllib.parse.quote(digest)}"
        self._ask("PUT", place, content, "application/octet-stream", wanted=(201,))

    def put(self, name: str, content: bytes, media_type: str) -> Any:
        """Upload a manifest or an index under a tag or its digest, and compare the digest that the registry has.

        Returns:
            The headers of the registry's answer.

        Raises:
            InputError: The registry refuses it, can't be reached, or has another digest.
        """
        place = f"{self._base}/manifests/{name}"
        _, answered, _ = self._ask("PUT", place, content, media_type, wanted=(201,))
        digest = answered.get("Docker-Content-Digest")
        if digest is None:
            _, headers, _ = self._ask("HEAD", place, media_type=media_type, wanted=(200,))
            digest = headers.get("Docker-Content-Digest")
        if digest != images.digest_of(content):
            raise InputError(
                f"{self._reference.host} says that {name} has the digest {digest}, and {images.digest_of(content)} was "
                "pushed: ask who runs the registry"
            )
        return answered

    def attach(self, subject: Mapping[str, Any], content: bytes) -> None:
        """Upload an SBOM as a referrer of a manifest, which `oras discover` and scanners find by the manifest's digest.

        Args:
            subject: The manifest's descriptor.
            content: The SBOM.

        Raises:
            InputError: The registry refuses it, can't be reached, or has something else in the place of the list of
                referrers.
        """
        layer = images.descriptor(sbom.MEDIA_TYPE, content)
        empty = images.descriptor("application/vnd.oci.empty.v1+json", b"{}")
        made, media_type = images.artifact(sbom.MEDIA_TYPE, empty, layer, subject)
        self.push(layer["digest"], content)
        self.push(empty["digest"], b"{}")
        if self.put(images.digest_of(made), made, media_type).get("OCI-Subject"):
            return
        # The registry keeps no lists of referrers, so the list is an index under a tag that the digest makes.
        tag = subject["digest"].replace(":", "-")
        status, _, body = self._ask("GET", f"{self._base}/manifests/{tag}", media_type=images.INDEX, wanted=(200, 404))
        try:
            entries = json.loads(body)["manifests"] if status == 200 else []
            entry = {**images.descriptor(media_type, made), "artifactType": sbom.MEDIA_TYPE}
            others = [one for one in entries if one["digest"] != entry["digest"]]
        except (ValueError, KeyError, TypeError):
            raise InputError(
                f"{self._reference.host}: {tag} must be a list of referrers, and is something else"
            ) from None
        self.put(tag, images.index([*others, entry]), images.INDEX)

    def _ask(
        self, method: str, url: str, content: bytes | Path | None = None, media_type: str = "", *, wanted: Sequence[int]
    ) -> tuple[int, Any, bytes]:
        """Send a request, with the login where the registry asks for it, and return the status, headers and body."""
        status, headers, body = self._send(method, url, content, media_type)
        if status == 401 and self._is_own(url):
            self._authorization = self._authorize(headers.get("WWW-Authenticate") or "")
            status, headers, body = self._send(method, url, content, media_type)
        if status in wanted:
            return status, headers, body
        hint = ""
        if status in (401, 403):
            login = f"the login of {self._login[0]}" if self._login else "no login"
            hint = f" ({login} was used; log in with docker login {self._reference.host})"
        raise InputError(
            f"{self._reference.host} refuses {method} {urllib.parse.urlsplit(url).path}: {status} {_reason(body)}{hint}"
        )

    def _is_own(self, url: str) -> bool:
        return url.startswith(f"{self._root}/")

    def _send(self, method: str, url: str, content: bytes | Path | None, media_type: str) -> tuple[int, Any, bytes]:
        headers = {"User-Agent": "crossplane-lite", "Content-Type": media_type, "Accept": media_type}
        if self._authorization is not None and self._is_own(url):
            headers["Authorization"] = self._authorization
        if isinstance(content, Path):
            headers["Content-Length"] = str(content.stat().st_size)
            with open(content, "rb") as file:
                return self._open(method, url, _Sent(file), headers)
        return self._open(method, url, content, headers)

    def _open(self, method: str, url: str, data: Any, headers: Mapping[str, str]) -> tuple[int, Any, bytes]:
        sent = {key: value for key, value in headers.items() if value}
        request = urllib.request.Request(url, data=data, headers=sent, method=method)
        try:
            with self._opener.open(request, timeout=_TIMEOUT) as answer:
                return answer.status, answer.headers, answer.read(_LARGEST_ANSWER)
        except urllib.error.HTTPError as e:
            return e.code, e.headers, e.read(_LARGEST_ANSWER)
        except (OSError, ValueError) as e:
            reason = getattr(e, "reason", None) or e
            raise InputError(f"can't reach {urllib.parse.urlsplit(url).netloc}: {reason}") from None

    def _authorize(self, challenge: str) -> str:
        """Return the header with which a registry's challenge is answered."""
        scheme, _, rest = challenge.partition(" ")
        basic = f"Basic {base64.b64encode(':'.join(self._login).encode()).decode()}" if self._login else None
        if scheme.lower() != "bearer":
            return basic or ""
        said = dict(_CHALLENGE.findall(rest))
        realm = said.get("realm", "")
        if not realm.startswith("https://") and not (self._root.startswith("http:") and realm.startswith("http://")):
            raise InputError(f"{self._reference.host} sends logins to {realm!r}, which has no TLS: not done")
        asked = {"service": said.get("service", ""), "scope": f"repository:{self._reference.repository}:pull,push"}
        headers = {"User-Agent": "crossplane-lite"}
        if self._login and self._login[0] == _TOKEN:
            more = {"grant_type": "refresh_token", "refresh_token": self._login[1], "client_id": "crossplane-lite"}
            form = urllib.parse.urlencode({**asked, **more}).encode()
            status, _, body = self._open("POST", realm, form, headers)
        else:
            url = f"{realm}{'&' if '?' in realm else '?'}{urllib.parse.urlencode(asked)}"
            status, _, body = self._open("GET", url, None, {**headers, **({"Authorization": basic} if basic else {})})
        try:
            answer = json.loads(body) if status == 200 else {}
            token = answer.get("token") or answer.get("access_token")
        except (ValueError, AttributeError):
            token = None
        if not token:
            raise InputError(
                f"{urllib.parse.urlsplit(realm).netloc} gives no token for {self._reference.host}: {status} "
                f"{_reason(body)}; log in with docker login {self._reference.host}"
            )
        return f"Bearer {token}"


def push(reference: Reference, several: Sequence[tuple[images.Image, str | None]]) -> tuple[str, list[str]]:
    """Push images of one name, each with its SBOM: a single image under its tag, several platforms as an index.

    Returns:
        The digest that the registry has, and why SBOMs could not be attached: some registries don't take referrers.

    Raises:
        InputError: Two images are for one platform, the registry refuses something, or it can't be reached.
    """
    registry = Registry(reference)
    platforms = [images.platform_of(image.config) for image, _ in several]
    if twice := next((one for one in platforms if platforms.count(one) > 1), None):
        raise InputError(f"two packages are for {twice}: push one for each platform")
    entries, refused = [], []
    for image, listed in several:
        for layer in image.layers:
            registry.push(layer.digest, layer.file)
        config = images.config_bytes(image.config)
        registry.push(images.digest_of(config), config)
        content, media_type = images.manifest(image)
        entry = images.descriptor(media_type, content)
        registry.put(reference.tag if len(several) == 1 else entry["digest"], content, media_type)
        try:
            if listed is not None:
                registry.attach(entry, listed.encode())
        except InputError as e:
            refused.append(f"the SBOM is not attached: {e}")
        platform = {"architecture": image.config.get("architecture"), "os": image.config.get("os") or "linux"}
        entries.append({**entry, "platform": platform})
    if len(several) == 1:
        return str(entries[0]["digest"]), refused
    content = images.index(entries)
    registry.put(reference.tag, content, images.INDEX)
    return images.digest_of(content), refused


def _saved_login(host: str) -> tuple[str, str] | None:
    """Return the user and the password that are saved for a registry, by docker, podman or a helper program of theirs.

    Raises:
        InputError: A file with logins isn't JSON, or the helper program fails.
    """
    named = os.environ.get("REGISTRY_AUTH_FILE")
    folder = os.environ.get("DOCKER_CONFIG") or os.path.join(os.path.expanduser("~"), ".docker")
    run = os.environ.get("XDG_RUNTIME_DIR")
    places = [named] if named else [os.path.join(folder, "config.json")]
    places += [os.path.join(run, "containers", "auth.json")] if run and not named else []
    for place in places:
        try:
            if login := _login_in(json.loads(Path(place).read_bytes()), host, place):
                return login
        except FileNotFoundError:
            continue
        except (OSError, ValueError, AttributeError, KeyError, TypeError) as e:  # such as a list for a mapping
            raise InputError(f"the file of logins {place} can't be read: {e}") from None
    return None


def _login_in(saved: Mapping[str, Any], host: str, place: str) -> tuple[str, str] | None:
    helper = (saved.get("credHelpers") or {}).get(host) or saved.get("credsStore")
    if helper and "/" not in helper:
        try:
            done = subprocess.run(
                [f"docker-credential-{helper}", "get"],
                input=host,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as e:
            raise InputError(f"{place} names the program docker-credential-{helper}, which can't be run: {e}") from None
        if done.returncode == 0:
            told = json.loads(done.stdout)
            return told["Username"], told["Secret"]
    entry = (saved.get("auths") or {}).get(host) or (saved.get("auths") or {}).get(f"https://{host}") or {}
    if entry.get("identitytoken"):
        return _TOKEN, entry["identitytoken"]
    if entry.get("auth"):
        user, _, password = base64.b64decode(entry["auth"], validate=True).decode().partition(":")
        return user, password
    return (entry["username"], entry["password"]) if entry.get("username") and entry.get("password") else None


def _reason(body: bytes) -> str:
    """Return the messages of a registry's error, without control characters."""
    try:
        found = [str(one.get("message") or one.get("code")) for one in json.loads(body)["errors"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        found = [body[:200].decode(errors="replace")]
    return "".join(c if c.isprintable() else " " for c in "; ".join(found))[:300].strip()
