"""A place in a source at which something is wrong."""

from __future__ import annotations

import ast
from typing import NamedTuple


class Finding(NamedTuple):
    """A place in a source.

    Attributes:
        line: The line, from 1.
        column: The column, from 1.
        code: The rule's name, such as `CL001`.
        text: What is wrong there, and what to write.
    """

    line: int
    column: int
    code: str
    text: str


def finding(node: ast.expr, code: str, text: str) -> Finding:
    """Return the finding at an expression."""
    return Finding(node.lineno, node.col_offset + 1, code, text)
