"""Reads the source of composition functions and finds what a run can't tell, such as comparisons
that are never true.

Only functions with a parameter `ctx` are read, and only names whose value is the same wherever they
are assigned. So nothing is said about a name that may be something else.
"""

from __future__ import annotations

import ast
import collections
import re
from collections.abc import Container, Iterator, Sequence
from typing import Final

from .finding import Finding, finding
from .habits import FUNCTIONS, changed_name, habits

# What an expression is.
_RESOURCE: Final = "a resource"
_OBSERVED: Final = "observed state"
_VALUE: Final = "a value that may be missing"
_OTHER: Final = "something else"

# Members of observed state that are always there.
_ALWAYS: Final = frozenset(
    {"apiVersion", "condition", "connection_details", "exists", "kind", "metadata", "name", "ready"}
)
_WHOLE: Final = frozenset({"frozenset", "max", "min", "set", "sorted", "sum"})
# Functions that give another value each time.
_ALWAYS_NEW: Final = frozenset(
    {
        *(
            "os.urandom",
            "random.choice",
            "random.choices",
            "random.getrandbits",
            "random.randbytes",
            "random.randint",
        ),
        *("random.random", "random.randrange", "random.sample", "random.uniform", "secrets.choice"),
        *("secrets.randbelow", "secrets.token_bytes", "secrets.token_hex", "secrets.token_urlsafe"),
        *("uuid.uuid1", "uuid.uuid4"),
    }
)
_BRACES: Final = re.compile(r"(?<![${])\{(([A-Za-z_]\w*)(?:\.[^{}\s]*)?)\}(?!\})")
# Functions that make what can be changed.
_MAKERS: Final = frozenset(
    {"Counter", "OrderedDict", "count", "cycle", "defaultdict", "deque", "dict", "list", "set"}
)


def findings(text: str) -> list[Finding]:
    """Return what is wrong in a module's source, in the order of the lines.

    Raises:
        SyntaxError: The text isn't Python.
    """
    found: list[Finding] = []
    tree = ast.parse(text)
    shared = set(_shared(tree))
    is_composition = False
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            context = _context_of(node)
            if context:
                found += _Function(node, context, shared).findings()
                is_composition = True
    if is_composition:
        found += habits(tree)
    return sorted(set(found))


def _shared(module: ast.Module) -> Iterator[str]:
    """Yield the names of the lists, dicts, sets and counters that a module makes once, for all
    calls.
    """
    for node in module.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        value = node.value
        is_made = (
            isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in _MAKERS
        )
        if is_made or isinstance(
            value, (ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Set, ast.SetComp)
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _context_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the name of the parameter that is the function's context; empty if it has none."""
    for one in node.args.args[:1]:
        annotation = "" if one.annotation is None else ast.unparse(one.annotation)
        if one.arg == "ctx" or annotation.strip("'\"").endswith("Context"):
            return one.arg
    return ""


class _Function:
    """A function, and what its names stand for.

    Args:
        node: The function.
        context: The name of its parameter for the context.
        shared: The names of the lists, dicts and sets of its module.
    """

    def __init__(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, context: str, shared: set[str]
    ) -> None:
        self._node = node
        self._context = context
        self._shared = shared
        self._assigned: dict[str, list[ast.expr | None]] = {}
        self._stores: collections.Counter[str] = collections.Counter()
        self._kinds: dict[str, str] = {}
        # The parts of f-strings, and texts whose methods are called, such as format().
        self._formatted: set[int] = set()
        for one in ast.walk(node):
            self._note_names(one)
            if isinstance(one, ast.JoinedStr):
                self._formatted.update(map(id, one.values))
            elif isinstance(one, ast.Attribute):
                self._formatted.add(id(one.value))

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong in the function."""
        for one in ast.walk(self._node):
            if isinstance(one, ast.Compare):
                yield from self._compared(one)
            elif isinstance(one, ast.Call):
                yield from self._called(one)
            elif isinstance(one, ast.While):
                yield from self._polled(one)
            elif isinstance(one, ast.AnnAssign):
                yield from _annotated(one)
            elif isinstance(one, ast.Expr):
                yield from _set_nothing(one)
            elif isinstance(one, ast.Constant):
                yield from self._unformatted(one)
        yield from self._changed_later()
        yield from self._kept_between_calls()
        yield from self._made_always(self._node)

    # -- what names stand for

    def _note_names(self, node: ast.AST) -> None:
        """Note what is assigned to names; None where that isn't a single expression."""
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    self._assigned.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.NamedExpr):
            self._assigned.setdefault(node.target.id, []).append(node.value)
        elif isinstance(node, ast.arg):
            self._assigned.setdefault(node.arg, []).append(None)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self._stores[node.id] += 1

    def _kind_of_name(self, name: str) -> str:
        if name not in self._kinds:
            self._kinds[name] = _OTHER  # for names that lead back to themselves
            values = self._assigned.get(name, [])
            kinds = {_OTHER if value is None else self._kind(value) for value in values}
            # Loops, `with` and unpacking set a name, too, and make it something else.
            if len(kinds) == 1 and self._stores[name] == len(values):
                self._kinds[name] = kinds.pop()
        return self._kinds[name]

    def _kind(self, node: ast.expr) -> str:
        """Return what an expression is."""
        if isinstance(node, ast.Name):
            return self._kind_of_name(node.id)
        if isinstance(node, ast.Call):
            is_resource = self._is_of_context(node.func, "resource")
            return _RESOURCE if is_resource else _OTHER
        if isinstance(node, ast.Subscript):
            if self._is_of_context(node.value, "observed"):
                return _OBSERVED
            return _VALUE if self._kind(node.value) == _VALUE else _OTHER
        if isinstance(node, ast.Attribute):
            return self._kind_of_member(node)
        return _OTHER

    def _kind_of_member(self, node: ast.Attribute) -> str:
        kind = self._kind(node.value)
        if kind == _RESOURCE:
            return _OBSERVED if node.attr == "observed" else _OTHER
        if kind == _OBSERVED:
            return _OTHER if node.attr in _ALWAYS else _VALUE
        return _VALUE if kind == _VALUE else _OTHER

    def _is_of_context(self, node: ast.expr, member: str) -> bool:
        if not isinstance(node, ast.Attribute) or node.attr != member:
            return False
        return isinstance(node.value, ast.Name) and node.value.id == self._context

    def _values_in(self, node: ast.AST) -> Iterator[ast.expr]:
        """Yield the values that may be missing in an expression, without those in strings and
        calls.
        """
        if isinstance(node, (ast.JoinedStr, ast.Call, *FUNCTIONS)):
            return
        if isinstance(node, ast.expr) and self._kind(node) == _VALUE:
            yield node
            return
        for one in ast.iter_child_nodes(node):
            yield from self._values_in(one)

    # -- the rules

    def _compared(self, node: ast.Compare) -> Iterator[Finding]:
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if not isinstance(right, ast.Constant) or self._kind(node.left) != _VALUE:
                continue
            shown = ast.unparse(node.left)
            is_not = isinstance(operator, (ast.IsNot, ast.NotEq))
            if right.value is None:
                instead = shown if is_not else f"not {shown}"
                yield finding(node, "CL001", f"{shown} is never None; write `if {instead}`")
            elif right.value is True or right.value is False:
                asks_for_true = right.value is not is_not
                instead = shown if asks_for_true else f"not {shown}"
                yield finding(
                    node,
                    "CL002",
                    f"{shown} is neither True nor False while it is missing; write `if {instead}`",
                )

    def _called(self, node: ast.Call) -> Iterator[Finding]:
        name = ast.unparse(node.func)
        if name == "type" and len(node.args) == 1 and self._kind(node.args[0]) == _VALUE:
            shown = ast.unparse(node.args[0])
            text = (
                f"type({shown}) is that of a stand-in while the value is missing; write apply(type,"
                f" {shown})"
            )
            yield finding(node, "CL003", text)
        elif name in _WHOLE:
            for shown in map(ast.unparse, self._elements(node.args[:1])):
                yield finding(
                    node,
                    "CL004",
                    f"{name}() needs {shown}, which may be missing; write apply({name}, [...])",
                )
                return
        elif name == "len" and len(node.args) == 1 and self._kind(node.args[0]) == _VALUE:
            shown = ast.unparse(node.args[0])
            text = f"len() counts {shown} as empty while it is missing; write apply(len, {shown})"
            yield finding(node, "CL004", text)
        elif name in ("json.dumps", "pickle.dumps", "repr"):
            for one in node.args[:1]:
                for shown in map(ast.unparse, self._values_in(one)):
                    text = f"{name}() can't take {shown} while it is missing; write json_dumps(...)"
                    yield finding(node, "CL005", text)
                    return

    def _polled(self, node: ast.While) -> Iterator[Finding]:
        """Yield loops that wait for a value: it is the same as long as the call lasts."""
        for one in self._values_in(node.test):
            shown = ast.unparse(one)
            text = (
                f"{shown} is the same as long as this call lasts; leave the loop out, since fields"
                " wait by themselves"
            )
            yield finding(node.test, "CL012", text)

    def _unformatted(self, node: ast.Constant) -> Iterator[Finding]:
        """Yield texts that name one of the function's values in braces, and have no f before
        them.
        """
        if not isinstance(node.value, str) or id(node) in self._formatted:
            return
        for inner, name in _BRACES.findall(node.value):
            if name in self._assigned or name == self._context:
                text = (
                    f'the text has {{{inner}}} as it stands; write f"..." to have its value there'
                )
                yield finding(node, "CL015", text)
                return

    def _made_always(self, node: ast.AST) -> Iterator[Finding]:
        """Yield calls of functions that give another value each time, without those in functions
        inside of this one.
        """
        for one in ast.iter_child_nodes(node):
            if isinstance(one, FUNCTIONS):
                continue
            if isinstance(one, ast.Call) and ast.unparse(one.func) in _ALWAYS_NEW:
                text = (
                    f"{ast.unparse(one.func)}() gives another value in each call; make it once:"
                    " ctx.once(..., make)"
                )
                yield finding(one, "CL008", text)
            yield from self._made_always(one)

    def _elements(self, arguments: Sequence[ast.expr]) -> Iterator[ast.expr]:
        """Yield the elements of a list, tuple, set or comprehension that may be missing."""
        for one in arguments:
            elements: Sequence[ast.expr] = ()
            if isinstance(one, (ast.List, ast.Tuple, ast.Set)):
                elements = one.elts
            elif isinstance(one, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
                elements = [one.elt]
            yield from (element for element in elements if self._kind(element) == _VALUE)

    def _changed_later(self) -> Iterator[Finding]:
        """Yield changes of lists and dicts behind the line that sets them to a field, which copies
        them.
        """
        copied: dict[str, int] = {}
        for node in ast.walk(self._node):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                name = node.value.id
                values = self._assigned.get(name, [])
                is_own = len(values) == 1 and isinstance(values[0], (ast.Dict, ast.List))
                if is_own and any(self._is_field(one) for one in node.targets):
                    copied[name] = min(node.lineno, copied.get(name, node.lineno))
        loops = [
            one
            for one in ast.walk(self._node)
            if isinstance(one, (ast.For, ast.AsyncFor, ast.While))
        ]
        for node in ast.walk(self._node):
            changed = changed_name(node)
            if changed is None or changed.id not in copied or changed.lineno <= copied[changed.id]:
                continue
            # In a loop, the next turn may set the field again.
            if any(one.lineno <= copied[changed.id] <= (one.end_lineno or 0) for one in loops):
                continue
            yield finding(
                changed,
                "CL007",
                f"{changed.id} was copied in line {copied[changed.id]}, so this changes no"
                " resource; change it before that line, or change the field",
            )

    def _kept_between_calls(self) -> Iterator[Finding]:
        """Yield changes of what belongs to the module, which other calls see."""
        told = {
            name
            for node in ast.walk(self._node)
            if isinstance(node, ast.Global)
            for name in node.names
        }
        for node in ast.walk(self._node):
            changed = self._of_module(node, told)
            if changed is None:
                continue
            yield finding(
                changed,
                "CL013",
                f"{changed.id} belongs to the module, so calls for other composites see this"
                " change; make it in the function, keep the value in a resource or in the status,"
                " or cache it with functools.cache",
            )

    def _of_module(self, node: ast.AST, told: Container[str]) -> ast.Name | None:
        """Return the name of what a node changes, if it belongs to the module."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in told:
            return node
        changed = changed_name(node)
        if changed is None or changed.id not in self._shared or self._is_local(changed.id):
            return None
        return changed

    def _is_local(self, name: str) -> bool:
        return name in self._assigned or self._stores[name] > 0

    def _is_field(self, node: ast.expr) -> bool:
        """Return whether a target of an assignment is a field of a resource."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
            if self._kind(node) == _RESOURCE:
                return True
        return False


def _annotated(node: ast.AnnAssign) -> Iterator[Finding]:
    """Yield a colon in the place of an equals sign, which Python takes for the type of a field."""
    if node.value is None and not isinstance(node.target, ast.Name):
        shown = ast.unparse(node.target)
        text = f"a colon sets nothing, as in YAML: write {shown} = {ast.unparse(node.annotation)}"
        yield finding(node.target, "CL014", text)


def _set_nothing(node: ast.Expr) -> Iterator[Finding]:
    """Yield a comparison that is a statement of its own."""
    compared = node.value
    if isinstance(compared, ast.Compare) and isinstance(compared.ops[0], ast.Eq):
        left, right = ast.unparse(compared.left), ast.unparse(compared.comparators[0])
        yield finding(compared, "CL016", f"this compares and sets nothing: write {left} = {right}")
