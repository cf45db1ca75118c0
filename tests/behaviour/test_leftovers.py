"""The search for placeholders of earlier calls (`_core.observed.tokens.Marker.begins_in`)."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._core.observed.tokens import EARLY, LATE, marker_for, number_of
from tests.wire.oddities import EXAMPLES

FORMS = (EARLY, LATE)
_SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in capitals": str.upper,
    "with a capital": str.capitalize,
    "as a title": str.title,
}
_AROUND = st.text(alphabet="ab-_./é \n", max_size=9)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spelling", _SPELLINGS)
@given(path=st.text(max_size=30), before=_AROUND, behind=_AROUND, encoded=st.booleans())
@EXAMPLES
def test_whole_tokens_are_found(form: int, spelling: str, path: str, before: str, behind: str, encoded: bool) -> None:
    """A token of either form is found in any usual spelling, wherever it stands, and in base64 in any alignment."""
    token = _SPELLINGS[spelling](marker_for(0, form).token(number_of(path)))
    data = (before + token + behind).encode()
    assert marker_for(0, form).begins_in(b"{" + (base64.b64encode(data) if encoded else data) + b"}")


@EXAMPLES
@given(st.integers(0, 2**32))
def test_what_is_found_is_a_head(seed: int) -> None:
    """The search says yes where the head of a token is, plain or encoded, and nowhere else: parts don't count."""
    rnd = random.Random(seed)
    markers = [marker_for(0, form) for form in FORMS]
    heads = [head for marker in markers for head in (marker.head, marker.head.upper(), *marker.encoded_heads)]
    data = bytearray(rnd.randbytes(rnd.randrange(40)))
    for _ in range(rnd.randrange(3)):
        head = rnd.choice(heads)
        start = rnd.choice([0, 0, 1, 2])
        at = rnd.randrange(len(data) + 1)
        data[at:at] = head[start : len(head) - rnd.choice([0, 0, 1])]
    found = bytes(data)
    expected = any(
        marker.head in found.lower() or any(encoded in found for encoded in marker.encoded_heads) for marker in markers
    )
    assert any(marker.begins_in(found) for marker in markers) == expected
