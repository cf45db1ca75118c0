"""The findings of runs of compose() with other answers: the parts of its answer that depend on missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.walker import Tree
    from .._observed.observable import Observable
    from .differences import Difference

__all__ = ["Kept", "Look"]


class Kept(NamedTuple):
    """An existing resource that the real run doesn't register, and that stays as it is.

    Attributes:
        ready: Its readiness as a run says that registers it; None to go by the rule of its kind.
        fatal: Whether its author chose to stop while it is unresolved.
    """

    ready: bool | None = None
    fatal: bool = False


class Look:
    """The findings of the runs.

    Attributes:
        sources: The values that were used as plain ones, by path.
        made_from: The values that texts were made from, by path.
        unresolved: For each registered resource the places that are as unresolved as a direct reference.
        decided: For each registered resource the places that a guess decided; they count where the resource exists.
        frozen: The registered resources that exist and must not change.
        kept: The existing resources that A doesn't register, and that stay.
        held: The new resources that must not be created yet, registered or not.
        named_by: The values that names of resources were made from.
        unknown: The new resources whose names differ from run to run; they must not be created either.
        removed: The names that every run removes.
        unstable: Values that compose() makes anew each time it runs, as people read them.
        status: The places of the composite's status that are unresolved.
        details: The composite's connection details that are unresolved.
        context: The context's keys that a guess decided.
        encoded: Registered resources as bytes, as far as somebody has looked.
        trees: The fields set in registered resources, as far as somebody has looked; each to be used once.
        texts: Results and conditions in which a placeholder was cut or hashed, and their common parts.
        runs: How often compose() has run by now.
    """

    __slots__ = (
        "context",
        "decided",
        "details",
        "encoded",
        "frozen",
        "held",
        "kept",
        "made_from",
        "named_by",
        "removed",
        "runs",
        "sources",
        "status",
        "texts",
        "trees",
        "unknown",
        "unresolved",
        "unstable",
    )

    def __init__(self, call: Call) -> None:
        made_from = {one.source_path: one for one in call.tokens.values()}
        self.made_from: list[Observable[Any]] = [one for _, one in sorted(made_from.items())]
        self.sources = [one for _, one in sorted(call.guesses.items())] or list(self.made_from)
        self.unresolved: dict[str, list[Difference]] = {}
        self.decided: dict[str, list[Difference]] = {}
        self.frozen: set[str] = set()
        self.kept: dict[str, Kept] = {}
        self.held: set[str] = set()
        self.named_by: list[Observable[Any]] = []
        self.unknown: set[str] = set()
        self.removed: set[str] = set()
        self.unstable: list[str] = []
        self.status: list[Difference] = []
        self.details: set[str] = set()
        self.context: set[str] = set()
        self.texts: dict[str, str] = {}
        self.encoded: dict[str, bytes | None] = {}
        self.trees: dict[str, Tree] = {}
        self.runs = 1

    def concerns(self, name: str) -> bool:
        """Say whether the runs have shown anything of a registered resource."""
        return any(name in names for names in (self.unresolved, self.decided, self.frozen, self.held, self.unknown))
