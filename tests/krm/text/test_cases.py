"""Documents in every style: the text stays as it came, and a label that is added is all that is new."""

from __future__ import annotations

import difflib
from typing import Any

import pytest

from crossplane_lite._tools.manifests.yaml import parse_documents
from crossplane_lite.krm import _text

from . import editing
from .cases import CASES, Case

_EACH = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def diff(before: bytes, after: bytes) -> tuple[str, ...]:
    """Return the lines that went and came."""
    lines = difflib.ndiff(*(text.decode().split("\n") for text in (before, after)))
    return tuple(line[0] + line[2:] for line in lines if line[0] in "+-")


def value(data: bytes) -> Any:
    """Return the value of a document as the reader of manifests reads it."""
    text = data.decode("utf-8-sig").replace("\\ud83d\\ude00", "\U0001f600")
    (document,) = parse_documents(text, "text", extra="krm", as_written=True)
    return document.content


def add_label(data: bytes, case: Case) -> bytes:
    """Return a document with the label."""
    text = _text.parse(data)
    editing.put(text.root, [*case.path, "team"], "blue")
    return text.dump()


def test_count() -> None:
    """There are at least as many documents as libraries were compared with."""
    assert len(CASES) >= 60


@pytest.mark.sample(25)
@_EACH
def test_unedited(case: Case) -> None:
    """What nobody edits comes out byte for byte, also when everything has been read or set to what it was."""
    data = case.text.encode()
    text = _text.parse(data)
    assert text.dump() == data
    text.root.assign(text.root.value())
    assert text.dump() == data


@pytest.mark.sample(25)
@_EACH
def test_values(case: Case) -> None:
    """Values are those that the reader of manifests sees."""
    data = case.text.encode()
    assert _text.parse(data).root.value() == value(data)


# Words and numbers that readers of YAML 1.2 don't take for what Kubernetes does, or documents that they refuse.
_NOT_1_2 = {
    "tabs before comments",
    "numbers and words",
    "keys like values",
    "tags",
    "json, tabs",
    "byte order mark and crlf",
    "byte order mark",
}


@pytest.mark.sample(16)
@pytest.mark.parametrize("name", [name for name in CASES if name not in _NOT_1_2])
def test_values_as_ruamel_reads(name: str) -> None:
    """Where the rules agree, values are those that a reader of YAML 1.2 sees."""
    ruamel = pytest.importorskip("ruamel.yaml", reason="the reader of YAML 1.2 is not installed")
    documents = ruamel.YAML(typ="safe", pure=True).load_all(CASES[name].text)
    (expected,) = (document for document in documents if document is not None)
    assert _text.parse(CASES[name].text.encode()).root.value() == expected


@pytest.mark.sample(25)
@_EACH
def test_label(case: Case) -> None:
    """A label is the only new line, or changes only the line it stands on."""
    data = case.text.encode()
    result = add_label(data, case)
    assert diff(data, result) == case.changed


@pytest.mark.sample(25)
@_EACH
def test_label_value(case: Case) -> None:
    """With the label, a document has its old value and the label."""
    data = case.text.encode()
    expected = value(data)
    metadata = expected["items"][0].setdefault("metadata", {})
    metadata["labels"] = {**(metadata.get("labels") or {}), "team": "blue"}
    assert value(add_label(data, case)) == expected


@pytest.mark.sample(25)
@_EACH
def test_twice(case: Case) -> None:
    """The label added to what has it already changes nothing."""
    result = add_label(case.text.encode(), case)
    assert add_label(result, case) == result


@pytest.mark.sample(25)
@_EACH
def test_back(case: Case) -> None:
    """A label that is added and taken away again leaves the text as it was, in another run too."""
    data = case.text.encode()
    text = _text.parse(data)
    if not text.root.get(case.path):
        pytest.skip("labels that weren't there become empty ones")
    if any("*l" in line for line in case.changed):
        pytest.skip("what an alias stood for is written out")
    text = _text.parse(add_label(data, case))
    editing.delete(text.root, [*case.path, "team"])
    back = text.dump()
    if "+      app: |-" in case.changed:
        # A block at the end that had no line break has been told to ignore it.
        back = back.replace(b"|-", b"|")
    assert back == data


def test_items_elsewhere() -> None:
    """In a list of all cases' items, a label on one leaves the text of all others alone."""
    bodies = [
        case.text[case.text.index("items:\n") + 7 :]
        for name, case in CASES.items()
        if case.text.startswith("apiVersion")
        and case.text.endswith("\n")
        and "functionConfig" not in case.text
        and "---" not in case.text
        and "\nitems:\n- " in case.text
        and "&" not in case.text
        and "\r" not in case.text
    ]
    assert len(bodies) > 40
    data = ("kind: ResourceList\nitems:\n" + "".join(bodies)).encode()
    text = _text.parse(data)
    nodes = text.root.child("items").children()  # type: ignore[union-attr]
    assert len(nodes) == len(bodies)
    for node in nodes[::3]:
        editing.put(node, ["metadata", "labels", "team"], "blue")
    result = text.dump().decode()
    for body in (body for at, body in enumerate(bodies) if at % 3):
        assert body in result
    assert value(result.encode()) == editing.value_of(text.root)


@pytest.mark.slow
def test_forty_thousand_lines() -> None:
    """A label in the middle of 40,000 lines is the only new line."""
    body = "".join(
        f"- # file {at}\n  kind: A\n  metadata:\n    name: a{at} # name\n    labels:\n      app: x\n"
        "  data:\n    a: |\n      b\n"
        for at in range(4500)
    )
    data = ("kind: ResourceList\nitems:\n" + body).encode()
    assert data.count(b"\n") > 40_000
    text = _text.parse(data)
    assert text.dump() == data
    editing.put(text.root, ["items", 4400, "metadata", "labels", "team"], "blue")
    place = data.index(b"      app: x\n", data.index(b"name: a4400 ")) + len(b"      app: x\n")
    assert text.dump() == data[:place] + b"      team: blue\n" + data[place:]
