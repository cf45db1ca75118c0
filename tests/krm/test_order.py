"""The order of fields and elements can be set, and nothing but their lines changes places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from crossplane_lite import krm
from tests.krm import search
from tests.krm.test_edges import read, run

SOURCE = """\
# of the file

# of the item
kind: X # kind
spec:
  # of b
  b: # behind b
    d: 1
    c: 2 # two

  # detached

  a: [x] # a
  flow: {z: 1, y: 2}
  list:
  - image: i # image
    name: n
# of metadata
metadata: {name: x}
apiVersion: v1
"""
SORTED = """\
# of the file

# of the item
apiVersion: v1
kind: X # kind
# of metadata
metadata: {name: x}
spec:
  a: [x] # a

  # detached

  # of b
  b: # behind b
    c: 2 # two
    d: 1
  flow: {y: 2, z: 1}
  list:
  - name: n
    image: i # image
"""


def _sorted(value: Any) -> Any:
    """Return a value with its fields in an order: name first, then by the alphabet, as kpt's `format` does it."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value, key=lambda key: (key != "name", key))}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


def _replace(resource: Any) -> None:
    resource.replace(_sorted(resource.to_dict()))


def _pop_and_set(resource: Any) -> None:
    for key in sorted(resource):
        resource[key] = resource.pop(key)
    for key in sorted(resource.spec):
        resource.spec[key] = resource.spec.pop(key)
    for holder in (resource.spec.b, resource.spec.flow):
        for key in sorted(holder):
            holder[key] = holder.pop(key)
    element = resource.spec["list"][0]
    element.image = element.pop("image")


@pytest.mark.parametrize("edit", [_replace, _pop_and_set])
def test_fields(edit: Callable[[Any], None], tmp_path: Path) -> None:
    """Fields get the order of the new content, or of their assignments; each takes its comments along."""
    made = run(tmp_path, SOURCE.encode(), edit)
    assert made.decode() == SORTED
    assert list(read(made)[0]["spec"]) == ["a", "b", "flow", "list"]
    assert run(tmp_path, made, edit) == made
    json = b'{"kind": "X", "b": {"z": 1, "y": [2]}, "apiVersion": "v1"}\n'
    assert run(tmp_path, json, _replace) == b'{"apiVersion": "v1", "b": {"y": [2], "z": 1}, "kind": "X"}\n'


def test_new_fields(tmp_path: Path) -> None:
    """A new field stands where the new content has it."""

    def edit(resource: Any) -> None:
        resource.replace({"apiVersion": "v1", "first": 1, "kind": "X", "metadata": {"namespace": "prod", "name": "x"}})

    made = run(tmp_path, b"apiVersion: v1\nkind: X # kind\nmetadata:\n  name: x # name\n", edit)
    assert made == b"apiVersion: v1\nfirst: 1\nkind: X # kind\nmetadata:\n  namespace: prod\n  name: x # name\n"


def test_order_is_a_change() -> None:
    """An item whose fields have another order is changed, and one that got its own order back isn't."""
    item = "".join(f"  {line}" for line in SOURCE.splitlines(keepends=True))
    data = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {item[2:]}".encode()
    seen = []

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        before = rl.items[0].to_dict()
        _replace(rl.items[0])
        seen.append(rl.is_changed)
        rl.items[0].replace(before)
        seen.append(rl.is_changed)

    assert transform.run(data).stdout == data
    assert seen == [True, False]


def test_aliases(tmp_path: Path) -> None:
    """An alias that would come before its anchor is written out."""
    source = b"apiVersion: v1\nkind: X\nb: &x [1]\na: *x\n"
    made = run(tmp_path, source, lambda resource: resource.replace(_sorted(resource.to_dict())))
    assert made == b"a: [1]\napiVersion: v1\nb: &x [1]\nkind: X\n" or read(made)[0] == read(source)[0]


def test_merge(tmp_path: Path) -> None:
    """A merge can put the elements of the patch first, as kustomize does, also those that are there already."""
    source = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n  finalizers:\n  - a # a\nspec:\n  containers:\n"
    source += "  # one\n  - name: one\n  # two\n  - name: two\n"
    patch = {
        "metadata": {"finalizers": ["b"]},
        "spec": {"containers": [{"name": "new"}, {"name": "two", "image": "i"}]},
    }
    made = run(tmp_path, source.encode(), lambda resource: resource.merge(patch, prepend=True))
    containers = "  - name: new\n  # two\n  - name: two\n    image: i\n  # one\n  - name: one\n"
    expected = source[: source.index("  # one")] + containers
    assert made.decode() == expected.replace("  - a # a\n", "  - b\n  - a # a\n")
    assert sorted(search.notes_in(made)) == sorted(search.notes_in(source.encode()))


def test_first(tmp_path: Path) -> None:
    """The first item of a selection, or None."""
    seen: list[Any] = []

    @krm.function
    def transform(rl: krm.ResourceList) -> None:
        seen.extend((rl.items.first(), rl.where(kind="Y").first()))

    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    transform.run(f"{head}- apiVersion: v1\n  kind: X\n  metadata: {{name: x}}\n".encode())
    assert seen[0].kind == "X" and seen[1] is None


def test_dump() -> None:
    """PyYAML and copies of it write live views as their values."""
    resource = krm.Resource({"kind": "X", "spec": {"a": [1, {"b": "c"}], "d": {}}})
    for dump in (yaml.safe_dump, yaml.dump):
        assert yaml.safe_load(dump(resource)) == resource.to_dict()
        assert yaml.safe_load(dump({"spec": resource.spec, "list": [resource.spec.a]})) == {
            "spec": resource["spec"].to_dict(),
            "list": [[1, {"b": "c"}]],
        }
    assert yaml.safe_dump(resource.spec.d) == "{}\n"
