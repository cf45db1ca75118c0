"""The name that somebody who has misspelt one may have meant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["near_name"]


def near_name(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the name nearest to a misspelt one, or nothing."""
    import difflib  # only where something is wrong

    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
