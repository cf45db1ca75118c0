"""The composition function that runs the script in its step's input."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Final

from .._core.base.texts import json_type_in_words, json_value_in_words
from ..composition import Function
from ..context import Context
from ..errors import InputError
from .limit import TooLong, run_limited
from .text import FILE, compiled

_KEYS: Final = frozenset(
    {"apiVersion", "kind", "metadata", "parameters", "script", "timeoutSeconds"}
)
_SECONDS: Final = 10
_MOST_SECONDS: Final = 60


def _compose(ctx: Context) -> None:
    text, seconds = _of_input(ctx.input)
    try:
        run_limited(lambda: compiled(text)(ctx), seconds)
    except TooLong:
        raise InputError(
            f"the script takes longer than {seconds:g} seconds; make it faster, or raise"
            f" input.timeoutSeconds, which can be at most {_MOST_SECONDS}"
        ) from None


def _of_input(given: Mapping[str, Any] | None) -> tuple[str, float]:
    """Return the text of the script and its time limit in seconds, from the step's input. Raises
    InputError.
    """
    if given is None or "script" not in given:
        raise InputError(
            "the step has no script: write it into the input, as `script: |` with a compose(ctx)"
        )
    for key in given:
        if key not in _KEYS:
            near = difflib.get_close_matches(key, sorted(_KEYS), n=1)
            hint = (
                f"; did you mean {near[0]!r}?"
                if near
                else "; values for the script go under parameters"
            )
            raise InputError(f"input.{key} is not a field{hint}")
    text, seconds = given["script"], given.get("timeoutSeconds", _SECONDS)
    if not isinstance(text, str):
        raise InputError(
            f"input.script must be a string (got {json_type_in_words(text)}); is the | missing?"
        )
    if (
        isinstance(seconds, bool)
        or not isinstance(seconds, (int, float))
        or not 0 < seconds <= _MOST_SECONDS
    ):
        raise InputError(
            f"input.timeoutSeconds must be a number above 0, and at most {_MOST_SECONDS} "
            f"(got {json_value_in_words(seconds, f'{seconds!r:.60}')})"
        )
    return text, seconds


function = Function(_compose, "crossplane_lite.scripts")
# So messages about an error name the last line that ran inside of the script.
function.file = FILE
