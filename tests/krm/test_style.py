"""New text looks like the text around it: its quotes, its indentation, its blank lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import krm
from tests.krm.test_edges import HEAD, read, run, run_function

FILES = {
    "single quotes": HEAD + "data:\n  a: 'x'\n  b: c\n",
    "double quotes": HEAD + 'data:\n  a: "x"\n',
    "no quotes": HEAD,
    "wide lists": HEAD + "spec:\n  ports:\n    - port: 80\n",
    "four columns": HEAD + "spec:\n    a:\n        b: 'c'\n",
    "a list at the top": HEAD + "subjects:\n- kind: User\n  name: 'x'\nroleRef: {kind: R}\n",
    "a list of its own items": HEAD + "items:\n- key: 'a'\n  path: b\n",
}


def _edit(resource: Any) -> None:
    resource.labels["a"] = "yes"
    resource["new"] = {"b": ["true", {"c": "1"}]}
    for key in ("subjects", "items"):
        for one in resource.get((key,)) or ():
            one["more"] = "no"


@pytest.mark.parametrize("name", FILES)
def test_files_and_lists(name: str, tmp_path: Path) -> None:
    """A file gets the same bytes from a run over files as in an orchestrator's list, whatever is beside it."""
    text = FILES[name]

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        for one in rl.items:
            _edit(one)

    in_file = run(tmp_path, text.encode(), _edit).decode()
    others = [one for other, one in FILES.items() if other != name]
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    items = ["- " + "".join(f"  {line}" for line in one.splitlines(keepends=True))[2:] for one in (*others, text)]
    made = transform.run((head + "".join(items)).encode()).stdout.decode()
    lines = in_file.splitlines()
    assert made.splitlines()[-len(lines) :] == [f"- {lines[0]}", *(f"  {line}" for line in lines[1:])]


def test_new_items(tmp_path: Path) -> None:
    """A new item has the same text in a list as in a file, whatever is beside it."""
    new = {"apiVersion": "v1", "kind": "Y", "metadata": {"name": "y"}, "data": {"a": ["yes", {"b": "two\nlines\n"}]}}

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        rl.items.add(new)

    run_function(tmp_path, FILES["single quotes"].encode(), transform)
    lines = (tmp_path / "y_y.yaml").read_text().splitlines()
    items = "".join(f"  {line}" for line in FILES["wide lists"].splitlines(keepends=True))
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- "
    made = transform.run((head + items[2:]).encode()).stdout.decode().splitlines()
    assert made[-len(lines) :] == [f"- {lines[0]}", *(f"  {line}" for line in lines[1:])]


def _delete_first(resource: Any) -> None:
    del resource["list"][0]


def _set(path: str, value: Any) -> Callable[[Any], None]:
    return lambda resource: resource.set(path, value)


@pytest.mark.parametrize(
    ("text", "edit", "expected"),
    [
        ("list:\n- a\n\n- b\n\n- c\n", _delete_first, "list:\n- b\n\n- c\n"),
        ("list:\n- a\n\n# of b\n- b\n", _delete_first, "list:\n# of b\n- b\n"),
        ("list:\n- a\n\n# detached\n\n- b\n", _delete_first, "list:\n# detached\n\n- b\n"),
        ("a: x\n   \nb: 1\n", _set("a", ["x"]), "a:\n- x\n   \nb: 1\n"),
        ("a:\n- x\n  \n     \nb: 1\n", _set("a", "w"), "a: w\n  \n     \nb: 1\n"),
        ("a:\n  b: c\n   \nb: 1\n", _set("a", 5), "a: 5\n   \nb: 1\n"),
        # These spaces would be a part of the block.
        ("a: x\n    \nb: 1\n", _set("a", "y\nz\n"), "a: |\n  y\n  z\n\nb: 1\n"),
    ],
)
def test_blank_lines(text: str, edit: Callable[[Any], object], expected: str, tmp_path: Path) -> None:
    """Blank lines stay, also those of spaces, but not as the first line of a list."""
    assert run(tmp_path, (HEAD + text).encode(), edit).decode() == HEAD + expected


def test_binary(tmp_path: Path) -> None:
    """A binary value is the text that it stands for, as other readers have it, and stays as it is written."""
    data = (HEAD + "a: !!binary aGVs\nb: !!binary |\n  aGVs\n  bG8=\nc: !!binary /w==\n").encode()
    seen: list[Any] = []

    def edit(resource: Any) -> None:
        seen.extend((resource.a, resource.b, resource.c))
        resource["d"] = 1

    made = run(tmp_path, data, edit)
    assert made == data + b"d: 1\n"
    assert seen == ["hel", "hello", "\ufffd"]
    assert [read(made)[0][key] for key in "abc"] == seen
