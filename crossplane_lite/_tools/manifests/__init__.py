"""Manifests: Kubernetes objects as plain dicts, the files and packages that hold them, and the
schemas of their kinds.

The modules here read YAML and JSON, folders, package archives, definitions (CRDs and XRDs) and
OpenAPI documents. `objects` has functions for single objects. The rooms that import these modules
decide what to do with the objects: codegen, render, simulate, graph, testing and krm. Import each
module by its name: this file imports none of them, because most importers need only one or two.

The modules may import `base`, `codec` and `errors`.
"""
