"""Makes the connection Secrets of the resources in a simulation."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from ..manifests.objects import secret_place

__all__ = ["base64_of", "connection_secret", "secret_at"]


def connection_secret(composite: Mapping[str, Any], details: Mapping[str, bytes]) -> dict[str, Any] | None:
    """Return a composite's connection Secret; None if `details` is empty, or the composite names no Secret."""
    place = secret_place(composite)
    if place is None or not details:
        return None
    return secret_at(place, {key: b64encode(details[key]).decode() for key in sorted(details)})


def secret_at(place: tuple[str, str], data: Mapping[str, str]) -> dict[str, Any]:
    """Return a connection Secret.

    Args:
        place: The Secret's namespace (empty for none) and the Secret's name.
        data: The Secret's data, in base64.
    """
    namespace, name = place
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    kind = {"apiVersion": "v1", "kind": "Secret", "type": "connection.crossplane.io/v1alpha1"}
    return {**kind, "metadata": metadata, "data": dict(data)}


def base64_of(text: str) -> str:
    """Return a text in base64, as in the data of a Secret."""
    return b64encode(text.encode()).decode()
