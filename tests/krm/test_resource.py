"""Resources: as mappings, as objects with attributes, and by field paths."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import krm
from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.krm.resource import Resource
from crossplane_lite.krm.resource_list import ResourceList
from tests.krm.lists import DEPLOYMENT, output, read


def deployment() -> Resource:
    """Return an item that was read."""
    return read().items[0]


# As a mapping


def test_it_is_a_mapping() -> None:
    """Keys, values, length, membership and get are those of a dict; what is nested is a mapping or list as well."""
    one = deployment()
    assert list(one) == ["apiVersion", "kind", "metadata", "spec"]
    assert len(one) == 4
    assert "spec" in one and "status" not in one
    assert one["spec"]["template"]["spec"]["containers"][0]["ports"][0]["containerPort"] == 80
    assert [key for key, _ in one["spec"].items()] == ["replicas", "template"]
    assert one.get("status", "none") == "none"
    with pytest.raises(KeyError):
        one["status"]


def test_changes_of_what_is_nested_are_changes_of_the_resource() -> None:
    """What was read from a resource is a live view of it, a dict's methods included."""
    one = Resource({"spec": {"a": 1, "list": [1]}})
    spec = one["spec"]
    spec["b"] = {"c": 2}
    spec.update(d=3)
    assert spec.setdefault("a", 9) == 1
    spec.setdefault("made", {})["x"] = 1
    assert spec.pop("a") == 1
    spec["list"].append({"y": 1})
    assert one == {"spec": {"list": [1, {"y": 1}], "b": {"c": 2}, "d": 3, "made": {"x": 1}}}
    spec.clear()
    assert one.to_dict() == {"spec": {}}


def test_keys_are_text() -> None:
    """A manifest has no other keys."""
    with pytest.raises(UsageError, match="spec: a key must be a string"):
        Resource({"spec": {}})["spec"][3] = 1


def test_lists_are_lists() -> None:
    """Views of lists have a list's methods, slices and operators."""
    one = Resource({"a": [3, 1, 2]})
    view = one["a"]
    view.sort()
    view.extend([4, 5])
    view.insert(0, 0)
    view += [6]
    assert view == [0, 1, 2, 3, 4, 5, 6]
    assert view[1:3] == [1, 2] and view[-1] == 6 and view.index(4) == 4 and view.count(6) == 1 and 5 in view
    del view[0]
    view[0:2] = ["x"]
    view.reverse()
    assert view.pop() == "x"
    view.remove(5)
    assert view + [9] == [6, 4, 3, 9] and [9] + view == [9, 6, 4, 3]
    assert one.to_dict() == {"a": [6, 4, 3]}
    with pytest.raises(ValueError, match="a has no element "):
        view.index(77)


def test_elements_are_removed_while_looping_over_a_copy() -> None:
    """An element that was read is found again as itself, though others before it went."""
    for one in (deployment(), Resource(deployment().to_dict())):
        containers = one.spec.template.spec.containers
        for container in list(containers):
            containers.remove(container)
        assert containers == []


def test_an_element_is_removed_by_itself_and_not_by_an_equal_one() -> None:
    """Of two equal elements the very one goes that was read."""
    one = Resource({"a": [{"x": 1}, {"y": 1}, {"x": 1}]})
    one["a"].remove(one["a"][2])
    assert one["a"] == [{"x": 1}, {"y": 1}]


# Attributes


def test_attributes_tell_the_truth() -> None:
    """`hasattr` and `getattr` with a default say whether a field is there; a null is None."""
    one = Resource({"spec": {"a": 1, "none": None}})
    assert hasattr(one.spec, "a") and not hasattr(one.spec, "b") and not hasattr(one, "status")
    assert not hasattr(one.spec, "append")
    assert getattr(one.spec, "b", 5) == 5 and getattr(one.spec, "a", 5) == 1
    assert one.spec.none is None and hasattr(one.spec, "none")
    with pytest.raises(AttributeError, match=r"spec.b isn't there; resource.get\('spec.b', default\)"):
        _ = one.spec.b


def test_a_path_makes_what_is_missing() -> None:
    """Setting a path makes the objects and lists on the way; labels and annotations are made by their first entry."""
    one = Resource()
    one.set("spec.template.spec.nodeName", "n")
    one.spec.setdefault("ports", []).append({"port": 80})
    one.labels["a.b/c"] = "d"
    assert one.to_dict() == {
        "spec": {"template": {"spec": {"nodeName": "n"}}, "ports": [{"port": 80}]},
        "metadata": {"labels": {"a.b/c": "d"}},
    }
    one = read("- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n  spec:\n").items[0]
    assert one["spec"] is None
    one.set("spec.replicas", 3)
    assert one["spec"] == {"replicas": 3}


def test_labels_that_are_read_make_nothing() -> None:
    """Labels that aren't there are empty, and show those that are added later."""
    one = Resource({"metadata": {"name": "a"}})
    labels = one.labels
    assert labels == {} and not labels and labels.get("x") is None and "x" not in labels
    assert one.to_dict() == {"metadata": {"name": "a"}}
    one.set("metadata.labels", {"x": "1"})
    labels["y"] = "2"
    del labels["x"]
    assert labels == {"y": "2"} and one.to_dict() == {"metadata": {"name": "a", "labels": {"y": "2"}}}


@pytest.mark.parametrize(
    "use",
    [
        lambda one: one.values == ["linux"],
        lambda one: one.values != ["linux"],
        lambda one: list(one.items),
        lambda one: "x" in one.items,
        lambda one: len(one.keys),
        lambda one: bool(one.get),
        lambda one: one.values[0],
        lambda one: one.values.append("x"),
        lambda one: f"{one.update}",
        lambda one: one.pop > 1,
    ],
)
def test_methods_are_no_values(use: Any) -> None:
    """A field named like a method is read with an underscore; without, the comparison would be False for ever."""
    one = Resource({"spec": {"values": ["linux"], "items": [1]}})
    with pytest.raises(UsageError, match=r"spec.\w+ is a method here; the field of this name is .\w+_ or \['\w+'\]"):
        use(one.spec)
    assert one.spec.values_ == ["linux"] and list(one.spec.items_) == [1]
    assert list(one.spec.values()) == [["linux"], [1]]
    assert dict(one.spec) == {"values": ["linux"], "items": [1]}


def test_maps_and_lists() -> None:
    """What kind of value there is can be asked of any value."""
    one = Resource({"a": {"x": 1}, "b": [1], "c": "text"})
    assert [krm.is_map(one[key]) for key in "abc"] == [True, False, False]
    assert [krm.is_list(one[key]) for key in "abc"] == [False, True, False]
    assert krm.is_map({}) and krm.is_list([]) and not krm.is_map(None) and not krm.is_list(None)


@pytest.mark.parametrize(
    ("use", "problem"),
    [
        (lambda one: one.spec.ports[1], "spec.ports has 1 element, so there is no [1]"),
        (lambda one: one.spec.ports[-2], "spec.ports has 1 element, so there is no [-2]"),
        (lambda one: one.spec.ports.pop(3), "spec.ports has 1 element, so there is no [3]"),
        (lambda one: one.spec.ports.__setitem__(1, {}), "spec.ports has 1 element, so there is no [1]"),
        (lambda one: one.spec.ports.__delitem__(1), "spec.ports has 1 element, so there is no [1]"),
        (lambda one: one.set("spec.ports[2]", {}), "'spec.ports[2]' can't be set: spec.ports has 1 element, and"),
        (lambda one: one.set("kind.a", 1), "'kind.a' can't be set: kind is neither an object nor a list"),
        (lambda one: one.get("spec.twice[a=1].b"), "[a=1] means 2 elements"),
        (lambda one: one.delete("spec.twice[a=1]"), "[a=1] means 2 elements"),
    ],
)
def test_what_isnt_in_a_list_is_said_with_its_place(use: Any, problem: str) -> None:
    """One of a thousand resources is wrong, and the message says which."""
    one = Resource({"kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{}], "twice": [{"a": 1}] * 2}})
    with pytest.raises((IndexError, UsageError), match=re.escape(f"Service web: {problem}")):
        use(one)


def test_names_that_are_methods_or_keywords() -> None:
    """As items they are plain names; as attributes they have an underscore behind them, as in models."""
    one = Resource({"spec": {"items": [1], "from": "a", "values": "v"}})
    assert one.spec["items"] == [1] and one.spec.items_ == [1] and one.spec.from_ == "a"
    one.spec.values_ = "w"
    one.spec.lambda_ = "l"
    assert one.spec["values"] == "w" and one.spec["lambda"] == "l"
    del one.spec.from_
    assert "from" not in one.spec
    with pytest.raises(UsageError, match=r"'items' is a method; set the field of this name as \['items'\] or .items_"):
        one.spec.items = []
    with pytest.raises(AttributeError):
        _ = one.spec._private
    with pytest.raises(AttributeError):
        one.spec._private = 1
    with pytest.raises(AttributeError, match="spec.gone isn't there"):
        del one.spec.gone


# Paths


def test_paths_get_set_and_delete() -> None:
    """All three take the specification's paths, and selections by name beside indexes."""
    one = deployment()
    base = "spec.template.spec.containers"
    assert one.get(f"{base}[1].image") == "proxy:2"
    assert one.get(f"{base}.1.image") == "proxy:2"
    assert one.get(f"{base}[name=web].ports[containerPort=80].protocol") == "TCP"
    assert one.get(f"{base}[3].resources.limits.cpu", default="none") == "none"
    one.set(f"{base}[name=web].resources.limits.cpu", "1")
    assert one.get(f"{base}[0]").resources == {"limits": {"cpu": "1"}}
    one.get(base)[1].image = "proxy:3"
    assert one.delete(f"{base}[name=web].ports") is True
    assert one.delete(f"{base}[name=web].ports") is False
    assert one.delete('metadata.labels["app"]') is True
    assert one.get(base) == [
        {"name": "web", "image": "web:1", "resources": {"limits": {"cpu": "1"}}},
        {"name": "proxy", "image": "proxy:3"},
    ]


def test_reading_a_path_gives_the_same_before_and_after_a_change() -> None:
    """A resource that nothing was changed in is read from the text, and one that was from its content."""
    for path in ("kind", "metadata", "spec.replicas", "spec.nothing", "metadata.labels.app", "spec.template.spec"):
        one, other = deployment(), deployment()
        other.metadata.name = "other"
        other.metadata.name = "web"
        assert one.get(path, "none") == other.get(path, "none")


def test_a_path_that_cant_be_set_changes_nothing() -> None:
    """What is missing isn't made where the rest of the path leads nowhere."""
    rl = read()
    with pytest.raises(UsageError, match="has 0 elements"):
        rl.items[0].set("spec.a.b[3].c", 1)
    assert not rl.is_changed


# Shortcuts


def test_shortcuts() -> None:
    """The metadata that functions ask for most are at hand."""
    one = deployment()
    assert (one.api_version, one.group, one.kind, one.name, one.namespace) == (
        "apps/v1",
        "apps",
        "Deployment",
        "web",
        "prod",
    )
    assert one.labels == {"app": "web"}
    empty = Resource()
    assert (empty.api_version, empty.group, empty.kind, empty.name, empty.namespace) == ("",) * 5
    empty.api_version, empty.kind, empty.name, empty.namespace = "v1", "A", "a", "ns"
    empty.labels["x"] = "1"
    empty.annotations.update(y="2")
    assert empty.to_dict() == {
        "apiVersion": "v1",
        "kind": "A",
        "metadata": {"name": "a", "namespace": "ns", "labels": {"x": "1"}, "annotations": {"y": "2"}},
    }
    empty.labels = {"z": "3"}
    assert empty.labels == {"z": "3"}


@pytest.mark.parametrize(
    ("item", "use", "problem"),
    [
        ("kind: [a]", lambda one: one.kind, r"items\[0\]: kind must be a string \(got a list\)"),
        ("metadata: text", lambda one: one.labels, r"items\[0\]: metadata must be an object \(got a string\)"),
        ("metadata: {labels: 3}", lambda one: one.labels, r"metadata.labels must be an object \(got an integer\)"),
        ("metadata: {name: true}", lambda one: one.name, r"metadata.name must be a string \(got a boolean\)"),
    ],
)
def test_a_wrong_type_is_said_with_its_place(item: str, use: Any, problem: str) -> None:
    """Metadata that is no metadata is an error of the input, not a traceback."""
    with pytest.raises(InputError, match=problem):
        use(read(f"- {item}\n").items[0])


# Copies


def test_nothing_is_shared() -> None:
    """A part of one resource that is assigned to another is copied, and so is what an author puts in."""
    mine: dict[str, Any] = {"a": [1]}
    one, other = Resource(mine), Resource({"b": {"c": [1]}})
    one["b"] = other["b"]
    one["list"] = [other["b"], {"deep": other.b.c}]
    other.b.c.append(2)
    mine["a"].append(2)
    assert one.to_dict() == {"a": [1], "b": {"c": [1]}, "list": [{"c": [1]}, {"deep": [1]}]}
    copied = one.to_dict()
    copied["a"].append(3)
    assert one["a"] == [1]
    for made in (copy.copy(one), copy.deepcopy(one)):
        made["a"].append(4)
        assert one["a"] == [1] and isinstance(made, Resource)


@pytest.mark.parametrize("value", [object(), {1: 2}, {"a": {1}}, float("nan"), [b"x"], "\ud800"])
def test_what_no_manifest_can_hold_is_refused(value: object) -> None:
    """Whatever isn't a value of JSON is refused at once, with its place, and nothing is changed."""
    rl = read()
    with pytest.raises(UsageError, match=r"spec\.x"):
        rl.items[0].spec.x = value
    with pytest.raises(UsageError, match=r"spec\.x"):
        rl.items[0].set("spec.x", value)
    assert not rl.is_changed


def test_a_list_in_itself_is_refused() -> None:
    """Data without end gives an error and no RecursionError."""
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(UsageError, match="contains itself"):
        Resource().set("spec.x", endless)


def test_equality_and_repr() -> None:
    """Resources are compared by value, with dicts too; true is not 1."""
    one = deployment()
    assert one == one.to_dict() and one == Resource(one.to_dict()) and one != Resource()
    assert Resource({"a": True}) != Resource({"a": 1}) and Resource({"a": 1}) != {"a": True}
    assert Resource({"a": 1}) != "a" and Resource({"a": [1]})["a"] != {1}
    assert repr(one) == "<Resource apps/v1 Deployment prod/web>"
    assert repr(Resource()) == "<Resource the resource>"
    assert repr(one.spec.template.spec.containers[1]) == "{'name': 'proxy', 'image': 'proxy:2'}"


# The text


def test_a_changed_field_changes_its_line() -> None:
    """Everything else in the item is byte for byte as it came."""
    rl = read()
    rl.items[0].spec.replicas = 3
    assert output(rl) == output(read()).replace("replicas: 2", "replicas: 3")


def test_elements_keep_their_comments() -> None:
    """A container that moves, or that stands behind a removed one, keeps its comments though it is changed too."""
    rl = read()
    containers = rl.items[0].spec.template.spec.containers
    del containers[0]
    containers[0].name = "renamed"
    text = output(rl)
    assert "# the second\n        - name: renamed  # beside it\n          image: proxy:2\n" in text
    assert "# the first" not in text
    rl = read()
    rl.items[0].spec.template.spec.containers.sort(key=lambda one: one.name)
    text = output(rl)
    assert text.index("# the second\n        - name: proxy") < text.index("# the first\n        - name: web")


def test_a_slice_of_itself_keeps_comments() -> None:
    """The usual way to filter a list in place keeps what the elements have in the text."""
    rl = read()
    containers = rl.items[0].spec.template.spec.containers
    containers[:] = [{"name": "new"}, *(one for one in containers if one.name == "proxy")]
    text = output(rl)
    assert "- name: new\n        # the second\n        - name: proxy  # beside it\n" in text


def test_back_to_what_it_was_is_no_change() -> None:
    """A field that is set and set back leaves the text as it came."""
    rl = read()
    one = rl.items[0]
    one.spec.replicas = 3
    one.spec.template.spec.containers.reverse()
    one.spec.template.spec.containers.reverse()
    one.spec.replicas = 2
    assert not rl.is_changed
    assert output(rl) == output(read())


def test_values_are_as_kubernetes_reads_them() -> None:
    """YAML 1.1's yes and no are text, 0644 is octal."""
    one = read(
        "- {apiVersion: v1, kind: A, metadata: {name: a}, data: {a: yes, b: 0644, c: 1e3, d: 12:30:45}}\n"
    ).items[0]
    assert one.data == {"a": "yes", "b": 420, "c": 1000.0, "d": "12:30:45"}


def test_what_an_alias_stands_for_is_not_shared() -> None:
    """A change where an alias is doesn't change what it stands for, in lists neither."""
    rl = read(
        "- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n  a: &a\n  - x: 1\n  - x: 2\n  b: *a\n  c:\n    d: *a\n"
    )
    one = rl.items[0]
    del one.b[0]
    one.c.d[1].x = 3
    again = ResourceList.read(rl.write()).items[0]
    assert again["a"] == [{"x": 1}, {"x": 2}] and again["b"] == [{"x": 2}] and again["c"] == {"d": [{"x": 1}, {"x": 3}]}


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[str, Any]]:
    """Edits of the Deployment's containers, each as its name and what it takes."""
    one = st.one_of(
        st.tuples(st.just("del"), st.integers(0, 3)),
        st.tuples(st.just("swap"), st.tuples(st.integers(0, 3), st.integers(0, 3))),
        st.tuples(st.just("image"), st.tuples(st.integers(0, 3), st.text("ab:1", min_size=1, max_size=4))),
        st.tuples(st.just("insert"), st.tuples(st.integers(0, 3), st.text("xyz", min_size=1, max_size=3))),
        st.tuples(st.just("replace"), st.tuples(st.integers(0, 3), st.text("xyz", min_size=1, max_size=3))),
    )
    return draw(st.lists(one, max_size=8))


@given(edits())
def test_any_edits_of_a_list_are_written_as_they_are_read(changes: list[tuple[str, Any]]) -> None:
    """After any number of edits the output holds what the resource shows, and a second write adds nothing."""
    rl = read(DEPLOYMENT)
    containers = rl.items[0].spec.template.spec.containers
    oracle = containers.copy()
    for name, at in changes:
        first = at if isinstance(at, int) else at[0]
        if first >= len(oracle) or (name == "swap" and at[1] >= len(oracle)):
            continue
        for target in (containers, oracle):
            if name == "del":
                del target[first]
            elif name == "swap":
                target[at[0]], target[at[1]] = target[at[1]], target[at[0]]
            elif name == "image":
                target[first]["image"] = at[1]
            elif name == "insert":
                target.insert(first, {"name": at[1]})
            else:
                target[first] = {"name": at[1], "image": "r"}
    assert containers == oracle
    data = rl.write()
    assert ResourceList.read(data).items[0].spec.template.spec.containers == oracle
    assert rl.write() == data


def test_a_key_that_is_half_a_character() -> None:
    """It is refused where it is set, as in values, not when the list is written."""
    resource = Resource({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    with pytest.raises(UsageError, match="has half of a character"):
        resource["data"] = {"\ud800": "x"}
    with pytest.raises(UsageError, match="has half of a character"):
        resource.labels["\ud800"] = "x"
