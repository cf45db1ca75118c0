"""Counts the TLS handshakes of the transport h2 that have failed, and logs the reasons, at most one a minute."""

from __future__ import annotations

import contextlib
import logging
import socket
from typing import Any, Final

__all__ = ["Failures", "failures", "name_of", "reason_of"]

_SILENT_SECONDS: Final = 60.0

_log = logging.getLogger(__name__)

_GIVE: Final = "give it a certificate that the CA in ca.crt has signed"
_NOT_TLS: Final = "the client sent plain text or another protocol: let it connect with TLS"
_SELF_SIGNED: Final = 18  # X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
_REASONS: Final = {
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": f"the client showed no certificate: {_GIVE}",
    "HTTP_REQUEST": _NOT_TLS,
    "WRONG_VERSION_NUMBER": _NOT_TLS,
}


class Failures:
    """The failed handshakes of this process.

    Attributes:
        count: The number of handshakes that have failed.
    """

    def __init__(self) -> None:
        self.count = 0
        self._left_out = 0
        self._silent_until = 0.0

    def add(self, peer: str, reason: str, now: float) -> None:
        """Count a failed handshake, and log it, unless another was logged in the last minute.

        Args:
            peer: The client's address.
            reason: Why the handshake failed.
            now: The present time, by `time.monotonic`.
        """
        self.count += 1
        if now < self._silent_until:
            self._left_out += 1
            return
        more = f" ({self._left_out:,} more have failed since the last line about one)" if self._left_out else ""
        _log.warning("the TLS handshake with %s failed: %s%s", peer, reason, more)
        self._left_out = 0
        self._silent_until = now + _SILENT_SECONDS


failures: Final = Failures()
"""The failed handshakes of this process."""


def name_of(sock: socket.socket) -> str:
    """Return the address of a socket's peer, as text for people."""
    with contextlib.suppress(OSError):
        found = sock.getpeername()
        if isinstance(found, tuple):
            host = str(found[0]).removeprefix("::ffff:")  # IPv4 by a socket for both
            return f"[{host}]:{found[1]}" if ":" in host else f"{host}:{found[1]}"
    return "a client without an address"


def reason_of(sock: Any, error: OSError) -> str:
    """Return why a handshake has failed.

    Args:
        sock: The SSLSocket.
        error: The exception of `do_handshake`.

    Returns:
        The reason. It is empty if the client has closed the connection before it asked for anything. Probes that only
        connect do that.
    """
    reason = str(getattr(error, "reason", None) or "")
    # The exceptions of ssl are recognised by name, because this module is loaded without TLS, too.
    if isinstance(error, ConnectionError) or type(error).__name__ in ("SSLEOFError", "SSLZeroReturnError"):
        return "" if sock.shared_ciphers() is None else "the client closed the connection"
    if reason == "CERTIFICATE_VERIFY_FAILED":
        if getattr(error, "verify_code", 0) == _SELF_SIGNED:
            return (
                "no CA in ca.crt has signed the client's certificate: it is self-signed, or another CA of that name "
                "has signed it; give it one that the CA in ca.crt has signed, or try the transport grpcio "
                "(--transport grpcio)"
            )
        why = getattr(error, "verify_message", "")
        return f"the client's certificate isn't valid ({why}): {_GIVE}"
    words = reason.replace("_", " ").lower() or error.strerror or str(error)
    if "_ALERT_" in reason:
        return f"the client refused it ({words})"
    return _REASONS.get(reason, words)
