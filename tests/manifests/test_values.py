"""Values of definitions are of the type they must be, or it is said what they are instead."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._core.paths.schema import boolean
from crossplane_lite._tools.manifests import yaml
from crossplane_lite._tools.manifests.values import one_of, typed
from crossplane_lite.errors import InputError

WORDS = [form for word in "y yes on n no off".split() for form in (word, word.capitalize(), word.upper())]


@pytest.mark.parametrize("word", [*WORDS, "yEs", "true", "False", "", "=", "1"])
def test_words_are_booleans_as_kubernetes_reads_them(word: str) -> None:
    """A plain word that Kubernetes takes for a boolean is one, and any other text, quoted ones included, stays text."""
    if word in WORDS:
        ((_, content),) = yaml.parse_documents(f"a: {word}\n", "file")
        assert boolean(word) is content["a"]
    else:
        assert boolean(word) == word


@given(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.lists(st.just("yes")))
def test_only_texts_are_words(value: Any) -> None:
    """What is no text stays what it is."""
    assert boolean(value) is value


@pytest.mark.parametrize(
    ("value", "kind", "found"),
    [
        ({}, dict, {}),
        ([1], list, [1]),
        ("yes", str, "yes"),
        (True, bool, True),
        ("yes", bool, True),
        ("Off", bool, False),
    ],
)
def test_fitting_values(value: Any, kind: type, found: Any) -> None:
    """A value of the type is given back, and a word only where a boolean is expected."""
    assert typed(value, kind, InputError) == found
    assert type(typed(value, kind, InputError)) is kind


@pytest.mark.parametrize(
    ("value", "kind", "problem"),
    [
        ([], dict, "must be an object (got [] that is a list)"),
        ("yes", list, "must be a list (got 'yes' that is a string)"),
        (True, str, "must be a string (got True that is a boolean)"),
        ("true", bool, "must be true or false (got 'true' that is a string)"),
        (0, bool, "must be true or false (got 0 that is an integer)"),
        (None, bool, "must be true or false (got null)"),
        ("x" * 99, dict, f"must be an object (got '{'x' * 29}…{'x' * 28}' that is a string)"),
    ],
)
def test_other_values(value: Any, kind: type, problem: str) -> None:
    """A value of another type is named with both types, and cut where it is long."""
    with pytest.raises(InputError) as caught:
        typed(value, kind, InputError)
    assert str(caught.value) == problem


def test_choices_in_words() -> None:
    """Choices are listed as people do."""
    assert [one_of("abc"[:number]) for number in (1, 2, 3)] == ["a", "a or b", "a, b or c"]
