"""The connection details of the composite and of composed resources, as mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from ...errors import ReadOnlyError, UsageError
from ..base.sentinels import UNSET
from ..base.texts import type_in_words
from ..models.containers import ObservedMap
from ..models.node import WAIT, Node
from ..observed.observable import Observable, guess, known, make
from ..observed.writers import plain_forms

if TYPE_CHECKING:
    from ..observed.root import Root
    from ..observed.tracker import Tracker


class ConnectionDetails(MutableMapping[str, Any]):
    """Connection details by key, as strings.

    An observed detail that doesn't exist yet reads as an Observable. Only the details of the
    desired composite can be set: to strings, bytes, whole numbers and Observables. After setting
    None, a detail has the value that a previous function desires, or else the observed value. If an
    observed resource has no details, every use of the mapping as a whole, such as a loop, counts as
    a guess (see `Observable`).

    Attributes:
        writable: Whether the details can be set. Only the details of the desired composite can.
        raw: The details as bytes. Those of an observed resource can't be changed, and behave as any
            other observed map.

    Raises:
        ReadOnlyError: Observed details are set or deleted.
        KeyError: A detail that the desired composite doesn't have is read or deleted.
        UsageError: A detail that isn't UTF-8 is read as a string, or a detail is set to a value of
            another type.
    """

    def __init__(self, root: Root, source: Mapping[str, bytes], *, writable: bool) -> None:
        self._root = root
        self._source = source
        self._own: dict[str, Any] = {}
        self._deleted: set[str] = set()
        self._unset: set[str] = set()  # set to None
        self.writable = writable

    @property
    def raw(self) -> dict[str, bytes]:
        shown = {key: value for key, value in self._source.items() if key not in self._deleted}
        if not self.writable:
            if not shown:
                # takes the place of the map, as for every other observed map
                missing: Any = self.waiting()
                return missing  # type: ignore[no-any-return]
            return ObservedMap(
                shown, Node(WAIT, None, self._root, f"{self._root.prefix}.connection_details")
            )
        for key, value in self._own.items():
            if type(value) is not Observable:
                shown[key] = value.encode() if isinstance(value, str) else value
        return shown

    def __getitem__(self, key: str | Observable[str]) -> str | Observable[str]:
        if isinstance(key, Observable):  # a loop over missing details has such keys in a rehearsal
            key = str(key)
        if key in self._own:
            value = self._own[key]
        elif key in self._source and key not in self._deleted:
            value = self._source[key]
        elif self.writable:
            raise KeyError(key)
        else:
            return self.waiting(key)
        if isinstance(value, bytes):
            try:
                return value.decode()
            except UnicodeDecodeError:
                where = f'{self._root.prefix}.connection_details["{key}"]'
                raise UsageError(
                    f"{where} isn't UTF-8; use .connection_details.raw for bytes"
                ) from None
        shown: str | Observable[str] = value
        return shown

    def get(self, key: str, default: Any = None) -> str | Observable[str] | Any:
        """Return a detail, or `default` if the detail is missing.

        If an observed detail is missing, None as `default` gives an Observable. Any other `default`
        counts as a guess (see `Observable`).
        """
        return self[key] if (default is None and not self.writable) or key in self else default

    def __setitem__(self, key: str, value: str | bytes | Observable[str] | None) -> None:
        self._check_writable()
        if value is None:
            self._own.pop(key, None)
            if key not in self._deleted:
                self._unset.add(key)
            return
        self._own[key] = detail_of(key, value, self._root.call)

    def __delitem__(self, key: str) -> None:
        self._check_writable()
        if key not in self:
            raise KeyError(key)
        self._own.pop(key, None)
        self._unset.discard(key)
        self._deleted.add(key)

    def __contains__(self, key: object) -> bool:
        if key in self._own or (key in self._source and key not in self._deleted):
            return True
        return not self.writable and isinstance(key, str) and guess(self.waiting(key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown())

    def __len__(self) -> int:
        return len(self._shown())

    def __bool__(self) -> bool:
        return bool(self._shown())

    def __eq__(self, other: object) -> bool:
        shown = self._shown()
        if type(shown) is Observable and isinstance(other, Mapping):
            return bool(shown) == bool(other)
        return MutableMapping.__eq__(self, other)

    __hash__ = None  # type: ignore[assignment]  # as dict

    def __repr__(self) -> str:
        # never the values, they are secret
        return f"<connection details: {', '.join(self._keys()) or 'none'}>"

    def _keys(self) -> dict[str, None]:
        return dict.fromkeys(
            [*(key for key in sorted(self._source) if key not in self._deleted), *self._own]
        )

    def _shown(self) -> dict[str, None] | Observable[Any]:
        """Return the keys. If there are none in observed details, return the Observable that
        remembers questions.
        """
        return self.waiting() if self.missing else self._keys()

    @property
    def missing(self) -> bool:
        """Whether these are observed details of which none is there."""
        return not self.writable and not self._source

    def waiting(self, key: str | None = None) -> Observable[Any]:
        """Return the Observable for a detail that doesn't exist yet, or for all details if `key` is
        None.
        """
        path = f"{self._root.prefix}.connection_details"
        return make(path if key is None else f'{path}["{key}"]', self._root)

    @property
    def changes(self) -> tuple[dict[str, Any], set[str]]:
        """The details that compose() set, and the keys that it deleted.

        A detail that was set to None has its observed value here. Such a detail is left out if it
        isn't observed, or if a previous function desires it.
        """
        seen = self._root.details
        kept = {key: seen[key] for key in self._unset if key in seen and key not in self}
        return {**kept, **self._own}, self._deleted

    def _check_writable(self) -> None:
        if not self.writable:
            raise ReadOnlyError(
                f"{self._root.prefix}.connection_details can't be set, because they are observed; "
                "set the details of the composite that ctx.composite() returns"
            )


def detail_of(key: str, value: Any, call: Tracker) -> str | bytes | Observable[Any]:
    """Return `value` as a connection detail: a string, bytes, or an Observable that is unresolved.

    If the detail is a string or bytes, it is masked from now on in texts for people. Numbers and
    Observables aren't masked. A whole number, such as a port or 5432.0, becomes a string. Raises
    UsageError for a value of another type.
    """
    if type(value) is Observable:  # first, because isinstance() would count as a use of it
        there = known(value)
        if there is UNSET:
            return value
        value = there
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, (str, bytes)):
        raise UsageError(
            f"connection detail {key!r} must be a string, bytes or a whole number "
            f"(got {type_in_words(value)}); convert it to a string first"
        )
    call.hide(key, value.encode(errors="replace") if isinstance(value, str) else value)
    return value


plain_forms[ConnectionDetails] = lambda details: (
    str(details.waiting()) if details.missing else dict(details)
)
