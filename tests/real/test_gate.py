"""Previews end with 0 exactly where the API server's own library takes all objects of all waves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import NULL, Unstructured, composition, testing
from crossplane_lite.cli import main
from tests.behaviour.schema_instances import crd_files
from tests.real.api_server import Asked, verdicts
from tests.real.compositions import XR, XRD, Case, Compositions, function, is_right, passes

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.skipif(
        not crd_files(), reason="the definitions of providers lie beside the checkout, and aren't there"
    ),
]

COUNT = int(os.environ.get("GATE_COMPOSITIONS", "300"))
REAL = Compositions(crd_files())


def accepted(all_cases: list[Case]) -> list[bool]:
    """Say of each case whether the API server takes all that it is to make, and its code ends."""
    asked = [Asked(name, one) for case in all_cases for name, one in zip(case.definitions, case.objects, strict=True)]
    errors = iter(verdicts(REAL.definitions, asked))
    return [not next(errors) + next(errors) and is_right(case) for case in all_cases]


def test_previews_agree_with_the_api_server() -> None:
    """Each preview passes a composition exactly where the API server takes both objects and compose() has no bug."""
    all_cases = list(REAL.cases(COUNT))
    wanted = accepted(all_cases)
    assert COUNT / 4 < sum(wanted) < COUNT * 3 / 4
    wrong = [
        f"{number} ({case.mistake}, {case.definitions}): {preview} {'passes' if passed else 'fails'}"
        for number, (case, right) in enumerate(zip(all_cases, wanted, strict=True))
        for preview, passed in passes(case, REAL.of(case)).items()
        if passed is not right
    ]
    assert wrong == []


CURRENT: list[Case] = []


@composition.function(auto_ready=True)
def current(ctx: composition.Context) -> None:
    """Compose what the case that is tried now composes."""
    function(CURRENT[-1])._compose(ctx)


@pytest.mark.parametrize("command", ["render", "simulate", "diff"])
def test_commands_agree_with_the_api_server(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command ends with 0 exactly where the API server takes both objects and compose() has no bug."""
    (tmp_path / "xr.json").write_text(json.dumps(XR), encoding="utf-8")
    (tmp_path / "xrd.json").write_text(json.dumps(XRD), encoding="utf-8")
    (tmp_path / "nothing.yaml").write_text("# nothing exists yet\n", encoding="utf-8")
    some = list(REAL.cases(24))
    wrong = []
    for number, (case, right) in enumerate(zip(some, accepted(some), strict=True)):
        crds = tmp_path / str(number)
        crds.mkdir()
        for name in case.definitions:
            (crds / f"{name}.json").write_text(json.dumps(REAL.definitions[name]), encoding="utf-8")
        CURRENT.append(case)
        files = [str(tmp_path / "xr.json"), "--xrd", str(tmp_path / "xrd.json"), "--crds", str(crds)]
        if command == "diff":
            files += ["--observed-resources", str(tmp_path / "nothing.yaml")]
        status = main([command, *files, "--function", f"{__name__}:current"])
        said = capsys.readouterr().err
        if (status == 0) is not right:
            wrong.append(f"{number} ({case.mistake}, {case.definitions}): status {status}, {said}")
    assert wrong == []


FREE: dict[str, Any] = {"x-kubernetes-preserve-unknown-fields": True}
EMBEDDED = {"properties": {"m": {"type": "object", "x-kubernetes-embedded-resource": True, **FREE}}}


@pytest.mark.parametrize(
    ("schema", "spec", "right"),
    [
        ({"required": ["x"], "properties": {"x": FREE}}, {}, False),
        ({"required": ["x"], "properties": {"x": FREE}}, {"x": {"a": None}}, True),
        ({"required": ["x"], "properties": {"x": {**FREE, "nullable": True}}}, {"x": None}, True),
        ({"properties": {"x": FREE}}, {"x": None}, True),
        (EMBEDDED, {"m": {"apiVersion": "v1", "kind": "C", "metadata": {"name": "x", "labels": {"a": 5}}}}, False),
        (EMBEDDED, {"m": {"apiVersion": "v1", "kind": "C", "metadata": {"name": "x", "labels": {"a": "5"}}}}, True),
    ],
)
def test_odd_verdicts(schema: dict[str, Any], spec: dict[str, Any], right: bool) -> None:
    """A missing field of any type, and a number among the labels of an embedded resource, are refused."""
    version = {
        **{"name": "v1", "served": True, "storage": True},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", **schema}}}},
    }
    names = {"group": "example.org", "scope": "Cluster", "names": {"kind": "Thing", "plural": "things"}}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things"}}
    crd = {**head, "spec": {**names, "versions": [version]}}
    thing = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}
    assert (verdicts({"thing": crd}, [Asked("thing", thing)]) == [[]]) is right

    @composition.function
    def compose(ctx: composition.Context) -> None:
        ctx.resource("a", Unstructured("example.org/v1", "Thing", spec={key: nulls(one) for key, one in spec.items()}))

    if right:
        testing.render(XR, compose, crds=[crd])
    else:
        with pytest.raises(testing.InvalidResourceError):
            testing.render(XR, compose, crds=[crd])


def nulls(value: Any) -> Any:
    """Return plain data with explicit nulls in place of None, which would be no opinion."""
    if isinstance(value, dict):
        return {key: nulls(one) for key, one in value.items()}
    return NULL if value is None else value
