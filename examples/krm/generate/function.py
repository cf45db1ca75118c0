"""A generator: makes a Deployment and a Service of a small config, and keeps what people add to
them.
"""

from __future__ import annotations

import attrs

from crossplane_lite import krm


@attrs.define
class Web:
    """A web application.

    Attributes:
        image: Its image.
        replicas: How many pods it has.
        port: Where it listens.
        env: Its environment.
    """

    image: str
    replicas: int = 1
    port: int = 8080
    env: dict[str, str] = attrs.Factory(dict)


@krm.function(role="generator", name="generate")
def generate(rl: krm.ResourceList[Web | None]) -> None:
    """Make a Deployment and a Service for the application that functionConfig describes."""
    if rl.config is None or rl.function_config is None:
        rl.results.error("functionConfig must describe the application")
        return
    web, name = rl.config, rl.function_config.name
    labels = {"app": name}
    container = {
        "name": name,
        "image": web.image,
        "ports": [{"containerPort": web.port}],
        "env": [{"name": key, "value": value} for key, value in web.env.items()],
    }
    rl.items.upsert(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "replicas": web.replicas,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        }
    )
    rl.items.upsert(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name, "labels": labels},
            "spec": {"selector": labels, "ports": [{"port": 80, "targetPort": web.port}]},
        }
    )


if __name__ == "__main__":
    generate.main()
