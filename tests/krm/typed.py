"""What type checkers must know of KRM functions; read by test_resource_list, never run."""

from __future__ import annotations

import attrs
from typing_extensions import reveal_type

from crossplane_lite import krm


@attrs.define
class Config:
    labels: dict[str, str]


def typed(rl: krm.ResourceList[Config]) -> None:
    reveal_type(rl.config)  # reveal: Config
    reveal_type(rl.config.labels)  # reveal: dict[str, str]
    reveal_type(rl.items)  # reveal: Items
    reveal_type(rl.items[0])  # reveal: Resource
    reveal_type(rl.items.where(kind="A")[0].name)  # reveal: str
    reveal_type(rl.results.error("x"))  # reveal: Result
    for resource in rl.items:
        resource.labels.update(rl.config.labels)
        resource.spec.replicas = 3


def perhaps(rl: krm.ResourceList[Config | None]) -> None:
    reveal_type(rl.config)  # reveal: Config | None


def raw(rl: krm.ResourceList) -> None:
    reveal_type(rl.config)  # reveal: Resource | None
