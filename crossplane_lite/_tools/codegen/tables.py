"""Reads the tables of model modules: those that were generated before, and those that
crossplane-lite ships.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import crossplane_lite.models

from ..._core.models.types import unescape
from .shapes import CROSSPLANE, META, ClassRef

_SHIPPED: Final = Path(crossplane_lite.models.__path__[0])


class Field(NamedTuple):
    """A field of a class in a table (see `crossplane_lite.table`).

    Attributes:
        attribute: The name of the field's attribute in Python.
        around: The lists and maps around the type, such as `[{` for a list of maps; empty if there
            are none.
        inner: The type in these lists and maps: letters of scalars such as `i|s`, or a class's name
            without its module.
    """

    attribute: str
    around: str
    inner: str


@functools.lru_cache(maxsize=8192)  # classes of many kinds have the same text
def fields_of(text: str) -> Mapping[str, Field]:
    """Return the fields in a class's text in a table, by their names in Kubernetes.

    Fields that can't be read are left out.
    """
    fields = {}
    for part in text.split(" "):
        names, _, type_ = part.rpartition(":")
        if names and part[0] != "@":
            attribute, _, wire = names.partition("=")
            type_ = type_.partition("#")[0]
            inner = type_.lstrip("[{")
            try:
                fields[unescape(wire) or attribute] = Field(
                    attribute, type_.removesuffix(inner), inner.rpartition(".")[2]
                )
            except ValueError:  # somebody changed the file by hand: this field is left out
                continue
    return fields


def earlier_table(source: str | None) -> dict[str, str]:
    """Return the table in the source of a generated module: the text of each class, by the class's
    name.

    The text of a class that is another name of a shipped class has the fields, also if the source
    leaves them out. Return an empty dict if `source` is None or isn't the source of a generated
    module.
    """
    if source is None or "load(" not in source:
        return {}
    try:
        tree = ast.parse(source)
        table = next(node for node in ast.walk(tree) if isinstance(node, ast.Dict))
        found = ast.literal_eval(table)
    except (SyntaxError, StopIteration, ValueError, RecursionError, MemoryError):
        return {}  # it isn't a generated module any more, so there are no names to keep
    texts = {
        name: text
        for name, text in found.items()
        if isinstance(name, str) and isinstance(text, str)
    }
    return {name: _whole(text) if text[:1] == "=" else text for name, text in texts.items()}


def _whole(text: str) -> str:
    shared, _, fields = text.partition(" ")
    name = shared.rpartition(".")[2]
    return (
        f"{shared}"
        f" {fields or next((own for ref, own in shipped().items() if ref.name == name), '')}"
    )


@functools.cache
def shipped() -> Mapping[ClassRef, str]:
    """Return the classes that crossplane-lite ships for all models, each with its text in its
    module's table.

    These classes are types of Kubernetes' API machinery, such as ObjectMeta, and types that the
    providers of Crossplane share. The OpenAPI documents of an API server define those of
    Kubernetes, too, in the version with which the server was built.
    """
    found = {}
    for home in (META, CROSSPLANE):
        source = _SHIPPED.joinpath(*home).with_suffix(".py").read_text(encoding="utf-8")
        found.update({ClassRef(home, name): text for name, text in earlier_table(source).items()})
    return found
