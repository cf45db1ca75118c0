"""Previews refuse exactly the Compositions that the API server refuses."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite.cli import main

from .kube import ApiError
from .plane import Plane

COUNT = 100
FUNCTION = "tests.cluster.functions:nothing"
XR = {"apiVersion": "example.org/v1", "kind": "XThing", "metadata": {"name": "shop"}, "spec": {}}
Json = dict[str, Any]


def _step(name: str) -> Json:
    """Return a step that has all that a step can have."""
    secret = {"name": "keys", "source": "Secret", "secretRef": {"name": "a", "namespace": "b"}}
    thing = {"apiVersion": "v1", "kind": "ConfigMap"}
    return {
        "step": name,
        "functionRef": {"name": "f"},
        "input": {"apiVersion": "example.org/v1", "kind": "Input", "anything": [1, {"b": None}]},
        "credentials": [secret],
        "requirements": {
            "requiredResources": [
                {**thing, "requirementName": "one", "name": "a", "namespace": "b"},
                {**thing, "requirementName": "two", "matchLabels": {"a": "b"}},
            ],
            "requiredSchemas": [{**thing, "requirementName": "three"}],
        },
    }


def _composition(chosen: random.Random) -> Json:
    """Return a Composition that is right, with some of what it can have."""
    steps = [_step(f"step-{number}") for number in range(chosen.randint(1, 3))]
    for step in steps:
        for key in ("input", "requirements"):
            if chosen.random() < 0.2:
                del step[key]
        del step["credentials"]  # render would ask for the Secret
    spec: Json = {"compositeTypeRef": {key: XR[key] for key in ("apiVersion", "kind")}, "pipeline": steps}
    if chosen.random() < 0.7:
        spec["mode"] = "Pipeline"
    if chosen.random() < 0.3:
        spec["writeConnectionSecretsToNamespace"] = "crossplane-system"
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "things", "labels": {"a": "b"}},
        "spec": spec,
    }


def _at(*path: str | int) -> Callable[[Json], Any]:
    """Return a function that goes down a path of the first step."""

    def go(composition: Json) -> Any:
        found: Any = composition["spec"]["pipeline"][0]
        for key in path:
            found = found[key]
        return found

    return go


def _without(key: str, *path: str | int) -> Callable[[Json], None]:
    return lambda composition: _at(*path)(composition).pop(key)


def _with(key: str, value: Any, *path: str | int) -> Callable[[Json], None]:
    return lambda composition: _at(*path)(composition).update({key: value})


def _in_spec(key: str, value: Any) -> Callable[[Json], None]:
    return lambda composition: composition["spec"].update({key: value})


_RESOURCES = ("requirements", "requiredResources")
MISTAKES: dict[str, Callable[[Json], Any]] = {
    "no step": _without("step"),
    "no function": _without("functionRef"),
    "no function's name": _without("name", "functionRef"),
    "a step that is a number": _with("step", 1),
    "the same step": lambda composition: composition["spec"]["pipeline"].append(copy.deepcopy(_at()(composition))),
    "an unknown field": _with("when", "true"),
    "a misspelt field": _with("functonRef", {"name": "f"}),
    "an unknown field of the function": _with("kind", "Function", "functionRef"),
    "an input without apiVersion": _without("apiVersion", "input"),
    "an input without kind": _without("kind", "input"),
    "an input without both": _with("input", {"a": 1}),
    "an input that is a list": _with("input", [1]),
    "no steps": _in_spec("pipeline", []),
    "too many steps": _in_spec("pipeline", [{"step": f"s{n}", "functionRef": {"name": "f"}} for n in range(100)]),
    "another mode": _in_spec("mode", "Resources"),
    **{
        f"{key} of Crossplane 1": _in_spec(key, value)
        for key, value in (
            ("environment", {}),
            ("patchSets", []),
            ("resources", []),
            ("publishConnectionDetailsWithStoreConfigRef", {"name": "default"}),
        )
    },
    "credentials without a Secret": _with("credentials", [{"name": "a", "source": "None"}]),
    "credentials without a source": _with("credentials", [{"name": "a"}]),
    "credentials without a name": _with(
        "credentials", [{"source": "Secret", "secretRef": {"name": "a", "namespace": "b"}}]
    ),
    "credentials without a place": _with("credentials", [{"name": "a", "source": "Secret"}]),
    "credentials without a namespace": _with(
        "credentials", [{"name": "a", "source": "Secret", "secretRef": {"name": "a"}}]
    ),
    "another source": _with("credentials", [{"name": "a", "source": "Vault"}]),
    "a requirement without a name": _without("requirementName", *_RESOURCES, 0),
    "a requirement without a kind": _without("kind", *_RESOURCES, 0),
    "a requirement by both": _with("matchLabels", {"a": "b"}, *_RESOURCES, 0),
    "a label that is a number": _with("matchLabels", {"a": 1}, *_RESOURCES, 1),
    "the same requirement": _with("requirementName", "two", *_RESOURCES, 0),
    "an unknown field of a requirement": _with("selector", {}, *_RESOURCES, 0),
    "a schema without a kind": _without("kind", "requirements", "requiredSchemas", 0),
    "an unknown requirement": _with("requiredSecrets", [], "requirements"),
}


def _cases() -> list[tuple[str, Json]]:
    """Return compositions, each with the name of its mistake; half of them have none."""
    chosen = random.Random(17)
    names = sorted(MISTAKES)
    found: list[tuple[str, Json]] = []
    for number in range(COUNT):
        composition = _composition(chosen)
        name = names[number // 2 % len(names)] if number % 2 else ""
        if name:
            composition["spec"]["pipeline"][0] = {**_step("step-0"), "credentials": []}
            MISTAKES[name](composition)
        found.append((name, composition))
    return found


def _is_taken(plane: Plane, composition: Json) -> bool:
    try:
        path = "/apis/apiextensions.crossplane.io/v1/compositions"
        plane.kube.request("POST", f"{path}?dryRun=All&fieldValidation=Strict", composition)
    except ApiError:
        return False
    return True


def test_compositions(plane: Plane, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a hundred Compositions, `render` refuses those that the API server refuses, and no others."""
    xr, file = tmp_path / "xr.yaml", tmp_path / "composition.yaml"
    xr.write_text(json.dumps(XR))
    wrong = []
    taken = 0
    for name, composition in _cases():
        file.write_text(json.dumps(composition))
        passes = main(["render", str(xr), str(file), "--function", f"f={FUNCTION}"]) == 0
        said = capsys.readouterr().err
        is_taken = _is_taken(plane, composition)
        taken += is_taken
        if passes is not is_taken:
            wrong.append((name, is_taken, said))
    assert taken == COUNT / 2
    assert wrong == []
