"""Reads from certificates when they are valid, and the kind of their key.

Python's `ssl` doesn't offer this for a server's own certificate. The format is that of RFC 5280, section 4.1, in DER.
"""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..errors import InputError

__all__ = ["ED25519", "P521", "UNUSABLE", "Facts", "facts_in"]

_BEGIN: Final = "-----BEGIN CERTIFICATE-----"
_END: Final = "-----END CERTIFICATE-----"

_SEQUENCE: Final = 0x30
_VERSION: Final = 0xA0
_IDENTIFIER: Final = 0x06
_UTC_TIME: Final = 0x17
_ELLIPTIC: Final = "2a8648ce3d0201"  # its parameter is the curve

ED25519: Final = "2b6570"
"""The object identifier of Ed25519, in hexadecimal digits, as in `Facts.key`."""

P521: Final = "2b81040023"
"""The object identifier of the curve P-521, in hexadecimal digits, as in `Facts.key`."""

UNUSABLE: Final = {"2b6571": "Ed448", "2b8104000a": "secp256k1", "2a8648ce380401": "DSA"}
"""The names of the kinds of keys that clients in Go, such as Crossplane, refuse; by identifier as in `Facts.key`."""


class Facts(NamedTuple):
    """The validity of a certificate, and the kind of its key.

    Attributes:
        begins: When the certificate begins to be valid, in seconds since 1970.
        ends: When the certificate expires, in seconds since 1970.
        key: The kind of the key: the object identifier (OID) of the elliptic curve, or of the algorithm if there is no
            curve. It has the bytes of the OID as hexadecimal digits.
    """

    begins: float
    ends: float
    key: str


def facts_in(pem: bytes, path: str) -> list[Facts]:
    """Return a `Facts` for each certificate in a PEM file, in the file's order; an empty list without certificates.

    Args:
        pem: The file's content.
        path: The file's path, for messages.

    Raises:
        InputError: A certificate can't be read.
    """
    found = []
    for part in pem.decode("ascii", "replace").split(_BEGIN)[1:]:
        try:
            der = ssl.PEM_cert_to_DER_cert(f"{_BEGIN}{part.partition(_END)[0]}{_END}\n")
            found.append(_facts(der))
        except (ValueError, IndexError, StopIteration) as e:
            raise InputError(
                f"{path}, certificate {len(found) + 1}, can't be read: check the file with "
                f"`openssl storeutl -certs -text {path}`"
            ) from e
    return found


def _facts(der: bytes) -> Facts:
    ((_, certificate),) = _parts(der)
    fields = [field for field in _parts(next(_parts(certificate))[1]) if field[0] != _VERSION]
    _, _, _, (_, validity), _, (_, key), *_ = fields
    (begins, ends) = (_time(tag, text) for tag, text in _parts(validity))
    algorithm, *parameters = _parts(next(_parts(key))[1])
    kind = algorithm[1].hex()
    if kind == _ELLIPTIC and parameters and parameters[0][0] == _IDENTIFIER:
        kind = parameters[0][1].hex()
    return Facts(begins, ends, kind)


def _parts(der: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the tag and the content of each element in the content of a DER sequence.

    Raises:
        ValueError: The bytes end inside of an element's content.
        IndexError: The bytes end after an element's tag.
    """
    at = 0
    while at < len(der):
        tag, size = der[at], der[at + 1]
        at += 2
        if size & 0x80:
            digits = size & 0x7F
            size = int.from_bytes(der[at : at + digits], "big")
            at += digits
        if at + size > len(der):
            raise ValueError("cut off")
        yield tag, der[at : at + size]
        at += size


def _time(tag: int, text: bytes) -> float:
    digits = text.decode("ascii").rstrip("Z")
    if tag == _UTC_TIME:  # the year has two digits
        digits = ("20" if int(digits[:2]) < 50 else "19") + digits
    when = datetime.datetime.strptime(digits, "%Y%m%d%H%M%S")
    return when.replace(tzinfo=datetime.timezone.utc).timestamp()
