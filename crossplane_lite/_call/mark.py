"""The mark: an annotation on composed resources that names the steps of the pipeline which register them.

A step's identity is the function's name, with a hash of the step's input if it has one (`Call.step`). The mark's value
is a list of such identities, separated by commas. The steps also share one key of the pipeline's context,
`HELD_BACK_KEY`, under which each step says which of its resources wait for values.
"""

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
    """Return which step an observed resource belongs to, by its mark: `OURS`, `OUR_NAME`, `OTHERS` or `NO_MARK`.

    It is `OURS` also under a former name of the function (`formerly`), and `OUR_NAME` for a step of the same function
    with another input. Raises WireError for malformed bytes.
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
    """Return the mark's value with `step` added, if it doesn't have this step yet. The other steps stay.

    A `before` that isn't a string counts as empty.
    """
    steps = steps_in(before)
    return ",".join(steps if step in steps else [*steps, step])


def steps_in(annotation: Any) -> list[str]:
    """Return the identities of the steps in `annotation`, the mark's value; an empty list if it isn't a string."""
    return [step for step in annotation.split(",") if step] if isinstance(annotation, str) else []
