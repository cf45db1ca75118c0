"""What the page shows, as plain data.

Most events in a control plane repeat earlier ones: at rest each reconcile desires the same. So each
part (a change, a step, a graph, a whole reconcile) is stored once, as a fact, and is meant by its
number:

- `xrs`: `[kind, place]` of each composite or Operation;
- `reconciles`: `[time, number of the XR, number of the fact, whether it tries a loss]`, by
  time;
- `facts`: reconciles, steps, effects (changes of what exists), changes and graphs;
- `looks`: the colours of the graph.

A reconcile has `steps`, `effects`, `keeps` (the names of resources that stay although they wait for
values), `graph`, `conditions` and `error`, of which steps, effects and the graph are facts. A step
has `name`, `function`, `calls`, `changes`, `results`, `conditions`, `waits` and `notes`, of which
`changes` are facts: with `action`, `name`, `kind`, `note` and `fields`, those of the composite's
status without a name. A field is `[path, new, old, line]`, with values as JSON texts, and null for
a value that isn't there. A graph has `nodes` (`[state, level, lines, tooltip]`), `edges` (`[number
of the dependency, number of the dependent, tooltip, style, label]`) and `notes`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...._core.base.texts import escaped
from ...._core.paths.text import show
from ....composition import Function
from ....errors import CrossplaneLiteError
from ....proto import _view
from ...diff.compare import Difference, against_cluster, against_version, masking
from ...graph.appearance import (
    CYCLE,
    LINE,
    LOOKS,
    TEXT,
    edge_tooltip,
    node_lines,
    node_tooltip,
    short_edge_label,
)
from ...graph.graph import graph_of
from ...manifests.objects import text_of
from ...render.observing import COMPOSITE
from ...render.recording import Registered, record
from ...render.rendered import Rendered
from ...render.told import told
from ...simulate.effects import shown
from ...simulate.merging import ABSENT, copied
from ..messages import decoded
from .moments import desired_of

if TYPE_CHECKING:
    from ...._core.dependencies.entry import Waiting
    from ...diff.fields import Change
    from ...graph.graph import Graph
    from ...render.rendered import StepRun
    from .moments import Moment


def lines_of(run: StepRun) -> Callable[[str, str], str]:
    """Return a function from a resource's name and a field's path to the line that set it, such as
    `function.py:31`.

    compose() runs once more for this. The line is empty if it isn't known, which it never is for
    functions elsewhere.
    """
    function = getattr(run.runner, "function", None)
    if not isinstance(function, Function):
        return lambda name, path: ""
    names = [COMPOSITE, *_view.RunFunctionResponse.FromString(run.response).desired.resources]
    found = {
        name: _by_path(one) for name, one in record(function, run.request, names).resources.items()
    }

    def line(name: str, path: str) -> str:
        lines = found.get(name, {})
        while path not in lines and path:
            # What is below a path that isn't known was set with it. A list has one change, by keys
            # of its elements.
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return lines.get(path, "")

    return line


def _by_path(one: Registered) -> dict[str, str]:
    """Return the lines by path: those of fields, of all that is around them, and that of the
    resource for the rest.
    """
    lines = {"": one.made or one.registered}
    for steps, place in sorted(one.places.items(), key=lambda item: _sortable(item[0])):
        for end in range(len(steps), 0, -1):
            lines.setdefault(show(steps[:end]), place)
    return lines


def _sortable(steps: tuple[Any, ...]) -> list[str]:
    return [str(step) for step in steps]


_LONGEST: Final = 2000
_SEVERITIES: Final = {_view.SEVERITY_FATAL: "Fatal", _view.SEVERITY_WARNING: "Warning"}
_OF_A_STEP: Final = {"create": "adds", "change": "changes", "delete": "removes"}
_OF_A_RECONCILE: Final = {"create": "creates", "change": "changes", "delete": "deletes"}
_STAYS: Final = ("change", "kept")
_STATUSES: Final = {_view.STATUS_CONDITION_TRUE: "True", _view.STATUS_CONDITION_FALSE: "False"}

Mask = Callable[[str], str]


class _Facts:
    """Parts of the page, each of which is stored once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def add(self, fact: Any) -> int:
        """Return the number of a fact."""
        return self._numbers.setdefault(_json(fact), len(self._numbers))

    def texts(self) -> Iterable[str]:
        """Return the facts in JSON, in the order of their numbers."""
        return self._numbers


def facts(title: str, moments: Iterable[Moment], notes: Sequence[str] = ()) -> str:
    """Return what the page shows, in JSON.

    Args:
        title: What the page is about.
        moments: The reconciles.
        notes: Remarks for the reader on the whole.
    """
    found = _Facts()
    known: dict[Hashable, int] = {}
    xrs: dict[tuple[str, str], int] = {}
    rows = []
    for moment in moments:
        key = (moment.subject, moment.key)
        if key not in known:
            try:
                known[key] = _reconcile(found, moment)
            except (CrossplaneLiteError, RecursionError) as e:  # the other reconciles can be shown
                empty = found.add({"nodes": [], "edges": [], "notes": []})
                error = f"this reconcile can't be shown: {e}"
                known[key] = found.add(
                    {"steps": [], "conditions": [], "graph": empty, "error": error}
                )
        rows.append(
            [moment.time, xrs.setdefault(moment.subject, len(xrs)), known[key], moment.is_loss]
        )
    head = {
        "title": title,
        "notes": list(notes),
        "xrs": list(map(list, xrs)),
        "reconciles": sorted(rows),
        "looks": {
            "text": TEXT,
            "line": LINE,
            "cycle": CYCLE,
            "states": {
                state.value: [look.fill, look.stroke, look.style] for state, look in LOOKS.items()
            },
        },
    }
    return f'{_json(head)[:-1]},"facts":[{",".join(found.texts())}]}}'


def _json(value: Any) -> str:
    """Return a part of the page in JSON, in which control characters and halves of characters can
    be seen.
    """
    return json.dumps(
        copied(value, text=lambda text: "\n".join(map(escaped, text.split("\n")))),
        separators=(",", ":"),
    )


def _reconcile(found: _Facts, moment: Moment) -> int:
    outcome = moment.outcome()
    steps: list[int] = []
    composite: Mapping[str, Any] = outcome.composite or {}
    observed: list[dict[str, Any]] = []
    mask: Mask = str
    for run, waiting in zip(outcome.steps, told(outcome.steps), strict=True):
        request = _view.RunFunctionRequest.FromString(run.request)
        response = _view.RunFunctionResponse.FromString(run.response)
        composite = decoded(request.observed.composite) or composite
        observed = [decoded(one) for one in request.observed.resources.values()]
        before, after = (
            desired_of([run], one.desired, decoded(one.desired.composite))
            for one in (request, response)
        )
        mask = masking([before, after], observed)
        difference = against_version(composite, observed, before, after)
        changes = [found.add(one) for one in _changes(difference, _OF_A_STEP, lines_of(run))]
        steps.append(found.add(_step(run, changes, response, waiting, mask)))
    fact = {"steps": steps, "conditions": _masked(_conditions_of(composite), mask)}
    if isinstance(outcome, Rendered):
        difference = against_cluster(composite, observed, outcome)._replace(status=[])
        fact["effects"] = [found.add(one) for one in _changes(difference, _OF_A_RECONCILE)]
        fact["keeps"] = [
            one.name for one in difference.entries if one.waits and one.action in _STAYS
        ]
    else:
        fact["error"] = mask(str(outcome))
    return found.add({**fact, "graph": found.add(_graph(graph_of(outcome)))})


def _no_line(name: str, path: str) -> str:
    return ""


def _changes(
    difference: Difference, words: Mapping[str, str], line: Callable[[str, str], str] = _no_line
) -> Iterator[dict[str, Any]]:
    """Yield the resources that are changed, and the composite's status.

    Args:
        difference: The changes.
        words: What the page calls the actions on resources; others are left out.
        line: The result of `lines_of`.
    """
    for one in difference.entries:
        if one.action in words:
            # A new resource is a change of the step that adds it, so its fields are there.
            shown_at = [] if words is _OF_A_RECONCILE and one.action == "create" else one.changes
            fields = [_field(each, line(one.name, each.path)) for each in shown_at]
            note = one.note if one.action == "delete" else ""
            yield {
                "action": words[one.action],
                "name": one.name,
                "kind": one.kind,
                "note": note,
                "fields": fields,
            }
    if difference.status:
        fields = [_field(each, line(COMPOSITE, each.path)) for each in difference.status]
        yield {
            "action": words["change"],
            "name": "",
            "kind": "of the composite",
            "note": "",
            "fields": fields,
        }


def _field(change: Change, line: str) -> list[str | None]:
    new, old = (
        None if value is ABSENT else shown(value, _LONGEST) for value in (change.new, change.old)
    )
    return [change.path, new, old, line]


def _step(
    run: StepRun, changes: list[int], response: Any, waiting: Waiting, mask: Mask
) -> dict[str, Any]:
    waits = [[need.name, need.path, need.why] for need in waiting.needs]
    named = {need.name for need in waiting.needs}
    conditions = [
        (one.type, _STATUSES.get(one.status, "Unknown"), one.reason, one.message)
        for one in response.conditions
    ]
    notes = [
        *(f"{one.name}: {one.text}" if one.name else one.text for one in waiting.notes),
        *(f"required.{one.name}: {one.why}" for one in waiting.cut_off),
    ]
    return {
        "name": run.step.name,
        "function": run.step.function,
        "calls": run.calls,
        "changes": changes,
        "results": _masked(
            (
                (_SEVERITIES.get(one.severity, "Normal"), one.reason, one.message)
                for one in response.results
            ),
            mask,
        ),
        "conditions": _masked(conditions, mask),
        "waits": waits
        + [[name, "", "another step holds it back"] for name in waiting.held if name not in named],
        "notes": notes,
    }


def _conditions_of(composite: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    status = composite.get("status")
    conditions = status.get("conditions") if isinstance(status, Mapping) else None
    for one in conditions if isinstance(conditions, list) else ():
        if isinstance(one, Mapping):
            yield tuple(text_of(one.get(key)) for key in ("type", "status", "reason", "message"))


def _masked(rows: Iterable[Sequence[str]], mask: Mask) -> list[list[str]]:
    return [list(map(mask, row)) for row in rows]


def _graph(graph: Graph) -> dict[str, Any]:
    levels = graph.levels
    numbers = {node.name: number for number, node in enumerate(graph.nodes)}
    return {
        "nodes": [
            [one.state.value, levels[one.name], node_lines(one), node_tooltip(one)]
            for one in graph.nodes
        ],
        "edges": [
            [
                numbers[one.dependency],
                numbers[one.dependent],
                edge_tooltip(one),
                "cycle" if one.in_cycle else "waits" if one.waiting else "",
                short_edge_label(one),
            ]
            for one in graph.edges
        ],
        "notes": graph.notes,
    }
