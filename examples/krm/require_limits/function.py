"""A validator: every container must have limits of CPU and memory; each result says where one goes,
and proposes it.
"""

from __future__ import annotations

import attrs

from crossplane_lite import krm

POD_SPECS = ("spec", "spec.template.spec", "spec.jobTemplate.spec.template.spec")


@attrs.define
class RequireLimits:
    """The limits to propose.

    Attributes:
        cpu: Proposed where a container has no CPU limit.
        memory: Proposed where a container has no memory limit.
    """

    cpu: str = "500m"
    memory: str = "256Mi"


@krm.function(role="validator", name="require-limits")
def validate(rl: krm.ResourceList[RequireLimits | None]) -> None:
    """Require limits of CPU and memory for every container."""
    proposed = attrs.asdict(rl.config or RequireLimits())
    for resource in rl.items:
        for pods in POD_SPECS:
            for containers in (f"{pods}.initContainers", f"{pods}.containers"):
                for index, container in enumerate(resource.get(containers, [])):
                    for limit, value in proposed.items():
                        path = f"{containers}[{index}].resources.limits.{limit}"
                        if resource.get(path) is None:
                            message = f"container {container['name']} has no {limit} limit"
                            rl.results.error(message, resource, path, proposed=value)


if __name__ == "__main__":
    validate.main()
