"""The names of images and packages in registries."""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

from ...errors import InputError

SCHEME: Final = "xpkg://"
"""What may stand before the name of a package, so that it can't be taken for a path."""

_REFERENCE: Final = re.compile(
    r"(?P<host>(?:localhost|\[[0-9a-f:]+\]|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|[A-Za-z0-9-]+(?=:))(?::\d+)?)/"
    r"(?P<repository>[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)


class Reference(NamedTuple):
    """The name of an image in a registry: `host/repository:tag`, with a digest behind it, or in
    place of the tag.

    Attributes:
        host: The registry, with its port.
        repository: The path of the image in the registry.
        tag: The tag; empty for none.
        digest: The digest, `sha256:...`; empty for none.
    """

    host: str
    repository: str
    tag: str
    digest: str = ""

    @property
    def name(self) -> str:
        """The name without the digest."""
        return f"{self.host}/{self.repository}{self.tag and ':'}{self.tag}"


def reference_of(text: str) -> Reference:
    """Return the parts of the name that something gets in a registry.

    Raises:
        InputError: The text isn't `HOST/REPOSITORY:TAG`.
    """
    found = _parsed(text)
    if found is None or not found.tag or found.digest:
        raise InputError(
            f"{text!r} isn't the name of a package in a registry: give HOST/REPOSITORY:TAG, such as"
            " registry.example.com/team/function-network:v0.1.0"
        )
    return found


def is_package(source: str) -> bool:
    """Return whether a source of definitions is a package in a registry, and not a path.

    It is one if it begins with `xpkg://`, or if it has a registry, and a tag or a digest, and no
    such file exists.
    """
    if source.startswith(SCHEME):
        return True
    found = _parsed(source)
    return found is not None and bool(found.tag or found.digest) and not os.path.lexists(source)


def package_of(source: str) -> Reference:
    """Return the parts of a source that `is_package`.

    Raises:
        InputError: It has no registry, or neither a tag nor a digest.
    """
    found = _parsed(source.removeprefix(SCHEME))
    if found is None or not (found.tag or found.digest):
        raise InputError(
            f"{source!r} isn't the name of a package in a registry: give"
            f" {SCHEME}HOST/REPOSITORY:TAG, such as"
            f" {SCHEME}xpkg.crossplane.io/crossplane-contrib/provider-nop:v0.4.0"
        )
    return found


def _parsed(text: str) -> Reference | None:
    """Return the parts of a name in a registry; None if it isn't one."""
    match = _REFERENCE.fullmatch(text)
    return (
        None if match is None else Reference(*(match[part] or "" for part in match.re.groupindex))
    )
