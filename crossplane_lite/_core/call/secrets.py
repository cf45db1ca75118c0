"""Secrets that compose() composes: their values, masked from the first call on; the composite's
connection Secret.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final

from ...errors import CrossplaneLiteError, UsageError
from .. import codec
from ..base.texts import type_in_words
from ..models.walker import apply, tree_of
from ..observed.observable import Observable
from ..observed.secrets import secrets_in
from ..resources.connection_details import ConnectionDetails, detail_of
from ..resources.unstructured import Unstructured
from .registering import register

if TYPE_CHECKING:
    from ..observed.secret_parts import Secret
    from ..resources.resource import Resource
    from .call import Call

# compose() may change a Secret after it has registered it. So the last ones are read again for each
# text.
_MOST: Final = 200


class OwnSecrets:
    """The Secrets among the resources that a call has registered, also Secrets in an Object of
    provider-kubernetes.

    Only the thread that runs compose() reads them. It hands their values to the call, whose masker
    all threads use.

    Attributes:
        thread: The id of the thread that runs compose().
    """

    def __init__(self) -> None:
        self.thread = get_ident()
        self._found: list[Resource] = []
        self._seen = 0
        self._values: set[Secret] = set()

    def add(self, call: Call, resource: Resource) -> None:
        """Add a resource that is registered now. Its values are masked at once, also in other
        threads.
        """
        self.thread = get_ident()
        self._found.append(resource)
        if resource.kind == "Secret":  # an Object may be large, and holds a Secret seldom
            self._hide(call, resource)

    def look(self, call: Call) -> None:
        """Mask the values that the last 200 Secrets have now, or more if more were added since the
        previous look.

        A Secret with a value that can't be encoded is left out. Only the thread that runs compose()
        may call this.
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


_TYPE: Final = "connection.crossplane.io/v1alpha1"
# The keys that the API server takes in a Secret's data.
_KEY: Final = re.compile(r"[-._a-zA-Z0-9]{1,253}")


def connection_secret(call: Call, details: object, name: str, namespace: object) -> Unstructured:
    """Register a Secret with connection details as a composed resource, and return it.

    `Context.connection_secret` describes the arguments.

    Raises:
        DuplicateResourceError: This call has registered a resource called `name` before.
        UnresolvedError: `name` is made from an unresolved value.
        UsageError: A key or a value of `details` isn't allowed in a Secret; or `details` isn't a
            mapping; or no namespace is known for the Secret; or `name` is wrong, or belongs to a
            resource of another kind; or an Operation runs the function.
    """
    if call.in_operation:
        raise UsageError(
            "ctx.connection_secret() is for composite resources, and an Operation has none; test"
            " ctx.in_operation first"
        )
    if not isinstance(details, Mapping):
        raise UsageError(
            "ctx.connection_secret() takes connection details by key, in a mapping (got"
            f" {type_in_words(details)})"
        )
    observed = call.observed.get(name)
    raw = b"" if observed is None else observed.resource
    secret = Unstructured(
        "v1",
        "Secret",
        metadata=_metadata(call, namespace),
        # A Secret's type can't be changed.
        type=codec.get_path(raw, ("type",)) or _TYPE,
        data=_data(call, details, codec.get_path(raw, ("data",))),
    )
    secret = register(call, name, secret)
    if secret._registered().said_ready is None:
        secret.ready = True  # a Secret has nothing that could become ready later
    return secret


def _metadata(call: Call, namespace: object) -> dict[str, Any]:
    """Return the Secret's name and namespace, as the composite's `spec.writeConnectionSecretToRef`
    gives them.

    A missing name or namespace is None, and Crossplane fills it in. `namespace` is used if the
    composite's spec has none. Raises UsageError if the composite is cluster-scoped and there is no
    namespace.
    """
    xr = call.xr.raw or b""
    wanted = codec.get_path(xr, ("spec", "writeConnectionSecretToRef"))
    wanted = wanted if isinstance(wanted, dict) else {}
    chosen = wanted.get("namespace") or namespace
    if chosen is None and not codec.get_path(xr, ("metadata", "namespace")):
        raise UsageError(
            "the composite has no metadata.namespace; if its kind has one, give it there, else the"
            " connection Secret needs one: give namespace=..., or set the composite's"
            " spec.writeConnectionSecretToRef.namespace"
        )
    return {"name": wanted.get("name") or None, "namespace": chosen}


def _data(call: Call, details: Any, observed: Any) -> dict[str, Any] | Observable[Any]:
    seen = observed if isinstance(observed, dict) else {}
    data: dict[str, Any] = {}
    if isinstance(details, ConnectionDetails) and not details.writable:
        details = details.raw
        if type(details) is Observable:
            # A resource lacks details while its own connection secret is missing. The observed data
            # must not get lost because of that.
            return details
        data.update(seen)  # nor may observed data get lost because some details are missing
    for key, value in details.items():
        _check_key(call, key)
        # None means no opinion: a value that consumers may have read already stays.
        data[key] = seen.get(key) if value is None else apply(_encoded, detail_of(key, value, call))
    return data


def _check_key(call: Call, key: object) -> None:
    known = isinstance(key, str) and not call.tokens_in(key)
    if not isinstance(key, (str, Observable)) or (known and not _KEY.fullmatch(str(key))):
        # A text isn't shown, because it may be a secret value by mistake.
        got = (
            "another string, not shown because it may be secret"
            if isinstance(key, str)
            else type_in_words(key)
        )
        raise UsageError(
            "ctx.connection_secret(): a key of 'details' must be 1 to 253 letters, digits, '-',"
            f" '_' or '.' (got {got})"
        )


def _encoded(value: str | bytes) -> str:
    return base64.b64encode(value.encode() if isinstance(value, str) else value).decode()
