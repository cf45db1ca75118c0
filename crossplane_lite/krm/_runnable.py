"""A Protocol class for KRM functions: the attributes and methods that `runner`, `command` and `_help` use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ._process import Output
    from .resource_list import ResourceList

__all__ = ["Runnable"]


class Runnable(Protocol):
    """The attributes and methods of `functions.Function` that other modules use. `@krm.function` makes a Function."""

    name: str
    role: Any
    file: str

    @property
    def description(self) -> str: ...

    @property
    def config_class(self) -> type[Any] | None: ...

    @property
    def is_config_optional(self) -> bool: ...

    def __call__(self, rl: ResourceList[Any]) -> None: ...

    def run(self, data: bytes) -> Output: ...
