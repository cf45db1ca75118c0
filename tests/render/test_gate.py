"""One check for all previews: they end with 0 only where all that is desired, now and later, is right."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import testing
from crossplane_lite._core.base import extras
from crossplane_lite._core.base.kept import Kept
from crossplane_lite._core.schemas import check
from crossplane_lite.cli import main
from crossplane_lite.errors import MissingExtraError
from tests.codegen.generated import crd, obj
from tests.manifests.registry import Registry, packaged, registry
from tests.render import gate

__all__ = ["registry"]

FAILS = {"render": 1, "simulate": 1, "diff": 4}
MISSPELT = "subnet.spec.regoin: isn't a field of the schema; did you mean 'region'?"


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """Return the first arguments of a preview."""
    return gate.files(tmp_path)


def preview(command: str, arguments: list[str], function: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a preview, and return its status and all it prints."""
    status = main([command, *arguments, "--function", f"tests.render.gate:{function}"])
    return status, "".join(capsys.readouterr())


@pytest.mark.parametrize("command", FAILS)
@pytest.mark.parametrize("function", ["right", "counts", "whole"])
def test_what_is_right_passes(
    command: str, function: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Unresolved values count as right, and so do numbers that are made up for a run."""
    status, said = preview(command, arguments, function, capsys)
    assert "invalid" not in said
    assert "not checked" not in said
    assert status == 0


@pytest.mark.parametrize("command", FAILS)
@pytest.mark.parametrize("function", ["waits", "chosen"])
def test_resources_that_wait_are_checked(
    command: str, function: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake in a resource that waits, or that only appears later, fails each preview."""
    status, said = preview(command, arguments, function, capsys)
    assert status == FAILS[command]
    assert said.count(f"invalid: {MISSPELT}") == 1
    assert ("subnet.spec.public: must be true or false" in said) is (function == "waits")


@pytest.mark.parametrize("function", [gate.waits, gate.chosen])
def test_tests_check_resources_that_wait(function: object) -> None:
    """`crds=` of run, render and simulate refuses mistakes in resources that wait; what is right passes."""
    crds = [gate.VPC, gate.SUBNET]
    for tests in (
        lambda one: testing.run(one, testing.request(gate.XR), crds=crds),
        lambda one: testing.render(gate.XR, one, crds=crds),
        lambda one: testing.simulate(gate.XR, one, crds=crds),
    ):
        tests(gate.right)
        with pytest.raises(testing.InvalidResourceError) as caught:
            tests(function)
        assert caught.value.errors[-1].startswith(MISSPELT)


def test_tests_check_by_packages(registry: Registry) -> None:
    """`crds=` takes the name of a package in a registry."""
    registry.add("v1", *packaged(gate.VPC, gate.SUBNET))
    with pytest.raises(testing.InvalidResourceError, match=rf"{MISSPELT}.*{registry.address}/team/a:v1:package"):
        testing.render(gate.XR, gate.chosen, crds=f"xpkg://{registry.address}/team/a:v1")


def test_kinds_without_a_schema_in_later_waves(
    tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A held-back resource of a kind without a schema is named in one line with the others, in each preview."""
    (tmp_path / "crds" / "subnet.yaml").unlink()
    for command in FAILS:
        status, said = preview(command, arguments, "right", capsys)
        assert "not checked: 1 of 2 (subnet: no schema of example.org/v1 Subnet; " in said
        assert status == 0


@pytest.mark.parametrize("command", FAILS)
def test_what_a_missing_value_cuts_off(command: str, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Where runs with made-up values end, what they compose beyond is shown and checked, and right is right."""
    status, said = preview(command, arguments, "upper", capsys)
    assert "subnet" in said
    assert "never resolved" not in said
    assert status == 0


@pytest.mark.parametrize("command", FAILS)
@pytest.mark.parametrize("function", ["bug", "cut_bug"])
def test_a_bug_behind_a_guess(
    command: str, function: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What fails whatever a missing value is fails each preview, with its line; a bug behind it does in simulate."""
    status, said = preview(command, arguments, function, capsys)
    assert status == FAILS[command]
    if function == "bug" or command == "simulate":
        assert "KeyError: 'us' (gate.py:" in said
    else:
        assert "compose() ended early, and nobody knows what it composes beyond: UnresolvedError: " in said


def test_simulate_goes_beyond_what_is_cut_off(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A value that a library needs as a real text gets one, so that what follows is in the simulation, and checked."""
    status, said = preview("simulate", arguments, "cut", capsys)
    assert "2     subnet" in said
    assert status == 0
    status, said = preview("simulate", arguments, "cut_wrong", capsys)
    assert "invalid: subnet.spec.vpcid: isn't a field of the schema" in said
    assert status == 1


def test_a_value_that_never_comes_cuts_off(
    tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A simulation in which compose() ends early to the end fails, and names the line."""
    fixtures = tmp_path / "fixtures.yaml"
    fixtures.write_text("vpc: {status: {id: null}}", encoding="utf-8")
    status, said = preview("simulate", [*arguments, "--fixtures", str(fixtures)], "cut", capsys)
    assert "compose() ended early, and nobody knows what it composes beyond: UnresolvedError: " in said
    assert status == 1
    simulation = testing.simulate(gate.XR, gate.cut, fixtures={"vpc": {"status": {"id": None}}})
    with pytest.raises(AssertionError, match="compose\\(\\) ended early"):
        testing.assert_waves(simulation, [["vpc"]])


def test_a_made_up_value_that_does_not_fit(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Code that fails on a value that simulate made up is told which one, and where to give a real one."""
    status, said = preview("simulate", arguments, "parses", capsys)
    assert "hint: vpc.status.id is made up ('vpc-id'): give it a real value with --fixtures" in said
    assert status == 1


@gate.needs_cel
@pytest.mark.parametrize("command", FAILS)
def test_rules_in_cel(command: str, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A rule of the API server that is broken fails each preview with the rule's message."""
    status, said = preview(command, arguments, "classless", capsys)
    assert "invalid: db.spec: spec.forProvider.instanceClass is a required parameter (schema of" in said
    assert status == FAILS[command]
    status, said = preview(command, arguments, "low_port", capsys)
    assert "invalid: db.spec.forProvider: failed rule: !has(self.port) || self.port > 1024 (schema of" in said
    assert status == FAILS[command]


@gate.needs_cel
def test_diff_says_what_is_immutable(tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A change that a rule on the old object forbids is an error of the change alone."""
    observed = tmp_path / "observed.yaml"
    for engine, expected in (("mysql", 4), ("pg", 0)):
        observed.write_text(
            "{apiVersion: example.org/v1, kind: Instance, metadata: {name: db, namespace: default, annotations: "
            "{crossplane.io/composition-resource-name: db}}, spec: {managementPolicies: ['*'], forProvider: "
            f"{{engine: {engine}, instanceClass: large}}}}}}",
            encoding="utf-8",
        )
        status, said = preview("diff", [*arguments, "--observed-resources", str(observed)], "whole", capsys)
        assert ("invalid: db.spec.forProvider: engine is immutable" in said) is (expected == 4)
        assert status == expected


def test_an_observed_resource_with_a_misspelt_name(
    tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """An observed resource that no function composes is named, with the near name; one that waits isn't."""
    observed = tmp_path / "observed.yaml"
    for name, expected in (("vcp", True), ("vpc", False), ("subnet", False)):
        observed.write_text(
            f"{{apiVersion: example.org/v1, kind: {'Subnet' if name == 'subnet' else 'VPC'}, metadata: {{name: a, "
            f"namespace: default, annotations: {{crossplane.io/composition-resource-name: {name}}}}}}}",
            encoding="utf-8",
        )
        _, said = preview("render", [*arguments, "--observed-resources", str(observed)], "right", capsys)
        assert ("warning: no function composes the observed resource \"vcp\"; did you mean 'vpc'?" in said) is expected
        assert ("no function composes" in said) is expected


@pytest.mark.parametrize("listed", [True, False])
def test_explain_sends_values_that_the_schema_lists(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], listed: bool
) -> None:
    """A value that the composite's schema lists is changed to another one of the list, so that a look-up works."""
    size = {"type": "string", **({"enum": ["small", "large"]} if listed else {})}
    definition = crd(obj(spec=obj(region="s", size=size)), kind="Network")
    (tmp_path / "xr.yaml").write_text(json.dumps({**gate.XR, "spec": {"size": "small"}}), encoding="utf-8")
    (tmp_path / "crd.yaml").write_text(json.dumps(definition), encoding="utf-8")
    arguments = ["render", str(tmp_path / "xr.yaml"), "-s", str(tmp_path / "crd.yaml"), "--explain", "vpc"]
    assert main([*arguments, "--function", "tests.render.gate:sized", "--format", "json"]) == 0
    (explained,) = json.loads(capsys.readouterr().out)
    fields = {one["path"]: one["madeFrom"] for one in explained["fields"]}
    assert fields["spec.size"] == (["xr.spec.size"] if listed else [])


@pytest.mark.parametrize(("function", "text"), [("bug", "KeyError: 'us'"), ("splits", "IndexError: ")])
def test_an_exception_beside_a_missing_value(
    function: str, text: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """An exception other than UnresolvedError fails render and tests with its line; in a cluster the answer goes on."""
    status, said = preview("render", arguments, function, capsys)
    assert status == 1
    assert re.search(rf"returned a fatal result: {text}.* \(gate\.py:\d+\)", said)
    composed = getattr(gate, function)
    request = testing.request(gate.XR)
    for crds in ((), [gate.VPC, gate.SUBNET]):
        response = testing.run(composed, request, crds=crds)
        assert response.desired == {}
        assert re.match(rf"{text}.* \(gate\.py:\d+\)", response.fatal[0])
    with pytest.raises(testing.FatalResultError, match=text):
        testing.render(gate.XR, composed)
    answer = testing.Response.of(composed.run(request))
    assert not answer.fatal and "vpc" in answer.desired
    assert answer.conditions["DependenciesResolved"].message.partition(": ")[2].startswith(text)


def test_an_exception_that_a_last_known_value_explains() -> None:
    """A test in which a noted value is missing is answered as in a cluster: by the run with the noted value."""
    observed: dict[str, Any] = {
        "vpc": {"apiVersion": gate.V, "kind": "VPC", "metadata": {"name": "a"}, "status": {"id": "a-b"}}
    }
    made = testing.run(gate.splits, testing.request(gate.XR, observed=observed)).emitted["subnet"]
    made["metadata"]["name"] = "b"
    del observed["vpc"]["status"]
    response = testing.run(gate.splits, testing.request(gate.XR, observed={**observed, "subnet": made}))
    assert not response.fatal and response.desired["subnet"]["spec"] == {"region": "b"}


def test_simulate_goes_on_where_a_value_will_come(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An exception that ends with the value is none of the simulation's in the end."""
    status, said = preview("simulate", arguments, "splits", capsys)
    assert status == 0
    assert "IndexError: " in said


def test_a_composite_that_is_cut_off_is_not_ready() -> None:
    """Where a missing value ends compose() early, the composite isn't Ready, though all that exists is."""
    observed = {"vpc": {"apiVersion": gate.V, "kind": "VPC", "metadata": {"name": "a", "namespace": "default"}}}
    rendered = testing.render(gate.XR, gate.cut, observed=observed)
    (ready,) = [one for one in rendered.composite["status"]["conditions"] if one["type"] == "Ready"]
    assert ready["status"] == "False"


def test_without_the_library(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the extra `schemas`, previews go on, and the line about what isn't checked says how to install it."""

    def missing(module: str, extra: str) -> object:
        raise MissingExtraError(extras.not_installed(module, extra))

    monkeypatch.setattr(extras, "load", missing)
    monkeypatch.setattr(check, "_kept", Kept(64))
    for command in FAILS:
        status, said = preview(command, arguments, "waits", capsys)
        assert "not checked: 2 of 2 (subnet, vpc: jsonschema_rs is not installed" in said
        assert status == 0


def test_observed_files_that_people_write(
    tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Observed resources without managedFields count as applied by Crossplane: one that a guess would drop is kept."""
    observed = tmp_path / "observed.yaml"
    observed.write_text(
        "".join(
            f"---\n{{apiVersion: example.org/v1, kind: {kind}, metadata: {{name: {kind.lower()}, "
            "namespace: default, annotations: "
            f"{{crossplane.io/composition-resource-name: {kind.lower()}}}}}, spec: {{region: eu}}}}\n"
            for kind in ("VPC", "Subnet")
        ),
        encoding="utf-8",
    )
    status, said = preview("render", [*arguments, "--observed-resources", str(observed)], "guesses", capsys)
    assert "managedFields" not in said
    assert "subnet is kept as it is" in said
    assert status == 0
