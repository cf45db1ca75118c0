"""Functions about Kubernetes objects that are plain dicts, for users of `crossplane_lite.render`."""

from __future__ import annotations

from .._manifests.objects import is_cluster_scoped

__all__ = ["is_cluster_scoped"]
