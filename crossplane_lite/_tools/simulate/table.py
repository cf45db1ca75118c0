"""The result of a simulation as text for people, with a table."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..._core.base import texts as _text
from ..._core.base.texts import shortened, some
from ..render import told
from ..render.output import aligned

_HEADS: Final = ("WAVE", "RESOURCE", "KIND", "WAITED FOR")
_MARK: Final = "*"
_NEVER: Final = "never"
_WIDTH: Final = 100
_WIDEST: Final = 80
_MOST_CAME: Final = 3


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Return the lines of the text: a table of waves, a legend, remarks on the final state, and the
    effects of losses.

    The wave of a resource is the number of the round in which it was first desired. A loss is the
    removal of a resource or field from the final state.

    Args:
        report: The result of `report.report`.
    """
    return map(_text.line, _lines(report))


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    rows = list(_rows(report))
    if rows:
        yield from aligned([_HEADS, *rows])
        yield ""
        yield from _legend(report)
    yield from _end(report)
    for loss in report["losses"]:
        yield ""
        yield from _loss(loss)


def _rows(report: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    kind = str(report["composite"]["kind"])
    entries = [(one, str(one["kind"] or "?")) for one in report["resources"]]
    entries += [(one, kind) for one in report["fields"]]
    for one, shown in sorted(
        entries, key=lambda entry: (entry[0]["wave"] or float("inf"), entry[0]["name"])
    ):
        waited = [
            path["path"] + (_MARK if path["value"] == "assumed" else "")
            for path in one["waitedFor"]
        ]
        if not waited:
            waited = ["-" if one["wave"] in (1, None) else "(its function doesn't say)"]
        wave = str(one["wave"] or (_NEVER if report["stable"] else "-"))
        yield wave, shortened(one["name"], _WIDEST), shortened(shown, _WIDEST), waited[0]
        yield from (("", "", "", path) for path in waited[1:])


def _legend(report: Mapping[str, Any]) -> Iterator[str]:
    yield (
        "WAVE is the reconcile that desired the resource first; WAITED FOR is what it waited for"
        " until then."
    )
    if report["fields"]:
        yield "xr.status... is a field of the composite: what reads it sees it one reconcile later."
    if any(path["value"] == "assumed" for one in _all(report) for path in one["waitedFor"]):
        yield (
            f"{_MARK} assumed: a string was made up; no schema or fixture says the value (--crds,"
            " --fixtures)."
        )
    yield ""


def _all(report: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from report["resources"]
    yield from report["fields"]


def _end(report: Mapping[str, Any]) -> Iterator[str]:
    composite = report["composite"]
    if not report["rounds"]:  # the command prints the problem
        return
    there = [one["wave"] for one in report["resources"] if one["exists"]]
    rounds = report["rounds"]
    state = "stable" if report["stable"] else "not stable"
    yield (
        f"{state} after {_counted(rounds, 'reconcile')}: {_counted(len(there), 'resource')} in "
        f"{_counted(len(set(there)), 'wave')}"
    )
    names = {one["name"] for one in report["resources"] if one["wave"]}
    for what, gone in (
        ("deleted again", [name for name in report["deleted"] if name in names]),
        (
            "deleted, as no function desires it",
            [name for name in report["deleted"] if name not in names],
        ),
    ):
        if gone:
            yield from _listed(what, gone)
    if report["stable"] and report["possible"]:
        yield from _listed(
            "would appear if a value that a function asks about were another one",
            report["possible"],
        )
    yield f"{composite['kind']} {composite['name']}: {_conditions(composite['conditions'])}"
    unsaid = [one["name"] for one in report["resources"] if one["looksReady"] and not one["ready"]]
    if report["stable"] and unsaid:
        yield from _listed(
            "ready by themselves, but no function says so (auto_ready=True would)", sorted(unsaid)
        )
    if report["changed"]:
        yield "changed after creation:"
        for name, texts in sorted(report["changed"].items()):
            came = some(report["came"].get(name, ()), _MOST_CAME)
            yield from (
                f"  {name}: {text}{f', once {came} came' if came else ''}" for text in texts
            )
    yield from report["remarks"]
    if report["unresolved"]:
        yield told.HEADING if report["stable"] else "still waiting:"
        yield from (f"  {line}" for line in told.lines(report["unresolved"]))
    for cycle in report["cycles"]:
        yield f"dependency cycle: {' and '.join(cycle)} wait for each other"


def _conditions(conditions: Sequence[Mapping[str, Any]]) -> str:
    """Return a text with the composite's condition Ready, and with all other conditions that aren't
    True.
    """
    shown = []
    for one in sorted(conditions, key=lambda one: (one["type"] != "Ready", one["type"])):
        # For all other conditions, True is the usual status.
        if one["type"] == "Ready" or one.get("status") != "True":
            message = (
                f": {one['message']}"
                if one.get("message") and one["type"] in ("Ready", "Synced")
                else ""
            )
            shown.append(f"{one['type']} {one.get('status')} ({one.get('reason')}{message})")
    return ", ".join(shown) or "no conditions"


def _loss(loss: Mapping[str, Any]) -> Iterator[str]:
    yield f"after --{loss['action']} {loss['target']}:"
    if loss["error"] is not None:
        yield f"  fails: {loss['error']}"
        return
    for name in loss["created"]:
        yield f"  creates again: {name}"
    for name in loss["deleted"]:
        yield f"  deletes: {name}"
    for name, changes in loss["changed"].items():
        for change in changes:
            yield f"  changes: {name}.{change}"
    for change in loss["status"]:
        yield f"  changes: xr.status.{change}"
    for key, text in (("kept", "keeps what it has"), ("held", "held back")):
        for names, paths in _grouped(loss[key]):
            yield from _listed(f"  {text}{f', waiting for {paths}' if paths else ''}", names)
    yield from (f"  {remark}" for remark in loss["remarks"])
    if not any(
        loss[key] for key in ("created", "deleted", "changed", "status", "kept", "held", "remarks")
    ):
        yield "  nothing changes"
    yield f"  the composite is {'ready' if loss['ready'] else 'not ready'}"


def _grouped(waiting: Mapping[str, Sequence[str]]) -> Iterator[tuple[list[str], str]]:
    """Group names that wait for the same values. Yield the names of each group, and the paths of
    the values as text.
    """
    groups: dict[str, list[str]] = {}
    for name, paths in waiting.items():
        groups.setdefault(", ".join(paths), []).append(name)
    for paths, names in groups.items():
        yield names, paths


def _listed(what: str, names: Sequence[str]) -> list[str]:
    """Return a heading and names, wrapped into lines of at most 100 characters. Longer names aren't
    cut.
    """
    indent = " " * (len(what) - len(what.lstrip()) + 4)
    text = f"{what}: {', '.join(names)}"
    return textwrap.wrap(
        text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
