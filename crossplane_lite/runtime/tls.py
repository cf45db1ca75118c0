"""Certificates of the server, read again at every handshake, for either transport."""

from __future__ import annotations

import logging
import os
import ssl
from typing import Final, NamedTuple

from ..errors import InputError

__all__ = ["Certificates", "Files"]

_CERTIFICATE: Final = "tls.crt"
_KEY: Final = "tls.key"
_CA: Final = "ca.crt"

_log = logging.getLogger(__name__)

class Files(NamedTuple):
    """Contents of the certificate, the key and the CA, all PEM."""

    certificate: bytes
    key: bytes
    ca: bytes


class Certificates:
    """The three files of a directory as Crossplane and Kubernetes secrets lay them out.

    A new version counts as soon as all three files are complete and fit together; until then the last good one
    stays in use.

    Args:
        directory: Holds tls.crt, tls.key and ca.crt, all PEM.

    Raises:
        InputError: A file can't be read, isn't complete, or the key isn't the certificate's.
    """

    def __init__(self, directory: str) -> None:
        self._paths = tuple(os.path.join(directory, name) for name in (_CERTIFICATE, _KEY, _CA))
        self._good, self._context = self._read_checked()
        self._complaint = ""

    @property
    def files(self) -> Files:
        """The last good version."""
        return self._good

    @property
    def context(self) -> ssl.SSLContext:
        """What a server of HTTP/2 wraps its sockets with: the last good version, a client certificate demanded."""
        return self._context

    def changed(self) -> bool:
        """Read the files; say whether a new version counts from now on. One that is no good is logged once."""
        try:
            # Reading 10 KB is nothing beside a handshake, and misses no change, as times and sizes can.
            if self._read() == self._good:
                return False
            self._good, self._context = self._read_checked()
        except Exception as e:
            complaint = str(e)
            if complaint != self._complaint:
                self._complaint = complaint
                _log.error("keeping the last good certificates: %s", complaint)
            return False
        self._complaint = ""
        _log.info("certificates changed")
        return True

    def _read(self) -> Files:
        contents = []
        for path in self._paths:
            try:
                with open(path, "rb") as file:
                    contents.append(file.read())
            except OSError as e:
                raise InputError(f"can't read {path}: {e.strerror}") from e
        return Files(*contents)

    def _read_checked(self) -> tuple[Files, ssl.SSLContext]:
        # ssl checks files, not bytes; that the bytes are what it checked is known when they are the same after it.
        files = self._read()
        for _ in range(3):
            context = self._check(files)
            again = self._read()
            if again == files:
                return files, context
            files = again
        raise InputError(f"the files in {os.path.dirname(self._paths[0])} keep changing")

    def _check(self, files: Files) -> ssl.SSLContext:
        for path, content in zip(self._paths, files, strict=True):
            begins = content.count(b"-----BEGIN ")
            if not begins or begins != content.count(b"-----END "):
                raise InputError(f"{path} is not a complete PEM file")
        certificate, key, ca = self._paths
        context = _http2(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
        try:
            # Without a password of our own OpenSSL would ask for an encrypted key's on the terminal.
            context.load_cert_chain(certificate, key, password="")
        except (OSError, ValueError) as e:
            if getattr(e, "reason", None) == "KEY_VALUES_MISMATCH":
                raise InputError(f"{key} is not the key of {certificate}") from e
            raise InputError(f"{certificate} and {key} can't be used: {_reason(e)}") from e
        try:
            context.load_verify_locations(ca)
        except (OSError, ValueError) as e:
            raise InputError(f"{ca} can't be used: {_reason(e)}") from e
        return context


def _http2(context: ssl.SSLContext) -> ssl.SSLContext:
    """Set what RFC 9113 asks for in section 9.2, and that a client must show a certificate."""
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE+AESGCM:ECDHE+CHACHA20")  # of TLS 1.2; those of 1.3 are all allowed
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["h2"])
    context.verify_mode = ssl.CERT_REQUIRED
    # A client keeps its connection open; a session would only be taken up again after the server's end.
    context.num_tickets = 0
    return context


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", None) or error)
