"""From definitions to the files of model packages. Nothing is read or written here but what is given and returned."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import crossplane_lite.models

from ..errors import InputError
from .definitions import Component, Kind
from .modules import Class, Module, check_paths, class_text, mark_seen, table_source
from .naming import Names, earlier_table
from .schema import META, ClassRef, ObjectSchema, Shapes, read
from .stubs import stub_source

__all__ = ["VERSIONS", "Output", "difference", "generate", "select"]

VERSIONS: Final = ("served", "storage", "all")

_SHIPPED: Final = Path(crossplane_lite.models.__path__[0])
_OBJECT_META: Final = ClassRef(META, "ObjectMeta")


class Output(NamedTuple):
    """What is generated.

    Attributes:
        modules: The text of each `.py` file, by its path in the output folder.
        stubs: The text of each `.pyi` file.
        classes: How many classes the modules have.
    """

    modules: dict[str, str]
    stubs: dict[str, str]
    classes: int


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
    def scope(self) -> str:
        return self.source.scope if isinstance(self.source, Kind) else ""


def select(kinds: Sequence[Kind], versions: str = "served", only: Sequence[str] = ()) -> list[Kind]:
    """Choose among kinds.

    Args:
        kinds: All that are defined.
        versions: `served`, `storage` or `all`; of OpenAPI documents all that they define is served.
        only: Patterns `GROUP/KIND`, with `*` as in file names; the core group is `core` or nothing. Empty for all.

    Raises:
        InputError: A pattern chooses nothing.
    """
    chosen = [kind for kind in kinds if versions == "all" or (kind.served if versions == "served" else kind.storage)]
    if not only:
        return chosen
    matched: set[int] = set()
    for pattern in only:
        group, _, name = pattern.rpartition("/")
        text = f"{'' if group == 'core' else group}/{name}"
        found = {number for number, kind in enumerate(chosen) if fnmatch.fnmatchcase(f"{kind.group}/{kind.kind}", text)}
        if not found:
            known = sorted({f"{kind.group or 'core'}/{kind.kind}" for kind in chosen})
            near = difflib.get_close_matches(pattern, known, n=1) or known[:3]
            raise InputError(f"--only {pattern} chooses nothing; there is {', '.join(near) or 'no kind at all'}")
        matched |= found
    return [kind for number, kind in enumerate(chosen) if number in matched]


def generate(
    kinds: Iterable[Kind],
    previous: Callable[[str], str | None] = lambda _file: None,
    *,
    descriptions: bool = True,
    progress: Callable[[Kind], None] = lambda _kind: None,
) -> Output:
    """Make the model packages of kinds.

    Args:
        kinds: What to generate; what they refer to comes along.
        previous: Gives the text that a `.py` file has now, so that classes keep their names, or None.
        descriptions: False to leave descriptions out of the stubs.
        progress: Called with each kind before it is read.

    Raises:
        InputError: A schema can't be read, or two definitions contradict each other; the message names the places.
    """
    units = _read_all(kinds, progress)
    named = _named(units, previous)
    mark_seen(named)
    shipped = _shipped_classes(named)
    modules = {}
    for path, module in sorted(named.items()):
        module.shipped = shipped
        module.classes = {name: cls for name, cls in module.classes.items() if ClassRef(path, name) not in shipped}
        if module.classes:
            modules[path] = module
    check_paths(modules)
    output = Output({}, {}, sum(len(module.classes) for module in modules.values()))
    for module in modules.values():
        output.modules[f"{module.file}.py"] = table_source(module)
        output.stubs[f"{module.file}.pyi"] = stub_source(module, descriptions=descriptions)
        for length in range(len(module.path)):
            package = "/".join((*module.path[:length], "__init__"))
            output.modules.setdefault(f"{package}.py", "")
            output.stubs.setdefault(f"{package}.pyi", "")
    return output


def _read_all(kinds: Iterable[Kind], progress: Callable[[Kind], None]) -> dict[ClassRef, _Unit]:
    """Read kinds and all that they refer to."""
    units: dict[ClassRef, _Unit] = {}
    shapes: Shapes = {}
    found: dict[int, set[ClassRef]] = {}  # what has been read of each document
    for kind in kinds:
        progress(kind)
        work: list[Kind | Component] = [kind]
        while work:
            source = work.pop()
            document = source.document
            resolve = document.resolve if document is not None else None
            is_kind = isinstance(source, Kind)
            nodes = read(source.where, source.schema, source.name, shapes, resolve, is_kind=is_kind, path=source.path)
            ref = ClassRef(source.module, source.name)
            _add(units, ref, _Unit(source, nodes))
            if document is None:
                continue
            known = found.setdefault(id(document), set())
            known.add(ref)
            for below in _references(nodes):
                component = document.component(below) if below not in known else None
                known.add(below)
                if component is not None:  # a document needn't have the metadata of its kinds
                    work.append(component)
    return units


def _references(nodes: Iterable[ObjectSchema]) -> Iterator[ClassRef]:
    for node in nodes:
        for field in node.fields:
            ref = field.form.innermost.ref
            if ref is not None:
                yield ref


def _add(units: dict[ClassRef, _Unit], ref: ClassRef, unit: _Unit) -> None:
    """Add a unit; the same definition may be in several documents."""
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
        raise InputError(
            f"{unit.source.where}: {unit} is also defined in {known.source.where}, differently at "
            f"{difference(known.nodes[0], unit.nodes[0]) or 'its top'}; give only one of the two"
        )
    elif unit.source.where < known.source.where:
        units[ref] = unit  # descriptions may differ, and must not depend on which came first


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


def _named(units: dict[ClassRef, _Unit], previous: Callable[[str], str | None]) -> dict[tuple[str, ...], Module]:
    """Give every object its class name."""
    by_module: dict[tuple[str, ...], list[_Unit]] = {}
    for ref, unit in sorted(units.items(), key=lambda one: one[0]):
        by_module.setdefault(ref.module, []).append(unit)
    modules = {}
    for path, members in by_module.items():
        module = modules[path] = Module(path, _title(path, members), frozenset())
        names = Names([unit.nodes[0].hint for unit in members], earlier_table(previous(f"{module.file}.py")))
        for unit, nodes in zip(members, names.give([unit.nodes for unit in members]), strict=True):
            for node in nodes:
                is_kind = node is unit.nodes[0]
                of_kind = (unit.api_version, unit.kind, unit.scope) if is_kind else ()
                module.classes[node.name] = Class(node, *of_kind)
    return modules


def _title(path: tuple[str, ...], units: list[_Unit]) -> str:
    if len(units) == 1 and units[0].kind:
        return f"Kind {units[0].kind} of {units[0].api_version}."
    return f"Models of {'.'.join(path)}."


def _shipped_classes(modules: dict[tuple[str, ...], Module]) -> frozenset[ClassRef]:
    """Return the classes that the package ships as they are here, so that all models share one."""
    shipped = {_OBJECT_META}  # of kinds from CustomResourceDefinitions, which don't define it
    for path, module in modules.items():
        file = _SHIPPED.joinpath(*path).with_suffix(".py")
        if not file.is_file():
            continue
        table = earlier_table(file.read_text(encoding="utf-8"))
        module.aliases()
        same = {name for name, cls in module.classes.items() if table.get(name) == class_text(module, cls)}
        work = True
        while work:  # a class that refers to one that differs is another one too
            differing = {
                name for name in same for ref in _references([module.classes[name].node]) if ref.name not in same
            }
            same -= differing
            work = bool(differing)
        shipped -= {ClassRef(path, name) for name in module.classes}
        shipped |= {ClassRef(path, name) for name in same}
    return frozenset(shipped)
