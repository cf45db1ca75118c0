"""A hint for messages about an unknown name: the known name that is most similar to it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def near_name(name: str, names: Iterable[str]) -> str:
    """Return a hint such as `; did you mean 'spec'?`; an empty string if no known name is similar.

    Args:
        name: The unknown name.
        names: The known names.
    """
    import difflib  # here, because only messages about mistakes need it

    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
