"""Searches people's YAML files for edits that go wrong: `python -m tests.krm.search FOLDER [--edits N] [--runs N]`.

Each file must come out byte for byte without an edit. Then single edits, and runs of several ones, are made in its
documents through `krm.Resource`. What comes out is read by another reader, and must have the values of the edits.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from crossplane_lite._tools.manifests.yaml import parse_documents
from crossplane_lite.errors import CrossplaneLiteError
from crossplane_lite.krm._text import Text, parse
from crossplane_lite.krm.resource import Resource

__all__ = ["main"]

VALUES = ["new", "yes", "1", "", 7, None, True, "two\nlines\n", {"x": ["y", {"z": 1}]}, ["a", "b"], {}, []]


def _paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*at, key)
        yield from _paths(child, (*at, key))


def _edit(r: Random, resource: Resource, model: Any) -> None:
    """Make one random edit in a resource, and the same one in its model."""
    paths = [path for path in _paths(model) if path[0] not in ("metadata", "apiVersion", "kind")]
    if not paths:
        model["added"] = resource["added"] = "x"
        return
    path = r.choice(paths)
    holder, view = model, resource
    for step in path[:-1]:
        holder, view = holder[step], view[step]
    kind = r.randrange(4)
    value = r.choice(VALUES)
    if kind == 0:
        del holder[path[-1]], view[path[-1]]
    elif kind == 1 and isinstance(holder, dict):
        key = f"added{r.randrange(9)}"
        holder[key], view[key] = copy.deepcopy(value), value
    elif kind == 1:
        at = r.randint(0, len(holder))
        holder.insert(at, copy.deepcopy(value))
        view.insert(at, value)
    elif kind == 2 and isinstance(holder, list):
        holder.reverse()
        view.reverse()
    else:
        holder[path[-1]], view[path[-1]] = copy.deepcopy(value), value


def _read(data: bytes) -> list[Any]:
    return [one.content for one in parse_documents(data.decode("utf-8-sig"), "it", extra="krm", as_written=True)]


def _check(r: Random, data: bytes, edits: int) -> str:
    """Edit one document of a stream; return what went wrong: nothing, "wrong", "invalid" or "refused"."""
    text: Text = parse(data)
    models = [root.value() for root in text.documents]
    at = r.randrange(len(models))
    resource = Resource._of_node(text.documents[at], "it")
    for _ in range(edits):
        _edit(r, resource, models[at])
    try:
        resource._write()
        out = text.dump()
    except CrossplaneLiteError:
        return "refused"
    try:
        found = _read(out)
    except CrossplaneLiteError:
        return "invalid"
    return "" if _equal(found, models) else "wrong"


def _equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON: 2.0 is 2, and true isn't 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def main(argv: Sequence[str] | None = None) -> int:
    """Search, and print how many edits went wrong. Return 1 if one did."""
    parser = argparse.ArgumentParser(prog="python -m tests.krm.search")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=38_000, help="single edits; default: %(default)s")
    parser.add_argument("--runs", type=int, default=15_000, help="runs of 2 to 6 edits; default: %(default)s")
    parser.add_argument("--largest", type=int, default=60_000, help="bytes of the largest file that is edited")
    given = parser.parse_args(argv)
    files = sorted(one for folder in given.folders for one in folder.rglob("*") if one.suffix in (".yaml", ".yml"))
    usable, same, unread = [], 0, 0
    for file in files:
        data = file.read_bytes()
        try:
            text = parse(data)
        except CrossplaneLiteError:
            unread += 1
            continue
        same += text.dump() == data
        if text.documents and len(data) <= given.largest:
            usable.append((file, data))
    print(f"{len(files)} files: {same} unchanged, {unread} can't be read; {len(usable)} are edited", flush=True)
    bad = len(files) - unread - same
    for name, many, least, most in (("edits", given.edits, 1, 1), ("runs", given.runs, 2, 6)):
        count: dict[str, int] = {}
        for seed in range(many):
            r = Random(f"{name} {seed}")
            file, data = r.choice(usable)
            found = _check(r, data, r.randint(least, most))
            count[found] = count.get(found, 0) + 1
            if found:
                print(f"{name} {seed}, {file}: {found}", flush=True)
        bad += sum(count.values()) - count.get("", 0)
        print(
            f"{many} {name}: {count.get('', 0)} right, { ({key: one for key, one in count.items() if key}) }",
            flush=True,
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
