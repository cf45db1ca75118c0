"""A cluster for the tests of Usages: what becomes of composed resources from reconcile to reconcile, and when they go.

It knows of Crossplane what the tests need: names, the readiness and values that resources get in time, that Usages may
only name what exists, that deletion is refused while a Usage is there, that the first refusal ends a reconcile, and
that functions don't see any more what Crossplane has begun to delete.
"""

from __future__ import annotations

__all__ = [
    "USAGE_BY",
    "USAGE_OF",
    "Cluster",
    "XStorageBucket",
    "edges",
    "existing",
    "function",
    "needing",
    "reconciled",
    "usages",
]

import copy
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from crossplane_lite import composition
from crossplane_lite.table import load
from tests.behaviour import samples
from tests.behaviour.models import Bucket
from tests.safety.ownership import as_fields, flat
from tests.support import DEFAULT_XR, READY, Response, run_steps

_models, _ = load(
    __name__,
    {
        # A composite whose status takes anything.
        "XStorageBucket": "@example.org/v1alpha1 metadata:meta.ObjectMeta status:XStatus",
        "XStatus": "values:{x texts:{s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
XStorageBucket: Any = _models("XStorageBucket")

USAGE_BY = "crossplane-lite/usage-by"
USAGE_OF = "crossplane-lite/usage-of"
PROTECTION = "protection.crossplane.io/v1beta1"

Edges = set[tuple[str, str]]


def usages(answer: Response) -> dict[str, dict[str, Any]]:
    """Return the Usages of an answer by their composition resource name."""
    return {name: value for name, value in answer.emitted.items() if value["apiVersion"] == PROTECTION}


def edges(answer: Response) -> Edges:
    """Return (dependent, dependency) of every Usage of an answer, by the names that the Usages refer to."""
    found = []
    for usage in usages(answer).values():
        ends = [usage["spec"][end]["resourceRef"]["name"].removeprefix("my-xr-") for end in ("by", "of")]
        found.append((ends[0], ends[1]))
    assert len(found) == len(set(found)), "two Usages for one edge"
    return set(found)


def _values(name: str) -> dict[str, Any]:
    """Return the status of a resource that has everything."""
    provider = {
        "id": f"id-of-{name}",
        "vpcId": f"id-of-{name}",
        "url": f"https://{name}",
        "selfLink": f"/{name}",
        "tags": {"team": f"team-of-{name}"},
        "endpoints": [{"url": f"https://{name}", "port": 1}],
        "owner": {"name": f"owner-of-{name}", "id": "o"},
    }
    return {"atProvider": provider, "conditions": [READY]}


class Cluster:
    """One composite and what is composed for it.

    A resource is created in the reconcile that desires it first, and has a status, an external name and connection
    details from the next one on. Its name is `my-xr-` and its composition resource name.

    Attributes:
        xr: The composite.
        observed: What exists, by composition resource name.
        forgotten: What of it functions don't see any more.
        rounds: The answers of the last step in each reconcile.
        refused: What Crossplane tried to delete while a Usage protected it, as often as it tried.
        inputs: The steps' inputs; empty if they have none.
    """

    def __init__(self, *steps: Any, namespace: str | None = None) -> None:
        self.steps: Sequence[Any] = steps
        self.xr: dict[str, Any] = copy.deepcopy(DEFAULT_XR)
        self.namespace = namespace
        if namespace is not None:
            self.xr["metadata"]["namespace"] = namespace
        self.observed: dict[str, dict[str, Any]] = {}
        self.rounds: list[Response] = []
        self.refused: list[str] = []
        self.forgotten: set[str] = set()
        self.inputs: Sequence[Mapping[str, Any]] = ()

    @property
    def request(self) -> dict[str, Any]:
        """The arguments of a request about what there is now."""
        seen = {name: value for name, value in self.observed.items() if name not in self.forgotten}
        settled = {
            name: {"password": f"secret-of-{name}".encode()}
            for name in self.names & seen.keys()
            if "status" in seen[name]
        }
        return {"xr": self.xr, "observed": seen, "connection": settled}

    @property
    def names(self) -> set[str]:
        """The names of what exists, Usages apart."""
        return {name for name, value in self.observed.items() if value["apiVersion"] != PROTECTION}

    def reconcile(self, **kwargs: Any) -> Response:
        """Run the steps once and do what they desire; return the last answer."""
        for name in self.names:  # time has passed since the last reconcile
            self.settle(name)
        answers = run_steps(self.steps, self.inputs, **{**self.request, **kwargs})
        asked = {key: one for answer in answers for key, one in answer.requirements.resources.items()}
        if asked:
            required = {key: self._selected(one) for key, one in asked.items()}
            answers = run_steps(self.steps, self.inputs, **{"required": required, **self.request, **kwargs})
        answer = answers[-1]
        assert not any(one.fatal for one in answers), [one.fatal for one in answers]
        self.rounds.append(answer)
        protected = self._protected()
        undesired = sorted(self.observed.keys() - self.forgotten - answer.emitted.keys())
        for name in undesired:
            if name not in protected:
                self.observed[name]["metadata"]["deletionTimestamp"] = "2024-01-01T00:00:00Z"
        if not protected.isdisjoint(undesired):
            self.refused += [name for name in undesired if name in protected]
            return answer
        self.forgotten.update(undesired)
        for name, value in answer.emitted.items():
            self._apply(name, value)
        self.xr["status"] = {**self.xr.get("status", {}), **copy.deepcopy(answer.composite.get("status", {}))}
        return answer

    def _selected(self, selector: Any) -> list[dict[str, Any]]:
        """Return the object that a requirement asks for by its name, if it exists."""
        return [
            value
            for value in self.observed.values()
            if (value["apiVersion"], value["kind"]) == (selector.api_version, selector.kind)
            and value["metadata"]["name"] == selector.match_name
            and value["metadata"].get("namespace", "") == selector.namespace
        ]

    def create(self, name: str) -> None:
        """Create a bucket that has everything."""
        self._apply(name, samples.bucket(ours="step"))
        self.settle(name)

    def until_complete(self, names: Iterable[str]) -> Response:
        """Reconcile until one has seen all of these resources; return its answer."""
        wanted = set(names)
        for _ in range(3 * len(wanted) + 3):
            complete = wanted <= self.names
            answer = self.reconcile()
            if complete:
                return answer
        raise AssertionError(f"never complete: {sorted(wanted - self.names)} are missing")

    def _apply(self, name: str, value: dict[str, Any]) -> None:
        if value["apiVersion"] == PROTECTION:
            self.check(name, value)
        before = self.observed.get(name)
        made = {**copy.deepcopy(before or {}), **copy.deepcopy(value)}
        metadata = made["metadata"] = {**(before or {}).get("metadata", {}), **value.get("metadata", {})}
        metadata["annotations"] = {
            **(before or {}).get("metadata", {}).get("annotations", {}),
            **value.get("metadata", {}).get("annotations", {}),
        }
        if before is None:
            generated = hashlib.sha256(name.encode()).hexdigest()[:12]
            metadata["name"] = "my-xr-" + (generated if value["apiVersion"] == PROTECTION else name)
        if self.namespace is not None:
            metadata["namespace"] = self.namespace
        metadata.pop("deletionTimestamp", None)  # what was to go is made anew
        self.forgotten.discard(name)
        owned = flat({key: value[key] for key in value.keys() - {"apiVersion", "kind"}})
        metadata["managedFields"] = [
            {
                "manager": "apiextensions.crossplane.io/composed/0123456789abcdef",
                "operation": "Apply",
                "apiVersion": value["apiVersion"],
                "fieldsType": "FieldsV1",
                "fieldsV1": as_fields(frozenset(owned)),
            }
        ]
        self.observed[name] = made

    def _protected(self) -> set[str | None]:
        """Return what Usages protect, also those that are being deleted."""
        return {self._find(one, "of") for one in self.observed.values() if one["apiVersion"] == PROTECTION}

    def settle(self, name: str) -> None:
        """Give a resource everything."""
        self.observed[name]["status"] = _values(name)
        self.observed[name]["metadata"]["annotations"]["crossplane.io/external-name"] = f"external-{name}"

    def _find(self, usage: dict[str, Any], end: str) -> str | None:
        """Return the resource that an end of a Usage refers to.

        A namespaced Usage finds a cluster-scoped `by`, but doesn't protect a cluster-scoped `of`.
        """
        reference = usage["spec"][end]["resourceRef"]
        namespace = reference.get("namespace", usage["metadata"].get("namespace"))
        for name in self.names:
            value = self.observed[name]
            inside = value["metadata"].get("namespace")
            if (
                all(value[key] == usage["spec"][end][key] for key in ("apiVersion", "kind"))
                and value["metadata"]["name"] == reference["name"]
                and (inside == namespace or (end == "by" and inside is None))
            ):
                return name
        return None

    def check(self, name: str, usage: dict[str, Any]) -> None:
        """Assert that a Usage names what exists, and what it says in its annotations."""
        ends = [self._find(usage, end) for end in ("by", "of")]
        annotations = usage["metadata"]["annotations"]
        assert ends == [annotations[USAGE_BY], annotations[USAGE_OF]], name

    def collect(self) -> list[str]:
        """Delete what the last reconcile did not desire, as far as Usages let it go; return the names, in order."""
        return self._delete(lambda value: "deletionTimestamp" in value["metadata"])

    def waves(self) -> list[str]:
        """Collect and reconcile until nothing more goes; return the names of what is gone, in order."""
        gone: list[str] = []
        for _ in range(2 * len(self.observed) + 2):
            gone += self.collect()
            self.reconcile()
        return gone

    def delete(self) -> list[str]:
        """Delete the composite and everything that it composes, as far as Usages let it go; return the names, in order.

        A composed Usage that is deleted with the composite waits for its `by`.
        """
        return self._delete(lambda value: True)

    def _delete(self, marked: Callable[[dict[str, Any]], bool]) -> list[str]:
        gone: list[str] = []
        for _ in range(2 * len(self.observed)):
            free = [name for name in sorted(self.names - self._protected()) if marked(self.observed[name])]
            for name in free:
                del self.observed[name]
            gone += free
            for name, usage in list(self.observed.items()):
                if usage["apiVersion"] != PROTECTION or not marked(usage):
                    continue
                if name in self.forgotten or self._find(usage, "by") is None:
                    del self.observed[name]
        return gone


def function(**options: Any) -> Any:
    """Return the decorator of a function that composes Usages."""
    return composition.function(name="step", usages=True, **options)


def needing(needs: dict[str, list[str]], *, step: str = "step", **options: Any) -> Any:
    """Return a function that composes the keys, each with values of those that it needs."""

    @composition.function(**{"name": step, "usages": True, **options})
    def compose(ctx: Any) -> None:
        made = {name: ctx.resource(name, Bucket()) for name in needs}
        for name, others in needs.items():
            values = {other: made[other].observed.status.atProvider.id for other in others}
            made[name].spec.forProvider.anything = values

    return compose


def existing(*names: str, **kwargs: Any) -> Cluster:
    """Return a cluster in which these buckets exist already."""
    cluster = Cluster(**kwargs)
    for name in names:
        cluster.create(name)
    return cluster


def reconciled(cluster: Cluster, *steps: Any) -> Any:
    """Reconcile with other code."""
    cluster.steps = steps
    return cluster.reconcile()
