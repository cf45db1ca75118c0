"""The end of a file in all its forms: what a function writes there changes no other value, and loses no comment."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import krm
from crossplane_lite._tools.manifests.yaml import parse_documents
from crossplane_lite.krm.files import Package
from crossplane_lite.krm.runner import answered

HEAD = """\
# of the file
apiVersion: v1 # version
kind: X
metadata:
  name: x # name
"""

ENDS = {
    "block": "data:\n  # why\n  a: {}\n    x\n    y",
    "block with an indentation": "data:\n  # why\n  a: {}4\n        x\n      y",
    "block with a comment behind its header": "data:\n  # why\n  a: {} # header\n    x",
    "block as an element": "list:\n# first\n- 1\n# why\n- {}\n  x",
    "block as a field of an element": "list:\n- b: 1 # b\n  # why\n  c: {}\n    x",
    "block at the top": "data: {{}} # data\n# why\ntext: {}\n  x",
    "block that ends in spaces": "data:\n  # why\n  a: {}\n    x\n    y\n  ",
    "block below a blank line": "data:\n  # why\n  a: {}\n    x\n\n    y",
}
HEADERS = ("|", "|-", "|+", ">", ">-", ">+")
BEHIND = {
    "nothing": "",
    "newline": "\n",
    "blank lines": "\n\n\n",
    "comment": "\n# end",
    "comment and newline": "\n\n# end\n",
    "deep comment": "\n  # deep",
    "marker": "\n---\n",
    "end marker": "\n...",
}


def _behind_all(resource: Any) -> None:
    resource["new"] = {"b": ["c"]}


def _beside(resource: Any) -> None:
    holder = resource.get("data") or resource.get("list") or resource
    if krm.is_list(holder):
        holder.append("new")
    else:
        holder["new"] = "n"


def _in_front(resource: Any) -> None:
    resource["kind"] = "Y"


def _block_behind(resource: Any) -> None:
    resource["new"] = "one\ntwo\n"


EDITS = (_behind_all, _beside, _in_front, _block_behind)


def run(folder: Path, data: bytes, edit: Callable[[Any], object], *, how: str = "changes") -> bytes:
    """Return a file after a function that edits each resource, or the text that is made of it in another way."""

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        for one in rl.items:
            edit(one)

    return run_function(folder, data, transform, how=how)


def run_function(folder: Path, data: bytes, function: krm.Function, *, how: str = "changes") -> bytes:
    """Return a file after a function, or the text that is made of it in another way."""
    (folder / "a.yaml").write_bytes(data)
    package = Package(None, [str(folder)], root=str(folder))
    answer = answered(function, package.read, getattr(package, how))
    assert not answer.rl.has_errors, answer.rl.results
    if isinstance(answer.made, bytes):
        return answer.made
    package.write(answer.made)
    return (folder / "a.yaml").read_bytes()


def read(data: bytes) -> list[Any]:
    """Return the values of a file, as another reader sees them."""
    return [one.content for one in parse_documents(data.decode("utf-8-sig"), "it", extra="krm", as_written=True)]


def comments(data: bytes) -> list[str]:
    """Return the comments of a file; in these files no other text has the sign."""
    return sorted(re.findall(r"#[^\r\n]*", data.decode()))


@pytest.mark.sample(40)
@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("end", ENDS)
def test_ends(end: str, header: str, behind: str, tmp_path: Path) -> None:
    """Whatever follows the last value, new text behind it leaves its value, the comments and the other lines."""
    text = HEAD + ENDS[end].format(header) + BEHIND[behind]
    for source in (text, text.replace("\n", "\r\n"), "\ufeff" + text):
        data = source.encode()
        (before,) = read(data)
        for edit in EDITS:
            model = krm.Resource(before)
            edit(model)
            made = run(tmp_path, data, edit)
            assert read(made) == [model.to_dict()]
            assert comments(made) == comments(data)
            lost = [one for one in difflib.ndiff(_lines(data), _lines(made)) if one.startswith("- ")]
            assert len(lost) <= 2, "the line of the edit, and the header of the block"
            assert made.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
            assert b"\r" not in data or b"\n" not in made.replace(b"\r\n", b"")


def _lines(data: bytes) -> list[str]:
    """Return the lines that aren't blank; in a block that keeps them, as many as the value has are left."""
    return [line for line in data.decode().splitlines() if line.strip()]


@pytest.mark.parametrize("header", HEADERS)
def test_documents(header: str, tmp_path: Path) -> None:
    """A document that is added behind an open block leaves its value and its comments, too."""
    data = (HEAD + ENDS["block"].format(header)).encode()

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        rl.items.add({"apiVersion": "v1", "kind": "Y", "metadata": {"name": "y"}}).move_to("a.yaml", 1)

    made = run_function(tmp_path, data, transform)
    assert [one["kind"] for one in read(made)] == ["X", "Y"]
    assert read(made)[0] == read(data)[0]
    assert comments(made) == comments(data)


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("how", ["documents", "as_list"])
def test_lists_of_items(how: str, header: str, tmp_path: Path) -> None:
    """The same document keeps both in a list of items, and as a document on stdout."""
    data = (HEAD + ENDS["block"].format(header)).encode()
    made = run(tmp_path, data, lambda one: one.labels.update({"team": "web"}), how=how)
    (found,) = read(made)
    item = found["items"][0] if how == "as_list" else found
    assert item["data"] == read(data)[0]["data"]
    assert comments(made) == comments(data)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        # One more blank line would make the block's value another one, and none can stand there without it.
        ("a: |1\n\n  \n x\nb: 1\n", "b"),
    ],
)
def test_rare_blocks(source: str, said: str, tmp_path: Path) -> None:
    """A block whose first lines are blank stays what it is when the field behind it goes."""
    data = (HEAD + source).encode()
    (before,) = read(data)
    made = run(tmp_path, data, lambda one: one.delete(said))
    assert read(made) == [{key: one for key, one in before.items() if key != said}]
