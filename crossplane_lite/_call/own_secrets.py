"""The values of Secrets that compose() composes. They are masked from the first call on, before a request has them."""

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

# A Secret, and provider-kubernetes' managed resource that wraps any object.
_KINDS: Final = ("Secret", "Object")
# compose() may change a Secret after it has registered it. So the last ones are read again for each text.
_MOST: Final = 200


class OwnSecrets:
    """The Secrets among the resources that a call has registered, also Secrets in an Object of provider-kubernetes."""

    def __init__(self) -> None:
        self._seen = 0
        self._found: list[Resource] = []

    def values(self, resources: dict[str, Resource]) -> Iterator[Secret]:
        """Yield the secret values that the Secrets have now.

        Only the last 200 Secrets are read, or more if more were registered since the previous use of this method. A
        Secret with a value that can't be encoded is left out. `resources` are the registered ones; the dict only grows
        between uses of this method.
        """
        # From the end: a walk past those that were seen before, for each text, would be quadratic.
        added = islice(reversed(resources.values()), len(resources) - self._seen)
        new = [one for one in added if one.kind in _KINDS]
        self._seen = len(resources)
        self._found += reversed(new)
        for one in self._found[-max(len(new), _MOST) :]:
            yield from secrets_in(_plain(one))


def _plain(resource: Resource) -> Any:
    try:
        return tree_of(resource, None).data
    except CrossplaneLiteError:  # reported where the resource is encoded
        return None
