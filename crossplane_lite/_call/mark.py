"""The marks of steps: the annotation on the resources that a step registers, and the steps' key in the context."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

from .. import _wire

__all__ = [
    "ANNOTATION",
    "HELD_BACK_KEY",
    "NO_MARK",
    "OTHERS",
    "OURS",
    "OUR_NAME",
    "is_step_of",
    "joined_steps",
    "steps_in",
    "whose",
]

ANNOTATION: Final = "crossplane-lite/function"

HELD_BACK_KEY: Final = "crossplane-lite/held-back"
"""The key of the context under which each step says who waits (`crossplane_lite._waits.entry`)."""

OURS: Final = "ours"
OUR_NAME: Final = "our name"  # the function's name, and the hash of another input than the step has now
NO_MARK: Final = "no mark"  # the resource was made by hand, or by another SDK
OTHERS: Final = "others"

_HASHED: Final = re.compile("-[0-9a-f]{8}")


def whose(raw: bytes, step: str, name: str, formerly: Collection[str] = ()) -> str:
    """Return whose an observed resource is, by the mark in its annotation.

    `OURS` is this step's, also under a former name of the function. `OUR_NAME` belongs to a step of the same function
    with another input, `OTHERS` to other steps, and `NO_MARK` to no step.

    Args:
        raw: The resource's Struct bytes.
        step: The step's identity.
        name: The function's name.
        formerly: The names that the function had before.
    """
    steps = steps_in(_wire.get_path(raw, ("metadata", "annotations", ANNOTATION)))
    if step in steps or any(is_step_of(one, former) for one in steps for former in formerly):
        return OURS
    if any(is_step_of(one, name) for one in steps):
        return OUR_NAME
    return OTHERS if steps else NO_MARK


def is_step_of(step: str, name: str) -> bool:
    """Say whether `step`, a step's identity, belongs to the function called `name`, with any input."""
    return step == name or (step.startswith(name) and _HASHED.fullmatch(step, len(name)) is not None)


def joined_steps(before: Any, step: str) -> str:
    """Return the annotation's value with `step` added; unchanged if `step` is in it. The other steps stay.

    Args:
        before: The present value. Anything but a string counts as empty.
        step: The step's identity.
    """
    steps = steps_in(before)
    return ",".join(steps if step in steps else [*steps, step])


def steps_in(annotation: Any) -> list[str]:
    """Return the steps in `annotation`, the annotation's value; an empty list if it isn't a string."""
    return [step for step in annotation.split(",") if step] if isinstance(annotation, str) else []
