"""New projects: `crossplane-lite init` writes the project of a function, ready to be rendered, tested and packaged.

`command.py` is the command. The files are in `templates`: `shared` for all functions for Crossplane, `composition`,
`operation` and `krm`. `project.py` puts the project's values into them, `composition.py` makes those that depend on an
XRD and on CRDs, and `krm.py` checks the name of a KRM function.

This package imports `base`, `manifests`, `programs`, `codegen`, `packaging` and `errors`. A served function never
loads it.
"""
