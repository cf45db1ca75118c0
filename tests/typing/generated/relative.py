# pyright: strict
"""A module of a user's package that holds the models too, and imports them as the seed's example does."""

from __future__ import annotations

from typing_extensions import reveal_type

from crossplane_lite import Observable

from .model.org.example.platform.xplatform import v1alpha1 as xplatformv1alpha1
from .model.org.example.platform.xplatform.v1alpha1 import Parameters


def compose(region: Observable[str]) -> xplatformv1alpha1.XPlatform:
    made = xplatformv1alpha1.XPlatform(
        spec=xplatformv1alpha1.XPlatformSpec(parameters=Parameters(region=region, zones=[{"name": "a"}]))
    )
    reveal_type(made.spec.parameters)  # reveal: Parameters
    reveal_type(made.spec.parameters.region)  # reveal: str | Observable[str] | None
    reveal_type(made.spec.parameters.zones[0].public)  # reveal: bool | Observable[bool] | None
    reveal_type(made.metadata.labels)  # reveal: ValuesDict[str]
    Parameters(regoin=region)  # error: call-arg reportCallIssue
    made.spec.parameters.readers = [1]  # error: list-item reportAttributeAccessIssue
    return made
