"""Certificates of the server, read again at every handshake, for either transport."""

from __future__ import annotations

import logging
import os
import ssl
import threading
import time
from typing import Any, Final, NamedTuple

from ..errors import InputError
from .certificate import ED25519, P521, UNUSABLE, Facts, facts_in

__all__ = ["Certificates", "Files"]

_CERTIFICATE: Final = "tls.crt"
_KEY: Final = "tls.key"
_CA: Final = "ca.crt"

# Less of its validity than this left, and no more than this many seconds, and a certificate is late to be renewed.
# cert-manager renews when a third is left.
_SHARE_LEFT: Final = 0.2
_SECONDS_LEFT: Final = 30 * 86400
_MOST_STEPS: Final = 10

_log = logging.getLogger(__name__)


class Files(NamedTuple):
    """Contents of the certificate, the key and the CA, all PEM."""

    certificate: bytes
    key: bytes
    ca: bytes


class Certificates:
    """The three files of a directory as Crossplane and Kubernetes secrets lay them out.

    A new version counts as soon as all three files are complete and fit together, and a handshake with them succeeds;
    until then the last good one stays in use.

    Args:
        directory: Holds tls.crt, tls.key and ca.crt, all PEM.

    Raises:
        InputError: A file can't be read, isn't complete, the key isn't the certificate's, or clients can't use it.
    """

    def __init__(self, directory: str) -> None:
        self._paths = tuple(os.path.join(directory, name) for name in (_CERTIFICATE, _KEY, _CA))
        self._complaint = ""
        self._lock = threading.RLock()  # handshakes ask in threads of their own
        self._good, self._context = self._read_checked()
        self._adopt()

    @property
    def files(self) -> Files:
        """The last good version."""
        return self._good

    @property
    def context(self) -> ssl.SSLContext:
        """What a server of HTTP/2 wraps its sockets with: the last good version, a client certificate demanded."""
        return self._context

    @property
    def expires(self) -> float:
        """When the certificate expires, in seconds since 1970."""
        return self._own.ends

    def look(self, now: float | None = None) -> None:
        """Warn, once for each reason, of a certificate that isn't valid, or that won't be soon.

        Args:
            now: The time, in seconds since 1970.
        """
        now = time.time() if now is None else now
        with self._lock:
            for path, one in ((self._paths[0], self._own), (self._paths[2], self._authority)):
                kind, text = _judge(one, now)
                if self._warned.get(path, "") != kind:
                    self._warned[path] = kind
                    if kind:
                        _log.warning("%s %s", path, text)

    def _adopt(self) -> None:
        """Take over what the certificates say of themselves."""
        self._own = facts_in(self._good.certificate, self._paths[0])[0]
        # One that is valid is enough, so the last one counts.
        self._authority = max(facts_in(self._good.ca, self._paths[2]), key=lambda one: one.ends)
        self._warned: dict[str, str] = {}
        name = {ED25519: "Ed25519", P521: "P-521"}.get(self._own.key)
        if name is not None:
            _log.warning(
                "%s has a key of the kind %s: Crossplane can use it; clients in C++ and Python, and proxies, may not. "
                "P-256 and RSA work with all of them",
                *(self._paths[0], name),
            )
        self.look()

    def changed(self) -> bool:
        """Read the files; say whether a new version counts from now on. One that can't be used is logged once."""
        with self._lock:
            return self._changed()

    def _changed(self) -> bool:
        try:
            # Reading 10 KB is nothing beside a handshake, and misses no change, as times and sizes can.
            if self._read() == self._good:
                return False
            self._good, self._context = self._read_checked()
            self._adopt()
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
        for path, content in ((certificate, files.certificate), (ca, files.ca)):
            if not facts_in(content, path):
                raise InputError(f"{path} can't be used: it has no certificate")
        kind = facts_in(files.certificate, certificate)[0].key
        if kind in UNUSABLE:
            raise InputError(f"{key} is a key of the kind {UNUSABLE[kind]}, which clients can't use; take P-256 or RSA")
        context = _http2(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
        try:
            # Without a password of our own OpenSSL would ask for an encrypted key's on the terminal.
            context.load_cert_chain(certificate, key, password="")
        except (OSError, ValueError) as e:
            if getattr(e, "reason", None) == "KEY_VALUES_MISMATCH":
                raise InputError(f"{key} is not the key of {certificate}") from e
            raise InputError(f"{certificate} and {key} can't be used: {_reason(e)}") from e
        try:
            _shake_hands(context)
        except (OSError, ValueError) as e:
            raise InputError(f"no handshake succeeds with {certificate} and {key}: {_reason(e)}") from e
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(ca)
        except (OSError, ValueError) as e:
            raise InputError(f"{ca} can't be used: {_reason(e)}") from e
        return context


def _http2(context: ssl.SSLContext) -> ssl.SSLContext:
    """Set what RFC 9113 asks for in section 9.2."""
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE+AESGCM:ECDHE+CHACHA20")  # of TLS 1.2; those of 1.3 are all allowed
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["h2"])
    # A client keeps its connection open; a session would only be taken up again after the server's end.
    context.num_tickets = 0
    return context


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", None) or error)


def _shake_hands(context: ssl.SSLContext) -> None:
    """Make a handshake in memory, as a client would that takes any certificate.

    Raises:
        ssl.SSLError: It fails.
    """
    client_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_context.check_hostname = False
    client_context.verify_mode = ssl.CERT_NONE
    client_context.set_alpn_protocols(["h2"])
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides: list[Any] = [
        client_context.wrap_bio(to_client, to_server),
        context.wrap_bio(to_server, to_client, server_side=True),
    ]
    for _ in range(_MOST_STEPS):
        for side in list(sides):
            try:
                side.do_handshake()
                sides.remove(side)
            except ssl.SSLWantReadError:
                pass
        if not sides:
            return
    raise ssl.SSLError("the handshake doesn't end")


def _judge(one: Facts, now: float) -> tuple[str, str]:
    """Return what is wrong with the dates of a certificate, and the text of a warning; nothing where all is well."""
    if now >= one.ends:
        return "expired", f"has expired at {_date(one.ends)}: handshakes fail until there is a new one"
    if now < one.begins:
        return "early", f"is not valid before {_date(one.begins)}: handshakes fail until then, or the clock is wrong"
    left = one.ends - now
    if left < min(_SECONDS_LEFT, _SHARE_LEFT * (one.ends - one.begins)):
        return "soon", f"expires at {_date(one.ends)}, in {_span(left)}: it should have been renewed"
    return "", ""


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _span(seconds: float) -> str:
    return f"{seconds / 86400:.0f} days" if seconds >= 2 * 86400 else f"{seconds / 3600:.1f} hours"
