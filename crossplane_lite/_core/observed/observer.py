"""The observer of a call: an object that a tool gives to a call, and that is told what compose() does in it.

A call in production has none. Runs whose results are thrown away have none either.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Observer"]


class Observer:
    """Is told what compose() does in one call. All methods do nothing here."""

    def made(self, model: Any) -> None:
        """The author's code has made a model with its constructor."""

    def has_set(self, holder: Any, key: Any) -> None:
        """A field of a model, or an entry of a map, was set; with a `key` of None, a list or map was changed."""

    def read(self, node: Any, field: Any, value: Any) -> None:
        """A field was read from the source of a model. `value` is an Observable or something empty if it's missing."""

    def missed(self, node: Any, key: str) -> None:
        """A key was read that a map lacks, and that won't come."""

    def composite(self, model: Any) -> None:
        """The author has asked for the composite."""

    def took_request(self) -> None:
        """The author has asked for the raw request."""

    def registered(self, name: str, model: Any) -> None:
        """A resource was registered under a name."""

    def refused(self, name: str) -> None:
        """A second resource was to be registered under a name."""

    def ended(self, call: Any, error: BaseException | None) -> None:
        """compose() has ended, with this exception if it raised one. The answer isn't made yet."""
