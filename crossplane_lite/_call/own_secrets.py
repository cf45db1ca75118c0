"""Secrets that compose() composes itself: their values are masked too, also before any request has had them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from .._models.walker import tree_of
from .._observed.secrets import secrets_in
from ..errors import CrossplaneLiteError

if TYPE_CHECKING:
    from .._models.resource import Resource
    from .._observed.secret_forms import Secret

__all__ = ["OwnSecrets"]

# A Secret, and a Kubernetes object within a managed resource, as provider-kubernetes has it.
_KINDS: Final = ("Secret", "Object")
# compose() goes on setting values in registered resources. Those that it has registered last are read for each text.
_MOST: Final = 200


class OwnSecrets:
    """The Secrets among the resources that a call has registered."""

    def __init__(self) -> None:
        self._seen = 0
        self._found: list[Resource] = []

    def values(self, resources: dict[str, Resource]) -> Iterator[Secret]:
        """Yield the values that they have now, those of the last 200 alone where there are more and none is new.

        Args:
            resources: The resources that are registered by now; it only grows.
        """
        new = 0
        for one in islice(resources.values(), self._seen, None):
            if one.kind in _KINDS:
                self._found.append(one)
                new += 1
        self._seen = len(resources)
        for one in self._found[-max(new, _MOST) :]:
            yield from secrets_in(_plain(one))


def _plain(resource: Resource) -> Any:
    try:
        return tree_of(resource, None).data
    except CrossplaneLiteError:  # it is said where the resource is encoded
        return None
