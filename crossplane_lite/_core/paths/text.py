"""Writes paths as text: keys, indexes and selections in the form that `field_path.parse` reads.

This is a module of its own, and imports nothing, because the encoder of Structs writes paths but
doesn't read any.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

EXTERNAL_NAME = "crossplane.io/external-name"
"""The annotation that `external_name` stands for in paths such as `bucket.external_name`."""

RESOURCE_NAME = "crossplane.io/composition-resource-name"
"""The annotation with the composition resource name of a composed resource."""


OTHER_NAMES = ("xr.", "required.")
"""How the names of the composite's fields and of requirements begin where it is said who waits."""


class Digits(str):
    """A step of digits between dots, such as `0` in `spec.ports.0.port`: an index in a list, a key
    in a mapping.
    """

    __slots__ = ()


def show(steps: Iterable[object]) -> str:
    """Return steps as a path, such as `spec.ports[2]["a/b"]`; `field_path.parse` reads the same
    steps from the path.

    Args:
        steps: Keys, indexes and selections. If there are none, the path is an empty string, which
            can't be parsed.
    """
    path = ""
    for step in steps:
        if not isinstance(step, str):
            path += f"[{step}]"
        elif type(step) is Digits or _is_bare(step):
            path += f".{step}" if path else step
        else:
            path += f"[{quoted(step)}]"
    return path


def step_of(key: str) -> str:
    """Return a key as a further step of a path: `.spec`, or `["a/b"]`."""
    return f".{key}" if _is_bare(key) else f"[{quoted(key)}]"


def quoted(text: str) -> str:
    """Return a key, or a value of a selection, in double quotes. Quotes and backslashes in it are
    escaped.
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _is_bare(key: str) -> bool:
    """Return whether a key needs no brackets: ASCII letters, digits, _ and -, and not only
    digits.
    """
    # Without a regular expression, which takes longer to compile than all else in this module.
    return (
        key.isascii()
        and not key.isdigit()
        and key != ""
        and ("0" + key.replace("-", "").replace("_", "")).isalnum()
    )


def prefixes(path: str) -> list[str]:
    """Return the paths above `path`, the shortest first, and `path` itself: `xr`, `xr.status`,
    `xr.status.x`.
    """
    return [path[:at] for at, sign in enumerate(path) if at and sign in ".["] + [path]
