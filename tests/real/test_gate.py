"""Previews end with 0 exactly where the API server's own library takes all objects of all waves."""

from __future__ import annotations

import copy
import functools
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crossplane_lite import NULL, Unstructured, composition, testing
from crossplane_lite.cli import main
from tests.behaviour.schema_instances import Grower, crd_files, schema_of
from tests.real.api_server import Asked, verdicts

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.skipif(
        not crd_files(), reason="the definitions of providers lie beside the checkout, and aren't there"
    ),
]

COUNT = int(os.environ.get("GATE_COMPOSITIONS", "300"))
XR: dict[str, Any] = {"apiVersion": "example.org/v1", "kind": "XThing", "metadata": {"name": "a"}, "spec": {}}
XRD: dict[str, Any] = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "xthings.example.org"},
    "spec": {
        "group": "example.org",
        "names": {"kind": "XThing", "plural": "xthings"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "referenceable": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object"},
                            "status": {"type": "object", "properties": {"id": {"type": "string"}}},
                        },
                    }
                },
            }
        ],
    },
}
MISTAKES = ("none", "none", "none", "first", "second", "required", "rule", "status", "bug")


class Case(NamedTuple):
    """A composition of two resources, of which the second is composed once the first has an id.

    Attributes:
        mistake: What was put in: nothing, a mistake in a resource, a missing parameter that the schema or a rule in CEL
            requires, an undeclared field of the composite's status, or a bug in compose().
        definitions: The names of the definitions of both kinds.
        objects: Both objects.
    """

    mistake: str
    definitions: tuple[str, str]
    objects: tuple[dict[str, Any], dict[str, Any]]


@functools.cache
def definitions() -> dict[str, Any]:
    """Return the definitions of managed resources by file name."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = {path.name: yaml.load(path.read_text(encoding="utf-8"), Loader=loader) for path in crd_files()}
    return {name: one for name, one in found.items() if name != "kubernetes.crossplane.io_objects.yaml"}


def grown(chance: random.Random, name: str) -> tuple[Grower, dict[str, Any]]:
    """Return an object of a kind that its schema allows, with the parameters that upjet's rules require."""
    path = next(path for path in crd_files() if path.name == name)
    api_version, kind, schema = schema_of(path)
    grower = Grower(chance.randrange(2**32), full=0.3)
    made = grower.grow(api_version, kind, schema)
    made["metadata"] = {"name": kind.lower()}
    spec = made.setdefault("spec", {})
    spec.setdefault("managementPolicies", ["*"])
    for field in required_by_rules(schema):
        declared = schema["properties"]["spec"]["properties"]["forProvider"]["properties"][field]
        parameters = spec.setdefault("forProvider", {})
        if field not in parameters:
            parameters[field] = grower._value(declared, ("spec", "forProvider", field))
    if definitions()[name]["spec"]["scope"] == "Namespaced":
        made["metadata"]["namespace"] = "default"
    return grower, made


def required_by_rules(schema: Any) -> list[str]:
    """Return the parameters that rules of upjet's form require."""
    rules = schema["properties"]["spec"].get("x-kubernetes-validations", [])
    told = (one["message"].split(" ") for one in rules if one.get("message", "").endswith("is a required parameter"))
    return [words[0].rpartition(".")[2] for words in told]


def cases() -> Iterator[Case]:
    """Yield compositions made at random."""
    for seed in range(COUNT):
        chance = random.Random(seed)
        names = (chance.choice(sorted(definitions())), chance.choice(sorted(definitions())))
        pairs = [grown(chance, name) for name in names]
        objects = [made for _, made in pairs]
        mistake = chance.choice(MISTAKES)
        if mistake in ("first", "second"):
            at = ("first", "second").index(mistake)
            broken = list(pairs[at][0].mistakes(objects[at]))
            if broken:
                metadata = objects[at]["metadata"]
                objects[at] = {**chance.choice(broken).value, "metadata": metadata}
        elif mistake in ("required", "rule"):
            schema = schema_of(next(path for path in crd_files() if path.name == names[1]))[2]
            parameters = schema["properties"]["spec"]["properties"]["forProvider"]
            fields = parameters.get("required", []) if mistake == "required" else required_by_rules(schema)
            objects[1] = copy.deepcopy(objects[1])
            for field in fields[:1]:
                objects[1]["spec"]["forProvider"].pop(field, None)
        yield Case(mistake, names, (objects[0], objects[1]))


def unstructured(one: dict[str, Any]) -> Unstructured:
    """Return an object as a resource to compose."""
    content = {key: value for key, value in copy.deepcopy(one).items() if key not in ("apiVersion", "kind")}
    return Unstructured(one["apiVersion"], one["kind"], **content)


def function(case: Case) -> Any:
    """Return the composition function of a case."""

    @composition.function(auto_ready=True)
    def compose(ctx: composition.Context) -> None:
        xr = ctx.composite(Unstructured)
        made = ctx.resource("first", unstructured(case.objects[0])).observed.metadata.uid
        if case.mistake == "status":
            xr.status.undeclared = "x"
        else:
            xr.status.id = f"{made}"
        if made:
            ctx.resource("second", unstructured(case.objects[1])).metadata.labels["first"] = made
        if case.mistake == "bug":
            print({"eu": 1}["us"])  # noqa: T201

    return compose


def accepted(all_cases: list[Case]) -> list[bool]:
    """Say of each case whether the API server takes all that it is to make, and its code ends."""
    asked = [Asked(name, one) for case in all_cases for name, one in zip(case.definitions, case.objects, strict=True)]
    errors = iter(verdicts(definitions(), asked))
    return [not next(errors) + next(errors) and case.mistake not in ("status", "bug") for case in all_cases]


def passes(case: Case) -> dict[str, bool]:
    """Say of each preview of the testing package whether it passes a case."""
    crds = [definitions()[name] for name in dict.fromkeys(case.definitions)]
    compose = function(case)
    found = {}
    for name, preview in (
        ("run", lambda: testing.run(compose, testing.request(XR), xrd=XRD, crds=crds).fatal),
        ("render", lambda: testing.render(XR, compose, crds=[XRD, *crds], xrd=XRD)),
        ("simulate", lambda: not testing.simulate(XR, compose, crds=[XRD, *crds], xrd=XRD).stable),
    ):
        try:
            result = preview()
            found[name] = not result if name != "render" else True
        except (
            testing.RenderError,
            testing.FatalResultError,
            testing.InvalidResourceError,
            testing.InvalidStatusError,
        ):
            found[name] = False
    return found


def test_previews_agree_with_the_api_server() -> None:
    """Each preview passes a composition exactly where the API server takes both objects and compose() has no bug."""
    all_cases = list(cases())
    wanted = accepted(all_cases)
    assert COUNT / 4 < sum(wanted) < COUNT * 3 / 4
    wrong = [
        f"{number} ({case.mistake}, {case.definitions}): {preview} {'passes' if passed else 'fails'}"
        for number, (case, right) in enumerate(zip(all_cases, wanted, strict=True))
        for preview, passed in passes(case).items()
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
    some = list(cases())[:24]
    wrong = []
    for number, (case, right) in enumerate(zip(some, accepted(some), strict=True)):
        crds = tmp_path / str(number)
        crds.mkdir()
        for name in case.definitions:
            (crds / f"{name}.json").write_text(json.dumps(definitions()[name]), encoding="utf-8")
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
        ({"required": ["x"], "properties": {"x": FREE}}, {"x": None}, False),
        ({"required": ["x"], "properties": {"x": FREE}}, {"x": {"a": None}}, True),
        ({"required": ["x"], "properties": {"x": {**FREE, "nullable": True}}}, {"x": None}, True),
        ({"properties": {"x": FREE}}, {"x": None}, True),
        (EMBEDDED, {"m": {"apiVersion": "v1", "kind": "C", "metadata": {"name": "x", "labels": {"a": 5}}}}, False),
        (EMBEDDED, {"m": {"apiVersion": "v1", "kind": "C", "metadata": {"name": "x", "labels": {"a": "5"}}}}, True),
    ],
)
def test_odd_verdicts(schema: dict[str, Any], spec: dict[str, Any], right: bool) -> None:
    """A null in a required field of any type, and a number among the labels of an embedded resource, are refused."""
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
