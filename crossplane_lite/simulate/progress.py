"""Why a simulation doesn't become stable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from .merging import differences

if TYPE_CHECKING:
    from .simulation import Round

__all__ = ["listed", "oscillation", "slowness"]

_MOST_SHOWN: Final = 5


def oscillation(rounds: Sequence[Round], first: int) -> str:
    """Return a message: the last round ended as an earlier one did. It names the changes between the two.

    Args:
        rounds: The rounds.
        first: The number of the earlier one.
    """
    changing = {path for at in range(first, len(rounds)) for path in _changed(rounds, at)}
    return (
        f"it never gets stable: round {len(rounds)} came to the same as round {first}, and those between them to "
        f"something else, so it goes on in circles; these change: {listed(changing)}"
    )


def slowness(rounds: Sequence[Round]) -> str:
    """Return a message: there were too many rounds. It names the changes of the last one."""
    return (
        f"it isn't stable after {len(rounds)} rounds, and no state has come twice; more rounds may help; these still "
        f"change: {listed(_changed(rounds, len(rounds) - 1))}"
    )


def listed(names: Iterable[str]) -> str:
    """Return the first of some names in order, and how many more there are."""
    shown = sorted(names)
    more = len(shown) - _MOST_SHOWN
    return (", ".join(shown[:_MOST_SHOWN]) or "nothing") + (f" and {more} more" if more > 0 else "")


def _changed(rounds: Sequence[Round], index: int) -> list[str]:
    """Return the changes of a round, the first one having index 0."""
    before, after = (rounds[one].rendered for one in (index - 1, index))
    changed = []
    for name in sorted({*before.composed, *after.composed}):
        if name not in after.composed:
            changed.append(f"{name} (removed)")
        elif name not in before.composed:
            changed.append(f"{name} (added)")
        else:
            found = differences(before.composed[name], after.composed[name])
            changed += [f"{name}.{path}" for path, _, _ in found]
    statuses = (one.composite.get("status") for one in (before, after))
    return changed + [f"xr.status.{path}" for path, _, _ in differences(*statuses)]
