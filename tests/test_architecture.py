"""The structure of the package, as docs/ARCHITECTURE.rst says it."""

from __future__ import annotations

import ast
import functools
import pkgutil
import re
import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite._core import codec
from crossplane_lite.proto import _view
from tests.import_graph import ROOT, circles, import_graph, room_of
from tests.support import request

PAGE = ROOT.parent / "docs" / "ARCHITECTURE.rst"
MOST_IN_A_CIRCLE = 4

TEXT = PAGE.read_text(encoding="utf-8")


def rows() -> list[list[str]]:
    """Return the rooms in the page's order, each with its doors."""
    table = TEXT.partition("     - its job\n")[2].partition("\n\n")[0]
    found = []
    for row in re.split(r"^   \* - ", table, flags=re.MULTILINE)[1:]:
        room, doors, _ = re.split(r"^     -", row, maxsplit=2, flags=re.MULTILINE)
        found.append(re.findall(r"``([\w/]+)``", room) + re.findall(r"``(\w+)``", doors))
    return found


RANK = {name: at for at, row in enumerate(rows()) for name in row}


def test_the_page_has_every_room() -> None:
    """Every room, and every module at the top of the package, stands in the page's table, and nothing else does."""
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"_core", "_tools"}
    inner = {
        str(path.parent.relative_to(ROOT)) for top in ("_core", "_tools") for path in ROOT.glob(f"{top}/*/__init__.py")
    }
    assert set(RANK) == {path.stem for path in ROOT.glob("*.py")} - {"__init__"} | folders | inner
    assert len(folders) + 2 <= 12


def test_imports_keep_to_the_order_of_rooms() -> None:
    """No module imports one of a room further down, be it inside of a function or for type checkers."""
    upwards = [
        f"{name} imports {other}"
        for name, others in import_graph().items()
        for other in others
        if room_of(name) and (not room_of(other) or RANK[room_of(other)] > RANK[room_of(name)])
    ]
    assert upwards == []


def test_circles_are_small_and_inside_of_a_room() -> None:
    """Files that know each other in a circle are of one room, and no more than four."""
    graph = import_graph()
    found = circles(graph)
    assert [group for group in found if len(group) > MOST_IN_A_CIRCLE] == []
    assert [group for group in found if len({RANK[room_of(name)] for name in group}) > 1] == []
    rooms: dict[str, set[str]] = {}
    for name, others in graph.items():
        rooms.setdefault(room_of(name), set()).update({room_of(other) for other in others} - {room_of(name)})
    # A door and its folder are one room.
    merged: dict[str, set[str]] = {}
    for room, others in rooms.items():
        merged.setdefault(str(RANK.get(room)), set()).update(
            {str(RANK.get(one)) for one in others} - {str(RANK.get(room))}
        )
    assert circles(merged) == []


def test_circles_are_found() -> None:
    """The search finds circles of any form, and no others: a loop of three, two loops that share a node, a chain."""
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d", "f"}, "f": set(), "g": {"a"}}
    assert sorted(circles(graph)) == [["a", "b", "c"], ["d", "e"]]
    assert circles({"a": {"b", "c"}, "b": {"a"}, "c": {"a"}}) == [["a", "b", "c"]]


def test_no_private_module_lies_flat() -> None:
    """Every private module is in a room."""
    flat = (path for top in (".", "_core", "_tools") for path in (ROOT / top).glob("_*.py"))
    assert [path.name for path in flat if not path.name.startswith("__")] == []


def test_rooms_say_what_they_are_for() -> None:
    """The docstring of each private room says its job, and what it imports."""
    for path in sorted(ROOT.glob("_core/*/__init__.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        assert "import" in text and len(text.splitlines()) > 2, path


@pytest.mark.parametrize("door", ["model", "observable", "requirements", "schemas", "table", "unstructured"])
def test_doors_only_hand_names_on(door: str) -> None:
    """A door defines nothing itself."""
    body = ast.parse((ROOT / f"{door}.py").read_text(encoding="utf-8")).body
    allowed = (ast.ImportFrom, ast.If, ast.Assign, ast.Expr)
    assert all(isinstance(node, allowed) for node in body)
    module = __import__(f"crossplane_lite.{door}", fromlist=["__all__"])
    assert all(hasattr(module, name) for name in module.__all__)


def test_the_page_names_what_exists() -> None:
    """Each file that the page names is there; a name without a folder is that of a file in some room."""
    named = set(re.findall(r"``([\w./]+\.py)``", TEXT)) | set(re.findall(r"^    ([\w/]+\.py) ", TEXT, re.MULTILINE))
    assert len(named) > 40
    files = {path.name for path in ROOT.rglob("*.py")}
    missing = [name for name in named if not (ROOT / name).exists() and not (ROOT.parent / name).exists()]
    assert [name for name in missing if "/" in name or name not in files] == []


def test_docstrings_name_what_exists() -> None:
    """What a docstring or a comment names by its room, such as `_core.call.mark.whose`, is there."""
    named = re.compile(r"`(_(?:core|tools)(?:\.\w+)+)")
    found = {name for path in ROOT.rglob("*.py") for name in named.findall(path.read_text(encoding="utf-8"))}
    assert len(found) > 15
    for name in found:
        pkgutil.resolve_name(f"crossplane_lite.{name}")


def test_the_page_has_the_table_of_node() -> None:
    """The table of a model's states is the same in the page and where the states are defined."""
    table = re.compile(r"^========  =.*?^FACT .*?^========[ =]*$", re.DOTALL | re.MULTILINE)
    source = (ROOT / "_core" / "models" / "node.py").read_text(encoding="utf-8")
    found = table.search(source)
    assert found is not None
    assert found[0] in TEXT
    states = set(re.findall(r"^([A-Z]+): Final = \d+$", source, re.MULTILINE))
    assert states == set(re.findall(r"^([A-Z]+) ", found[0], re.MULTILINE))


# What calls a room of a later row, in a call in which something waits: secrets are masked, and a missing value is asked
# for the text that it is encoded as. The class that has the masker is known as a base class below.
UPWARDS = {
    ("_core/observed", "_core/call"): "Call.masker",
    ("_core/codec", "_core/observed"): "Observable.__wire_text__",
}
# In a call that writes notes: they have no secrets, and functions that are arguments say where they lie.
WRITES = {
    ("_core/observed", "_core/call"): "Call.masker",
    ("_core/known", "_core/answer"): "<lambda>, _namespace",
}


def vpc_request(status: dict[str, Any], *, exist: bool = True, made: Any = ()) -> bytes:
    """Return a request of the VPC example with all composed resources observed, or none, and the composite's status.

    `made` has the desired resources of an answer, whose annotations the observed ones get.
    """
    folder = ROOT.parent / "examples" / "vpc"
    observed: dict[str, Any] = {}
    for one in pyyaml.safe_load_all((folder / "observed" / "all.yaml").read_text()):
        annotations = one["metadata"]["annotations"]
        name = annotations["crossplane.io/composition-resource-name"]
        if name in made:
            annotations.update(codec.decode_struct(made[name].resource)["metadata"]["annotations"])
        if exist:
            observed[name] = one
    return request(xr={**pyyaml.safe_load((folder / "xr.yaml").read_text()), "status": status}, observed=observed)


def profiled(compose: Any, data: bytes) -> dict[tuple[str, str], set[str]]:
    """Return the functions that one room calls in another, in a call."""
    compose.run(data)  # what only a first call does is no part of it
    found: dict[tuple[str, str], set[str]] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_back is not None:
            rooms = (_room_of_code(frame.f_back.f_code), _room_of_code(frame.f_code))
            if all(rooms) and rooms[0] != rooms[1]:
                owner = type(frame.f_locals["self"]).__name__ + "." if "self" in frame.f_locals else ""
                found.setdefault(rooms, set()).add(owner + frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        compose.run(data)
    finally:
        sys.setprofile(before)
    return found


def upwards(found: dict[tuple[str, str], set[str]]) -> dict[tuple[str, str], str]:
    """Return those of the calls that lead to a room of a later row."""
    return {rooms: ", ".join(sorted(names)) for rooms, names in found.items() if RANK[rooms[1]] > RANK[rooms[0]]}


@functools.cache  # asked for at every call
def _room_of_code(code: CodeType) -> str:
    path = Path(code.co_filename)
    return room_of(".".join(path.relative_to(ROOT.parent).with_suffix("").parts)) if path.is_relative_to(ROOT) else ""


@pytest.mark.slow
def test_a_request_goes_down() -> None:
    """A call goes from composition down to the answer, the models and the codec; what goes upwards is named."""
    from examples.vpc.function import compose

    waiting = profiled(compose, vpc_request({}, exist=False))
    assert upwards(waiting) == UPWARDS

    status: dict[str, Any] = {}
    for _ in range(3):  # what the composite's status has is there in the next call
        answer = _view.RunFunctionResponse.FromString(compose.run(vpc_request(status)))
        status = codec.decode_struct(answer.desired.composite.resource)["status"]
    assert not answer.conditions
    assert upwards(profiled(compose, vpc_request(status))) == WRITES
    status["conditions"] = [{"type": "Ready", "status": "True"}]
    made = answer.desired.resources
    assert not upwards(profiled(compose, vpc_request(status, made=made)))
