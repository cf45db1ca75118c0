"""Layers of images: files as gzipped tar archives, whose bytes depend only on the files."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import posixpath
import stat
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from .._manifests.archive_files import GZIP, Files, clean_name, damage
from ..errors import InputError

__all__ = ["LARGEST", "Entry", "Layer", "Names", "copy_layer", "folder_entries", "names_of", "write_layer"]

LARGEST: Final = 4 << 30
"""The most bytes that a layer may unpack to. Layers of functions are far smaller; a larger one may be an attack."""

_PART: Final = 1 << 20
_MOST_MEMBERS: Final = 1_000_000


class Entry(NamedTuple):
    """A file, a folder or a symbolic link of a layer.

    Attributes:
        path: Its path from the root, without a slash in front.
        content: The bytes of a file, or the path of the file that has them; None for a folder and for a link.
        mode: The permissions.
        link: The target of a symbolic link; None for a file and for a folder.
        owner: The numbers of its user and group.
        time: When it was changed, in seconds since 1970.
    """

    path: str
    content: Path | bytes | None = None
    mode: int = 0o644
    link: str | None = None
    owner: tuple[int, int] = (0, 0)
    time: int = 0


class Layer(NamedTuple):
    """A layer that was written to a file of its own.

    Attributes:
        file: The file, a gzipped tar archive.
        digest: The file's digest, `sha256:...`.
        unpacked: The digest of the unpacked layer.
        size: The file's size in bytes.
        unpacked_size: The size of the unpacked layer.
        mark: The annotation that tells Crossplane what the layer is: `base`, `upbound`, or None for other layers.
    """

    file: Path
    digest: str
    unpacked: str
    size: int
    unpacked_size: int
    mark: str | None = None


class Names(NamedTuple):
    """The paths of a layer's files, and the first bytes of those that may be Python interpreters.

    Attributes:
        links: The paths of all files and folders, each with its target if it is a link, otherwise None.
        heads: The first 64 bytes of files that may be Python interpreters, by path.
    """

    links: dict[str, str | None]
    heads: dict[str, bytes]


class _Hashed:
    """A writer that passes bytes on to a file, counts them and hashes them."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        self.size += len(data)
        self._file.write(data)
        return len(data)

    def flush(self) -> None:
        self._file.flush()

    @property
    def digest(self) -> str:
        return f"sha256:{self._hash.hexdigest()}"


class _Packing:
    """The writer of a layer's file. Bytes that are written to `plain` are hashed, gzipped and hashed again."""

    def __init__(self, file: Path) -> None:
        self._path = file
        self._file = open(file, "wb")  # noqa: SIM115  # it is closed in `done`
        self._packed = _Hashed(self._file)
        # gzip's header gets no name and no time, because the bytes would depend on them. Level 9 takes three times as
        # long as level 6, and saves half a percent.
        sink: Any = self._packed
        self._packer = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=sink, mtime=0)
        self.plain = _Hashed(self._packer)

    def __enter__(self) -> _Packing:
        return self

    def __exit__(self, *_: object) -> None:
        self._packer.close()
        self._file.close()

    def done(self, mark: str | None) -> Layer:
        """Close the file, and return the layer with this mark (see `Layer`)."""
        self.__exit__()
        packed, plain = self._packed, self.plain
        return Layer(self._path, packed.digest, plain.digest, packed.size, plain.size, mark)


def write_layer(entries: Iterable[Entry], file: Path, mark: str | None = None) -> Layer:
    """Write a layer to a file.

    Args:
        entries: The entries, in any order. Folders around them are added where they are missing.
        file: The file to write.
        mark: The layer's mark in a package (see `Layer`).

    Raises:
        InputError: A file can't be read or has become shorter meanwhile, or the layer can't be written.
    """
    try:
        with _Packing(file) as packing:
            plain: Any = packing.plain
            with tarfile.open(fileobj=plain, mode="w|", format=tarfile.PAX_FORMAT) as tar:
                for entry in _whole(entries):
                    _add(tar, entry)
            return packing.done(mark)
    except OSError as e:
        place = f" ({e.filename})" if e.filename else ""
        raise InputError(f"can't make a layer of the image: {e.strerror or e}{place}") from e


def _whole(entries: Iterable[Entry]) -> Iterator[Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        found[entry.path] = entry
    for path in list(found):
        while path := posixpath.dirname(path):
            found.setdefault(path, Entry(path, mode=0o755))
    # Sorted by the parts of paths, so that a folder comes before its files.
    yield from sorted(found.values(), key=lambda entry: entry.path.split("/"))


def _add(tar: Any, entry: Entry) -> None:
    member = tarfile.TarInfo(entry.path)
    member.mode, (member.uid, member.gid), member.mtime = entry.mode, entry.owner, entry.time
    if entry.link is not None:
        member.type, member.linkname = tarfile.SYMTYPE, entry.link
        tar.addfile(member)
    elif entry.content is None:
        member.type = tarfile.DIRTYPE
        tar.addfile(member)
    elif isinstance(entry.content, bytes):
        member.size = len(entry.content)
        tar.addfile(member, io.BytesIO(entry.content))
    else:
        with open(entry.content, "rb") as source:
            member.size = os.fstat(source.fileno()).st_size
            tar.addfile(member, source)


# Folders whose content belongs to the machine, not to the system.
_OF_THE_MACHINE: Final = frozenset({"dev", "proc", "sys"})


def folder_entries(root: Path) -> Iterator[Entry]:
    """Yield the files of a root folder, with the permissions, owners and times that it has there.

    Links are not followed. Devices, pipes and sockets are left out, and so are all files in `dev`, `proc` and `sys`.

    Raises:
        InputError: A folder or a link can't be read.
    """
    work = [""]
    try:
        while work:
            above = work.pop()
            with os.scandir(root / above) as found:
                here = sorted(found, key=lambda one: one.name)
            for one in here:
                path = f"{above}{one.name}"
                status = one.stat(follow_symlinks=False)
                kept = {
                    "mode": stat.S_IMODE(status.st_mode),
                    "owner": (status.st_uid, status.st_gid),
                    "time": int(status.st_mtime),
                }
                if stat.S_ISLNK(status.st_mode):
                    yield Entry(path, link=os.readlink(one.path), **{**kept, "mode": 0o777})  # type: ignore[arg-type]
                elif stat.S_ISDIR(status.st_mode):
                    yield Entry(path, **kept)  # type: ignore[arg-type]
                    if path not in _OF_THE_MACHINE:
                        work.append(f"{path}/")
                elif stat.S_ISREG(status.st_mode):
                    yield Entry(path, Path(one.path), **kept)  # type: ignore[arg-type]
    except OSError as e:
        raise InputError(f"can't read {e.filename or root}: {e.strerror or e}") from e


def copy_layer(files: Files, name: str, unpacked: str | None, file: Path, mark: str | None = None) -> Layer:
    """Copy a layer of an archive to a file of its own. A layer that isn't gzipped is gzipped.

    Args:
        files: The archive.
        name: The layer's file in the archive.
        unpacked: The digest that the unpacked layer must have; None if it isn't known.
        file: The file to write.
        mark: The layer's mark in a package (see `Layer`).

    Raises:
        InputError: The layer is damaged, unpacks to too many bytes (the limit is `LARGEST`, or for a layer with a mark
            that of packages), or has another digest.
    """
    with files.open(name) as source:
        is_packed = source.read(len(GZIP)) == GZIP
    with files.layer(name, unpacked, LARGEST if mark is None else None) as stream:
        if not is_packed:
            with _Packing(file) as packing:
                _copy(stream, packing.plain)
                return packing.done(mark)
        plain = _Hashed(_Nowhere())
        _copy(stream, plain)
    with files.open(name) as source, open(file, "wb") as target:
        packed = _Hashed(target)
        _copy(source, packed)
    return Layer(file, packed.digest, plain.digest, packed.size, plain.size, mark)


class _Nowhere:
    def write(self, data: bytes) -> None:
        pass


def _copy(source: Any, target: _Hashed) -> None:
    while data := source.read(_PART):
        target.write(data)


def names_of(layer: Layer, label: str, is_interpreter: Any = None) -> Names:
    """Return the names of a layer's members.

    Args:
        layer: The layer.
        label: Its name in messages.
        is_interpreter: Returns whether the file at a path may be a Python interpreter; None to look for none.

    Raises:
        InputError: The layer is damaged, has too many members, or a member leads out of the root.
    """
    links: dict[str, str | None] = {}
    heads: dict[str, bytes] = {}
    with damage(label, "can't be read"), open(layer.file, "rb") as file:
        plain: BinaryIO = gzip.GzipFile(fileobj=file)  # type: ignore[assignment]
        tar: Any
        with tarfile.open(fileobj=plain, mode="r|", bufsize=_PART) as tar:
            while (member := tar.next()) is not None:
                tar.members.clear()  # otherwise a million small files would fill the memory
                check_path(member.name, label)
                if member.islnk():
                    check_path(member.linkname, label)
                path = clean_name(member.name)
                links[path] = member.linkname if member.issym() or member.islnk() else None
                if member.islnk():
                    links[path] = "/" + clean_name(member.linkname)
                if len(links) > _MOST_MEMBERS:
                    raise InputError(
                        f"{label} has more than {_MOST_MEMBERS:,} files and folders, which is the limit: use an image "
                        "with fewer"
                    )
                if is_interpreter is not None and member.isreg() and is_interpreter(path):
                    heads[path] = tar.extractfile(member).read(64)
    return Names(links, heads)


def check_path(path: str, label: str) -> None:
    """Check that the path of a member doesn't lead out of the root.

    Args:
        path: The path.
        label: The layer's name in messages.

    Raises:
        InputError: A part of the path is `..`.
    """
    if ".." in path.split("/"):
        raise InputError(f"{label}: the member {path!r:.200} leads out of the root: don't use this image")
