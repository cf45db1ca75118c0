"""Fields of other resources that refer to one that goes."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._core.codec import encode_struct
from crossplane_lite._tools.diff.references import places_in, uses


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"forProvider": {"bucket": "external"}}, "still used in a.spec.forProvider.bucket"),
        ({"role": "arn:1"}, "still used in a.spec.role"),
        ({"links": ["x", "https://self"]}, "still used in a.spec.links[1]"),
        ({"vpc-id": "id-1", "b": "id-1"}, "still used in a.spec.b, a.spec.vpc-id"),
        (dict.fromkeys("abcde", "id-1"), "still used in a.spec.a, a.spec.b, a.spec.c and 2 more"),
        ({"vpcIdRef": {"name": "shop-vpc"}}, "still used in a.spec.vpcIdRef.name"),
        ({"vpcIdRefs": [{"name": "shop-vpc"}]}, "still used in a.spec.vpcIdRefs[0].name"),
        ({"name": "shop-vpc", "tags": {"name": "shop-vpc"}}, ""),
        ({"of": {"resourceRef": {"name": "shop-vpc"}}}, ""),
        ({"text": "to arn:1", "other": "of-another", "none": "", "number": 1}, ""),
        (None, ""),
    ],
)
def test_uses(spec: Any, expected: str) -> None:
    """Another resource's spec refers by external name, by id, arn or selfLink of the status, or by a reference."""
    provider = {"id": "id-1", "arn": "arn:1", "x": "of-another"}
    dropped = {
        "metadata": {"name": "shop-vpc", "annotations": {"crossplane.io/external-name": "external"}},
        "status": {"selfLink": "https://self", "arn": "", "atProvider": provider},
    }
    assert uses(encode_struct(dropped), places_in({"a": [spec], "b": [None, {}]})) == expected


def test_strange_objects() -> None:
    """Objects of any shape give no warning, and no error."""
    strange: list[dict[str, Any]] = [
        {},
        {"metadata": 1, "status": []},
        {"metadata": {"annotations": "x"}, "status": {"id": {}, "atProvider": 1}},
    ]
    for raw in strange:
        assert uses(encode_struct(raw), places_in({"a": [{"b": "x"}, 3, ["x"]]})) == ""
