"""Results: their form, and what is filled in."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite.errors import UsageError
from crossplane_lite.krm.resource import Resource
from crossplane_lite.krm.resource_list import ResourceList
from crossplane_lite.krm.results import Result
from tests.behaviour.models import ConfigMap
from tests.krm.lists import DEPLOYMENT, SERVICE, read, wrapper

IMAGE = "spec.template.spec.containers[0].image"


def test_what_is_filled_in() -> None:
    """The resource's reference, the field's value and the file come from the resource and the path."""
    rl = read()
    result = rl.results.error("too old", rl.items[0], IMAGE, proposed="web:2", tags={"rule": "images"})
    assert result.to_dict() == {
        "message": "too old",
        "severity": "error",
        "resourceRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "prod"},
        "field": {"path": IMAGE, "currentValue": "web:1", "proposedValue": "web:2"},
        "file": {"path": "app/web.yaml", "index": 2},
        "tags": {"rule": "images"},
    }
    assert ResourceList.read(rl.write()).results[0] == result


def test_the_specifications_example() -> None:
    """Its result comes out word for word: a message, no values, and a file whose index is the default."""
    item = (
        "- apiVersion: v1\n  kind: Service\n  metadata:\n    name: wordpress\n    annotations:\n"
        '      internal.config.kubernetes.io/index: "0"\n      internal.config.kubernetes.io/path: "service.yaml"\n'
        "  spec:\n    ports:\n    - protocol: TCP\n      port: 80\n"
    )
    rl = read(item)
    message = "Invalid type. Expected: integer, given: string"
    rl.results.error(message, rl.items[0], "spec.ports.0.port", current=None)
    assert rl.write() == wrapper(item) + (
        b'results:\n- message: "Invalid type. Expected: integer, given: string"\n  severity: error\n'
        b"  resourceRef:\n    apiVersion: v1\n    kind: Service\n    name: wordpress\n"
        b"  field:\n    path: spec.ports.0.port\n  file:\n    path: service.yaml\n"
    )


def test_severities_and_their_order() -> None:
    """There are three severities, and results stand in the order in which they were added."""
    rl = read()
    rl.results.info("a")
    rl.results.error("b")
    rl.results.warning("c")
    assert [(one.severity, one.message) for one in rl.results] == [("info", "a"), ("error", "b"), ("warning", "c")]
    assert [one["severity"] for one in (result.to_dict() for result in rl.results[1:])] == ["error", "warning"]


def test_results_of_others_stay() -> None:
    """They come first and keep their text; an error is what has no severity."""
    came = "results:\n- message: 'first'   # kept\n  extra: {a: 1}\n- {message: second, severity: info}\n"
    rl = ResourceList.read(wrapper(SERVICE, came))
    assert [(one.severity, one.message) for one in rl.results] == [("error", "first"), ("info", "second")]
    rl.results.warning("third")
    made = "- {message: second, severity: info}\n- message: third\n  severity: warning\n"
    assert rl.write() == wrapper(SERVICE, came).replace(b"- {message: second, severity: info}\n", made.encode())


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("spec.replicas", {"currentValue": 2}),
        ("metadata.labels", {"currentValue": {"app": "web"}}),
        ("spec.template.spec.containers[name=proxy].image", {"currentValue": "proxy:2"}),
        ("spec.template.spec.containers[1].resources.limits.cpu", {}),
    ],
)
def test_the_current_value(path: str, field: dict[str, Any]) -> None:
    """It is read from the resource as it is then; a field that isn't there has none."""
    rl = read()
    assert rl.results.info("x", rl.items[0], path).field == {"path": path, **field}


def test_values_that_are_given() -> None:
    """What is given goes before what is there; None leaves the current value out, and proposes a null."""
    rl = read()
    one = rl.items[0]
    assert rl.results.info("x", one, "spec.replicas", current="two", proposed=None).field == {
        "path": "spec.replicas",
        "currentValue": "two",
        "proposedValue": None,
    }
    assert rl.results.info("x", one, "spec.paused").field == {"path": "spec.paused"}
    views = rl.results.info("x", one, "metadata", current=one.labels, proposed={"labels": one.labels})
    one.labels["late"] = "x"
    assert views.field == {
        "path": "metadata",
        "currentValue": {"app": "web"},
        "proposedValue": {"labels": {"app": "web"}},
    }


@pytest.mark.parametrize(
    ("file", "made"),
    [
        ("b.yaml", {"path": "b.yaml"}),
        ({"path": "b.yaml", "index": 0}, {"path": "b.yaml"}),
        ({"path": "b.yaml", "index": 3}, {"path": "b.yaml", "index": 3}),
    ],
)
def test_a_file_that_is_given(file: Any, made: dict[str, Any]) -> None:
    """A path, or a path and an index; without a resource too."""
    rl = read()
    assert rl.results.info("x", rl.items[0], file=file).file == made
    assert rl.results.info("x", file=file).to_dict() == {"message": "x", "severity": "info", "file": made}


@pytest.mark.parametrize(
    "about",
    [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}},
        Resource({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}}),
        ConfigMap(metadata={"name": "c"}, data={"a": "1"}),
    ],
)
def test_what_a_result_can_be_about(about: Any) -> None:
    """A mapping, a Resource that is no item and a model are as good as an item."""
    result = read().results.warning("x", about, "data.a")
    assert result.resource_ref == {"apiVersion": "v1", "kind": "ConfigMap", "name": "c"}
    assert result.field == {"path": "data.a", "currentValue": "1"} and result.file is None


def test_a_resource_without_a_head() -> None:
    """The specification wants apiVersion, kind and name: a result about what lacks one is refused, and isn't added."""
    rl = read("- {metadata: text, kind: [a]}\n- {apiVersion: v1, kind: A}\n")
    for item, problem in (
        (rl.items[0], r"items\[0\] has no apiVersion and no kind and no metadata.name"),
        (rl.items[1], r"A items\[1\] has no metadata.name, which the resource of a result must have; leave 'resource'"),
        ({"kind": "A", "metadata": {"name": "a"}}, "A a has no apiVersion"),
    ):
        with pytest.raises(UsageError, match=problem):
            rl.results.error("x", item)
    assert list(rl.results) == []
    assert rl.results.error("x", file={"path": "a.yaml", "index": 1}).file == {"path": "a.yaml", "index": 1}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"message": 3}, "'message' must be a string"),
        ({"field": "spec"}, "a result with a field must name the resource too"),
        ({"resource": {}, "field": "a..b"}, "isn't a field path"),
        ({"resource": {}, "proposed": 3}, "give the field's path as 'field'"),
        ({"current": 3}, "give the field's path as 'field'"),
        ({"resource": 3}, "'resource' must be an item or a mapping"),
        ({"resource": {}, "field": "a", "proposed": {1}}, "is not a value of JSON"),
        ({"file": 3}, "'file' must be a path, or a mapping with a path and, if wanted, an index of 0 or"),
        ({"file": {"path": "a", "index": -1}}, "'file' must be a path"),
        ({"file": {"index": 1}}, "'file' must be a path"),
        ({"tags": {"a": 1}}, "'tags' must be a mapping from strings to strings"),
        ({"tags": ["a"]}, "'tags' must be a mapping from strings to strings"),
    ],
)
def test_what_is_no_result(arguments: dict[str, Any], problem: str) -> None:
    """A result that the specification doesn't know is refused where it is made, and isn't added."""
    rl = read()
    with pytest.raises(UsageError, match=problem):
        rl.results.error(**{"message": "x", **arguments})
    assert len(rl.results) == 0


def test_a_line_for_people() -> None:
    """As text a result is one line with the severity, the resource, the field and the file."""
    rl = read(DEPLOYMENT)
    assert str(rl.results.error("too old", rl.items[0], IMAGE)) == (
        f"error: Deployment prod/web {IMAGE}: too old (app/web.yaml)"
    )
    assert str(rl.results.info("done")) == "info: done"
    assert repr(rl.results) == "[<error: too old>, <info: done>]"


@pytest.mark.parametrize(
    "wire",
    [
        {},
        {"message": 3, "severity": []},
        {"resourceRef": "x", "field": 1, "file": [], "tags": "t"},
        {"file": {"path": 3}},
    ],
)
def test_any_input_is_read(wire: dict[str, Any]) -> None:
    """What others wrote may be of any form; reading it raises nothing."""
    result = Result(wire)
    assert isinstance(result.message, str) and isinstance(str(result), str)
    assert result.to_dict() == wire
    assert result.resource_ref is None and result.tags == {}


def test_results_that_are_there_already() -> None:
    """A function that runs on its own output says nothing twice, and what is new is added."""
    rl = read()
    for message in ("old", "old", "other"):
        rl.results.error(message, rl.items[0], IMAGE, proposed="web:2")
    first = rl.write()
    again = ResourceList.read(first)
    again.results.error("old", again.items[0], IMAGE, proposed="web:2")
    assert again.has_errors
    assert again.write() == first
    again.results.error("old", again.items[0], IMAGE, proposed="web:3")
    assert [one.to_dict()["field"]["proposedValue"] for one in ResourceList.read(again.write()).results] == [
        *("web:2", "web:2", "web:2", "web:3")
    ]
