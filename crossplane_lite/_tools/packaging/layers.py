"""Writes and reads layers of images: gzipped tar archives. The bytes of a written layer depend only
on its files.
"""

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

from ..._core.base.terminal import going_on
from ...errors import InputError
from ..manifests.archive_files import GZIP, Files, clean_name, damage

LARGEST: Final = 4 << 30
"""The most bytes that a layer may unpack to. Layers of functions are far smaller; a larger one may
be an attack.
"""

_PART: Final = 1 << 20
_MOST_MEMBERS: Final = 1_000_000


class Entry(NamedTuple):
    """A file, a folder or a symbolic link to write to a layer.

    Attributes:
        path: The path from the root of the image, without a slash in front.
        content: The bytes of a file, or the path of a file from which the bytes are copied. None
            for a folder or link.
        mode: The permissions.
        link: The target of a symbolic link; None for a file or folder.
        owner: The UID and the GID.
        time: The time of the last change, in seconds since 1970.
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
        file: The path of the file, a gzipped tar archive.
        digest: The file's digest, `sha256:...`.
        unpacked: The digest of the unpacked tar archive.
        size: The file's size in bytes.
        unpacked_size: The size of the unpacked tar archive in bytes.
        mark: The value of the layer's annotation `io.crossplane.xpkg`, which tells Crossplane what
            the layer has: `base` for a package.yaml, `upbound` for examples. None for other layers.
    """

    file: Path
    digest: str
    unpacked: str
    size: int
    unpacked_size: int
    mark: str | None = None


class Names(NamedTuple):
    """The paths in a layer, and the first bytes of the files that may be Python interpreters.

    Attributes:
        links: The paths of all files, folders and links. Each link has its target as the value; all
            others have None.
        heads: The first 64 bytes of each file that may be a Python interpreter, by path.
    """

    links: dict[str, str | None]
    heads: dict[str, bytes]


class _Hashed:
    """A writer that counts and hashes bytes, and writes them to another file."""

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
    """Writes the file of a layer. The layer's unpacked bytes must be written to `plain`, which
    gzips them to the file.

    Both the unpacked bytes and the gzipped bytes are counted and hashed.
    """

    def __init__(self, file: Path) -> None:
        self._path = file
        self._file = open(file, "wb")  # noqa: SIM115  # it is closed in `done`
        self._packed = _Hashed(self._file)
        # gzip's header gets no name and no time, because the bytes would depend on them. Level 9
        # takes three times as long as level 6, and saves half a percent.
        sink: Any = self._packed
        self._packer = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=sink, mtime=0)
        self.plain = _Hashed(self._packer)

    def __enter__(self) -> _Packing:
        return self

    def __exit__(self, *_: object) -> None:
        self._packer.close()
        self._file.close()

    def done(self, mark: str | None) -> Layer:
        """Close the file, and return its `Layer` with the mark `mark`."""
        self.__exit__()
        packed, plain = self._packed, self.plain
        return Layer(self._path, packed.digest, plain.digest, packed.size, plain.size, mark)


def write_layer(entries: Iterable[Entry], file: Path, mark: str | None = None) -> Layer:
    """Write a layer to a file.

    Args:
        entries: The entries, in any order. The folders around each entry are added if they are
            missing. If several entries have the same path, the last one counts.
        file: The file to write.
        mark: The layer's mark in a package (see `Layer`).

    Raises:
        InputError: A file can't be read or becomes shorter meanwhile, or the layer can't be
            written.
    """
    try:
        with _Packing(file) as packing:
            write_tar(packing.plain, entries)
            return packing.done(mark)
    except OSError as e:
        place = f" ({e.filename})" if e.filename else ""
        raise InputError(f"can't make a layer of the image: {e.strerror or e}{place}") from e


def write_tar(target: Any, entries: Iterable[Entry]) -> None:
    """Write a tar archive to an open file. The entries and the folders around them are in the order
    of their paths.

    Raises:
        OSError: A file can't be read or becomes shorter meanwhile, or the archive can't be written.
    """
    with tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for entry in _whole(entries):
            _add(tar, entry)
            going_on(_megabytes(target.size) if isinstance(target, _Hashed) else "")


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
    """Yield the files, folders and symbolic links in a root folder, with their permissions, owners
    and times.

    Links are not followed. Devices, pipes and sockets are left out, and so are all files in `dev`,
    `proc` and `sys`.

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
                owner, time = (status.st_uid, status.st_gid), int(status.st_mtime)
                entry = Entry(path, mode=stat.S_IMODE(status.st_mode), owner=owner, time=time)
                if stat.S_ISLNK(status.st_mode):
                    yield entry._replace(link=os.readlink(one.path), mode=0o777)
                elif stat.S_ISDIR(status.st_mode):
                    yield entry
                    if path not in _OF_THE_MACHINE:
                        work.append(f"{path}/")
                elif stat.S_ISREG(status.st_mode):
                    yield entry._replace(content=Path(one.path))
    except OSError as e:
        raise InputError(f"can't read {e.filename or root}: {e.strerror or e}") from e


def copy_layer(
    files: Files, name: str, unpacked: str | None, file: Path, mark: str | None = None
) -> Layer:
    """Copy a layer of an archive to a file of its own. A layer that isn't gzipped is gzipped.

    Args:
        files: The archive.
        name: The layer's file in the archive.
        unpacked: The digest that the unpacked layer must have; None if it isn't known.
        file: The file to write.
        mark: The layer's mark in a package (see `Layer`).

    Raises:
        InputError: The layer is missing, damaged or compressed with zstd, has another digest, or
            unpacks to too many bytes. The limit is `LARGEST`, or for a layer with a mark 200 MB,
            the limit for packages.
    """
    with files.open(name) as source:
        is_packed = source.read(len(GZIP)) == GZIP
    with files.layer(name, unpacked, LARGEST if mark is None else None) as stream:
        if not is_packed:
            with _Packing(file) as packing:
                _copy(stream, packing.plain)
                return packing.done(mark)
        with open(os.devnull, "wb") as nowhere:
            plain = _Hashed(nowhere)
            _copy(stream, plain)
    with files.open(name) as source, open(file, "wb") as target:
        packed = _Hashed(target)
        _copy(source, packed)
    return Layer(file, packed.digest, plain.digest, packed.size, plain.size, mark)


def _copy(source: Any, target: _Hashed) -> None:
    while data := source.read(_PART):
        target.write(data)
        going_on(_megabytes(target.size))


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def names_of(layer: Layer, label: str, is_interpreter: Any = None) -> Names:
    """Return the paths in a layer, and the first bytes of its Python interpreters.

    Args:
        layer: The layer.
        label: The layer's name in messages.
        is_interpreter: Gets a file's path, and returns whether the file may be a Python
            interpreter. None to return no interpreters.

    Raises:
        InputError: The layer is damaged, has more than 1,000,000 files and folders, or has a path
            or hard link with `..` in it.
    """
    links: dict[str, str | None] = {}
    heads: dict[str, bytes] = {}
    with damage(label, "can't be read"), open(layer.file, "rb") as file:
        plain: BinaryIO = gzip.GzipFile(fileobj=file)  # type: ignore[assignment]
        tar: Any
        with tarfile.open(fileobj=plain, mode="r|", bufsize=_PART) as tar:
            while (member := tar.next()) is not None:
                going_on()
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
                        f"{label} has more than {_MOST_MEMBERS:,} files and folders, which is the"
                        " limit: use an image with fewer"
                    )
                if is_interpreter is not None and member.isreg() and is_interpreter(path):
                    heads[path] = tar.extractfile(member).read(64)
    return Names(links, heads)


def check_path(path: str, label: str) -> None:
    """Check that a path in a layer doesn't lead out of the image's root folder.

    Args:
        path: The path.
        label: The layer's name in messages.

    Raises:
        InputError: A part of the path is `..`.
    """
    if ".." in path.split("/"):
        raise InputError(
            f"{label}: the path {path!r:.200} leads out of the image's root folder: don't use this"
            " image"
        )
