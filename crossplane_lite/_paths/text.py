"""Paths as text: keys, indexes and selections the way `field_path.parse` reads them.

Apart from the parser, because encoding messages shows paths and doesn't read any. It imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EXTERNAL_NAME", "Digits", "quoted", "show"]

EXTERNAL_NAME = "crossplane.io/external-name"
"""The annotation that `external_name` stands for in paths such as `bucket.external_name`."""


class Digits(str):
    """A step like the `0` of `spec.ports.0.port`: an index in a list, a key in a mapping."""

    __slots__ = ()


def show(steps: Iterable[object]) -> str:
    """Return steps as a path, such as `spec.ports[2]["a/b"]`; read again, it has the same steps.

    Args:
        steps: Keys, indexes, and selections, which show themselves as text in brackets.
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


def quoted(text: str) -> str:
    """Return a key, or the value in a selection, in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _is_bare(key: str) -> bool:
    """Say whether a key can stand between dots: ASCII letters and digits, _ and -, and not digits alone."""
    # A regular expression would take longer to compile than everything else here.
    return key.isascii() and not key.isdigit() and key != "" and ("0" + key.replace("-", "").replace("_", "")).isalnum()
