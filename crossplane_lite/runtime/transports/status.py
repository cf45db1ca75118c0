"""The status codes of gRPC that the server uses, and the exception that answers a call with such a
code.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "DEADLINE_EXCEEDED",
    "INTERNAL",
    "INVALID_ARGUMENT",
    "NAMES",
    "NOT_FOUND",
    "OK",
    "RESOURCE_EXHAUSTED",
    "UNAVAILABLE",
    "UNIMPLEMENTED",
    "Refused",
]

OK: Final = 0
INVALID_ARGUMENT: Final = 3
DEADLINE_EXCEEDED: Final = 4
NOT_FOUND: Final = 5
RESOURCE_EXHAUSTED: Final = 8
UNIMPLEMENTED: Final = 12
INTERNAL: Final = 13
UNAVAILABLE: Final = 14

_MOST_TEXT: Final = 1000  # peers limit headers to 8 KB or less

NAMES: Final = {code: name for name, code in list(globals().items()) if type(code) is int}
"""The names of the status codes."""

NO_MESSAGE: Final = "the call has no request message; RunFunction takes exactly one"
TWO_MESSAGES: Final = "the call has more than one request message; RunFunction takes exactly one"


class Refused(Exception):
    """The call must be answered with a status instead of a response.

    Attributes:
        code: gRPC's status code.
        text: The status message, for people. It is sent in a header, so a long one is cut.
        http_status: The status of HTTP. If it isn't 200, the request wasn't a call of gRPC, and
            `text` is the body.
    """

    def __init__(self, code: int, text: str, http_status: int = 200) -> None:
        super().__init__(code, text)
        self.http_status = http_status
        self.code = code
        self.text = text[:_MOST_TEXT]
