"""The grammar of field paths, and values at them in plain data."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import Observable, krm
from crossplane_lite._core.paths import field_path, trees
from crossplane_lite._core.paths.text import Digits, quoted, show
from crossplane_lite._core.paths.trees import Select
from crossplane_lite.errors import UsageError

SPEC = {
    "containers": [
        {"name": "web", "image": "web:1", "ports": [{"containerPort": 80, "protocol": "TCP"}]},
        {"name": "proxy", "image": "proxy:2", "ports": None},
    ],
    "data": {"8080": "eighty", "a.b/c": "dots", "x]y": "bracket"},
    "nothing": None,
}


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("spec", ("spec",)),
        ("spec.template.spec.containers[3].resources", ("spec", "template", "spec", "containers", 3, "resources")),
        ("spec.ports.0.port", ("spec", "ports", "0", "port")),
        ('metadata.annotations["a.b/c"]', ("metadata", "annotations", "a.b/c")),
        ("metadata.annotations['a.b/c']", ("metadata", "annotations", "a.b/c")),
        ("metadata.annotations[a.b/c]", ("metadata", "annotations", "a.b/c")),
        ('data["8080"].x', ("data", "8080", "x")),
        (r'data["say \"hi\""]', ("data", 'say "hi"')),
        ("matrix[0][1]", ("matrix", 0, 1)),
        ("matrix[-1][-2]", ("matrix", -1, -2)),
        ("my-key.a_b", ("my-key", "a_b")),
    ],
)
def test_steps_of_a_path(path: str, steps: tuple[str | int, ...]) -> None:
    """Keys, indexes and quoted keys are told apart as the specification writes them."""
    assert field_path.parse(path) == steps


def test_digits_between_dots_are_told_apart_from_a_quoted_key() -> None:
    """The specification's `ports.0` may be an index; digits in quotes are a key in any case."""
    assert type(field_path.parse("ports.0")[1]) is Digits
    assert type(field_path.parse('ports["0"]')[1]) is str


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        ".spec",
        "spec.",
        "a..b",
        "a[",
        "a]",
        "a[]",
        "a[*]",
        "a[" + "1" * 19 + "]",
        'a["b]',
        "a[b]c",
        "a[b=c",
        "a[b=[]",
        "a[=b]",
    ],
)
def test_what_is_no_path_is_refused(path: str) -> None:
    """A path that can't be read is refused with the ways to write one, never read as something else."""
    with pytest.raises(UsageError, match="isn't a field path; write it as"):
        field_path.parse(path)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("metadata.annotations.example.com/a", 'metadata.annotations["example.com/a"]'),
        ("spec.template.metadata.labels.app.kubernetes.io/name", 'metadata.labels["app.kubernetes.io/name"]'),
        ("items[0].metadata.labels.a.b", 'items[0].metadata.labels["a.b"]'),
    ],
)
def test_a_label_that_falls_apart_is_refused(path: str, wanted: str) -> None:
    """A label's dots would make objects of it; the message has the path that is meant."""
    with pytest.raises(UsageError, match=f"has dots in the name of .*; write it as .*{re.escape(wanted)}$"):
        field_path.parse(path, whole_labels=True)


def test_a_path_must_be_text() -> None:
    """Something else than text is refused by its type."""
    with pytest.raises(UsageError, match="must be a string"):
        field_path.parse(["spec"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("containers[0].image", "web:1"),
        ("containers.1.image", "proxy:2"),
        ("containers[name=proxy].image", "proxy:2"),
        ('containers[name="proxy"].image', "proxy:2"),
        ("containers[name=web,image=web:1].name", "web"),
        ("containers[name=web].ports[containerPort=80].protocol", "TCP"),
        ("data.8080", "eighty"),
        ('data["a.b/c"]', "dots"),
        ('data["x]y"]', "bracket"),
        ("nothing", None),
        ("containers[-1].image", "proxy:2"),
        ("containers[-2].image", "web:1"),
        ("containers[-3].image", "default"),
        ("containers[5].image", "default"),
        ("data[-1]", "default"),
        ("containers." + "9" * 5000, "default"),
        ("containers[name=other].image", "default"),
        ('containers[name=web].ports[containerPort="80"]', "default"),
        ("containers.image", "default"),
        ("nothing.below", "default"),
        ("data[0]", "default"),
        ("containers[0].image.x", "default"),
    ],
)
def test_looking_up(path: str, value: object) -> None:
    """A path gives the value that is there, null too, and the default where it leads nowhere."""
    assert trees.lookup(SPEC, field_path.parse(path), "default") == value


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("containers[-1].image", ["containers", 1, "image"]),
        ("containers.0.image", ["containers", 0, "image"]),
        ("containers[name=web].ports[0]", ["containers", 0, "ports", 0]),
        ("data.8080", ["data", "8080"]),
        ("containers[name=other].image", None),
        ("data[-1]", None),
    ],
)
def test_keys_and_indexes_on_the_way(path: str, steps: list[str | int] | None) -> None:
    """What a path leads through is told as keys and as indexes from the start, None where it leads nowhere."""
    assert trees.resolved(SPEC, field_path.parse(path)) == steps


def test_a_selection_of_several_is_refused() -> None:
    """Two elements of one name aren't chosen from: whoever asks is told how many there are."""
    with pytest.raises(UsageError, match=r"\[name=a\] means 2 elements, those at 0, 2"):
        trees.lookup([{"name": "a"}, {"name": "b"}, {"name": "a"}], field_path.parse("[name=a]"))


@pytest.mark.parametrize(
    ("wanted", "element", "fits"),
    [
        ("[a=80]", {"a": 80}, True),
        ("[a=80]", {"a": "80"}, True),
        ('[a="80"]', {"a": 80}, False),
        ("[a=true]", {"a": True}, True),
        ("[a=1]", {"a": True}, False),
        ("[a=true]", {"a": 1}, False),
        ("[a=1.10]", {"a": "1.10"}, True),
        ("[a=null]", {"a": None}, True),
        ("[a=null]", {}, False),
        ("[a=x]", {"a": {"b": 1}}, False),
        ("[a=x]", "x", False),
    ],
)
def test_what_a_selection_means(wanted: str, element: object, fits: bool) -> None:
    """Without quotes a value means the text and what YAML reads it as; in quotes the text alone."""
    (select,) = field_path.parse(wanted)
    assert isinstance(select, Select)
    assert select.matches(element) is fits


def put(data: Any, path: str, value: Any) -> Any:
    """Return data with a value put at a path."""
    data = copy.deepcopy(data)
    holder, key, made = trees.plan(data, field_path.parse(path), value)
    if isinstance(holder, list):
        holder[key : key + 1] = [made]  # type: ignore[operator]
    else:
        holder[key] = made
    return data


@pytest.mark.parametrize(
    ("data", "path", "result"),
    [
        ({}, "a.b.c", {"a": {"b": {"c": 1}}}),
        ({"a": None}, "a.b", {"a": {"b": 1}}),
        ({"a": {"b": 0}}, "a.b", {"a": {"b": 1}}),
        ({}, "a[0].b", {"a": [{"b": 1}]}),
        ({}, "a.0.b", {"a": [{"b": 1}]}),
        ({"a": {}}, "a.0", {"a": {"0": 1}}),
        ({"a": [5]}, "a[1]", {"a": [5, 1]}),
        ({"a": [5]}, "a[0]", {"a": [1]}),
        ({"a": [5, 6]}, "a[-1]", {"a": [5, 1]}),
        ({"a": [{"b": 5}]}, "a[-1].b", {"a": [{"b": 1}]}),
        ({}, "a[name=x].b", {"a": [{"name": "x", "b": 1}]}),
        ({"a": [{"name": "y"}]}, "a[name=x,port=80].b", {"a": [{"name": "y"}, {"name": "x", "port": 80, "b": 1}]}),
        ({"a": [{"name": "x", "b": 0}]}, "a[name=x].b", {"a": [{"name": "x", "b": 1}]}),
        ({}, "a[on=true,x=1e3,y=1.5,z='1'].b", {"a": [{"on": True, "x": 1000, "y": 1.5, "z": "1", "b": 1}]}),
    ],
)
def test_setting_makes_what_is_missing(data: Any, path: str, result: Any) -> None:
    """Objects and lists on the way are made, and an element that is picked by name gets that name."""
    assert repr(put(data, path, 1)) == repr(result)  # 1000.0 and 1000 are equal


@pytest.mark.parametrize(
    ("data", "path", "problem"),
    [
        ({"a": "x"}, "a.b", "a is neither an object nor a list"),
        ({"a": [1]}, "a.b", r"a is a list; say which element"),
        ({"a": {}}, "a[0]", "a isn't a list"),
        ({"a": [1]}, "a[2]", "a has 1 element, and only the next can be added"),
        ({}, "a[1]", "a has 0 elements, and only the next can be added"),
        ({"a": [1]}, "a[-2]", r"a has 1 element, so there is no element \[-2\]"),
        ({}, "a[-1].b", r"a has 0 elements, so there is no element \[-1\]"),
        ({"a": {}}, "a[name=x].b", "a isn't a list"),
        ({"a": []}, "a[name=x]", r"the new element must be an object, and its fields must fit \[name=x\]"),
    ],
)
def test_what_cant_be_set(data: Any, path: str, problem: str) -> None:
    """A path through something else than an object or list, or past a list's end, is refused with the place."""
    with pytest.raises(UsageError, match=problem):
        put(data, path, 1)


def _kinds(steps: Iterable[Any]) -> list[tuple[type, Any]]:
    """Return steps with their types, which tell digits between dots from a key in quotes."""
    return [(type(step), step) for step in steps]


selections = st.builds(
    lambda fields: field_path.parse(f"[{','.join(fields)}]")[0],
    st.lists(
        st.tuples(
            st.from_regex(r"[A-Za-z0-9._/-]+", fullmatch=True),
            st.one_of(st.from_regex(r"[A-Za-z0-9. :/_-]*", fullmatch=True), st.text().map(quoted)),
        ).map("=".join),
        min_size=1,
        max_size=3,
    ),
)
# Digits between dots.
digits = st.from_regex("[0-9]{1,5}", fullmatch=True).map(Digits)
steps_of_paths = st.one_of(st.integers(-99, 99), st.text(), digits, selections)


@given(st.lists(steps_of_paths, min_size=1))
def test_a_shown_path_is_read_as_the_same(steps: list[Any]) -> None:
    """Whatever keys, indexes and selections there are, a path that is shown is read as the same."""
    assert _kinds(field_path.parse(show(steps))) == _kinds(steps)


@given(st.lists(st.one_of(st.integers(-9, 9), st.text().filter(lambda key: key[:2] != "__")), min_size=1))
def test_the_path_of_an_observable_is_read_as_its_steps(steps: list[Any]) -> None:
    """What an Observable is indexed with comes back from its path."""
    observable: Any = Observable("x")
    for step in steps:
        observable = observable[step]
    assert _kinds(field_path.parse(observable.source_path)) == _kinds(["x", *steps])


def test_digits_after_a_quoted_key() -> None:
    """Digits in quotes and between dots are told apart, in whatever order they are asked for."""
    (item,) = krm.ResourceList.read(LIST_OF_PORTS).items
    assert item.get('ports["0"]') is None
    assert item.get("ports.0") == 80
    assert item.get("ports[-1]") == 81
    item.set("ports[-1]", 82)
    assert item.delete("ports[-2]")
    assert item.get("ports") == [82]
    with pytest.raises(UsageError, match=r"ports\[-2\]"):
        item.set("ports[-2]", 1)


LIST_OF_PORTS = (
    b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    b"- {apiVersion: v1, kind: A, metadata: {name: a}, ports: [80, 81]}\n"
)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text does anything else than giving steps or a clean refusal."""
    try:
        assert field_path.parse(text)
    except UsageError:
        pass


@given(
    st.dictionaries(st.sampled_from("abc"), st.one_of(st.none(), st.lists(st.integers(), max_size=3))),
    st.sampled_from(["a", "b.x", "c[0]", "c[1]", "a.0", "b[name=x].y"]),
)
def test_what_was_set_is_read_back(data: dict[str, Any], path: str) -> None:
    """After setting a path, looking it up gives the value."""
    try:
        data = put(data, path, 7)
    except UsageError:
        return
    assert trees.lookup(data, field_path.parse(path)) == 7


def test_selections_as_keys_and_as_text() -> None:
    """Equal selections have one hash and are shown as they are written; quotes make another one."""
    one, other = (field_path.parse(f"a[{text}]")[1] for text in ("b=1", "b='1'"))
    assert isinstance(one, Select)
    same = Select(one.fields)
    assert one == same and one != other
    assert len({one, same, other}) == 2
    assert repr(one) == "[b=1]"


def test_a_selection_that_breaks_off() -> None:
    """Behind a comma another condition must follow."""
    with pytest.raises(UsageError, match=r"a\[b=1,\]"):
        field_path.parse("a[b=1,]")
