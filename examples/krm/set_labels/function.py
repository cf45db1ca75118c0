"""A transformer: sets labels on every resource, and on the pods that a workload makes."""

from __future__ import annotations

import attrs

from crossplane_lite import krm

POD_TEMPLATES = ("spec.template", "spec.jobTemplate.spec.template")


@attrs.define
class SetLabels:
    """Which labels to set.

    Attributes:
        labels: The labels.
    """

    labels: dict[str, str]


@krm.function(name="set-labels")
def transform(rl: krm.ResourceList[SetLabels | None]) -> None:
    """Set labels on every resource, and on the pods that a workload makes."""
    if rl.config is None:
        rl.results.error("functionConfig must say which labels to set")
        return
    for resource in rl.items:
        resource.labels.update(rl.config.labels)
        for path in POD_TEMPLATES:
            if resource.get(f"{path}.spec.containers") is not None:
                for key, value in rl.config.labels.items():
                    resource.set(f'{path}.metadata.labels["{key}"]', value)


if __name__ == "__main__":
    transform.main()
