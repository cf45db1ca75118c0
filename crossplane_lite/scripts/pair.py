"""The function that runs scripts of function-python: `compose(req, rsp)`, or for Operations
`operate(req, rsp)`.
"""

from __future__ import annotations

from typing import Any

from .._core.compat.pairs import Pair
from ..errors import InputError
from .text import executed

__all__ = ["Messages", "messages"]


class Messages:
    """Runs the script in the field `script` of its step's input, as function-python does."""

    def RunFunction(self, request: Any, context: Any) -> Any:
        """Answer a request with a response, or an awaitable of one."""
        given = request.input.fields.get("script") if "script" in request.input.fields else None
        if given is None or not given.string_value:
            raise InputError(
                "the step has no script: write it into the input, as `script: |` with a"
                " compose(req, rsp)"
            )
        names = executed(given.string_value)
        found = names.get(
            "compose" if request.observed.composite.ByteSize() else "operate"
        ) or names.get("compose")
        if not callable(found):
            raise InputError(
                "the script has no compose(req, rsp): it must define a function of that name"
            )
        return Pair(found).RunFunction(request, context)


messages = Messages()
