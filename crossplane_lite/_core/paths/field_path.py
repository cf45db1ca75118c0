"""Field paths as the functions specification writes them, such as
`spec.template.spec.containers[3].resources`.

A path is a sequence of steps: keys, indexes, and selections of an element by its fields. KRM
functions, the helpers for resources, the paths of Observables and simulations all use this grammar.
The module imports only modules that every KRM function has loaded already.

- `spec.replicas`: Keys, with dots between them;
- `[3]`: An index; `[-1]` is the last element, `[-2]` the last but one;
- `[name=web]`: The element of a list that has this field. Several fields are given as in
  `[containerPort=80,protocol=TCP]`. A value without quotes stands for the string and for the value
  that YAML reads: `80` for "80" and for 80;
- `["a.b/c"]`, `['a.b/c']`, `[a.b/c]`: A key that may have dots. In quotes it may have any character
  or only digits; a character after a backslash stands for itself;
- `ports.0`: Digits between dots: an index in a list, a key in a mapping, as in the functions
  specification's example.
"""

from __future__ import annotations

import functools
import re

from ...errors import UsageError
from ..base.texts import value_in_words
from .text import Digits, show
from .trees import LONGEST_INDEX, Bare, Select

# type checkers treat it as typing.TYPE_CHECKING; importing typing would take too long
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .trees import Step

_QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_FIELD = r"""\s*[^\s=\[\]"',]+"""
_VALUE = rf"""(?:\s*{_QUOTED}\s*|[^\[\]"',]*)"""
# A key, or in brackets: a key in quotes, a selection, an index or a bare key. It is compiled when
# it is first used, because most paths have no brackets.
_STEP = (
    rf"(?:^|(?<=.)\.)([^.\[\]]+)|\[\s*({_QUOTED})\s*\]|\[({_FIELD}={_VALUE}(?:,{_FIELD}={_VALUE})*)\]"
    rf"""|\[(?!\s*{_QUOTED})([^\[\]="'*][^\[\]=]*)\]"""
)


def parse(path: str, *, whole_labels: bool = False) -> tuple[Step, ...]:
    """Split a field path into its steps: keys, indexes and selections, as the module's docstring
    describes them.

    Args:
        path: The path.
        whole_labels: Refuse a path with dots in the name of a label or an annotation, such as
            `metadata.labels.example.org/a`. Each dot begins a new step, so the path would lead to
            nothing.

    Raises:
        UsageError: `path` isn't a field path, or `whole_labels` refuses it.
    """
    if not isinstance(path, str):
        raise UsageError(f"a field path must be a string (got {value_in_words(path)})")
    steps = _parsed(path)
    if whole_labels and len(steps) > 3:
        _check_labels(path, steps)
    return steps


def _check_labels(path: str, steps: tuple[Step, ...]) -> None:
    for at, step in enumerate(steps[1:-2], 1):
        if step in ("labels", "annotations") and steps[at - 1] == "metadata":
            whole = ".".join(map(str, steps[at + 1 :]))
            raise UsageError(
                f"{path!r} has dots in the name of"
                f" {'a label' if step == 'labels' else 'an annotation'}; write it as"
                f" {show([*steps[: at + 1], whole])}"
            )


@functools.lru_cache(maxsize=1024)
def _parsed(path: str) -> tuple[Step, ...]:
    if "[" not in path and "]" not in path and all(parts := path.split(".")):
        return tuple(map(_key, parts))
    steps: list[Step] = []
    at = 0
    while at < len(path) or not steps:
        found = re.compile(_STEP, re.DOTALL).match(path, at)
        if found is None:
            raise _malformed(path)
        steps.append(_step(path, *found.groups("")))
        at = found.end()
    return tuple(steps)


def _step(path: str, key: str, quoted: str, selection: str, inner: str) -> Step:
    """Return the step for its text, which is one of the last four arguments; the others are
    empty.
    """
    if key:
        return _key(key)
    if quoted:
        return _unquoted(quoted)
    if selection:
        fields = re.findall(f"({_FIELD})=({_VALUE})", selection, re.DOTALL)
        values = [(name.strip(), value.strip()) for name, value in fields]
        return Select(
            {name: _unquoted(one) if one[:1] in ('"', "'") else Bare(one) for name, one in values}
        )
    digits = inner.removeprefix("-")
    if not digits.isdecimal() or not digits.isascii():
        return inner
    if len(digits) > LONGEST_INDEX:
        raise _malformed(path)
    return int(inner)


def _key(text: str) -> str:
    return Digits(text) if text.isdecimal() and text.isascii() else text


def _unquoted(text: str) -> str:
    """Return the text in a pair of quotes without the backslashes of escapes."""
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


def _malformed(path: str) -> UsageError:
    return UsageError(
        f"{path!r} isn't a field path; write it as spec.ports[2].port or"
        " spec.containers[name=web].image; put keys with dots into brackets and quotes:"
        ' metadata.annotations["example.org/a"]; there are no wildcards'
    )
