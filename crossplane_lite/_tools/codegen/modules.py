"""Makes the source of model modules: a table with a text for each class. Their stubs are made by
`stubs`.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping, Set
from typing import Final

from ..._core.models.types import MACHINERY, MANAGED, kin_name
from ..._core.paths.schema import quoted
from ..._core.resources.of_schema import attributes
from ...errors import InputError
from .shapes import CROSSPLANE, ClassRef, Field, Form, ObjectSchema
from .tables import fields_of

_HEADER: Final = "Made by `crossplane-lite generate`, which overwrites changes."
_SHIPPED: Final = ("crossplane_lite", "models")
# Names that can't be aliases: the parameters of `load`, which takes the aliases as keyword
# arguments, and the builtins that stubs use.
_NO_ALIASES: Final = frozenset(
    ("module", "table", "bool", "dict", "float", "int", "list", "property", "str")
)
# The shipped types that definitions write out anew in each kind: types of Crossplane, and these of
# Kubernetes.
_OF_KUBERNETES: Final = frozenset(("Condition", "LabelSelector", "LabelSelectorRequirement"))
_NAME_OF_CLASS: Final = re.compile(r"(?<=[:\[{])[A-Z]\w*")


class Class:
    """A class to generate in a module.

    Attributes:
        name: The name of the class.
        node: The object in the schema that the class is made from, with its fields, types and
            descriptions.
        api_version: The apiVersion if this is the class of a kind; else empty.
        kind: The kind if this is the class of a kind; else empty.
        scope: `Namespaced` or `Cluster` if this is the class of a kind and the definition says so;
            else empty.
        attributes: The name of each field's attribute in Python, by wire name (the field's name in
            Kubernetes).
        is_seen: Whether kinds use the class only in their status, so that it is only read from
            observed resources. It is set by `mark_seen`, and False for the class of a kind.
        ways: The fields that lead to classes with rules, by wire name. They are set by
            `mark_rules`.
        shared: The shipped class that this class is; None if it is one of its own. It is set by
            `mark_shared`.
    """

    def __init__(
        self, node: ObjectSchema, api_version: str = "", kind: str = "", scope: str = ""
    ) -> None:
        self.name = node.name
        self.node = node
        self.api_version = api_version
        self.kind = kind
        self.scope = scope
        self.is_seen = False
        self.ways: set[str] = set()
        self.shared: ClassRef | None = None
        self.attributes = attributes(
            (field.wire for field in node.fields), of_resource=bool(api_version)
        )

    @property
    def managed(self) -> str:
        """For the class of a kind of managed resources: the name of the class of its spec; else
        empty.
        """
        if not self.api_version:
            return ""
        spec = next((field.form.node for field in self.node.fields if field.wire == "spec"), None)
        return (
            spec.name
            if spec is not None and MANAGED <= {field.wire for field in spec.fields}
            else ""
        )


class Module:
    """A module of models to generate.

    Attributes:
        path: The names of the packages around the module, and the module's name.
        title: The first sentence of the module's docstring.
        classes: The module's classes by name, in the order in which they are written.
        shipped: The classes that are imported from `crossplane_lite.models` instead of generated,
            with their texts.
    """

    def __init__(self, path: tuple[str, ...], title: str, shipped: Mapping[ClassRef, str]) -> None:
        self.path = path
        self.title = title
        self.classes: dict[str, Class] = {}
        self.shipped = shipped
        self._aliases: dict[tuple[str, ...], str] = {}

    @property
    def file(self) -> str:
        """The path of the module's file in the output folder, without `.py`."""
        return "/".join(self.path)

    @property
    def head(self) -> str:
        """The beginning of the module and its stub, a docstring and comments that switch formatters
        and linters off.
        """
        return f'"""{self.title}\n\n{_HEADER}\n"""\n\n# fmt: off\n# ruff: noqa'

    def home(self, ref: ClassRef) -> tuple[str, ...]:
        """Return the name of the module that has the class `ref`, in parts, such as
        `("io", "example", "v1")`.

        The name of a generated module begins in the output folder, and the name of a shipped module
        with `crossplane_lite`.
        """
        return (*_SHIPPED, *ref.module) if ref in self.shipped else ref.module

    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Return the other modules to whose classes this module refers, by the alias under which
        they are imported.

        An alias is made of the last parts of the module's name, such as `corev1` for
        `io.k8s.api.core.v1`.
        """
        refs = {
            form.ref
            for cls in self.classes.values()
            for form in (field.form.innermost for field in cls.node.fields)
            if form.ref is not None
        }
        refs.update(cls.shared for cls in self.classes.values() if cls.shared is not None)
        homes = sorted({self.home(ref) for ref in refs} - {self.path})
        self._aliases = {}
        for home in homes:
            taken = self._aliases.values()
            length = 2
            while (alias := "".join(home[-length:])) in taken and length < len(home):
                length += 1
            while alias in taken or alias in _NO_ALIASES or keyword.iskeyword(alias):
                alias += "_"
            self._aliases[home] = alias
        return {alias: home for home, alias in self._aliases.items()}

    def reference(self, ref: ClassRef) -> str:
        """Return how this module writes the class `ref`: as `NAME`, or as `ALIAS.NAME` if another
        module has the class.

        `aliases` must have been called before.
        """
        home = self.home(ref)
        return ref.name if home == self.path else f"{self._aliases[home]}.{ref.name}"

    def relative(self, home: tuple[str, ...]) -> str:
        """Return the name with which this module imports another module, such as `..core.v1`.

        The name is absolute for a shipped module, otherwise relative.

        Args:
            home: The other module, as `home()` returns it.
        """
        if home[: len(_SHIPPED)] == _SHIPPED:
            return ".".join(home)
        package = self.path[:-1]
        common = 0
        while common < min(len(package), len(home) - 1) and package[common] == home[common]:
            common += 1
        return "." * (len(package) - common + 1) + ".".join(home[common:])


def mark_seen(modules: Mapping[tuple[str, ...], Module]) -> None:
    """Set `Class.is_seen` of all classes, by searching for the classes that kinds use outside of
    their status.

    Args:
        modules: All generated modules, by path.
    """
    classes = {
        ClassRef(path, name): cls
        for path, module in modules.items()
        for name, cls in module.classes.items()
    }
    elsewhere: set[ClassRef] = set()
    for ref, cls in classes.items():
        if not cls.api_version:
            continue
        work = [
            below
            for field in cls.node.fields
            if field.wire != "status"
            for below in _refs(ref, field.form)
        ]
        while work:
            one = work.pop()
            if one not in elsewhere:
                elsewhere.add(one)
                found = classes.get(one)
                work += (
                    [below for field in found.node.fields for below in _refs(one, field.form)]
                    if found
                    else []
                )
    for ref, cls in classes.items():
        cls.is_seen = ref not in elsewhere and not cls.api_version


def mark_rules(modules: Mapping[tuple[str, ...], Module], shipped: Set[ClassRef]) -> None:
    """Set `Class.ways` of all classes; after `mark_seen`, because classes that are only read need
    no rules.

    Args:
        modules: All generated modules, by path.
        shipped: The shipped classes with rules.
    """
    classes = {
        ClassRef(path, name): cls
        for path, module in modules.items()
        for name, cls in module.classes.items()
    }
    users: dict[ClassRef, list[tuple[ClassRef, str]]] = {}
    for ref, cls in classes.items():
        for field in () if cls.is_seen else cls.node.fields:
            for below in (
                _refs(ref, field.form) if not (cls.api_version and field.wire == "status") else ()
            ):
                users.setdefault(below, []).append((ref, field.wire))
    work = [*shipped, *(ref for ref, cls in classes.items() if _rule_words(cls))]
    while work:
        for holder, wire in users.pop(work.pop(), ()):
            classes[holder].ways.add(wire)
            work.append(holder)


def mark_shared(modules: Mapping[tuple[str, ...], Module], shipped: Mapping[ClassRef, str]) -> None:
    """Set `Class.shared` of all classes; after `mark_rules`, because the rules must be the same.

    Args:
        modules: All generated modules, by path.
        shipped: The text of each shipped class in its table.
    """
    refs = {ref.name: ref for ref in shipped}
    alike: dict[str, list[ClassRef]] = {}
    for ref, text in shipped.items():
        if ref.module == CROSSPLANE or ref.name in _OF_KUBERNETES:
            alike.setdefault(_NAME_OF_CLASS.sub("N", text), []).append(ref)
    most = max(text.count(":") for text in alike)

    def same(module: Module, cls: Class) -> ClassRef | None:
        if cls.node.parent is None or cls.node.is_open or len(cls.node.fields) > most:
            return None  # kinds and components have names of their own
        for ref in alike.get(" ".join(_fields_words(cls, lambda _form: "N")), ()):
            if _could_be(cls, ref):
                fields = fields_of(shipped[ref])
                inner = [
                    (field.form.innermost, refs.get(fields[field.wire].inner))
                    for field in cls.node.fields
                ]
                if all(
                    below
                    == (
                        form.ref
                        if form.node is None
                        else same(module, module.classes[form.node.name])
                    )
                    for form, below in inner
                ):
                    return ref
        return None

    for module in modules.values():
        for cls in module.classes.values():
            cls.shared = same(module, cls)


def _could_be(cls: Class, ref: ClassRef) -> bool:
    """Return whether a class can be the shipped class `ref`, which has the same fields and
    rules.
    """
    if ref.module == CROSSPLANE:
        name = kin_name(cls.node.hint)
        # Other objects may have the same fields, such as `name` alone.
        told = next((word for word in ("Secret", "ProviderConfig") if word in ref.name), "")
        return name.endswith(MACHINERY) and told in name and not cls.is_seen
    is_limited = any(field.form.python.startswith("Literal") for field in cls.node.fields)
    return cls.is_seen and not is_limited if ref.name == "Condition" else not cls.is_seen


def _refs(holder: ClassRef, form: Form) -> list[ClassRef]:
    inner = form.innermost
    if inner.node is not None:
        return [ClassRef(holder.module, inner.node.name)]
    return [] if inner.ref is None else [inner.ref]


def table_source(module: Module) -> str:
    """Return the source of a module of models: a call of `load` with its table (see
    `crossplane_lite.table`).
    """
    aliases = module.aliases()
    lines = [module.head, "from crossplane_lite.table import load\n"]
    lines.append("__getattr__, __dir__ = load(\n    __name__,\n    {")
    lines += [
        f"        {_quoted(cls.name)}: {_quoted(class_text(module, cls))},"
        for cls in module.classes.values()
    ]
    lines.append("    },")
    lines += [f"    {alias}={_quoted(module.relative(home))}," for alias, home in aliases.items()]
    lines.append(")\n")
    return "\n".join(lines)


def class_text(module: Module, cls: Class) -> str:
    """Return the text of the class `cls` for the table of `module` (see
    `crossplane_lite.table`).
    """

    def name_of(form: Form) -> str:
        return (
            form.node.name
            if form.node is not None
            else module.reference(form.ref)
            if form.ref
            else ""
        )

    words = _fields_words(cls, name_of)
    if cls.shared is not None:
        whole = " ".join(words)
        # Fields that have classes of other names are written out, because later runs look for their
        # names.
        reference = f"={module.reference(cls.shared)}"
        return reference if whole == module.shipped[cls.shared] else f"{reference} {whole}"
    parts = []
    if cls.api_version:
        kind = "" if cls.kind == cls.name else "=" + cls.kind
        parts.append(f"@{cls.api_version}{kind}{';' + cls.scope if cls.scope else ''}")
    if cls.node.is_open:
        parts.append("*")
    kin = kin_name(cls.node.hint)
    if cls.node.parent is not None and kin_name(cls.name) != kin:
        parts.append(f"~{kin}")
    return " ".join([*parts, *words])


def _fields_words(cls: Class, name_of: Callable[[Form], str]) -> list[str]:
    """Return the words of a class's rules and fields. `name_of` gives the names of the fields'
    classes.
    """
    fields = [_field_text(name_of, cls.attributes[field.wire], field) for field in cls.node.fields]
    return [*_rule_words(cls), *fields]


def _rule_words(cls: Class) -> list[str]:
    """Return the words that say what the API requires of instances (see
    `crossplane_lite.table`).
    """
    if cls.is_seen:  # nobody sets what is only read
        return []
    required = [cls.attributes[field.wire] for field in cls.node.fields if field.required]
    ways = [cls.attributes[field.wire] for field in cls.node.fields if field.wire in cls.ways]
    given = next(
        (field.form.node for field in cls.node.fields if field.wire == "forProvider"), None
    )
    of_given = (
        {}
        if given is None
        else attributes((field.wire for field in given.fields), of_resource=False)
    )
    parameters = [of_given[wire] for wire in cls.node.parameters if wire in of_given]
    named = (("!", required), (">", ways), ("?", parameters))
    words = [mark + ",".join(names) for mark, names in named if names]
    return words + [
        f"&{cls.attributes[field.wire]}{field.limit}" for field in cls.node.fields if field.limit
    ]


def _field_text(name_of: Callable[[Form], str], attribute: str, field: Field) -> str:
    wire = "" if attribute == field.wire else "=" + quoted(field.wire)
    return f"{attribute}{wire}:{_type_text(name_of, field.form)}"


def _type_text(name_of: Callable[[Form], str], form: Form, *, in_list: bool = False) -> str:
    if form.node is not None or form.ref is not None:
        return name_of(form)
    if form.code == "[":
        # Keys are written at the end of the type. The keys of an inner list would be taken for the
        # keys of the outer list there, so they are left out.
        keys = ",".join(quoted(key) for key in form.keys) if not in_list else ""
        return "[" + _type_text(name_of, form.item, in_list=True) + (f"#{keys}" if keys else "")
    return "{" + _type_text(name_of, form.item, in_list=in_list) if form.code == "{" else form.code


def _quoted(text: str) -> str:
    return f'"{text}"' if text.isprintable() and not {'"', "\\"} & set(text) else repr(text)


def check_paths(modules: Mapping[tuple[str, ...], Module]) -> None:
    """Check that no module has the path of a package, such as `a/b.py` beside `a/b/c.py`.

    Args:
        modules: All generated modules, by path.

    Raises:
        InputError: A module has the path of a package. The message names it, and a module in the
            package.
    """
    for path in modules:
        for length in range(1, len(path)):
            if path[:length] in modules:
                raise InputError(
                    f"can't generate both {'/'.join(path)}.py and {'/'.join(path[:length])}.py:"
                    f" {path[length - 1]} can't be a folder and a module; generate each of them"
                    " into a folder of its own"
                )
