"""Compositions made at random from real definitions, with mistakes put in, and what previews say of them."""

from __future__ import annotations

import copy
import functools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite._tools.render.rendered import cut_off
from tests.behaviour.schema_instances import Grower, schema_of

__all__ = ["XR", "XRD", "Case", "Compositions", "function", "is_right", "passes"]

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


class Compositions:
    """Makes compositions of two kinds each.

    Args:
        files: The files of the kinds' definitions, one for each.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = {path.name: path for path in files if path.name != "kubernetes.crossplane.io_objects.yaml"}

    @functools.cached_property
    def definitions(self) -> dict[str, Any]:
        """The definitions by file name."""
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return {name: yaml.load(path.read_text(encoding="utf-8"), Loader=loader) for name, path in self._files.items()}

    def of(self, case: Case) -> list[Any]:
        """Return the definitions of a case's kinds."""
        return [self.definitions[name] for name in dict.fromkeys(case.definitions)]

    def cases(self, count: int) -> Iterator[Case]:
        """Yield compositions made at random."""
        for seed in range(count):
            chance = random.Random(seed)
            names = (chance.choice(sorted(self._files)), chance.choice(sorted(self._files)))
            pairs = [self._grown(chance, name) for name in names]
            objects = [made for _, made in pairs]
            mistake = chance.choice(MISTAKES)
            if mistake in ("first", "second"):
                at = ("first", "second").index(mistake)
                broken = list(pairs[at][0].mistakes(objects[at]))
                if broken:
                    metadata = objects[at]["metadata"]
                    objects[at] = {**chance.choice(broken).value, "metadata": metadata}
            elif mistake in ("required", "rule"):
                schema = schema_of(self._files[names[1]])[2]
                parameters = schema["properties"]["spec"]["properties"]["forProvider"]
                fields = parameters.get("required", []) if mistake == "required" else _required_by_rules(schema)
                objects[1] = copy.deepcopy(objects[1])
                for field in fields[:1]:
                    objects[1]["spec"]["forProvider"].pop(field, None)
            second = copy.deepcopy(objects[1])
            second["metadata"]["name"] = "second"  # both may be of one kind
            yield Case(mistake, names, (objects[0], second))

    def _grown(self, chance: random.Random, name: str) -> tuple[Grower, dict[str, Any]]:
        """Return an object of a kind that its schema allows, with the parameters that upjet's rules require."""
        api_version, kind, schema = schema_of(self._files[name])
        grower = Grower(chance.randrange(2**32), full=0.3)
        made = grower.grow(api_version, kind, schema)
        made["metadata"] = {"name": kind.lower()}
        spec = made.setdefault("spec", {})
        spec.setdefault("managementPolicies", ["*"])
        for field in _required_by_rules(schema):
            declared = schema["properties"]["spec"]["properties"]["forProvider"]["properties"][field]
            parameters = spec.setdefault("forProvider", {})
            if field not in parameters:
                parameters[field] = grower._value(declared, ("spec", "forProvider", field))
        if self.definitions[name]["spec"]["scope"] == "Namespaced":
            made["metadata"]["namespace"] = "default"
        return grower, made


def _required_by_rules(schema: Any) -> list[str]:
    """Return the parameters that rules of upjet's form require."""
    rules = schema["properties"]["spec"].get("x-kubernetes-validations", [])
    told = (one["message"].split(" ") for one in rules if one.get("message", "").endswith("is a required parameter"))
    return [words[0].rpartition(".")[2] for words in told]


def _unstructured(one: dict[str, Any]) -> Unstructured:
    """Return an object as a resource to compose."""
    content = {key: value for key, value in copy.deepcopy(one).items() if key not in ("apiVersion", "kind")}
    return Unstructured(one["apiVersion"], one["kind"], **content)


def function(case: Case) -> Any:
    """Return the composition function of a case."""

    @composition.function(auto_ready=True)
    def compose(ctx: composition.Context) -> None:
        xr = ctx.composite(Unstructured)
        if case.mistake == "bug":
            print({"eu": 1}["us"])  # noqa: T201
        made = ctx.resource("first", _unstructured(case.objects[0])).observed.metadata.uid
        if case.mistake == "status":
            xr.status.undeclared = "x"
        else:
            xr.status.id = f"{made}"
        if made:
            ctx.resource("second", _unstructured(case.objects[1])).metadata.labels["first"] = made

    return compose


def is_right(case: Case) -> bool:
    """Return whether the code ends, and sets only fields of the composite's status that the XRD has."""
    return case.mistake not in ("status", "bug")


def _failures(response: testing.Response) -> list[str]:
    """Return the fatal results of a response, and what its condition says of an exception that isn't fatal."""
    said = [one.message or "" for type_, one in response.conditions.items() if type_.startswith("DependenciesResolved")]
    return [*response.fatal, *(text for text in said if "what exists stays, and only owners" in text)]


def passes(case: Case, crds: Sequence[Any]) -> dict[str, bool]:
    """Say of each preview of the testing package whether it passes a case."""
    compose = function(case)
    found = {}
    for name, preview in (
        ("run", lambda: _failures(testing.run(compose, testing.request(XR), xrd=XRD, crds=crds))),
        ("render", lambda: cut_off(testing.render(XR, compose, crds=[XRD, *crds], xrd=XRD))),
        ("simulate", lambda: not testing.simulate(XR, compose, crds=[XRD, *crds], xrd=XRD).stable),
    ):
        try:
            found[name] = not preview()
        except (
            testing.RenderError,
            testing.FatalResultError,
            testing.InvalidResourceError,
            testing.InvalidStatusError,
        ):
            found[name] = False
    return found
