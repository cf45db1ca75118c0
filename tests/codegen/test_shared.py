"""Types that definitions write out anew in each kind, which are shipped once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.codegen.changes import of_modules
from crossplane_lite._tools.codegen.generate import Output
from crossplane_lite._tools.codegen.tables import shipped
from crossplane_lite.errors import UsageError
from crossplane_lite.model import ManagedResource, Resource, from_dict, to_dict
from crossplane_lite.models.io.crossplane.common import v1 as commonv1
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1
from tests.codegen.generated import THING, crd, obj, output, package, table

Json = dict[str, Any]

POLICY: Json = {
    "type": "object",
    "properties": {
        "resolution": {"type": "string", "default": "Required", "enum": ["Required", "Optional"]},
        "resolve": {"type": "string", "enum": ["Always", "IfNotPresent"]},
    },
}
REF: Json = {**obj(name="s", policy=POLICY), "required": ["name"]}
LABELS: Json = {"type": "object", "additionalProperties": {"type": "string"}}
REQUIREMENT: Json = {
    **obj(key="s", operator="s", values={"type": "array", "items": {"type": "string"}}),
    "required": ["key", "operator"],
}
SELECTOR: Json = obj(matchExpressions={"type": "array", "items": REQUIREMENT}, matchLabels=LABELS)
CONDITION: Json = {
    **obj(lastTransitionTime="s", message="s", observedGeneration="i", reason="s", status="s", type="s"),
    "required": ["lastTransitionTime", "reason", "status", "type"],
}


def managed(provider: Json, kind: str = "Thing") -> Json:
    """Return the definition of a managed resource whose `forProvider` has these fields."""
    spec = obj(
        forProvider=obj(**provider),
        managementPolicies={"type": "array", "items": {"type": "string"}},
        providerConfigRef=REF,
    )
    return crd(obj(spec=spec, status=obj(conditions={"type": "array", "items": CONDITION})), kind=kind)


def test_the_shipped_class_has_the_old_name_too(tmp_path: Path) -> None:
    """A module's names of shared classes are the shipped classes, in all places and in the stub."""
    made = package(tmp_path, output(managed({"vpcIdRef": REF, "subnetIdRefs": {"type": "array", "items": REF}})))
    module: Any = made.module(THING)
    assert module.VpcIdRef is module.SubnetIdRefsItem is module.ProviderConfigRef is commonv1.Reference
    assert module.Policy is commonv1.Policy
    assert module.ConditionsItem is metav1.Condition
    thing = module.Thing(
        spec={"forProvider": {"vpcIdRef": commonv1.Reference(name="a", policy=module.Policy(resolve="Always"))}}
    )
    assert type(thing.spec.forProvider.vpcIdRef) is commonv1.Reference
    assert to_dict(thing)["spec"] == {"forProvider": {"vpcIdRef": {"name": "a", "policy": {"resolve": "Always"}}}}
    stub = made.output.stubs[f"{THING}.pyi"]
    assert "\nVpcIdRef = commonv1.Reference\n" in stub
    assert "class VpcIdRef" not in stub
    assert "class Thing(ManagedResource[ThingSpec]):" in stub


def test_a_label_selector_of_kubernetes_fits(tmp_path: Path) -> None:
    """A selector that a kind writes out anew is Kubernetes' LabelSelector, and so are its requirements."""
    made = package(tmp_path, output(crd(obj(spec=obj(selector=SELECTOR)))))
    module: Any = made.module(THING)
    assert module.Selector is metav1.LabelSelector
    assert module.MatchExpressionsItem is metav1.LabelSelectorRequirement
    assert "\nSelector = metav1.LabelSelector\n" in made.output.stubs[f"{THING}.pyi"]


def test_what_differs_is_a_class_of_its_own() -> None:
    """Another field, rule, list of choices or field's name makes a class; so do objects around such a class."""
    fewer: Json = {**POLICY, "properties": {**POLICY["properties"], "resolve": {"type": "string", "enum": ["Always"]}}}
    made = output(
        managed(
            {
                "moreRef": {**obj(name="s", policy=POLICY, kind="s"), "required": ["name"]},
                "optionalRef": obj(name="s", policy=POLICY),
                "fewerRef": {**obj(name="s", policy=fewer), "required": ["name"]},
                "engine": {**obj(name="s"), "required": ["name"]},
            }
        )
    )
    texts = table(made.modules[f"{THING}.py"])
    shared = {name for name, text in texts.items() if text.startswith("=")}
    assert shared == {"ConditionsItem", "Policy", "ProviderConfigRef"}
    assert {"MoreRef", "OptionalRef", "FewerRef", "FewerRefPolicy", "Engine"} <= texts.keys()


def test_a_kind_may_have_the_name_of_a_type_within(tmp_path: Path) -> None:
    """Where a kind is called Policy, the policies of its references have another name, also in later runs."""
    definition = managed({"userRef": REF}, kind="Policy")
    first = output(definition)
    file = "org/example/policy/v1"
    assert table(first.modules[f"{file}.py"])["UserRef"].startswith("=commonv1.Reference !name ")
    again = output(definition, previous=first)
    assert again.modules == first.modules
    module: Any = package(tmp_path, again).module(file)
    assert module.ProviderConfigRefPolicy is commonv1.Policy
    assert issubclass(module.Policy, Resource)


def changed(before: Output, after: Output) -> list[tuple[str, str, str, str]]:
    """Return what the report says of the fields of two outputs."""
    old, new = before.modules | before.stubs, after.modules | after.stubs
    found = of_modules(old.get, new, [*before.modules, *after.modules])
    return [(one.what, one.cls, one.field, one.after) for module in found for one in module.changes]


def test_the_report_is_about_fields() -> None:
    """A class that begins or ends to be a shared one isn't a change; its fields and choices are compared."""
    before = output(managed({"vpcIdRef": REF}))
    other: Json = {**POLICY, "properties": {**POLICY["properties"], "resolve": {"type": "string", "enum": ["Always"]}}}
    assert changed(before, output(managed({"vpcIdRef": REF}), previous=before)) == []
    less = {**obj(name="s", policy=other), "required": ["name"]}
    definition = managed({"vpcIdRef": less})
    of_spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    of_spec["providerConfigRef"] = less
    after = output(definition, previous=before)
    assert changed(before, after) == [("type changed", "Policy", "resolve", "Literal['Always']")]
    assert changed(after, before) == [("type changed", "Policy", "resolve", "Literal['Always', 'IfNotPresent']")]


def test_code_of_an_older_version_goes_on(tmp_path: Path) -> None:
    """Models of a shared class fit where a class has become one of its own, and the other way round."""
    more: Json = {**obj(name="s", policy=POLICY, region="s"), "required": ["name"]}
    before = output(managed({"a": obj(vpcIdRef=REF), "b": obj(vpcIdRef=REF)}))
    after = output(managed({"a": obj(vpcIdRef=more), "b": obj(vpcIdRef=REF)}), previous=before)
    module: Any = package(tmp_path, after).module(THING)
    for ref in (module.VpcIdRef, commonv1.Reference):
        for parent in (module.A, module.B):
            made = parent(vpcIdRef=ref(name="x", policy={"resolve": "Always"}))
            assert to_dict(made) == {"vpcIdRef": {"name": "x", "policy": {"resolve": "Always"}}}


def test_other_models_are_refused(tmp_path: Path) -> None:
    """A field of a shared class takes no models of fields that aren't of Crossplane's machinery, set or not."""
    module: Any = package(tmp_path, output(managed({"vpcIdRef": REF, "engine": obj(name="s")}))).module(THING)
    for wrong in (module.Engine(), module.Engine(name="a"), module.ForProvider(), metav1.ObjectMeta()):
        with pytest.raises(UsageError, match=r"^ForProvider\.vpcIdRef: must be a VpcIdRef"):
            module.ForProvider(vpcIdRef=wrong)
    with pytest.raises(UsageError, match=r"^ForProvider\.engine: must be an Engine"):
        module.ForProvider(engine=commonv1.Reference(name="a"))


def test_managed_resources_have_a_base(tmp_path: Path) -> None:
    """Kinds of managed resources are instances of ManagedResource, and no other kinds are."""
    made = package(tmp_path, output(managed({"region": {"type": "string"}}), crd(obj(spec=obj(a="s")), kind="Other")))
    thing = made.module(THING).Thing(spec={"forProvider": {"region": "a"}})
    assert isinstance(thing, ManagedResource)
    assert ManagedResource[Any] is ManagedResource
    thing.spec.forProvider.region = "b"
    thing.spec.managementPolicies = ["Observe"]
    thing.external_name = "name"
    assert to_dict(from_dict(type(thing), to_dict(thing))) == to_dict(thing)
    assert not issubclass(made.module("org/example/other/v1").Other, ManagedResource)


def test_names_of_shipped_classes_are_unique() -> None:
    """A shared class is found by its name alone."""
    assert len({ref.name for ref in shipped()}) == len(shipped())
