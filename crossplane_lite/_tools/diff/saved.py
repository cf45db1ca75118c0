"""Reads saved composites from a folder. Each file has one composite and its composed resources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ..manifests.objects import RESOURCE_NAME, resource_name
from ..manifests.yaml import Document
from ..render.inputs import field, files_of, is_text, read_object, read_resources

__all__ = ["Saved", "saved"]


class Saved(NamedTuple):
    """A saved composite with its composed resources.

    Attributes:
        path: The file that has them.
        composite: The composite.
        observed: The composite's composed resources as they existed when the file was saved.
    """

    path: Path
    composite: Document
    observed: list[Document]


def saved(folder: Path, composition: Path | None) -> Iterator[Saved]:
    """Yield the composite and the composed resources of each file in a folder, in the order of the files' names.

    Args:
        folder: The folder. Its files that end in .yaml, .yml and .json are read.
        composition: The file of the Composition, which names the kind of the composites. The first object of this kind
            is the file's composite; others with the annotation `crossplane.io/composition-resource-name` are composed
            resources. If `composition` is None, the composite is the object without this annotation.

    Raises:
        InputError: A file can't be read, doesn't have exactly one composite, or its composite has no name.
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
            sign = "the kind of the Composition's spec.compositeTypeRef" if wanted else f"no annotation {RESOURCE_NAME}"
            raise InputError(
                f"{path} must hold one composite and its composed resources, and it holds {len(composites)} composites "
                f"(a composite has {sign})"
            )
        if not is_text(composites[0].content["metadata"].get("name")):
            raise InputError(f"{composites[0].where} has no metadata.name, which a composite must have")
        yield Saved(path, composites[0], observed)
