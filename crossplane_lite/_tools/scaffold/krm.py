"""The files of a new project for a KRM function, with a Dockerfile for its image.

The image follows the KRM functions specification: "A function container MUST be capable of running as a non-root user
`nobody`". It works with a read-only file system and without a network. All byte code is compiled when the image is
built, also that of the standard library, which the official Python images don't contain. To start faster, Python
doesn't compare the byte code with its source.
"""

from __future__ import annotations

import re

from ..._core.base.yaml_scalars import booleans_of_1_1, resolve
from ...errors import InputError
from ..packaging.installing import sdk_requirement
from .project import filled

__all__ = ["files"]

# A label of DNS, as Kubernetes wants it: the name is that of the image and of a ConfigMap. Of several dashes, dots and
# underscores package indexes make one dash, so names with anything but single dashes would have two spellings.
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST = 63


def files(name: str, sdk_from: str | None = None) -> dict[str, str]:
    """Return the files of a new project: the text of each file, by its path in the project.

    Args:
        name: The name of the function, of its image and of the ConfigMap that configures it.
        sdk_from: The crossplane-lite that the project requires: a folder, a wheel, a URL or a version. None for the
            newest version in the package index.

    Raises:
        InputError: The name has other characters than lower-case letters, digits and single dashes, or more than 63, or
            isn't a string in YAML; or `sdk_from` can't be used.
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise InputError(
            f"{name!r} can't be the name of a function and its image: use at most {_LONGEST} lower-case letters, "
            "digits and single dashes, with no dash at an end, for example set-labels"
        )
    # Some programs still read YAML 1.1.
    if name in booleans_of_1_1() or not isinstance(resolve(name), str):
        raise InputError(
            f"{name!r} can't be the name of a function and its image: unquoted in YAML it isn't a string, but a number "
            "or another value; use a name such as set-labels"
        )
    sdk = "crossplane-lite[krm]" if sdk_from is None else sdk_requirement(sdk_from, "[krm]")
    return filled("krm", name=name, sdk=sdk)
