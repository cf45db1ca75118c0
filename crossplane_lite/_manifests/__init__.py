"""Manifests: Kubernetes objects as plain dicts, the files and packages they are in, and the schemas they define.

Readers of files of objects belong here: YAML and JSON, folders and package archives, definitions of kinds and OpenAPI
documents, and small facts about objects. Their uses (models, a reconcile, a drawing) belongs to the rooms
that import this one: codegen, render, simulate, graph, testing and krm. All modules may be imported from; this one
imports nothing, because most users need one or two of them.

It may import `_base`, `_terminal`, `_wire` and `errors`.
"""
