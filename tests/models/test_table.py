"""Tables from which classes are made."""

from __future__ import annotations

import pytest

from crossplane_lite.errors import UsageError
from crossplane_lite.table import load


@pytest.mark.parametrize("field", ["x", "x:", "x:[", "x:b|z", "1x:s", "x_=x%:s", "x_=x%4:s", "x_=x%zz:s", "x:[A#%"])
def test_what_is_not_a_field(field: str) -> None:
    """A field that can't be read is refused with the module, the class and the field, when the class is made."""
    get, _ = load("models.odd", {"A": f"name:s {field}"})
    with pytest.raises(UsageError) as caught:
        get("A")
    assert str(caught.value) == f"models.odd.A: the field {field!r} must look like name:type; generate the models again"
