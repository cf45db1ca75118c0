"""Fields that others wait for get plausible values where the resource has none."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._tools.simulate.awaited_fields import AwaitedFields
from crossplane_lite._tools.simulate.fixtures import Fixture
from crossplane_lite._tools.simulate.merging import ABSENT, at, steps_of
from crossplane_lite._tools.simulate.values import Target

TARGET = Target("vpc", "ec2.aws.upbound.io/v1beta1", "VPC")


def awaited(status: dict[str, Any], *paths: str) -> AwaitedFields:
    """Return what came of a resource with a status after somebody waits for these paths."""
    resource: dict[str, Any] = {"apiVersion": TARGET.api_version, "kind": TARGET.kind, "metadata": {}, "status": status}
    fields = AwaitedFields(TARGET, None, Fixture({}, {}), resource)
    for path in paths:
        fields.want(path)
    return fields


@pytest.mark.parametrize("path", [".status.zones[-1]", ".status.zones[-2].name", '.status["a.b/c"][-1][-1]'])
def test_elements_from_the_end(path: str) -> None:
    """What counts from a list's end has a value afterwards, at the path that is waited for."""
    fields = awaited({}, path)
    assert fields.never == {}
    assert at(fields.resource, steps_of(path.removeprefix("."))) not in (ABSENT, None)


def test_the_last_of_those_that_there_are() -> None:
    """A list that is there doesn't grow for its last element, and has no more than it has."""
    fields = awaited({"zones": ["a", "b"]}, ".status.zones[-1]", ".status.zones[-3]")
    assert fields.resource["status"] == {"zones": ["a", "b"]}
    assert fields.origins == {".status.zones[-1]": "given"}
    assert fields.never == {".status.zones[-3]": "status.zones has no [2]: its length is 2"}


def test_a_fixture_that_desired_state_overrules() -> None:
    """A value comes from the fixture only if it is the fixture's: desired state wins over it."""
    resource = {"metadata": {}, "spec": {"zone": "a", "region": "eu"}, "status": {"id": "i"}}
    fields = AwaitedFields(TARGET, None, Fixture({"spec": {"zone": "b", "region": "eu"}}, {}), resource)
    for path in (".spec.zone", ".spec.region", ".status.id", ".spec"):
        fields.want(path)
    assert fields.origins == {
        ".spec.zone": "given",
        ".spec.region": "fixture",
        ".status.id": "given",
        ".spec": "fixture",
    }


def test_what_is_no_path_of_an_observable() -> None:
    """A selection is none: which element it means can't be told before there is one."""
    assert list(awaited({}, ".status.zones[name=a]").never) == [".status.zones[name=a]"]
