"""The functions that Kubernetes adds to CEL, for the CEL library: addresses, quantities, versions,
sets and the like.

The library knows no types of others, so an address or a quantity is a map with one key, such as
`@quantity`. Two of them are equal if their maps are. An exception in a function is an error of the
rule.
"""

from __future__ import annotations

import ipaddress
import re
import urllib.parse
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from ..resources.object_meta import metadata_problem
from .formats import FORMATS
from .go_patterns import rewritten
from .quantities import amount

_NUMBER: Final = "(0|[1-9][0-9]*)"
_WORDS: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_semver: Final = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_WORDS}))?(?:\+({_WORDS}))?"
).fullmatch
_HIGHEST: Final = 2**63
_LOCAL: Final[dict[int, Any]] = {
    4: ipaddress.ip_network("224.0.0.0/24"),
    6: ipaddress.ip_network("ff02::/16"),
}


def _quantity_of(number: Fraction) -> dict[str, str]:
    return {"@quantity": str(number)}


def _fraction(value: Any) -> Fraction:
    return Fraction(value["@quantity"]) if isinstance(value, Mapping) else Fraction(value)


def _integer(value: Any) -> int:
    number = _fraction(value)
    if number.denominator != 1 or not -_HIGHEST <= number < _HIGHEST:
        raise ValueError("the quantity isn't an integer")
    return int(number)


def _version(text: str, normalize: bool = False) -> dict[str, Any]:
    if normalize:
        head, rest = re.fullmatch(r"v?([0-9.]*)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
        numbers = [number.lstrip("0") or "0" for number in head.split(".")]
        text = ".".join([*numbers, "0", "0"][: max(3, len(numbers))]) + rest
    parts = _semver(text)
    words = (parts[4] or "").split(".") if parts else []
    if parts is None or any(re.fullmatch("0[0-9]+", word) for word in words):
        raise ValueError(f"{text!r} isn't a semantic version")
    return {"@semver": [int(parts[1]), int(parts[2]), int(parts[3]), parts[4] or ""]}


def _order(value: Any) -> Any:
    """Return what a quantity or version is ordered by."""
    if "@quantity" in value:
        return _fraction(value)
    *numbers, words = value["@semver"]
    parts = (
        [(0, int(one), "") if one.isdigit() else (1, 0, one) for one in words.split(".")]
        if words
        else []
    )
    return (numbers, not parts, parts)


def _compared(one: Any, other: Any) -> int:
    first, second = _order(one), _order(other)
    return int(first > second) - int(first < second)


def _address(value: Any) -> Any:
    text = value["@ip"] if isinstance(value, Mapping) else value
    found = ipaddress.ip_address(text)
    if isinstance(found, ipaddress.IPv6Address) and (
        found.ipv4_mapped is not None or found.scope_id is not None
    ):
        raise ValueError(f"{text!r} isn't an address")
    return found


def _network(value: Any) -> Any:
    text = value["@cidr"] if isinstance(value, Mapping) else value
    address, slash, length = text.partition("/")
    if not slash or not re.fullmatch("0|[1-9][0-9]*", length, re.ASCII):
        raise ValueError(f"{text!r} isn't a range of addresses")
    return ipaddress.ip_interface(f"{_address(address)}/{length}")


def _is_global(address: Any) -> bool:
    others = (
        address.is_unspecified,
        address.is_loopback,
        address.is_multicast,
        address.is_link_local,
    )
    return not any(others) and str(address) != "255.255.255.255"


def _contains(network: Any, inner: Any) -> bool:
    outer = _network(network).network
    return bool(inner.version == outer.version and inner.subnet_of(outer))


def _contains_ip(network: Any, address: Any) -> bool:
    return _contains(network, ipaddress.ip_network(_address(address)))


def _contains_cidr(network: Any, other: Any) -> bool:
    return _contains(network, _network(other).network)


def _pairs(values: Any) -> list[dict[str, Any]]:
    """Return the keys or indexes of a map or list with their values."""
    members = values.items() if isinstance(values, Mapping) else enumerate(values)
    return [{"key": key, "value": value} for key, value in members]


def _url(value: Any) -> urllib.parse.SplitResult:
    text = value["@url"] if isinstance(value, Mapping) else value
    if not FORMATS["uri"][0](text):
        raise ValueError(f"{text!r} isn't a URL")
    return urllib.parse.urlsplit(text, allow_fragments=False)


def _host(value: Any) -> str:
    return _url(value).netloc.rpartition("@")[2]


def _hostname(value: Any) -> str:
    host = _host(value)
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


def _is(make: Callable[..., Any]) -> Callable[..., bool]:
    """Return the function that says whether a value can be made."""

    def is_right(*given: Any) -> bool:
        try:
            make(*given)
        except ValueError:
            return False
        return True

    return is_right


def _has(values: Any, value: Any) -> bool:
    # A boolean isn't a number in CEL.
    return any(one == value and isinstance(one, bool) is isinstance(value, bool) for one in values)


def _has_all(values: Any, others: Any) -> bool:
    return all(_has(values, one) for one in others)


def _found(text: str, pattern: str) -> str:
    found = re.search(rewritten(pattern).replace(r"\u{", r"\x{"), text, re.ASCII)
    return found[0] if found else ""


def _all_found(text: str, pattern: str, most: int = -1) -> list[str]:
    found = [one[0] for one in re.finditer(rewritten(pattern), text, re.ASCII)]
    return found if most < 0 else found[:most]


def _index(values: Any, value: Any) -> int:
    return next((at for at, one in enumerate(values) if _has([one], value)), -1)


def _last_index(values: list[Any], value: Any) -> int:
    back = _index(values[::-1], value)
    return len(values) - 1 - back if back >= 0 else -1


def _distinct(values: Any) -> list[Any]:
    found: list[Any] = []
    for one in values:
        if not _has(found, one):
            found.append(one)
    return found


def _flat(values: Any, depth: int = 1) -> list[Any]:
    found: list[Any] = []
    for one in values:
        found += _flat(one, depth - 1) if isinstance(one, list) and depth else [one]
    return found


def _problems(text: str, name: str) -> dict[str, Any]:
    """Return the mistakes in a text of a format of CEL, as the library's substitute for an optional
    value.
    """
    if name in FORMATS:
        is_right = FORMATS[name][0](text)
    else:
        metadata = {
            "qualifiedName": {"finalizers": [text]},
            "labelValue": {"labels": {"a": text}},
            "dns1123Subdomain": {"name": text},
            "dns1123SubdomainPrefix": {"generateName": text},
        }.get(name, {"namespace": text.removesuffix("-") if name.endswith("Prefix") else text})
        is_right = metadata_problem(metadata, "example.org/v1", "Thing") is None and bool(
            text or name == "labelValue"
        )
        if name.startswith("dns1035"):
            is_right = is_right and text[:1].isalpha()
    return {"@problems": [] if is_right else [f"{text!r} isn't right for {name}"]}


_FORMAT_NAMES: Final = (
    *(
        "dns1123Label",
        "dns1123Subdomain",
        "dns1035Label",
        "qualifiedName",
        "labelValue",
        "uri",
        "uuid",
        "byte",
    ),
    *("dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix", "date", "datetime"),
)
# Each function by its parameters: s is a string, l a list, m a map, d anything. A method has a dot
# in front.
_FUNCTIONS: Final[Mapping[str, Mapping[str, Callable[..., Any]]]] = {
    "find": {".ss": _found},
    "findAll": {".ss": _all_found, ".ssi": _all_found},
    "isIP": {"s": _is(_address)},
    "ip": {
        "s": lambda text: {"@ip": str(_address(text))},
        ".m": lambda one: {"@ip": str(_network(one).ip)},
    },
    "ip.isCanonical": {"s": lambda text: str(_address(text)) == text},
    "family": {".m": lambda one: _address(one).version},
    "isUnspecified": {".m": lambda one: _address(one).is_unspecified},
    "isLoopback": {".m": lambda one: _address(one).is_loopback},
    "isLinkLocalMulticast": {".m": lambda one: _address(one) in _LOCAL[_address(one).version]},
    "isLinkLocalUnicast": {".m": lambda one: _address(one).is_link_local},
    "isGlobalUnicast": {".m": lambda one: _is_global(_address(one))},
    "isCIDR": {"s": _is(_network)},
    "cidr": {"s": lambda text: {"@cidr": str(_network(text))}},
    "containsIP": dict.fromkeys((".ms", ".mm"), _contains_ip),
    "containsCIDR": dict.fromkeys((".ms", ".mm"), _contains_cidr),
    "string": {"m": lambda one: next(iter(one.values()))},
    "prefixLength": {".m": lambda one: _network(one).network.prefixlen},
    "masked": {".m": lambda one: {"@cidr": str(_network(one).network)}},
    "isURL": {"s": _is(_url)},
    "url": {"s": lambda text: {"@url": _url(text).geturl()}},
    "getScheme": {".m": lambda one: _url(one).scheme},
    "getHost": {".m": _host},
    "getHostname": {".m": _hostname},
    "getPort": {".m": lambda one: _host(one).rpartition("]")[2].partition(":")[2]},
    "getEscapedPath": {
        ".m": lambda one: urllib.parse.quote(_url(one).path, safe="/%:@!$&'()*+,;=~")
    },
    "getQuery": {".m": lambda one: urllib.parse.parse_qs(_url(one).query, keep_blank_values=True)},
    "isQuantity": {"s": _is(amount)},
    "quantity": {"s": lambda text: _quantity_of(amount(text))},
    "sign": {".m": lambda one: (_fraction(one) > 0) - (_fraction(one) < 0)},
    "isInteger": {".m": _is(_integer)},
    "asInteger": {".m": _integer},
    "asApproximateFloat": {".m": lambda one: float(_fraction(one))},
    "add": dict.fromkeys(
        (".mm", ".mi"), lambda one, other: _quantity_of(_fraction(one) + _fraction(other))
    ),
    "sub": dict.fromkeys(
        (".mm", ".mi"), lambda one, other: _quantity_of(_fraction(one) - _fraction(other))
    ),
    "compareTo": {".mm": _compared},
    "isLessThan": {".mm": lambda one, other: _compared(one, other) < 0},
    "isGreaterThan": {".mm": lambda one, other: _compared(one, other) > 0},
    "isSemver": {"s": _is(_version), "sb": _is(_version)},
    "semver": {"s": _version, "sb": _version},
    "major": {".m": lambda one: one["@semver"][0]},
    "minor": {".m": lambda one: one["@semver"][1]},
    "patch": {".m": lambda one: one["@semver"][2]},
    "sets.contains": {"ll": _has_all},
    "sets.equivalent": {"ll": lambda one, other: _has_all(one, other) and _has_all(other, one)},
    "sets.intersects": {"ll": lambda one, other: any(_has(one, value) for value in other)},
    "isSorted": {
        ".l": lambda values: all(
            one <= other for one, other in zip(values, values[1:], strict=False)
        )
    },
    "sum": {".l": sum},
    "min": {".l": min},
    "max": {".l": max},
    "indexOf": {".ld": _index},
    "lastIndexOf": {".ld": _last_index},
    "slice": {".lii": lambda values, begin, end: values[begin:end]},
    "sort": {".l": sorted},
    "distinct": {".l": _distinct},
    "flatten": {".l": _flat, ".li": _flat},
    "lists.range": {"i": lambda count: list(range(count))},
    "validate": {".ms": lambda one, text: _problems(text, one["@format"])},
    "hasValue": {".m": lambda one: bool(one["@problems"])},
    "own_pairs": {".d": _pairs},
    "value": {".m": lambda one: one["@problems"]},
    **{f"format.{name}": {"": lambda name=name: {"@format": name}} for name in _FORMAT_NAMES},
}


_VARIABLE: Final = r"\s*([A-Za-z_]\w*)\s*,"
_comprehension: Final = re.compile(
    rf"\.(all|exists|existsOne|transformList)\({_VARIABLE}{_VARIABLE}"
).search
_texts: Final = re.compile(r"""r?"(?:[^"\\]|\\.)*"|r?'(?:[^'\\]|\\.)*'""")
_MACROS: Final = {"existsOne": "exists_one", "transformList": "map"}


def with_one_variable(rule: str) -> str:
    """Return a rule in which comprehensions of two variables have one, because the library knows no
    others.

    `self.all(i, v, v > i)` becomes one over pairs.
    """
    while (found := _comprehension(rule)) is not None:
        end = _end_of(rule, found.end())
        key, value = (
            f"cel.bind({found[2]}, own_pair.key, ",
            f"cel.bind({found[3]}, own_pair.value, ",
        )
        macro = f".own_pairs().{_MACROS.get(found[1], found[1])}(own_pair, "
        rule = (
            rule[: found.start()]
            + macro
            + key
            + value
            + rule[found.end() : end]
            + "))"
            + rule[end:]
        )
    return rule


def _end_of(rule: str, begin: int) -> int:
    """Return where the parenthesis is closed that is open at a place in a rule."""
    plain = _texts.sub(lambda found: " " * len(found[0]), rule)
    depth = 1
    for at in range(begin, len(plain)):
        depth += (plain[at] in "([{") - (plain[at] in ")]}")
        if not depth:
            return at
    return len(rule)


def extension(cel: Any) -> Any:
    """Return the functions as an extension for an environment of the library, whose module is
    `cel`.
    """
    types = {
        "s": cel.Type.STRING,
        "l": cel.Type.LIST,
        "m": cel.Type.MAP,
        "i": cel.Type.INT,
        "b": cel.Type.BOOL,
    }
    declared = []
    for name, overloads in _FUNCTIONS.items():
        made = []
        for parameters, function in overloads.items():
            letters = parameters.lstrip(".")
            given = [types.get(letter, cel.Type.DYN) for letter in letters]
            named = f"own_{name.replace('.', '_')}_{parameters.replace('.', 'of_')}"
            made.append(
                cel.Overload(named, cel.Type.DYN, given, parameters.startswith("."), function)
            )
        declared.append(cel.FunctionDecl(name, made))
    return cel.CelExtension("kubernetes", declared)
