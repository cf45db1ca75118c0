"""The cache of values that take long to make, and hashes without hashlib."""

from __future__ import annotations

import hashlib

from crossplane_lite._core.base.hashes import sha256
from crossplane_lite._core.base.kept import Kept


def test_the_last_used_are_kept() -> None:
    """A value is made once as long as it is among those that were used last; the key of a dropped one is told."""
    gone: list[str] = []
    made: list[str] = []
    kept: Kept[object] = Kept(2, gone.append)
    values = {}
    for key in ("a", "b", "a", "c", "b"):

        def make(key: str = key) -> object:
            made.append(key)
            return object()

        value = kept.get(key, make)
        assert values.setdefault(key, value) is value or key in gone
    assert (made, gone, len(kept)) == (["a", "b", "c", "b"], ["b", "a"], 2)


def test_a_key_that_is_made_meanwhile() -> None:
    """Two makers of one key get the same value: the first one's."""
    kept: Kept[str] = Kept(2)
    assert kept.get("a", lambda: kept.get("a", lambda: "inner") + " and outer") == "inner"


def test_sha256() -> None:
    """The hash is that of hashlib."""
    assert sha256(b"text").hexdigest() == hashlib.sha256(b"text").hexdigest()
