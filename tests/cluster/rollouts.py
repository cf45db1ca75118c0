"""Next versions of the VPC example: one renames a resource, one leaves out a zone, one fails."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

from crossplane_lite import composition
from examples.vpc.function import compose

_NAME = "vpc"  # what the example's resources are marked with


class _Context:
    """The context of a call, with another name for a resource, or fewer zones."""

    def __init__(self, ctx: composition.Context, names: dict[str, str], zones: int) -> None:
        self._ctx, self._names, self._zones = ctx, names, zones

    def resource(self, name: str, *arguments: Any, **options: Any) -> Any:
        return self._ctx.resource(self._names.get(name, name), *arguments, **options)

    def composite(self, model: Any) -> Any:
        xr = self._ctx.composite(model)
        spec = xr.observed.spec
        fewer = SimpleNamespace(region=spec.region, cidrBlock=spec.cidrBlock, zones=list(spec.zones)[: self._zones])
        observed = SimpleNamespace(spec=fewer, metadata=xr.observed.metadata, status=xr.observed.status)
        return SimpleNamespace(observed=observed, status=xr.status)


def _compose(ctx: composition.Context, names: dict[str, str], zones: int = 3) -> None:
    inspect.unwrap(compose)(_Context(ctx, names, zones))


@composition.function(name=_NAME, auto_ready=True)
def renamed(ctx: composition.Context) -> None:
    """The security group has another name."""
    _compose(ctx, {"security-group": "group"})


@composition.function(name=_NAME, auto_ready=True)
def fewer(ctx: composition.Context) -> None:
    """There is no third zone."""
    _compose(ctx, {}, 2)


@composition.function(name=_NAME, auto_ready=True)
def raises(ctx: composition.Context) -> None:
    """It fails in the middle."""
    _compose(ctx, {})
    raise ValueError("not in this release")
