"""A provider of managed resources with a pretended cloud; `python -m tests.cluster.provider FOLDER` runs it.

It reconciles each CRD of the category "managed". To the objects it does all that upjet's providers do: a finalizer, the
annotations of creation, the external name, late initialisation of `spec.forProvider`, `status.atProvider`, conditions,
and the connection Secret. The cloud refuses to delete a thing while another refers to it. `cloud.json` is the cloud,
which a restart finds again; `cloud.jsonl` tells what happened in it.
"""

from __future__ import annotations

import argparse
import base64
import copy
import datetime
import hashlib
import heapq
import itertools
import json
import os
import signal
import threading
import time
import traceback
from pathlib import Path
from typing import Any, Final, NamedTuple

from .kube import ApiError, Kube

__all__ = ["Provider"]

Json = dict[str, Any]

_FINALIZER: Final = "finalizer.managedresource.crossplane.io"
_EXTERNAL_NAME: Final = "crossplane.io/external-name"
_CREATE: Final = "crossplane.io/external-create-"
_RESOURCE: Final = "crossplane.io/composition-resource-name"
_COMPOSITE: Final = "crossplane.io/composite"
_PAUSED: Final = "crossplane.io/paused"
_PREFIXES: Final = {
    "VPC": "vpc",
    "Subnet": "subnet",
    "InternetGateway": "igw",
    "NATGateway": "nat",
    "EIP": "eipalloc",
    "RouteTable": "rtb",
    "Route": "r",
    "RouteTableAssociation": "rtbassoc",
    "SecurityGroup": "sg",
    "ManagedPrefixList": "pl",
}
# How many times as long as other things these take.
_SLOW: Final = {"NATGateway": 3, "Instance": 3}
_LATE: Final = 2  # the most fields that late initialisation sets
_POLL_SECONDS: Final = 20
_THREADS: Final = 4


class _Kind(NamedTuple):
    base: str  # /apis/GROUP/VERSION
    plural: str
    namespaced: bool
    wanted: Json  # the schema of spec.forProvider
    seen: Json  # the schema of status.atProvider


class Provider:
    """The provider.

    Args:
        folder: The control plane's folder.
        delay: How many seconds the cloud takes to make most things.
    """

    def __init__(self, folder: Path, delay: float) -> None:
        self._delay = delay
        self._kube = Kube(folder / "kubeconfig", "provider")
        self._file = folder / "cloud.json"
        self._things: dict[str, Json] = json.loads(self._file.read_text()) if self._file.exists() else {}
        self._log = open(folder / "cloud.jsonl", "a", buffering=1)
        self._objects: dict[str, tuple[_Kind, Json]] = {}  # by uid
        self._queue: list[tuple[float, int, str]] = []
        self._numbers = itertools.count()
        self._busy: set[str] = set()  # the uids that are reconciled now
        self._changed = threading.Condition()

    def run(self) -> None:
        """Reconcile until the process gets SIGTERM."""
        signal.signal(signal.SIGTERM, self._end)
        for _ in range(_THREADS):
            threading.Thread(target=self._work, daemon=True).start()
        self._discover()

    def _work(self) -> None:
        while True:
            uid = self._next()
            try:
                self._reconcile(uid)
            except ApiError as e:
                if e.code != 404:
                    self._again(uid, 0.3 if e.code == 409 else 2)
            except Exception:  # the server is away, or this is a mistake, which the log shows
                traceback.print_exc()
                self._again(uid, 2)
            finally:
                self._busy.discard(uid)

    def _next(self) -> str:
        with self._changed:
            while True:
                while not self._queue or self._queue[0][0] > time.time():
                    left = self._queue[0][0] - time.time() if self._queue else 5.0
                    self._changed.wait(max(left, 0.01))
                uid = heapq.heappop(self._queue)[2]
                while self._queue and self._queue[0][2] == uid and self._queue[0][0] <= time.time():
                    heapq.heappop(self._queue)
                if uid not in self._busy:
                    self._busy.add(uid)
                    return uid
                heapq.heappush(self._queue, (time.time() + 0.1, next(self._numbers), uid))

    def _again(self, uid: str, seconds: float = 0) -> None:
        with self._changed:
            heapq.heappush(self._queue, (time.time() + seconds, next(self._numbers), uid))
            self._changed.notify()

    def _discover(self) -> None:
        """Watch each kind of managed resources, and look at all objects again from time to time."""
        known: set[str] = set()
        polled = time.time()
        while True:
            try:
                crds = self._kube.items("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
            except (ApiError, OSError):
                crds = []
            for crd in crds:
                name = crd["metadata"]["name"]
                if name not in known and "managed" in crd["spec"]["names"].get("categories", []):
                    known.add(name)
                    threading.Thread(target=self._watch, args=(_kind_of(crd),), daemon=True).start()
            if time.time() - polled > _POLL_SECONDS:
                polled = time.time()
                for uid in list(self._objects):
                    self._again(uid)
            time.sleep(2)

    def _watch(self, kind: _Kind) -> None:
        while True:
            try:
                for event, one in self._kube.watch(f"{kind.base}/{kind.plural}", 600):
                    uid = one["metadata"]["uid"]
                    if event == "DELETED":
                        self._objects.pop(uid, None)
                    else:
                        self._objects[uid] = kind, one
                        self._again(uid)
            except (ApiError, OSError, ValueError):
                time.sleep(1)

    def _tell(self, what: str, one: Json, **more: Any) -> None:
        metadata = one["metadata"]
        entry = {
            "time": time.time(),
            "what": what,
            "kind": one["kind"],
            "name": metadata["name"],
            "composite": metadata.get("labels", {}).get(_COMPOSITE),
            "resource": metadata.get("annotations", {}).get(_RESOURCE),
            **more,
        }
        self._log.write(json.dumps(entry) + "\n")

    def _end(self, *_: object) -> None:
        self._file.write_text(json.dumps(dict(self._things)))
        os._exit(0)

    def _put(self, kind: _Kind, one: Json, part: str = "") -> Json:
        metadata = one["metadata"]
        where = f"/namespaces/{metadata['namespace']}" if kind.namespaced else ""
        new = self._kube.put(f"{kind.base}{where}/{kind.plural}/{metadata['name']}{part}", one)
        self._objects[metadata["uid"]] = kind, new
        return new

    def _reconcile(self, uid: str) -> None:
        if uid not in self._objects:
            return
        kind, known = self._objects[uid]
        one = copy.deepcopy(known)
        metadata = one["metadata"]
        notes = metadata.setdefault("annotations", {})
        thing = self._things.get(uid)
        if notes.get(_PAUSED) == "true":
            return
        if metadata.get("deletionTimestamp"):
            self._delete(uid, kind, one, thing)
        elif _FINALIZER not in metadata.get("finalizers", []):
            metadata.setdefault("finalizers", []).append(_FINALIZER)
            wanted = one["spec"].setdefault("forProvider", {})
            if kind.wanted.get("tags", {}).get("additionalProperties"):
                wanted.setdefault("tags", {}).update(
                    {"crossplane-kind": one["kind"].lower(), "crossplane-name": metadata["name"]}
                )
            self._put(kind, one)
        elif thing is None:
            self._create(uid, kind, one)
        elif time.time() < thing["ready"]:
            self._again(uid, thing["ready"] - time.time())
        else:
            self._observe(uid, kind, one, thing)

    def _create(self, uid: str, kind: _Kind, one: Json) -> None:
        metadata, notes = one["metadata"], one["metadata"]["annotations"]
        if f"{_CREATE}pending" not in notes:
            notes[f"{_CREATE}pending"] = _now()
            one = copy.deepcopy(self._put(kind, one))
            notes = one["metadata"]["annotations"]
        digest = hashlib.sha256(uid.encode()).hexdigest()[:12]
        prefix = _PREFIXES.get(one["kind"])
        name = f"{prefix}-{digest}" if prefix else notes.get(_EXTERNAL_NAME, metadata["name"])
        ready = time.time() + self._delay * _SLOW.get(one["kind"], 1)
        thing = {"id": name, "digest": digest, "wanted": one["spec"]["forProvider"], "ready": ready}
        self._things[uid] = {**thing, "object": metadata["name"]}
        self._tell("created", one, id=name)
        notes[f"{_CREATE}succeeded"] = _now()
        notes[_EXTERNAL_NAME] = name
        one = copy.deepcopy(self._put(kind, one))
        _set_condition(one, "Synced", "True", "ReconcileSuccess")
        _set_condition(one, "Ready", "False", "Creating")
        self._put(kind, one, "/status")
        self._again(uid, ready - time.time())

    def _delete(self, uid: str, kind: _Kind, one: Json, thing: Json | None) -> None:
        if thing is not None:
            others = [other for key, other in list(self._things.items()) if key != uid]
            users = [other["object"] for other in others if thing["id"] in json.dumps(other["wanted"])]
            if users:
                if not thing.get("refused"):
                    thing["refused"] = True
                    self._tell("delete refused", one, users=users[:5])
                _set_condition(one, "Synced", "False", "ReconcileError", "DependencyViolation")
                self._put(kind, one, "/status")
                self._again(uid, 2)
                return
            del self._things[uid]
            self._tell("deleted", one)
        finalizers = one["metadata"].get("finalizers", [])
        if _FINALIZER in finalizers:
            finalizers.remove(_FINALIZER)
            self._put(kind, one)

    def _observe(self, uid: str, kind: _Kind, one: Json, thing: Json) -> None:
        notes = one["metadata"]["annotations"]
        if notes.get(_EXTERNAL_NAME) != thing["id"]:
            notes[_EXTERNAL_NAME] = thing["id"]
            self._tell("external name put back", one)
            one = copy.deepcopy(self._put(kind, one))
        if not thing.get("initialised"):
            wanted = one["spec"]["forProvider"]
            names = (name for name, field in sorted(kind.wanted.items()) if field.get("type") == "boolean")
            late = list(itertools.islice((name for name in names if name not in wanted), _LATE))
            wanted.update(dict.fromkeys(late, False))
            thing["initialised"] = True
            one = copy.deepcopy(self._put(kind, one)) if late else one
            thing["wanted"] = one["spec"]["forProvider"]
        wanted = one["spec"]["forProvider"]
        if wanted != thing["wanted"]:
            before = thing["wanted"]
            fields = sorted(name for name in {*wanted, *before} if wanted.get(name) != before.get(name))
            self._tell("updated", one, fields=fields)
            thing["wanted"] = wanted
        seen = _at_provider(kind, thing)
        self._write_secret(one, thing, seen)
        status = copy.deepcopy(one.get("status"))
        one.setdefault("status", {})["atProvider"] = seen
        _set_condition(one, "Synced", "True", "ReconcileSuccess")
        _set_condition(one, "Ready", "True", "Available")
        _set_condition(one, "LastAsyncOperation", "True", "Success")
        if one["status"] != status:
            self._put(kind, one, "/status")

    def _write_secret(self, one: Json, thing: Json, seen: Json) -> None:
        reference, metadata = one["spec"].get("writeConnectionSecretToRef"), one["metadata"]
        if not reference:
            return
        owner = {"apiVersion": one["apiVersion"], "kind": one["kind"], "name": metadata["name"], "uid": metadata["uid"]}
        values = {"host": seen.get("address", ""), "port": "5432", "password": f"pw-{thing['digest']}"}
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "connection.crossplane.io/v1alpha1",
            "metadata": {
                "name": reference["name"],
                "namespace": reference.get("namespace") or metadata["namespace"],
                "ownerReferences": [{**owner, "controller": True}],
            },
            "data": {key: base64.b64encode(value.encode()).decode() for key, value in values.items()},
        }
        self._kube.apply(secret)


def _kind_of(crd: Json) -> _Kind:
    spec = crd["spec"]
    version = next(one for one in spec["versions"] if one["storage"])
    fields = version["schema"]["openAPIV3Schema"]["properties"]
    return _Kind(
        f"/apis/{spec['group']}/{version['name']}",
        spec["names"]["plural"],
        spec["scope"] == "Namespaced",
        fields["spec"]["properties"]["forProvider"].get("properties", {}),
        fields["status"]["properties"]["atProvider"].get("properties", {}),
    )


def _at_provider(kind: _Kind, thing: Json) -> Json:
    """Return `status.atProvider`: what was wanted, and a value for each other simple field."""
    made: Json = {}
    for name, field in kind.seen.items():
        if name in thing["wanted"]:
            made[name] = thing["wanted"][name]
        elif name == "id":
            made[name] = thing["id"]
        elif field.get("type") == "string":
            if name == "arn":
                made[name] = f"arn:aws:pretended:eu-central-1:000000000000:{thing['id']}"
            elif name.lower().endswith("ip"):
                made[name] = f"203.0.113.{int(thing['digest'][:2], 16)}"
            else:
                made[name] = f"{name}-{thing['digest']}"
        elif field.get("type") in ("number", "integer"):
            made[name] = 5432 if name == "port" else 1
        elif field.get("type") == "boolean":
            made[name] = False
    return made


def _set_condition(one: Json, type_: str, status: str, reason: str, message: str = "") -> None:
    conditions = one.setdefault("status", {}).setdefault("conditions", [])
    new = {"type": type_, "status": status, "reason": reason, "observedGeneration": one["metadata"]["generation"]}
    if message:
        new["message"] = message
    old = next((condition for condition in conditions if condition["type"] == type_), None)
    if old is None:
        conditions.append({**new, "lastTransitionTime": _now()})
        return
    transition = old["lastTransitionTime"] if old["status"] == status else _now()
    old.clear()
    old.update(new, lastTransitionTime=transition)


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--delay", type=float, default=1)
    arguments = parser.parse_args()
    Provider(arguments.folder, arguments.delay).run()


if __name__ == "__main__":
    _main()
