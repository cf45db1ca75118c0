"""What the stub of a generated module has to say, after the module's table."""

from __future__ import annotations

import ast
import importlib.util
from typing import Any, NamedTuple

from crossplane_lite._core.models.types import unescape
from crossplane_lite._tools.codegen.tables import earlier_table

__all__ = [
    *("Table", "TableField", "Types", "Whole", "docs_of", "is_container", "only_in_status", "table_of", "values_of"),
]


class TableField(NamedTuple):
    """A field of a table: its attribute, its name in Kubernetes, its type."""

    attribute: str
    wire: str
    type: str


class Table(NamedTuple):
    """A generated module, as its source says.

    Attributes:
        name: Its name.
        heads: What stands before the fields of each class: `@apiVersion` with the kind, `*`, what kin share behind
            `~`, words with rules, some of these or nothing.
        classes: The fields of each class.
        aliases: The names of other modules, by alias.
        shared: The shipped classes that classes of the table are, with their modules.
    """

    name: str
    heads: dict[str, list[str]]
    classes: dict[str, list[TableField]]
    aliases: dict[str, str]
    shared: dict[str, str]


def table_of(name: str, source: str) -> Table:
    """Read the table of a generated module."""
    call = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    table = Table(name, {}, {}, {}, {})
    for class_, text in earlier_table(source).items():
        parts = [part for part in text.split(" ") if part]
        if text.startswith("="):
            table.shared[class_] = parts.pop(0)[1:]
        table.heads[class_] = [part for part in parts if part[0] in "@*~!>?&"]
        table.classes[class_] = []
        for part in parts[len(table.heads[class_]) :]:
            names, _, type_ = part.rpartition(":")
            attribute, _, wire = names.partition("=")
            table.classes[class_].append(TableField(attribute, unescape(wire) or attribute, type_.partition("#")[0]))
    for keyword in call.keywords:
        assert keyword.arg is not None
        relative = ast.literal_eval(keyword.value)
        table.aliases[keyword.arg] = importlib.util.resolve_name(relative, name.rpartition(".")[0])
    for class_, ref in table.shared.items():
        alias, _, shared = ref.rpartition(".")
        table.shared[class_] = f"{table.aliases[alias]}.{shared}"
    return table


class Whole(ast.NodeTransformer):
    """Writes a stub's annotations out: names without their aliases, classes with their modules, Literals by type.

    Args:
        name: The name of the stub's module.
        stub: The stub.

    Attributes:
        names: What each name of the stub stands for.
    """

    def __init__(self, name: str, stub: ast.Module) -> None:
        package = name.rpartition(".")[0]
        self.names: dict[str, str] = {}
        for node in stub.body:
            if isinstance(node, ast.ClassDef):
                self.names[node.name] = f"{name}.{node.name}"
            elif isinstance(node, ast.ImportFrom):
                home = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
                for one in node.names:
                    is_module = home.startswith(("models.", "crossplane_lite.models."))
                    self.names[one.asname or one.name] = f"{home}.{one.name}" if is_module else one.name
        for node in stub.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Attribute, ast.Name)):
                assert isinstance(node.targets[0], ast.Name)
                alias, dot, of_module = ast.unparse(node.value).partition(".")
                self.names[node.targets[0].id] = self.names[alias] + dot + of_module

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self.names.get(node.id, node.id), mode="eval").body

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if ast.unparse(node.value) != "Literal":
            return node
        (kind,) = {type(value).__name__ for value in values_of(node.slice)}
        return ast.Name(kind)


def values_of(node: ast.expr) -> list[Any]:
    """Return the values of a Literal."""
    value = ast.literal_eval(node)
    return list(value) if isinstance(value, tuple) else [value]


# The Python type of each letter of a table.
SCALARS = {"s": "str", "i": "int", "f": "float", "b": "bool", "x": "Any", "q": "int | str"}


def scalar(text: str) -> str:
    """Return the Python type of a table's scalar type, or of a choice of them; nothing for others."""
    if "|" in text:
        return " | ".join(sorted(SCALARS[letter] for letter in text.split("|")))
    return SCALARS.get(text, "")


def is_container(text: str) -> bool:
    """Return whether a table's type is a list or a map."""
    return text[0] in "[{"


def only_in_status(tables: list[Table]) -> set[str]:
    """Return the classes, with their modules, that lie in the status of kinds and nowhere else."""
    below: dict[str, list[tuple[str, str]]] = {}
    kinds = []
    for table in tables:
        for class_, fields in table.classes.items():
            name = f"{table.name}.{class_}"
            below[name] = [(field.wire, Types(table, "").one(field.type.lstrip("[{"))) for field in fields]
            if any(head.startswith("@") for head in table.heads[class_]):
                kinds.append(name)
    work = [type_ for kind in kinds for wire, type_ in below[kind] if wire != "status"]
    elsewhere: set[str] = set()
    while work:
        name = work.pop()
        if name in below and name not in elsewhere:
            elsewhere.add(name)
            work += [type_ for _, type_ in below[name]]
    return below.keys() - elsewhere - {*kinds}


class Types:
    """The types that a stub must have for the types of a table, in the form that `Whole` gives.

    Args:
        table: The table.
        leaf: What declares a field of one value.
    """

    def __init__(self, table: Table, leaf: str) -> None:
        self.table = table
        self.leaf = leaf

    def one(self, text: str) -> str:
        """Return the type of one value."""
        alias, dot, class_ = text.rpartition(".")
        if text == "o":
            return "DynamicModel"
        if text in self.table.shared:
            return self.table.shared[text]
        return scalar(text) or f"{self.table.aliases[alias] if dot else self.table.name}.{class_}"

    def read(self, text: str) -> str:
        """Return what reading an item of a list or map gives, for one that is a list or map itself."""
        if not is_container(text):
            return self.one(text)
        item = self.read(text[1:])
        if text[1:] != "x" and (is_container(text[1:]) or scalar(text[1:])):
            item = f"{item} | Observable[{item}]"
        return f"list[{item}]" if text[0] == "[" else f"dict[str, {item}]"

    def written(self, text: str) -> str:
        """Return what can be written for an item that is a list or map."""
        if not is_container(text):
            return self.one(text)
        of_models = not is_container(text[1:]) and not scalar(text[1:])
        kinds = {"[": ("ListOf", "ItemsOf"), "{": ("MapOf", "ItemMapOf")}
        return f"{kinds[text[0]][of_models]}[{self.written(text[1:])}]"

    def field(self, text: str) -> str:
        """Return what a field is declared as."""
        if text == "x":
            return "Any"
        if text == "o":
            return "FreeForm"
        if not is_container(text):
            return f"{self.leaf if scalar(text) else 'Nested'}[{self.one_or_observed(text)}]"
        if is_container(text[1:]):
            name = "DeepList" if text[0] == "[" else "DeepMap"
            return f"{name}[{self.read(text[1:])}, {self.written(text[1:])}]"
        names = ("Values", "Map") if scalar(text[1:]) else ("Items", "ItemMap")
        return f"{names[text[0] == '{']}[{self.one_or_observed(text[1:])}]"

    def one_or_observed(self, text: str) -> str:
        """Return the type of one value, and for a model the class of its observed objects behind it."""
        one = self.one(text)
        module, dot, last = one.rpartition(".")
        return f"{one}, {module}._Observed{last}" if dot else one


def docs_of(cls: ast.ClassDef) -> dict[str, str]:
    """Return the docstrings that follow the fields of a stub's class, and that of the class under ''."""
    docs = {"": ast.get_docstring(cls) or ""}
    for node, after in zip(cls.body, cls.body[1:], strict=False):
        if isinstance(node, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(node.target, ast.Name):
            assert isinstance(after.value, ast.Constant)
            docs[node.target.id] = str(after.value.value)
    return docs
