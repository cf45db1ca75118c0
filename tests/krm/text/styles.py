"""Documents in random styles: every way of writing a value that people use, with comments everywhere."""

from __future__ import annotations

import json
from random import Random
from typing import Any

__all__ = ["KEYS", "WORDS", "resource_list", "value", "with_aliases"]

WORDS = (
    "x yes 012 1e3 = << ~ null on 12:30:45 1_000 0x1f 2024-01-01 a:b :x -x --- ... # #x a#b @x %x !x &x *x 'q' \"q\""
).split(" ") + [
    "",
    " ",
    "two words",
    "a: b",
    "a # b",
    "trailing ",
    " leading",
    "tab\there",
    "colon:",
    "größe",
    "日本",
    "😀",
    "[x",
    "{x}",
    "a, b",
    "back\\slash",
    "nul\x00",
    "del\x7f",
    "nbsp\xa0",
    "sep\u2028x",
    "bom\ufeff",
    "cr\rx",
    "a\nb",
    "a\nb\n",
    "a\n\n\nb\n\n",
    "\na",
    " a\nb",
    "\tb\nc",
    "# c\nd\n",
    "a\n  b\nc",
    "a \nb ",
    "a\n \nb",
    "long " * 30,
]
KEYS = ["a", "name", "yes", "80", "x y", "app.kubernetes.io/name", "größe", "b-c", "1.5", "null", "q'q", 'd"d', "k: v"]
_PLAIN = ["x", "two words", "a:b", "größe", "a#b", "nginx:1.2", "http://x/y?z", "-x"]


def value(r: Random, depth: int = 3) -> Any:
    """Return a random JSON value."""
    kind = r.randrange(8 if depth else 4)
    if kind >= 6:
        return {r.choice(KEYS): value(r, depth - 1) for _ in range(r.randrange(4))}
    if kind >= 4:
        return [value(r, depth - 1) for _ in range(r.randrange(4))]
    if kind == 3:
        return r.choice([None, True, False, 0, 1, -7, 420, 1000.5, 1e300, -0.25, 12345678901234567890])
    return r.choice(WORDS)


def _quoted(r: Random, text: str) -> str:
    if text.isprintable() and r.random() < 0.5:
        return "'" + text.replace("'", "''") + "'"
    parts = []
    for char in text:
        escape = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}.get(char)
        parts.append(escape or (char if char.isprintable() else f"\\u{ord(char):04x}"))
    return '"' + "".join(parts) + '"'


def _scalar(r: Random, one: Any, *, in_flow: bool = False) -> str:
    if one is None:
        return r.choice(["null", "~"])
    if isinstance(one, bool):
        return r.choice([str(one), str(one).lower(), str(one).upper()])
    if isinstance(one, int):
        return str(one) if one < 0 or r.random() < 0.7 else hex(one)
    if isinstance(one, float):
        return "1.0e+300" if one == 1e300 else repr(one)
    if one in _PLAIN and not (in_flow and ":" in one) and r.random() < 0.8:
        return str(one)
    return _quoted(r, one)


def _flow(r: Random, one: Any) -> str:
    if isinstance(one, dict):
        inner = [f"{_scalar(r, key, in_flow=True)}: {_flow(r, child)}" for key, child in one.items()]
    elif isinstance(one, list):
        inner = [_flow(r, child) for child in one]
    else:
        return _scalar(r, one, in_flow=True)
    start, end = "{}" if isinstance(one, dict) else "[]"
    space = r.choice(["", " "])
    comma = "," if inner and r.random() < 0.2 else ""
    return start + space + ", ".join(inner) + comma + space + end


def _long_flow(r: Random, one: Any, column: int) -> list[str]:
    """A mapping or list in brackets with its entries on lines of their own, with comments."""
    start, end = "{}" if isinstance(one, dict) else "[]"
    lines = [start + _note(r)]
    pad = " " * (column + r.choice([1, 2, 4]))
    entries = list(one.items()) if isinstance(one, dict) else [(None, child) for child in one]
    for at, (key, child) in enumerate(entries):
        lines += [pad + "# in brackets"] * (r.random() < 0.2)
        is_last = at + 1 == len(entries)
        head = "" if key is None else _scalar(r, key, in_flow=True) + ": "
        lines.append(pad + head + _flow(r, child) + ("," if not is_last or r.random() < 0.3 else "") + _note(r))
    lines.append(" " * (column + 1) + end)
    return lines


def _note(r: Random) -> str:
    return r.choice(["  # note", " #", "\t# tab: 'x'"]) if r.random() < 0.15 else ""


def _ends_in_lines(one: Any) -> bool:
    while isinstance(one, (dict, list)) and one:
        one = list(one.values())[-1] if isinstance(one, dict) else one[-1]
    return isinstance(one, str) and "\n" in one


def _between(r: Random, column: int, before: Any) -> list[str]:
    """Comments and blank lines before an entry, and behind another one's value."""
    if r.random() < 0.75:
        return []
    # Further to the right a block scalar would take a comment for its own.
    pads = [column, column, max(column - 2, 0), column if _ends_in_lines(before) else column + 2]
    return [
        r.choice(["", "  ", *(" " * pad + f"# c{r.randrange(99)}: [x" for pad in pads)]) for _ in range(r.randrange(4))
    ]


def _block(r: Random, text: str, column: int) -> tuple[str, list[str]] | None:
    bare = text.rstrip("\n")
    ends = len(text) - len(bare)
    lines = bare.split("\n")
    if (
        not lines[0].strip()
        or not text.replace("\n", "").replace("\t", "").isprintable()
        or "" in text.split("\n")[-3:-2]
    ):
        return None
    if any(line.isspace() for line in lines) or lines[0][0] == "\t":
        return None
    step = r.choice([1, 2, 4])
    indicator = str(step) if lines[0][0] in " \t" or r.random() < 0.1 else ""
    chomp = ["-", "", "+"][min(ends, 2)]
    style = r.choice("||>")
    if style == ">":
        if "" in lines or any(line[:1] in (" ", "\t") for line in lines):
            return None
        lines = "\n\n".join(lines).split("\n")
    head = style + r.choice([indicator + chomp, chomp + indicator]) + (r.choice(["", " # head"]))
    pad = " " * (column + step)
    return head, [pad + line if line else "" for line in lines] + [""] * (ends - 1)


def _slot(r: Random, one: Any, column: int, *, in_list: bool) -> tuple[str, list[str]]:
    """What stands behind a colon or dash, with the space before it, and the lines below."""
    if isinstance(one, (dict, list)) and one:
        chance = r.random()
        if chance < 0.2:
            return " " * r.choice([1, 1, 3]) + _flow(r, one) + _note(r), []
        if chance < 0.3:
            first, *lines = _long_flow(r, one, column)
            return " " + first, lines
        offset = r.choice([1, 2, 4]) if in_list or isinstance(one, dict) else r.choice([0, 0, 2, 4])
        head = _note(r) or (" # head" if r.random() < 0.1 else "")
        lines = (mapping if isinstance(one, dict) else sequence)(r, one, column + offset)
        if in_list and not head and r.random() < 0.8:
            while lines and lines[0].lstrip()[:1] in ("", "#"):
                lines.pop(0)
            return " " * (offset - 1 if offset > 1 else 0) + lines[0][column + offset :], lines[1:]
        return head, lines
    if isinstance(one, str) and "\n" in one and r.random() < 0.8:
        found = _block(r, one, column)
        if found:
            return " " + found[0], found[1]
    if one is None and r.random() < 0.4:
        return _note(r), []
    text = "{}" if isinstance(one, dict) else "[]" if isinstance(one, list) else _scalar(r, one)
    if isinstance(one, str) and one in _PLAIN and " " in one and not text.startswith(("'", '"')) and r.random() < 0.3:
        first, second = one.split(" ")
        return f" {first}", [" " * (column + 2) + second + _note(r)]
    return r.choice([" ", " ", " ", "  "]) + text + _note(r), []


def mapping(r: Random, fields: dict[str, Any], column: int) -> list[str]:
    """The lines of a mapping in block style."""
    lines: list[str] = []
    before: Any = None
    for key, one in fields.items():
        head, below = _slot(r, one, column, in_list=False)
        if not _follows_kept(lines):
            lines += _between(r, column, before)
        before = one
        lines += [" " * column + _scalar(r, key) + r.choice([":", ":", ":", " :"]) + head, *below]
    return lines


def sequence(r: Random, elements: list[Any], column: int) -> list[str]:
    """The lines of a sequence in block style."""
    lines: list[str] = []
    before: Any = None
    for one in elements:
        head, below = _slot(r, one, column, in_list=True)
        if head and not head.startswith((" ", "\t")):
            head = " " + head
            below = [" " + line if line.strip() else line for line in below]
        if not _follows_kept(lines):
            lines += _between(r, column, before)
        before = one
        lines += [" " * column + "-" + head.replace("\t#", " #", 1), *below]
    return lines


def _follows_kept(lines: list[str]) -> bool:
    """Whether a blank line or comment might become a part of the value before it."""
    return bool(lines) and not lines[-1].strip()


def resource_list(r: Random) -> tuple[str, dict[str, Any], list[str]]:
    """Return a ResourceList as text, its value, and the text of each item from its dash on."""
    items = [
        {"kind": r.choice("ABC"), **{r.choice(KEYS): value(r) for _ in range(r.randrange(5))}}
        for _ in range(r.randrange(4))
    ]
    column = r.choice([0, 0, 2])
    lines = ["# file"] * r.randrange(2) + ["---"] * r.randrange(2) + ["kind: ResourceList"]
    texts = []
    if items:
        lines.append("items:" + _note(r))
        for item in items:
            own = sequence(r, [item], column)
            while own[0].lstrip()[:1] in ("", "#"):
                own.pop(0)
            texts.append("\n".join(own))
            lines += own
    else:
        lines.append("items: []")
    after = value(r, 2)
    if not _follows_kept(lines):
        lines += _between(r, 0, items)
    own = mapping(r, {"config": after}, 0)
    while own[0][:1] in ("", "#", " "):
        own.pop(0)
    lines += own
    return "\n".join(lines) + "\n", {"kind": "ResourceList", "items": items, "config": after}, texts


def with_aliases(r: Random) -> tuple[str, dict[str, Any]]:
    """Return a ResourceList whose items share values, and its value."""
    known: dict[str, Any] = {}
    items = []
    lines = ["kind: ResourceList", "items:"]
    for _ in range(r.randint(1, 3)):
        own, item = _shared(r, 2, known)
        items.append({"kind": "A", **item})
        lines += ["- kind: A", *("  " + line for line in own)]
    own, config = _shared(r, 2, known)
    lines += ["config:" if own else "config: {}", *("  " + line for line in own)]
    value = {"kind": "ResourceList", "items": items, "config": config}
    return "\n".join(lines) + "\n", json.loads(json.dumps(value))  # nothing is shared


def _shared(r: Random, depth: int, known: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The lines and the value of a mapping, some of whose values have anchors or are aliases."""
    lines: list[str] = []
    own: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for key in r.sample("abcdef", r.randint(1, 4)):
        maps = [name for name, one in known.items() if isinstance(one, dict)]
        kind = r.randrange(7 if depth else 5)
        if kind == 0 and maps and not any(line.startswith("<<") for line in lines):
            names = r.sample(maps, min(len(maps), r.randint(1, 2)))
            text = f"*{names[0]}" if len(names) == 1 else "[" + ", ".join(f"*{name}" for name in names) + "]"
            lines.append(f"<<: {text}")
            for name in reversed(names):
                merged.update(known[name])
            continue
        if kind <= 2 and known:
            name = r.choice(list(known))
            lines.append(f"{key}: *{name}")
            own[key] = known[name]
            continue
        name = r.choice("pqrst") + str(depth)  # not the name of what is around it
        anchor = f" &{name}" if r.random() < 0.5 else ""
        if anchor:
            known.pop(name, None)
        if kind <= 4:
            own[key] = r.choice([1, "x", [1, 2], {"a": 1, "z": 2}, {}])
            lines.append(f"{key}:{anchor} {_flow(r, own[key])}")
        elif kind == 5:
            below, own[key] = _shared(r, depth - 1, known)
            lines += [f"{key}:{anchor}", *("  " + line for line in below)] if below else [f"{key}:{anchor} {{}}"]
        else:
            lines.append(f"{key}:{anchor}")
            own[key] = []
            for _ in range(r.randint(1, 3)):
                below, one = _shared(r, depth - 1, known)
                own[key].append(one)
                lines += ["- " + below[0], *("  " + line for line in below[1:])] if below else ["- {}"]
        if anchor:
            known[name] = own[key]
    return lines, {**merged, **own}
