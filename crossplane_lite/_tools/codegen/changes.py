"""What a run of `generate` changes in the models: classes and fields renamed, added or removed, and
types changed.

A module's table is the dict that lists its classes and their fields. The old and the new table are
walked together, from the classes of kinds to the classes of their fields. So a field's old class is
compared with the field's new class, also if the class was renamed. If the values of a field are
limited, such as to `'a'` and `'b'`, the stubs (`.pyi` files) have these values, and the tables
those of shared classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ..._core.models.types import unescape
from ..._core.paths.text import show
from .tables import Field, earlier_table, fields_of

_WORDS: Final = {
    "s": "str",
    "i": "int",
    "f": "float",
    "b": "bool",
    "q": "int | str",
    "o": "DynamicModel",
    "x": "Any",
}
_CLASS: Final = re.compile(r"^class (\w+)\(.*\):$")
_DECLARED: Final = re.compile(r"^    (\w+): (.+) = \.\.\.$")
_LITERAL: Final = re.compile(r"Literal\[((?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\]'\"])*)\]")

Texts = Callable[[str], "str | None"]
"""Gets the path of a file, and returns its text; None if there is no such file."""


class Change(NamedTuple):
    """One change of a class or field.

    Attributes:
        what: `class renamed`, `class added`, `class removed`, `field renamed`, `field added`,
            `field removed` or `type changed`.
        cls: The name of the class: the new one, or the old one of a class that was removed.
        place: The path of the first field with this class, such as
            `spec.forProvider.loggingConfig`. For a class that no kind uses, the path begins with
            the class's name. Empty for the class of a kind, and for a class that was added or
            removed.
        field: The attribute of the field that changed: its new name, or its old name if the field
            was removed. Empty if the class itself changed.
        before: The old name or type. Empty if the class or field was added.
        after: The new name or type. Empty if the class or field was removed.
    """

    what: str
    cls: str
    place: str
    field: str
    before: str
    after: str

    @property
    def may_break(self) -> bool:
        """Whether code that works with the old models may fail because of this change. Additions
        break no code.
        """
        return not self.what.endswith("added")


class ModuleChanges(NamedTuple):
    """The changes of one module.

    Attributes:
        file: The path of the module in the output folder, without `.py`.
        title: The kind and apiVersion of the module's kind, such as `Bucket of s3.example.org/v1`.
            If the module hasn't exactly one kind: the module's name.
        what: Whether the module itself was `added`, `removed` or `changed`.
        changes: The changes of classes and fields. Empty if the module was added or removed.
    """

    file: str
    title: str
    what: str
    changes: list[Change]


def of_modules(
    before: Texts, after: Mapping[str, str], paths: Iterator[str] | list[str]
) -> Iterator[ModuleChanges]:
    """Yield a `ModuleChanges` for each module with changes, sorted by path.

    Files that aren't generated modules are skipped.

    Args:
        before: Gets the path of a `.py` or `.pyi` file, and returns its old text; None if there was
            no such file.
        after: The new text of each `.py` and `.pyi` file, by path.
        paths: The paths of all old and new `.py` files.
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


def changes(
    before: Mapping[str, str], after: Mapping[str, str], stub: str = "", new_stub: str = ""
) -> list[Change]:
    """Return the changes in a module.

    Args:
        before: The module's old table: the text of each class, by the class's name.
        after: The module's new table.
        stub: The text of the module's old stub. Give both stubs or neither: they are only needed to
            compare the values that fields are limited to.
        new_stub: The text of the module's new stub.
    """
    return _Comparison(before, after, _choices(stub, before), _choices(new_stub, after)).changes()


class _Comparison:
    """The comparison of a module's old table with its new table.

    Args:
        before: The old table.
        after: The new table.
        choices: The types of fields with limited values in the old stub (see `_choices`).
        new_choices: The same in the new stub.
    """

    def __init__(
        self,
        before: Mapping[str, str],
        after: Mapping[str, str],
        choices: Mapping[tuple[str, str], str],
        new_choices: Mapping[tuple[str, str], str],
    ) -> None:
        self._before = {name: fields_of(text) for name, text in before.items()}
        # Most classes are unchanged, so their texts are read only once.
        self._after = {
            name: self._before[name] if text == before.get(name) else fields_of(text)
            for name, text in after.items()
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
        found += [
            Change("class removed", name, "", "", name, "")
            for name in self._before
            if name not in seen
        ]
        found += [
            Change("class added", name, "", "", "", name)
            for name in self._after
            if name not in seen_now
        ]
        return found

    def _pairs(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return the pairs of an old and a new class to compare, each with the first path to both,
        breadth first.

        The two classes of a pair belong to the same field, or have the same name. The path is empty
        for a kind.
        """
        # The walk begins at kinds and components: classes that no class refers to are among them.
        # Classes that it doesn't reach are compared with the old class of the same name.
        referred = {field.inner for fields in self._after.values() for field in fields.values()}
        starts = [
            *self._kinds,
            *(name for name in self._after if name not in referred),
            *self._after,
        ]
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
                        if (
                            earlier is not None
                            and earlier.inner in self._before
                            and field.inner in self._after
                        ):
                            work.append((earlier.inner, field.inner, (*steps, wire)))
        return pairs

    def _fields(self, old: str, new: str, place: str) -> Iterator[Change]:
        before, after = self._before[old], self._after[new]
        for wire, field in before.items():
            now = after.get(wire)
            if now is None:
                yield Change(
                    "field removed",
                    new,
                    place,
                    field.attribute,
                    self._shown(self._choices, old, field),
                    "",
                )
                continue
            if now.attribute != field.attribute:
                yield Change(
                    "field renamed", new, place, now.attribute, field.attribute, now.attribute
                )
            types = self._shown(self._choices, old, field), self._shown(self._new_choices, new, now)
            is_one_place = (
                field.around == now.around
                and field.inner in self._before
                and now.inner in self._after
            )
            # another class in the same place is reported as renamed
            if types[0] != types[1] and not is_one_place:
                yield Change("type changed", new, place, now.attribute, *types)
        for wire, field in after.items():
            if wire not in before:
                yield Change(
                    "field added",
                    new,
                    place,
                    field.attribute,
                    "",
                    self._shown(self._new_choices, new, field),
                )

    def _shown(self, choices: Mapping[tuple[str, str], str], cls: str, field: Field) -> str:
        """Return the type of a field as it is written in Python, such as `list[str]`.

        `choices` has the types of fields with limited values (see `_choices`).
        """
        text = choices.get((cls, field.attribute)) or " | ".join(
            _WORDS.get(one, one) for one in field.inner.split("|")
        )
        for code in reversed(field.around):
            text = f"list[{text}]" if code == "[" else f"dict[str, {text}]"
        return text


def _choices(stub: str, table: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return the type of each field whose values are limited, by the class's name and the field's
    attribute.

    Such a type is written as `Literal['a', 'b']`, with the values sorted. A list or dict around the
    type is left out. The fields `apiVersion` and `kind` are left out, too. The result is empty
    without a stub.
    """
    found: dict[tuple[str, str], str] = {}
    for name, text in table.items() if stub else ():
        for word in text.split(" ") if text[:1] == "=" else ():
            attribute, is_choice, listed = word[1:].partition("=")
            if word[0] == "&" and is_choice:
                choices = sorted(repr(unescape(one)) for one in listed.split(","))
                found[name, attribute] = f"Literal[{', '.join(choices)}]"
    if "Literal[" not in stub:
        return found
    cls = ""
    for line in stub.splitlines():
        if line[:6] == "class ":
            match = _CLASS.match(line)
            cls = match[1] if match else ""
        elif (
            "Literal[" in line
            and (match := _DECLARED.match(line))
            and match[1] not in ("apiVersion", "kind")
        ):
            values = _LITERAL.search(match[2])
            if values is not None:
                words = sorted(
                    re.findall(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,\s]+", values[1])
                )
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
    """Return the changes of a module as data for `--report json`. Empty attributes of a `Change`
    are left out.
    """
    listed = []
    for change in found.changes:
        values = {
            "class" if name == "cls" else name: value for name, value in change._asdict().items()
        }
        listed.append({name: value for name, value in values.items() if value})
    return {
        "module": found.file.replace("/", "."),
        "title": found.title,
        "what": found.what,
        "changes": listed,
    }
