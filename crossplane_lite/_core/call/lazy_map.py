"""A Struct of the request as a mapping: values are decoded when they are first read, and unread values stay bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from .. import codec
from ..base.type_names import value_in_words
from ..observed.observable import Observable, make
from ..observed.root import Root
from ..observed.uses import guess

if TYPE_CHECKING:
    from ..observed.tracker import Tracker

__all__ = ["LazyMap"]


class LazyMap(MutableMapping[str, Any]):
    """The JSON values of a Struct, by key. Each value is decoded when it is first read, and may be changed in place.

    Args:
        raw: The Struct bytes.
        call: The call; None outside of a call. Then `guessed` has no effect.
        guessed: The keys whose values may be wrong, because a previous step set them while it lacked values that it
            needed. Until this call sets or deletes such a key, reading it gives an Observable. Testing it with `in` is
            remembered as a guess: a decision that may change later. So no existing resource changes or gets lost
                because
            of a wrong value.

    Raises:
        KeyError: A key is read or deleted that the map doesn't have.
        UsageError: A value is set under a key that isn't a string.
        WireError: The bytes of the Struct or of a value are malformed. They are only noticed when they are read.
    """

    def __init__(self, raw: bytes, call: Tracker | None = None, guessed: Collection[str] = ()) -> None:
        self._raw = raw
        self._call = call
        self._guessed = frozenset(guessed)
        self._fields: Any = None
        self._values: dict[str, Any] = {}
        self._deleted: set[str] = set()

    @property
    def _source(self) -> Any:
        if self._fields is None:
            self._fields = codec.split(self._raw)
        return self._fields

    def __getitem__(self, key: str) -> Any:
        if key not in self._values:
            if key in self._guessed and key not in self._deleted and self._call is not None:
                return self._waiting(key)
            if key in self._deleted or key not in self._source:
                raise KeyError(key)
            self._values[key] = codec.decode_value(self._source[key])
        return self._values[key]

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise UsageError(f"a key of ctx.context must be a string (got {value_in_words(key)})")
        self._values[key] = value
        self._deleted.discard(key)

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        self._values.pop(key, None)
        self._deleted.add(key)

    def _waiting(self, key: str) -> Observable[Any]:
        path = f'context["{key}"]'
        return make(path, Root(self._call, "context", key, path, None))  # type: ignore[arg-type]  # checked before

    def __contains__(self, key: object) -> bool:
        if key in self._values or key in self._deleted:
            return key in self._values
        if isinstance(key, str) and key in self._guessed and self._call is not None:
            return guess(self._waiting(key))
        return key in self._source

    def __iter__(self) -> Iterator[str]:
        kept = (key for key in (*sorted(self._source), *sorted(self._guessed)) if key not in self._deleted)
        return iter(dict.fromkeys([*kept, *self._values]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return repr(dict(self))

    @property
    def values_seen(self) -> dict[str, Any]:
        """The values that were read or set, by key, without deleted ones."""
        return self._values

    @property
    def deleted(self) -> set[str]:
        """The keys that were deleted and not set again."""
        return self._deleted
