"""The fields that identify a call in log lines and spans: the request's tag, and the composite's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _wire
from .._observed import tracker
from ..proto import _view

if TYPE_CHECKING:
    from .._observed.tracker import Tracker

__all__ = ["current_subject", "subject_of"]


def subject_of(request: bytes) -> dict[str, str]:
    """Return the fields that identify a request; an empty dict if the request's bytes are malformed.

    Returns:
        The fields `tag`, which is the request's tag, and `composite`, which is the composite's name or
        `namespace/name`. A field without a value is left out.
    """
    try:
        return _subject(_view.RunFunctionRequest.FromString(request))
    except Exception:  # running the function reports what is wrong with the request
        return {}


def current_subject() -> dict[str, str]:
    """Return the fields of `subject_of` for the current call of this thread or task; an empty dict without a call."""
    call: Tracker | None = tracker.current()
    if call is None:
        return {}
    request = getattr(call, "request", None)
    if request is None:
        return subject_of(call.data)
    try:
        return _subject(request)
    except Exception:
        return {}


def _subject(request: Any) -> dict[str, str]:
    fields = {"tag": request.meta.tag} if request.meta.tag else {}
    metadata = _wire.get_path(request.observed.composite.resource, ("metadata",))
    if isinstance(metadata, dict) and isinstance(metadata.get("name"), str):
        namespace = metadata.get("namespace")
        fields["composite"] = f"{namespace}/{metadata['name']}" if isinstance(namespace, str) else metadata["name"]
    return fields
