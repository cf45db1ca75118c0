"""SHA-256 without hashlib, which would take 3.7 MB in a served function, and short digests as
letters.
"""

from __future__ import annotations

__all__ = ["digest", "sha256"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # before Python 3.12
        except ImportError:  # a Python without modules of its own for hashes
            from hashlib import sha256

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"


def digest(data: bytes, length: int) -> str:
    """Return a digest of `data`: `length` letters, digits, hyphens and underscores (42 at the
    most), 6 bits each.
    """
    number = int.from_bytes(sha256(data).digest(), "big")
    return "".join(_LETTERS[number >> shift & 63] for shift in range(0, length * 6, 6))
