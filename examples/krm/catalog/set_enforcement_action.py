"""set-enforcement-action: what Gatekeeper's constraints do about a violation."""

from __future__ import annotations

from crossplane_lite import krm

ACTIONS = ("deny", "dryrun", "warn")


@krm.function(name="set-enforcement-action")
def transform(rl: krm.ResourceList) -> krm.Result | None:
    """Set spec.enforcementAction of every constraint.

    functionConfig is a ConfigMap with enforcementAction in its data: deny, dryrun or warn.
    """
    action = rl.config.get("data.enforcementAction") if rl.config is not None else None
    if action not in ACTIONS:
        return rl.results.error(
            f"functionConfig must have data.enforcementAction: {', '.join(ACTIONS)}"
        )
    policies = rl.where(group="constraints.gatekeeper.sh")
    rl.results.info(f"Number of policies set to [{action}]: {len(policies)}")
    for policy in policies:
        policy.set("spec.enforcementAction", action)
        rl.results.info(f"Policy name: [{policy.name}]", file=policy.path or None)
    return None


if __name__ == "__main__":
    transform.main()
