"""All that Crossplane has sent, as compose() reads it: observed resources, answers to requirements,
and the context.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

from ...errors import UsageError
from .. import codec
from ..base.sentinels import UNSET
from ..base.texts import value_in_words
from ..observed.observable import Observable, guess, make
from ..observed.root import Root
from ..resources.registered import Registered, observed_view
from ..resources.resource import check_class, check_kind
from ..resources.unstructured import Unstructured
from .mark import HELD_BACK_KEY
from .registering import present_name
from .requirements import form_of

if TYPE_CHECKING:
    from ..resources.resource import Resource
    from ..schemas.schema import Schema
    from .call import Call

T = TypeVar("T")


_NOT_GIVEN: Any = object()


class ObservedResources(Mapping[str, Unstructured]):
    """The observed composed resources of all steps, by their names in the composition. They are
    read-only.

    A name that isn't observed yet gives a resource whose fields read as Observables, as for a
    registered resource. For such a name, `in` is False, and `get` with a default returns the
    default. Both are remembered as guesses, that is, as decisions that may change when the resource
    appears. Iteration and `len` count only names that are observed, and are a guess about each
    resource that is desired so far and isn't observed.

    Raises:
        UnresolvedError: A name is made from an unresolved value.
        UsageError: A name is empty or isn't a string. `in` is False for such a name.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._made: dict[str, Unstructured] = {}

    def __getitem__(self, name: str) -> Unstructured:
        name = present_name(self._call, name)
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = observed_view(Unstructured, Registered(self._call.root(name)))
        return made

    @overload
    def get(self, name: str) -> Unstructured: ...
    @overload
    def get(self, name: str, default: T) -> Unstructured | T: ...
    def get(self, name: str, default: Any = _NOT_GIVEN) -> Any:
        """Return the resource called `name`; `default` if the resource isn't observed.

        Without a default, a resource that isn't observed is returned too: its fields read as
        Observables.
        """
        return self[name] if default is _NOT_GIVEN or name in self else default

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or not name:
            return False
        name = present_name(self._call, name)
        self._call.seen_names.add(name)
        return name in self._call.observed or guess(make(name, self._call.root(name)))

    def __iter__(self) -> Iterator[str]:
        # The same question as `name in ctx.observed`, asked for each resource that is desired so
        # far.
        self._call.seen_names.update(self._call.observed)
        missing = {*self._call.desired, *self._call.resources} - {*self._call.observed}
        return iter(sorted([*self._call.observed, *(name for name in missing if name in self)]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<observed resources: {', '.join(sorted(self._call.observed)) or 'none'}>"


R = TypeVar("R", bound="Resource")


class RequiredList(list[R]):
    """The resources that answer one requirement.

    An index out of range raises no error: it gives a resource whose fields read as Observables.

    The list is empty while Crossplane hasn't answered, and while a resource that was asked for by
    name doesn't exist. Then iteration, `len`, truth, comparison, `in` and `index` are remembered as
    guesses, that is, as decisions that may change later.

    Attributes:
        answered: Whether Crossplane has answered.
    """

    def __init__(
        self, values: list[Any], key: str, model: type[Resource], call: Call, *, answered: bool
    ) -> None:
        super().__init__(values)
        self._key = key
        self._model = model
        self._call = call
        self._requirements = call.requirements
        self._path = f"required.{key}"
        self.answered = answered

    def _guess(self) -> bool:
        """Remember a use of the list as a guess, if the content of the list may still change.

        The content may change while Crossplane hasn't answered, and while a resource that was asked
        for by name doesn't exist. Returns whether the list counts as non-empty although its content
        isn't known, as it does in some rehearsals.
        """
        selector = self._requirements.resources.get(self._key)
        by_name = selector is not None and selector.match_name is not None
        # An empty answer to a query by labels is a fact.
        if not self.answered or (by_name and list.__len__(self) == 0):
            return guess(self._whole())
        return False

    def _whole(self) -> Observable[Any]:
        return make(self._path, Root(self._call, "required", self._key, self._path, None))

    @overload
    def __getitem__(self, at: SupportsIndex) -> R: ...
    @overload
    def __getitem__(self, at: slice) -> list[R]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [*self][at]
        length = list.__len__(self)  # not len(): an index asks nothing about the whole list
        if -length <= at < length:
            return list.__getitem__(self, at)
        root = Root(self._call, "required", self._key, f"{self._path}[{at}]", None)
        return observed_view(self._model, Registered(root))

    def __iter__(self) -> Iterator[R]:
        return iter([self[at] for at in range(len(self))])

    def __reversed__(self) -> Iterator[R]:
        return iter([*self][::-1])

    def __add__(self, other: Any) -> Any:
        return [*self, *other]

    def copy(self) -> list[R]:
        return [*self]

    def __len__(self) -> int:
        # A rehearsal that takes a list with unknown content for non-empty makes its length up, too.
        oracle = self._call.oracle
        return (
            oracle.length(self._whole())
            if self._guess() and oracle is not None
            else list.__len__(self)
        )

    def __eq__(self, other: object) -> bool:
        equal = list.__eq__(self, other)
        return not equal if self._guess() else equal

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # as list

    def __contains__(self, item: object) -> bool:
        return self._guess() or any(element is item for element in list.__iter__(self))

    def index(self, value: Any, start: SupportsIndex = 0, stop: SupportsIndex = 2**62) -> int:
        self._guess()
        return list.index(self, value, start, stop)


class RequiredResources(Mapping[str, "RequiredList[Unstructured]"]):
    """Required resources by the key under which they were asked for (Crossplane's "Required
    Resources").

    The resources are read-only. Iteration and `in` know only the keys that Crossplane has answered.
    Reading any other key gives an empty list whose `answered` is False.
    """

    def __init__(self, call: Call) -> None:
        self._request = call.request
        self._call = call
        self._requirements = call.requirements
        self._made: dict[tuple[str, type[Any]], RequiredList[Any]] = {}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.answer(key) is not None

    def __iter__(self) -> Iterator[str]:
        # Crossplane before v2.2 may know only the deprecated field.
        extra = () if self._call.advertises else self._request.extra_resources
        return iter(sorted({*self._request.required_resources, *extra}))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<required resources: {', '.join(self) or 'none'}>"

    def __getitem__(self, key: str) -> RequiredList[Unstructured]:
        return self.get(key)

    def answer(self, key: str) -> Any:
        """Return the resources that Crossplane has sent for the requirement `key`; None if it
        hasn't answered yet.
        """
        selector = self._requirements.resources.get(key)
        asked = self._call.answered_for.get(key)
        if selector is not None and asked is not None and asked != form_of(selector, self._call):
            return None  # the answer is one to the real run's question, which is another one
        if key in self._request.required_resources:
            return self._request.required_resources[key].items
        if not self._call.advertises and key in self._request.extra_resources:
            return self._request.extra_resources[key].items
        return None

    # `get` has no default, because every key gives a list.
    @overload  # type: ignore[override]
    def get(self, key: str, model: None = None) -> RequiredList[Unstructured]: ...
    @overload
    def get(self, key: str, model: type[R]) -> RequiredList[R]: ...
    def get(self, key: str, model: type[Any] | None = None) -> RequiredList[Any]:
        """Return the resources that answer a requirement; an empty list until Crossplane has
        answered.

        The default of `model` is `Unstructured`. Raises UsageError if `model` isn't a class for
        resources, or a resource is of another kind.
        """
        model = Unstructured if model is None else model
        check_class(model, "ctx.required_resources.get()")
        made = self._made.get((key, model))
        if made is None:
            items = self.answer(key)
            values = [self._view(key, at, item, model) for at, item in enumerate(items or ())]
            made = RequiredList(values, key, model, self._call, answered=items is not None)
            if items is not None:
                self._made[key, model] = made
        return made

    def _view(self, key: str, at: int, item: Any, model: type[Any]) -> Any:
        prefix = f"required.{key}[{at}]"
        root = Root(self._call, "required", key, prefix, item.resource, item)
        check_kind(model, root.fields, prefix)
        return observed_view(model, Registered(root))


class RequiredSchemas(Mapping[str, "Schema"]):
    """Required schemas by the key under which they were asked for (Crossplane's design
    "required-schemas", "Proposal").

    `get(key)` is None until Crossplane has answered. After that it is a `Schema`, which is empty if
    Crossplane didn't find the kind.

    Raises:
        KeyError: `schemas[key]` is read before Crossplane has answered.
    """

    name_in_messages = "until Crossplane has answered, get(key) is None: ctx.required_schemas"

    def __init__(self, request: Any) -> None:
        self._request = request
        self._made: dict[str, Schema] = {}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._request.required_schemas

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._request.required_schemas))

    def __len__(self) -> int:
        return len(self._request.required_schemas)

    def __repr__(self) -> str:
        return f"<required schemas: {', '.join(self) or 'none'}>"

    @property
    def keys_there(self) -> list[str]:
        """The keys that are there, for messages."""
        return [*self]

    def __getitem__(self, key: str) -> Schema:
        if key not in self:
            raise KeyError(key)
        return self.answer(key)

    def answer(self, key: str) -> Schema:
        """Return the schema for `key`; an empty schema if Crossplane hasn't answered yet or didn't
        find the kind.
        """
        made = self._made.get(key)
        if made is None:
            from ..schemas.schema import Schema

            values = (
                codec.decode_struct(self._request.required_schemas[key].openapi_v3)
                if key in self
                else None
            )
            made = self._made[key] = Schema(values, key)
        return made


class LazyMap(MutableMapping[str, Any]):
    """The JSON values of a Struct, by key. Each value is decoded when it is first read, and may be
    changed in place.

    Args:
        raw: The Struct bytes.

    Attributes:
        values_seen: The values that were read or set, by key, without deleted ones.
        asked: The keys that were asked for before they were set, whether they are there or not.
        deleted: The keys that were deleted and not set again.

    Raises:
        KeyError: A key is read or deleted that the map doesn't have.
        UsageError: A value is set under a key that isn't a string.
        WireError: The bytes of the Struct or of a value are malformed. They are only noticed when
            they are read.
    """

    name_in_messages = "the pipeline's context"
    set_by = ": a step before this one sets keys, and previews take --context-values KEY=VALUE"

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self.values_seen: dict[str, Any] = {}
        self.deleted: set[str] = set()
        self.asked: set[str] = set()

    @functools.cached_property
    def _source(self) -> Mapping[str, bytes]:
        return codec.split(self._raw)

    def __getitem__(self, key: str) -> Any:
        if key not in self.values_seen:
            if key in self.deleted:
                raise KeyError(key)
            self.asked.add(key)
            if key not in self._source:
                raise KeyError(key)
            self.values_seen[key] = codec.decode_value(self._source[key])
        return self.values_seen[key]

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise UsageError(f"a key of ctx.context must be a string (got {value_in_words(key)})")
        self.values_seen[key] = value
        self.deleted.discard(key)

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        self.values_seen.pop(key, None)
        self.deleted.add(key)

    def __contains__(self, key: object) -> bool:
        if key in self.values_seen or key in self.deleted:
            return key in self.values_seen
        if isinstance(key, str):
            self.asked.add(key)
        return key in self._source

    def __iter__(self) -> Iterator[str]:
        self.asked.update(self._source)
        kept = [key for key in sorted(self._source) if key not in self.deleted]
        return iter(dict.fromkeys([*kept, *self.values_seen]))

    @property
    def keys_there(self) -> list[str]:
        """The keys that it has, for messages: reading this asks for no key."""
        return sorted({*self._source, *self.values_seen} - self.deleted - {HELD_BACK_KEY})

    @property
    def lacks(self) -> bool:
        """Whether a key was asked for that no previous step has set."""
        return any(key not in self._source for key in self.asked)

    def received(self, key: str) -> Any:
        """Return the value that previous steps have set under a key; UNSET for none."""
        return codec.decode_value(self._source[key]) if key in self._source else UNSET

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return repr(dict(self))
