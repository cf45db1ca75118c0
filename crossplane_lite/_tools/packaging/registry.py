"""Pushes images and packages to a registry."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..registry.client import Client
from ..registry.references import Reference
from . import images, sbom


class Registry(Client):
    """A repository of a registry that images are pushed to.

    Args:
        reference: The reference of what is pushed.

    Raises:
        InputError: The saved login can't be read.
    """

    def __init__(self, reference: Reference) -> None:
        super().__init__(reference, "pull,push")

    def push(self, digest: str, content: bytes | Path) -> None:
        """Upload a blob, unless the repository has it.

        Raises:
            InputError: The registry refuses it, or can't be reached.
        """
        if self.ask("HEAD", f"{self.base}/blobs/{digest}", wanted=(200, 307, 404))[0] != 404:
            return
        _, headers, _ = self.ask("POST", f"{self.base}/blobs/uploads/", b"", wanted=(202,))
        place = self.elsewhere(self.root, headers, "upload")
        place += f"{'&' if '?' in place else '?'}digest={urllib.parse.quote(digest)}"
        self.ask("PUT", place, content, "application/octet-stream", wanted=(201,))

    def put(self, name: str, content: bytes, media_type: str) -> Any:
        """Upload a manifest or an index under a tag or its digest, and compare the digest that the
        registry has.

        Returns:
            The headers of the registry's answer.

        Raises:
            InputError: The registry refuses it, can't be reached, or has another digest.
        """
        place = f"{self.base}/manifests/{name}"
        _, answered, _ = self.ask("PUT", place, content, media_type, wanted=(201,))
        digest = answered.get("Docker-Content-Digest")
        if digest is None:
            _, headers, _ = self.ask("HEAD", place, media_type=media_type, wanted=(200,))
            digest = headers.get("Docker-Content-Digest")
        if digest != images.digest_of(content):
            raise InputError(
                f"{self.host} says that {name} has the digest {digest}, and"
                f" {images.digest_of(content)} was pushed: ask who runs the registry"
            )
        return answered

    def attach(self, subject: Mapping[str, Any], content: bytes) -> None:
        """Upload an SBOM as a referrer of a manifest, which `oras discover` and scanners find by
        the manifest's digest.

        Args:
            subject: The manifest's descriptor.
            content: The SBOM.

        Raises:
            InputError: The registry refuses it, can't be reached, or has something else in the
                place of the list of referrers.
        """
        layer = images.descriptor(sbom.MEDIA_TYPE, content)
        empty = images.descriptor("application/vnd.oci.empty.v1+json", b"{}")
        made, media_type = images.artifact(sbom.MEDIA_TYPE, empty, layer, subject)
        self.push(layer["digest"], content)
        self.push(empty["digest"], b"{}")
        if self.put(images.digest_of(made), made, media_type).get("OCI-Subject"):
            return
        # The registry keeps no lists of referrers, so the list is an index under a tag that the
        # digest makes.
        tag = subject["digest"].replace(":", "-")
        status, _, body = self.ask(
            "GET", f"{self.base}/manifests/{tag}", media_type=images.INDEX, wanted=(200, 404)
        )
        try:
            entries = json.loads(body)["manifests"] if status == 200 else []
            entry = {**images.descriptor(media_type, made), "artifactType": sbom.MEDIA_TYPE}
            others = [one for one in entries if one["digest"] != entry["digest"]]
        except (ValueError, KeyError, TypeError):
            raise InputError(
                f"{self.host}: {tag} must be a list of referrers, and is something else"
            ) from None
        self.put(tag, images.index([*others, entry]), images.INDEX)


def push(
    reference: Reference, several: Sequence[tuple[images.Image, str | None]]
) -> tuple[str, list[str]]:
    """Push images of one name, each with its SBOM: a single image under its tag, several platforms
    as an index.

    Returns:
        The digest that the registry has, and why SBOMs could not be attached: some registries don't
        take referrers.

    Raises:
        InputError: Two images are for one platform, the registry refuses something, or it can't be
            reached.
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
        platform = {
            "architecture": image.config.get("architecture"),
            "os": image.config.get("os") or "linux",
        }
        entries.append({**entry, "platform": platform})
    if len(several) == 1:
        return str(entries[0]["digest"]), refused
    content = images.index(entries)
    registry.put(reference.tag, content, images.INDEX)
    return images.digest_of(content), refused
