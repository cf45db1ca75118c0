"""The group, version, kind and scope of a class of resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._base.api_version import split

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["KindInfo", "kind_info"]


class KindInfo(NamedTuple):
    """The group, version, kind and scope of a class of resources.

    Attributes:
        group: The API group; empty for the core group.
        version: The version, such as `v1beta1`.
        kind: The kind.
        scope: `Namespaced` or `Cluster`; None if the class was made without a scope.
    """

    group: str
    version: str
    kind: str
    scope: Literal["Cluster", "Namespaced"] | None


def kind_info(cls: Any) -> KindInfo:
    """Return the group, version, kind and scope of `cls`, a class of resources.

    Raises:
        AttributeError: The class is for all kinds, as `Unstructured` is, or is a base class without a kind.
    """
    if not cls._fixed:
        raise AttributeError(f"{cls.__name__} has no kind_info, because it is for more than one kind")
    group, version = split(cls.apiVersion)
    return KindInfo(group, version, cls.kind, cls._scope or None)
