"""What the caller supports, and other rarely read parts of the request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from .errors import UsageError

__all__ = ["Capabilities", "Credential", "raw_request"]

_NAMES: Final = {
    1: "CAPABILITY_CAPABILITIES",
    2: "CAPABILITY_REQUIRED_RESOURCES",
    3: "CAPABILITY_CREDENTIALS",
    4: "CAPABILITY_CONDITIONS",
    5: "CAPABILITY_REQUIRED_SCHEMAS",
}


class Capabilities(frozenset[str]):
    """The names of the capabilities that the caller advertises (function-capabilities).

    Names may be given with or without `CAPABILITY_`, or as the protocol's numbers.

    Attributes:
        advertised: Whether the caller advertises capabilities at all; where it doesn't, nothing can be concluded.
    """

    def __new__(cls, numbers: Iterable[int]) -> Capabilities:
        return super().__new__(cls, (_NAMES.get(number, f"CAPABILITY_{number}") for number in numbers))

    @property
    def advertised(self) -> bool:
        return frozenset.__contains__(self, "CAPABILITY_CAPABILITIES")

    def __contains__(self, capability: object) -> bool:
        if isinstance(capability, int):
            return frozenset.__contains__(self, _NAMES.get(capability, f"CAPABILITY_{capability}"))
        return isinstance(capability, str) and frozenset.__contains__(
            self, "CAPABILITY_" + capability.removeprefix("CAPABILITY_")
        )

    def lacks(self, capability: str) -> bool:
        """Say whether the caller is known not to support something: it advertises capabilities without this one."""
        return self.advertised and capability not in self


class Credential(dict[str, bytes]):
    """One credential: bytes by key."""

    def text(self, key: str) -> str:
        """Return the value of a key as text.

        Raises:
            KeyError: The key isn't there.
            UsageError: The value isn't UTF-8.
        """
        try:
            return self[key].decode()
        except UnicodeDecodeError:
            raise UsageError(f"credential {key!r} isn't UTF-8 text; read it as bytes") from None

    def __repr__(self) -> str:
        return f"<credential with {', '.join(self) or 'nothing'}>"  # never the values, they are secret


def raw_request(data: bytes) -> Any:
    """Return the request as the protocol's v1 message.

    Raises:
        UsageError: protobuf can't parse it, because it is nested too deep.
    """
    from google.protobuf.message import DecodeError

    from .proto.v1 import run_function_pb2

    try:
        return run_function_pb2.RunFunctionRequest.FromString(data)
    except DecodeError as error:
        raise UsageError(
            f"the request can't be made into a message: {error}; ctx's other attributes have no such limit"
        ) from None
