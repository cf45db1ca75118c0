"""A value that a resource waits for, or another resource that must be ready before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._observed.observable import Observable

__all__ = ["Wait"]


class Wait:
    """A value that a resource waits for, or another resource that must be ready before it (`depends_on`).

    Attributes:
        source: The Observable of the value, or the name of the other resource.
    """

    __slots__ = ("source",)

    def __init__(self, source: Observable[Any] | str) -> None:
        self.source = source

    @property
    def path(self) -> str:
        """The path of the value, or the name of the other resource, for people."""
        return self.source if isinstance(self.source, str) else self.source.source_path
