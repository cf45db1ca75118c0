"""Builds the package from what setup.cfg says."""

import gzip
import io
import os
import tarfile
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
        return command.copy_file(
            stub if os.path.isfile(stub) else infile, outfile, *options, **more
        )


class BuildPy(FromStubs, build_py):
    """Copies the package into a wheel."""


class Sdist(FromStubs, sdist):
    """Copies the project into a source distribution.

    With SOURCE_DATE_EPOCH the same project gives the same bytes; setuptools sees to that for wheels
    only.
    """

    def make_archive(self, base_name: Any, format: str, *places: Any, **more: Any) -> Any:
        """Make the archive; with a time that is given, of nothing that changes from build to
        build.
        """
        made: Any = super().make_archive(base_name, format, *places, **more)
        if format == "gztar" and os.environ.get("SOURCE_DATE_EPOCH"):
            _make_reproducible(made, int(os.environ["SOURCE_DATE_EPOCH"]))
        return made


def _make_reproducible(path: str, seconds: int) -> None:
    """Write an archive again, its members in order, with one time and no owner."""
    content = io.BytesIO()
    with (
        tarfile.open(path) as old,
        tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = seconds, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=seconds) as packed:
        packed.write(content.getvalue())


setup(cmdclass={"build_py": BuildPy, "sdist": Sdist})
