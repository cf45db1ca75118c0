"""The values of Secrets that compose() composes. They are masked from the first call on, before a request has them."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Any, Final

from ...errors import CrossplaneLiteError
from ..models.walker import tree_of
from ..observed.secrets import secrets_in

if TYPE_CHECKING:
    from ..models.resource import Resource
    from ..observed.masking import Secret
    from .call import Call

__all__ = ["OwnSecrets"]

# compose() may change a Secret after it has registered it. So the last ones are read again for each text.
_MOST: Final = 200


class OwnSecrets:
    """The Secrets among the resources that a call has registered, also Secrets in an Object of provider-kubernetes.

    Only the thread that runs compose() reads them. It hands their values to the call, whose masker all threads use.

    Attributes:
        thread: The id of the thread that runs compose().
    """

    def __init__(self) -> None:
        self.thread = get_ident()
        self._found: list[Resource] = []
        self._seen = 0
        self._values: set[Secret] = set()

    def add(self, call: Call, resource: Resource) -> None:
        """Add a resource that is registered now. Its values are masked at once, also in other threads."""
        self.thread = get_ident()
        self._found.append(resource)
        if resource.kind == "Secret":  # an Object may be large, and holds a Secret seldom
            self._hide(call, resource)

    def look(self, call: Call) -> None:
        """Mask the values that the last 200 Secrets have now, or more if more were added since the previous look.

        A Secret with a value that can't be encoded is left out. Only the thread that runs compose() may call this.
        """
        new = len(self._found) - self._seen
        self._seen = len(self._found)
        for resource in self._found[-max(new, _MOST) :]:
            self._hide(call, resource)

    def _hide(self, call: Call, resource: Resource) -> None:
        try:
            content: Any = tree_of(resource, None).data
        except CrossplaneLiteError:  # reported where the resource is encoded
            return
        for one in secrets_in(content):
            if one not in self._values:
                self._values.add(one)
                call.hide(*one)
