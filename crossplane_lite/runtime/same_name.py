"""Makes OpenSSL accept clients whose certificates have the name of their CA, such as Crossplane's.

`crossplane core init` gives its CA and all certificates one name, and the certificates no
identifier of the CA's key. OpenSSL takes such a certificate for self-signed, whoever has signed it,
and Python's `ssl` can't change that. Go looks at the signature, and so does BoringSSL, which grpcio
has.

So OpenSSL gets a function that it calls for each problem that it finds. For this one problem the
function looks for a CA of the context that has signed the certificate; all others remain OpenSSL's
decision. ctypes calls only functions that OpenSSL documents, in the very library that `ssl` uses.
pyOpenSSL with cryptography would bring a second OpenSSL: 19 MB more in an image, 13 MB more memory,
and a start that takes 45 ms more, instead of 0.4 MB and 9 ms.
"""

from __future__ import annotations

import _ssl
import ctypes
import ssl
import threading
from ctypes import POINTER, byref, c_char_p, c_int, c_long, c_ulong, c_void_p
from typing import Any, Final

__all__ = ["Context", "Unavailable"]

_SELF_SIGNED: Final = 18  # X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
_OF_CONTEXTS: Final = 1  # CRYPTO_EX_INDEX_SSL_CTX
_CLIENT: Final = 1  # X509_PURPOSE_SSL_CLIENT
_NAME_CONSTRAINTS: Final = 666  # NID_name_constraints
_PARTIAL_CHAIN: Final = 0x80000  # X509_V_FLAG_PARTIAL_CHAIN
# The least strength of a signature, in bits, for each of OpenSSL's security levels.
_BITS: Final = (0, 80, 112, 128, 192, 256)

_VERIFY: Final = ctypes.CFUNCTYPE(c_int, c_int, c_void_p)
_NEW: Final = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_int, c_long, c_void_p)

# The result and the arguments of each function.
_FUNCTIONS: Final[dict[str, tuple[Any, ...]]] = {
    "CRYPTO_free_ex_index": (c_int, c_int, c_int),
    "CRYPTO_get_ex_new_index": (c_int, c_int, c_long, c_void_p, _NEW, c_void_p, c_void_p),
    "ERR_pop_to_mark": (c_int,),
    "ERR_set_mark": (c_int,),
    "SSL_CTX_get_cert_store": (c_void_p, c_void_p),
    "SSL_CTX_get_security_level": (c_int, c_void_p),
    "SSL_CTX_get_verify_mode": (c_int, c_void_p),
    "SSL_CTX_set_verify": (None, c_void_p, c_int, _VERIFY),
    "X509_STORE_CTX_free": (None, c_void_p),
    "X509_STORE_CTX_get0_param": (c_void_p, c_void_p),
    "X509_STORE_CTX_get_current_cert": (c_void_p, c_void_p),
    "X509_STORE_CTX_get_error": (c_int, c_void_p),
    "X509_STORE_CTX_init": (c_int, c_void_p, c_void_p, c_void_p, c_void_p),
    "X509_STORE_CTX_new": (c_void_p,),
    "X509_STORE_CTX_set_error": (None, c_void_p, c_int),
    "X509_VERIFY_PARAM_set_auth_level": (None, c_void_p, c_int),
    "X509_VERIFY_PARAM_set_flags": (c_int, c_void_p, c_ulong),
    "X509_check_issued": (c_int, c_void_p, c_void_p),
    "X509_check_purpose": (c_int, c_void_p, c_int, c_int),
    "X509_free": (None, c_void_p),
    "X509_get0_pubkey": (c_void_p, c_void_p),
    "X509_get_ext_by_NID": (c_int, c_void_p, c_int, c_int),
    "X509_get_signature_info": (c_int, c_void_p, c_void_p, c_void_p, POINTER(c_int), c_void_p),
    "X509_verify": (c_int, c_void_p, c_void_p),
    "X509_verify_cert": (c_int, c_void_p),
    "d2i_X509": (c_void_p, c_void_p, POINTER(c_char_p), c_long),
}


class Unavailable(Exception):
    """The functions of the OpenSSL that `ssl` uses can't be reached, for example because Python
    contains it.
    """


_lock: Final = threading.Lock()
_maker = 0  # the thread that makes a Context
_made: list[int] = []


def _note(parent: int, *_: Any) -> None:
    # OpenSSL calls this for each context that it makes meanwhile, in all threads.
    if threading.get_ident() == _maker:
        _made.append(parent)


# must live for ever: another thread may be about to call it when it is taken away
_NOTE: Final = _NEW(_note)


class Context(ssl.SSLContext):
    """An SSL context for servers. `accept_same_name` makes it accept certificates that have the
    name of their CA.

    Raises:
        Unavailable: OpenSSL's functions can't be reached.
    """

    _library: Any
    _pointer: int
    _verifier: _Verifier
    _verify: Any

    def __new__(cls) -> Context:
        """Return a new context, and remember where OpenSSL has its part of it."""
        global _maker
        # The symbols are those of libssl and libcrypto, which the library of the module _ssl
        # depends on. A static build has no such library; then they may be symbols of the program,
        # or not be there.
        try:
            library = ctypes.CDLL(getattr(_ssl, "__file__", None))
            for name, (result, *arguments) in _FUNCTIONS.items():
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
        except (OSError, TypeError, AttributeError) as e:
            raise Unavailable(str(e)) from e
        with _lock:
            _maker = threading.get_ident()
            index = library.CRYPTO_get_ex_new_index(_OF_CONTEXTS, 0, None, _NOTE, None, None)
            try:
                self = super().__new__(cls, ssl.PROTOCOL_TLS_SERVER)
            finally:
                library.CRYPTO_free_ex_index(_OF_CONTEXTS, index)
                _maker = 0
                made = _made.copy()
                _made.clear()
        if len(made) != 1:
            raise Unavailable("the symbols are those of another OpenSSL")
        self._library, self._pointer = library, made[0]
        return self

    def accept_same_name(self) -> None:
        """Accept certificates that have the name of their CA, if one of the context's CAs has
        signed them.

        Call this last: the attribute `verify_mode` undoes it when it is set.
        """
        self._verifier = _Verifier(
            self._library, self._pointer, self.get_ca_certs(binary_form=True)
        )
        self._verify = _VERIFY(self._verifier)  # must live as long as the context
        mode = self._library.SSL_CTX_get_verify_mode(self._pointer)
        self._library.SSL_CTX_set_verify(self._pointer, mode, self._verify)

    @property
    def asked(self) -> bool:
        """Whether OpenSSL has called what `accept_same_name` has given it."""
        return self._verifier.asked


class _Verifier:
    """Decides about certificates that OpenSSL takes for self-signed.

    Args:
        library: OpenSSL's functions.
        context: OpenSSL's context, an SSL_CTX.
        authorities: The certificates of the context's CAs, in DER.

    Attributes:
        asked: Whether OpenSSL has asked.
    """

    # It has no reference to the Context, which would keep both until the garbage collector finds
    # them.
    def __init__(self, library: Any, context: int, authorities: list[bytes]) -> None:
        self._library = library
        self._context = context
        self._authorities = authorities
        self.asked = False

    def __call__(self, good: int, found: int) -> int:
        """Return 1 if a certificate is good, or has only the problem that it has the name of a CA
        that has signed it.

        `good` is 0 if OpenSSL has found a problem, and `found` is an X509_STORE_CTX.
        """
        try:
            self.asked = True
            return 1 if good or self._accepts(found) else 0
        except BaseException:  # ctypes would leave it open what the result is
            return 0

    def _accepts(self, found: int) -> bool:
        library = self._library
        if library.X509_STORE_CTX_get_error(found) != _SELF_SIGNED:
            return False
        leaf = library.X509_STORE_CTX_get_current_cert(found)
        library.ERR_set_mark()
        try:
            accepted = any(self._has_signed(der, leaf) for der in self._authorities)
        finally:
            # an error that is left behind would count as one of the handshake
            library.ERR_pop_to_mark()
        if accepted:
            library.X509_STORE_CTX_set_error(found, 0)
        return accepted

    def _has_signed(self, der: bytes, leaf: int) -> bool:
        """Return whether a certificate is that of a valid CA for clients, and has signed another
        certificate.

        OpenSSL goes on with `leaf` as if nobody had signed it: it checks its dates, its purpose and
        its key, but nothing about the signature and the CA. So this does.
        """
        library = self._library
        level = library.SSL_CTX_get_security_level(self._context)
        bits = c_int()
        authority = library.d2i_X509(None, byref(c_char_p(der)), len(der))
        try:
            return bool(
                authority
                and library.X509_check_issued(authority, leaf) == 0
                and library.X509_check_issued(authority, authority) == 0
                and library.X509_check_purpose(authority, _CLIENT, 1) == 1
                # Name constraints would have to be compared with the leaf. Crossplane's CA has
                # none.
                and library.X509_get_ext_by_NID(authority, _NAME_CONSTRAINTS, -1) < 0
                and library.X509_verify(leaf, library.X509_get0_pubkey(authority)) == 1
                and library.X509_get_signature_info(leaf, None, None, byref(bits), None) == 1
                and bits.value >= _BITS[level]
                and self._is_valid(authority, level)
            )
        finally:
            library.X509_free(authority)

    def _is_valid(self, authority: int, level: int) -> bool:
        """Return whether OpenSSL accepts a CA of the context now: its dates, its key and its
        extensions.
        """
        library = self._library
        found = library.X509_STORE_CTX_new()
        try:
            store = library.SSL_CTX_get_cert_store(self._context)
            if not found or library.X509_STORE_CTX_init(found, store, authority, None) != 1:
                return False
            checks = library.X509_STORE_CTX_get0_param(found)
            library.X509_VERIFY_PARAM_set_auth_level(checks, level)
            # The CA is a root. Without the flag, OpenSSL could take another root of its name for
            # its own CA.
            library.X509_VERIFY_PARAM_set_flags(checks, _PARTIAL_CHAIN)
            return bool(library.X509_verify_cert(found) == 1)
        finally:
            library.X509_STORE_CTX_free(found)
