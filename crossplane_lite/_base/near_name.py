"""A hint for messages about a misspelt name: the known name that is nearest to it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["near_name"]


def near_name(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` with the known name that is nearest to `name`; an empty string if none is near."""
    import difflib  # here, because only messages about mistakes need it

    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
