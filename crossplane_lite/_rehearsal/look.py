"""The findings of more runs of compose(): the parts of the answer that depend on missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.walker import Tree
    from .._observed.observable import Observable
    from .differences import Difference

__all__ = ["Kept", "Look"]


class Kept(NamedTuple):
    """An existing resource that stays as it is although the real run doesn't register it.

    Attributes:
        ready: The readiness that another run sets for the resource; None to use the rules of its kind.
        fatal: Whether the resource's `on_unresolved` is "fatal".
    """

    ready: bool | None = None
    fatal: bool = False


class Look:
    """The findings of the runs of compose() for one answer.

    Resources are named by their composition resource names. A place is a field of a resource or of the composite. A
    guess is a use of a missing value as a plain one, as in `if value`.

    Attributes:
        sources: The missing values that were used as plain values, sorted by path. If there are none, the values of
            `made_from`. Missing values that compose() read, but that have no use in the answer, are added at the end.
        made_from: The missing values that texts were made from, sorted by path.
        unresolved: The places, by resource, that depend on the text of a placeholder, though no missing value shows in
            them.
        decided: The places, by resource, that depend on a guess. They only count if the resource exists.
        frozen: The registered resources that exist and must not change.
        kept: The existing resources that the real run doesn't register, and that must stay.
        held: The new resources that must not be created yet, whether the real run registers them or not.
        named_by: The missing values that names of resources were made from.
        unknown: The new resources whose names differ from run to run. They must not be created.
        removed: The names that every run removes.
        unstable: The paths of values that are different each time compose() runs, for people. A resource's name that is
            different each time is listed as "the name of a resource".
        status: The places of the composite that depend on the text of a placeholder, though no missing value shows in
            them.
        details: The keys of the composite's connection details that depend on the text of a placeholder.
        guessed_details: The keys of the composite's connection details whose values depend on a guess. They may be set
            in another run only.
        context: The context's keys whose values depend on a guess.
        encoded: The Struct bytes of the registered resources that were encoded already. They are None if a value is
            unresolved or can't be encoded.
        trees: The fields set in the registered resources that were examined. Making the answer removes them from here.
        texts: The messages of results and conditions in which a placeholder was cut or hashed, each with the text to
            send instead.
        fails: Whether compose() raises the same exception at the same place whatever the missing values are taken for.
        runs: The number of times that compose() has run, the real run included.
    """

    __slots__ = (
        "context",
        "decided",
        "details",
        "encoded",
        "fails",
        "frozen",
        "guessed_details",
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
        self.guessed_details: set[str] = set()
        self.context: set[str] = set()
        self.texts: dict[str, str] = {}
        self.encoded: dict[str, bytes | None] = {}
        self.trees: dict[str, Tree] = {}
        self.fails = False
        self.runs = 1

    def concerns(self, name: str) -> bool:
        """Say whether there are findings about the registered resource called `name`."""
        return any(name in names for names in (self.unresolved, self.decided, self.frozen, self.held, self.unknown))
