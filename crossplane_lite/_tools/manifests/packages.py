"""Reads Crossplane packages in registries: from a cache on disk, or from the registry once.

The cache is `crossplane-lite/packages` below `$XDG_CACHE_HOME` (by default `~/.cache`). It has
manifests, configurations and layers by their digests, as in an OCI layout. Only what must be read
for `package.yaml` is fetched, which leaves out the layers with programs. Each file must have its
digest, be it from a registry or from the cache.

A tag may move. The project file pins it: it names a package as
`xpkg://HOST/REPOSITORY:TAG@sha256:...`. A name without the digest means the pinned one, where the
file pins it, and else what the tag stands for now.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from ..._core.base.terminal import StatusLine
from ...errors import InputError
from ..registry.client import Client, Target
from ..registry.references import SCHEME, Reference, package_of
from . import archive, project
from .archive_files import LARGEST, LARGEST_JSON, Files
from .files import cache_folder, naming, read_bytes, replace_file, replacing

_BLOBS: Final = "blobs/"
# An index may list further indexes. No tool makes them this deep.
_MOST_MANIFESTS: Final = 10
_PART: Final = 1 << 20


def read(source: str) -> list[archive.Stream]:
    """Read the `package.yaml` of a package in a registry.

    Args:
        source: The package's name; see `registry.references.is_package`.

    Raises:
        InputError: The name is wrong; the package isn't in the cache, and can't be read from its
            registry; or it is damaged, too large, or no package.
    """
    reference = package_of(source)
    digest = reference.digest or pin_of(reference, project.find(Path())) or digest_of_tag(reference)
    return archive.read_files(_Package(reference, digest, _cache()))


def pin_of(reference: Reference, found: project.Project | None) -> str:
    """Return the digest that a project file has for a package; empty if it has none.

    Args:
        reference: The package.
        found: The project file; None for none.
    """
    for one in _sources_in(found):
        name, _, digest = one.removeprefix(SCHEME).partition("@")
        if digest and name == reference.name:
            return digest
    return ""


def _sources_in(found: project.Project | None) -> Iterator[str]:
    """Yield what a project file names as sources of definitions."""
    for table, key in (("generate", "sources"), ("preview", "crds")):
        options = found.tables.get(table) if found is not None else None
        sources = options.get(key) if isinstance(options, dict) else None
        for one in sources if isinstance(sources, list) else ():
            if isinstance(one, str):
                yield one


def digest_of_tag(reference: Reference) -> str:
    """Ask the registry what a tag stands for now, and return the digest.

    Raises:
        InputError: The registry can't be reached, or refuses it.
    """
    answer = io.BytesIO()
    target = Target(answer, LARGEST_JSON)
    with StatusLine() as status:
        status.show(f"asking {reference.host} for {reference.name}")
        Client(reference).fetch("manifests", reference.tag, target)
    digest = target.hash.hexdigest()
    place = _cache() / _BLOBS / "sha256" / digest
    with naming("write", place):
        replace_file(place, answer.getvalue())
    return f"sha256:{digest}"


def _cache() -> Path:
    folder = cache_folder("packages")
    if folder is None:
        raise InputError(
            "there is no folder for packages of registries: set XDG_CACHE_HOME, or HOME"
        )
    return folder


class _Package(Files):
    """The files of a package as an OCI layout. A file is fetched when it is opened, if the cache
    doesn't have it.

    Args:
        reference: The package.
        digest: The digest of its manifest or index.
        cache: The folder of the cache.
    """

    def __init__(self, reference: Reference, digest: str, cache: Path) -> None:
        super().__init__(reference.name)
        self._reference = reference
        self._digest = digest
        self._cache = cache
        self._client: Client | None = None
        # What manifests lead to: the most bytes of each, by digest.
        self._manifests = {digest: LARGEST_JSON}
        self._blobs: dict[str, int] = {}
        self._opened: set[str] = set()

    def _find(self, name: str) -> BinaryIO | None:
        if name == "index.json":
            return io.BytesIO(json.dumps({"manifests": [{"digest": self._digest}]}).encode())
        digest = name.removeprefix(_BLOBS).replace("/", ":")
        place = self._cache / name
        if digest in self._manifests:
            self._ensure("manifests", digest, place, self._manifests[digest])
            self._learn(digest, place)
        elif digest in self._blobs:
            self._ensure("blobs", digest, place, self._blobs[digest])
        else:
            return None
        return open(place, "rb")

    def _learn(self, digest: str, place: Path) -> None:
        """Note what a manifest or an index leads to. Who reads it as an image tells what is wrong
        with it.
        """
        self._opened.add(digest)
        if len(self._opened) > _MOST_MANIFESTS:
            raise self.error(f"has more than {_MOST_MANIFESTS} manifests, one in the other")
        try:
            content = json.loads(read_bytes(place))
        except (ValueError, RecursionError):
            return
        if not isinstance(content, dict):
            return
        for one in _entries(content.get("manifests")):
            self._manifests.setdefault(one["digest"], LARGEST_JSON)
        for one in [*_entries([content.get("config")]), *_entries(content.get("layers"))]:
            size = one.get("size")
            self._blobs[one["digest"]] = (
                size if isinstance(size, int) and 0 <= size < LARGEST else LARGEST
            )

    def _ensure(self, what: str, digest: str, place: Path, largest: int) -> None:
        """Fetch a file, unless the cache has it.

        Raises:
            InputError: The registry can't be reached, refuses it, or sends something else; or the
                cache can't be written.
        """
        algorithm, _, wanted = digest.partition(":")
        if place.is_file() and _hash_of(place, algorithm) == wanted:
            return
        client = self._client = self._client or Client(self._reference)
        with naming("write", place), replacing(place) as file, StatusLine() as status:
            status.show(f"fetching {self.label}")
            target = Target(file, largest, algorithm)
            client.fetch(what, digest, target)
            if target.hash.hexdigest() != wanted:
                is_cut = what == "blobs" and target.size < largest < LARGEST
                sent = f"{target.size:,} of {largest:,} bytes" if is_cut else "something else"
                raise self.error(
                    f"{self._reference.host} sends {sent} for {digest}: try again, or ask who"
                    " runs it"
                )


def _hash_of(place: Path, algorithm: str) -> str:
    """Return the hash of a file in the cache."""
    found = hashlib.new(algorithm)
    with open(place, "rb") as file:
        while data := file.read(_PART):
            found.update(data)
    return found.hexdigest()


def _entries(entries: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the descriptors of a list that have a digest."""
    for one in entries if isinstance(entries, list) else ():
        if isinstance(one, dict) and isinstance(one.get("digest"), str):
            yield one
