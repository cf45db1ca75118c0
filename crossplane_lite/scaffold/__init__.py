"""New projects: `crossplane-lite init` writes the project of a function, ready to be rendered, tested and packaged.

`command.py` is the command. `project.py` has the files that all functions for Crossplane need, `composition.py` and
`operation.py` those that only a function for Compositions or for Operations needs, and `krm.py` all files of a KRM
function. `samples.py` invents values for the required fields of a schema.

This package imports `_base`, `_manifests`, `_programs`, `codegen`, `packaging` and `errors`. A served function never
loads it.
"""
