"""A model table from a CustomResourceDefinition, for the measurements only: objects, arrays, maps and scalars."""

from __future__ import annotations

import keyword
import re
from typing import Any

__all__ = ["module_text"]

_SCALARS = {"string": "s", "integer": "i", "number": "f", "boolean": "b"}
_META = "crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1"


def module_text(crd: dict[str, Any]) -> str:
    """Return the source of a model module for the stored version of a CRD; classes are named by their path."""
    spec = crd["spec"]
    version = next(version for version in spec["versions"] if version["storage"])
    kind = spec["names"]["kind"]
    table: dict[str, str] = {}
    schema = version["schema"]["openAPIV3Schema"]
    fields = {
        name: below for name, below in schema["properties"].items() if name not in ("apiVersion", "kind", "metadata")
    }
    table[kind] = ""  # first in the table, whatever is nested in it
    rest = [f"{name}:{_type(below, kind + _cap(name), table)}" for name, below in fields.items()]
    table[kind] = " ".join([f"@{spec['group']}/{version['name']}", "metadata:meta.ObjectMeta", *rest])
    lines = "".join(f"        {name!r}: {text!r},\n" for name, text in table.items())
    return (
        f'"""Kind {kind}."""\n\nfrom crossplane_lite.table import load\n\n'
        f"__getattr__, __dir__ = load(\n    __name__,\n    {{\n{lines}    }},\n    meta={_META!r},\n)\n"
    )


def _type(schema: dict[str, Any], name: str, table: dict[str, str]) -> str:
    if schema.get("x-kubernetes-int-or-string"):
        return "q"
    kind = schema.get("type")
    if kind == "array":
        keys = schema.get("x-kubernetes-list-map-keys")
        return "[" + _type(schema["items"], name, table) + ("#" + ",".join(keys) if keys else "")
    if kind == "object":
        if schema.get("properties"):
            table[name] = ""
            table[name] = " ".join(_field(key, below, name, table) for key, below in schema["properties"].items())
            return name
        below = schema.get("additionalProperties")
        return "{" + _type(below, name, table) if isinstance(below, dict) else "x"
    return _SCALARS.get(kind or "", "x")


def _field(wire: str, schema: dict[str, Any], name: str, table: dict[str, str]) -> str:
    attribute = re.sub(r"\W", "_", wire)
    if keyword.iskeyword(attribute):
        attribute += "_"
    names = wire if attribute == wire else f"{attribute}={wire}"
    return f"{names}:{_type(schema, name + _cap(attribute), table)}"


def _cap(name: str) -> str:
    return name[:1].upper() + name[1:]
