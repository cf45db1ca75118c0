"""The formats of texts that an API server checks in custom resources, by its rules.

The rules are Go's, or older than the standards that their names mean: an IPv4 address may have
zeros in front, a duration may be "5 minutes", and of two hyphens in a UUID one may be missing.
Formats that aren't here aren't checked.
"""

from __future__ import annotations

import base64
import binascii
import calendar
import ipaddress
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

from ..base.names import DNS_LABEL_FORM, SUBDOMAIN_FORM, is_dns_label, is_subdomain

_DIGITS: Final = re.compile("[0-9]+").fullmatch
_LONGEST_DURATION: Final = 2**63


def _pattern(text: str) -> Callable[[str], bool]:
    """Return the test for texts that match a pattern from their beginning to their end."""
    matches = re.compile(text, re.ASCII).fullmatch
    return lambda value: matches(value) is not None


# -- times

_date_parts: Final = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})").fullmatch
_time_parts: Final = re.compile(
    "([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})"
).fullmatch
_UNITS: Final = {
    "ns": 1,
    **dict.fromkeys(("us", "\u00b5s", "\u03bcs"), 10**3),
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_duration_part: Final = re.compile(rf"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)({'|'.join(_UNITS)})")
_is_go_duration: Final = re.compile(rf"[-+]?(?:0|(?:{_duration_part.pattern})+)").fullmatch
_spoken_part: Final = re.compile(r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)")
_is_spoken_unit: Final = re.compile(
    "ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*"
).fullmatch


def _is_date(text: str) -> bool:
    parts = _date_parts(text)
    if parts is None:
        return False
    year, month, day = map(int, parts.groups())
    if not 1 <= month <= 12:
        return False
    # The calendar repeats itself every 400 years, and Python's has no year 0.
    return 1 <= day <= calendar.monthrange(year + 400, month)[1]


def _is_datetime(text: str) -> bool:
    date, *times = text.lower().split("t")
    parts = _time_parts(times[0]) if times and _is_date(date) else None
    return parts is not None and parts[1] <= "23" and parts[2] <= "59" and parts[3] <= "59"


def _is_duration(text: str) -> bool:
    if _is_go_duration(text):
        length = sum(float(number) * _UNITS[unit] for number, unit in _duration_part.findall(text))
        if length < _LONGEST_DURATION:
            return True
    spoken = _spoken_part.findall(text)
    if any(int(number) >= _LONGEST_DURATION for number, _ in spoken):
        return False
    return any(_is_spoken_unit(unit.lower()) for _, unit in spoken)


# -- addresses

_is_scheme: Final = _pattern(r"[A-Za-z][-A-Za-z0-9+.]*")
_is_escaped: Final = _pattern("(?:[^%]|%[0-9A-Fa-f]{2})*")
_OF_HOSTS: Final = r"""[-A-Za-z0-9._~!$&'()*+,;=:\[\]<>"]"""
_is_host: Final = re.compile(rf"(?:{_OF_HOSTS}|[^\0-\x7f]|%25|%[89A-Fa-f][0-9A-Fa-f])*").fullmatch
_is_user: Final = _pattern("[-A-Za-z0-9._:~!$&'()*+,;=%@]*")
_is_port: Final = _pattern("(?::[0-9]*)?")
_control: Final = re.compile(r"[\0-\x1f\x7f]").search


def _is_uri(text: str) -> bool:
    if text == "*":
        return True
    if not text or text.startswith(":") or _control(text):
        return False
    scheme, colon, rest = text.partition(":")
    if not colon or not _is_scheme(scheme):
        # A colon behind other characters belongs to a path.
        scheme, rest = "", text
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        return scheme != ""
    if scheme and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        return _is_authority(authority) and _is_escaped(slash + path)
    return _is_escaped(rest)


def _is_authority(text: str) -> bool:
    user, at, host = text.rpartition("@")
    if at and not (_is_user(user) and _is_escaped(user)):
        return False
    if host.startswith("["):
        address, bracket, port = host[1:].rpartition("]")
        address, _, zone = address.partition("%25")
        return bool(bracket) and _is_port(port) and _is_ipv6(address) and _is_escaped(zone)
    _, colon, port = host.rpartition(":")
    return (not colon or _is_port(colon + port)) and _is_host(host) is not None


def _is_ipv6(text: str) -> bool:
    if "%" in text or ":" not in text:
        return False
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _without_zeros(text: str) -> str:
    """Return an address whose last part is an IPv4 address without the zeros in front of its
    numbers.
    """
    head, colon, last = text.rpartition(":")
    if "." not in last:
        return text
    numbers = [number.lstrip("0") or "0" if _DIGITS(number) else "x" for number in last.split(".")]
    return head + colon + ".".join(numbers)


def _is_address(text: str) -> bool:
    plain = _without_zeros(text)
    return _is_ipv6(plain) if ":" in text else _is_plain_ipv4(plain)


def _is_plain_ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def _is_ipv4(text: str) -> bool:
    return "." in text and _is_address(text)


def _is_cidr(text: str) -> bool:
    address, _, length = text.partition("/")
    return (
        _is_address(address)
        and bool(_DIGITS(length))
        and int(length) <= (128 if ":" in address else 32)
    )


def _is_mac(text: str) -> bool:
    for separator, digits in ((":", 2), ("-", 2), (".", 4), (None, len(text))):
        parts = text.split(separator)
        are_hex = all(re.fullmatch(f"[0-9A-Fa-f]{{{digits}}}", part) for part in parts)
        if are_hex and len(parts) * digits in (12, 16, 40):
            return True
    return False


def _is_hostname(text: str) -> bool:
    if len(text.encode(errors="replace")) > 255:
        return False
    *labels, last = text.split(".")
    if not labels:
        # Of a single label only the second character may be a hyphen.
        return (
            bool(last)
            and _are_of_names(last[:1] + last[1:].removeprefix("-"))
            and len(last.encode()) <= 63
        )
    is_top = 2 <= len(last) <= 63 and all(map(_is_letter, last))
    return is_top and len(last.encode()) <= 63 and all(map(_is_label, labels))


def _is_label(text: str) -> bool:
    has_ends = text[:1] not in ("", "-") and text[-1] != "-"
    return has_ends and len(text.encode()) <= 63 and _are_of_names(text.replace("-", ""))


def _is_letter(character: str) -> bool:
    return unicodedata.category(character).startswith("L")


def _are_of_names(text: str) -> bool:
    """Return whether a text has only letters, symbols and the digits 0 to 9."""
    return all(one in "0123456789" or unicodedata.category(one)[0] in "LS" for one in text)


# An address of RFC 5322, with a name in front or without one. Letters beyond ASCII are letters.
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\x80-\U0010ffff]+"
_QUOTED: Final = r'"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\x20-\x7e\x80-\U0010ffff\t])*"'
_LITERAL: Final = r"\[[0-9A-Fa-f.:]+\]"
_ADDRESS: Final = rf"(?:{_ATOM}(?:\.{_ATOM})*|{_QUOTED})@(?:{_ATOM}(?:\.{_ATOM})*|{_LITERAL})"
_PHRASE: Final = rf"(?:[. \t]|{_ATOM[:-1]}|{_QUOTED})*"
_is_mail: Final = re.compile(
    rf"[ \t]*(?:{_ADDRESS}|{_PHRASE}<{_ADDRESS}>|{_PHRASE}:[ \t]*{_ADDRESS};)[ \t]*"
).fullmatch


def _is_email(text: str) -> bool:
    return _is_mail(_without_comment(text)) is not None


def _without_comment(text: str) -> str:
    """Return an address without the comment behind it."""
    return re.sub(r"(?<=[^ ])[ \t]*\([^()\\]*\)[ \t]*$", "", text)


# -- numbers


def _sum(text: str, weights: Sequence[int]) -> int:
    return sum(
        (10 if one == "X" else int(one)) * weight for one, weight in zip(text, weights, strict=True)
    )


def _isbn(text: str) -> str:
    return re.sub(r"[\t\n\f\r -]+", "", text)


def _is_isbn10(text: str) -> bool:
    number = _isbn(text)
    return (
        re.fullmatch("[0-9]{9}[0-9X]", number) is not None and _sum(number, range(1, 11)) % 11 == 0
    )


def _is_isbn13(text: str) -> bool:
    number = _isbn(text)
    return (
        re.fullmatch("[0-9]{13}", number) is not None and _sum(number, [1, 3] * 6 + [1]) % 10 == 0
    )


# The first digits of the numbers that card companies give, and how many digits follow.
_CARDS: Final = (
    ("4", (12, 15)),
    ("5[1-5]", (14,)),
    ("6(?:011|5[0-9]{2})", (12,)),
    ("3[47]", (13,)),
    ("3(?:0[0-5]|[68][0-9])", (11,)),
    ("2131|1800|35[0-9]{3}", (11,)),
)
_is_card: Final = re.compile(
    "|".join(f"(?:{head})[0-9]{{{count}}}" for head, counts in _CARDS for count in counts)
).fullmatch


def _is_creditcard(text: str) -> bool:
    number = re.sub("[^0-9]+", "", text)
    if not _is_card(number):
        return False
    doubled = [sum(divmod(int(one) * 2, 10)) for one in number[-2::-2]]
    return (sum(map(int, number[::-2])) + sum(doubled)) % 10 == 0


def _is_byte(text: str) -> bool:
    try:
        base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


_BYTE: Final = "(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])"


def _is_uuid(version: str = "[0-9a-fA-F]", variant: str = "[0-9a-fA-F]") -> Callable[[str], bool]:
    four = "[0-9a-fA-F]{4}"
    return _pattern(
        f"{four}{four}-?{four}-?{version}{four[:-3]}{{3}}-?{variant}{four[:-3]}{{3}}-?{four}{four}{four}"
    )


FORMATS: Final[dict[str, tuple[Callable[[str], bool], str]]] = {
    "own byte": (_is_byte, "base64"),
    "date-time": (_is_datetime, "a time such as 2024-12-31T23:59:59Z"),
    "bsonobjectid": (_pattern("[0-9a-fA-F]{24}"), "24 hexadecimal digits"),
    "byte": (
        _pattern("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"),
        "base64",
    ),
    "cidr": (_is_cidr, "a range of addresses such as 10.0.0.0/16"),
    "creditcard": (_is_creditcard, "the number of a credit card"),
    "date": (_is_date, "a date such as 2024-12-31"),
    "datetime": (_is_datetime, "a time such as 2024-12-31T23:59:59Z"),
    "duration": (_is_duration, "a duration such as 1h30m"),
    "email": (_is_email, "an e-mail address"),
    "hexcolor": (_pattern("#?(?:[0-9a-fA-F]{3}){1,2}"), "a colour such as #ff0000"),
    "hostname": (_is_hostname, "a host's name such as example.org"),
    "ipv4": (_is_ipv4, "an IPv4 address"),
    "ipv6": (_is_ipv6, "an IPv6 address"),
    "isbn": (lambda text: _is_isbn10(text) or _is_isbn13(text), "an ISBN"),
    "isbn10": (_is_isbn10, "an ISBN of 10 digits"),
    "isbn13": (_is_isbn13, "an ISBN of 13 digits"),
    "k8slongname": (is_subdomain, SUBDOMAIN_FORM),
    "k8sshortname": (is_dns_label, DNS_LABEL_FORM),
    "mac": (_is_mac, "a MAC address such as 00:00:5e:00:53:01"),
    "rgbcolor": (
        _pattern(
            rf"rgb\([\t\n\f\r ]*{_BYTE}(?:[\t\n\f\r ]*,[\t\n\f\r ]*{_BYTE}){{2}}[\t\n\f\r ]*\)"
        ),
        "a colour such as rgb(255, 0, 0)",
    ),
    "ssn": (_pattern("[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}"), "a number such as 123-45-6789"),
    "uri": (_is_uri, "a URI such as https://example.org/a"),
    "uuid": (_is_uuid(), "a UUID"),
    "uuid3": (_is_uuid("3"), "a UUID of version 3"),
    "uuid4": (_is_uuid("4", "[89abAB]"), "a UUID of version 4"),
    "uuid5": (_is_uuid("5", "[89abAB]"), "a UUID of version 5"),
}
"""The test of each format, and words for it. The names have no hyphens, which an API server
ignores.
"""

OF_OWN_KINDS: Final = {"byte": "own byte", "datetime": "date-time"}
"""The formats that an API server's own kinds have in their types, with the names that the validator
gets for them.
"""
