"""The list of an image's packages (SBOM) in CycloneDX's JSON, which scanners find in the image's
layer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from .entry_point import Function
from .installing import Package, installed

FILE: Final = "sbom.cdx.json"
"""The name of the file in the layer."""

MEDIA_TYPE: Final = "application/vnd.cyclonedx+json"

# A longer licence is not a name but the text of the licence.
_LONGEST: Final = 80


def sbom(function: Function, packages: Iterable[Package], target: Path) -> bytes:
    """Return the bytes of an SBOM, which depend only on the packages: there is no time and no
    random number in it.

    Args:
        function: The function, which the SBOM describes.
        packages: The packages of the image.
        target: The folder that they are installed in, whose metadata has their licences.
    """
    metadata = {name: package.metadata for name, package in installed(target).items()}
    components: list[dict[str, Any]] = []
    for one in packages:
        purl = f"pkg:pypi/{one.name}@{one.version}"
        component: dict[str, Any] = {
            "type": "library",
            "bom-ref": purl,
            "name": one.name,
            "version": one.version,
        }
        component["purl"] = purl
        if one.sha256:
            component["hashes"] = [{"alg": "SHA-256", "content": one.sha256}]
        licence = _licence(metadata.get(one.name, {}))
        if licence:
            component["licenses"] = [licence]
        components.append(component)
    described = {"type": "application", "name": function.name, "version": function.version}
    made = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": described},
        "components": components,
    }
    return json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"


def _licence(head: Any) -> dict[str, Any] | None:
    if head.get("License-Expression"):
        return {"expression": head["License-Expression"]}
    name = (head.get("License") or "").strip()
    return (
        {"license": {"name": name}} if name and len(name) <= _LONGEST and "\n" not in name else None
    )
