# pyright: strict, reportUnusedExpression=false
# ruff: noqa: B018
"""A module that takes models from an installed package of a user's, which brings its stubs and `py.typed`."""

from __future__ import annotations

import installed.compose
from installed.model.org.example.platform.xplatform import v1alpha1 as xplatformv1alpha1
from typing_extensions import reveal_type

from crossplane_lite import Observable


def compose(region: Observable[str]) -> None:
    reveal_type(installed.compose.compose(region).spec)  # reveal: XPlatformSpec
    reveal_type(xplatformv1alpha1.XPlatform().status.subnetIds)  # reveal: ValuesList[str]
    installed.compose.compose(region).spec.paramters  # error: attr-defined reportAttributeAccessIssue
    xplatformv1alpha1.Parameters("a")  # error: call-arg|misc reportCallIssue
    xplatformv1alpha1.Parameters(image=1)  # error: arg-type reportArgumentType
