"""A function's requirements: resources and schemas that it asks Crossplane for (Crossplane's
"Required Resources").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

import attr

from ...errors import UsageError
from ..base.texts import articled, type_in_words, value_in_words
from ..models.walker import unresolved_in
from ..observed.observable import Observable, known

if TYPE_CHECKING:
    from ..observed.tracker import Tracker


class _Selector:
    def texts(self) -> list[Any]:
        """Return every part of the selector that could be unresolved. A part that isn't given is
        None.
        """
        raise NotImplementedError

    def waits_in(self, call: Tracker, key: str = "") -> list[Observable[Any]]:
        """Return the missing values in the selector and in its key."""
        return unresolved_in([key, *(text for text in self.texts() if text is not None)], call)


@attr.s(auto_attribs=True, kw_only=True, frozen=True)
class ResourceSelector(_Selector):
    """Selects resources in the cluster, which a function asks Crossplane for.

    Without `match_name` and `match_labels` all resources of the kind are selected.

    Args:
        api_version: The apiVersion of the resources.
        kind: The kind of the resources.
        match_name: The name of one resource; not together with `match_labels`.
        match_labels: Labels that all of the resources have.
        namespace: The namespace of the resources; None for cluster-scoped kinds, or all namespaces
            with `match_labels`.

    Raises:
        UsageError: `match_name` and `match_labels` are both given; or `match_name` is empty; or
            `api_version` or `kind` is empty; or a label's value is None; or a part is neither a
            string nor an Observable.
    """

    api_version: Any
    kind: Any
    match_name: Any = None
    match_labels: Mapping[str, Any] | None = None
    namespace: Any = None

    def __attrs_post_init__(self) -> None:
        _put_known(self)
        _check_kind(self)
        if self.match_name is not None and self.match_labels is not None:
            raise UsageError("ResourceSelector: give 'match_name' or 'match_labels', not both")
        if self.match_name == "":
            raise UsageError(
                "ResourceSelector: 'match_name' must not be empty (got ''); give a resource's name"
            )
        for label, value in (self.match_labels or {}).items():
            if value is None:
                raise UsageError(
                    f"ResourceSelector: the label {label!r} must have a value (got None); give the"
                    " value that the resources have, or leave the label out to select without it"
                )
        for text in self.texts():
            if text is not None and type(text) is not Observable and not isinstance(text, str):
                raise UsageError(
                    "ResourceSelector: 'match_name', 'namespace', and the keys and values of"
                    f" 'match_labels' must be strings (got {value_in_words(text)})"
                )

    def texts(self) -> list[Any]:
        labels = self.match_labels or {}
        return [
            self.api_version,
            self.kind,
            self.match_name,
            self.namespace,
            *labels.keys(),
            *labels.values(),
        ]


@attr.s(auto_attribs=True, kw_only=True, frozen=True)
class SchemaSelector(_Selector):
    """Selects the OpenAPI schema of a kind, which a function asks Crossplane for.

    Args:
        api_version: The kind's apiVersion.
        kind: The kind.

    Raises:
        UsageError: `api_version` or `kind` is empty, or neither a string nor an Observable.
    """

    api_version: Any
    kind: Any

    def __attrs_post_init__(self) -> None:
        _put_known(self)
        _check_kind(self)

    def texts(self) -> list[Any]:
        return [self.api_version, self.kind]


def form_of(selector: ResourceSelector, call: Tracker) -> list[Any]:
    """Return the parts of a selector in a form that is the same in all runs of a call that ask for
    the same.
    """
    return [
        call.readable(one) if type(one) is str else getattr(one, "source_path", None)
        for one in selector.texts()
    ]


def _check_kind(selector: ResourceSelector | SchemaSelector) -> None:
    for name in ("api_version", "kind"):
        value = getattr(selector, name)
        if type(value) is not Observable and (not isinstance(value, str) or value == ""):
            where = type(selector).__name__
            raise UsageError(f"{where}: {name!r} must be a string that isn't empty (got {value!r})")


def _put_known(selector: Any) -> None:
    """Replace each Observable in `selector` whose value is known by that value. `selector` is
    changed in place.
    """
    for name, value in vars(selector).items():
        value = _known(value)
        # Not isinstance(): reading the class of a missing value would count as a use of it.
        is_map = issubclass(type(value), Mapping)
        if is_map and any(type(text) is Observable for text in (*value, *value.values())):
            value = {_known(key): _known(text) for key, text in value.items()}
        object.__setattr__(selector, name, value)


def _known(text: Any) -> Any:
    return known(text) or text if type(text) is Observable else text


class _Selectors(dict[str, Any]):
    """A dict of the selectors of one class, by the key under which Crossplane answers them.

    Raises UsageError for a key that isn't a string, and a selector of another class.
    """

    def __init__(self, kind: type[Any]) -> None:
        super().__init__()
        self._kind = kind

    def __setitem__(self, key: str, selector: Any) -> None:
        if not isinstance(key, str):
            raise UsageError(f"a requirement's key must be a string (got {value_in_words(key)})")
        if not isinstance(selector, self._kind):
            raise UsageError(
                f"requirement {key!r} must be {articled(self._kind.__name__)} (got"
                f" {type_in_words(selector)})"
            )
        super().__setitem__(key, selector)

    update = MutableMapping.update
    setdefault = MutableMapping.setdefault

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]  # the same as that of dict
        self.update(other)
        return self

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


class Requirements:
    """The requirements of one call. They hold for this call only, so compose() has to state them in
    every call.

    Attributes:
        resources: `ResourceSelector`s by key.
        schemas: `SchemaSelector`s by key.
    """

    def __init__(self) -> None:
        self.resources: dict[str, ResourceSelector] = _Selectors(ResourceSelector)
        self.schemas: dict[str, SchemaSelector] = _Selectors(SchemaSelector)

    def key_of(self, wanted: SchemaSelector) -> str:
        """Return the key under which this call asks for the schema `wanted`; a new key if it
        doesn't ask for it yet.

        A new key is `apiVersion/kind`. A selector with an unresolved part isn't compared, and
        always gets a new key.
        """
        for key, selector in self.schemas.items():
            texts = (*selector.texts(), *wanted.texts())
            if not any(type(text) is Observable for text in texts) and selector == wanted:
                return key
        return f"{wanted.api_version}/{wanted.kind}"

    def __bool__(self) -> bool:
        return bool(self.resources or self.schemas)

    def __iter__(self) -> Iterator[tuple[str, ResourceSelector | SchemaSelector]]:
        """Yield each selector with its key, resources first."""
        yield from self.resources.items()
        yield from self.schemas.items()
