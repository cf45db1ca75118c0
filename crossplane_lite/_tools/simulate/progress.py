"""The texts that say why a simulation doesn't become stable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..._core.base.excerpts import some
from ..._core.call.mark import without_memory
from .merging import differences

if TYPE_CHECKING:
    from .simulation import Round

__all__ = ["listed", "oscillation", "slowness"]


def oscillation(rounds: Sequence[Round], first: int) -> str:
    """Return a text for a simulation that repeats itself. It says which two rounds are equal, and which fields change.

    Args:
        rounds: All rounds. The last round has the same result as an earlier round.
        first: The number of that earlier round, counted from 1.
    """
    changing = {path for at in range(first, len(rounds)) for path in _changed(rounds, at)}
    return (
        f"the simulation never becomes stable: round {len(rounds)} has the same result as round {first}, but the "
        f"rounds between them have others, so the rounds repeat; these change: {listed(changing)}"
    )


def slowness(rounds: Sequence[Round]) -> str:
    """Return a text for a simulation that took too many rounds. It names the fields that the last round changed."""
    return (
        f"the simulation isn't stable after {len(rounds)} rounds, and no two rounds had the same result; allow more "
        f"rounds (--max-rounds, or most_rounds); these still change: {listed(_changed(rounds, len(rounds) - 1))}"
    )


def listed(names: Iterable[str]) -> str:
    """Return the first five of the sorted names, separated by commas, and `and N more` for the others.

    For no names, return `none`.
    """
    return some(sorted(names), 5) or "none"


def _changed(rounds: Sequence[Round], index: int) -> list[str]:
    """Return the paths of the fields that differ between the round at `index` (1 or more) and the round before it.

    A resource that only one of the rounds composes is named as a whole, such as `vpc (added)`. Of the composite, only
    the status is compared.
    """
    before, after = (rounds[one].rendered for one in (index - 1, index))
    changed = []
    for name in sorted({*before.composed, *after.composed}):
        if name not in after.composed:
            changed.append(f"{name} (removed)")
        elif name not in before.composed:
            changed.append(f"{name} (added)")
        else:
            old, new = before.composed[name], after.composed[name]
            # What a mark remembers changes with the content. It is noise, unless nothing else changes.
            found = [*differences(without_memory(old), without_memory(new))] or differences(old, new)
            changed += [f"{name}.{path}" for path, _, _ in found]
    found = differences(before.composite.get("status"), after.composite.get("status"))
    return changed + [f"xr.status.{path}" for path, _, _ in found]
