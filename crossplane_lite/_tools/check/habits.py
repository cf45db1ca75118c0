"""Finds habits of Python that are wrong in any function of a composition's module.

A composition function runs in several processes, and once for each call: what differs from process
to process, or outlives a call, writes to resources again and again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from .finding import Finding, finding

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_CHANGES: Final = frozenset(
    {
        *(
            "add",
            "append",
            "appendleft",
            "clear",
            "discard",
            "extend",
            "insert",
            "pop",
            "popitem",
            "remove",
        ),
        *("reverse", "setdefault", "sort", "subtract", "update"),
    }
)
_ORDER: Final = "the order of a set is another one in each process; write sorted(...)"
# Calls that keep the order in which they are given elements.
_IN_ORDER: Final = frozenset({"enumerate", "list", "tuple"})


def habits(tree: ast.Module) -> Iterator[Finding]:
    """Yield what is wrong in a module, whatever its names stand for."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            yield from _shared_defaults(node)
        elif isinstance(node, ast.Call):
            yield from _called(node)
        elif isinstance(node, ast.BoolOp):
            yield from _always_true(node)
        elif isinstance(node, ast.ListComp):
            yield from _from_set(node)
        elif isinstance(node, ast.For):
            yield from _over_letters(node)
        elif isinstance(node, ast.ExceptHandler):
            yield from _hides_missing(node)
    yield from _hashes(tree)


def _shared_defaults(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> Iterator[Finding]:
    """Yield defaults that the function changes."""
    names = node.args.posonlyargs + node.args.args
    defaults = [
        *zip(reversed(names), reversed(node.args.defaults), strict=False),
        *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
    ]
    changed = {name.id for one in ast.walk(node) if (name := changed_name(one)) is not None}
    for argument, default in defaults:
        if isinstance(default, (ast.Dict, ast.List, ast.Set)) and argument.arg in changed:
            text = f"this default is one for all calls, and {argument.arg} is changed: write None"
            yield finding(default, "CL006", text)


def _called(node: ast.Call) -> Iterator[Finding]:
    name = ast.unparse(node.func)
    given = node.args[0] if node.args else None
    is_joined = isinstance(node.func, ast.Attribute) and node.func.attr == "join"
    if (name in _IN_ORDER or is_joined) and _is_set(given):
        yield finding(node, "CL009", _ORDER)
    if name == "value_or" or name.endswith(".value_or"):
        if isinstance(given, (ast.Constant, ast.JoinedStr)):
            text = "the value comes first, and its default second: write value_or(value, default)"
            yield finding(node, "CL011", text)


def _from_set(node: ast.ListComp) -> Iterator[Finding]:
    if _is_set(node.generators[0].iter):
        yield finding(node, "CL009", _ORDER)


def _over_letters(node: ast.For) -> Iterator[Finding]:
    """Yield a loop over a text in parentheses, which is no tuple without a comma."""
    text = node.iter
    # A text of letters and digits alone may be meant so, as in "abc".
    if isinstance(text, ast.Constant) and isinstance(text.value, str) and not text.value.isalnum():
        yield finding(
            text, "CL017", f"this loop is over the letters of a text: write ({text.value!r},)"
        )


def _hides_missing(node: ast.ExceptHandler) -> Iterator[Finding]:
    """Yield handlers of all exceptions that go on without raising or telling one."""
    caught = "" if node.type is None else ast.unparse(node.type)
    if caught not in ("", "BaseException", "Exception"):
        return
    inner = [one for each in node.body for one in ast.walk(each)]
    names = {one.id for one in inner if isinstance(one, ast.Name)}
    if node.name in names or any(isinstance(one, ast.Raise) for one in inner):
        return
    text = (
        "this hides missing values, too, which are an UnresolvedError: name the exception that you"
        " expect"
    )
    yield Finding(node.lineno, node.col_offset + 1, "CL018", text)


def _is_set(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("frozenset", "set")
    return isinstance(node, (ast.Set, ast.SetComp))


def _hashes(node: ast.AST) -> Iterator[Finding]:
    """Yield calls of hash(), without those in the method __hash__ and in comparisons."""
    for one in ast.iter_child_nodes(node):
        is_method = isinstance(one, ast.FunctionDef) and one.name == "__hash__"
        if is_method or isinstance(one, ast.Compare):
            continue
        if isinstance(one, ast.Call) and ast.unparse(one.func) == "hash":
            text = (
                "hash() of a string is another one in each process; write zlib.crc32(text.encode())"
            )
            yield finding(one, "CL009", text)
        yield from _hashes(one)


def _always_true(node: ast.BoolOp) -> Iterator[Finding]:
    """Yield constants behind a comparison and `or`, as in `size == "small" or "medium"`."""
    if not isinstance(node.op, ast.Or):
        return
    compared = ""
    if all(isinstance(one, ast.Constant) for one in node.values):
        shown = ", ".join(map(ast.unparse, node.values))
        text = f"this is always {ast.unparse(node.values[0])}; write in ({shown})"
        yield finding(node, "CL010", text)
        return
    for one in node.values:
        if isinstance(one, ast.Compare):
            compared = ast.unparse(one.left)
        elif compared and isinstance(one, ast.Constant) and one.value:
            text = f"{one.value!r} is always true here; write {compared} in (..., {one.value!r})"
            yield finding(one, "CL010", text)


def changed_name(node: ast.AST) -> ast.Name | None:
    """Return the name of the list or dict that a node changes; None if it changes none."""
    holder: ast.expr | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
        holder = node.value
    elif isinstance(node, ast.AugAssign):
        holder = node.target
    elif isinstance(node, ast.Call):
        holder = _changed_by(node)
    return holder if isinstance(holder, ast.Name) else None


def _changed_by(node: ast.Call) -> ast.expr | None:
    """Return what a call changes: the list or dict of a method, or the counter that next()
    advances.
    """
    if isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
        return node.func.value
    return node.args[0] if ast.unparse(node.func) == "next" and node.args else None
