"""Makes the stubs (`.pyi` files) of model modules: the types and descriptions for people, editors
and type checkers.

A field is declared with a descriptor of `crossplane_lite.model`, such as `Leaf[str]`, as its type.
If a field or class has a name that the stub needs for something else (a field `list`, for example),
the stub imports that name under an alias.

Beside each class stands one for its observed objects, `_ObservedSpec` for `Spec`: a subclass of it
whose fields can't be set. While the program runs, there is only `Spec`.
"""

from __future__ import annotations

from typing import Final

from .modules import Class, Module
from .shapes import ClassRef, Field, Form

# The modules of the names that stubs use. Builtins are imported only if they are hidden.
_HOMES: Final = {
    **dict.fromkeys(("Any", "Literal"), "typing"),
    **dict.fromkeys(
        ("DeepList", "DeepMap", "DynamicModel", "FreeForm", "Given"), "crossplane_lite.model"
    ),
    **dict.fromkeys(
        ("ItemMap", "ItemMapOf", "Items", "ItemsOf", "Leaf", "ListOf", "Map"),
        "crossplane_lite.model",
    ),
    **dict.fromkeys(
        ("ManagedResource", "ManagedSpec", "MapOf", "Model", "Nested"), "crossplane_lite.model"
    ),
    **dict.fromkeys(("ObservedModel", "Resource", "Seen", "Values"), "crossplane_lite.model"),
    "Observable": "crossplane_lite.observable",
    **dict.fromkeys(("bool", "dict", "float", "int", "list", "property", "str"), "builtins"),
}

# For a list and a map, by the sort of its items (see `_held`): the descriptor of a field, and the
# type of the values that can be assigned to a list or map inside of another one.
_CONTAINERS: Final = {
    "[": {
        "value": ("Values", "ListOf"),
        "model": ("Items", "ItemsOf"),
        "container": ("DeepList", "ListOf"),
    },
    "{": {
        "value": ("Map", "MapOf"),
        "model": ("ItemMap", "ItemMapOf"),
        "container": ("DeepMap", "MapOf"),
    },
}

# Strict pyright would say that a class with an underscore, of another stub, is none of this one's
# business.
_PRIVATE: Final = "# pyright: reportPrivateUsage=false"


def stub_source(module: Module) -> str:
    """Return the stub of a module of models."""
    return _Stub(module).source()


class _Stub:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._aliases = module.aliases()
        # by module: the names, as they stand behind `import`
        self._imports: dict[str, set[str]] = {}
        # aliases, by module (empty: this one) and hidden name
        self._seconds: dict[tuple[str, str], str] = {}
        self._taken = {*module.classes, *self._aliases}
        self._taken.update(_observed(name) for name in module.classes)
        self._taken.update(
            name for cls in module.classes.values() for name in cls.attributes.values()
        )
        # the names that fields of the current class hide
        self._hidden: frozenset[str] = frozenset()
        self._specs = {cls.managed for cls in module.classes.values()}
        self._leaf = "Leaf"  # the descriptor of the current class's fields that have one value

    def source(self) -> str:
        bodies = [self._class(cls) for cls in self._module.classes.values() if cls.shared is None]
        bodies += [
            f"{cls.name} = {self._of(cls.shared)}"
            for cls in self._module.classes.values()
            if cls.shared
        ]
        bodies.append("\n".join(map(self._observed_class, self._module.classes.values())))
        names = "".join(f'    "{name}",\n' for name in sorted(self._module.classes))
        parts = [f"{self._module.head}\n{_PRIVATE}"]
        parts.append(
            "\n".join(
                f"from {home} import {', '.join(sorted(used))}"
                for home, used in sorted(self._imports.items())
            )
        )
        parts.append(f"__all__ = [\n{names}]")
        parts += bodies
        parts += [
            f"{second} = {name}"
            for (home, name), second in sorted(self._seconds.items())
            if not home
        ]
        return "\n\n".join(parts) + "\n"

    def _name(self, name: str) -> str:
        """Return how the current class must write `name`, a key of `_HOMES`, and note the import
        that this needs.

        The result is an alias if a field of the class, or a class of the module, has the name.
        """
        home = _HOMES[name]
        if name in self._hidden or name in self._module.classes:
            return self._import(home, name, self._second(home, name))
        return name if home == "builtins" else self._import(home, name, name)

    def _import(self, home: str, name: str, local: str) -> str:
        self._imports.setdefault(home, set()).add(name if name == local else f"{name} as {local}")
        return local

    def _second(self, home: str, name: str) -> str:
        """Return the alias for a name that a field or a class hides. The alias is unique in the
        stub.

        Args:
            home: The module that the name is imported from; empty for a class of this module.
            name: The name.
        """
        second = self._seconds.get((home, name))
        if second is None:
            # inside of a class, Python changes names with two underscores in front
            second = "_" + name.lstrip("_")
            while second in self._taken:
                second += "_"
            self._taken.add(second)
            self._seconds[home, name] = second
        return second

    def _class(self, cls: Class) -> str:
        self._leaf = "Seen" if cls.is_seen else "Leaf"
        self._hidden = frozenset(cls.attributes.values())
        if cls.api_version:
            self._hidden |= {"apiVersion", "kind"}
        # fields hide no names in the list of bases
        hidden, self._hidden = self._hidden, frozenset()
        lines = [f"class {cls.name}({', '.join(self._bases(cls))}):"]
        self._hidden = hidden
        if cls.node.doc:
            lines += [f"    {_docstring(cls.node.doc)}", ""]
        if cls.api_version:
            for name, value in (("apiVersion", cls.api_version), ("kind", cls.kind)):
                lines.append(f'    {name}: {self._name("Literal")}["{value}"] = "{value}"')
        for field in cls.node.fields:
            lines += self._field(field, cls.attributes[field.wire])
        if cls.api_version:
            lines += [
                f"    @{self._name('property')}",
                f"    def observed(self) -> {_observed(cls.name)}: ...",
            ]
        if len(lines) == 1:
            lines.append("    ...")
        return "\n".join(lines).rstrip()

    def _observed_class(self, cls: Class) -> str:
        """Return the line with the class of a class's observed objects, of which no field can be
        set.
        """
        self._hidden = frozenset()
        if cls.shared is not None:
            return f"{_observed(cls.name)} = {self._observed_of(cls.shared)}"
        return f"class {_observed(cls.name)}({self._name('ObservedModel')}, {cls.name}): ..."

    def _bases(self, cls: Class) -> list[str]:
        bases = [self._name("DynamicModel")] if cls.node.is_open else []
        if cls.managed:
            return [f"{self._name('ManagedResource')}[{cls.managed}]", *bases]
        if cls.api_version:
            return [self._name("Resource"), *bases]
        if cls.name in self._specs:
            return [self._name("ManagedSpec"), *bases]
        return bases or [self._name("Model")]

    def _field(self, field: Field, attribute: str) -> list[str]:
        leaf = "Given" if field.is_given else self._leaf
        lines = [f"    {attribute}: {self._declared(field.form, leaf)} = ..."]
        renamed = "" if attribute == field.wire else f"In Kubernetes: {field.wire}."
        doc = "\n\n".join(
            part for part in (field.doc, " ".join(filter(None, (field.note, renamed)))) if part
        )
        if doc:
            lines += [f"    {_docstring(doc)}", ""]
        return lines

    def _declared(self, form: Form, leaf: str) -> str:
        """Return the annotation of a field of the type `form`, such as `Leaf[str]`; `leaf` is for
        one value.
        """
        if form.code == "x":
            return self._name("Any")
        if form.code == "o":
            return self._name("FreeForm")
        if form.code in _CONTAINERS:
            descriptor = self._name(_CONTAINERS[form.code][_held(form)][0])
            written = f", {self._written(form.item)}" if _held(form) == "container" else ""
            return f"{descriptor}[{self._plain(form.item)}{self._twin(form.item) or written}]"
        descriptor = self._name("Nested" if form.code in ("N", "R") else leaf)
        return f"{descriptor}[{self._plain(form)}{self._twin(form)}]"

    def _twin(self, form: Form) -> str:
        """Return the second parameter of a field's descriptor: the class that its model has where
        it is observed.
        """
        if form.node is not None:
            return f", {self._own(_observed(form.node.name))}"
        return f", {self._observed_of(form.ref)}" if form.ref is not None else ""

    def _observed_of(self, ref: ClassRef) -> str:
        """Return how the current class must write the class of a class's observed objects."""
        module, dot, _ = self._of(ref).rpartition(".")
        return f"{module}{dot}{_observed(ref.name)}"

    def _written(self, form: Form) -> str:
        """Return the type of values that can be assigned to a list or map in another one, such as
        `ListOf[str]`.
        """
        kind = _held(form)
        item = self._written(form.item) if kind == "container" else self._plain(form.item)
        return f"{self._name(_CONTAINERS[form.code][kind][1])}[{item}]"

    def _plain(self, form: Form) -> str:
        """Return the Python type of a value of the type `form`, without a descriptor, such as `str`
        or `list[Rule]`.
        """
        if form.node is not None:
            return self._own(form.node.name)
        if form.ref is not None:
            return self._of(form.ref)
        if form.code in _CONTAINERS:
            item = self._plain(form.item)
            if form.item.code != "x" and _held(form) != "model":
                item = f"{item} | {self._name('Observable')}[{item}]"
            return f"{self._name('list')}[{item}]" if form.code == "[" else self._dict(item)
        if form.python.startswith("Literal["):
            return self._name("Literal") + form.python.removeprefix("Literal")
        return " | ".join(self._name(name) for name in form.python.split(" | "))

    def _of(self, ref: ClassRef) -> str:
        """Return how the current class must write the class `ref`, and note the import that this
        needs.
        """
        text = self._module.reference(ref)
        alias, dot, name = text.rpartition(".")
        if not dot:
            return self._own(text)
        whole = self._module.relative(self._aliases[alias])
        last = whole.rpartition(".")[2]
        home = whole.removesuffix(last)
        if home.strip("."):  # a package follows the dots; in `..v1` none does
            home = home.removesuffix(".")
        is_hidden = alias in self._hidden or alias in self._module.classes
        local = self._second(whole, alias) if is_hidden else alias
        return self._import(home, last, local) + dot + name

    def _dict(self, item: str) -> str:
        return f"{self._name('dict')}[{self._name('str')}, {item}]"

    def _own(self, name: str) -> str:
        if name not in self._hidden:
            return name
        return self._second("", name)


def _observed(name: str) -> str:
    """Return the name of the class of a class's observed objects."""
    return f"_Observed{name}"


def _held(form: Form) -> str:
    """Return the sort of the items in the list or map `form`: `container` (a list or map), `model`
    or `value`.
    """
    if form.item.code in _CONTAINERS:
        return "container"
    return "model" if form.item.code in ("N", "R", "o") else "value"


def _docstring(text: str) -> str:
    """Return a text as a string literal in triple quotes, with escapes for characters that can't
    stand in it.
    """
    escaped = text.replace("\\", "\\\\")
    if '"""' in escaped or escaped.endswith('"'):
        escaped = escaped.replace('"', '\\"')
    if not escaped.replace("\n", "").replace("\t", "").isprintable():
        escaped = "".join(
            character if character.isprintable() or character in "\n\t" else repr(character)[1:-1]
            for character in escaped
        )
    indented = "\n".join(line and "    " + line for line in escaped.split("\n"))
    return f'"""{indented.lstrip()}"""'
