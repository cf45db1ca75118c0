"""Texts of a KRM function's command: the help with the config's fields, a description as JSON, and diffs of files."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ._runnable import Runnable

__all__ = ["diff", "document", "with_config"]

_SPECIFICATION: Final = "config.kubernetes.io/v1"
_COLOURS: Final = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_PLAIN: Final = "\x1b[0m"


def with_config(text: str, function: Runnable) -> str:
    """Return a function's help with the fields of its config class; unchanged if it has no config class.

    Args:
        text: The help. The fields are put before its last two paragraphs.
        function: The function.

    Raises:
        UsageError: The function's annotation is wrong, or a field of the config class has a type that isn't supported.
    """
    schema = _schema(function)
    if schema is None:
        return text
    # The fields stand before the last two paragraphs.
    head, *tail = text.rstrip("\n").rsplit("\n\n", 2)
    lines = ["functionConfig:", *(f"  {line}" for line in _lines(schema, "")), ""]
    about = schema.get("description", "")
    if about:
        lines[1:1] = [f"  {line}" for line in about.splitlines()] + [""]
    return "\n".join([head, "", *lines, "\n\n".join(tail), ""])


def _lines(schema: dict[str, Any], above: str) -> Iterator[str]:
    required = schema.get("required", ())
    for key, field in schema.get("properties", {}).items():
        path = f"{above}{key}"
        yield f"{path}: {_type(field)}{_default(field, key in required)}"
        about = field.get("description", "")
        yield from (f"    {line}" for line in about.splitlines())
        inner, suffix = field, "."
        if field.get("type") == "array":
            inner, suffix = field["items"], "[]."
        elif isinstance(field.get("additionalProperties"), dict):
            inner, suffix = field["additionalProperties"], ".*."
        yield from _lines(inner, path + suffix)


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(one["type"] for one in field["anyOf"])
    type_ = field.get("type", "any")
    if type_ == "array":
        return f"list of {_type(field['items'])}"
    if isinstance(field.get("additionalProperties"), dict):
        return f"map of {_type(field['additionalProperties'])}"
    return str(type_) + (" or null" if field.get("nullable") else "")


def _default(field: dict[str, Any], is_required: bool) -> str:
    if is_required:
        return ", required"
    return f", default {json.dumps(field['default'], ensure_ascii=False)}" if "default" in field else ""


def document(function: Runnable) -> str:
    """Return a function's description as a JSON text, for programs.

    Its keys are `name`, `description`, `role`, `specification` (the version) and `config`, the schema of the config
    class, which is null without a class.

    Raises:
        UsageError: The function's annotation is wrong, or a field of the config class has a type that isn't supported.
    """
    told = {
        "name": function.name,
        "description": function.description,
        "role": function.role,
        "specification": _SPECIFICATION,
        "config": _schema(function),
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _schema(function: Runnable) -> dict[str, Any] | None:
    """Return an OpenAPI schema of a function's config class, as in a CustomResourceDefinition; None without a class.

    Raises:
        UsageError: The function's annotation is wrong, or a field of the config class has a type that isn't supported.
    """
    cls = function.config_class
    if cls is None:
        return None
    from .._input.types import check_class
    from ..codegen.input_crd import _class_schema

    check_class(cls)
    made = _class_schema(cls, cls.__name__, ())
    _add_help(made, cls, 0)
    return made


def _add_help(schema: dict[str, Any], cls: type[Any], depth: int) -> None:
    """Add descriptions to the schema of an attrs class: of each field, the text under `help` in the field's metadata.

    Fields of nested classes get their descriptions, too. A class without attrs is left as it is.

    Args:
        schema: The schema, which is changed.
        cls: The class.
        depth: How deep the class is nested in the config class.
    """
    import attr

    from .._input.types import fields_of, shape_of

    if not attr.has(cls) or "properties" not in schema:
        return
    about = {field.name: field.metadata.get("help") for field in attr.fields(cls)}
    for field in fields_of(cls):
        inner = schema["properties"][field.key]
        if about.get(field.name):
            inner["description"] = str(about[field.name])
            schema["properties"][field.key] = inner = {"description": inner.pop("description"), **inner}
        shape = shape_of(field.type)
        while shape is not None and shape.kind in ("list", "map") and depth < 20:
            inner = inner.get("items", inner.get("additionalProperties", {}))
            shape = shape_of(shape.args[-1])
        if shape is not None and shape.kind == "class":
            _add_help(inner, shape.type, depth + 1)


def diff(changes: Iterable[tuple[str, bytes | None, bytes | None]], *, colour: bool) -> str:
    """Return a unified diff of several files; empty if no file changes.

    Args:
        changes: For each file its name, its old content and its new content, as UTF-8. The content is None if the file
            doesn't exist.
        colour: Whether to colour the lines for a terminal.
    """
    lines: list[str] = []
    for name, before, now in changes:
        if before == now:
            continue
        made = difflib.unified_diff(
            _split(before), _split(now), _label("a", name, before), _label("b", name, now), lineterm="\n"
        )
        for line in made:
            whole = line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
            lines.append(_coloured(whole) if colour else whole)
    return "".join(lines)


def _label(side: str, name: str, data: bytes | None) -> str:
    return "/dev/null" if data is None else f"{side}/{name.lstrip('/')}"


def _split(data: bytes | None) -> list[str]:
    # Not splitlines, which ends lines at characters that YAML allows in the middle of one.
    text = (data or b"").decode()
    return [line + "\n" for line in text.split("\n")[:-1]] + (
        [text.rpartition("\n")[2]] if text[-1:] not in ("", "\n") else []
    )


def _coloured(line: str) -> str:
    colour = _COLOURS.get(line[:1])
    return f"{colour}{line[:-1]}{_PLAIN}\n" if colour else line
