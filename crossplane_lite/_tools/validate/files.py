"""Reads the objects of files, each with the lines of its fields, and the definitions among them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..._core.paths.text import show
from ...errors import InputError
from ..manifests import archive, sources
from ..manifests.files import read_all, read_bytes
from ..manifests.kind_schemas import Schemas
from ..manifests.kind_sources import of_definition
from ..manifests.lists import items_of
from ..manifests.yaml import Document, Lines, decode, number_of, parse_documents
from ..registry.references import is_package
from ..render.inputs import FieldError, check

# Matches a file of objects, be it YAML or not.
_OBJECTS: Final = re.compile(rb"""^[\s{]*["']?(?:apiVersion|kind)["']?\s*:""", re.MULTILINE)


class Object:
    """An object of a file.

    Args:
        label: The file's name in messages.
        lines: The lines of the file.
        document: The document, as it was read.
        content: The object: the document's content, or an item of the list in it.
        prefix: The path of the object in the document.

    Attributes:
        content: The object.
        lines: A line for each mistake, with file and line.
        unchecked: Why the object isn't checked; empty if it is.
    """

    def __init__(
        self,
        label: str,
        lines: Lines,
        document: Document,
        content: dict[str, Any],
        prefix: Sequence[str | int] = (),
    ) -> None:
        self.content = content
        self.lines: list[str] = []
        self.unchecked = ""
        self._label = label
        self._places = lines
        self._number, self._line = number_of(document.where)
        self._prefix = prefix

    @property
    def place(self) -> str:
        """The file, and the line where the object begins."""
        line = self._places.find(self._number, self._prefix)[0] if self._prefix else self._line
        return f"{self._label}:{line}"

    def add(self, path: Sequence[str | int], text: str) -> None:
        """Note what is wrong with the field at a path; an empty path stands for the object."""
        line = self._places.find(self._number, (*self._prefix, *path))[0]
        self.lines.append(
            f"{self._label}:{line}: {show(path)}: {text}"
            if path
            else f"{self._label}:{line}: {text}"
        )


class Read:
    """The objects and definitions of some paths.

    Attributes:
        objects: The objects.
        schemas: The schemas of kinds.
        unreadable: A line for each file that isn't YAML as Kubernetes reads it.
        passed_over: Why files and documents were passed over.
    """

    def __init__(self) -> None:
        self.objects: list[Object] = []
        self.schemas = Schemas()
        self.unreadable: list[str] = []
        self.passed_over: list[str] = []

    def add(self, argument: str) -> None:
        """Read a file, a folder, a pattern, a package in a registry, or `-` for standard input.

        Packages and other archives have definitions only.

        Raises:
            InputError: It can't be read.
            MissingExtraError: PyYAML isn't installed.
        """
        for path in sources.expanded(argument):
            if path == "-":
                self._add_text("<stdin>", read_all(sys.stdin.buffer, "<stdin>"), is_named=True)
            elif is_package(path):
                self.schemas.add_definitions(path)
            elif os.path.isdir(path):
                for file in sources.files_below(path):
                    self._add_file(file, is_named=False)
            else:
                self._add_file(path, is_named=True)

    def _add_file(self, path: str, *, is_named: bool) -> None:
        is_layout = os.path.isdir(path)  # an OCI layout
        data = b"" if is_layout else read_bytes(path)
        if is_layout or archive.is_archive(data[:512]):
            self.schemas.add_path(path, is_in_folder=not is_named)
        else:
            self._add_text(path, data, is_named=is_named)

    def _add_text(self, label: str, data: bytes, *, is_named: bool) -> None:
        try:
            text = decode(data, label)
            documents = list(parse_documents(text, label))
        except InputError as error:
            if sources.is_template(label):
                self.passed_over.append(f"{label} is a template; `helm template` fills it in")
            elif not is_named and not _OBJECTS.search(data):
                self.passed_over.append(str(error))
            else:
                self.unreadable.append(str(error))
            return
        lines = Lines(text)
        for document in documents:
            if "openapi" in document.content:
                self.schemas.add_openapi(document.content, document.where)
            elif not is_named and (reason := sources.lacks(document.content)):
                self.passed_over.append(f"{document.where}: {reason}")
            elif is_named or "apiVersion" in document.content or "kind" in document.content:
                self._add_document(label, lines, document)
            else:
                self.passed_over.append(f"{document.where} has neither apiVersion nor kind")

    def _add_document(self, label: str, lines: Lines, document: Document) -> None:
        try:
            for prefix, content in _items(document):
                self._add_object(Object(label, lines, document, content, prefix))
        except InputError as error:  # a list of something else
            self.unreadable.append(str(error))

    def _add_object(self, found: Object) -> None:
        """Keep an object, and what it defines."""
        self.objects.append(found)
        try:
            check(Document("", found.content))
            if of_definition(found.place, found.content) is not None:
                self.schemas.add_crd(found.content, found.place)
        except FieldError as error:
            found.add(error.path, error.problem.strip())
        except InputError as error:  # of a definition, which begins with the place
            found.lines.append(str(error))


def _items(document: Document) -> Iterator[tuple[Sequence[str | int], dict[str, Any]]]:
    """Yield the objects of a document, each with its path in the document."""
    for at, one in enumerate(items_of(document)):
        yield () if one is document else ("items", at), one.content
