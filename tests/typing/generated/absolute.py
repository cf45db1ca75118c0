# pyright: strict, reportUnusedExpression=false
# ruff: noqa: B018
"""A module that takes models from a package beside it, and from inside of a user's package."""

from __future__ import annotations

import team.compose
from models.org.example.platform.xplatform import v1alpha1 as xplatformv1alpha1
from team.model.org.example.platform.xplatform.v1alpha1 import Parameters
from typing_extensions import reveal_type

from crossplane_lite import Observable


def compose(region: Observable[str]) -> None:
    reveal_type(xplatformv1alpha1.XPlatform().kind)  # reveal: Literal['XPlatform']
    reveal_type(xplatformv1alpha1.XPlatform().spec.parameters.image)  # reveal: str | Observable[str] | None
    reveal_type(team.compose.compose(region).spec.parameters.readers)  # reveal: ValuesList[str]
    reveal_type(Parameters(region=region).labels)  # reveal: ValuesDict[str]
    xplatformv1alpha1.XPlatform().spec.region  # error: attr-defined reportAttributeAccessIssue
    team.compose.compose(region).spec.parameters.region = 1  # error: assignment reportAttributeAccessIssue
    Parameters(zones={"name": "a"})  # error: arg-type reportArgumentType
