"""Kubernetes' rules for an object's metadata: the types and the format of names, labels, annotations and the like.

Mistakes are reported here, because their effects are large and come late. If one annotation isn't a string, Crossplane
reads no annotation and drops all annotations that the function has set. For a label or name of a wrong format, the API
server refuses the whole object.

The rules are those of k8s.io/apimachinery (pkg/api/validation/objectmeta.go and pkg/api/validate/content). Names of
some kinds have rules of their own, of which this module knows the most usual. The API server checks the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from .._base.api_version import group_of
from .._base.sentinels import TOMBSTONE
from .._base.type_names import type_in_words, value_in_words
from .._paths.text import show as join_path
from ..errors import EncodeError

if TYPE_CHECKING:
    from .shape import ModelShape
    from .walker import Found

__all__ = ["check_metadata", "is_sound"]

_LABEL: Final = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_dns_label: Final = re.compile(_LABEL, re.ASCII).fullmatch
_subdomain: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII).fullmatch
_word: Final = re.compile("[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII).fullmatch

_LONGEST_LABEL: Final = 63
_LONGEST_SUBDOMAIN: Final = 253
_MOST_ANNOTATION_BYTES: Final = 256 * 1024

_ENDS: Final = "and a letter or digit at both ends"
_WORD_FORM: Final = f"up to {_LONGEST_LABEL} letters, digits, '-', '_' and '.', {_ENDS}"
_DNS_LABEL_FORM: Final = f"up to {_LONGEST_LABEL} lower-case letters, digits and '-', {_ENDS}"
_SUBDOMAIN_FORM: Final = (
    f"up to {_LONGEST_SUBDOMAIN} lower-case letters, digits, '-' and '.', {_ENDS} and beside each '.'"
)
_KEY_FORM: Final = f"{_WORD_FORM}; in front of it there may be a DNS name and '/'"
_SEGMENT_FORM: Final = "a string without '/' and '%', but not '.' or '..'"

Rule = tuple["Callable[[str], bool]", str]
"""The test of a string's form, and the form in words."""


def _is_dns_label(text: str) -> bool:
    return len(text) <= _LONGEST_LABEL and _dns_label(text) is not None


def _is_subdomain(text: str) -> bool:
    return len(text) <= _LONGEST_SUBDOMAIN and _subdomain(text) is not None


def _is_label_value(text: str) -> bool:
    return not text or (len(text) <= _LONGEST_LABEL and _word(text) is not None)


def _is_key(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    return bool(name) and _is_label_value(name) and (not slash or _is_subdomain(prefix))


def _is_annotation_key(text: str) -> bool:
    return _is_key(text.replace("\u0130", "i").lower())  # as in Go, where the lower case of this letter is i


def _with_more(text: str) -> str:
    """Return the text that Kubernetes checks for a `generateName`.

    If it ends in `-`, `a` replaces its last two characters. The `-` is allowed there because Kubernetes appends more
    characters to it.
    """
    return text[:-2] + "a" if len(text) > 1 and text.endswith("-") and text.isascii() else text


def _is_segment(text: str) -> bool:
    return bool(text) and text not in (".", "..") and "/" not in text and "%" not in text


def _is_not_empty(text: str) -> bool:
    return bool(text)


_SUBDOMAIN_RULE: Final[Rule] = (_is_subdomain, _SUBDOMAIN_FORM)
_DNS_LABEL_RULE: Final[Rule] = (_is_dns_label, _DNS_LABEL_FORM)
_SEGMENT_RULE: Final[Rule] = (_is_segment, _SEGMENT_FORM)
_NOT_EMPTY_RULE: Final[Rule] = (_is_not_empty, "a string that isn't empty")
# The names of custom resources, and of nearly all built-in kinds, are DNS names. These groups and kinds differ.
_GROUPS_OF_SEGMENTS: Final = frozenset(
    {"rbac.authorization.k8s.io", "apiregistration.k8s.io", "certificates.k8s.io", "metrics.k8s.io"}
)
_KIND_RULES: Final[dict[tuple[str, str], Rule]] = {
    ("", "Namespace"): _DNS_LABEL_RULE,
    ("", "Service"): _DNS_LABEL_RULE,
    ("networking.k8s.io", "IPAddress"): _SEGMENT_RULE,
}
_OWNER_FIELDS: Final = ("apiVersion", "kind", "name", "uid")

# Keys, values and names that passed the checks lately. The same labels and annotations come again and again.
_MOST_KEPT: Final = 4096
_sound_keys: set[str] = set()
_sound_annotation_keys: set[str] = set()
_sound_values: set[str] = set()
_sound_names: set[tuple[str, str, str]] = set()


def _name_rule(api_version: str, kind: str) -> Rule:
    """Return the rule that the name of an object of this apiVersion and kind must follow."""
    group = group_of(api_version)
    if group in _GROUPS_OF_SEGMENTS or group.endswith(".openshift.io"):
        return _SEGMENT_RULE
    return _KIND_RULES.get((group, kind), _SUBDOMAIN_RULE)


def is_sound(model: ModelShape, size: int) -> bool:
    """Return True only if the metadata that was set in a resource is known to follow the rules.

    False means that `check_metadata` must decide. This check runs for each resource of each call, so it is quick for
    usual metadata and gives up on anything else. The `size` of the encoded resource is in bytes.
    """
    metadata = model.__dict__.get("metadata")
    if metadata is None:
        return True
    try:
        fields = metadata.__dict__
        others = len(fields)
        if "labels" in fields:
            others -= 1
            for key, text in fields["labels"].items():
                if key not in _sound_keys or text not in _sound_values:
                    if not (_is_sound(key, _is_key) and _is_sound(text, _is_label_value)):
                        return False
                    _keep(_sound_keys, key)
                    _keep(_sound_values, text)
        if "annotations" in fields:
            others -= 1
            for key, text in fields["annotations"].items():
                if type(text) is not str:
                    return False
                if key not in _sound_annotation_keys:
                    if not _is_sound(key, _is_annotation_key):
                        return False
                    _keep(_sound_annotation_keys, key)
            if size > _MOST_ANNOTATION_BYTES:
                return False
        return not others or (
            others == ("name" in fields) + ("namespace" in fields) and _are_sound_names(model, fields)
        )
    except (AttributeError, TypeError):  # not a model, not a map, or values that can't be in a set
        return False


def _are_sound_names(model: Any, fields: Mapping[str, Any]) -> bool:
    name = fields.get("name")
    if name is not None:
        named = (model.apiVersion, model.kind, name)
        if named not in _sound_names:
            if type(name) is not str or not _name_rule(*named[:2])[0](name):
                return False
            _keep(_sound_names, named)
    namespace = fields.get("namespace")
    return namespace is None or (type(namespace) is str and _is_dns_label(namespace))


def _is_sound(text: Any, has_form: Callable[[str], bool]) -> bool:
    return type(text) is str and has_form(text)


def _keep(kept: set[Any], value: Any) -> None:
    if len(kept) >= _MOST_KEPT:  # bounded, because some values are made from data
        kept.clear()
    kept.add(value)


def check_metadata(data: Mapping[str, Any], found: list[Found], before: Any) -> None:
    """Check the metadata of a resource. Nothing is checked if the metadata isn't an object.

    `found` are the unresolved values, which aren't checked. Neither is a value that is the same in `before`, the
    metadata that previous functions desire. Raises EncodeError with the value's path.
    """
    metadata = data.get("metadata")
    if not isinstance(metadata, dict):
        return
    _Check(found, before).metadata(metadata, _name_rule(str(data.get("apiVersion")), str(data.get("kind"))))


class _Check:
    def __init__(self, found: list[Found], before: Any) -> None:
        self._open = {tuple(one.steps) for one in found}
        self._before = before if isinstance(before, dict) else {}

    def metadata(self, metadata: dict[str, Any], name_rule: Rule) -> None:
        """Check the metadata of a resource; raise EncodeError if a rule is broken."""
        self._text(metadata, ("name",), name_rule, "an object's name")
        has_form, form = name_rule
        prefix_rule = (lambda text: has_form(_with_more(text)), form)
        self._text(metadata, ("generateName",), prefix_rule, "the beginning of an object's name")
        self._text(metadata, ("namespace",), _DNS_LABEL_RULE, "a namespace")
        for key, value in self._entries(metadata, "labels"):
            self._form(key, ("labels", key), (_is_key, _KEY_FORM), "a label's key")
            self._string(value, ("labels", key))
            self._form(value, ("labels", key), (_is_label_value, _WORD_FORM), "a label's value")
        size = 0
        for key, value in self._entries(metadata, "annotations"):
            self._form(key, ("annotations", key), (_is_annotation_key, _KEY_FORM), "an annotation's key")
            self._string(value, ("annotations", key))
            size += len(key.encode(errors="replace")) + len(value.encode(errors="replace"))
        if size > _MOST_ANNOTATION_BYTES:
            raise _error(
                ("annotations",), f"must have at most {_MOST_ANNOTATION_BYTES:,} bytes together (got {size:,})"
            )
        for at, value in self._items(metadata, "finalizers"):
            self._string(value, ("finalizers", at))
            self._form(value, ("finalizers", at), (_is_key, _KEY_FORM), "a finalizer")
        for at, owner in self._items(metadata, "ownerReferences"):
            if not isinstance(owner, dict):
                raise _error(("ownerReferences", at), f"must be an object (got {type_in_words(owner)})")
            for name in _OWNER_FIELDS:
                steps = ("ownerReferences", at, name)
                if not self._is_open(steps):
                    self._string(owner.get(name, ""), steps)
                    self._form(owner.get(name, ""), steps, _NOT_EMPTY_RULE, f"an owner's {name}")

    def _text(self, holder: dict[str, Any], steps: tuple[Any, ...], rule: Rule, what: str) -> None:
        value = holder.get(steps[-1])
        if value is None or value is TOMBSTONE or self._is_open(steps) or value == self._before.get(steps[-1]):
            return
        self._string(value, steps)
        self._form(value, steps, rule, what)

    def _entries(self, metadata: dict[str, Any], name: str) -> list[tuple[str, Any]]:
        """Return the entries of `labels` or `annotations` that must be checked.

        Entries are left out if they are unresolved or deleted, or if a previous function set the same value.

        Raises:
            EncodeError: The field isn't a mapping.
        """
        entries = metadata.get(name)
        if entries is None or entries is TOMBSTONE or self._is_open((name,)):
            return []
        if not isinstance(entries, dict):
            raise _error((name,), f"must be a mapping (got {type_in_words(entries)})")
        before = self._before.get(name)
        left = before if isinstance(before, dict) else {}
        return [
            (key, value)
            for key, value in entries.items()
            if value is not TOMBSTONE
            and isinstance(key, str)  # the encoder refuses other keys
            and not self._is_open((name, key))
            and not (key in left and type(left[key]) is type(value) and left[key] == value)
        ]

    def _items(self, metadata: dict[str, Any], name: str) -> list[tuple[int, Any]]:
        items = metadata.get(name)
        if items is None or items is TOMBSTONE or self._is_open((name,)) or items == self._before.get(name):
            return []
        if not isinstance(items, list):
            raise _error((name,), f"must be a list (got {type_in_words(items)})")
        return [(at, item) for at, item in enumerate(items) if not self._is_open((name, at))]

    def _is_open(self, steps: tuple[Any, ...]) -> bool:
        return ("metadata", *steps) in self._open

    def _string(self, value: Any, steps: tuple[Any, ...]) -> None:
        if isinstance(value, str):
            return
        hint = "; write str(...)" if isinstance(value, (int, float)) and not isinstance(value, bool) else ""
        if isinstance(value, bool):
            hint = f'; write "{str(value).lower()}"'
        shown = "null" if value is None else value_in_words(value)
        raise _error(steps, f"must be a string (got {shown if len(shown) <= 80 else type_in_words(value)}){hint}")

    def _form(self, text: str, steps: tuple[Any, ...], rule: Rule, what: str) -> None:
        if rule[0](str(text)):
            return
        # Nothing is cut: half a secret would not be recognised any more.
        shown = repr(str(text)) if len(text) <= 80 else f"a string of {len(text):,} characters"
        raise _error(steps, f"{shown} can't be {what}: use {rule[1]}")


def _error(steps: tuple[Any, ...], problem: str) -> EncodeError:
    return EncodeError(join_path(["metadata", *steps]), problem)
