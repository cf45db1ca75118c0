"""Says what Python's own exceptions leave open: which keys a dict has, what is None, how a function
is called.

The line and the columns of the code that failed say it, from Python 3.11 on. Only messages about
mistakes need this module, so only they import it.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FrameType, FunctionType, ModuleType, TracebackType
from typing import Any, Final

from ...errors import UnresolvedError
from ..base.folder import PACKAGE
from ..base.official import instead
from ..base.sentinels import UNSET
from ..base.texts import near_name, short_repr, short_text, shortened, some
from ..models.mistakes import not_a_dict
from ..models.node import WAIT, ModelShape, shown
from ..observed.observable import Observable, known
from ..observed.tracker import current

_MOST: Final = 10
_OWN: Final = f"{__name__.partition('.')[0]}."
_ADDED_DICTS: Final = re.compile(r"for \+=?: '(dict|\w+Map)' and '(dict|\w+Map)'")
_IMPORT: Final = re.compile(r"cannot import name '(\w+)'")
_NUMBER: Final = re.compile("invalid literal for int|could not convert string to float")
_ARGUMENTS: Final = re.compile(r"(positional|keyword)(-only)? argument")
_SET_BY: Final = (
    ": a step before this one, such as function-environment-configs, fills it, and previews take"
    " --context-values apiextensions.crossplane.io/environment='{...}'"
)
_OF_JSON: Final = {"true": "True", "false": "False", "null": "None"}
_HOLDERS: Final = (ast.Dict, ast.Lambda, ast.List, ast.Set, ast.Tuple)
_OF_NAMES: Final = (AttributeError, ImportError, NameError)

Columns = tuple["int | None", ...]
"""The first and the last line of an expression, and its first and its last column."""


def advice(error: BaseException, author: str) -> str:
    """Return a hint, such as `; SIZES has eu, us` for a KeyError; an empty string if nothing is
    known.

    `author` is the path of the author's file, in which the exception was raised.
    """
    try:
        return _advice(error, author)
    except Exception:  # code that has failed may fail again where its values are read
        return ""


def _advice(error: BaseException, author: str) -> str:
    if isinstance(error, UnresolvedError):
        return _ordering(_node_at(_last_in(error, author)))
    last = _last_in(error)
    if last is None:
        return ""
    frame = last.tb_frame
    file = frame.f_code.co_filename
    node = _node_at(last) if file == author else None
    if isinstance(error, LookupError):
        return _entries(error, node, frame) or _of_others(
            error, frame, is_own=file.startswith(PACKAGE)
        )
    if isinstance(error, TypeError):
        return _no_json(error, frame) or _types(error, node, frame)
    if isinstance(error, ValueError):
        return _values(error, node, frame)
    for kind, say in _SAYS.items():
        if isinstance(error, kind):
            return say(error, frame) or _none(error, node) or _no_key(error, node, frame)
    return ""


def missing_arguments(error: BaseException) -> tuple[str, list[str]] | None:
    """Return a function that was called with missing values, as the author wrote it, and the paths
    of the values.

    None if no function with a missing value among its arguments has failed.
    """
    place = error.__traceback__
    while place is not None:
        node = None if place.tb_frame.f_code.co_filename.startswith(PACKAGE) else _node_at(place)
        if isinstance(node, ast.Call):
            given = [("", one) for one in node.args] + [
                (one.arg or "", one.value) for one in node.keywords
            ]
            values = [(name, _value_of(one, place.tb_frame)) for name, one in given]
            missing = {
                value.source_path: name for name, value in values if type(value) is Observable
            }
            if missing:
                function, name = ast.unparse(node.func), "".join(missing.values())
                is_only = len(given) == 1 and name  # apply() takes no arguments with names
                return f"lambda value: {function}({name}=value)" if is_only else function, [
                    *missing
                ]
        place = place.tb_next
    return None


def missing_operands(error: BaseException, author: str) -> list[str]:
    """Return the paths of the missing values that the author's failing expression uses as plain
    values.

    The list is empty if there are none, and for a name or attribute that isn't there, whatever is
    missing. `author` is the path of the author's file, in which the exception was raised.
    """
    if isinstance(error, _OF_NAMES):
        return []
    values = [one for one in operands(error, author) if type(one) is Observable]
    return [one.source_path for one in values if known(one) is UNSET]


def operands(error: BaseException, author: str) -> list[Any]:
    """Return the values in the author's failing expression, as far as names and attributes lead to
    them.

    They are there only as long as the call is open, in which a look at them counts as no read.
    `author` is the path of the author's file.
    """
    place, call = _last_in(error, author), current()
    if place is None or call is None:
        return []
    found: list[Any] = []
    handed_out = len(call.handed_out)
    try:
        work = [_failed_part(place)]
        while work:
            node = work.pop(0)
            value = _value_of(node, place.tb_frame) if isinstance(node, ast.expr) else UNSET
            if value is not UNSET:
                found.append(value)
            elif node is not None:
                work += _parts(node, place.tb_frame)
    except Exception:  # as in `advice`
        return []
    finally:
        del call.handed_out[handed_out:]
    return found


def _last_in(error: BaseException, file: str = "") -> TracebackType | None:
    """Return the last place of an exception's traceback that is in a file, or in any; None if there
    is none.
    """
    found = None
    place = error.__traceback__
    while place is not None:
        if file in ("", place.tb_frame.f_code.co_filename):
            found = place
        place = place.tb_next
    return found


def _failed_part(place: TracebackType) -> ast.AST | None:
    """Return the expression that has failed: of an assert its test, of an unpacking the value that
    is unpacked.
    """
    node = _node_at(place)
    if isinstance(node, ast.Assert):
        return node.test
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store):
        tree = _tree_of(place.tb_frame)
        assigned = (one for one in ast.walk(tree) if isinstance(one, ast.Assign))
        return next((one.value for one in assigned if node.lineno == one.lineno), None)
    return node


def _parts(node: ast.AST, frame: FrameType) -> list[ast.AST]:
    """Return the parts of an expression whose values it uses.

    A list only holds its elements, and the arguments of this package's functions, such as
    `value_or`, may be missing.
    """
    if isinstance(node, _HOLDERS):
        return []
    if not isinstance(node, ast.Call):
        return [*ast.iter_child_nodes(node)]
    function = _value_of(node.func, frame)
    if isinstance(function, FunctionType) and function.__module__.startswith(_OWN):
        return []
    # A method of a missing value is none: the value itself is missing.
    called = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return [called, *node.args, *(one.value for one in node.keywords)]


def _ordering(node: ast.AST | None) -> str:
    """Return what to write in a call that orders values, such as max(), of which one is missing."""
    if not isinstance(node, ast.Call):
        return ""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    if name not in ("max", "min", "sort", "sorted"):
        return ""
    key = next((one.value for one in node.keywords if one.arg == "key"), None)
    if isinstance(key, ast.Lambda):
        return f"; for {name}(), write it in key=lambda {ast.unparse(key.args)}: ..."
    return (
        f"; or write apply({'sorted' if name == 'sort' else name}, [...]), which waits for the"
        " values"
    )


def _of_others(error: BaseException, frame: FrameType, *, is_own: bool) -> str:
    """Return what is known of a key that the context, or the environment's variables, don't
    have.
    """
    asked = frame.f_locals.get("self")
    if not isinstance(error, KeyError) or asked is None:
        return ""
    if asked is os.environ:
        return (
            "; this environment variable isn't set: os.environ.get(...) reads what may be missing"
        )
    keys = getattr(asked, "keys_there", None) if is_own else None
    return (
        "" if keys is None else _text(asked.name_in_messages, keys) + getattr(asked, "set_by", "")
    )


def _entries(error: BaseException, node: ast.AST | None, frame: FrameType) -> str:
    if not isinstance(node, ast.Subscript):
        return ""
    name = ast.unparse(node.value)
    if isinstance(error, KeyError) and type(error.args[0]) is Observable:
        return f"; it has no value yet, so write apply({name}.get, ...), which waits for it"
    found = _value_of(node.value, frame)
    if issubclass(type(found), dict):  # not isinstance(), which asks a missing value
        return _text(name, dict.keys(found)) + (_SET_BY if name.endswith("ctx.environment") else "")
    if issubclass(type(found), list):
        return f"; {name} has {list.__len__(found)}"
    is_first = isinstance(node.slice, ast.Constant) and node.slice.value == 0
    return "; nothing is in the list: next(iter(...), None) gives None then" if is_first else ""


def _text(name: str, keys: Iterable[Any]) -> str:
    shown = [short_text(key) if isinstance(key, str) else short_repr(key) for key in keys]
    return f"; {name} has {some(shown, _MOST)}" if shown else f"; {name} is empty"


def _attribute(error: AttributeError, frame: FrameType) -> str:
    """Return the near name, or the key, that was meant by an attribute that an object lacks."""
    name = error.name
    if not isinstance(name, str) or name[:1] == "_" or "; " in str(error):
        return ""
    kind = type(error.obj)
    names = dir(error.obj if kind is ModuleType else kind)
    hint = instead(name, kind.__name__) or near_name(name, [one for one in names if one[:1] != "_"])
    return hint or (f"; write [{name!r}]" if _is_key(name, error.obj) else "")


def _is_key(name: str, holder: object) -> bool:
    """Return whether a mapping has a key; a mapping of this package that says no keys has any."""
    if issubclass(type(holder), dict):
        return dict.__contains__(holder, name)  # type: ignore[operator]
    return isinstance(holder, Mapping) and name in getattr(holder, "keys_there", (name,))


def _name(error: NameError, frame: FrameType) -> str:
    if isinstance(error, UnboundLocalError):
        return "; no line that has run sets it: set it before, for all cases"
    name = str(error.name)
    constant = _OF_JSON.get(name)
    return (
        f"; Python writes {constant}"
        if constant
        else near_name(name, [*frame.f_locals, *frame.f_globals])
    )


def _no_key(error: BaseException, node: ast.AST | None, frame: FrameType) -> str:
    """Return what to write for a name that nothing has, and that is a key of a dict in the
    source.
    """
    if not isinstance(error, NameError) or not isinstance(node, ast.Name):
        return ""
    dicts = (one for one in ast.walk(_tree_of(frame)) if isinstance(one, ast.Dict))
    keys = (key for one in dicts for key in one.keys if isinstance(key, ast.Name))
    is_key = any(columns(key) == columns(node) for key in keys)
    return f"; a key is a text: write {node.id!r}" if is_key else ""


def _imported(error: ImportError, frame: FrameType) -> str:
    """Return the near name that was meant in `from module import name`, or what replaces a relative
    import.
    """
    if "no known parent package" in str(error):
        return (
            "; write `from helpers import ...` without the dot, or run in the folder above and name"
            " the package: PACKAGE.MODULE:FUNCTION"
        )
    module = sys.modules.get(str(error.name))
    found = _IMPORT.search(str(error))
    return near_name(found[1], dir(module)) if module is not None and found is not None else ""


def _stopped(error: StopIteration, frame: FrameType) -> str:
    return "; next(..., None) gives None where there is none"


_SAYS: Final[dict[type[Exception], Callable[[Any, FrameType], str]]] = {
    AttributeError: _attribute,
    ImportError: _imported,
    NameError: _name,
    StopIteration: _stopped,
}


def _no_json(error: TypeError, frame: FrameType) -> str:
    """Return what to write for a value that Python's json can't, with the path of one that is
    missing.
    """
    if "is not JSON serializable" not in str(error):
        return ""
    value: Any = frame.f_locals.get("o")  # of JSONEncoder.default(self, o)
    is_missing = type(value) is Observable and known(value) is UNSET
    missing = f"{value.source_path} has no value yet: " if is_missing else ""
    return (
        f"; {missing}crossplane_lite.json_dumps(...) also writes models, and values that are"
        " missing"
    )


def _types(error: TypeError, node: ast.AST | None, frame: FrameType) -> str:
    if _ADDED_DICTS.search(str(error)):
        return "; dicts are joined by | and |="
    if isinstance(node, ast.Call) and "is not callable" in str(error):
        sort = "module" if type(_value_of(node.func, frame)) is ModuleType else "value"
        return (
            f"; {short_text(ast.unparse(node.func))} is a {sort}, not a function: write it"
            " without ()"
        )
    return _none(error, node) or _called(error, node, frame) or _operand(error, node, frame)


def _none(error: BaseException, node: ast.AST | None) -> str:
    if "'NoneType'" not in str(error) or not isinstance(node, (ast.Attribute, ast.Subscript)):
        return ""
    return f"; {short_text(ast.unparse(node.value))} is None"


def _operand(error: TypeError, node: ast.AST | None, frame: FrameType) -> str:
    """Return what is wrong with a value that code works with: it isn't set, or is a model in place
    of a dict.
    """
    for one in _operands(node):
        value, name = _value_of(one, frame), short_text(ast.unparse(one))
        if value is None and "NoneType" in str(error):
            return f"; {name} is None: give a default, as in ({name} or ...)"
        if not issubclass(type(value), ModelShape) or type(value).__name__ not in str(error):
            continue
        if not value._is_open():
            return f"; {not_a_dict(value, None)}"
        if value._absent and value._node.state != WAIT:
            return f"; {shown(value._node)} isn't set: give a default, as in ({name} or ...)"
    return ""


def _operands(node: ast.AST | None) -> list[ast.expr]:
    """Return the arguments of a call, both sides of an operator, or the values of a dict."""
    if isinstance(node, ast.Call):
        return [*node.args, *(one.value for one in node.keywords)]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return node.values if isinstance(node, ast.Dict) else []


def _values(error: ValueError, node: ast.AST | None, frame: FrameType) -> str:
    """Return what to do about a text in place of a number, and about too few or too many values for
    names.
    """
    if "Invalid format specifier" in str(error):
        return (
            "; in an f-string a brace of JSON is written {{ and }};"
            " crossplane_lite.json_dumps({...}) is easier"
        )
    if isinstance(node, ast.Call) and _NUMBER.search(str(error)) and node.args:
        return (
            f"; {short_text(ast.unparse(node.args[0]))} must be a number: its schema can say so,"
            " with type: integer"
        )
    if isinstance(node, ast.For):
        is_mapping = issubclass(type(_value_of(node.iter, frame)), (dict, ModelShape))
        return (
            f"; {short_text(ast.unparse(node.iter))}.items() gives keys and values"
            if is_mapping
            else ""
        )
    if not isinstance(node, ast.Assign):
        return ""
    name = short_text(ast.unparse(node.value))
    value = _value_of(node.value, frame)
    is_missing = type(value) is Observable or (
        issubclass(type(value), ModelShape) and value._absent
    )
    if is_missing:
        return f"; {name} has no value: ask `if {name}:` first"
    return f"; `first, *others = {name}` takes one value or more"


def _called(error: BaseException, node: ast.AST | None, frame: FrameType) -> str:
    """Return how the function is called whose arguments are wrong."""
    if not isinstance(node, ast.Call) or not _ARGUMENTS.search(str(error)):
        return ""
    function = _value_of(node.func, frame)
    if not callable(function):
        return ""
    known = inspect.signature(function)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in known.parameters.values()]
    shape = known.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    return f"; it is called as {shortened(f'{ast.unparse(node.func)}{shape}')}"


def _node_at(place: TracebackType | None) -> ast.AST | None:
    """Return the expression or assert that has failed at a place, or what gives its values to
    names.

    None if it isn't known.
    """
    if place is None:
        return None
    code = place.tb_frame.f_code
    wanted = columns_at(code, place.tb_lasti)
    if not wanted:
        return None
    for node in ast.walk(_tree_of(place.tb_frame)):
        if any(columns(one) == wanted for one in _names(node)):
            return node
        if isinstance(node, (ast.expr, ast.Assert)) and columns(node) == wanted:
            return node
    return None


def _tree_of(frame: FrameType) -> ast.AST:
    """Return the syntax tree of a frame's file; an empty one if the file was changed after its
    import.
    """
    try:
        return ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _names(node: ast.AST) -> list[ast.expr]:
    """Return the lists of names that an assignment or a loop gives values to."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.For):
        targets = [node.target]
    return [one for one in targets if isinstance(one, (ast.List, ast.Tuple))]


def columns_at(code: CodeType, at: int) -> Columns:
    """Return the columns of the expression that an instruction belongs to; empty if they aren't
    known.

    The code of Python 3.10 says only the line.
    """
    positions = getattr(code, "co_positions", None)
    return () if positions is None else next(itertools.islice(positions(), at // 2, None), ())


def columns(node: ast.expr | ast.Assert) -> Columns:
    """Return the columns of an expression in a source."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _value_of(node: ast.expr, frame: FrameType) -> Any:
    """Return the value of an expression in a frame; UNSET if finding it could run code of the
    author.

    So only names, attributes and constant keys are followed.
    """
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id, UNSET))
    if isinstance(node, ast.Attribute):
        holder = _value_of(node.value, frame)
        if issubclass(type(holder), ModelShape) or type(holder).__module__.startswith(_OWN):
            return getattr(holder, node.attr, UNSET)
        return getattr(holder, "__dict__", {}).get(node.attr, UNSET)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        holder = _value_of(node.value, frame)
        return (
            dict.get(holder, node.slice.value, UNSET) if issubclass(type(holder), dict) else UNSET
        )
    return UNSET
