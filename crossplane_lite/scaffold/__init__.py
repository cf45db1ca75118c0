"""New projects: `crossplane-lite init` writes one that renders, is tested and can be packaged as it is.

`command.py` is the command. `project.py` has the files that all functions for Crossplane share, `composition.py` and
`operation.py` the different ones, `krm.py` those of KRM functions, `samples.py` makes up values that fit a schema.

It may import `_base`, `_terminal`, `_manifests`, `codegen`, `testing`, `packaging` and `errors`. A served function
never loads it.
"""
