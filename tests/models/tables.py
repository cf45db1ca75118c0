"""Reading model tables and schemas, for comparing the two."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from crossplane_lite._tools.codegen.tables import earlier_table

__all__ = ["DATA", "ROOT", "Fields", "fields_of", "schema_type", "table_of"]

ROOT = Path(__file__).resolve().parents[2]

DATA = ROOT.parent / "shared" / "data"
"""Public API definitions, which the project doesn't carry; tests that read them are skipped where they are missing."""

Fields: TypeAlias = "dict[str, str]"


def table_of(module: ModuleType) -> dict[str, str]:
    """Return the table that a model module hands to `load`."""
    assert module.__file__ is not None
    table = earlier_table(Path(module.__file__).read_text())
    assert table, f"{module.__name__} has no table"
    return table


def fields_of(text: str) -> Fields:
    """Return the fields of a table's class: wire name to type."""
    fields = {}
    for field in text.split(" "):
        if not field.startswith(("@", "~", "!", ">", "?", "&", "=")):
            names, _, type_ = field.rpartition(":")
            name, _, wire = names.partition("=")
            fields[wire or name] = type_
    return fields


def schema_type(schema: dict[str, Any], prefix: str = "", scalars: dict[str, str] | None = None) -> str:
    """Return the type that a table should give to a field of this schema.

    Args:
        schema: The field's schema.
        prefix: What the names of the document's own types start with.
        scalars: Types of the document that are no classes, by name, and the letter of each.
    """
    if "allOf" in schema:
        (schema,) = schema["allOf"]
    if "$ref" in schema:
        name: str = schema["$ref"].rpartition("/")[2].removeprefix(prefix)
        return (scalars or {}).get(name, name)
    if schema["type"] == "array":
        keys = ",".join(schema.get("x-kubernetes-list-map-keys", ()))
        return "[" + schema_type(schema["items"], prefix, scalars) + (f"#{keys}" if keys else "")
    if "additionalProperties" in schema:
        return "{" + schema_type(schema["additionalProperties"], prefix, scalars)
    return {"string": "s", "integer": "i", "number": "f", "boolean": "b"}[schema["type"]]
