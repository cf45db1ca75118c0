"""New projects: `crossplane-lite init` writes a project that can be rendered, tested and packaged at once.

`command.py` is the command. `project.py` has the files that all functions for Crossplane share, `composition.py` and
`operation.py` the files that only a function for compositions or for Operations has, and `krm.py` the files of a KRM
function. `samples.py` makes up values that fit a schema.

This package imports `_base`, `_manifests`, `_programs`, `codegen`, `packaging` and `errors`. A served function never
loads it.
"""
