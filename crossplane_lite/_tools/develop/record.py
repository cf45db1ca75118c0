"""Writes requests to files that `render`, `graph`, `simulate` and tests can read.

Each request gets a folder with `xr.yaml`, `observed.yaml`, `desired.yaml`, `required.yaml` and `secrets.yaml` (the
step's credentials), a `composition.yaml` with the step's input, and a `functions.yaml` that names the function. A file
without content is left out. By default, secret values are masked wherever they occur in the files: data of Secrets,
credentials and connection details.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ..._core import codec
from ..._core.observed.secrets import masker_for
from ...errors import InputError
from ...proto import _view
from ..manifests.yaml import dump
from ..recorder.asking import named
from ..recorder.masking import hidden
from ..recorder.messages import decoded
from .told import title

__all__ = ["save"]

_FUNCTION: Final = "function-recorded"


def save(request: bytes, folder: Path, target: str, *, secrets: bool = False) -> Path:
    """Write a request to files in a new folder, such as `0001-Network-example`.

    Args:
        request: The bytes of the RunFunctionRequest.
        folder: The parent of the new folder; created if it is missing.
        target: The function that the files name, as `module:function`.
        secrets: Whether to write secret values as they are, and not masked.

    Returns:
        The new folder. Its number is one more than the highest number in `folder`.

    Raises:
        InputError: A file can't be written.
    """
    asked = _view.RunFunctionRequest.FromString(request)
    mask = (lambda text: text) if secrets else masker_for(asked)
    try:
        place = _next(folder, title(asked))
        for name, documents in _files(asked, target):
            if documents:
                plain = [one if secrets else _without_data(one) for one in documents]
                # Nobody else on this machine may read them.
                file = place / name
                file.touch(mode=0o600)
                file.write_text(dump(hidden(plain, mask)), encoding="utf-8", newline="\n")
    except OSError as e:
        raise InputError(f"can't write {e.filename or folder}: {e.strerror or e}") from e
    return place


def _next(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    plain = re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.")[:80] or "request"
    numbers = [int(match[1]) for path in folder.iterdir() if (match := re.match(r"(\d+)-", path.name))]
    number = max(numbers, default=0) + 1
    while True:
        place = folder / f"{number:04}-{plain}"
        try:
            place.mkdir()
        except FileExistsError:  # another call at the same time
            number += 1
        else:
            return place


def _files(asked: Any, target: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    composite = decoded(asked.observed.composite)
    yield "xr.yaml", [composite] if composite else []
    for file, resources in (("observed.yaml", asked.observed.resources), ("desired.yaml", asked.desired.resources)):
        yield file, [named(name, one) for name, one in sorted(resources.items())]
    yield "required.yaml", _distinct(asked)
    yield "secrets.yaml", list(_credentials(asked))
    step: dict[str, Any] = {"step": "recorded", "functionRef": {"name": _FUNCTION}}
    if asked.HasField("input"):
        step["input"] = codec.decode_struct(asked.input)
    if asked.credentials:
        step["credentials"] = [
            {"name": name, "source": "Secret", "secretRef": {"namespace": "recorded", "name": name}}
            for name in sorted(asked.credentials)
        ]
    if composite:
        kind = {"apiVersion": composite.get("apiVersion"), "kind": composite.get("kind")}
        composition = {"compositeTypeRef": kind, "mode": "Pipeline", "pipeline": [step]}
        head = {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition"}
        yield "composition.yaml", [{**head, "metadata": {"name": "recorded"}, "spec": composition}]
    annotations = {
        "render.crossplane.io/runtime": "InProcess",
        "render.crossplane.io/runtime-in-process-target": target,
    }
    function = {"apiVersion": "pkg.crossplane.io/v1", "kind": "Function"}
    metadata = {"name": _FUNCTION, "annotations": annotations}
    yield "functions.yaml", [{**function, "metadata": metadata, "spec": {"package": "example.org/recorded:v0.0.0"}}]


def _distinct(asked: Any) -> list[dict[str, Any]]:
    found: dict[bytes, dict[str, Any]] = {}
    for resources in (asked.required_resources, asked.extra_resources):
        for _, answer in sorted(resources.items()):
            for one in answer.items:
                found.setdefault(one.resource, decoded(one))
    return list(found.values())


def _credentials(asked: Any) -> Iterator[dict[str, Any]]:
    import base64

    for name, credentials in sorted(asked.credentials.items()):
        data = {
            key: base64.b64encode(value).decode() for key, value in sorted(credentials.credential_data.data.items())
        }
        yield {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "recorded"}, "data": data}


def _without_data(content: dict[str, Any]) -> dict[str, Any]:
    """Return an object; if it is a Secret, with `masked` as each value, because masking of text misses short values."""
    if content.get("kind") != "Secret" or content.get("apiVersion") != "v1":
        return content
    masked = dict(content)
    for field, text in (("data", "bWFza2Vk"), ("stringData", "masked")):
        if isinstance(masked.get(field), dict):
            masked[field] = dict.fromkeys(masked[field], text)
    return masked
