"""The least that the codec takes for a model."""

from __future__ import annotations

__all__ = ["Below", "Bucket", "Labels", "Plain"]

from typing import Any, ClassVar

from crossplane_lite._core import codec


class Below:
    """How an instance lies over something."""

    def __init__(self, deleted: set[str] | None = None, *, shows: int = codec.SET) -> None:
        self.deleted = deleted
        self.shows = shows


class Plain:
    """A model of a few fields, one of them with another name on the wire."""

    __wire_keys__: ClassVar[dict[str, bytes]] = {
        "name": codec.entry_prefix("name"),
        "from_": codec.entry_prefix("from"),
        "child": codec.entry_prefix("child"),
        "items": codec.entry_prefix("items"),
        "long": codec.entry_prefix("n" * 300),
    }
    __wire_head__: ClassVar[bytes] = b""

    def __init__(self, below: Below | None = None, **fields: Any) -> None:
        self.__dict__.update(fields)
        object.__setattr__(self, "_Plain__below", below or Below())

    # The instance's dict holds set fields and nothing else, so the rest is kept in a slot.
    __slots__ = ("_Plain__below", "__dict__")

    @property
    def __wire_below__(self) -> Below:
        below: Below = self.__below
        return below


class Bucket(Plain):
    """A model with fields that are the same in every instance."""

    __wire_head__ = codec.encode_struct({"apiVersion": "example.org/v1", "kind": "Bucket"})
    __slots__ = ()


class Labels(dict[str, Any]):
    """A dict that removes keys from what it lies over."""

    deleted: set[str] | None = None

    @property
    def __wire_below__(self) -> Below:
        return Below(self.deleted)
