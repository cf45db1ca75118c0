"""What models know of the fields of a kind."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import apply, table
from crossplane_lite._tools.simulate.model_types import model_schema
from tests.simulate.simulating import fields, simulated, thing


@pytest.fixture(scope="module", autouse=True)
def counter() -> Any:
    """A model with fields of all types."""
    load, _ = table.load(
        "tests.simulate.counters",
        {
            "Counter": "@example.org/v1 metadata:x spec:x status:Status",
            "Status": "count:i share:f text:s done:b port:q numbers:[i labels:{s parts:[Part",
            "Part": "size:i",
        },
    )
    return load("Counter")


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        (["count"], {"type": "integer"}),
        (["share"], {"type": "number"}),
        (["text"], {"type": "string"}),
        (["done"], {"type": "boolean"}),
        (["port"], {"x-kubernetes-int-or-string": True}),
        (["numbers"], {"type": "array", "items": {"type": "integer"}}),
        (["numbers", 3], {"type": "integer"}),
        (["labels", "a"], {"type": "string"}),
        (["parts", 0, "size"], {"type": "integer"}),
        (["parts", 0], {"type": "object"}),
        (["parts"], {"type": "array", "items": {"type": "object"}}),
        (["labels"], {"type": "object", "additionalProperties": {"type": "string"}}),
        (["gone"], {}),
        (["count", "deeper"], {}),
        (["count", 1, "deeper"], {}),
    ],
)
def test_types(path: list[Any], schema: dict[str, Any]) -> None:
    """A model knows the type of each scalar, also in lists, maps and objects."""
    assert model_schema("example.org/v1", "Counter", ["status", *path]) == schema


def test_unknown_kinds() -> None:
    """Of a kind that no model is for nothing is known."""
    assert model_schema("example.org/v1", "Other", ["status", "count"]) == {}
    assert model_schema("example.org/v2", "Counter", ["status", "count"]) == {}


def test_numbers_in_a_simulation(counter: Any) -> None:
    """A number that somebody waits for is a number, without any schema: computing with it works."""

    def compose(ctx: Any) -> None:
        made = ctx.resource("counter", counter())
        ctx.resource("next", thing(number=apply(lambda count: count + 1, made.observed.status.count)))

    done = simulated(compose)
    assert fields(done, "next")["number"] == 2
    assert done.stable
