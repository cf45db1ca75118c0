"""What a run changes in models: classes and fields that are renamed, added or removed, and types that change.

The tables of a module before and after are walked together, from the kinds down, so that a class is compared with the
one that now is in its places, whatever that is called. What a string may be is in the stubs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from .._paths.text import show
from .naming import Field, earlier_table, fields_of

__all__ = ["Change", "ModuleChanges", "as_data", "changes", "of_modules"]

_WORDS: Final = {"s": "str", "i": "int", "f": "float", "b": "bool", "q": "int | str", "x": "Any"}
_CLASS: Final = re.compile(r"^class (\w+)\(.*\):$")
_DECLARED: Final = re.compile(r"^    (\w+): (.+) = \.\.\.$")
_LITERAL: Final = re.compile(r"Literal\[((?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\]'\"])*)\]")

Texts = Callable[[str], "str | None"]
"""Gives the text of a file, None where there is none."""


class Change(NamedTuple):
    """One change.

    Attributes:
        what: `class renamed`, `class added`, `class removed`, `field renamed`, `field added`, `field removed` or
            `type changed`.
        cls: The class's name, as it is now where it still is there.
        place: Where it stands first, such as `spec.forProvider.loggingConfig`.
        field: The field, as its attribute is called now where it still is there; nothing for a class.
        before: The name or type that it had; nothing for what is added.
        after: The name or type that it has; nothing for what is removed.
    """

    what: str
    cls: str
    place: str
    field: str
    before: str
    after: str

    @property
    def may_break(self) -> bool:
        """Whether code that worked may not work any more."""
        return not self.what.endswith("added")


class ModuleChanges(NamedTuple):
    """The changes of one module.

    Attributes:
        file: Its path in the folder, without the suffix.
        title: Its kind, or the module's name.
        what: `added`, `removed` or `changed`.
        changes: What changed, in a changed one.
    """

    file: str
    title: str
    what: str
    changes: list[Change]


def of_modules(before: Texts, after: Mapping[str, str], paths: Iterator[str] | list[str]) -> Iterator[ModuleChanges]:
    """Yield the changes of all modules in which there are any.

    Args:
        before: Gives the text that a `.py` or `.pyi` file had.
        after: The texts that they have now; nothing for what is gone.
        paths: The `.py` files that were there, or are now.
    """
    for path in sorted({*paths}):
        old, new = before(path), after.get(path)
        stub = f"{path}i"
        if old == new and before(stub) == after.get(stub):
            continue
        tables = earlier_table(old), earlier_table(new)
        file = path.removesuffix(".py")
        title = _title(file, tables[1] or tables[0])
        if tables[0] and tables[1]:
            stubs = before(stub), after.get(stub)
            found = changes(*tables, *("" if None in stubs else text or "" for text in stubs))
            if found:
                yield ModuleChanges(file, title, "changed", found)
        elif tables[0] or tables[1]:
            yield ModuleChanges(file, title, "added" if tables[1] else "removed", [])


def changes(before: Mapping[str, str], after: Mapping[str, str], stub: str = "", new_stub: str = "") -> list[Change]:
    """Return what changed in a module.

    Args:
        before: Its table before.
        after: Its table now.
        stub: Its stub before, where it is known.
        new_stub: Its stub now.
    """
    return _Comparison(before, after, _choices(stub), _choices(new_stub)).changes()


class _Comparison:
    """Two tables that are walked together."""

    def __init__(
        self,
        before: Mapping[str, str],
        after: Mapping[str, str],
        choices: Mapping[tuple[str, str], str],
        new_choices: Mapping[tuple[str, str], str],
    ) -> None:
        self._before = {name: fields_of(text) for name, text in before.items()}
        # Most classes are as they were.
        self._after = {
            name: self._before[name] if text == before.get(name) else fields_of(text) for name, text in after.items()
        }
        self._choices = choices
        self._new_choices = new_choices
        self._same_choices = choices == new_choices
        self._kinds = [name for name, text in after.items() if text.startswith("@")]

    def changes(self) -> list[Change]:
        pairs = self._pairs()
        found: list[Change] = []
        for (old, new), steps in pairs.items():
            if old == new and self._same_choices and self._before[old] is self._after[new]:
                continue
            place = show(steps)
            if old != new:
                found.append(Change("class renamed", new, place, "", old, new))
            found += self._fields(old, new, place)
        seen, seen_now = {old for old, _ in pairs}, {new for _, new in pairs}
        found += [Change("class removed", name, "", "", name, "") for name in self._before if name not in seen]
        found += [Change("class added", name, "", "", "", name) for name in self._after if name not in seen_now]
        return found

    def _pairs(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return the classes of equal places, before and now, with the way to the first of these places."""
        # Kinds and components begin; what is referred to by nothing is one of them, and what is left has its name.
        referred = {field.inner for fields in self._after.values() for field in fields.values()}
        starts = [*self._kinds, *(name for name in self._after if name not in referred), *self._after]
        pairs: dict[tuple[str, str], tuple[str, ...]] = {}
        seen_now: set[str] = set()
        for start in starts:
            if start not in self._before or start in seen_now:
                continue
            work: list[tuple[str, str, tuple[str, ...]]]
            work = [(start, start, () if start in self._kinds else (start,))]
            while work:
                level, work = work, []
                for old, new, steps in level:
                    if (old, new) in pairs:
                        continue
                    pairs[old, new] = steps
                    seen_now.add(new)
                    for wire, field in self._after[new].items():
                        earlier = self._before[old].get(wire)
                        if earlier is not None and earlier.inner in self._before and field.inner in self._after:
                            work.append((earlier.inner, field.inner, (*steps, wire)))
        return pairs

    def _fields(self, old: str, new: str, place: str) -> Iterator[Change]:
        before, after = self._before[old], self._after[new]
        for wire, field in before.items():
            now = after.get(wire)
            if now is None:
                yield Change("field removed", new, place, field.attribute, self._shown(self._choices, old, field), "")
                continue
            if now.attribute != field.attribute:
                yield Change("field renamed", new, place, now.attribute, field.attribute, now.attribute)
            types = self._shown(self._choices, old, field), self._shown(self._new_choices, new, now)
            is_one_place = field.around == now.around and field.inner in self._before and now.inner in self._after
            if types[0] != types[1] and not is_one_place:  # a class of another name is said to be renamed
                yield Change("type changed", new, place, now.attribute, *types)
        for wire, field in after.items():
            if wire not in before:
                yield Change("field added", new, place, field.attribute, "", self._shown(self._new_choices, new, field))

    def _shown(self, choices: Mapping[tuple[str, str], str], cls: str, field: Field) -> str:
        """Return a type as it is written in Python."""
        text = choices.get((cls, field.attribute)) or _WORDS.get(field.inner, field.inner)
        for code in reversed(field.around):
            text = f"list[{text}]" if code == "[" else f"dict[str, {text}]"
        return text


def _choices(stub: str) -> dict[tuple[str, str], str]:
    """Return the fields of a stub that take some values only, by class and attribute."""
    found: dict[tuple[str, str], str] = {}
    if "Literal[" not in stub:
        return found
    cls = ""
    for line in stub.splitlines():
        if line[:6] == "class ":
            match = _CLASS.match(line)
            cls = match[1] if match else ""
        elif "Literal[" in line and (match := _DECLARED.match(line)) and match[1] not in ("apiVersion", "kind"):
            values = _LITERAL.search(match[2])
            if values is not None:
                words = sorted(re.findall(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,\s]+", values[1]))
                found[cls, match[1]] = f"Literal[{', '.join(words)}]"
    return found


def _title(file: str, table: Mapping[str, str]) -> str:
    for name, text in table.items():
        if text.startswith("@"):
            head = text.split(" ", 1)[0][1:].partition(";")[0]  # without the scope
            api_version, _, kind = head.partition("=")
            others = sum(one.startswith("@") for one in table.values())
            return f"{kind or name} of {api_version}" if others == 1 else file.replace("/", ".")
    return file.replace("/", ".")


def as_data(found: ModuleChanges) -> dict[str, Any]:
    """Return the changes of a module as plain data."""
    return {
        "module": found.file.replace("/", "."),
        "title": found.title,
        "what": found.what,
        "changes": [
            {
                key: value
                for key, value in {
                    "what": one.what,
                    "class": one.cls,
                    "place": one.place,
                    "field": one.field,
                    "before": one.before,
                    "after": one.after,
                }.items()
                if value
            }
            for one in found.changes
        ],
    }
