"""The certificates of the server, for the transports grpcio and h2. Handshakes and `look` read the
files again.
"""

from __future__ import annotations

import contextlib
import logging
import os
import ssl
import stat
import threading
import time
from typing import Any, Final, NamedTuple

from ..errors import InputError

__all__ = ["Certificates", "Files"]

_CERTIFICATE: Final = "tls.crt"
_KEY: Final = "tls.key"
_CA: Final = "ca.crt"

# A certificate should have been renewed if less than this share of its validity is left, and less
# than this many seconds. cert-manager renews a certificate when a third is left.
_SHARE_LEFT: Final = 0.2
_SECONDS_LEFT: Final = 30 * 86400
_MOST_STEPS: Final = 10
_INVALID: Final = ("expired", "early")  # problems of `_judge` with which handshakes fail
# Crossplane keeps its connection open, so there may be no handshake for months.
_READ_SECONDS: Final = 60.0

# What a key is if it doesn't belong to a certificate, by OpenSSL's reason.
_NO_PAIR: Final = {
    "KEY_VALUES_MISMATCH": "not the key of",
    "KEY_TYPE_MISMATCH": "a key of another kind than",
    "NO_CERTIFICATE_ASSIGNED": "a key of another kind than",
}

_BEGIN: Final = b"-----BEGIN CERTIFICATE-----"
_END: Final = "-----END CERTIFICATE-----"

_NO_CHECK_TIME: Final = 0x200000  # X509_V_FLAG_NO_CHECK_TIME, which ssl has no name for

_log = logging.getLogger(__name__)


class Files(NamedTuple):
    """The contents of tls.crt, tls.key and ca.crt, all in PEM."""

    certificate: bytes
    key: bytes
    ca: bytes


class _Dates(NamedTuple):
    """When a certificate begins to be valid and when it expires, in seconds since 1970."""

    begins: float
    ends: float


class _Version(NamedTuple):
    """A version of the files.

    Attributes:
        files: The files' contents.
        context: The SSL context for a server.
        own: The dates of the first certificate in tls.crt.
        authority: Those of the certificate in ca.crt that expires last: one valid CA is enough.
        same_name: How sure it is that clients' certificates have the name of their CA, as
            Crossplane's have: an empty string, `perhaps`, or `surely` if the certificate in tls.crt
            has it.
    """

    files: Files
    context: ssl.SSLContext
    own: _Dates
    authority: _Dates
    same_name: str


class Certificates:
    """The certificate, the key and the CA in a directory, with the file names that Kubernetes
    Secrets have.

    `changed` reads the files again. It adopts new contents if all three files are complete and fit
    together, a handshake with them succeeds, and no certificate that has expired would replace a
    valid one. Otherwise the last good version stays in use.

    Args:
        directory: A directory with tls.crt, tls.key and ca.crt, all in PEM.

    Raises:
        InputError: A file can't be read or isn't complete, the key doesn't belong to the
            certificate, or clients can't use the certificate.
    """

    def __init__(self, directory: str) -> None:
        self._paths = tuple(os.path.join(directory, name) for name in (_CERTIFICATE, _KEY, _CA))
        self._complaint = ""
        self._lock = threading.RLock()  # handshakes run in several threads
        self._read_at = 0.0
        self._gives_contexts = False
        self._good: _Version
        self._adopt(self._read_checked())

    @property
    def files(self) -> Files:
        """The contents of the three files, in the last good version."""
        return self._good.files

    @property
    def context(self) -> ssl.SSLContext:
        """The SSL context for an HTTP/2 server. It uses the last good version, and demands client
        certificates.

        Raises:
            InputError: Clients of the CA would be refused, and so a server can't use the context.
        """
        with self._lock:
            if not self._gives_contexts:
                self._gives_contexts = True
                try:
                    if self._good.same_name:
                        self._good = self._read_checked()
                except Exception:
                    self._gives_contexts = False
                    raise
            return self._good.context

    @property
    def expires(self) -> float:
        """When the first certificate in tls.crt expires, in seconds since 1970."""
        return self._good.own.ends

    def look(self, now: float | None = None) -> None:
        """Log a warning, once for each reason, if tls.crt or ca.crt isn't valid now, or expires
        soon.

        The first certificate of tls.crt is checked, and in ca.crt the certificate that expires
        last.

        Before a warning, and otherwise once a minute, the files are read again, as `changed` does
        it.

        Args:
            now: The time, in seconds since 1970; by default the present time.
        """
        now = time.time() if now is None else now
        with self._lock:
            if not 0 <= now - self._read_at < _READ_SECONDS or self._news(now):
                self._read_at = now
                self.changed(now)
            self._warn(now)

    def _warn(self, now: float) -> None:
        for path, kind, text in self._news(now):
            self._warned[path] = kind
            if kind:
                _log.warning("%s %s", path, text)

    def _news(self, now: float) -> list[tuple[str, str, str]]:
        """Return the files whose dates have another problem than before: the path, and the problem
        as in `_judge`.
        """
        judged = [(path, *_judge(one, now)) for path, one in self._dates(self._good)]
        return [
            (path, kind, text) for path, kind, text in judged if self._warned.get(path, "") != kind
        ]

    def _dates(self, version: _Version) -> list[tuple[str, _Dates]]:
        return [(self._paths[0], version.own), (self._paths[2], version.authority)]

    def _adopt(self, version: _Version) -> None:
        """Use a version from now on, and log warnings about it."""
        self._good = version
        self._warned: dict[str, str] = {}
        self._warn(time.time())

    def changed(self, now: float | None = None) -> bool:
        """Read the files again. If they have changed and can be used, use them from now on and
        return True.

        Otherwise return False. If changed files can't be used, the reason is logged once.

        Args:
            now: The time, in seconds since 1970; by default the present time.
        """
        with self._lock:
            try:
                # Reading 10 KB takes no time compared with a handshake. Comparing times and sizes
                # could miss a change.
                if self._read() == self._good.files:
                    return False
                self._adopt(self._read_checked(self._good, time.time() if now is None else now))
            except Exception as e:
                complaint = str(e)
                if complaint != self._complaint:
                    self._complaint = complaint
                    _log.error(
                        "the new certificates can't be used, so the last good ones stay in use: %s",
                        complaint,
                    )
                return False
            self._complaint = ""
            _log.info("certificates changed")
            return True

    def _read(self) -> Files:
        contents = []
        for path in self._paths:
            try:
                # opening a FIFO waits for who writes into it
                if not stat.S_ISREG(os.stat(path).st_mode):
                    raise InputError(f"{path} is not a regular file: give the files themselves")
                with open(path, "rb") as file:
                    contents.append(file.read())
            except OSError as e:
                raise InputError(f"can't read {path}: {e.strerror}") from e
        return Files(*contents)

    def _read_checked(self, old: _Version | None = None, now: float = 0.0) -> _Version:
        # ssl loads files, not bytes. If the files have the same bytes after the check, these are
        # the checked bytes.
        files = self._read()
        for _ in range(3):
            problem = None
            try:
                version = self._check(files, old, now)
            except InputError as e:
                problem = e
            again = self._read()
            if again == files:
                if problem is not None:
                    raise problem
                return version
            files = again
        raise InputError(
            f"{_CERTIFICATE}, {_KEY} and {_CA} in {os.path.dirname(self._paths[0])} keep changing"
            " while they are read: finish writing them (a running server tries again by itself)"
        )

    def _check(self, files: Files, old: _Version | None, now: float) -> _Version:
        for path, content in zip(self._paths, files, strict=True):
            begins = content.count(b"-----BEGIN ")
            if not begins or begins != content.count(b"-----END "):
                raise InputError(
                    f"{path} is not a complete PEM file: copy the whole file, with BEGIN and END"
                    " lines"
                )
        certificate, key, ca = self._paths
        for path, content in ((certificate, files.certificate), (ca, files.ca)):
            if _BEGIN not in content:
                raise InputError(
                    f"{path} can't be used: it has no certificate (a BEGIN CERTIFICATE block)"
                )
        der = _first(files.certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._load(context)
        try:
            own = _shake_hands(context, der)
        except (OSError, ValueError) as e:
            raise InputError(
                f"no handshake succeeds with {certificate} and {key} ({_reason(e)}): make a P-256"
                " or RSA key, and a certificate for it that servers may use"
            ) from e
        self._demand(context)
        authorities = context.get_ca_certs()
        latest = max(
            map(_dates_in, authorities), key=lambda one: one.ends, default=_Dates(0.0, float("inf"))
        )
        names = [authority.get("subject") for authority in authorities]
        same_name = "perhaps" if "Crossplane" in str(names) else ""
        if (
            own["subject"] == own["issuer"]
            and own["subject"] in names
            and der not in context.get_ca_certs(True)
        ):
            same_name = "surely"
        version = _Version(files, context, _dates_in(own), latest, same_name)
        for (path, one), (_, before) in zip(
            self._dates(version), self._dates(old or version), strict=True
        ):
            kind, text = _judge(one, now)
            if kind in _INVALID and _judge(before, now)[0] not in _INVALID:
                raise InputError(f"{path} {text}")
        if same_name and self._gives_contexts:
            return version._replace(context=self._accepting(context, der, same_name))
        return version

    def _load(self, context: ssl.SSLContext) -> None:
        """Load the certificate and the key into a new context."""
        certificate, key, _ = self._paths
        # RFC 9113, section 9.2, demands these settings for HTTP/2.
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # for TLS 1.2; all ciphers of TLS 1.3 are allowed
        context.set_ciphers("ECDHE+AESGCM:ECDHE+CHACHA20")
        context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
        context.set_alpn_protocols(["h2"])
        # No session tickets: a client keeps its connection open, so it would use a ticket only
        # after the server's end.
        context.num_tickets = 0
        try:
            # Without a password here, OpenSSL would ask on the terminal for the password of an
            # encrypted key.
            context.load_cert_chain(certificate, key, password="")
        except (OSError, ValueError) as e:
            problem = _NO_PAIR.get(getattr(e, "reason", ""))
            if problem:
                raise InputError(
                    f"{key} is {problem} {certificate}: give a pair that belongs together"
                ) from e
            raise InputError(
                f"{certificate} and {key} can't be used ({_reason(e)}): give the certificate and"
                " its key, without a password; P-256 and RSA with 2,048 bits or more are best"
            ) from e

    def _demand(self, context: ssl.SSLContext) -> None:
        """Let a context demand certificates of clients."""
        ca = self._paths[2]
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(ca)
        except (OSError, ValueError) as e:
            raise InputError(
                f"{ca} can't be used ({_reason(e)}): check the file with `openssl storeutl -certs"
                f" -text {ca}`"
            ) from e

    def _accepting(self, ordinary: ssl.SSLContext, own: bytes, same_name: str) -> ssl.SSLContext:
        """Return a context that accepts certificates with the name of their CA.

        If there can't be one, return the ordinary context, unless that would surely refuse clients.
        """
        try:
            from .same_name import Context, Unavailable  # needs ctypes, which not every Python has
        except ImportError as e:
            reason = str(e)
        else:
            try:
                context = Context()
                self._load(context)
                self._demand(context)
                context.accept_same_name()
                with contextlib.suppress(ssl.SSLError):  # it may be no certificate for clients
                    _shake_hands(context, own, (self._paths[0], self._paths[1]))
                if context.asked:
                    return context
                reason = "OpenSSL hasn't called back"
            except Unavailable as e:
                reason = str(e)
        text = (
            "clients with Crossplane's own certificates can't connect over h2 with this Python:"
            f" use the transport grpcio (--transport grpcio). {self._paths[2]} is a CA such as"
            " Crossplane's, which gives clients its own name, and only a Python that uses"
            f" OpenSSL's shared libraries can verify them ({reason})"
        )
        if same_name == "surely":
            raise InputError(text)
        _log.warning("%s", text)
        return ordinary


def _reason(error: Exception) -> str:
    return str(getattr(error, "verify_message", None) or getattr(error, "reason", None) or error)


def _shake_hands(
    context: ssl.SSLContext, der: bytes, pair: tuple[str, str] | None = None
) -> dict[str, Any]:
    """Try a handshake in memory, and return what the client knows about the server's certificate.

    `der` is the certificate that the server must show; its dates don't count. `pair` are the files
    of a certificate and its key that the client shows. Raises ssl.SSLError.
    """
    client_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_context.check_hostname = False
    client_context.load_verify_locations(cadata=der)
    client_context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | _NO_CHECK_TIME
    client_context.set_alpn_protocols(["h2"])
    if pair:
        client_context.load_cert_chain(*pair)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(to_client, to_server)
    sides = [client, context.wrap_bio(to_server, to_client, server_side=True)]
    for _ in range(_MOST_STEPS):
        for side in list(sides):
            try:
                side.do_handshake()
                sides.remove(side)
            except ssl.SSLWantReadError:
                pass
        if not sides:
            found: Any = client.getpeercert()
            return dict(found)
    raise ssl.SSLError(f"the handshake wasn't over after {_MOST_STEPS} steps")


def _first(pem: bytes) -> bytes:
    """Return the first certificate of a PEM file, in DER; an empty string if its text isn't
    right.
    """
    text, end, _ = pem[pem.find(_BEGIN) :].decode("ascii", "replace").partition(_END)
    try:
        return ssl.PEM_cert_to_DER_cert(text + end)
    except ValueError:
        return b""  # OpenSSL's error about it is better


def _dates_in(certificate: Any) -> _Dates:
    """Return the dates in what `ssl` says about a certificate."""
    return _Dates(
        *(ssl.cert_time_to_seconds(certificate[name]) for name in ("notBefore", "notAfter"))
    )


def _judge(one: _Dates, now: float) -> tuple[str, str]:
    """Return the problem of a certificate's dates (`expired`, `early` or `soon`), and the text of a
    warning about it.

    Both are empty strings if the certificate is valid at the time `now` and doesn't expire soon
    after that.
    """
    if now >= one.ends:
        return (
            "expired",
            f"expired at {_date(one.ends)}: handshakes fail until there is a new certificate",
        )
    if now < one.begins:
        return (
            "early",
            f"is not valid before {_date(one.begins)}: handshakes fail until then; check the clock",
        )
    left = one.ends - now
    if left < min(_SECONDS_LEFT, _SHARE_LEFT * (one.ends - one.begins)):
        return (
            "soon",
            (
                f"expires at {_date(one.ends)}, in {_span(left)}: it should have been renewed by"
                " now; renew it"
            ),
        )
    return "", ""


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _span(seconds: float) -> str:
    return f"{seconds / 86400:.0f} days" if seconds >= 2 * 86400 else f"{seconds / 3600:.1f} hours"
