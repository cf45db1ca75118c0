"""Makes the names of fields in Python (attributes) from their names in Kubernetes."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from typing import Final

from .model import Model
from .resource import Resource

# In a stub's class `self` would be the constructor's own argument.
_OF_MODELS: Final = frozenset({*dir(Model), "self"})
_OF_RESOURCES: Final = _OF_MODELS | {*dir(Resource), "apiVersion", "kind"}


def identifier(text: str) -> str:
    """Return `text` as a Python identifier.

    Each character that isn't allowed becomes `_`. A name that would be empty or begin with a digit gets `_` in front.
    Letters that aren't ASCII are normalized (NFKC), as Python normalizes names.
    """
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)  # as Python reads names
    if text.isidentifier():  # nearly all are
        return text
    name = "".join(character if ("a" + character).isidentifier() else "_" for character in text)
    return name if name.isidentifier() else "_" + name


def class_name(text: str) -> str:
    """Return the name of the class for a kind or a field, such as `FooBar` for `foo_bar` or `foo-bar`.

    A Python keyword gets `_` at its end. An empty text, or only underscores, gives `Field`.
    """
    if text.isidentifier() and "_" not in text and text.isascii():  # nearly all are
        name = text[0].upper() + text[1:]
    else:
        parts = identifier(text).split("_")
        name = "".join(part[:1].upper() + part[1:] for part in parts)
        name = identifier(name or "Field")  # again: joining and capitals can change the normal form
    return name + "_" if keyword.iskeyword(name) else name


def attributes(wires: Iterable[str], *, of_resource: bool) -> dict[str, str]:
    """Return a dict from the name of each field in Kubernetes to its attribute, which is the same name if possible.

    A keyword, and a name that models or resources use themselves, gets an underscore at its end. Two or more
    underscores at the beginning become one. If a changed name is already an attribute, it gets more underscores. A name
    that needn't change always stays.

    Args:
        wires: The names of an object's fields in Kubernetes.
        of_resource: Whether the object is a resource. Resources use more names themselves than other models.
    """
    own = _OF_RESOURCES if of_resource else _OF_MODELS
    wires = list(wires)
    names = {wire: _attribute(wire, own) for wire in wires}
    taken = {wire for wire, name in names.items() if wire == name}
    for wire in wires:
        if names[wire] != wire:
            while names[wire] in taken:
                names[wire] += "_" if names[wire] != "_" else "0"  # names like `__` are Python's own
            taken.add(names[wire])
    return names


def _attribute(wire: str, own: frozenset[str]) -> str:
    name = identifier(wire)
    if name.startswith("__"):  # Python changes such names inside of classes
        name = "_" + name.lstrip("_")
    return name + "_" if keyword.iskeyword(name) or name in own else name
