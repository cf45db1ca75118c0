"""Makes the texts of model packages from definitions. `definitions` reads these, and `output`
writes the files.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ..._core.base.texts import near_name, some
from ..._core.resources.table import MARKS
from ...errors import InputError
from .definitions import Component, Kind
from .modules import Class, Module, check_paths, mark_rules, mark_seen, mark_shared, table_source
from .naming import Names
from .schema import Shapes, read
from .shapes import ClassRef, ObjectSchema
from .stubs import stub_source
from .tables import earlier_table, shipped

VERSIONS: Final = ("served", "storage", "all")
Progress = Callable[[str, str, int, int], object]
"""Gets the sort of step, such as `making`, the kind or module that the step is about, its number,
and their total.
"""
Recorded = Mapping[str, Mapping[str, str]]
"""The class names that earlier runs recorded (see `manifest.Names`)."""

_OF_KUBERNETES: Final = ("io", "k8s")


class Output(NamedTuple):
    """The generated models.

    Attributes:
        modules: The text of each `.py` file, by its path in the output folder.
        stubs: The text of each `.pyi` file, by its path.
        classes: How many classes the modules have, without other names of shipped classes.
        names: The class names that must be recorded in the output folder, by module: in a new
            folder, the classes would get other names (see `naming`).
        preferred: A note for each type of Kubernetes that two documents define differently. The
            note says which of the two definitions is used.
    """

    modules: dict[str, str]
    stubs: dict[str, str]
    classes: int
    names: dict[str, dict[str, str]]
    preferred: list[str]

    @property
    def files(self) -> dict[str, str]:
        """The texts of all files, by path."""
        return self.modules | self.stubs


class _Unit(NamedTuple):
    """A kind or component, and the objects in its schema, breadth first: the first is the kind or
    component itself.
    """

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
        """Whether the kind or component is from an OpenAPI document and belongs to an API of
        Kubernetes itself.
        """
        return self.source.document is not None and self.source.module[:2] == _OF_KUBERNETES

    @property
    def scope(self) -> str:
        return self.source.scope if isinstance(self.source, Kind) else ""


def select(
    kinds: Sequence[Kind],
    versions: str = "served",
    only: Sequence[str] = (),
    only_in: str = "--only",
) -> list[Kind]:
    """Return the kinds to generate; an empty list if `versions` leaves none.

    Args:
        kinds: All kinds that are defined.
        versions: Which versions of each kind to generate: `served`, `storage` or `all`. A kind in
            an OpenAPI document counts as served and stored.
        only: Patterns `GROUP/KIND`, with `*` as in file names. A kind must match at least one of
            them, except that no pattern at all chooses every kind. Upper and lower case are the
            same. The core group is `core` or empty.
        only_in: Where the patterns are written, for messages.

    Raises:
        InputError: A pattern matches no kind of these versions.
    """
    chosen = [
        kind
        for kind in kinds
        if versions == "all" or (kind.served if versions == "served" else kind.storage)
    ]
    if not only:
        return chosen
    matched: set[int] = set()
    for pattern in only:
        group, _, name = pattern.rpartition("/")
        text = f"{'' if group.lower() == 'core' else group}/{name}".lower()
        names = (f"{kind.group}/{kind.kind}".lower() for kind in chosen)
        found = {number for number, whole in enumerate(names) if fnmatch.fnmatchcase(whole, text)}
        if not found:
            known = sorted({f"{kind.group or 'core'}/{kind.kind}" for kind in chosen})
            listed = (
                f"; the kinds are {some(known, 3)}"
                if known
                else f"; --versions {versions} leaves no kind at all"
            )
            # The group alone makes whole texts alike, whatever the kinds in it are called.
            alike = [
                one for one in known if near_name(name.lower(), [one.rpartition("/")[2].lower()])
            ]
            raise InputError(
                f"{only_in} {pattern} matches no kind{near_name(pattern, alike) or listed}"
            )
        matched |= found
    return [kind for number, kind in enumerate(chosen) if number in matched]


def generate(
    kinds: Sequence[Kind],
    previous: Callable[[str], str | None] = lambda _file: None,
    recorded: Recorded | None = None,
    *,
    progress: Progress = lambda _what, _of, _done, _total: None,
) -> Output:
    """Return the model packages of kinds.

    Args:
        kinds: The kinds to generate. The components that their schemas refer to are generated, too.
        previous: Gets the path of a `.py` file in the output folder, and returns its present text;
            None if there is no such file. Classes keep the names that they have in this text.
        recorded: The class names that earlier runs recorded, by module (see `naming`). They are
            only used for modules without a present text.
        progress: Called with `resolving` before each kind is read, and with `making` before each
            module is made.

    Raises:
        InputError: A schema can't be read, two definitions contradict each other, or a module would
            have the name of a package. The message names the places.
    """
    output = Output({}, {}, 0, {}, [])
    units = _Units(output, progress).read(kinds)
    named = _named(units, previous, recorded or {}, output.names)
    mark_seen(named)
    mark_rules(named, {ref for ref, text in shipped().items() if text[:1] in MARKS})
    mark_shared(named, shipped())
    check_paths(named)
    for number, (_, module) in enumerate(sorted(named.items()), 1):
        progress("making", module.file, number, len(named))
        output.modules[f"{module.file}.py"] = table_source(module)
        output.stubs[f"{module.file}.pyi"] = stub_source(module)
        for length in range(len(module.path)):
            package = "/".join((*module.path[:length], "__init__"))
            output.modules.setdefault(f"{package}.py", "")
    classes = [cls for module in named.values() for cls in module.classes.values()]
    return output._replace(classes=sum(cls.shared is None for cls in classes))


class _Units:
    """Reads the schemas of kinds and of the components that they refer to.

    Args:
        output: The notes on definitions that differ are added to its `preferred`.
        progress: Called before each kind is read.
    """

    def __init__(self, output: Output, progress: Progress) -> None:
        self._output = output
        self._progress = progress
        self._units: dict[ClassRef, _Unit] = {}
        self._shapes: Shapes = {}

    def read(self, kinds: Sequence[Kind]) -> dict[ClassRef, _Unit]:
        found: dict[int, set[ClassRef]] = {}  # the classes that were read, by the document's id
        for number, kind in enumerate(kinds, 1):
            self._progress("resolving", f"{kind.kind} {kind.api_version}", number, len(kinds))
            work: list[Kind | Component] = [kind]
            while work:
                source = work.pop()
                document = source.document
                resolve = document.resolve if document is not None else None
                is_kind = isinstance(source, Kind)
                nodes = read(
                    *(source.where, source.schema, source.name, self._shapes, resolve),
                    is_kind=is_kind,
                    is_composite=isinstance(source, Kind) and source.is_composite,
                    path=source.path,
                )
                ref = ClassRef(source.module, source.name)
                unit = _Unit(source, nodes)
                if ref not in shipped():
                    self._add(ref, unit)
                if document is None:
                    continue
                known = found.setdefault(id(document), set())
                known.add(ref)
                for below in _references(nodes):
                    component = document.component(below) if below not in known else None
                    known.add(below)
                    # a document may lack the component of its kinds' metadata
                    if component is not None:
                        work.append(component)
        return self._units

    def _add(self, ref: ClassRef, unit: _Unit) -> None:
        """Add `unit` as the definition of the class `ref`.

        If another document has defined the class already, one of the two definitions is chosen. For
        a type of Kubernetes itself, this is the definition with more fields if the two differ.

        Raises:
            InputError: The definitions are of different kinds, or they differ and the type isn't of
                Kubernetes itself.
        """
        units = self._units
        known = units.get(ref)
        if known is None or (not known.api_version and unit.api_version):
            # this document defines the kind, and the previous one only referred to it
            units[ref] = unit
        elif known.api_version and not unit.api_version:
            pass
        elif (known.api_version, known.kind) != (unit.api_version, unit.kind):
            raise InputError(
                f"{unit.source.where}: {unit} and {known} in {known.source.where} would become the"
                " same class: generate each of them into a folder of its own"
            )
        elif known.nodes[0].shape != unit.nodes[0].shape:
            at = difference(known.nodes[0], unit.nodes[0])
            if not (known.is_of_kubernetes and unit.is_of_kubernetes):
                raise InputError(
                    f"{unit.source.where}: {unit} is also defined in {known.source.where},"
                    f" differently at {at or 'its top'}; give only one of the two"
                )
            # Versions of one API gain fields and lose none, so the later one has more.
            other, taken = sorted(
                (known, unit),
                key=lambda one: (sum(len(node.fields) for node in one.nodes), one.source.where),
            )
            units[ref] = taken
            self._output.preferred.append(
                f"{unit} is taken from {taken.source.where}, not from {other.source.where}: "
                f"they differ at {at or 'its top'}"
            )
        elif unit.source.where < known.source.where:
            # descriptions may differ: the order of the sources must not decide between them
            units[ref] = unit


def _references(nodes: Iterable[ObjectSchema]) -> Iterator[ClassRef]:
    for node in nodes:
        for field in node.fields:
            ref = field.form.innermost.ref
            if ref is not None:
                yield ref


def difference(one: ObjectSchema, other: ObjectSchema) -> str:
    """Return the path of a field in which two objects of different shapes differ.

    If the field has an object on both sides, the search goes on in these objects. Of several
    fields, the first in the alphabet counts. If only one of two objects allows fields that its
    schema doesn't list, the path of these objects is returned. The path of a kind or component
    itself is empty.
    """
    while one.is_open == other.is_open:
        forms, others = ({field.wire: field.form for field in node.fields} for node in (one, other))
        wire = min(
            wire
            for wire in forms.keys() | others.keys()
            if wire not in forms
            or wire not in others
            or forms[wire].signature() != others[wire].signature()
        )
        path = f"{one.path}.{wire}".lstrip(".")
        if wire not in forms or wire not in others:
            return path
        below, below_other = forms[wire].innermost.node, others[wire].innermost.node
        # Paths of objects show the lists and maps around them: different paths mean that these
        # differ.
        if (
            below is None
            or below_other is None
            or below.path != below_other.path
            or below.shape == below_other.shape
        ):
            return path
        one, other = below, below_other
    return one.path


def _named(
    units: dict[ClassRef, _Unit],
    previous: Callable[[str], str | None],
    recorded: Recorded,
    kept: dict[str, dict[str, str]],
) -> dict[tuple[str, ...], Module]:
    """Set the class name of every object, and return the modules of all classes by path.

    `previous` returns the present text of a `.py` file, or None. `recorded` has the class names of
    earlier runs, by module; those of this run are added to `kept`.
    """
    by_module: dict[tuple[str, ...], list[_Unit]] = {}
    for ref, unit in sorted(units.items(), key=lambda one: one[0]):
        by_module.setdefault(ref.module, []).append(unit)
    modules = {}
    for path, members in by_module.items():
        module = modules[path] = Module(path, _title(path, members), shipped())
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
