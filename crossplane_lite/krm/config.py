"""Converts functionConfig to an instance of the config class, an attrs class that the author of a
function writes.

The fields of the class are those of functionConfig, except apiVersion, kind and metadata. If
functionConfig is a ConfigMap, they are the keys of its `data`. The strings there are converted to
the types of the class: numbers and booleans as in YAML, lists and objects from YAML or JSON. But a
class with a field `data` has the ConfigMap's own fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._core.base.scalars import resolve
from .._core.base.texts import json_type_in_words
from .._core.paths import field_path
from .._core.schemas.structure import problems_of, structured
from .._core.schemas.types import NOTHING, Field, check_class, fields_of, shape_of
from ..errors import InputError, UsageError
from ._text import parse

__all__ = ["ConfigError", "Problem", "structure"]

_OBJECT_KEYS = ("apiVersion", "kind", "metadata")
# Fields that a ConfigMap may have beside its data. They mean nothing to a function.
_MAP_KEYS = ("immutable",)
_MOST_PROBLEMS = 100
_TOP = "functionConfig"


class Problem(NamedTuple):
    """One mistake in functionConfig.

    Attributes:
        text: The message, which begins with the field's path, as in
            `functionConfig.port must be ...`.
        path: The field's path without `functionConfig`; empty if the mistake isn't in one field.
    """

    text: str
    path: str


class ConfigError(InputError):
    """functionConfig doesn't fit the config class, or is missing although a field of the class has
    no default.

    Attributes:
        problems: The first 100 mistakes. If there are more, a last entry says how many more.
    """

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(problem.text for problem in problems))
        self.problems = problems


def structure(config: Mapping[str, Any] | None, cls: Any) -> Any:
    """Return functionConfig as an instance of the config class.

    Args:
        config: The functionConfig, plain data. None if it is missing: then the instance has the
            defaults of the class.
        cls: The class, or `Class | None`, which is treated the same.

    Raises:
        ConfigError: functionConfig doesn't fit the class, or is missing and a field has no default.
        UsageError: `cls` isn't an attrs class, or has a field of a type that isn't supported.
    """
    cls = _class_of(cls)
    check_class(cls)
    fields = fields_of(cls)
    if config is None:
        if any(field.default is NOTHING for field in fields):
            raise ConfigError([Problem(_required(fields), "")])
        return structured({}, cls)
    keys = {field.key for field in fields}
    data, path = (
        {key: value for key, value in config.items() if key in keys or key not in _OBJECT_KEYS},
        _TOP,
    )
    if _is_config_map(config) and "data" not in keys:
        data, path = _data_of(config, cls), f"{_TOP}.data"
    try:
        return structured(data, cls)
    except Exception as error:
        raise ConfigError([*_listed(error, path), *_below_spec(config, keys)]) from None


def _below_spec(config: Mapping[str, Any], keys: set[str]) -> Iterator[Problem]:
    """Yield one problem if functionConfig has fields of the class in `spec` instead of at the top.

    Args:
        config: The functionConfig.
        keys: The names of the class's fields. If `spec` is one of them, nothing is yielded.
    """
    spec = config.get("spec")
    if "spec" not in keys and isinstance(spec, Mapping) and not keys.isdisjoint(spec):
        found = ", ".join(sorted(keys.intersection(spec)))
        yield Problem(f"{_TOP}: write {found} beside metadata, not below spec", "spec")


def _required(fields: list[Field]) -> str:
    named = [
        f"{field.key} (required)" if field.default is NOTHING else field.key for field in fields
    ]
    return f"{_TOP} is required; its fields are {', '.join(named)}"


def _class_of(cls: Any) -> type[Any]:
    shape = shape_of(cls)
    if shape is not None and shape.kind == "union":
        members = [arg for arg in shape.args if arg is not type(None)]
        shape = shape_of(members[0]) if len(members) == 1 else None
    if shape is None or shape.kind != "class":
        raise UsageError(
            f"the config class must be an attrs class, made with @attrs.define (got {cls!r})"
        )
    made: type[Any] = shape.type
    return made


def _listed(error: Exception, path: str) -> list[Problem]:
    """Return the mistakes that an exception of `structured` lists, sorted and without duplicates.

    After the first 100, one last entry says how many more there are.

    Args:
        error: The exception.
        path: The path that all mistakes begin with, such as `functionConfig`.
    """
    try:
        found = sorted({(problem.text, problem.path) for problem in problems_of(error, path)})
    except RecursionError:
        return [Problem(f"{path} is nested too deep", path[len(_TOP) + 1 :])]
    problems = [Problem(_told(text), _within(at)) for text, at in found[:_MOST_PROBLEMS]]
    if len(found) > _MOST_PROBLEMS:
        more = len(found) - _MOST_PROBLEMS
        problems.append(Problem(f"{_TOP} has {more} more mistake{'s' * (more != 1)}", ""))
    return problems


def _told(text: str) -> str:
    """Return a message with a hint for `yes` and `on`, which are strings to Kubernetes."""
    return f"{text}; write true or false" if 'must be a boolean (got "' in text else text


def _within(path: str) -> str:
    """Return a path without `functionConfig`; empty if it isn't a field path, because of an odd
    key.
    """
    path = path[len(_TOP) :].lstrip(".")
    try:
        field_path.parse(path, whole_labels=True)
    except UsageError:
        return ""
    return path


def _is_config_map(config: Mapping[str, Any]) -> bool:
    return config.get("kind") == "ConfigMap" and config.get("apiVersion", "v1") == "v1"


# ConfigMaps


def _data_of(config: Mapping[str, Any], cls: type[Any]) -> dict[str, Any]:
    """Return the `data` of a ConfigMap, with its strings converted to the types of the class; empty
    if it has no data.

    A string that can't be converted, and a key that isn't a field of the class, stay as they are:
    `structured` finds these mistakes.

    Raises:
        ConfigError: The ConfigMap has other fields than apiVersion, kind, metadata, data and
            immutable; or `data` isn't a mapping.
    """
    others = [key for key in config if key not in (*_OBJECT_KEYS, *_MAP_KEYS, "data")]
    if others:
        raise ConfigError(
            [
                Problem(
                    f"{_TOP}.{key} is not a field: only the data of a ConfigMap is read; move it"
                    " below data",
                    key,
                )
                for key in others
            ]
        )
    data = config.get("data")
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(
            [Problem(f"{_TOP}.data must be a mapping (got {json_type_in_words(data)})", "data")]
        )
    types = {field.key: field.type for field in fields_of(cls)}
    return {key: _read(value, types[key]) if key in types else value for key, value in data.items()}


def _read(value: Any, type_: Any) -> Any:
    """Return a value of a ConfigMap's data. A string that the type doesn't take is read as YAML, if
    that helps.

    What the type doesn't take in any form is returned as the list or object that the string has,
    else unchanged: `structured` names the mistake.
    """
    if not isinstance(value, str) or _takes(type_, value):
        return value
    found = resolve(value.strip())
    if isinstance(found, str):
        # The reader takes only documents that are mappings, so the value becomes a field of a
        # mapping.
        lines = "".join(f" {line}" for line in value.splitlines(keepends=True))
        try:
            found = parse(f"value:\n{lines}\n".encode(), "value").root.get(["value"])
        except InputError:
            return value
    elif isinstance(found, float) and found.is_integer() and not _takes(type_, found):
        found = int(found)
    return found if isinstance(found, (dict, list)) or _takes(type_, found) else value


def _takes(type_: Any, value: Any) -> bool:
    try:
        structured(value, type_)
    except Exception:
        return False
    return True
