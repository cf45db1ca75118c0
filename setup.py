"""Builds the package from what setup.cfg says."""

import os
from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist


class FromStubs:
    """Copies stubs from their own folder: the links to them are text files where links can't be.

    pip makes such files when it unpacks a zip archive, and so does git with `core.symlinks=false`.
    """

    def copy_file(self, infile: str, outfile: str, *options: Any, **more: Any) -> Any:
        """Copy a file of the project, or the stub for which it stands."""
        stub = os.path.join("stubs", infile)
        command: Any = super()
        return command.copy_file(stub if os.path.isfile(stub) else infile, outfile, *options, **more)


class BuildPy(FromStubs, build_py):
    """Copies the package into a wheel."""


class Sdist(FromStubs, sdist):
    """Copies the project into a source distribution."""


setup(cmdclass={"build_py": BuildPy, "sdist": Sdist})
