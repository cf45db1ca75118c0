"""Packaging: container images and Crossplane packages, made and read without Docker.

`image.py` and `prune.py` are the commands `crossplane-lite image` and `prune`, `xpkg.py` is `crossplane-lite xpkg`.
The other modules do parts of the work: `layers.py` writes files as layers whose bytes depend only on the files,
`images.py` reads and writes images, `base.py` finds the Python of a base image, `installing.py` runs pip, which chooses
and installs the packages of a layer, `pruning.py` has the rules for files that a served function never loads, `lint.py`
and `constraint.py` have the checks of Crossplane's package manager, `package.py` collects the content of a package and
finds it in an image, and `report.py` prints sizes.

This package imports `base`, `manifests`, `programs` and `errors`. A served function never loads it.
"""
