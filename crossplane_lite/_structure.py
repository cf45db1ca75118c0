"""Plain data into attrs classes, through cattrs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from .errors import InputError, UsageError

__all__ = ["structure"]

T = TypeVar("T")

# What every Kubernetes object has, and few input classes do.
_OBJECT_KEYS = ("apiVersion", "kind", "metadata")


def structure(data: Mapping[str, Any], cls: type[T], what: str = "input") -> T:
    """Return `data` as an instance of an attrs class.

    Args:
        data: Plain data. apiVersion, kind and metadata are left out where the class doesn't have them.
        cls: An attrs class.
        what: What the data is, for messages.

    Raises:
        InputError: Keys are unknown or values of the wrong type; the message has every one, with its path.
        UsageError: `cls` isn't an attrs class.
    """
    import attr
    import cattrs

    if not attr.has(cls):
        raise UsageError(f"{what} can be structured into an attrs class (got {cls!r})")
    names = {field.name for field in attr.fields(cls)}
    kept = {key: value for key, value in data.items() if key in names or key not in _OBJECT_KEYS}
    converter = cattrs.Converter(forbid_extra_keys=True)
    # cattrs would turn 5 into "5" and "no" into True; such input is a mistake of its author.
    for type_, accepted in ((str, str), (bool, bool), (int, int), (float, (int, float))):
        converter.register_structure_hook(type_, _strict(accepted, type_.__name__))
    try:
        made: T = converter.structure(kept, cls)  # type: ignore[assignment]  # attr.has() has narrowed cls
        return made
    except Exception as error:
        problems = "; ".join(sorted(cattrs.transform_error(error, path=what)))
        raise InputError(f"{what} isn't a {cls.__name__}: {problems}") from None


def _strict(accepted: Any, name: str) -> Any:
    def hook(value: Any, _: Any) -> Any:
        if not isinstance(value, accepted) or (isinstance(value, bool) and name != "bool"):
            raise ValueError(f"must be {name} (got {value!r})")
        return float(value) if name == "float" else value

    return hook
