"""The interface of KRM functions that `runner`, `command` and `_help` depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ._process import Output
    from .resource_list import ResourceList

__all__ = ["Runnable"]


class Runnable(Protocol):
    """The parts of `functions.Function` (what `@krm.function` makes) that the runner, the command and the help use."""

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
