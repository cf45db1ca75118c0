"""Parts of the context that are read by key are mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from crossplane_lite import composition
from tests.behaviour import samples
from tests.behaviour.models import VPC
from tests.support import call

SCHEMA = {"type": "object", "properties": {"spec": {"type": "object"}}}


def test_required_resources_are_a_mapping() -> None:
    """`ctx.required_resources` has the keys that are answered; the others give lists that aren't answered."""

    def compose(ctx: Any) -> None:
        found = ctx.required_resources
        assert isinstance(found, Mapping)
        assert (list(found), len(found), bool(found)) == (["none", "vpcs"], 2, True)
        assert [(key, len(values)) for key, values in found.items()] == [("none", 0), ("vpcs", 1)]
        assert dict(found)["vpcs"][0].spec.forProvider.region == "r"
        assert [len(values) for values in found.values()] == [0, 1]
        assert found.get("vpcs", VPC)[0].spec.forProvider.region == "r"
        assert not found["other"].answered
        assert ("vpcs" in found, "other" in found) == (True, False)

    def empty(ctx: Any) -> None:
        found = ctx.required_resources
        assert (dict(found), len(found), bool(found)) == ({}, 0, False)

    label_query = composition.ResourceSelector(api_version="v1", kind="VPC", match_labels={"a": "b"})

    def asks(ctx: Any) -> None:
        ctx.requirements.resources["none"] = label_query
        compose(ctx)

    call(asks, required={"none": [], "vpcs": [samples.vpc({"region": "r"})]})
    call(empty)


def test_the_deprecated_field_counts_once() -> None:
    """A key that an old caller answers in both fields is one key."""

    def compose(ctx: Any) -> None:
        assert (list(ctx.required_resources), len(ctx.required_resources)) == (["vpcs"], 1)

    vpcs = {"vpcs": [samples.vpc({"region": "r"})]}
    call(compose, required=vpcs, extra=vpcs, capabilities=())


def test_required_schemas_are_a_mapping() -> None:
    """`ctx.required_schemas` has the keys that are answered."""

    def compose(ctx: Any) -> None:
        found = ctx.required_schemas
        assert isinstance(found, Mapping)
        assert (sorted(found), len(found), bool(found)) == (["a", "gone"], 2, True)
        assert {key: (schema.answered, schema.found) for key, schema in found.items()} == {
            "a": (True, True),
            "gone": (True, False),
        }
        assert dict(found)["a"] == SCHEMA
        assert (found.get("b"), found.get("b", 1)) == (None, 1)
        with pytest.raises(KeyError):
            found["b"]

    call(compose, schemas={"a": SCHEMA, "gone": None})


def test_conditions_are_a_mapping() -> None:
    """`ctx.conditions` has what compose() has set by now, as it was given."""

    def compose(ctx: Any) -> None:
        conditions = ctx.conditions
        assert isinstance(conditions, Mapping)
        assert not conditions
        conditions.set("A", True, "Good")
        conditions.set("B", None, "Odd", "text", target="composite_and_claim")
        assert (list(conditions), len(conditions), bool(conditions)) == (["A", "B"], 2, True)
        assert conditions["A"] == (True, "Good", None, None)
        assert dict(conditions)["B"]._asdict() == {
            "status": None,
            "reason": "Odd",
            "message": "text",
            "target": "composite_and_claim",
        }
        assert [one.status for one in conditions.values()] == [True, None]
        assert ("A" in conditions, "C" in conditions, conditions.get("C")) == (True, False, None)
        conditions.set("A", False, "Bad")
        assert conditions["A"].status is False

    answer = call(compose)[1]
    assert answer.conditions == {"A": (False, "Bad", ""), "B": (None, "Odd", "text")}
