"""What each composite has is read as a value, and all else as before. The model is `given.yaml`."""

from __future__ import annotations

from models.org.example.given.xsize import v1
from typing_extensions import reveal_type

from crossplane_lite.context import Context

SIZES = {"small": 1, "large": 3}
ENGINES = {"mysql": 3306, "postgres": 5432}


def lookups(ctx: Context) -> None:
    xr = ctx.composite(v1.XSize)
    nodes = SIZES[xr.spec.size] * xr.observed.spec.count
    reveal_type(nodes)  # reveal: int
    reveal_type(xr.observed.spec.class_)  # reveal: Literal['cheap', 'fast']
    reveal_type(xr.observed.spec.nodes.kind)  # reveal: Literal['a', 'b']
    reveal_type([port.number + 1 for port in xr.observed.spec.ports])  # reveal: list[int]
    reveal_type(xr.observed.spec.note)  # reveal: str | Observable[str] | None
    reveal_type(xr.observed.spec.ports[0].name)  # reveal: str | Observable[str] | None
    reveal_type(xr.observed.spec.database.engine or "")  # reveal: Literal['mysql', 'postgres', '']
    reveal_type(xr.observed.status.url)  # reveal: str | Observable[str]
    ENGINES[xr.observed.spec.database.engine or "mysql"]
    ENGINES[xr.observed.spec.database.engine]  # error: index reportArgumentType
    xr.spec.note + "!"  # error: operator reportOperatorIssue|reportOptionalOperand


def writes(size: v1.XSize) -> None:
    other = v1.XSize(spec=v1.XSizeSpec(size=size.observed.spec.size, count=None))
    other.spec.count = "3"  # error: assignment reportAttributeAccessIssue
    other.spec.size = "tiny"  # error: assignment reportAttributeAccessIssue
