"""The names that the door offers."""

from __future__ import annotations

import importlib

import pytest

from crossplane_lite import render


@pytest.mark.parametrize("name", render.__all__)
def test_names(name: str) -> None:
    """Every name is there, from the module that it lives in."""
    home = importlib.import_module(f"crossplane_lite._tools.render.{render._HOMES[name]}")
    assert getattr(render, name) is getattr(home, name)
    assert name in dir(render)


def test_all() -> None:
    """What is offered and what is found are the same names, in order."""
    assert sorted(render._HOMES) == render.__all__


def test_other_names() -> None:
    """A name that isn't there is an AttributeError."""
    with pytest.raises(AttributeError, match="module 'crossplane_lite.render' has no attribute 'nothing'"):
        _ = render.nothing
