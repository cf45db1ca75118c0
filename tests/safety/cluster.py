"""A cluster with one composite, and Crossplane's reconciler for it: the oracle of these tests.

What is observed with our controller reference and isn't desired is deleted; what is desired is applied with
server-side apply; a Fatal result stops everything. Objects look as Crossplane makes them: uid, controller reference,
label and annotation of the composition, managedFields made from what the pipeline has emitted.
"""

from __future__ import annotations

__all__ = ["EXTERNAL_NAME", "UID", "Cluster", "Object", "Reconcile", "content", "normalised", "plain"]

import copy
import hashlib
import pickle
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import struct_pb2

from tests.safety.ownership import Path, apply, as_fields, copied, fill_in, flat
from tests.support import ALL_CAPABILITIES, KNOWN, MARKER

UID: Final = "00000000-0000-0000-0000-000000000001"
EXTERNAL_NAME: Final = "crossplane.io/external-name"
MANAGER: Final = "apiextensions.crossplane.io/composed/5d3c9ba5c1a0"
CROSSPLANES: Final = frozenset({"crossplane.io/composition-resource-name", "crossplane.io/composite"})
OURS: Final = "crossplane-lite/"
"""How the SDK's own annotations begin."""

CAPABILITIES: Final = [getattr(fnv1, name) for name in ALL_CAPABILITIES]
NOW: Final = "2024-01-01T00:00:00Z"


# --- the wire, by the official SDK's messages ---------------------------------------------------------------------


def _put(value: struct_pb2.Value, plain: Any) -> None:
    if isinstance(plain, str):
        value.string_value = plain
    elif plain is None:
        value.null_value = struct_pb2.NULL_VALUE
    elif isinstance(plain, bool):
        value.bool_value = plain
    elif isinstance(plain, int | float):
        value.number_value = plain
    elif isinstance(plain, dict):
        value.struct_value.SetInParent()
        fill(value.struct_value, plain)
    else:
        value.list_value.SetInParent()
        for item in plain:
            _put(value.list_value.values.add(), item)


def fill(struct: struct_pb2.Struct, plain: Mapping[str, Any]) -> None:
    """Put plain values into an empty Struct."""
    for key, value in plain.items():
        _put(struct.fields[key], value)


def _take(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return plain(value.struct_value)
    if kind == "list_value":
        return [_take(item) for item in value.list_value.values]
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    return None if kind in (None, "null_value") else getattr(value, kind)


def plain(struct: struct_pb2.Struct) -> dict[str, Any]:
    """Return a Struct as plain values."""
    return {key: _take(value) for key, value in struct.fields.items()}


# --- objects ------------------------------------------------------------------------------------------------------


@dataclass
class Object:
    """A composed object in the cluster.

    Attributes:
        live: What the API server holds, without managedFields.
        owned: What Crossplane's manager owns.
        applied_as: The apiVersion of the manager's entry.
        connection: Its connection details.
        is_controlled: Whether our composite is its controller.
    """

    live: dict[str, Any]
    owned: frozenset[Path] = frozenset()
    applied_as: str = ""
    connection: dict[str, bytes] = field(default_factory=dict)
    is_controlled: bool = True

    def observed(self) -> dict[str, Any]:
        """Return the object as Crossplane shows it to functions."""
        entries = [
            {
                "manager": "provider",
                "operation": "Update",
                "apiVersion": self.live["apiVersion"],
                "subresource": "status",
                "time": NOW,
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:status": {}},
            }
        ]
        if self.owned:
            entries.append(
                {
                    "manager": MANAGER,
                    "operation": "Apply",
                    "apiVersion": self.applied_as,
                    "time": NOW,
                    "fieldsType": "FieldsV1",
                    "fieldsV1": as_fields(self.owned),
                }
            )
        return {**self.live, "metadata": {**self.live["metadata"], "managedFields": entries}}


def content(value: Mapping[str, Any]) -> dict[Path, Any]:
    """Return the leaves of an object that its author means: not its status, nor what Crossplane and we put around."""
    kept: dict[str, Any] = {key: below for key, below in value.items() if key not in ("metadata", "status")}
    metadata = value.get("metadata", {})
    kept["metadata"] = {
        group: {
            key: item for key, item in metadata[group].items() if key not in CROSSPLANES and not key.startswith(OURS)
        }
        for group in ("labels", "annotations")
        if isinstance(metadata.get(group), Mapping)
    }
    return {path: leaf for path, leaf in flat(kept).items() if leaf != {} or path[0] != "metadata"}


@dataclass
class Reconcile:
    """What one reconcile asked, heard and did.

    Attributes:
        request: The request to the first function, as it was in the last round.
        answers: The bytes of each function's answer in the last round.
        final: The last function's answer.
        fatal: The messages of Fatal results.
        results: (severity, message) of all results of the last round.
        before: Content of each object before.
        after: Content of each object afterwards.
        deleted: Names of deleted objects.
        written: Names of objects that were made or changed in anything, what the SDK remembers on them included.
    """

    request: fnv1.RunFunctionRequest
    answers: list[bytes]
    final: fnv1.RunFunctionResponse
    fatal: list[str]
    results: list[tuple[int, str]]
    before: dict[str, dict[Path, Any]] = field(default_factory=dict)
    after: dict[str, dict[Path, Any]] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)

    @property
    def desired(self) -> dict[str, dict[str, Any]]:
        """The desired composed resources, as they are applied."""
        return {name: plain(entry.resource) for name, entry in self.final.desired.resources.items()}

    @property
    def status(self) -> dict[str, Any]:
        """The desired status of the composite."""
        found: dict[str, Any] = plain(self.final.desired.composite.resource).get("status", {})
        return found

    @property
    def waiting(self) -> str:
        """The messages of all conditions about dependencies."""
        found = (c for c in self.final.conditions if c.type.startswith("DependenciesResolved"))
        return "\n".join(c.message for c in found)

    @property
    def told(self) -> str:
        """Everything that a person may read."""
        return "\n".join([text for _, text in self.results] + [c.message for c in self.final.conditions])


class Cluster:
    """A cluster in which one composite is reconciled.

    Attributes:
        functions: The pipeline; each has `run(bytes)`.
        inputs: Their inputs.
        xr: The composite.
        objects: The composed objects by their composition resource name.
        others: Other objects, for required resources.
        connection: The composite's connection details.
        normalised: What the API server writes for a value that is applied: `1` for `1000m`.
        defaults: What it fills in where a field isn't set, by kind.
    """

    def __init__(
        self,
        *functions: Any,
        spec: Mapping[str, Any] | None = None,
        inputs: Sequence[Mapping[str, Any] | None] = (),
        others: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.functions = functions
        self.inputs = list(inputs) or [None] * len(functions)
        self.xr: dict[str, Any] = {
            "apiVersion": "example.org/v1",
            "kind": "XNetwork",
            "metadata": {"name": "net", "uid": UID, "labels": {"crossplane.io/composite": "net"}},
            "spec": dict(spec or {"region": "eu"}),
        }
        self.objects: dict[str, Object] = {}
        self.others = list(others)
        self.connection: dict[str, bytes] = {}
        self.normalised: Mapping[str, Any] = {}
        self.defaults: Mapping[str, Mapping[str, Any]] = {}
        self._status_owned: frozenset[Path] = frozenset()
        self._made = 0

    # --- what happens in a cluster besides Crossplane ---

    def copy(self) -> Cluster:
        """Return a cluster that starts where this one stands."""
        made = copy.copy(self)
        made.xr, made.objects, made.others, made.inputs, made.connection = pickle.loads(
            pickle.dumps((self.xr, self.objects, self.others, self.inputs, self.connection))
        )
        return made

    def provide(
        self,
        name: str,
        status: Mapping[str, Any] | None,
        *,
        ready: bool | None = None,
        external_name: str | None = None,
        connection: Mapping[str, bytes] | None = None,
    ) -> None:
        """Do what a provider does: write the status of an object, and its external name where it has none."""
        live = self.objects[name].live
        live.pop("status", None)
        if status is not None:
            live["status"] = copied(dict(status))
        if ready is not None:
            condition = {
                "type": "Ready",
                "status": "True" if ready else "False",
                "reason": "Available" if ready else "Creating",
                "lastTransitionTime": NOW,
            }
            live.setdefault("status", {})["conditions"] = [condition]
        if external_name is not None:
            live["metadata"].setdefault("annotations", {}).setdefault(EXTERNAL_NAME, external_name)
        self.objects[name].connection = dict(connection or {})

    def forget_external_name(self, name: str) -> None:
        """Drop an external name that we don't own."""
        found = self.objects[name]
        if ("metadata", "annotations", EXTERNAL_NAME) not in found.owned:
            found.live["metadata"].get("annotations", {}).pop(EXTERNAL_NAME, None)

    def forget(self, *names: str, mark: bool = False) -> None:
        """Drop what the SDK remembers on objects (all of them if none is named), and with `mark` its mark, too."""
        for name in names or [*self.objects]:
            found = self.objects[name]
            annotations = found.live["metadata"].get("annotations", {})
            if MARKER in annotations:
                # A step's memory is behind its name.
                annotations[MARKER] = re.sub(";[^,]*", "", annotations[MARKER])
            for ours in (KNOWN, *([MARKER] if mark else [])):
                if annotations.pop(ours, None) is not None:
                    found.owned = frozenset(path for path in found.owned if path[-1] != ours)

    def forget_notes(self) -> None:
        """Drop the notes on all objects, and leave their marks, as a version that doesn't know notes does."""
        for found in self.objects.values():
            if found.live["metadata"].get("annotations", {}).pop(KNOWN, None) is not None:
                found.owned = frozenset(path for path in found.owned if path[-1] != KNOWN)

    # --- Crossplane ---

    def request(self) -> fnv1.RunFunctionRequest:
        """Return the request that the first function gets, without answers to requirements."""
        req = fnv1.RunFunctionRequest()
        req.meta.tag = "a-tag"
        req.meta.capabilities.extend(CAPABILITIES)
        fill(req.observed.composite.resource, self.xr)
        req.observed.composite.connection_details.update(self.connection)
        for name, found in self.objects.items():
            entry = req.observed.resources[name]
            fill(entry.resource, found.observed())
            for key, data in found.connection.items():
                entry.connection_details[key] = data
        return req

    def ask(self, req: fnv1.RunFunctionRequest | None = None) -> Reconcile:
        """Run the pipeline and change nothing."""
        req = req or self.request()
        first = req
        final = fnv1.RunFunctionResponse()
        results: list[tuple[int, str]] = []
        answers: list[bytes] = []
        fatal: list[str] = []
        for number, function in enumerate(self.functions):
            given = self.inputs[number]
            required: dict[str, Any] = {}
            for _ in range(6):
                call = fnv1.RunFunctionRequest()
                call.CopyFrom(req)
                call.ClearField("input")
                if given is not None:
                    fill(call.input, dict(given))
                if number:
                    call.desired.CopyFrom(final.desired)
                    call.context.CopyFrom(final.context)
                for key, selector in required.items():
                    call.required_resources[key].SetInParent()
                    for item in self._selected(selector):
                        fill(call.required_resources[key].items.add().resource, item)
                data = function.run(call.SerializeToString())
                answer = fnv1.RunFunctionResponse.FromString(data)
                fatal = [r.message for r in answer.results if r.severity == fnv1.SEVERITY_FATAL]
                asked = dict(answer.requirements.resources)
                if fatal or asked.keys() <= required.keys():
                    break
                required = asked
            if number == 0:
                first = call
            answers.append(data)
            results += [(r.severity, r.message) for r in answer.results]
            conditions = [*final.conditions, *answer.conditions]
            final = answer
            if number:
                del final.conditions[:]
                final.conditions.extend(conditions)
            if fatal:
                break
        return Reconcile(first, answers, final, fatal, results)

    def seed(self, name: str, body: dict[str, Any], step: str = "step") -> None:
        """Compose a resource by hand, as if a step had registered it before."""
        self._apply(name, {**body, "metadata": {"annotations": {MARKER: step}, **body.get("metadata", {})}})

    def reconcile(
        self, done: Reconcile | None = None, *, applies: Collection[str] | None = None, stores_status: bool = True
    ) -> Reconcile:
        """Run the pipeline, unless `done` has its answers, and do with them what Crossplane does.

        Args:
            done: The answers, if the pipeline has run.
            applies: The resources that are applied before the engine fails; all of them if it isn't given.
            stores_status: Whether the composite's status is written: neither if an apply fails, nor after a conflict.
        """
        done = done or self.ask()
        done.before = {name: content(found.live) for name, found in self.objects.items()}
        live = {name: copied(found.live) for name, found in self.objects.items()}
        if stores_status:
            self._store_conditions(done)
        if not done.fatal:
            desired = done.desired
            for name in [*self.objects]:
                if name not in desired and self.objects[name].is_controlled:
                    del self.objects[name]
                    done.deleted.append(name)
            for name, body in desired.items():
                if applies is None or name in applies:
                    self._apply(name, body)
        if not done.fatal and stores_status:
            status = {key: value for key, value in done.status.items() if key != "conditions"}
            self._status_owned = apply(self.xr, {"status": status} if status else {}, self._status_owned)
            self.connection.update(done.final.desired.composite.connection_details)
        done.after = {name: content(found.live) for name, found in self.objects.items()}
        done.written = [name for name, found in self.objects.items() if live.get(name) != found.live]
        return done

    def _selected(self, selector: fnv1.ResourceSelector) -> list[dict[str, Any]]:
        found = [o for o in self.others if (o["apiVersion"], o["kind"]) == (selector.api_version, selector.kind)]
        if selector.WhichOneof("match") == "match_name":
            return [o for o in found if o["metadata"]["name"] == selector.match_name]
        wanted = dict(selector.match_labels.labels)
        return [o for o in found if wanted.items() <= o["metadata"].get("labels", {}).items()]

    def _apply(self, name: str, body: dict[str, Any]) -> None:
        found = self.objects.get(name)
        if found is not None and found.live["kind"] != body["kind"]:
            # Another kind is another object; the one that was there isn't desired any more.
            found = None
        if found is None:
            self._made += 1
            hashed = hashlib.sha256((UID + name).encode()).hexdigest()[:12]
            metadata = body.get("metadata", {})
            found = self.objects[name] = Object({"apiVersion": body["apiVersion"], "kind": body["kind"]})
            found.live["metadata"] = {
                "name": metadata.get("name", f"net-{hashed}"),
                "generateName": "net-",
                "uid": f"00000000-0000-0000-0001-{self._made:012}",
                "creationTimestamp": NOW,
            }
            if "namespace" in metadata:
                found.live["metadata"]["namespace"] = metadata["namespace"]
        found.live["apiVersion"] = found.applied_as = body["apiVersion"]
        applied = _rendered(name, body)
        applied = normalised(applied, self.normalised) if self.normalised else applied
        found.owned = apply(found.live, applied, found.owned)
        fill_in(found.live, self.defaults.get(body["kind"], {}))

    def _store_conditions(self, done: Reconcile) -> None:
        returned = list(done.final.conditions)
        stored: list[dict[str, Any]] = self.xr.get("status", {}).get("conditions", [])
        stored = [c for c in stored if c["type"] not in {r.type for r in returned}]
        if done.fatal:
            stored = [{**c, "status": "Unknown", "reason": "FatalError"} for c in stored]
        names = {fnv1.STATUS_CONDITION_TRUE: "True", fnv1.STATUS_CONDITION_FALSE: "False"}
        for condition in returned:
            stored.append(
                {
                    "type": condition.type,
                    "status": names.get(condition.status, "Unknown"),
                    "reason": condition.reason,
                    "message": condition.message,
                    "lastTransitionTime": NOW,
                }
            )
        if not done.fatal:
            stored = [c for c in stored if c["type"] not in ("Ready", "Synced")]
            is_ready = done.final.desired.composite.ready != fnv1.READY_FALSE and all(
                one.ready == fnv1.READY_TRUE for one in done.final.desired.resources.values()
            )
            for type_, holds in (("Synced", True), ("Ready", is_ready)):
                stored.append({"type": type_, "status": str(holds), "reason": type_, "lastTransitionTime": NOW})
        if stored:
            self.xr.setdefault("status", {})["conditions"] = stored


def _rendered(name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what Crossplane applies for a desired resource: its own metadata around it, and no status."""
    applied = {key: value for key, value in body.items() if key not in ("apiVersion", "kind", "metadata", "status")}
    metadata = body.get("metadata", {})
    groups = {}
    for group in ("labels", "annotations"):
        found = metadata.get(group, {})
        # Crossplane reads a map with another value in it as none at all.
        groups[group] = dict(found) if all(isinstance(value, str) for value in found.values()) else {}
    groups["labels"]["crossplane.io/composite"] = "net"
    groups["annotations"]["crossplane.io/composition-resource-name"] = name
    owner = {"apiVersion": "example.org/v1", "kind": "XNetwork", "name": "net", "uid": UID}
    owners = [{**owner, "controller": True, "blockOwnerDeletion": True}]
    return {**applied, "metadata": {**groups, "ownerReferences": owners}}


def normalised(value: Any, forms: Mapping[str, Any]) -> Any:
    """Return a value with each text in it as the API server writes it."""
    if isinstance(value, dict):
        return {key: normalised(item, forms) for key, item in value.items()}
    if isinstance(value, list):
        return [normalised(item, forms) for item in value]
    return forms.get(value, value) if isinstance(value, str) else value
