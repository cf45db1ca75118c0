# pyright: strict, reportUnknownMemberType=false
"""Shared types in the places of kinds, under their old names too, and functions for all managed resources."""

from __future__ import annotations

from models.org.example.shared.queue.v1 import ForProvider, KeyIdRef, MatchExpressionsItem, Queue, QueueSpec
from typing_extensions import reveal_type

from crossplane_lite.model import ManagedResource
from crossplane_lite.models.io.crossplane.common.v1 import Reference, SecretReference
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import LabelSelector, LabelSelectorRequirement


def shared() -> None:
    selector = LabelSelector(matchLabels={"a": "b"}, matchExpressions=[MatchExpressionsItem(key="k", operator="In")])
    provider = ForProvider(keyIdRef=Reference(name="a"), selector=selector)
    provider.keyIdRef = KeyIdRef(name="a")
    provider.selector.matchExpressions.append(LabelSelectorRequirement(key="k", operator="Exists"))
    reveal_type(provider.keyIdRef)  # reveal: Reference
    ForProvider(keyIdRef=SecretReference(name="a"))  # error: arg-type reportArgumentType
    provider.keyIdRef.policy.resolve = "Never"  # error: assignment reportAttributeAccessIssue


def tag(resource: ManagedResource, team: str) -> None:
    resource.spec.forProvider.tags["team"] = team
    resource.spec.managementPolicies = ["Observe"]
    resource.spec.providerConfigRef.name = "default"
    resource.external_name = "a"
    reveal_type(resource.condition("Ready").status)  # reveal: str | Observable[str]
    resource.spec.providerConfigReff = None  # error: attr-defined reportAttributeAccessIssue
    resource.spek = None  # error: attr-defined reportAttributeAccessIssue


def managed(queue: Queue) -> None:
    tag(queue, "a")
    tag(Queue(spec=QueueSpec(forProvider=ForProvider())), "b")
    reveal_type(queue.spec.forProvider)  # reveal: ForProvider
    reveal_type(queue.observed.status.conditions[0].status)  # reveal: str | Observable[str]
    Queue(spec=ForProvider())  # error: arg-type reportArgumentType
    queue.spec.managementPolicies = ["Observ"]  # error: list-item reportAttributeAccessIssue
    tag(queue.spec, "a")  # error: arg-type reportArgumentType
