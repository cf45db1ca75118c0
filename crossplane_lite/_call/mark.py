"""The mark of a step on the resources that it registers: the annotation that says whose they are."""

from __future__ import annotations

from typing import Any, Final

from .. import _wire

__all__ = ["ANNOTATION", "is_ours", "joined_steps", "steps_in"]

ANNOTATION: Final = "crossplane-lite/function"


def is_ours(raw: bytes, step: str) -> bool:
    """Say whether an observed resource was registered by this step."""
    return step in steps_in(_wire.get_path(raw, ("metadata", "annotations", ANNOTATION)))


def joined_steps(before: Any, step: str) -> str:
    """Return the annotation's value with `step` in it."""
    steps = steps_in(before)
    return ",".join(steps if step in steps else [*steps, step])


def steps_in(annotation: Any) -> list[str]:
    """Return the steps that an annotation's value names."""
    return [step for step in annotation.split(",") if step] if isinstance(annotation, str) else []
