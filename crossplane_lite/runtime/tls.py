"""The certificates of the server, for the transports grpcio and h2. Handshakes and `look` read the files again."""

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

# A certificate should have been renewed if less than this share of its validity is left, and less than this many
# seconds. cert-manager renews a certificate when a third is left.
_SHARE_LEFT: Final = 0.2
_SECONDS_LEFT: Final = 30 * 86400
_MOST_STEPS: Final = 10
# Crossplane keeps its connection open, so there may be no handshake for months.
_READ_SECONDS: Final = 60.0

_log = logging.getLogger(__name__)


class Files(NamedTuple):
    """The contents of tls.crt, tls.key and ca.crt, all in PEM."""

    certificate: bytes
    key: bytes
    ca: bytes


class Certificates:
    """The certificate, the key and the CA in a directory, with the file names that Kubernetes Secrets have.

    `changed` reads the files again. It adopts new contents if all three files are complete and fit together, and a
    handshake with them succeeds. Otherwise the last good version stays in use.

    Args:
        directory: A directory with tls.crt, tls.key and ca.crt, all in PEM.

    Raises:
        InputError: A file can't be read or isn't complete, the key doesn't belong to the certificate, or clients can't
            use the certificate.
    """

    def __init__(self, directory: str) -> None:
        self._paths = tuple(os.path.join(directory, name) for name in (_CERTIFICATE, _KEY, _CA))
        self._complaint = ""
        self._lock = threading.RLock()  # handshakes run in several threads
        self._read_at = 0.0
        self._good, self._context = self._read_checked()
        self._adopt()

    @property
    def files(self) -> Files:
        """The contents of the three files, in the last good version."""
        return self._good

    @property
    def context(self) -> ssl.SSLContext:
        """The SSL context for an HTTP/2 server. It uses the last good version, and demands client certificates."""
        return self._context

    @property
    def expires(self) -> float:
        """When the first certificate in tls.crt expires, in seconds since 1970."""
        return self._own.ends

    def look(self, now: float | None = None) -> None:
        """Log a warning, once for each reason, if tls.crt or ca.crt isn't valid now, or expires soon.

        The first certificate of tls.crt is checked, and in ca.crt the certificate that expires last.

        Before a warning, and otherwise once a minute, the files are read again, as `changed` does it.

        Args:
            now: The time, in seconds since 1970; by default the present time.
        """
        now = time.time() if now is None else now
        with self._lock:
            if not 0 <= now - self._read_at < _READ_SECONDS or self._news(now):
                self._read_at = now
                self._changed()
            self._warn(now)

    def _warn(self, now: float) -> None:
        for path, kind, text in self._news(now):
            self._warned[path] = kind
            if kind:
                _log.warning("%s %s", path, text)

    def _news(self, now: float) -> list[tuple[str, str, str]]:
        """Return the files whose dates have another problem than before: the path, and the problem as in `_judge`."""
        certificate, _, ca = self._paths
        judged = [(path, *_judge(one, now)) for path, one in ((certificate, self._own), (ca, self._authority))]
        return [(path, kind, text) for path, kind, text in judged if self._warned.get(path, "") != kind]

    def _adopt(self) -> None:
        """Read the validity and the kind of key from the new certificates, and log warnings about them."""
        self._own = facts_in(self._good.certificate, self._paths[0])[0]
        # One valid CA is enough, so the one that expires last counts.
        self._authority = max(facts_in(self._good.ca, self._paths[2]), key=lambda one: one.ends)
        self._warned: dict[str, str] = {}
        name = {ED25519: "Ed25519", P521: "P-521"}.get(self._own.key)
        if name is not None:
            _log.warning(
                "%s has a key of the kind %s: Crossplane can use it, but clients in C++ and Python, and proxies, may "
                "not; take P-256 or RSA, which work with all clients",
                *(self._paths[0], name),
            )
        self._warn(time.time())

    def changed(self) -> bool:
        """Read the files again. If they have changed and can be used, use them from now on and return True.

        Otherwise return False. If changed files can't be used, the reason is logged once.
        """
        with self._lock:
            return self._changed()

    def _changed(self) -> bool:
        try:
            # Reading 10 KB takes no time compared with a handshake. Comparing times and sizes could miss a change.
            if self._read() == self._good:
                return False
            self._good, self._context = self._read_checked()
            self._adopt()
        except Exception as e:
            complaint = str(e)
            if complaint != self._complaint:
                self._complaint = complaint
                _log.error("the new certificates can't be used, so the last good ones stay in use: %s", complaint)
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
        # ssl loads files, not bytes. If the files have the same bytes after the check, these are the checked bytes.
        files = self._read()
        for _ in range(3):
            context = self._check(files)
            again = self._read()
            if again == files:
                return files, context
            files = again
        raise InputError(
            f"{_CERTIFICATE}, {_KEY} and {_CA} in {os.path.dirname(self._paths[0])} keep changing while they are read: "
            "finish writing them (a running server tries again by itself)"
        )

    def _check(self, files: Files) -> ssl.SSLContext:
        for path, content in zip(self._paths, files, strict=True):
            begins = content.count(b"-----BEGIN ")
            if not begins or begins != content.count(b"-----END "):
                raise InputError(f"{path} is not a complete PEM file: copy the whole file, with BEGIN and END lines")
        certificate, key, ca = self._paths
        for path, content in ((certificate, files.certificate), (ca, files.ca)):
            if not facts_in(content, path):
                raise InputError(f"{path} can't be used: it has no certificate (a BEGIN CERTIFICATE block)")
        kind = facts_in(files.certificate, certificate)[0].key
        if kind in UNUSABLE:
            raise InputError(
                f"{key} is a key of the kind {UNUSABLE[kind]}, which Crossplane refuses: make a P-256 or RSA key, and "
                "a certificate for it"
            )
        context = _http2(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
        try:
            # Without a password here, OpenSSL would ask on the terminal for the password of an encrypted key.
            context.load_cert_chain(certificate, key, password="")
        except (OSError, ValueError) as e:
            if getattr(e, "reason", None) == "KEY_VALUES_MISMATCH":
                raise InputError(f"{key} is not the key of {certificate}: give a pair that belongs together") from e
            raise InputError(
                f"{certificate} and {key} can't be used ({_reason(e)}): give the certificate and its key, without a "
                "password; P-256 and RSA with 2,048 bits or more are best"
            ) from e
        try:
            _shake_hands(context)
        except (OSError, ValueError) as e:
            raise InputError(
                f"no handshake succeeds with {certificate} and {key} ({_reason(e)}): make a P-256 or RSA key, and a "
                "certificate for it"
            ) from e
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(ca)
        except (OSError, ValueError) as e:
            raise InputError(
                f"{ca} can't be used ({_reason(e)}): check the file with `openssl storeutl -certs -text {ca}`"
            ) from e
        return context


def _http2(context: ssl.SSLContext) -> ssl.SSLContext:
    """Change a context's settings to those that RFC 9113, section 9.2, demands for HTTP/2, and return the context."""
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE+AESGCM:ECDHE+CHACHA20")  # for TLS 1.2; all ciphers of TLS 1.3 are allowed
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["h2"])
    # No session tickets: a client keeps its connection open, so it would use a ticket only after the server's end.
    context.num_tickets = 0
    return context


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", None) or error)


def _shake_hands(context: ssl.SSLContext) -> None:
    """Try a handshake in memory, with a client that accepts any certificate.

    Raises:
        ssl.SSLError: The handshake fails.
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
    raise ssl.SSLError(f"the handshake wasn't over after {_MOST_STEPS} steps")


def _judge(one: Facts, now: float) -> tuple[str, str]:
    """Return the problem of a certificate's dates (`expired`, `early` or `soon`), and the text of a warning about it.

    Both are empty strings if the certificate is valid at the time `now` and doesn't expire soon after that.
    """
    if now >= one.ends:
        return "expired", f"expired at {_date(one.ends)}: handshakes fail until there is a new certificate"
    if now < one.begins:
        return "early", f"is not valid before {_date(one.begins)}: handshakes fail until then; check the clock"
    left = one.ends - now
    if left < min(_SECONDS_LEFT, _SHARE_LEFT * (one.ends - one.begins)):
        return "soon", f"expires at {_date(one.ends)}, in {_span(left)}: it should have been renewed by now; renew it"
    return "", ""


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _span(seconds: float) -> str:
    return f"{seconds / 86400:.0f} days" if seconds >= 2 * 86400 else f"{seconds / 3600:.1f} hours"
