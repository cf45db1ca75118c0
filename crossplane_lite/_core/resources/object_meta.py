"""Kubernetes' rules for an object's metadata: the types and the format of names, labels,
annotations and the like.

Mistakes are reported here, because their effects are large and come late. If one annotation isn't a
string, Crossplane reads no annotation and drops all annotations that the function has set. For a
label or name of a wrong format, the API server refuses the whole object.

The rules are those of k8s.io/apimachinery (pkg/api/validation/objectmeta.go and
pkg/api/validate/content). Names of some kinds have rules of their own, of which this module knows
the most usual. The API server checks the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...errors import EncodeError
from ..base.api_version import group_of
from ..base.names import (
    DNS_LABEL_FORM,
    KEY_FORM,
    SUBDOMAIN_FORM,
    WORD_FORM,
    is_dns_label,
    is_key,
    is_label_value,
    is_subdomain,
)
from ..base.sentinels import TOMBSTONE, UNSET
from ..base.texts import type_in_words, value_in_words
from ..models.walker import Found, equal
from ..observed.observable import Observable
from ..paths.text import RESOURCE_NAME
from ..paths.text import show as join_path
from ..paths.trees import lookup

if TYPE_CHECKING:
    from ..models.node import ModelShape

_MOST_ANNOTATION_BYTES: Final = 256 * 1024

_SEGMENT_FORM: Final = "a string without '/' and '%', but not '.' or '..'"

Rule = tuple["Callable[[str], bool]", str]
"""The test of a string's form, and the form in words."""

Steps = tuple[Any, ...]


class MetadataError(EncodeError):
    """A mistake in an object's metadata, with the keys and indexes that lead to it."""

    def __init__(self, path: str, problem: str, steps: Steps) -> None:
        super().__init__(path, problem)
        self.steps = steps


def _is_annotation_key(text: str) -> bool:
    # as in Go, where the lower case of this letter is i
    return is_key(text.replace("\u0130", "i").lower())


def _with_more(text: str) -> str:
    """Return the text that Kubernetes checks for a `generateName`, which may end in `-`."""
    return text[:-2] + "a" if len(text) > 1 and text.endswith("-") and text.isascii() else text


def _is_segment(text: str) -> bool:
    return bool(text) and text not in (".", "..") and "/" not in text and "%" not in text


_SUBDOMAIN_RULE: Final[Rule] = (is_subdomain, SUBDOMAIN_FORM)
_DNS_LABEL_RULE: Final[Rule] = (is_dns_label, DNS_LABEL_FORM)
_SEGMENT_RULE: Final[Rule] = (_is_segment, _SEGMENT_FORM)
_NOT_EMPTY_RULE: Final[Rule] = (bool, "a string that isn't empty")
# The names of custom resources, and of nearly all built-in kinds, are DNS names. These groups and
# kinds differ.
_GROUPS_OF_SEGMENTS: Final = frozenset(
    {"rbac.authorization.k8s.io", "apiregistration.k8s.io", "certificates.k8s.io", "metrics.k8s.io"}
)
_KIND_RULES: Final[dict[tuple[str, str], Rule]] = {
    ("", "Namespace"): _DNS_LABEL_RULE,
    ("", "Service"): _DNS_LABEL_RULE,
    ("networking.k8s.io", "IPAddress"): _SEGMENT_RULE,
}
# Maps of strings in kinds that are often written without a class.
_TEXTS: Final = {"ConfigMap": ("data", "binaryData"), "Secret": ("data", "stringData")}
_API_VERSION_RULE: Final[Rule] = (
    lambda text: re.fullmatch("[^/]*/?[^/]+", text) is not None,
    "a version, with its group and '/' in front if it has one",
)
_OWNER_FIELDS: Final = {
    "apiVersion": _API_VERSION_RULE,
    **dict.fromkeys(("kind", "name", "uid"), _NOT_EMPTY_RULE),
}
# An object can't wait for those that it owns and leave them behind.
_OPPOSITES: Final = frozenset({"foregroundDeletion", "orphan"})

# What passed the checks lately: labels as pairs, keys of annotations, and names after their
# apiVersions and kinds. The same ones come again and again.
_MOST_KEPT: Final = 8192
_sound: set[Any] = set()


def _name_rule(api_version: str, kind: str) -> Rule:
    """Return the rule that the name of an object of this apiVersion and kind must follow."""
    group = group_of(api_version)
    if group in _GROUPS_OF_SEGMENTS or group.endswith(".openshift.io"):
        return _SEGMENT_RULE
    return _KIND_RULES.get((group, kind), _SUBDOMAIN_RULE)


def is_sound(model: ModelShape, size: int) -> bool:
    """Return True only if the metadata that was set in a resource is known to follow the rules.

    False means that `check_metadata` must decide. This check runs for each resource of each call,
    so it is quick for usual metadata and gives up on anything else. The `size` of the encoded
    resource is in bytes.
    """
    metadata = model.__dict__.get("metadata")
    try:
        if not model._fixed and not _has_texts(model.__dict__):
            return False
        if metadata is None:
            return True
        fields = metadata.__dict__
        others = len(fields)
        if "labels" in fields:
            others -= 1
            for label in fields["labels"].items():
                key, text = label
                if type(text) is not str:  # a missing value must not be looked for in a set
                    return False
                if label not in _sound:
                    if type(key) is not str or not (is_key(key) and is_label_value(text)):
                        return False
                    _keep(label)
        if "annotations" in fields:
            others -= 1
            for key, text in fields["annotations"].items():
                if type(text) is not str:
                    return False
                if key not in _sound:
                    if type(key) is not str or key == RESOURCE_NAME or not _is_annotation_key(key):
                        return False
                    _keep(key)
            if size > _MOST_ANNOTATION_BYTES:
                return False
        return not others or (
            others == ("name" in fields) + ("namespace" in fields)
            and _are_sound_names(model, fields)
        )
    except (AttributeError, TypeError):  # not a model, not a map, or values that can't be in a set
        return False


def _has_texts(fields: Mapping[str, Any]) -> bool:
    """Say whether a resource without a class has its kind, and the data of a ConfigMap or Secret
    only strings.
    """
    if "apiVersion" not in fields or "kind" not in fields:
        return False
    for name in _TEXTS.get(fields["kind"], ()):
        for text in fields[name].__dict__.values() if name in fields else ():
            if type(text) not in (str, Observable):
                return False
    return True


def _are_sound_names(model: Any, fields: Mapping[str, Any]) -> bool:
    name = fields.get("name")
    if name is not None:
        if type(name) is not str:
            return False
        named = (model.apiVersion, model.kind, name)
        if named not in _sound:
            if not _name_rule(*named[:2])[0](name):
                return False
            _keep(named)
    namespace = fields.get("namespace")
    return namespace is None or (type(namespace) is str and is_dns_label(namespace))


def _keep(sound: Any) -> None:
    if len(_sound) >= _MOST_KEPT:  # bounded, because some values are made from data
        _sound.clear()
    _sound.add(sound)


def check_metadata(data: Mapping[str, Any], found: list[Found], before: Any, name: str) -> None:
    """Check that the composed resource `name` has its kind, and its metadata if that is an object.

    The data of a ConfigMap or Secret is checked with it. `found` are the unresolved values, which
    aren't checked. Neither is a value that is the same in `before`, the metadata that previous
    functions desire. Raises EncodeError with the value's path.
    """
    api_version, kind = str(data.get("apiVersion")), str(data.get("kind"))
    for field in ("apiVersion", "kind"):
        if data.get(field, TOMBSTONE) is TOMBSTONE:
            raise EncodeError(
                field,
                "was deleted, and an object needs it; to remove the resource, don't register it",
            )
    check = _Check([tuple(one.steps) for one in found], {"metadata": before})
    for field in _TEXTS.get(kind, ()) if api_version == "v1" else ():
        for key, value in data[field].items() if isinstance(data.get(field), dict) else ():
            if value is not None:
                check.text(value, (field, key))
    metadata = data.get("metadata")
    if isinstance(metadata, dict):
        check.metadata(metadata, _name_rule(api_version, kind), name)


def metadata_problem(
    metadata: Any, api_version: str = "", kind: str = "", unresolved: Iterable[Steps] = ()
) -> MetadataError | None:
    """Return the first mistake for which an API server refuses an object's metadata; None if there
    is none.

    Without an apiVersion, it is the metadata of an object inside of another one, which may have
    nearly any name. The paths in `unresolved` lead to values that aren't checked.
    """
    if not isinstance(metadata, dict):
        return None
    rule = _name_rule(api_version, kind) if api_version else _SEGMENT_RULE
    try:
        _Check(unresolved, {}).metadata(metadata, rule)
    except MetadataError as error:
        return error
    return None


class _Check:
    """Checks values of one resource: of those that aren't deleted, unresolved, or the same as a
    previous function's.
    """

    def __init__(self, unresolved: Iterable[Steps], before: Mapping[str, Any]) -> None:
        self._open = set(unresolved)
        self._before = before

    def metadata(self, metadata: dict[str, Any], name_rule: Rule, resource: str = "") -> None:
        """Check an object's metadata; raise EncodeError if a rule is broken.

        If it is the composed resource `resource` of a function, Crossplane's own annotation and
        owner aren't allowed.
        """
        has_form, form = name_rule
        for name, rule, what in (
            (
                "generateName",
                (lambda text: has_form(_with_more(text)), form),
                "the beginning of an object's name",
            ),
            ("name", name_rule, "an object's name"),
            ("namespace", _DNS_LABEL_RULE, "a namespace"),
        ):
            value = metadata.get(name)
            # for an API server, an empty one is missing
            if value or (resource and value is not None):
                self.text(value, ("metadata", name), rule, what)
        for steps, value in self._parts(metadata, "labels", dict):
            _check(steps[-1], steps, (is_key, KEY_FORM), "a label's key")
            _check(value, steps, (is_label_value, WORD_FORM), "a label's value")
        size = 0
        for steps, value in self._parts(metadata, "annotations", dict):
            key = steps[-1]
            _check(key, steps, (_is_annotation_key, KEY_FORM), "an annotation's key")
            _check(value, steps)
            if resource and key == RESOURCE_NAME and value != resource:
                problem = (
                    f"Crossplane sets it to {resource!r}, the name in ctx.resource() (got"
                    f" {value!r})"
                )
                raise _error(steps, f"{problem}; leave it out")
            size += len(key.encode(errors="replace")) + len(value.encode(errors="replace"))
        if size > _MOST_ANNOTATION_BYTES:
            problem = f"must have at most {_MOST_ANNOTATION_BYTES:,} bytes together (got {size:,})"
            raise _error(("metadata", "annotations"), problem)
        for steps, value in self._parts(metadata, "finalizers", list):
            _check(value, steps, (is_key, KEY_FORM), "a finalizer")
            if value in _OPPOSITES and _OPPOSITES.issubset(metadata["finalizers"]):
                raise _error(
                    steps, f"{' and '.join(sorted(_OPPOSITES))} exclude each other; leave one out"
                )
        controllers = 0
        for steps, owner in self._parts(metadata, "ownerReferences", list):
            if not isinstance(owner, dict):
                raise _error(steps, f"must be an object (got {type_in_words(owner)})")
            if owner.get("apiVersion") == "v1" and owner.get("kind") == "Event":
                raise _error(steps, "an Event can't be an owner; leave it out")
            controllers += owner.get("controller") is True
            if controllers > 1:
                raise _error(
                    (*steps, "controller"), "an object can have only one controller; leave it out"
                )
            if resource and controllers:
                raise _error(
                    (*steps, "controller"),
                    "Crossplane makes the composite the controller, and an object can have only"
                    " one; leave it out",
                )
            for name, rule in _OWNER_FIELDS.items():
                self.text(owner.get(name, ""), (*steps, name), rule, f"an owner's {name}")

    def text(self, value: Any, steps: Steps, rule: Rule | None = None, what: str = "") -> None:
        """Check that a value is a string that follows a rule, if it must be checked; else raise
        EncodeError.
        """
        if self._counts(value, steps):
            _check(value, steps, rule, what)

    def _parts(self, metadata: dict[str, Any], name: str, kind: Any) -> Iterator[tuple[Steps, Any]]:
        """Yield the parts of a dict or list that must be checked, with their paths; raise
        EncodeError for others.
        """
        whole: Any = metadata.get(name)
        if whole is None or not self._counts(whole, ("metadata", name)):
            return
        if not isinstance(whole, kind):
            words = "mapping" if kind is dict else "list"
            raise _error(("metadata", name), f"must be a {words} (got {type_in_words(whole)})")
        for step, value in whole.items() if kind is dict else enumerate(whole):
            # The encoder refuses keys that aren't strings.
            if isinstance(step, (str, int)) and self._counts(value, ("metadata", name, step)):
                yield ("metadata", name, step), value

    def _counts(self, value: Any, steps: Steps) -> bool:
        return not (
            value is TOMBSTONE
            or steps in self._open
            or equal(lookup(self._before, steps, UNSET), value)
        )


def _check(value: Any, steps: Steps, rule: Rule | None = None, what: str = "") -> None:
    """Raise EncodeError unless a value is a string that follows a rule."""
    if not isinstance(value, str):
        hint = (
            "; write str(...)"
            if isinstance(value, (int, float)) and not isinstance(value, bool)
            else ""
        )
        if isinstance(value, bool):
            hint = f'; write "{str(value).lower()}"'
        shown = "null" if value is None else value_in_words(value)
        raise _error(
            steps,
            f"must be a string (got {shown if len(shown) <= 80 else type_in_words(value)}){hint}",
        )
    if rule is not None and not rule[0](str(value)):
        # Nothing is cut: half a secret would not be recognised any more.
        shown = repr(str(value)) if len(value) <= 80 else f"a string of {len(value):,} characters"
        raise _error(steps, f"{shown} can't be {what}: use {rule[1]}")


def _error(steps: Steps, problem: str) -> MetadataError:
    return MetadataError(join_path(steps), problem, steps)
