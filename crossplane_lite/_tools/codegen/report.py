"""The report of a run of `crossplane-lite generate`: as text for people, and as JSON for
programs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from .changes import Change, ModuleChanges, as_data
from .definitions import Definitions
from .imports import MOST
from .output import Summary
from .uses import Use

_MOST_NAMES: Final = 12
_MOST_MODULES: Final = 20


class Report(NamedTuple):
    """What a run has done; with `--check`, what a run would do.

    Attributes:
        kinds: The number of kinds, each counted once for all its versions.
        classes: The number of classes in the modules.
        seconds: The duration of the run.
        folder: The output folder.
        summary: The numbers of its files that were written, unchanged and removed; None with
            `--check`.
        is_current: Whether the folder was up to date before the run.
        modules: The changes in each module that the run changes; None if the folder had no models
            before.
        uses: The lines of code that the new models break; None without `--uses`, or if the folder
            had no models before.
        imports: Lines of Python that import the models.
        found: The definitions in the sources.
        preferred: A note for each type of Kubernetes that the sources define differently. It says
            which definition is used.
    """

    kinds: int
    classes: int
    seconds: float
    folder: Path
    summary: Summary | None
    is_current: bool
    modules: list[ModuleChanges] | None
    uses: list[Use] | None
    imports: list[str]
    found: Definitions
    preferred: list[str]

    def json(self) -> str:
        """Return the report for programs: the text of a JSON object."""
        return json.dumps(
            {
                "kinds": self.kinds,
                "classes": self.classes,
                "seconds": round(self.seconds, 3),
                "is_current": self.is_current,
                "folder": {
                    "path": str(self.folder),
                    **(self.summary._asdict() if self.summary else {}),
                },
                "modules": None if self.modules is None else [as_data(one) for one in self.modules],
                "uses": None if self.uses is None else [use._asdict() for use in self.uses],
                "imports": self.imports,
                "without_api": self.found.others,
                "passed_over": self.found.passed_over,
                "preferred": self.preferred,
            },
            ensure_ascii=False,
            indent=1,
        )

    def text(self) -> str:
        """Return the report for people: lines of text, without a newline at the end."""
        lines = [
            f"{_count(self.kinds, 'kind')}, {_count(self.classes, 'class')} in {self.seconds:.1f} s"
        ]
        done = self.summary
        if done is not None:
            lines.append(
                f"{self.folder}: {done.written} files written, {done.unchanged} unchanged,"
                f" {done.removed} removed"
            )
        else:
            state = "up to date" if self.is_current else "out of date: run generate again"
            lines.append(f"{self.folder} is {state}")
        lines += _without_api(self.found)
        lines += _changes(self.modules or [])
        lines += _uses(self.uses)
        if self.imports:
            lines.append("import them with")
            lines += [f"    {line}" for line in self.imports[:MOST]]
            if len(self.imports) > MOST:
                lines.append(f"    and {len(self.imports) - MOST:,} more modules")
        return "\n".join(lines)


def _count(number: int, what: str) -> str:
    plural = what + ("es" if what.endswith("s") else "s")
    return f"{number:,} {what if number == 1 else plural}"


def _without_api(found: Definitions) -> list[str]:
    from ..manifests.sources import by_name

    lines = []
    if found.others:
        kinds = ", ".join(sorted(set(found.others.values())))
        many = (
            f"{len(found.others)} documents define"
            if len(found.others) > 1
            else "1 document defines"
        )
        lines.append(
            f"{many} no API, so nothing was made of {'them' if len(found.others) > 1 else 'it'}:"
            f" {kinds}"
        )
    return lines + [
        f"{where} installs a package: {by_name(name)}" for where, name in found.packages.items()
    ]


def _changes(modules: Sequence[ModuleChanges]) -> list[str]:
    if not modules:
        return []
    lines = []
    for what in ("added", "removed"):
        titles = [one.title for one in modules if one.what == what]
        if titles:
            lines.append(f"{_count(len(titles), 'module')} {what}: {_some(titles)}")
    changed = [one for one in modules if one.what == "changed"]
    breaking = [one for one in changed if any(change.may_break for change in one.changes)]
    growing = [one for one in changed if one not in breaking]
    if changed:
        lines.append(
            f"{_count(len(changed), 'module')} changed, {len(breaking):,} in a way that may break"
            " code"
        )
    for module in breaking:
        lines.append(f"  {module.title}")
        lines += [
            f"    {_line(one)}"
            for one in module.changes
            if one.may_break and one.what != "class removed"
        ]
        lines += _classes(module.changes, "removed")
        lines += _added(module.changes)
    for module in growing[:_MOST_MODULES]:
        lines.append(f"  {module.title}")
        lines += _added(module.changes)
    if len(growing) > _MOST_MODULES:
        lines.append(
            f"  and {len(growing) - _MOST_MODULES:,} more with additions only; --report json lists"
            " them"
        )
    return lines


def _line(change: Change) -> str:
    at = f" at {change.place}" if change.place else ""
    name = f"{change.cls}.{change.field}" if change.field else change.cls
    if change.what == "class renamed":
        return f"class renamed: {change.before} to {change.after}{at}"
    if change.what == "field renamed":
        return f"field renamed: {change.cls}.{change.before} to {change.field}{at}"
    if change.what == "type changed":
        return f"type changed: {name} from {change.before} to {change.after}{at}"
    return f"{change.what}: {name}{at}"


def _added(changes: Sequence[Change]) -> list[str]:
    fields = [f"{one.cls}.{one.field}" for one in changes if one.what == "field added"]
    lines = [f"    {_count(len(fields), 'field')} added: {_some(fields)}"] if fields else []
    return lines + _classes(changes, "added")


def _classes(changes: Sequence[Change], how: str) -> list[str]:
    names = [one.cls for one in changes if one.what == f"class {how}"]
    return [f"    {_count(len(names), 'class')} {how}: {_some(names)}"] if names else []


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _uses(uses: list[Use] | None) -> list[str]:
    if uses is None:
        return []
    if not uses:
        return ["the new models break no line of the code"]
    places = len({(use.path, use.line) for use in uses})
    lines = [f"the new models break {_count(places, 'line')} of the code:"]
    return lines + [f"  {use.path}:{use.line}:{use.column}: {use.text}" for use in uses]
