"""Field paths, and the values that they lead to."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from crossplane_lite import Observable, resource
from crossplane_lite.errors import UnresolvedError, UsageError
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from tests.behaviour.models import ForProvider
from tests.helpers.families import EXAMPLES, FAMILIES, OBJECTS, stable


@pytest.fixture(params=FAMILIES, ids=lambda family: str(family.name))
def messages(request: pytest.FixtureRequest) -> Any:
    """The messages of every implementation."""
    return request.param.messages


def plain(r: Any) -> Any:
    """Return what a Resource message holds."""
    return resource.struct_to_dict(r.resource)


DATA: dict[str, Any] = {
    "metadata": {"annotations": {"example.org/a": "b", "0": "zero", 'q"uo]te': 1}},
    "spec": {"ports": [{"port": 80}, {"port": 81, "name": None}], "matrix": [[1, 2], [3]]},
}
PATHS = [
    ("spec.ports[1].port", 81),
    ("spec.ports", DATA["spec"]["ports"]),
    ("spec.matrix[0][1]", 2),
    ("metadata.annotations[example.org/a]", "b"),
    ('metadata.annotations["example.org/a"]', "b"),
    ("metadata['annotations']['0']", "zero"),
    (r'metadata.annotations["q\"uo]te"]', 1),
    ("spec.ports[1].name", None),
    ("spec[ports][0][port]", 80),
    ("spec.ports[-1].port", 81),
    ("spec.ports[-2].port", 80),
    ("spec.ports.1.port", 81),
    ("metadata.annotations.0", "zero"),
    ("spec.ports[port=81].name", None),
    ("spec.matrix[-1][-1]", 3),
]
NOWHERE = ["spec.ports[2]", "spec.ports.port", "spec.missing.deeper", "metadata.annotations[0]", "spec.ports[0].port.x"]
NOWHERE += ["spec.ports[-3]", "spec[-1]", "spec.ports.2", "spec.ports[port=82].name", "spec.ports[name=a]"]
NOWHERE += ["spec.ports." + "1" * 5000]
NO_PATHS = [
    pytest.param("spec.ports[" + "1" * 5000 + "]", id="index of 5,000 digits"),
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    "a[",
    "a[]",
    "a[*]",
    "a]",
    "a[0]b",
    "a['b]",
    "a['b'",
    "a[b[0]]",
    "a.[0]",
]


@pytest.mark.sample(24)
@pytest.mark.parametrize(("path", "wanted"), PATHS)
def test_values_at_paths(messages: Any, path: str, wanted: Any) -> None:
    """A path leads to its value, in every form that a resource has."""
    r = messages.Resource()
    resource.update(r, DATA)
    before = stable(r)
    for given_as in (r, r.resource, DATA):
        assert resource.get_value(given_as, path, "default") == wanted
    assert stable(r) == before


@pytest.mark.parametrize("path", NOWHERE)
def test_paths_that_lead_nowhere(path: str) -> None:
    """Where nothing is, the default is returned."""
    assert resource.get_value(DATA, path) is None
    assert resource.get_value(DATA, path, 5) == 5
    assert resource.get_value(None, path, 5) == 5


@pytest.mark.parametrize("path", NO_PATHS)
def test_what_is_no_path(path: str) -> None:
    """It is refused, for reading and for writing, with an example of one."""
    r = fnv1.Resource()
    for attempt in (lambda: resource.get_value(DATA, path), lambda: resource.set_value(r, path, 1)):
        with pytest.raises(UsageError, match=re.escape(f"{path!r} isn't a field path; write it as spec.ports[2].port")):
            attempt()
    assert stable(r) == b""


@pytest.mark.sample(24)
@pytest.mark.parametrize("path", [path for path, _ in PATHS])
def test_setting_values_at_paths(messages: Any, path: str) -> None:
    """A value is put in the place of the one that is there, and nothing else changes."""
    r = messages.Resource()
    resource.update(r, DATA)
    resource.set_value(r, path, {"new": [1]})
    assert resource.get_value(r, path) == {"new": [1]}
    resource.set_value(r, path, resource.get_value(DATA, path))
    assert plain(r) == DATA


def test_a_selection_of_several(messages: Any) -> None:
    """Two elements that fit aren't chosen from, and one that is missing is added with its fields."""
    r = messages.Resource()
    resource.update(r, {"spec": {"rules": [{"to": "a", "port": 1}, {"to": "a", "port": 2}]}})
    for attempt in (
        lambda: resource.get_value(r, "spec.rules[to=a].port"),
        lambda: resource.set_value(r, "spec.rules[to=a].port", 3),
    ):
        with pytest.raises(UsageError, match=r"\[to=a\] means 2 elements, those at 0, 1"):
            attempt()
    resource.set_value(r, "spec.rules[to=b].port", 4)
    assert resource.get_value(r, "spec.rules[port=2]") == {"to": "a", "port": 2}
    assert resource.get_value(r, "spec.rules[-1]") == {"to": "b", "port": 4}


def test_digits_between_dots(messages: Any) -> None:
    """They are a key, unless there is a list: that is how Kubernetes' objects have them."""
    r = messages.Resource()
    resource.set_value(r, "data.8080", "http")
    resource.set_value(r, "data.0", "none")
    assert plain(r) == {"data": {"8080": "http", "0": "none"}}
    assert resource.get_value(r, "data.8080") == "http"
    resource.set_value(r, "spec.ports[0].port", 80)
    resource.set_value(r, "spec.ports.0.name", "web")
    assert plain(r)["spec"] == {"ports": [{"port": 80, "name": "web"}]}


def test_setting_what_is_missing(messages: Any) -> None:
    """Objects and lists on the way are made, and a list grows by one at a time."""
    r = messages.Resource()
    resource.set_value(r, "spec.rules[0].ports[0]", 80)
    resource.set_value(r, "spec.rules[0].ports[1]", 81)
    resource.set_value(r, "spec.rules[1].bucket", ForProvider(location="EU"))
    resource.set_value(r, "metadata.labels[a.b/c]", "d")
    resource.set_value(r, "spec.null", None)
    assert plain(r) == {
        "spec": {"rules": [{"ports": [80, 81]}, {"bucket": {"location": "EU"}}], "null": None},
        "metadata": {"labels": {"a.b/c": "d"}},
    }


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("spec.ports[3]", "spec.ports has 2 elements, and only the next can be added"),
        ("spec.ports[-3]", "spec.ports has 2 elements, so there is no element [-3]"),
        ("spec.new[-1]", "spec.new has 0 elements, so there is no element [-1]"),
        ("spec.ports.port", "spec.ports is a list; say which element: [0], or [name=...]"),
        ("spec.matrix[-1][5]", "spec.matrix[-1] has 1 element, and only the next can be added"),
        ("spec[0]", "spec isn't a list"),
        ("spec.ports[0].port.x", "spec.ports[0].port is neither an object nor a list"),
        ("[0]", "the resource isn't a list"),
    ],
)
def test_values_that_cannot_be_set(path: str, problem: str) -> None:
    """A path through something else is refused with the place, and nothing changes."""
    r = fnv1.Resource()
    resource.update(r, DATA)
    with pytest.raises(UsageError, match=re.escape(problem)):
        resource.set_value(r, path, 1)
    with pytest.raises(UnresolvedError, match=r"^spec\.x\[0\] is made from a\.b"):
        resource.set_value(r, "spec.x[0]", Observable("a.b"))
    assert plain(r) == DATA


def _places(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        quoted = str(key).replace("\\", "\\\\").replace('"', '\\"')
        step = f"[{key}]" if isinstance(key, int) else f'["{quoted}"]'
        yield path + step, child
        yield from _places(child, path + step)


@EXAMPLES
@given(OBJECTS)
def test_every_place_has_a_path(value: dict[str, Any]) -> None:
    """Every value of any object can be read and set through its path."""
    r = fnv1.Resource()
    resource.update(r, value)
    for path, child in _places(value):
        assert resource.get_value(r, path) == child
        again = copy.deepcopy(child)
        resource.set_value(r, path, again)
    assert plain(r) == value
