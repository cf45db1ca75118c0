"""Memory that goes back to the system."""

from __future__ import annotations

import ctypes
import sys
from types import SimpleNamespace

import pytest

from crossplane_lite.runtime.transports.budget import GiveBack


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library isn't glibc")
def test_memory_is_given_back_after_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    """The allocator is asked once the process has grown by 32 MB, and not again in the next seconds."""
    asked = []
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(malloc_trim=asked.append))
    give_back = GiveBack()
    give_back.look()
    assert not asked
    held = bytearray(b"x") * (48 << 20)
    give_back.look()
    give_back.look()
    assert asked == [0]
    del held


def test_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no /proc, nothing happens."""

    def missing(*_: object) -> None:
        raise FileNotFoundError

    monkeypatch.setitem(vars(sys.modules[GiveBack.__module__]), "open", missing)
    GiveBack().look()
