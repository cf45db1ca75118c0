"""The cases that both engines are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from tests.real.comparing import Case, Script
from tests.render.scripted import desire

__all__ = ["CASES", "GROUPS", "XR", "XRDS", "thing"]

XR: Final[dict[str, Any]] = {
    "apiVersion": "example.org/v1",
    "kind": "XBucket",
    "metadata": {"name": "photos", "uid": "an-uid"},
    "spec": {"size": 3},
}
IN_NAMESPACE: Final[dict[str, Any]] = {**XR, "metadata": {"name": "photos", "namespace": "shop", "uid": "an-uid"}}
NAME: Final = "crossplane.io/composition-resource-name"


def _xrd(version: str, scope: str | None, **spec: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "status": {"type": "object", "properties": {"a": {"type": "integer"}}},
        },
    }
    return {
        "apiVersion": f"apiextensions.crossplane.io/{version}",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xbuckets.example.org"},
        "spec": {
            **({"scope": scope} if scope else {}),
            "group": "example.org",
            "names": {"kind": "XBucket", "plural": "xbuckets"},
            "versions": [{"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}],
            **spec,
        },
    }


CLAIMED: Final = _xrd("v1", None, claimNames={"kind": "Bucket", "plural": "buckets"})
XRDS: Final = {
    "v1": _xrd("v1", None),
    "v1 LegacyCluster": _xrd("v1", "LegacyCluster"),
    "v1 Cluster": _xrd("v1", "Cluster"),
    "v1 Namespaced": _xrd("v1", "Namespaced"),
    "v2 Cluster": _xrd("v2", "Cluster"),
    "v2 Namespaced": _xrd("v2", "Namespaced"),
    "v2 LegacyCluster": _xrd("v2", "LegacyCluster"),
}


def thing(name: str | None = None, /, uid: str | None = "an-uid", kind: str = "Thing", **more: Any) -> dict[str, Any]:
    """Return a resource; with a composition resource name it exists, and the composite of this uid controls it."""
    metadata: dict[str, Any] = dict(more.pop("metadata", {}))
    found: dict[str, Any] = {"apiVersion": "example.org/v1", "kind": kind, "metadata": metadata, **more}
    if name is not None:
        owner = {"apiVersion": "example.org/v1", "kind": "XBucket", "name": "photos", "uid": uid, "controller": True}
        found["metadata"] = {
            "name": f"photos-{name}",
            "annotations": {NAME: name},
            **({"ownerReferences": [owner]} if uid is not None else {}),
            **metadata,
        }
    return found


def config(name: str, namespace: str | None = None, labels: Mapping[str, str] | None = None, **data: str) -> Any:
    """Return a ConfigMap."""
    metadata: dict[str, Any] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    if labels is not None:
        metadata["labels"] = dict(labels)
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data or {"a": "b"}}


def secret(namespace: str, name: str, **data: str) -> dict[str, Any]:
    """Return a Secret; the data are in base64 already."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}, "data": data}


def nothing(_req: Any, _rsp: Any) -> None:
    """Adds nothing."""


def desires(resources: Mapping[str, Mapping[str, Any]], ready: Mapping[str, bool] | None = None) -> Script:
    """Desire these resources."""

    def script(_req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
        for name, resource in resources.items():
            desire(rsp, name, resource, (ready or {}).get(name))

    return script


def answers(fill: Callable[[fnv1.RunFunctionResponse], object]) -> Script:
    """Fill in an answer, whatever was asked."""
    return lambda _req, rsp: fill(rsp)


def both(*scripts: Script) -> Script:
    """Run scripts one after the other."""

    def script(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
        for one in scripts:
            one(req, rsp)

    return script


def status(**fields: Any) -> Script:
    """Desire a status of the composite."""
    return answers(lambda rsp: rsp.desired.composite.resource.update({"status": fields}))


def result(severity: int, message: str = "said", **more: Any) -> Script:
    """Return a result."""
    return answers(lambda rsp: rsp.results.add(severity=severity, message=message, **more))


def condition(type_: str, status: int = fnv1.STATUS_CONDITION_TRUE, **more: Any) -> Script:
    """Return a condition."""
    return answers(lambda rsp: rsp.conditions.add(type=type_, status=status, **{"reason": "Because", **more}))


def wants(field: str = "resources", /, key: str = "key", **selector: Any) -> Script:
    """Require something."""

    def script(_req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
        labels = selector.get("match_labels")
        plain = {name: value for name, value in selector.items() if name != "match_labels"}
        made = getattr(rsp.requirements, field)[key]
        for name, value in plain.items():
            setattr(made, name, value)
        if labels is not None:
            made.match_labels.SetInParent()
            made.match_labels.labels.update(labels)

    return script


def asks(kind: str, name: str | None = None, namespace: str | None = None, **more: Any) -> Script:
    """Require an object of example.org/v1 or, with `core`, of v1."""
    given = {"api_version": "v1" if kind in ("ConfigMap", "Secret") else "example.org/v1", "kind": kind, **more}
    if name is not None:
        given["match_name"] = name
    if namespace is not None:
        given["namespace"] = namespace
    return wants(**given)


def _names() -> Iterator[Case]:
    for prefix in ("bucket", "bucket-", "b", "a" * 50, "a" * 50 + "-", "a" * 51, "a" * 49 + "--", "a" * 52, "c" * 200):
        made = thing(metadata={"generateName": prefix})
        yield Case(f"generateName of {len(prefix)} {prefix[:3]}...{prefix[-2:]}", [desires({"one": made})], XR)
    for length in (40, 50, 51, 52, 62, 63):
        xr = {**XR, "metadata": {"name": "x" * length, "uid": "an-uid"}}
        yield Case(f"a composite with a name of {length}", [desires({"one": thing()})], xr)
    yield Case("a composite without a uid", [desires({"one": thing()})], {**XR, "metadata": {"name": "photos"}})
    no_uid = {**IN_NAMESPACE, "metadata": {"name": "photos", "namespace": "shop"}}
    yield Case("a namespaced composite without a uid", [desires({"one": thing()})], no_uid)
    yield Case("a name of its own", [desires({"one": thing(metadata={"name": "mine"})})], XR)
    both_names = thing(metadata={"name": "mine", "generateName": "other-"})
    yield Case("a name and generateName", [desires({"one": both_names})], XR)
    yield Case("a name with dots", [desires({"one": thing(metadata={"name": "a.b-c.d"})})], XR)
    for wrong in ("Mine", "a_b", "-a", "a" * 254):
        made = thing(metadata={"name": wrong})
        yield Case(f"the name {wrong[:8]}", [desires({"one": made})], XR, fails="name")
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "system:a:b"}}
    yield Case("a role's name", [desires({"one": role})], XR)
    labelled = {**XR, "metadata": {**XR["metadata"], "labels": {"crossplane.io/composite": "above"}}}
    yield Case(
        "a composite of a composite",
        [desires({"one": thing(), "two": thing(metadata={"generateName": "x"})})],
        labelled,
    )


def _metadata() -> Iterator[Case]:
    good = {"labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["x/y"], "namespace": "ns"}
    yield Case("labels, annotations, finalizers", [desires({"one": thing(metadata=good)})], XR)
    for field in ("labels", "annotations"):
        for shown, wrong in (("number", 1), ("null", None), ("bool", True), ("list", ["x"])):
            made = thing(metadata={field: {"good": "x", "wrong": wrong}})
            yield Case(f"{field} with a {shown}", [desires({"one": made})], XR)
    external = thing(metadata={"annotations": {"crossplane.io/external-name": "mine", "n": 1}})
    yield Case("an external name beside a number", [desires({"one": external})], XR)
    yield Case("labels that are null", [desires({"one": thing(metadata={"labels": None})})], XR)
    yield Case(
        "Crossplane's own labels",
        [desires({"one": thing(metadata={"labels": {"crossplane.io/composite": "other"}})})],
        XR,
    )
    mine = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "other-uid"}
    yield Case("another owner", [desires({"one": thing(metadata={"ownerReferences": [mine]})})], XR)
    other = {**mine, "controller": True}
    yield Case(
        "another controller",
        [desires({"one": thing(metadata={"ownerReferences": [other]})})],
        XR,
        fails="controlled by",
    )
    yield Case(
        "a status of a composed resource",
        [desires({"one": thing(status={"a": 1})})],
        XR,
        meant=["desired status of a composed resource"],
    )
    claimed = {"crossplane.io/claim-name": "c", "crossplane.io/claim-namespace": "n"}
    with_claim = {**XR, "metadata": {**XR["metadata"], "labels": claimed}}
    yield Case("claim labels", [desires({"one": thing()})], with_claim)
    half = {**XR, "metadata": {**XR["metadata"], "labels": {"crossplane.io/claim-name": "c"}}}
    yield Case("one claim label of two", [desires({"one": thing()})], half)
    yield Case("no metadata", [desires({"one": {"apiVersion": "v1", "kind": "ConfigMap"}})], XR)
    yield Case("no kind", [desires({"one": {"apiVersion": "v1"}})], XR, fails="", meant=["what an API server refuses"])


def _scopes() -> Iterator[Case]:
    steers: dict[str, Any] = {
        "writeConnectionSecretToRef": {"name": "s", "namespace": "shop"},
        "compositionRef": {"name": "a-composition"},
        "resourceRefs": [{"apiVersion": "v1", "kind": "A", "name": "b"}],
        "compositionUpdatePolicy": "Automatic",
        "claimRef": {"apiVersion": "example.org/v1", "kind": "Bucket", "name": "n", "namespace": "m"},
    }
    details = [secret("shop", "s", a="YQ==")]
    for name, xrd in {"no XRD": None, **XRDS}.items():
        xr = IN_NAMESPACE if name.endswith("Namespaced") else XR
        observed = [thing("one", metadata={"namespace": "shop"} if xr is IN_NAMESPACE else {})]
        yield Case(f"references with {name}", [desires({"one": thing()})], xr, observed=observed, xrd=xrd)
        yield Case(
            f"fields of Crossplane 1 with {name}",
            [desires({"one": thing()})],
            {**xr, "spec": steers},
            xrd=xrd,
            secrets=details,
        )
    for field, value in steers.items():
        yield Case(
            f"only {field}, no XRD", [desires({"one": thing()})], {**XR, "spec": {field: value}}, secrets=details
        )
    new = {"crossplane": {"compositionRef": {"name": "a-composition"}, "resourceRefs": []}}
    for name in ("v1", "v2 Cluster"):
        yield Case(
            f"fields of Crossplane 2 with {name}", [desires({"one": thing()})], {**XR, "spec": new}, xrd=XRDS[name]
        )
    claim = {**XR, "kind": "Bucket", "metadata": {"name": "photos", "namespace": "shop"}}
    yield Case("a claim", [nothing], claim, xrd=CLAIMED, fails="")
    yield Case("the XRD of another kind", [nothing], {**XR, "kind": "XOther"}, xrd=XRDS["v1"], fails="XOther")


def _observed() -> Iterator[Case]:
    yield Case(
        "kept, new and deleted",
        [desires({"kept": thing(), "new": thing()})],
        XR,
        observed=[thing("kept"), thing("old")],
    )
    yield Case(
        "all deleted",
        [nothing],
        XR,
        observed=[thing("a"), thing("b", kind="Other")],
        meant=["order of references in a request"],
    )
    labelled = {"labels": {"crossplane.io/composite": "photos", "mine": "x"}}
    yield Case(
        "a deleted one with labels",
        [nothing],
        XR,
        observed=[thing("a", metadata=labelled)],
        meant=["labels of what is deleted"],
    )
    yield Case("not controlled, not desired", [nothing], XR, observed=[thing("a", uid=None)])
    yield Case("not controlled, desired", [desires({"a": thing()})], XR, observed=[thing("a", uid=None)])
    yield Case("another's", [desires({"a": thing()})], XR, observed=[thing("a", uid="other")], fails="controll")
    owner = {"apiVersion": "example.org/v1", "kind": "XBucket", "name": "photos", "controller": True}
    yield Case(
        "a controller without a uid",
        [desires({"a": thing()})],
        XR,
        observed=[thing("a", metadata={"ownerReferences": [owner]})],
        fails="controll",
    )
    yield Case(
        "a composite without a uid, and resources with one",
        [desires({"a": thing()})],
        {**XR, "metadata": {"name": "photos"}},
        observed=[thing("a")],
        fails="controll",
    )
    for namespace in ("other", None):
        metadata = {"namespace": namespace} if namespace else {}
        yield Case(
            f"in namespace {namespace}, the composite in shop",
            [desires({"a": thing()})],
            IN_NAMESPACE,
            observed=[thing("a", metadata=metadata)],
            fails="namespace",
        )
    yield Case(
        "in the composite's namespace",
        [desires({"a": thing()})],
        IN_NAMESPACE,
        observed=[thing("a", metadata={"namespace": "shop"})],
    )
    yield Case(
        "in namespaces of a cluster-scoped composite",
        [desires({"a": thing(metadata={"namespace": "x"}), "b": thing()})],
        XR,
        observed=[thing("a", metadata={"namespace": "x"}), thing("b", metadata={"namespace": "y"})],
    )
    yield Case(
        "another namespace is desired",
        [desires({"a": thing(metadata={"namespace": "new"})})],
        XR,
        observed=[thing("a", metadata={"namespace": "old"})],
    )
    yield Case("another name is desired", [desires({"a": thing(metadata={"name": "new"})})], XR, observed=[thing("a")])
    generated = thing("a", metadata={"name": "x-123", "generateName": "x-"})
    yield Case("a generated name", [desires({"a": thing()})], XR, observed=[generated])
    yield Case(
        "another generateName is desired",
        [desires({"a": thing(metadata={"generateName": "y-"})})],
        XR,
        observed=[generated],
    )
    yield Case(
        "a generateName is desired of what has none",
        [desires({"a": thing(metadata={"generateName": "y-"})})],
        XR,
        observed=[thing("a")],
    )
    yield Case("another kind is desired", [desires({"a": thing(kind="Other")})], XR, observed=[thing("a")])
    large = thing("a", status={"n": 2**53 + 1, "m": -(2**60), "list": [2**62]})
    yield Case("integers beyond 2^53", [desires({"a": thing()})], XR, observed=[large])
    yield Case(
        "no composition resource name",
        [nothing],
        XR,
        observed=[thing("a", metadata={"annotations": {}})],
        fails="composition-resource-name",
    )
    yield Case(
        "two of one name",
        [nothing],
        XR,
        observed=[thing("a"), thing("a", metadata={"name": "z"})],
        fails="",
        meant=["two observed resources of one name"],
    )
    shown = thing("a", spec={"deep": [{"a": [{"b": None}]}]}, status={"empty": {}, "none": None, "text": "ü"})
    yield Case("what functions are shown", [desires({"a": thing()})], XR, observed=[shown])
    gone = thing("a", metadata={"deletionTimestamp": "2024-01-01T00:00:00Z", "finalizers": ["x/y"]})
    yield Case("one that is being deleted", [desires({"a": thing()})], XR, observed=[gone])


def _requirements() -> Iterator[Case]:
    configs = [
        config("a", "x", {"l": "1"}),
        config("b", "x", {"l": "1"}),
        config("a", "y", {"l": "1", "m": "2"}),
        config("c", None, {"m": "2"}),
    ]
    for name, script in {
        "by name": asks("ConfigMap", "a", "x"),
        "by name, of no namespace": asks("ConfigMap", "c"),
        "by name, in the wrong namespace": asks("ConfigMap", "a", "z"),
        "by name, without its namespace": asks("ConfigMap", "a"),
        "by labels": asks("ConfigMap", match_labels={"l": "1"}),
        "by labels in a namespace": asks("ConfigMap", namespace="x", match_labels={"l": "1"}),
        "by two labels": asks("ConfigMap", match_labels={"l": "1", "m": "2"}),
        "by no labels": asks("ConfigMap", match_labels={}),
        "without a match": asks("ConfigMap"),
        "without a match in a namespace": asks("ConfigMap", namespace="x"),
        "what isn't there": asks("Nothing", "a"),
        "deprecated": wants("extra_resources", api_version="v1", kind="ConfigMap", match_labels={"l": "1"}),
    }.items():
        yield Case(f"required {name}", [script], XR, required=configs)
    yield Case("the composite is required by name", [asks("XBucket", "photos")], XR)
    yield Case(
        "the composite is required by labels", [asks("XBucket", match_labels={"crossplane.io/composite": "photos"})], XR
    )
    yield Case("the namespaced composite is required", [asks("XBucket", "photos", "shop")], IN_NAMESPACE)
    yield Case("an observed resource is required", [asks("Thing", "photos-a")], XR, observed=[thing("a")])
    several = [thing("b", metadata={"labels": {"l": "1"}}), thing("a", metadata={"labels": {"l": "1"}})]
    yield Case(
        "observed resources are required by labels",
        [asks("Thing", match_labels={"l": "1"})],
        XR,
        observed=several,
        required=[thing(metadata={"name": "m", "labels": {"l": "1"}})],
        meant=["order of references in a request"],
    )
    yield Case("a Secret of credentials is required", [asks("Secret", "s", "n")], XR, secrets=[secret("n", "s")])

    def in_turn(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
        asks("ConfigMap", "a", "x")(req, rsp)
        if req.required_resources["key"].items:
            wants(key="second", api_version="v1", kind="ConfigMap", match_name="b", namespace="x")(req, rsp)
        rsp.context.update({"calls": req.context.fields["calls"].number_value + 1 if "calls" in req.context else 1})

    yield Case("what follows from an answer", [in_turn, nothing], XR, required=configs)

    def never(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
        number = len(req.required_resources)
        for at in range(number + 1):
            wants(key=f"k{at}", api_version="v1", kind="ConfigMap", match_name=f"n{at}")(req, rsp)

    yield Case("requirements that never settle", [never], XR, fails="didn't stabilize")
    fatal = both(asks("ConfigMap", "a", "x"), result(fnv1.SEVERITY_FATAL, "no"))
    yield Case("a fatal result beside requirements", [fatal], XR, required=configs, fails="no")
    bootstrap = {"requirementName": "key", "apiVersion": "v1", "kind": "ConfigMap", "name": "a", "namespace": "x"}
    given: dict[str, Any] = {"one": {"requirements": {"requiredResources": [bootstrap]}}}
    yield Case("bootstrap requirements", [nothing], XR, required=configs, pipeline=given)
    yield Case(
        "bootstrap requirements that are asked for again",
        [asks("ConfigMap", "a", "x")],
        XR,
        required=configs,
        pipeline=given,
    )
    yield Case(
        "bootstrap requirements, and another one",
        [wants(key="b", api_version="v1", kind="ConfigMap", match_name="b", namespace="x")],
        XR,
        required=configs,
        pipeline=given,
    )
    yield Case(
        "a bootstrap requirement of what isn't there",
        [asks("ConfigMap", "zz", "x")],
        XR,
        pipeline={"one": {"requirements": {"requiredResources": [{**bootstrap, "name": "zz"}]}}},
    )
    labels = {key: value for key, value in bootstrap.items() if key not in ("name", "namespace")}
    yield Case(
        "bootstrap requirements by labels",
        [nothing],
        XR,
        required=configs,
        pipeline={"one": {"requirements": {"requiredResources": [{**labels, "matchLabels": {"l": "1"}}]}}},
    )
    large = {**config("big", "x"), "number": 2**60 + 1}
    yield Case("a required resource with an integer beyond 2^53", [asks("ConfigMap", "big", "x")], XR, required=[large])
    yield Case("empty requirements", [answers(lambda rsp: rsp.requirements.SetInParent())], XR)


def _schemas() -> Iterator[Case]:
    mark = [{"group": "example.org", "kind": "Thing", "version": "v1"}]
    parts = {
        "org.example.v1.Part": {"type": "object", "properties": {"a": {"type": "string"}}},
        "org.example.v1.Thing": {
            "type": "object",
            "properties": {"spec": {"$ref": "#/components/schemas/org.example.v1.Part"}},
            "x-kubernetes-group-version-kind": mark,
        },
    }
    document = {
        "openapi": "3.0.0",
        "info": {"title": "t", "version": "1"},
        "paths": {},
        "components": {"schemas": parts},
    }
    for name, kind in (("known", "Thing"), ("unknown", "Other")):
        asking = wants("schemas", api_version="example.org/v1", kind=kind)
        yield Case(f"the schema of an {name} kind", [asking], XR, schemas=[document])
    bootstrap = {"requirementName": "key", "apiVersion": "example.org/v1", "kind": "Thing"}
    given: dict[str, Any] = {"one": {"requirements": {"requiredSchemas": [bootstrap]}}}
    yield Case("a bootstrap schema", [nothing], XR, schemas=[document], pipeline=given)
    yield Case(
        "a bootstrap schema that is asked for again",
        [wants("schemas", api_version="example.org/v1", kind="Thing")],
        XR,
        schemas=[document],
        pipeline=given,
    )


def _details() -> Iterator[Case]:
    here, there = secret("shop", "s", a="aGVyZQ=="), secret("other", "s", a="dGhlcmU=")
    refs: Sequence[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = (
        ("in its namespace", IN_NAMESPACE, {"namespace": "shop"}, {"name": "s"}),
        (
            "in its namespace, with another in the reference",
            IN_NAMESPACE,
            {"namespace": "shop"},
            {"name": "s", "namespace": "other"},
        ),
        ("in the reference's namespace", XR, {}, {"name": "s", "namespace": "other"}),
        ("in no namespace", XR, {}, {"name": "s"}),
        (
            "of a namespaced resource of a cluster-scoped composite",
            XR,
            {"namespace": "shop"},
            {"name": "s", "namespace": "other"},
        ),
        ("that isn't there", XR, {}, {"name": "gone", "namespace": "other"}),
    )
    for name, xr, metadata, ref in refs:
        observed = thing("a", metadata=metadata, spec={"writeConnectionSecretToRef": ref})
        yield Case(
            f"a connection Secret {name}", [desires({"a": thing()})], xr, observed=[observed], secrets=[here, there]
        )
    publishes = answers(lambda rsp: rsp.desired.composite.connection_details.update({"k": b"v"}))
    for name in ("v1", "v2 Cluster"):
        yield Case(
            f"the composite's connection details with {name}",
            [publishes],
            {**XR, "spec": {"writeConnectionSecretToRef": {"name": "s", "namespace": "shop"}}},
            xrd=XRDS[name],
            secrets=[here],
        )


def _reports() -> Iterator[Case]:
    for name, severity in (
        ("normal", fnv1.SEVERITY_NORMAL),
        ("warning", fnv1.SEVERITY_WARNING),
        ("unspecified", fnv1.SEVERITY_UNSPECIFIED),
    ):
        yield Case(f"a {name} result", [result(severity)], XR)
        yield Case(f"a {name} result with a reason", [result(severity, reason="Why")], XR)
    yield Case("a result for the claim too", [result(fnv1.SEVERITY_NORMAL, target=fnv1.TARGET_COMPOSITE_AND_CLAIM)], XR)
    yield Case("a fatal result", [result(fnv1.SEVERITY_FATAL, "no")], XR, fails="no")
    yield Case(
        "a fatal result after others",
        [
            both(
                result(fnv1.SEVERITY_NORMAL, "first"),
                result(fnv1.SEVERITY_FATAL, "no"),
                result(fnv1.SEVERITY_NORMAL, "never"),
            )
        ],
        XR,
        fails="no",
    )
    yield Case(
        "a fatal result in the second step",
        [
            both(desires({"a": thing()}), condition("Custom"), result(fnv1.SEVERITY_WARNING)),
            result(fnv1.SEVERITY_FATAL, "no"),
            result(fnv1.SEVERITY_NORMAL),
        ],
        XR,
        fails="no",
    )
    for name, status_ in (
        ("true", fnv1.STATUS_CONDITION_TRUE),
        ("false", fnv1.STATUS_CONDITION_FALSE),
        ("unknown", fnv1.STATUS_CONDITION_UNKNOWN),
        ("unspecified", 0),
    ):
        yield Case(f"a condition that is {name}", [condition("Custom", status_, message="m")], XR)
    for name in ("Ready", "Synced", "Healthy", "Responsive", "UpToDate"):
        yield Case(f"the condition {name} of a function", [condition(name, fnv1.STATUS_CONDITION_FALSE)], XR)
    twice = both(condition("Custom"), condition("Custom", fnv1.STATUS_CONDITION_FALSE))
    yield Case("a condition twice", [twice], XR)
    before = {
        "conditions": [
            {"type": "Custom", "status": "True", "reason": "Old", "lastTransitionTime": "2020-01-01T00:00:00Z"}
        ]
    }
    xr = {**XR, "status": before}
    yield Case("a condition from before that isn't returned", [nothing], xr)
    yield Case("a condition from before after a fatal result", [result(fnv1.SEVERITY_FATAL, "no")], xr, fails="no")
    yield Case(
        "a condition from before that is returned with a fatal result",
        [both(condition("Custom"), result(fnv1.SEVERITY_FATAL, "no"))],
        xr,
        fails="no",
    )
    for_claim = condition("Custom", target=fnv1.TARGET_COMPOSITE_AND_CLAIM)
    for name in ("v1", "v2 Cluster"):
        yield Case(f"a condition for the claim with {name}", [for_claim], XR, xrd=XRDS[name])
        yield Case(
            f"a condition for the claim and a fatal result with {name}",
            [both(for_claim, result(fnv1.SEVERITY_FATAL, "no"))],
            XR,
            xrd=XRDS[name],
            fails="no",
        )
    yield Case(
        "a system condition for the claim",
        [condition("Ready", target=fnv1.TARGET_COMPOSITE_AND_CLAIM)],
        XR,
        xrd=XRDS["v1"],
    )
    yield Case(
        "conditions with a generation",
        [condition("Custom")],
        {**XR, "metadata": {**XR["metadata"], "generation": 4}},
        meant=["observedGeneration after the pipeline"],
    )


def _readiness() -> Iterator[Case]:
    several = {name: thing() for name in ("a", "b", "c", "d", "e")}
    for count in range(0, 6):
        names = sorted(several)[:count]
        yield Case(f"{count} resources that aren't ready", [desires({name: thing() for name in names})], XR)
    yield Case("all ready", [desires(several, dict.fromkeys(several, True))], XR)
    yield Case("one isn't ready", [desires(several, {**dict.fromkeys(several, True), "c": False})], XR)
    for name, ready in (("true", fnv1.READY_TRUE), ("false", fnv1.READY_FALSE)):
        says = answers(lambda rsp, ready=ready: setattr(rsp.desired.composite, "ready", ready))
        yield Case(f"the composite's ready is {name}", [both(desires({"a": thing()}), says)], XR)
        yield Case(
            f"the composite's ready is {name}, with ready resources",
            [both(desires({"a": thing()}, {"a": True}), says)],
            XR,
        )


def _states() -> Iterator[Case]:
    def annotated(**metadata: Any) -> dict[str, Any]:
        return {**XR, "metadata": {**XR["metadata"], **metadata}}

    paused = {"crossplane.io/paused": "true"}
    requested = {"crossplane.io/reconcile-requested-at": "now"}
    yield Case("paused", [desires({"a": thing()})], annotated(annotations=paused))
    yield Case("paused and deleted", [nothing], annotated(annotations=paused, deletionTimestamp="2024-01-01T00:00:00Z"))
    yield Case("not paused", [nothing], annotated(annotations={"crossplane.io/paused": "false"}))
    yield Case("being deleted", [desires({"a": thing()})], annotated(deletionTimestamp="2024-01-01T00:00:00Z"))
    yield Case("requested", [nothing], annotated(annotations=requested))
    yield Case(
        "requested before",
        [nothing],
        {**annotated(annotations=requested), "status": {"lastHandledReconcileAt": "now"}},
        meant=["status that Crossplane wrote"],
    )
    yield Case("requested and paused", [nothing], annotated(annotations={**requested, **paused}))
    yield Case(
        "requested and failed", [result(fnv1.SEVERITY_FATAL, "no")], annotated(annotations=requested), fails="no"
    )
    yield Case(
        "requested and being deleted",
        [nothing],
        annotated(annotations=requested, deletionTimestamp="2024-01-01T00:00:00Z"),
    )


def _statuses() -> Iterator[Case]:
    yield Case("a status", [status(a=1, b={"c": [1, 2.5, "x", True, None]}, d={}, e=[])], XR)
    yield Case("a status over another", [status(a=1)], {**XR, "status": {"b": 2}})
    yield Case("no status over another", [nothing], {**XR, "status": {"b": 2}})
    own = {
        "conditions": [
            {"type": "Custom", "status": "True", "reason": "R", "lastTransitionTime": "2020-01-01T00:00:00Z"}
        ],
        "a": 1,
    }
    yield Case("conditions in a desired status", [status(**own)], XR)
    yield Case(
        "conditions of before in a desired status",
        [status(**own)],
        {**XR, "status": {"conditions": [{**own["conditions"][0], "reason": "Before"}]}},
    )
    desired = {"spec": {"gone": 1}, "metadata": {"name": "other", "labels": {"a": "b"}}, "status": {"a": 1}}
    yield Case(
        "a desired spec and metadata of the composite",
        [answers(lambda rsp: rsp.desired.composite.resource.update(desired))],
        XR,
    )
    kept = {"connectionDetails": {"lastPublishedTime": "2020-01-01T00:00:00Z"}, "claimConditionTypes": ["Custom"]}
    yield Case(
        "what Crossplane wrote into the status",
        [status(a=1)],
        {**XR, "status": kept},
        xrd=XRDS["v1"],
        meant=["status that Crossplane wrote"],
    )
    yield Case(
        "large and odd values",
        [
            desires(
                {
                    "a": thing(
                        spec={
                            "large": 2**53,
                            "small": -(2**53),
                            "float": 0.1,
                            "exp": 1e300,
                            "text": "a\nb\u00e9\U0001f600",
                            "empty": "",
                            "list": [[], {}, None],
                            "null": None,
                        }
                    )
                }
            )
        ],
        XR,
    )
    deep: Any = "x"
    for _ in range(8):
        deep = {"d": [deep]}
    yield Case("deep values", [desires({"a": thing(spec=deep)})], XR)
    yield Case("many resources", [desires({f"r{at}": thing() for at in range(60)})], XR)


def _pipelines() -> Iterator[Case]:
    source = {"source": "Secret", "secretRef": {"namespace": "n", "name": "s"}, "name": "creds"}
    with_secret: dict[str, Any] = {"one": {"credentials": [source]}}
    yield Case("credentials", [nothing], XR, secrets=[secret("n", "s", a="YQ==")], pipeline=with_secret)
    yield Case("credentials that aren't there", [nothing], XR, pipeline=with_secret, fails="credential")
    given = {"input": {"apiVersion": "x/v1", "kind": "Input", "a": [1, None, {"b": 0.5}]}}
    yield Case("an input", [nothing], XR, pipeline={"one": given})
    hands_on = answers(lambda rsp: rsp.context.update({"k": {"a": 1}}))
    drops = answers(lambda rsp: rsp.ClearField("context"))
    yield Case("a context from step to step", [hands_on, nothing, nothing], XR)
    yield Case("a context that is dropped", [hands_on, drops, nothing], XR)
    changes = desires({"a": thing(spec={"b": 2})})
    yield Case("desired state from step to step", [desires({"a": thing(spec={"a": 1})}), changes, nothing], XR)
    forgets = answers(lambda rsp: rsp.desired.resources.clear())
    yield Case("a step that forgets", [desires({"a": thing()}), forgets], XR, observed=[thing("a")])
    marks = answers(lambda rsp: setattr(rsp.desired.composite, "ready", fnv1.READY_FALSE))
    yield Case("the composite's readiness from step to step", [both(marks, status(a=1)), status(b=2)], XR)
    yield Case(
        "namespaced, and another namespace is desired",
        [desires({"a": thing(metadata={"namespace": "x"})})],
        IN_NAMESPACE,
    )
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}}
    yield Case(
        "namespaced, and a cluster-scoped resource",
        [desires({"a": role})],
        IN_NAMESPACE,
        fails="",
        meant=["a cluster-scoped resource of a namespaced composite"],
    )
    yield Case(
        "cluster-scoped, and a namespaced resource without a namespace",
        [desires({"a": {"apiVersion": "v1", "kind": "ConfigMap"}})],
        XR,
        xrd=XRDS["v2 Cluster"],
        fails="",
        meant=["a namespaced resource without a namespace"],
    )


OPERATION: Final[dict[str, Any]] = {
    "apiVersion": "ops.crossplane.io/v1alpha1",
    "kind": "Operation",
    "metadata": {"name": "upgrade", "uid": "an-uid"},
}


def _operations() -> Iterator[Case]:
    def operation(count: int = 1, steps: Mapping[str, Any] = {}, **more: Any) -> dict[str, Any]:
        names = ("one", "two")[:count]
        pipeline = [
            {"step": name, "functionRef": {"name": f"function-{name}"}, **steps.get(name, {})} for name in names
        ]
        return {**OPERATION, **more, "spec": {"mode": "Pipeline", "pipeline": pipeline, **more.get("spec", {})}}

    applied = {"a": config("a", "x"), "b": config("b", "x"), "c": thing(metadata={"name": "c"})}
    yield Case("an operation", [desires(applied)], operation())
    yield Case("an operation that applies nothing", [nothing], operation())
    yield Case(
        "an operation with output",
        [answers(lambda rsp: rsp.output.update({"n": 1, "t": "x"})), answers(lambda rsp: rsp.output.update({"m": 2}))],
        operation(2),
    )
    for name, severity in (("normal", fnv1.SEVERITY_NORMAL), ("warning", fnv1.SEVERITY_WARNING)):
        yield Case(f"an operation with a {name} result", [result(severity, reason="Why")], operation())
    yield Case("an operation with a fatal result", [result(fnv1.SEVERITY_FATAL, "no")], operation(), fails="no")
    yield Case(
        "an operation that failed before",
        [result(fnv1.SEVERITY_FATAL, "no")],
        operation(status={"failures": 2}),
        fails="no",
    )
    yield Case("an operation that failed too often", [nothing], operation(status={"failures": 5}))
    yield Case("an operation with a limit", [nothing], operation(spec={"retryLimit": 1}, status={"failures": 1}))
    yield Case(
        "an operation that requires something", [asks("ConfigMap", "a", "x")], operation(), required=[config("a", "x")]
    )
    bootstrap = {"requirementName": "key", "apiVersion": "v1", "kind": "ConfigMap", "name": "a", "namespace": "x"}
    steps: dict[str, Any] = {"one": {"requirements": {"requiredResources": [bootstrap]}}}
    yield Case(
        "an operation with bootstrap requirements", [nothing], operation(steps=steps), required=[config("a", "x")]
    )
    before = {
        "appliedResourceRefs": [{"apiVersion": "v1", "kind": "Z", "name": "z"}],
        "pipeline": [{"step": "one", "output": {"old": True}}],
    }
    yield Case(
        "an operation that ran before",
        [both(desires(applied), answers(lambda rsp: rsp.output.update({"n": 1})))],
        operation(status=before),
    )
    yield Case("an operation with conditions", [condition("Custom")], operation())
    template = {"metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}, "spec": operation()["spec"]}
    watch = {
        "apiVersion": "ops.crossplane.io/v1alpha1",
        "kind": "WatchOperation",
        "metadata": {"name": "watch"},
        "spec": {"watch": {"apiVersion": "v1", "kind": "ConfigMap"}, "operationTemplate": template},
    }
    yield Case(
        "a watch operation",
        [desires({"a": config("a", "x")})],
        watch,
        watched=config("w", "x"),
        meant=["what is made of a template"],
    )
    cron = {
        "apiVersion": "ops.crossplane.io/v1alpha1",
        "kind": "CronOperation",
        "metadata": {"name": "cron"},
        "spec": {"schedule": "* * * * *", "operationTemplate": template},
    }
    yield Case("a cron operation", [desires({"a": config("a", "x")})], cron, meant=["what is made of a template"])
    yield Case(
        "an operation that applies what has no name",
        [desires({"a": thing()})],
        operation(),
        fails="",
        meant=["what an API server refuses"],
    )


GROUPS: Final[Mapping[str, Sequence[Case]]] = {
    "names": [*_names()],
    "metadata": [*_metadata()],
    "scopes of XRDs": [*_scopes()],
    "observed resources": [*_observed()],
    "required resources": [*_requirements()],
    "required schemas": [*_schemas()],
    "connection details": [*_details()],
    "results and conditions": [*_reports()],
    "readiness": [*_readiness()],
    "paused, deleted, requested": [*_states()],
    "statuses and values": [*_statuses()],
    "pipelines": [*_pipelines()],
    "operations": [*_operations()],
}
"""The cases by what they are about."""

CASES: Final[Sequence[Case]] = [case for cases in GROUPS.values() for case in cases]
"""All of them."""
