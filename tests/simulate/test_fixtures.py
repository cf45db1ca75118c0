"""Fixtures: what a simulation is told about resources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.simulate.fixtures import Fixtures, read_fixtures
from crossplane_lite.errors import InputError
from tests.simulate.simulating import chain, fields, schemas, simulated, thing

FILE = """\
VPC:
  status: {atProvider: {vpcId: of-kind, region: eu}}
example.org/v1/VPC:
  status: {atProvider: {vpcId: of-version}}
vpc:
  metadata: {annotations: {crossplane.io/external-name: vpc-1}}
  connectionDetails: {password: secret}
---
apiVersion: example.org/v1
kind: Subnet
metadata:
  annotations: {crossplane.io/composition-resource-name: subnet}
status: {atProvider: {id: whole}}
---
apiVersion: example.org/v1
kind: Instance
status: {state: running}
"""


def test_reading(tmp_path: Path) -> None:
    """A file holds fixtures by name and kind, and whole resources."""
    (tmp_path / "f.yaml").write_text(FILE, encoding="utf-8")
    for path in (tmp_path, tmp_path / "f.yaml"):
        found = read_fixtures(path)
        assert sorted(found) == ["VPC", "example.org/v1/Instance", "example.org/v1/VPC", "subnet", "vpc"]
    known = Fixtures(found)
    fixture = known.of("vpc", "example.org/v1", "VPC")
    assert fixture.content["status"] == {"atProvider": {"vpcId": "of-version", "region": "eu"}}
    assert fixture.details == {"password": "secret"}
    assert known.unused() == ["example.org/v1/Instance", "subnet"]
    assert known.of("other", "example.org/v2", "VPC").content["status"]["atProvider"]["vpcId"] == "of-kind"


def test_what_is_known_counts(tmp_path: Path) -> None:
    """Values of fixtures come before any that are made up; they are over what the resource has at the start."""
    (tmp_path / "f.yaml").write_text(FILE, encoding="utf-8")
    done = simulated(chain, fixtures=read_fixtures(tmp_path))
    assert fields(done, "subnet")["vpc"] == "of-version"
    assert fields(done, "instance")["subnet"] == "whole"
    assert done.observed["vpc"]["metadata"]["annotations"]["crossplane.io/external-name"] == "vpc-1"
    assert done.observed["instance"]["status"]["state"] == "running"
    assert done.origins == {"subnet.status.atProvider.id": "fixture", "vpc.status.atProvider.vpcId": "fixture"}
    assert done.unused_fixtures == []


def test_values_that_never_come() -> None:
    """A null says that there never is a value."""
    done = simulated(chain, fixtures={"vpc": {"status": {"atProvider": {"vpcId": None}}}})
    assert done.waves == {"vpc": 1}
    assert done.unresolved["subnet"] == [
        "vpc.status.atProvider.vpcId (the fixture sets status.atProvider.vpcId to null: give it a value there)"
    ]
    assert "vpcId" not in done.observed["vpc"]["status"]["atProvider"]


def test_names_that_never_come() -> None:
    """An external name can be missing for good as well."""

    def compose(ctx: Any) -> None:
        a = ctx.resource("a", thing())
        ctx.resource("b", thing(x=a.observed.external_name))

    annotations = {"crossplane.io/external-name": None}
    done = simulated(compose, fixtures={"a": {"metadata": {"annotations": annotations}}})
    assert list(done.unresolved) == ["b"]


def test_lists_of_fixtures_are_as_they_are() -> None:
    """A list that a fixture gives doesn't grow, whatever is asked of it."""

    def compose(ctx: Any) -> None:
        a = ctx.resource("a", thing())
        ctx.resource("b", thing(x=a.observed.status.zones[2]))

    done = simulated(compose, fixtures={"a": {"status": {"zones": ["x"]}}})
    assert done.unresolved == {"b": ["a.status.zones[2] (status.zones has no [2]: its length is 1)"]}


def test_a_resource_that_is_not_ready() -> None:
    """Conditions of a fixture take the place of those that say that all is well."""
    fixture = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken"}]}}
    done = simulated(chain, fixtures={"Instance": fixture})
    conditions = {one["type"]: one["status"] for one in done.observed["instance"]["status"]["conditions"]}
    assert conditions == {"Ready": "False", "Synced": "True"}
    ready = next(one for one in done.composite["status"]["conditions"] if one["type"] == "Ready")
    assert ready["message"] == "Unready resources: instance"


def test_unknown_names() -> None:
    """A fixture that nothing has anything of is told."""
    done = simulated(chain, fixtures={"vcp": {"status": {}}, "VPC": {}})
    assert done.unused_fixtures == ["vcp"]
    assert done.notes_on_fixtures() == [
        "fixture 'vcp': no composed resource has this name or kind; did you mean 'vpc'?"
    ]


@pytest.mark.parametrize(("key", "meant"), [("VCP", "VPC"), ("example.org/v1/VCP", "example.org/v1/VPC")])
def test_unknown_kinds(key: str, meant: str) -> None:
    """A fixture for a misspelt kind, with or without its apiVersion, is told with the kind that was meant."""
    (line,) = simulated(chain, fixtures={key: {"status": {}}}).notes_on_fixtures()
    assert line.endswith(f"; did you mean {meant!r}?")


def test_unknown_fields() -> None:
    """A field of a fixture that the kind's schema lacks is told, with the one that was meant."""
    known = schemas("VPC", {"atProvider": {"type": "object", "properties": {"id": {"type": "string"}}}})
    done = simulated(chain, fixtures={"vpc": {"status": {"atProvider": {"idd": "x"}}}}, schemas=known)
    (line,) = done.notes_on_fixtures()
    assert line.startswith("fixture 'vpc': the schema of ")
    assert line.endswith(" has no status.atProvider.idd; did you mean 'id'?")


@pytest.mark.parametrize(
    ("fixture", "problem"),
    [
        ("text", "the fixture 'vpc' must be a mapping with status, metadata, connectionDetails or other"),
        (None, "the fixture 'vpc' must be a mapping"),
        ({"status": []}, "status must be a mapping"),
        ({"metadata": 1}, "metadata must be a mapping"),
        ({"metadata": {"annotations": []}}, "metadata.annotations must be a mapping"),
        ({"metadata": {"annotations": {"a": 1}}}, r"metadata.annotations\[a\] must be a string"),
        ({"metadata": {"annotations": "x"}}, "metadata.annotations must be a mapping"),
        ({"connectionDetails": {"a": {}}}, r"connectionDetails\[a\] must be a string \(got an object\)$"),
        ({"connectionDetails": "x"}, "connectionDetails must be a mapping"),
        ({"statuss": {}}, "the fixture 'vpc' has 'statuss'; did you mean 'status'?"),
        ({"connection_details": {}}, "has 'connection_details'; did you mean 'connectionDetails'?"),
        ({"atProvider": {}}, "has 'atProvider'; did you mean 'status.atProvider'?"),
        ({"kind": 3}, "the fixture 'vpc': kind must be a string .got an integer.; quote it"),
        ({"apiVersion": ["v1"]}, "apiVersion must be a string"),
        ({"metadata": {"name": ["a"]}}, "the fixture 'vpc': metadata.name must be a string .got a list.$"),
        ({"metadata": {"generation": "1"}}, "metadata.generation must be an integer"),
        ({"metadata": {"generation": True}}, "metadata.generation must be an integer"),
        ({"metadata": {"labels": {"a": 1}}}, r"metadata.labels\[a\] must be a string .got an integer.; quote it"),
        ({"metadata": {"finalizers": "a"}}, "metadata.finalizers must be a list"),
        ({"metadata": {"finalizers": ["a", {}]}}, r"metadata.finalizers\[1\] must be a string"),
        ({"metadata": {"ownerReferences": [1]}}, r"metadata.ownerReferences\[0\] must be a mapping"),
        ({"metadata": {"managedFields": {}}}, "metadata.managedFields must be a list"),
        ({"status": {"conditions": {}}}, "status.conditions must be a list"),
        ({"status": {"conditions": [None]}}, r"status.conditions\[0\] must not be null"),
        ({"status": {"conditions": [{"type": []}]}}, r"status.conditions\[0\].type must be a string"),
        (
            {"status": {"conditions": [{"status": True}]}},
            r"status.conditions\[0\].status must be a string .got a boolean.; quote it",
        ),
        ({3: 4}, "the keys of the fixture 'vpc' must be strings .got 3."),
        ({"kind": "Subnet" * 10_000}, r"^.{0,900}$"),
        ({"kind": "Subnet"}, "the fixture 'vpc' is for a Subnet, but the resource vpc is a VPC of example.org/v1"),
    ],
)
def test_mistakes(fixture: Any, problem: str) -> None:
    """What is no fixture is refused, with its name and what is wrong."""
    with pytest.raises(InputError, match=problem):
        simulated(chain, fixtures={"vpc": fixture})


def test_keys_that_are_no_names() -> None:
    """A key is a name or a kind."""
    with pytest.raises(InputError, match="a fixture's key must be a string, which is .* .got 3.$"):
        simulated(chain, fixtures={3: {}})


def test_nulls() -> None:
    """A null may stand wherever there never is a value."""
    nothing = dict.fromkeys(("name", "labels", "annotations", "finalizers", "generation"))
    for fixture in (
        dict.fromkeys(("metadata", "spec", "status", "connectionDetails")),
        {"metadata": nothing, "status": {"conditions": None}, "connectionDetails": {"a": None}},
    ):
        assert simulated(chain, fixtures={"instance": fixture}).stable


def test_mistakes_in_files(tmp_path: Path) -> None:
    """Messages about files have the file and the document; a name can't have two fixtures."""
    for text, problem in (
        ("vpc: []\n", r"a.yaml, document 1 \(line 1\): the fixture 'vpc' must be a"),
        ("vpc: {}\n---\nvpc: {}\n", "document 2 .* and .*document 1 .* both have a fixture 'vpc'"),
        ("- a\n", "is not a mapping"),
    ):
        (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=problem):
            read_fixtures(tmp_path)
    with pytest.raises(InputError, match="can't read"):
        read_fixtures(tmp_path / "none.yaml")


def test_deep_fixtures(tmp_path: Path) -> None:
    """Fixtures may have as many levels as documents may."""
    depth = 190
    (tmp_path / "a.yaml").write_text("vpc: {status: {a: " + "[" * depth + "]" * depth + "}}\n", encoding="utf-8")
    done = simulated(chain, fixtures=read_fixtures(tmp_path))
    assert done.stable and len(done.rounds) == 5
