"""From definitions to the files of model packages. Nothing is read or written here but what is given and returned."""

from __future__ import annotations

import difflib
import fnmatch
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import crossplane_lite.models

from ..errors import InputError
from .definitions import Component, Kind
from .modules import Class, Module, check_paths, mark_seen, table_source
from .naming import Names, earlier_table, fields_of
from .schema import META, ClassRef, ObjectSchema, Shapes, read
from .stubs import stub_source

__all__ = ["VERSIONS", "Output", "Progress", "Recorded", "difference", "generate", "select"]

VERSIONS: Final = ("served", "storage", "all")
Progress = Callable[[str, str, int, int], object]
"""Told what is being done, to what, and that it is the how manyth of how many."""
Recorded = Mapping[str, Mapping[str, str]]
"""Names that history decided: by the path of a module without its suffix, the class at a place (see `naming`)."""

_SHIPPED: Final = Path(crossplane_lite.models.__path__[0])
_OF_KUBERNETES: Final = ("io", "k8s")


class Output(NamedTuple):
    """What is generated.

    Attributes:
        modules: The text of each `.py` file, by its path in the output folder.
        stubs: The text of each `.pyi` file.
        classes: How many classes the modules have.
        names: Names that history decided.
        machinery: What documents have otherwise than the types that the SDK ships, one line each.
        preferred: Where documents of several versions of Kubernetes differ, which one counts, one line each.
    """

    modules: dict[str, str]
    stubs: dict[str, str]
    classes: int
    names: dict[str, dict[str, str]]
    machinery: list[str]
    preferred: list[str]


class _Unit(NamedTuple):
    """A kind or a component that has been read."""

    source: Kind | Component
    nodes: list[ObjectSchema]

    def __str__(self) -> str:
        whole = ".".join((*self.source.module, self.source.name))
        return f"{self.kind} of {self.api_version}" if self.kind else whole

    @property
    def api_version(self) -> str:
        return self.source.api_version if isinstance(self.source, Kind) else ""

    @property
    def kind(self) -> str:
        return self.source.kind if isinstance(self.source, Kind) else ""

    @property
    def is_of_kubernetes(self) -> bool:
        """Whether it is of an API of Kubernetes itself, from a document of an API server."""
        return self.source.document is not None and self.source.module[:2] == _OF_KUBERNETES

    @property
    def scope(self) -> str:
        return self.source.scope if isinstance(self.source, Kind) else ""


def select(kinds: Sequence[Kind], versions: str = "served", only: Sequence[str] = ()) -> list[Kind]:
    """Choose among kinds.

    Args:
        kinds: All that are defined.
        versions: `served`, `storage` or `all`; of OpenAPI documents all that they define is served.
        only: Patterns `GROUP/KIND`, with `*` as in file names and in any case; the core group is `core` or nothing.
            Empty for all.

    Raises:
        InputError: A pattern chooses nothing.
    """
    chosen = [kind for kind in kinds if versions == "all" or (kind.served if versions == "served" else kind.storage)]
    if not only:
        return chosen
    matched: set[int] = set()
    for pattern in only:
        group, _, name = pattern.rpartition("/")
        text = f"{'' if group.lower() == 'core' else group}/{name}".lower()
        names = (f"{kind.group}/{kind.kind}".lower() for kind in chosen)
        found = {number for number, whole in enumerate(names) if fnmatch.fnmatchcase(whole, text)}
        if not found:
            known = {
                f"{kind.group or 'core'}/{kind.kind}".lower(): f"{kind.group or 'core'}/{kind.kind}" for kind in chosen
            }
            close = difflib.get_close_matches(pattern.lower(), known, n=1)
            near = [known[one] for one in close] or sorted(known.values())[:3]
            raise InputError(f"--only {pattern} chooses nothing; there is {', '.join(near) or 'no kind at all'}")
        matched |= found
    return [kind for number, kind in enumerate(chosen) if number in matched]


def generate(
    kinds: Sequence[Kind],
    previous: Callable[[str], str | None] = lambda _file: None,
    recorded: Recorded | None = None,
    *,
    descriptions: bool = True,
    progress: Progress = lambda _what, _of, _done, _total: None,
) -> Output:
    """Make the model packages of kinds.

    Args:
        kinds: What to generate; what they refer to comes along.
        previous: Gives the text that a `.py` file has now, so that classes keep their names, or None.
        recorded: Names that history decided, which count for files that are not there.
        descriptions: False to leave descriptions out of the stubs.
        progress: Called with `resolving` before each kind is read, and with `making` before each module is made.

    Raises:
        InputError: A schema can't be read, or two definitions contradict each other; the message names the places.
    """
    output = Output({}, {}, 0, {}, [], [])
    units = _Units(output, progress).read(kinds)
    named = _named(units, previous, recorded or {}, output.names)
    mark_seen(named)
    check_paths(named)
    for number, (_, module) in enumerate(sorted(named.items()), 1):
        progress("making", module.file, number, len(named))
        output.modules[f"{module.file}.py"] = table_source(module)
        output.stubs[f"{module.file}.pyi"] = stub_source(module, descriptions=descriptions)
        for length in range(len(module.path)):
            package = "/".join((*module.path[:length], "__init__"))
            output.modules.setdefault(f"{package}.py", "")
            output.stubs.setdefault(f"{package}.pyi", "")
    return output._replace(classes=sum(len(module.classes) for module in named.values()))


class _Units:
    """Kinds and all that they refer to, read.

    Args:
        output: Gets the notes on definitions that differ.
        progress: Called before each kind is read.
    """

    def __init__(self, output: Output, progress: Progress) -> None:
        self._output = output
        self._progress = progress
        self._units: dict[ClassRef, _Unit] = {}
        self._shapes: Shapes = {}

    def read(self, kinds: Sequence[Kind]) -> dict[ClassRef, _Unit]:
        found: dict[int, set[ClassRef]] = {}  # what has been read of each document
        for number, kind in enumerate(kinds, 1):
            self._progress("resolving", f"{kind.kind} {kind.api_version}", number, len(kinds))
            work: list[Kind | Component] = [kind]
            while work:
                source = work.pop()
                document = source.document
                resolve = document.resolve if document is not None else None
                is_kind = isinstance(source, Kind)
                nodes = read(
                    source.where, source.schema, source.name, self._shapes, resolve, is_kind=is_kind, path=source.path
                )
                ref = ClassRef(source.module, source.name)
                unit = _Unit(source, nodes)
                if ref in _shipped():
                    self._compare(ref, unit)
                else:
                    self._add(ref, unit)
                if document is None:
                    continue
                known = found.setdefault(id(document), set())
                known.add(ref)
                for below in _references(nodes):
                    component = document.component(below) if below not in known else None
                    known.add(below)
                    if component is not None:  # a document needn't have the metadata of its kinds
                        work.append(component)
        return self._units

    def _compare(self, ref: ClassRef, unit: _Unit) -> None:
        """Note what a document has otherwise than a class that is shipped."""
        own = {wire: (field.around, field.inner) for wire, field in fields_of(_shipped()[ref]).items()}
        theirs = {field.wire: field.form.in_table() for field in unit.nodes[0].fields}
        differing = [
            f"{sign}{wire}"
            for sign, wires in (
                ("+", theirs.keys() - own.keys()),
                ("-", own.keys() - theirs.keys()),
                ("~", {wire for wire in own.keys() & theirs.keys() if own[wire] != theirs[wire]}),
            )
            for wire in sorted(wires)
        ]
        if differing:
            self._output.machinery.append(
                f"{unit.source.where}: {unit} differs from the SDK's, which is used ({' '.join(differing)})"
            )

    def _add(self, ref: ClassRef, unit: _Unit) -> None:
        """Add a unit; the same definition may be in several documents."""
        units = self._units
        known = units.get(ref)
        if known is None or (not known.api_version and unit.api_version):
            units[ref] = unit  # the kind itself, where an earlier document only referred to it
        elif known.api_version and not unit.api_version:
            pass
        elif (known.api_version, known.kind) != (unit.api_version, unit.kind):
            raise InputError(
                f"{unit.source.where}: {unit} and {known} in {known.source.where} would be one class; "
                "generate them into folders of their own"
            )
        elif known.nodes[0].shape != unit.nodes[0].shape:
            at = difference(known.nodes[0], unit.nodes[0])
            if not (known.is_of_kubernetes and unit.is_of_kubernetes):
                raise InputError(
                    f"{unit.source.where}: {unit} is also defined in {known.source.where}, differently at "
                    f"{at or 'its top'}; give only one of the two"
                )
            # Versions of one API gain fields and lose none, so the later one has more.
            other, taken = sorted(
                (known, unit), key=lambda one: (sum(len(node.fields) for node in one.nodes), one.source.where)
            )
            units[ref] = taken
            self._output.preferred.append(
                f"{unit} is taken from {taken.source.where}, not from {other.source.where}: "
                f"they differ at {at or 'its top'}"
            )
        elif unit.source.where < known.source.where:
            units[ref] = unit  # descriptions may differ, and must not depend on which came first


def _references(nodes: Iterable[ObjectSchema]) -> Iterator[ClassRef]:
    for node in nodes:
        for field in node.fields:
            ref = field.form.innermost.ref
            if ref is not None:
                yield ref


def difference(one: ObjectSchema, other: ObjectSchema) -> str:
    """Return the path of the first field in which two objects of different shapes differ, as deep as it can be told.

    The path is that of the object itself, which is nothing for a whole one, where only one takes any other field.
    """
    while one.is_open == other.is_open:
        forms, others = ({field.wire: field.form for field in node.fields} for node in (one, other))
        wire = min(
            wire
            for wire in forms.keys() | others.keys()
            if wire not in forms or wire not in others or forms[wire].signature() != others[wire].signature()
        )
        path = f"{one.path}.{wire}".lstrip(".")
        if wire not in forms or wire not in others:
            return path
        below, below_other = forms[wire].innermost.node, others[wire].innermost.node
        # The path of an object has the lists and maps around it.
        if below is None or below_other is None or below.path != below_other.path or below.shape == below_other.shape:
            return path
        one, other = below, below_other
    return one.path


def _named(
    units: dict[ClassRef, _Unit],
    previous: Callable[[str], str | None],
    recorded: Recorded,
    kept: dict[str, dict[str, str]],
) -> dict[tuple[str, ...], Module]:
    """Give every object its class name.

    Args:
        units: Kinds and components.
        previous: Gives the text of a file as it is now.
        recorded: Names that history decided before.
        kept: Gets those that it decides now.
    """
    by_module: dict[tuple[str, ...], list[_Unit]] = {}
    for ref, unit in sorted(units.items(), key=lambda one: one[0]):
        by_module.setdefault(ref.module, []).append(unit)
    modules = {}
    for path, members in by_module.items():
        module = modules[path] = Module(path, _title(path, members), _shipped().keys())
        names = Names(
            [unit.nodes[0].hint for unit in members],
            earlier_table(previous(f"{module.file}.py")),
            recorded.get(module.file),
        )
        for unit, nodes in zip(members, names.give([unit.nodes for unit in members]), strict=True):
            for node in nodes:
                is_kind = node is unit.nodes[0]
                of_kind = (unit.api_version, unit.kind, unit.scope) if is_kind else ()
                module.classes[node.name] = Class(node, *of_kind)
        if names.recorded:
            kept[module.file] = names.recorded
    return modules


def _title(path: tuple[str, ...], units: list[_Unit]) -> str:
    if len(units) == 1 and units[0].kind:
        return f"Kind {units[0].kind} of {units[0].api_version}."
    return f"Models of {'.'.join(path)}."


@functools.cache
def _shipped() -> Mapping[ClassRef, str]:
    """Return the classes that the package ships, with their texts in the tables; all models share these.

    They are types of the API machinery, which every API server has in its documents as it was when it was built.
    """
    file = _SHIPPED.joinpath(*META).with_suffix(".py")
    return {ClassRef(META, name): text for name, text in earlier_table(file.read_text(encoding="utf-8")).items()}
