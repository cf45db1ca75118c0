"""The forms of names in Kubernetes: tests of strings, and each form in words.

They are those of k8s.io/apimachinery (pkg/api/validate/content).
"""

from __future__ import annotations

import re
from typing import Final

_LABEL: Final = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_dns_label: Final = re.compile(_LABEL, re.ASCII).fullmatch
_subdomain: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII).fullmatch
_word: Final = re.compile("[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII).fullmatch

_LONGEST_LABEL: Final = 63
_LONGEST_SUBDOMAIN: Final = 253

_ENDS: Final = "with a letter or digit at both ends"
WORD_FORM: Final = f"up to {_LONGEST_LABEL} letters, digits, '-', '_' and '.', {_ENDS}"
DNS_LABEL_FORM: Final = f"up to {_LONGEST_LABEL} lower-case letters, digits and '-', {_ENDS}"
SUBDOMAIN_FORM: Final = (
    f"up to {_LONGEST_SUBDOMAIN} lower-case letters, digits, '-' and '.', {_ENDS} and beside"
    " each '.'"
)
KEY_FORM: Final = f"{WORD_FORM}; in front of it there may be a DNS name and '/'"


def is_dns_label(text: str) -> bool:
    """Return whether a string is a DNS label (RFC 1123), as the names of namespaces are."""
    return len(text) <= _LONGEST_LABEL and _dns_label(text) is not None


def is_subdomain(text: str) -> bool:
    """Return whether a string is a DNS name (RFC 1123), as the names of most objects are."""
    return len(text) <= _LONGEST_SUBDOMAIN and _subdomain(text) is not None


def is_label_value(text: str) -> bool:
    """Return whether a string may be the value of a label."""
    return not text or (len(text) <= _LONGEST_LABEL and _word(text) is not None)


def is_key(text: str) -> bool:
    """Return whether a string may be the key of a label, or a finalizer."""
    prefix, slash, name = text.rpartition("/")
    return bool(name) and is_label_value(name) and (not slash or is_subdomain(prefix))
