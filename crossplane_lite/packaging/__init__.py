"""Packaging: container images and Crossplane packages, made and read without Docker.

`image.py` and `prune.py` are the commands `crossplane-lite image` and `prune`, `xpkg.py` is `crossplane-lite xpkg`.
Below them: `layers.py` writes files as layers of which the bytes depend on nothing but the files, `images.py` reads and
writes images, `base.py` looks into a base image, `installing.py` has pip choose and install what goes into a layer,
`pruning.py` has the rules of what a served function never loads, `lint.py` and `constraint.py` what the package manager
checks, `package.py` the content of a package.

It may import `_base`, `_terminal`, `_manifests` and `errors`. A served function never loads it.
"""
