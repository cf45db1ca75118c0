"""ResourceLists for the tests of the API."""

from __future__ import annotations

import textwrap
from typing import Any

from crossplane_lite.krm.resource_list import ResourceList

__all__ = ["DEPLOYMENT", "SERVICE", "output", "read", "wrapper"]

DEPLOYMENT = """\
- # head comment, where kpt puts it
  apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web  # the name
    namespace: prod
    labels:
      app: web
    annotations:
      internal.config.kubernetes.io/path: 'app/web.yaml'
      internal.config.kubernetes.io/index: '2'
      internal.config.kubernetes.io/id: '1'
      config.kubernetes.io/path: 'app/web.yaml'
      config.kubernetes.io/index: '2'
      config.k8s.io/id: '1'
  spec:
    replicas: 2
    template:
      spec:
        containers:
        # the first
        - name: web
          image: "web:1"
          ports:
          - containerPort: 80
            protocol: TCP
        # the second
        - name: proxy  # beside it
          image: proxy:2
"""
SERVICE = """\
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: prod}
  spec:
    ports:
    - port: 80
"""


def wrapper(items: str = DEPLOYMENT + SERVICE, rest: str = "") -> bytes:
    """Return the text of a ResourceList."""
    return f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n{rest}items:\n{items}".encode()


def read(items: str = DEPLOYMENT + SERVICE, config: str = "", config_class: Any = None) -> ResourceList[Any]:
    """Return a ResourceList that was read."""
    rest = "functionConfig:\n" + textwrap.indent(textwrap.dedent(config), "  ") if config else ""
    return ResourceList.read(wrapper(items, rest), config_class)


def output(rl: ResourceList[Any]) -> str:
    """Return the text of a ResourceList's items."""
    return rl.write().decode().partition("items:\n")[2]
