"""Packaging: container images and Crossplane packages, made and read without Docker.

`image.py` is the command `crossplane-lite image`, `xpkg.py` is `crossplane-lite xpkg`. The other
modules do parts of the work: `layers.py` writes files as layers whose bytes depend only on the
files, `images.py` reads and writes images, `base.py` finds the Python of a base image,
`installing.py` runs pip, which chooses and installs a layer's packages, `locking.py` holds them to
a lock file, `sbom.py` lists them, `lint.py` has the checks of Crossplane's package manager,
`package.py` collects the content of a package and finds it in an image, `registry.py` pushes.

This package imports `base`, `manifests`, `programs` and `errors`. A served function never loads it.
"""
