"""New projects: `crossplane-lite init` writes the project of a function, ready to be rendered,
tested and packaged.

`command.py` is the command, and checks the name of a KRM function. The files are in `templates`:
`shared` for all functions for Crossplane, `composition`, `operation` and `krm`. `project.py` puts
the project's values into them, and `composition.py` makes those that depend on an XRD and on CRDs.

This package imports `base`, `manifests`, `programs`, `codegen`, `packaging` and `errors`. A served
function never loads it.
"""
