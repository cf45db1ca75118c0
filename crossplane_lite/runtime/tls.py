"""Certificates of the server, read again at every handshake."""

from __future__ import annotations

import logging
import os
import ssl
from typing import Any, Final

import grpc

from ..errors import InputError

__all__ = ["Certificates"]

_CERTIFICATE: Final = "tls.crt"
_KEY: Final = "tls.key"
_CA: Final = "ca.crt"

_log = logging.getLogger(__name__)

# Contents of the certificate, the key and the CA.
_Files = tuple[bytes, bytes, bytes]


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
        self._good = self._read_checked()
        self._complaint = ""

    def credentials(self) -> Any:
        """Return gRPC credentials that follow the files and demand a client certificate."""
        return grpc.dynamic_ssl_server_credentials(
            _configuration(self._good), self._fetch, require_client_authentication=True
        )

    def _fetch(self) -> Any:
        """Return what gRPC shall use from this handshake on, None for what it uses already."""
        try:
            # Reading 10 KB is nothing beside a handshake, and misses no change, as times and sizes can.
            if self._read() == self._good:
                return None
            files = self._read_checked()
        except Exception as e:
            complaint = str(e)
            if complaint != self._complaint:
                self._complaint = complaint
                _log.error("keeping the last good certificates: %s", complaint)
            return None
        self._good = files
        self._complaint = ""
        _log.info("certificates changed")
        return _configuration(files)

    def _read(self) -> _Files:
        contents = []
        for path in self._paths:
            try:
                with open(path, "rb") as file:
                    contents.append(file.read())
            except OSError as e:
                raise InputError(f"can't read {path}: {e.strerror}") from e
        certificate, key, ca = contents
        return certificate, key, ca

    def _read_checked(self) -> _Files:
        # ssl checks files, not bytes; that the bytes are what it checked is known when they are the same after it.
        files = self._read()
        for _ in range(3):
            self._check(files)
            again = self._read()
            if again == files:
                return files
            files = again
        raise InputError(f"the files in {os.path.dirname(self._paths[0])} keep changing")

    def _check(self, files: _Files) -> None:
        for path, content in zip(self._paths, files, strict=True):
            begins = content.count(b"-----BEGIN ")
            if not begins or begins != content.count(b"-----END "):
                raise InputError(f"{path} is not a complete PEM file")
        certificate, key, ca = self._paths
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
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


def _configuration(files: _Files) -> Any:
    certificate, key, ca = files
    return grpc.ssl_server_certificate_configuration([(key, certificate)], root_certificates=ca)


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", None) or error)
