"""The caller's capabilities, the function's credentials, and the request as the protocol's
message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...errors import CrossplaneLiteError, UsageError
from ..base.texts import near_name

_PREFIX: Final = "CAPABILITY_"
_SHORT: Final = [
    "CAPABILITIES",
    "REQUIRED_RESOURCES",
    "CREDENTIALS",
    "CONDITIONS",
    "REQUIRED_SCHEMAS",
]
_NAMES: Final = {number: _PREFIX + name for number, name in enumerate(_SHORT, 1)}
_MOST_DIGITS: Final = 10  # enum values have 32 bits
WITHOUT: Final = {
    2: ("required resources", "the requested resources never come"),
    3: ("credentials", "the credentials never come"),
    4: ("conditions", "the conditions that compose() sets get lost"),
    5: ("required schemas", "the requested schemas never come, so nothing is validated"),
}
"""For the warning about each capability that the caller lacks: its name, and what happens then."""


class Capabilities(frozenset[str]):
    """The names of the capabilities that the caller advertises (Crossplane's design
    "function-capabilities").

    `in`, `has` and `lacks` take a name with or without `CAPABILITY_`, or the protocol's number.

    Raises:
        UsageError: A name that `in`, `has` or `lacks` gets isn't the name of a capability.

    Attributes:
        advertised: Whether the caller advertises capabilities at all. If not, it may support any of
            them, except required schemas.
    """

    def __new__(cls, numbers: Iterable[int]) -> Capabilities:
        return super().__new__(
            cls, (_NAMES.get(number, f"CAPABILITY_{number}") for number in numbers)
        )

    @property
    def advertised(self) -> bool:
        return frozenset.__contains__(self, "CAPABILITY_CAPABILITIES")

    def __contains__(self, capability: object) -> bool:
        if isinstance(capability, int):
            return frozenset.__contains__(self, _NAMES.get(capability, f"CAPABILITY_{capability}"))
        return isinstance(capability, str) and frozenset.__contains__(
            self, self._full_name(capability)
        )

    def has(self, capability: str | int) -> bool:
        """Say whether the caller advertises a capability; the same as `in`.

        Raises:
            UsageError: `capability` isn't the name of a capability.
        """
        return capability in self

    def lacks(self, capability: str | int) -> bool:
        """Say whether the caller is known not to support a capability: it advertises others, but
        not this capability.

        Raises:
            UsageError: `capability` isn't the name of a capability.
        """
        has = capability in self
        return self.advertised and not has

    def _full_name(self, capability: str) -> str:
        """Return a capability's name with `CAPABILITY_`.

        A capability may also be given by its number. This is the only way for one that this version
        doesn't know.

        Raises:
            UsageError: There is no capability of this name. Without the error a misspelt name would
                never be noticed, because the answer would always be no.
        """
        short = capability.removeprefix(_PREFIX)
        if short.isdecimal() and len(short) <= _MOST_DIGITS:
            return _NAMES.get(int(short), _PREFIX + short)
        if short not in _SHORT:
            hint = (
                near_name(capability.upper().removeprefix(_PREFIX), _SHORT)
                or f"; there are {', '.join(sorted(_SHORT))}"
            )
            raise UsageError(
                f"there is no capability {capability!r}{hint}; give a newer capability by its"
                " number in the protocol"
            )
        return _PREFIX + short


class MissingCredentialError(CrossplaneLiteError, KeyError):
    """compose() read a credential that the request lacks, or a key that the credential lacks."""

    __str__ = Exception.__str__  # KeyError shows the repr of its text


class Credential(dict[str, bytes]):
    """One credential: its values by key, as bytes. Its repr has only the keys.

    Raises:
        MissingCredentialError: `credential[key]` was read, and the credential doesn't have the key.
    """

    def __missing__(self, key: str) -> bytes:
        raise MissingCredentialError(
            f"the credential has no key {key!r}{_known(self)}; add the key to the credential's"
            " Secret"
        )

    def text(self, key: str) -> str:
        """Return the value of a key as a string.

        Raises:
            MissingCredentialError: The credential doesn't have the key.
            UsageError: The value isn't UTF-8.
        """
        try:
            return self[key].decode()
        except UnicodeDecodeError:
            raise UsageError(
                f"the value of credential key {key!r} isn't UTF-8; read the bytes:"
                f" credential[{key!r}]"
            ) from None

    def __repr__(self) -> str:
        # never the values, they are secret
        return f"<credential with {', '.join(self) or 'nothing'}>"


class Credentials(dict[str, Credential]):
    """The function's credentials by name.

    Args:
        given: The map of credentials in the request.

    Raises:
        MissingCredentialError: `credentials[name]` was read, and the request has no credential of
            this name.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(
            {
                name: Credential(sorted(given[name].credential_data.data.items()))
                for name in sorted(given)
            }
        )

    def __missing__(self, name: str) -> Credential:
        raise MissingCredentialError(
            f"no credentials {name!r} came with the request{_known(self)}; "
            "list them under 'credentials' of this function's step in the Composition or Operation"
        )


def _known(found: Iterable[str]) -> str:
    names = ", ".join(sorted(found))
    return f" (it has {names})" if names else ""


def raw_request(data: bytes) -> Any:
    """Return the request as the protocol's v1 message, a `run_function_pb2.RunFunctionRequest`.

    Args:
        data: The request's bytes.

    Raises:
        UsageError: protobuf can't parse the request, because the request is nested too deep.
    """
    from google.protobuf.message import DecodeError

    from ...proto.v1 import run_function_pb2

    try:
        return run_function_pb2.RunFunctionRequest.FromString(data)
    except DecodeError as error:
        raise UsageError(
            "ctx.request isn't available, because the request is nested too deep for protobuf"
            f" ({error}); read its values with the other attributes of ctx"
        ) from None
