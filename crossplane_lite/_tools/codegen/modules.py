"""Makes the source of model modules: a table with a text for each class. Their stubs are made by `stubs`."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Set
from typing import Final

from ..._core.models.types import kin_name
from ..._core.paths.schema import quoted
from ...errors import InputError
from .names import attributes
from .shapes import ClassRef, Field, Form, ObjectSchema

__all__ = ["Class", "Module", "check_paths", "class_text", "mark_rules", "mark_seen", "table_source"]

_HEADER: Final = "Made by `crossplane-lite generate`, which overwrites changes."
_SHIPPED: Final = ("crossplane_lite", "models")
# Names that can't be aliases: the parameters of `load`, which takes the aliases as keyword arguments, and the builtins
# that stubs use.
_NO_ALIASES: Final = frozenset(("module", "table", "bool", "dict", "float", "int", "list", "str"))


class Class:
    """A class to generate in a module.

    Attributes:
        name: The name of the class.
        node: The object in the schema that the class is made from, with its fields, types and descriptions.
        api_version: The apiVersion if this is the class of a kind; else empty.
        kind: The kind if this is the class of a kind; else empty.
        scope: `Namespaced` or `Cluster` if this is the class of a kind and the definition says so; else empty.
        attributes: The name of each field's attribute in Python, by wire name (the field's name in Kubernetes).
        is_seen: Whether kinds use the class only in their status, so that it is only read from observed resources. It
            is set by `mark_seen`, and False for the class of a kind.
        ways: The fields that lead to classes with rules, by wire name. They are set by `mark_rules`.
    """

    def __init__(self, node: ObjectSchema, api_version: str = "", kind: str = "", scope: str = "") -> None:
        self.name = node.name
        self.node = node
        self.api_version = api_version
        self.kind = kind
        self.scope = scope
        self.is_seen = False
        self.ways: set[str] = set()
        self.attributes = attributes((field.wire for field in node.fields), of_resource=bool(api_version))


class Module:
    """A module of models to generate.

    Attributes:
        path: The names of the packages around the module, and the module's name.
        title: The first sentence of the module's docstring.
        classes: The module's classes by name, in the order in which they are written.
        shipped: The classes that are imported from `crossplane_lite.models` instead of generated.
    """

    def __init__(self, path: tuple[str, ...], title: str, shipped: Set[ClassRef]) -> None:
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
        """The beginning of the module and its stub, a docstring and comments that switch formatters and linters off."""
        return f'"""{self.title}\n\n{_HEADER}\n"""\n\n# fmt: off\n# ruff: noqa'

    def home(self, ref: ClassRef) -> tuple[str, ...]:
        """Return the name of the module that has the class `ref`, in parts, such as `("io", "example", "v1")`.

        The name of a generated module begins in the output folder, and the name of a shipped module with
        `crossplane_lite`.
        """
        return (*_SHIPPED, *ref.module) if ref in self.shipped else ref.module

    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Return the other modules to whose classes this module refers, by the alias under which they are imported.

        An alias is made of the last parts of the module's name, such as `corev1` for `io.k8s.api.core.v1`.
        """
        homes = sorted(
            {
                self.home(form.ref)
                for cls in self.classes.values()
                for form in (field.form.innermost for field in cls.node.fields)
                if form.ref is not None and self.home(form.ref) != self.path
            }
        )
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
        """Return how this module writes the class `ref`: as `NAME`, or as `ALIAS.NAME` if another module has the class.

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
    """Set `Class.is_seen` of all classes, by searching for the classes that kinds use outside of their status.

    Args:
        modules: All generated modules, by path.
    """
    classes = {ClassRef(path, name): cls for path, module in modules.items() for name, cls in module.classes.items()}
    elsewhere: set[ClassRef] = set()
    for ref, cls in classes.items():
        if not cls.api_version:
            continue
        work = [below for field in cls.node.fields if field.wire != "status" for below in _refs(ref, field.form)]
        while work:
            one = work.pop()
            if one not in elsewhere:
                elsewhere.add(one)
                found = classes.get(one)
                work += [below for field in found.node.fields for below in _refs(one, field.form)] if found else []
    for ref, cls in classes.items():
        cls.is_seen = ref not in elsewhere and not cls.api_version


def mark_rules(modules: Mapping[tuple[str, ...], Module], shipped: Set[ClassRef]) -> None:
    """Set `Class.ways` of all classes; after `mark_seen`, because classes that are only read need no rules.

    Args:
        modules: All generated modules, by path.
        shipped: The shipped classes with rules.
    """
    classes = {ClassRef(path, name): cls for path, module in modules.items() for name, cls in module.classes.items()}
    users: dict[ClassRef, list[tuple[ClassRef, str]]] = {}
    for ref, cls in classes.items():
        for field in () if cls.is_seen else cls.node.fields:
            for below in _refs(ref, field.form) if not (cls.api_version and field.wire == "status") else ():
                users.setdefault(below, []).append((ref, field.wire))
    work = [*shipped, *(ref for ref, cls in classes.items() if _rule_words(cls))]
    while work:
        for holder, wire in users.pop(work.pop(), ()):
            classes[holder].ways.add(wire)
            work.append(holder)


def _refs(holder: ClassRef, form: Form) -> list[ClassRef]:
    inner = form.innermost
    if inner.node is not None:
        return [ClassRef(holder.module, inner.node.name)]
    return [] if inner.ref is None else [inner.ref]


def table_source(module: Module) -> str:
    """Return the source of a module of models: a call of `load` with its table (see `crossplane_lite.table`)."""
    aliases = module.aliases()
    lines = [module.head, "from crossplane_lite.table import load\n"]
    lines.append("__getattr__, __dir__ = load(\n    __name__,\n    {")
    lines += [f"        {_quoted(cls.name)}: {_quoted(class_text(module, cls))}," for cls in module.classes.values()]
    lines.append("    },")
    lines += [f"    {alias}={_quoted(module.relative(home))}," for alias, home in aliases.items()]
    lines.append(")\n")
    return "\n".join(lines)


def class_text(module: Module, cls: Class) -> str:
    """Return the text of the class `cls` for the table of `module` (see `crossplane_lite.table`)."""
    parts = []
    if cls.api_version:
        kind = "" if cls.kind == cls.name else "=" + cls.kind
        parts.append(f"@{cls.api_version}{kind}{';' + cls.scope if cls.scope else ''}")
    if cls.node.is_open:
        parts.append("*")
    kin = kin_name(cls.node.hint)
    if cls.node.parent is not None and kin_name(cls.name) != kin:
        parts.append(f"~{kin}")
    parts += _rule_words(cls)
    parts += [_field_text(module, cls.attributes[field.wire], field) for field in cls.node.fields]
    return " ".join(parts)


def _rule_words(cls: Class) -> list[str]:
    """Return the words that say what the API requires of instances (see `crossplane_lite.table`)."""
    if cls.is_seen:  # nobody sets what is only read
        return []
    required = [cls.attributes[field.wire] for field in cls.node.fields if field.required]
    ways = [cls.attributes[field.wire] for field in cls.node.fields if field.wire in cls.ways]
    given = next((field.form.node for field in cls.node.fields if field.wire == "forProvider"), None)
    of_given = {} if given is None else attributes((field.wire for field in given.fields), of_resource=False)
    parameters = [of_given[wire] for wire in cls.node.parameters if wire in of_given]
    named = (("!", required), (">", ways), ("?", parameters))
    words = [mark + ",".join(names) for mark, names in named if names]
    return words + [f"&{cls.attributes[field.wire]}{field.limit}" for field in cls.node.fields if field.limit]


def _field_text(module: Module, attribute: str, field: Field) -> str:
    wire = "" if attribute == field.wire else "=" + quoted(field.wire)
    return f"{attribute}{wire}:{_type_text(module, field.form)}"


def _type_text(module: Module, form: Form, *, in_list: bool = False) -> str:
    if form.node is not None:
        return form.node.name
    if form.ref is not None:
        return module.reference(form.ref)
    if form.code == "[":
        # Keys are written at the end of the type. The keys of an inner list would be taken for the keys of the outer
        # list there, so they are left out.
        keys = ",".join(quoted(key) for key in form.keys) if not in_list else ""
        return "[" + _type_text(module, form.item, in_list=True) + (f"#{keys}" if keys else "")
    return "{" + _type_text(module, form.item, in_list=in_list) if form.code == "{" else form.code


def _quoted(text: str) -> str:
    return f'"{text}"' if text.isprintable() and not {'"', "\\"} & set(text) else repr(text)


def check_paths(modules: Mapping[tuple[str, ...], Module]) -> None:
    """Check that no module has the path of a package, such as `a/b.py` beside `a/b/c.py`.

    Args:
        modules: All generated modules, by path.

    Raises:
        InputError: A module has the path of a package. The message names it, and a module in the package.
    """
    for path in modules:
        for length in range(1, len(path)):
            if path[:length] in modules:
                raise InputError(
                    f"can't generate both {'/'.join(path)}.py and {'/'.join(path[:length])}.py: "
                    f"{path[length - 1]} can't be a folder and a module; generate each of them into a folder of its own"
                )
