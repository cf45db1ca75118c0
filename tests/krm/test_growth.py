"""Steps that are made for each item or element: twice as many take twice as many steps, not four times."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import krm
from crossplane_lite._core.paths import field_path
from crossplane_lite.errors import UsageError
from crossplane_lite.krm.resource_list import ResourceList
from tests.krm.lists import wrapper

SIZE = 150


def listed(size: int) -> ResourceList[Any]:
    """Return a list of this many items, two in each file."""
    item = "- apiVersion: v1\n  kind: A\n  metadata:\n    name: a{0}\n"
    item += "    annotations:\n      {1}: f{2}.yaml\n      {3}: '{4}'\n"
    prefix = "internal.config.kubernetes.io/"
    items = (item.format(at, f"{prefix}path", at // 2, f"{prefix}index", at % 2) for at in range(size))
    return ResourceList.read(wrapper("".join(f"{one}  # why\n" for one in items)))


def named(size: int) -> ResourceList[Any]:
    """Return a list of one item, with a list of this many elements."""
    elements = "".join(f"  - name: x{at}\n    value: {at}\n" for at in range(size))
    return ResourceList.read(wrapper(f"- apiVersion: v1\n  kind: A\n  metadata: {{name: a}}\n  list:\n{elements}"))


def label(rl: ResourceList[Any], size: int) -> None:
    """Label each item, and change it in another way."""
    for at, one in enumerate(rl.items):
        one.labels["team"] = "x"
        one.set("spec.list", [{"at": at}])
        one.delete("kind")


def add_fields(rl: ResourceList[Any], size: int) -> None:
    """Add fields to one item, and rename the half of them."""
    one = rl.items[0]
    for at in range(size):
        one[f"field{at}"] = {"at": at}
    for at in range(0, size, 2):
        one[f"renamed{at}"] = one.pop(f"field{at}")


def add(rl: ResourceList[Any], size: int) -> None:
    """Add items."""
    for at in range(size):
        rl.items.add({"apiVersion": "v1", "kind": "B", "metadata": {"name": f"b{at}"}})


def add_copies(rl: ResourceList[Any], size: int) -> None:
    """Add a copy of each item."""
    for one in rl.items:
        rl.items.add({**one.to_dict(), "kind": "B"})


def remove(rl: ResourceList[Any], size: int) -> None:
    """Remove a third of the items."""
    for one in list(rl.items)[::3]:
        rl.items.remove(one)


def upsert(rl: ResourceList[Any], size: int) -> None:
    """Change each item by its name, and add as many."""
    for at in range(2 * size):
        rl.items.upsert({"apiVersion": "v1", "kind": "A", "metadata": {"name": f"a{at}"}, "data": {"x": "y"}})


def rename(rl: ResourceList[Any], size: int) -> None:
    """Rename each item, and look it up by its new name."""
    for one in rl.items:
        one.name = f"new-{one.name}"
        rl.items.upsert({"apiVersion": "v1", "kind": "A", "metadata": {"name": one.name}})


def assign(rl: ResourceList[Any], size: int) -> None:
    """Give the list its items in another order."""
    rl.items = list(reversed(rl.items))


def set_by_name(rl: ResourceList[Any], size: int) -> None:
    """Set a field of each element by the element's name, and read it."""
    for at in range(size):
        rl.items[0].set(f"list[name=x{at}].value", "new")
        assert rl.items[0].get(f"list[name=x{at}].value") == "new"


def add_by_name(rl: ResourceList[Any], size: int) -> None:
    """Add elements by their names, and rename each one."""
    for at in range(size):
        rl.items[0].set(f"list[name=y{at}].value", at)
        rl.items[0].set(f"list[name=y{at}].name", f"z{at}")


def delete_by_name(rl: ResourceList[Any], size: int) -> None:
    """Delete each second element by its name."""
    for at in range(0, size, 2):
        assert rl.items[0].delete(f"list[name=x{at}]")


def comments_in_turns(rl: ResourceList[Any], size: int) -> None:
    """Add a field and its comment, change one and its comment, and delete one, in turns."""
    one = rl.items[0]
    for at in range(size):
        one.set(f"data.n{at}", "x")
        one.comments(f"data.n{at}").line = "new"
        one["list"][at].value = -1
        one.comments(("list", at, "value")).line = "changed"
        one.delete(f"list[{size - at - 1}].name")


def insert_in_front(rl: ResourceList[Any], size: int) -> None:
    """Insert elements with comments at the front of a list."""
    elements = rl.items[0]["list"]
    for at in range(size):
        elements.insert(0, {"name": f"y{at}"})
        elements.comments("[0]").head = "in front"


def move_each(rl: ResourceList[Any], size: int) -> None:
    """Move each element of a list to a field."""
    one = rl.items[0]
    for at in range(size):
        one[f"field{at}"] = one["list"].pop()


def steps(make: Callable[[int], ResourceList[Any]], work: Callable[[Any, int], None], size: int) -> int:
    """Return how many lines of Python a run takes, with its checks and its output."""
    count = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    def body(rl: krm.ResourceList) -> None:
        work(rl, size)
        rl.items._check_new()

    rl = make(size)
    field_path._parsed.cache_clear()
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        body(rl)
        rl.write()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("make", "work"),
    [
        *((listed, work) for work in (label, add, add_copies, remove, upsert, rename, assign)),
        *((named, work) for work in (set_by_name, add_by_name, delete_by_name)),
        *((named, work) for work in (comments_in_turns, insert_in_front, move_each, add_fields)),
    ],
    ids=lambda one: one.__name__,
)
def test_growth(make: Any, work: Any) -> None:
    """Twice as many items or elements take at most 2.3 times as many steps."""
    steps(make, work, 20)  # what is loaded once
    assert steps(make, work, 2 * SIZE) <= 2.3 * steps(make, work, SIZE)


def test_elements_by_name_follow_changes() -> None:
    """A long list's elements are found as they are now, however they came there."""
    one = named(20).items[0]
    one.set("list[name=x3].value", "a")
    elements = one["list"]
    elements.insert(0, {"name": "first"})
    elements.append({"name": "last"})
    elements[5] = {"name": "fifth"}
    elements[6].name = "sixth"
    del elements[7]
    for name in ("first", "last", "fifth", "sixth", "x19", "x0"):
        one.set(f"list[name={name}].value", name)
    elements.sort(key=lambda element: element.name)
    elements.extend([{"name": "a"}, {"name": 7}, {"name": "7", "x": 1}])
    one.set("list[name=a].value", "a")
    assert [element["name"] for element in elements if element.get("value") == element["name"]] == [
        *("fifth", "first", "last", "sixth", "x0", "x19", "a")
    ]
    assert one.get("list[name=x4]") is None and one.get("list[name='7'].x") == 1
    with pytest.raises(UsageError, match=r"\[name=7\] means 2 elements"):
        one.get("list[name=7]")
