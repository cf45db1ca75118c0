"""remove-local-config-resources: without the resources that are only for tools."""

from __future__ import annotations

from crossplane_lite import krm


@krm.function(name="remove-local-config-resources")
def transform(rl: krm.ResourceList) -> None:
    """Remove every resource with the annotation config.kubernetes.io/local-config, except the
    Kptfile.
    """
    gone = rl.where(lambda one: one.is_local_config and one.kind != "Kptfile")
    rl.results.info(f"Number of resources pruned: {len(gone)}")
    for one in gone:
        rl.results.info(f"Resource name: [{one.name}]", file=one.path or None)
    gone.clear()


if __name__ == "__main__":
    transform.main()
