"""One thing that a resource waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._observed.observable import Observable

__all__ = ["Wait"]


class Wait:
    """One thing that a resource waits for.

    Attributes:
        source: The Observable, or for `depends_on` the name of the other resource.
    """

    __slots__ = ("source",)

    def __init__(self, source: Observable[Any] | str) -> None:
        self.source = source

    @property
    def path(self) -> str:
        """The awaited value, as it is shown."""
        return self.source if isinstance(self.source, str) else self.source.source_path
