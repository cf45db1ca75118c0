"""Finds loops over the letters of a text, such as `for zone in spec.zone`, where a list is meant.

The columns of the code that read a text tell which expression it was, from Python 3.11 on.
"""

from __future__ import annotations

import ast
import functools
import linecache
import os
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Final

from ..._core.base.texts import short_text
from ..._core.call.lookups import Columns, columns, columns_at

Place = tuple[CodeType, int]
"""The code of a function, and the place of one of its instructions."""

# Functions that give the elements of their argument.
_SAME_ELEMENTS: Final = frozenset({"enumerate", "list", "reversed", "set", "sorted", "tuple"})
_MOST_STEPS: Final = 8  # a name may be set to what is made of it


def over_letters(reads: Mapping[Place, str]) -> Iterator[str]:
    """Yield a message for each loop over the letters of a text.

    Args:
        reads: The paths of the fields from which texts were read, such as `xr.spec.zone`, by what
            has read them.
    """
    loops: dict[str, Mapping[Columns, ast.For]] = {}
    for (code, at), path in reads.items():
        file = code.co_filename
        if file not in loops:
            loops[file] = _loops("".join(linecache.getlines(file)))
        loop = loops[file].get(columns_at(code, at))
        if loop is not None:
            target, text = ast.unparse(loop.target), short_text(ast.unparse(loop.iter))
            yield (
                f"{os.path.basename(file)}:{loop.lineno}: `for {target} in {text}` takes the"
                f" letters of {path}, which is a string; make it a list where it is declared, or"
                " write [...] around it"
            )


@functools.lru_cache(16)
def _loops(source: str) -> Mapping[Columns, ast.For]:
    """Return the loops of a file by the columns of the value that they go over."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # the file was changed after its import
        return {}
    found: dict[Columns, ast.For] = {}
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for loop in ast.walk(function):
            if isinstance(loop, ast.For):
                found[columns(_value_in(function, loop.iter))] = loop
    return found


def _value_in(function: ast.AST, gone_over: ast.expr) -> ast.expr:
    """Return the value that a loop goes over, without `enumerate(...)`, `... or []` and a name for
    it.
    """
    found: ast.expr | None = gone_over
    for _ in range(_MOST_STEPS):
        value = found
        if isinstance(value, ast.Name):
            found = _set_once(function, value.id)
        elif isinstance(value, ast.BoolOp):
            found = value.values[0]
        elif (
            isinstance(value, ast.Call) and ast.unparse(value.func) in _SAME_ELEMENTS and value.args
        ):
            found = value.args[0]
        if found is None or found is value:
            break
    return found or gone_over


def _set_once(function: ast.AST, name: str) -> ast.expr | None:
    """Return what a name is set to in a function; None if that isn't one value."""
    stores = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    ]
    if sum(one.id == name for one in stores) != 1:
        return None
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(
            isinstance(one, ast.Name) and one.id == name for one in node.targets
        ):
            return node.value
    return None
