"""Reads composites that were saved, one file each: the composite, and the resources that it is composed of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .._manifests.objects import resource_name
from .._manifests.yaml import Document
from ..errors import InputError
from ..render.inputs import field, files_of, is_text, read_object, read_resources

__all__ = ["Saved", "saved"]


class Saved(NamedTuple):
    """One saved composite with its composed resources, read from one file.

    Attributes:
        path: The file that they were read from.
        composite: The composite as it was saved.
        observed: The composite's observed composed resources.
    """

    path: Path
    composite: Document
    observed: list[Document]


def saved(folder: Path, composition: Path | None) -> Iterator[Saved]:
    """Yield the content of each file in a folder, in the order of the files' names.

    Args:
        folder: The folder; its files that end in .yaml, .yml and .json are read.
        composition: The file of the Composition, which names the kind of the composites. If it is None, the composite
            of a file is the object without the annotation of composed resources.

    Raises:
        InputError: A file can't be read, or doesn't hold exactly one composite, which must have a name.
    """
    wanted = None
    if composition is not None:
        document = read_object(composition, "Composition")
        wanted = tuple(field(document, str, "spec", "compositeTypeRef", key) for key in ("apiVersion", "kind"))
    for path in files_of(folder):
        composites: list[Document] = []
        observed: list[Document] = []
        for one in read_resources([path]):
            kind = one.content["apiVersion"], one.content["kind"]
            is_composite = not resource_name(one.content) if wanted is None else kind == wanted
            # A composite may compose others of its kind.
            (composites if is_composite and not (composites and resource_name(one.content)) else observed).append(one)
        if len(composites) != 1:
            raise InputError(
                f"{path} must hold one composite, and its composed resources (it holds {len(composites)} composites)"
            )
        if not is_text(composites[0].content["metadata"].get("name")):
            raise InputError(f"{composites[0].where} has no metadata.name, which a composite must have")
        yield Saved(path, composites[0], observed)
