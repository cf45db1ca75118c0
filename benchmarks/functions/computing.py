"""A function that computes for some milliseconds."""

from __future__ import annotations

from crossplane_lite import Unstructured, composition


@composition.function
def compose(ctx: composition.Context) -> None:
    """Composes a ConfigMap with a number that takes a while."""
    number = 0
    for one in range(100_000):
        number = (number * 31 + one) % 1_000_003
    ctx.resource("number", Unstructured("v1", "ConfigMap", data={"number": str(number)}))
