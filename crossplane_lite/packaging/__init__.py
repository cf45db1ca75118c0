"""Packaging: container images and Crossplane packages, made and read without Docker.

`image.py` and `prune.py` are the commands `crossplane-lite image` and `prune`, `xpkg.py` is `crossplane-lite xpkg`.
Below them: `layers.py` writes files as layers whose bytes depend only on the files, `images.py` reads and writes
images, `base.py` looks into a base image, `installing.py` has pip choose and install the packages of a layer,
`pruning.py` has the rules for files that a served function never loads, `lint.py` and `constraint.py` have the package
manager's checks, `package.py` collects and finds the content of a package.

It may import `_base`, `_terminal`, `_manifests` and `errors`. A served function never loads it.
"""
