"""Reads the files of a saved image: members of a tar file, or files of a folder.

The sizes, names, links and header lengths in an archive are never trusted, and nothing is written
to disk.
"""

from __future__ import annotations

import abc
import contextlib
import gzip
import hashlib
import json
import os
import posixpath
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

from ...errors import InputError
from .values import typed

GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"

_MB: Final = 1 << 20
LARGEST: Final = 200 * _MB
"""The most bytes of a package, unpacked, that Crossplane installs."""
LARGEST_JSON: Final = 16 * _MB
"""The most bytes of a manifest or a configuration."""
_LARGEST_ARCHIVE: Final = 4096 * _MB
_MOST_FILES: Final = 10_000

# The exceptions of Python's readers for files that are cut off, damaged or malicious.
_DAMAGE: Final = (
    *(tarfile.TarError, zlib.error, EOFError, OSError),
    *(ValueError, LookupError, ArithmeticError, RecursionError),
)


class Files(abc.ABC):
    """The files of an archive or a folder.

    Callers wrap their use of the methods in `damage`: Python's readers raise many types of
    exceptions for a damaged file, and `damage` turns these into InputError.

    Args:
        label: The archive's name in messages.
    """

    def __init__(self, label: str) -> None:
        self.label = label

    @abc.abstractmethod
    def _find(self, name: str) -> BinaryIO | None:
        """Open a file and return it; None if there is no file of that name."""

    def has(self, name: str) -> bool:
        """Return whether there is a file of that name. A link counts if it leads to a file."""
        file = self._find(name)
        if file is not None:
            file.close()
        return file is not None

    def open(self, name: str) -> BinaryIO:
        """Open a file and return it.

        Raises:
            InputError: There is no file of that name.
        """
        file = self._find(name)
        if file is None:
            raise self.error(f"{name} is missing: save the image again, with all of its files")
        return file

    def hash(self, name: str, digest: str | None = None) -> Any:
        """Return the hash object of a file's content.

        The algorithm is that of `digest`, such as `sha512:...`, or sha256. Raises InputError if
        there is no such file.
        """
        found = _new_hash(digest)
        with self.open(name) as file:
            while data := file.read(_MB):
                found.update(data)
        return found

    def check(self, name: str, digest: str | None, found: Any) -> None:
        """Compare the digest of a file's content with the digest that the archive has for the file.

        Nothing is compared if the archive has no digest. `found` is the hash object. Raises
        InputError if the digests differ.
        """
        if digest is not None and digest.rpartition(":")[2] != found.hexdigest():
            raise self.error(
                f"{name} is damaged: its digest is {found.name}:{found.hexdigest()}, not {digest};"
                " get the file again"
            )

    def json(self, name: str, digest: str | None = None) -> Any:
        """Return the value in a JSON file.

        Raises InputError if the file is missing, has more than 16 MB or another digest, or isn't
        JSON.
        """
        with self.open(name) as file:
            data = file.read(LARGEST_JSON + 1)
        if len(data) > LARGEST_JSON:
            raise self.error(
                f"{name} is larger than {LARGEST_JSON // _MB} MB, the most that crossplane-lite "
                "reads of JSON in an image"
            )
        found = _new_hash(digest)
        found.update(data)
        self.check(name, digest, found)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as e:
            raise self.error(f"{name} is not JSON: {e}; save the image again") from e

    def objects(self, where: str, value: Any) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the objects of a list, each with its place for messages, such as
        `index.json: manifests[0]`.

        Raises InputError if `value` isn't a list of objects.
        """
        places = [
            (f"{where}[{number}]", one) for number, one in enumerate(self.typed(where, value, list))
        ]
        return [(place, self.typed(place, one, dict)) for place, one in places]

    def typed(self, where: str, value: Any, kind: type[Any]) -> Any:
        """Return a value from JSON; raise InputError, which names the place `where`, if it isn't a
        `kind`.
        """
        return typed(value, kind, lambda problem: self.error(f"{where} {problem}"))

    @contextlib.contextmanager
    def layer(self, layer: str, digest: str | None, largest: int | None = None) -> Iterator[Any]:
        """Open a layer, which is a tar file and may be gzipped, as a context manager.

        The context's value is a file from which the unpacked bytes are read. With a `digest`, the
        rest of the layer is read at the end of the context, and its digest is compared. Exceptions
        of Python's readers inside of the context become InputError. `largest` is in bytes; its
        default is the limit of packages, 200 MB. Raises InputError if the layer is missing,
        damaged, too large, or compressed with zstd.
        """
        what = f"{self.label}: the layer {layer}"
        found = _new_hash(digest) if digest is not None else None
        with damage(what, "can't be read"), self.open(layer) as file:
            head = file.read(len(ZSTD))
            file.seek(0)
            if head == ZSTD:
                raise _error(
                    f"{what} is compressed with zstd, which can't be read: build the image again"
                    " with gzip"
                )
            packed: Any = gzip.GzipFile(fileobj=file) if head.startswith(GZIP) else file
            stream = _Bounded(packed, LARGEST if largest is None else largest, what, found)
            yield stream
            while digest is not None and stream.read(_MB):
                pass
        self.check(f"the content of {layer}", digest, found)

    def unpacked(self, layer: str, name: str, digest: str | None) -> bytes | None:
        """Return the content of a file in a layer; None if the layer doesn't have the file.

        The `digest` is that of the unpacked layer. Raises InputError if the layer can't be read, or
        the wanted file isn't a regular one.
        """
        with self.layer(layer, digest) as stream:
            found = member_of(stream, f"{self.label}: the layer {layer}", name)
        return None if found is None else found[1]

    def error(self, problem: str) -> InputError:
        """Return an InputError whose message is the archive's label and `problem`."""
        return _error(f"{self.label}: {problem}")


class TarFiles(Files):
    """The members of a tar file, which may be gzipped.

    `file` is seekable and at its first byte. Raises InputError if it isn't a tar file, is damaged,
    has more than 10,000 members or 4 GB unpacked, or is compressed with zstd.
    """

    def __init__(self, file: BinaryIO, label: str) -> None:
        super().__init__(label)
        head = file.read(len(ZSTD))
        file.seek(-len(head), os.SEEK_CUR)
        if head == ZSTD:
            raise _error(
                f"{label} is compressed with zstd, which can't be read: unpack it first, with"
                " zstd -d"
            )
        source: Any = file
        if head.startswith(GZIP):
            source = _Bounded(gzip.GzipFile(fileobj=file), _LARGEST_ARCHIVE, label)
        self._members: dict[str, tarfile.TarInfo] = {}
        with damage(label, "can't be read as a tar file"):
            self._tar = tarfile.open(fileobj=source, mode="r:")
            number = 0
            while (member := self._tar.next()) is not None:
                number += 1
                if number > _MOST_FILES:
                    raise _error(
                        f"{label} has more than {_MOST_FILES:,} files, the most that"
                        " crossplane-lite reads of an archive: give an archive with fewer"
                    )
                if member.size < 0:
                    raise _error(
                        f"{label} is damaged: {member.name!r} has a negative size; get the file"
                        " again"
                    )
                self._members[clean_name(member.name)] = member

    def names(self) -> list[str]:
        """Return the sorted names of all members except folders. Links and special files are
        included.
        """
        return sorted(name for name, member in self._members.items() if not member.isdir())

    def read(self, name: str) -> bytes | None:
        """Return the content of a regular file, or of the file that a link leads to; None if there
        is no such file.

        Raises:
            InputError: The file has more than 200 MB.
        """
        file = self._find(name)
        if file is None:
            return None
        with file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise self.error(
                f"{name} is larger than {LARGEST // _MB} MB, the most that crossplane-lite reads of"
                " a file"
            )
        return data

    def _find(self, name: str) -> BinaryIO | None:
        member = self._members.get(clean_name(name))
        for _ in range(10):  # docker saves a shared layer as a link; links in a circle end here
            if member is None or not (member.issym() or member.islnk()):
                break
            folder = posixpath.dirname(member.name) if member.issym() else ""
            member = self._members.get(clean_name(posixpath.join(folder, member.linkname)))
        if member is None or not member.isreg():
            return None
        file: Any = self._tar.extractfile(member)
        return file  # type: ignore[no-any-return]


class FolderFiles(Files):
    """The files of a folder, whose path is the label.

    Callers pass only constants, and names that are made from checked digests: a name with `..`
    could lead out of the folder.
    """

    def _find(self, name: str) -> BinaryIO | None:
        try:
            return open(os.path.join(self.label, name), "rb")
        except FileNotFoundError:
            return None


class _Bounded:
    """A file that raises InputError when it is read or moved beyond a limit.

    The limit, `largest`, counts from the file's first byte. The hash object `found` is right only
    if the file is read from there to its end.
    """

    def __init__(self, file: Any, largest: int, what: str, found: Any = None) -> None:
        self._file = file
        self._largest = largest
        self._what = what
        self._hash = found

    def read(self, size: int = -1) -> bytes:
        # Never more at once, because a header in the archive may claim any size.
        data: bytes = self._file.read(min(size, LARGEST) if size >= 0 else LARGEST)
        self._check(self._file.tell())
        if self._hash is not None:
            self._hash.update(data)
        return data

    def seekable(self) -> bool:
        return True

    def seek(self, place: int) -> None:
        self._check(place)
        self._file.seek(place)

    def tell(self) -> int:
        place: int = self._file.tell()
        return place

    def _check(self, place: int) -> None:
        if place > self._largest:
            raise _error(
                f"{self._what} is larger than {self._largest // _MB} MB unpacked, the most that"
                " crossplane-lite reads"
            )


def gzipped_text(file: BinaryIO, label: str) -> bytes | None:
    """Return the unpacked content of a gzipped text file.

    Return None, with the file at its first byte again, if it isn't gzipped, or if its first 512
    unpacked bytes are missing, damaged or have a null byte, as a tar file's have. Raises InputError
    if the file is damaged, or larger than 200 MB unpacked.
    """
    head = file.read(len(ZSTD))
    file.seek(-len(head), os.SEEK_CUR)
    if not head.startswith(GZIP):
        return None
    start = file.tell()
    packed: Any = _Bounded(gzip.GzipFile(fileobj=file), LARGEST, label)
    head = b"\0"
    with contextlib.suppress(*_DAMAGE):  # reading the file as an archive reports the damage
        head = packed.read(512)
    if not head or b"\0" in head:
        file.seek(start)
        return None
    with damage(label, "can't be read"):
        data: bytes = head + packed.read()
        return data


@contextlib.contextmanager
def damage(what: str, problem: str) -> Iterator[None]:
    """Turn exceptions of Python's archive readers into InputError, as a context manager. An
    InputError stays unchanged.

    Args:
        what: The beginning of the message: the name of the file.
        problem: The middle of the message, such as `can't be read`. The exception's text follows as
            the reason.
    """
    try:
        yield
    except InputError:
        raise
    except _DAMAGE as e:
        reason = " ".join(str(e).split()) or type(e).__name__
        raise _error(f"{what} {problem}: {reason:.200}") from e


def printable(text: str) -> str:
    """Return a string with `?` in place of each character that can't be printed, such as a line
    break.
    """
    return (
        text if text.isprintable() else "".join(one if one.isprintable() else "?" for one in text)
    )


def _error(text: str) -> InputError:
    return InputError(printable(text))


def _new_hash(digest: str | None) -> Any:
    """Return a new hash object with the algorithm of a digest, such as `sha512:...`. None means
    sha256.
    """
    return hashlib.new((digest or "sha256:").partition(":")[0])


def member_of(stream: Any, what: str, name: str) -> tuple[int, bytes] | None:
    """Return the permissions and the content of a file in a tar file; None if the tar file doesn't
    have it.

    Raises InputError if the wanted file isn't a regular one, or has more than 200 MB.
    """
    tar: Any
    with tarfile.open(fileobj=stream, mode="r|", bufsize=_MB) as tar:
        while (member := tar.next()) is not None:
            # tarfile remembers all members, and a million small files would fill the memory
            tar.members.clear()
            if clean_name(member.name) == name:
                if not member.isreg():
                    raise _error(
                        f"{what}: {name} must be a regular file, not a link or a folder: build the"
                        " package again"
                    )
                if member.size > LARGEST:
                    raise _error(
                        f"{what}: {name} is larger than {LARGEST // _MB} MB, the most that"
                        " Crossplane reads; give its CustomResourceDefinitions as files instead"
                    )
                return member.mode & 0o777, tar.extractfile(member).read()
    return None


def clean_name(name: str) -> str:
    """Return the name of an archive's member as a normal path without a leading slash: `a/b` for
    `/./a/b`.
    """
    return posixpath.normpath(name).lstrip("/")
