"""One scenario in the control plane: its functions, its composite, and the judgement from outside."""

from __future__ import annotations

import collections
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from tests.helpers.ports import free_ports

from .kube import ApiError, wait
from .plane import Plane

__all__ = [
    "GROUP",
    "MARK",
    "NOTES",
    "NOTHING",
    "ROOT",
    "Change",
    "Composite",
    "Function",
    "Snapshot",
    "World",
    "condition",
    "definition",
]

Json = dict[str, Any]

MARK: Final = "crossplane-lite/function"
NOTES: Final = "crossplane-lite/known"
ROOT: Final = Path(__file__).resolve().parents[2]
GROUP: Final = "test.example.com"
_RESOURCE: Final = "crossplane.io/composition-resource-name"
_PAUSED: Final = "crossplane.io/paused"
_MANAGER: Final = "apiextensions.crossplane.io/composed"
_DEFINITIONS: Final = "/apis/apiextensions.crossplane.io/v2/compositeresourcedefinitions"
_FREE: Final = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def condition(one: Json | None, type_: str) -> Json:
    """Return an object's condition of a type; an empty dict if it has none."""
    conditions = (one or {}).get("status", {}).get("conditions", [])
    return next((found for found in conditions if found["type"] == type_), {})


def definition(kind: str, scope: str = "Namespaced", status: Mapping[str, str] | None = None, **more: Any) -> Json:
    """Return an XRD of a kind whose spec takes any field. LegacyCluster composites are of Crossplane 1.

    Args:
        kind: The kind.
        scope: The composites' scope.
        status: The types of the status' fields.
        more: Other fields of the XRD's spec.
    """
    plural = f"{kind.lower()}s"
    fields = {name: {"type": type_} for name, type_ in (status or {}).items()}
    for field in fields.values():
        if field["type"] == "array":
            field["items"] = {"type": "string"}  # type: ignore[assignment]
    schema = {"type": "object", "properties": {"spec": _FREE, "status": {"type": "object", "properties": fields}}}
    version = {"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.crossplane.io/v2",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": scope,
            "names": {"kind": kind, "plural": plural},
            "versions": [version],
            **more,
        },
    }


class Snapshot(NamedTuple):
    """The composed resources of a composite at one time.

    Attributes:
        objects: The objects by composition resource name.
        events: How many events of the cloud there were.
    """

    objects: dict[str, Json]
    events: int


class Change(NamedTuple):
    """What differs between two snapshots, by composition resource names.

    Attributes:
        gone: Existed before and don't exist now.
        new: Didn't exist before.
        again: Other objects (another uid) have their names.
        dying: Are being deleted.
        changed: Have another spec: maps the name to the paths that differ.
    """

    gone: list[str]
    new: list[str]
    again: list[str]
    dying: list[str]
    changed: dict[str, list[str]]


NOTHING: Final = Change([], [], [], [], {})


class Function:
    """A function's server, served as in production: its own process, mutual TLS by Crossplane's authority.

    Args:
        plane: The control plane.
        name: The name of the Function, which Compositions refer to.
        target: `module:function`; or the path of a program in Python, which gets a port and a folder of certificates;
            or that of another program, which gets the flags of the specification; or `guard:HOST:PORT` for a guard.
        transport: The transport of ours.
        flags: More flags of ours.

    Attributes:
        name: The name of the Function, which Compositions refer to.
        port: The port, which stays when the server starts again.
    """

    def __init__(self, plane: Plane, name: str, target: str, transport: str, flags: tuple[str, ...] = ()) -> None:
        self.name = name
        self._plane, self._target, self._transport, self._flags = plane, target, transport, flags
        (self.port,) = free_ports(1)
        self._process = f"function-{name}"

    @property
    def log(self) -> str:
        return (self._plane.folder / "log" / f"{self._process}.log").read_text(errors="replace")

    @property
    def calls(self) -> int:
        """How many calls Crossplane has made."""
        return self._plane.calls(self.name)

    def start(self, host: str = "127.0.0.1", **environment: str) -> None:
        """Start a server, and return when it listens.

        Args:
            host: The host that it listens at.
            environment: Its variables; `PYTHON` is the Python that a program of others runs under.
        """
        command = self._command(host)
        if "PYTHON" in environment:
            command[0] = environment.pop("PYTHON")
        process = self._process + ("" if host == "127.0.0.1" else f"-{host}")
        environment = {"PYTHONPATH": str(ROOT), **environment}
        number = self._plane.run(process, *command, **environment)

        def listens() -> bool:
            with contextlib.suppress(OSError), socket.create_connection((host, self.port), 1):
                return True
            if not Path(f"/proc/{number}").exists():
                raise RuntimeError(f"{self.name} has ended: {self.log[-2000:]}")
            return False

        if not wait(listens, 60, 0.1):
            raise TimeoutError(f"{self.name} doesn't listen: {self.log[-2000:]}")

    def _command(self, host: str) -> list[str | Path]:
        """Return the command of a server."""
        address = f"{host}:{self.port}"
        if self._target.endswith(".py"):
            return [sys.executable, ROOT / self._target, str(self.port), self._plane.tls]
        served = ["--tls-certs-dir", self._plane.tls, "--address", address]
        if Path(self._target).is_absolute():
            return [self._target, *self._flags, *served]
        own = [sys.executable, "-m", "crossplane_lite"]
        if self._target.startswith("guard:"):
            target = self._target.partition(":")[2]
            own += ["guard", "--target", target, "--name", self.name]
        else:
            own += ["serve", self._target]
        return [*own, *served, "--transport", self._transport, *self._flags]

    def stop(self, host: str = "127.0.0.1", how: int = signal.SIGTERM) -> None:
        self._plane.end(self._process + ("" if host == "127.0.0.1" else f"-{host}"), how)

    def roll_out(self, target: str, **environment: str) -> None:
        """Start another version at the same address."""
        self._target = target
        self.start(**environment)

    def register(self, endpoint: str | None = None) -> None:
        """Make the Function and its active revision, as the package manager would.

        They are paused, so that the package manager leaves them alone.
        """
        kube, notes = self._plane.kube, {"crossplane.io/paused": "true"}
        package = f"registry.example.com/{self.name}:v1"
        version, revision = "pkg.crossplane.io/v1", f"{self.name}-1"
        kube.apply(
            {
                "apiVersion": version,
                "kind": "Function",
                "metadata": {"name": self.name, "annotations": notes},
                "spec": {"package": package},
            },
            {
                "apiVersion": version,
                "kind": "FunctionRevision",
                "metadata": {
                    "name": revision,
                    "annotations": notes,
                    "labels": {"pkg.crossplane.io/package": self.name},
                },
                "spec": {"image": package, "desiredState": "Active", "revision": 1},
            },
        )
        status = {
            "endpoint": endpoint or f"dns:///localhost:{self.port}",
            "capabilities": ["composition", "operation"],
        }
        kube.merge(f"/apis/{version}/functionrevisions/{revision}/status", {"status": status})


class Composite:
    """A composite, seen from outside.

    Attributes:
        path: Its path in the API server.
        began: When it was made, by `time.monotonic`.
    """

    def __init__(self, plane: Plane, one: Json) -> None:
        self._plane, self.kube = plane, plane.kube
        self.name, self.namespace = one["metadata"]["name"], one["metadata"].get("namespace")
        self.began = time.monotonic()
        self._audit = plane.audit_size()
        (made,) = self.kube.apply(one)
        self._version = made["metadata"]["resourceVersion"]
        self._counted: dict[str, str] = {}
        self._writes: dict[str, tuple[Any, int]] = {}
        self.path = self.kube.path(one)

    def get(self) -> Json:
        found: Json = self.kube.get(self.path)
        return found

    def condition(self, type_: str) -> Json:
        return condition(self.get(), type_)

    def wait_ready(self, seconds: float = 120) -> float:
        """Wait until the composite is Ready, and return the seconds since it was made."""
        if not wait(lambda: self.condition("Ready").get("status") == "True", seconds):
            raise AssertionError(f"{self.name} isn't Ready after {seconds} s: {self.told()}")
        return time.monotonic() - self.began

    def told(self) -> str:
        """Return what a person reads: the conditions, and the warnings among the events."""
        found = [f"{c['type']}={c['status']} {c.get('reason')} {c.get('message', '')}" for c in self._conditions()]
        return "\n".join([*found, *self.warnings()])

    def _conditions(self) -> list[Json]:
        found: list[Json] = self.get().get("status", {}).get("conditions", [])
        return found

    def warnings(self) -> list[str]:
        """Return the texts of the composite's Warning events."""
        return [one["message"] for one in self.events() if one["type"] == "Warning"]

    def events(self) -> list[Json]:
        where = f"/namespaces/{self.namespace}" if self.namespace else ""
        uid = self.get()["metadata"]["uid"]
        return [one for one in self.kube.items(f"/api/v1{where}/events") if one["involvedObject"].get("uid") == uid]

    def composed(self) -> dict[str, Json]:
        """Return the composed resources that exist, by composition resource name."""
        one = self.get()
        found = {}
        for reference in one["spec"].get("crossplane", one["spec"]).get("resourceRefs", []):
            if "name" not in reference:
                continue
            namespace = reference.get("namespace") or self.namespace
            place = {"name": reference["name"], **({"namespace": namespace} if namespace else {})}
            composed = self.kube.find(self.kube.path({**reference, "metadata": place}))
            if composed is not None:
                found[composed["metadata"]["annotations"][_RESOURCE]] = composed
        return found

    def versions(self) -> dict[str, str]:
        """Return the versions of the composed resources, which any write changes, by composition resource name."""
        return {name: one["metadata"]["resourceVersion"] for name, one in self.composed().items()}

    def place(self, name: str) -> str:
        """Return the path of a composed resource in the API server."""
        return self.kube.path(self.composed()[name])

    def snapshot(self) -> Snapshot:
        return Snapshot(self.composed(), len(self.cloud()))

    def since(self, before: Snapshot) -> Change:
        """Return what has changed since a snapshot."""
        old, new = before.objects, self.composed()
        both = old.keys() & new.keys()
        changed = {name: _differences(old[name]["spec"], new[name]["spec"]) for name in sorted(both)}
        return Change(
            sorted(old.keys() - new.keys()),
            sorted(new.keys() - old.keys()),
            sorted(name for name in both if old[name]["metadata"]["uid"] != new[name]["metadata"]["uid"]),
            sorted(name for name, one in new.items() if "deletionTimestamp" in one["metadata"]),
            {name: paths for name, paths in changed.items() if paths},
        )

    def cloud(self) -> list[Json]:
        """Return what happened in the cloud to composed resources of this composite."""
        return [one for one in self._plane.cloud() if one["composite"] == self.name]

    def writes(self) -> collections.Counter[tuple[str, str, int]]:
        """Count the writes to the composite and what it composes: by (writer, resource, status)."""
        found: collections.Counter[tuple[str, str, int]] = collections.Counter()
        ours = re.compile(rf"{re.escape(self.name)}(-[0-9a-f]{{12}})?")
        for entry in self._plane.audit(self._audit):
            reference = entry.get("objectRef", {})
            if ours.fullmatch(reference.get("name", "")):
                part = f"/{reference['subresource']}" if reference.get("subresource") else ""
                writer = entry.get("userAgent", "").partition("/")[0]
                found[writer, reference["resource"] + part, entry.get("responseStatus", {}).get("code", 0)] += 1
        return found

    def reconciles_until_deleted(self, name: str) -> int:
        """Return how many reconciles began between the user's last change and Crossplane's deletion of an object.

        Args:
            name: The object's name. It must have been deleted.
        """
        count = 0
        for entry in self._plane.audit(self._audit):
            reference, writer = entry.get("objectRef", {}), entry.get("userAgent", "").partition("/")[0]
            if reference.get("name") == self.name and not reference.get("subresource") and entry["verb"] == "patch":
                # Crossplane applies the composite's references in each reconcile, after its deletions.
                count = 0 if writer == "tests" else count + 1
            if reference.get("name") == name and writer == "crossplane" and entry["verb"] == "delete":
                return count + 1
        raise AssertionError(f"Crossplane hasn't deleted {name}")

    def refused_deletions(self) -> list[str]:
        """Return the names of the objects that Crossplane tried to delete and wasn't allowed to, once for each time."""
        found = []
        for entry in self._plane.audit(self._audit):
            name = entry.get("objectRef", {}).get("name", "")
            code = entry.get("responseStatus", {}).get("code", 0)
            is_refused = code >= 400 and code != 404  # gone already
            if entry["verb"] == "delete" and name.startswith(f"{self.name}-") and is_refused:
                found.append(name)
        return found

    def _changes(self, path: str) -> list[Json]:
        """Return what has become of the objects of a kind since the last count."""
        try:
            return [one for _, one in self.kube.watch(path, 1, self._counted.get(path, self._version))]
        except ApiError as error:
            if "Expired" not in str(error):
                raise
            # The API server keeps few changes of a kind whose definition has changed: then what there is counts.
            return [one for _, one in self.kube.watch(path, 1)]

    def changes_by_crossplane(self) -> dict[str, int]:
        """Count Crossplane's writes that have changed a composed resource, its creation included."""
        composed = self.composed()
        # From where the last count has ended: the API server forgets old changes.
        for path in {self.kube.path(one).rpartition("/")[0] for one in composed.values()}:
            for event in self._changes(path):
                metadata = event["metadata"]
                self._counted[path] = metadata["resourceVersion"]
                if "uid" not in metadata:  # a bookmark
                    continue
                before, count = self._writes.get(metadata["uid"], (None, 0))
                now = _by_crossplane(event)
                self._writes[metadata["uid"]] = now, count + (now != before)
        return {name: self._writes.get(one["metadata"]["uid"], (None, 0))[1] for name, one in composed.items()}

    def poke(self) -> None:
        """Change an annotation, so that Crossplane reconciles now, unless its circuit breaker is open."""
        self.kube.merge(self.path, {"metadata": {"annotations": {"poke": str(time.time())}}})

    def pause(self, *names: str) -> None:
        """Let the provider leave composed resources alone."""
        for name in names:
            self.kube.merge(self.place(name), {"metadata": {"annotations": {_PAUSED: "true"}}})

    def resume(self, *names: str) -> None:
        for name in names:
            self.kube.merge(self.place(name), {"metadata": {"annotations": {_PAUSED: None}}})

    def lose(self, name: str, *fields: str) -> None:
        """Remove fields of a composed resource's `status.atProvider`, or the whole status if none is named."""
        if fields:
            self.report(name, **dict.fromkeys(fields))
        else:
            self.pause(name)
            self.kube.merge(f"{self.place(name)}/status", {"status": None})

    def report(self, name: str, **fields: str | None) -> None:
        """Let `status.atProvider` of a composed resource have these values, which the provider leaves alone."""
        self.pause(name)
        self.kube.merge(f"{self.place(name)}/status", {"status": {"atProvider": fields}})

    def change(self, **spec: Any) -> None:
        """Change fields of the composite's spec, as users do."""
        self.kube.merge(self.path, {"spec": spec})

    def forget(self) -> list[str]:
        """Remove all that composed resources remember in marks and notes; return the names of these resources.

        That is what a restored backup, or somebody's hand, does. No call sees a part of it.
        """
        forgotten = []
        with self.at_once():
            for name, one in self.composed().items():
                annotations = one["metadata"]["annotations"]
                mark = annotations.get(MARK, "")
                plain = re.sub(";[^,]*", "", mark)
                if plain != mark or NOTES in annotations:
                    self.kube.merge(self.kube.path(one), {"metadata": {"annotations": {MARK: plain, NOTES: None}}})
                    forgotten.append(name)
        return forgotten

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Let Crossplane's next call see all that happens in the block: the composite is paused meanwhile."""
        self.kube.merge(self.path, {"metadata": {"annotations": {_PAUSED: "true"}}})
        assert wait(lambda: self.condition("Synced").get("reason") == "ReconcilePaused", 30), self.told()
        yield
        self.kube.merge(self.path, {"metadata": {"annotations": {_PAUSED: None}}})

    def unready(self, name: str) -> None:
        """Let a composed resource be not Ready."""
        self.pause(name)
        one = self.composed()[name]
        condition(one, "Ready").update(status="False", reason="Unavailable")
        self.kube.put(f"{self.kube.path(one)}/status", one)

    def delete(self, policy: str = "Background") -> None:
        self.kube.delete(self.path, policy)

    def is_gone(self) -> bool:
        return self.kube.find(self.path) is None


class World:
    """What one scenario uses.

    Args:
        plane: The control plane.
        name: The scenario's name, which all its objects have.
        transport: The transport of its functions.
    """

    def __init__(self, plane: Plane, name: str, transport: str) -> None:
        self.plane, self.kube, self.name, self.transport = plane, plane.kube, name, transport
        self._functions: list[Function] = []
        self._composites: list[Composite] = []
        self.rows: dict[str, Any] = {}

    @property
    def functions(self) -> list[Function]:
        """The functions that are served."""
        return self._functions

    @property
    def namespace(self) -> str:
        """The scenario's own namespace, which exists."""
        self.kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}})
        return self.name

    def function(self, target: str, suffix: str = "", *flags: str, **environment: str) -> Function:
        """Serve a function, and make it known to Crossplane."""
        made = Function(self.plane, f"function-{self.name}{suffix}", target, self.transport, flags)
        self._functions.append(made)
        made.start(**environment)
        made.register()
        return made

    def define(self, xrd: Json) -> None:
        """Install a CompositeResourceDefinition, and wait until its kind is served."""
        self.kube.apply(xrd)
        path = f"{_DEFINITIONS}/{xrd['metadata']['name']}"
        if not wait(lambda: condition(self.kube.get(path), "Established").get("status") == "True", 60):
            raise TimeoutError(f"{xrd['metadata']['name']} isn't established")

    def pipeline(
        self, api_version: str, kind: str, *functions: Function, inputs: Sequence[Json] = (), **spec: Any
    ) -> None:
        """Make the scenario's Composition: a step for each function, with its input, and other fields of its spec."""
        steps: list[Json]
        steps = [{"step": f"step-{n}", "functionRef": {"name": one.name}} for n, one in enumerate(functions)]
        for step, input_ in zip(steps, inputs, strict=False):
            step["input"] = input_
        type_ = {"apiVersion": api_version, "kind": kind}
        self._compose({"spec": {"compositeTypeRef": type_, "mode": "Pipeline", "pipeline": steps, **spec}})

    def _compose(self, composition: Json) -> None:
        """Make a Composition with the scenario's name, and wait until Crossplane knows its revision."""
        head = {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": self.name}}
        self.kube.apply({**composition, **head})
        path = "/apis/apiextensions.crossplane.io/v1/compositionrevisions"
        query = f"{path}?labelSelector=crossplane.io/composition-name={self.name}"

        def known() -> bool:
            found = self.kube.items(query)
            return any(condition(one, "ValidPipeline").get("status") == "True" for one in found)

        if not wait(known, 60):
            raise TimeoutError(f"the Composition {self.name} has no valid revision: {self.kube.items(query)}")

    def composite(self, kind: str, spec: Json, *functions: Function, cluster: bool = False, **more: Any) -> Composite:
        """Make a composite of a kind of `definition`, which the functions compose.

        Args:
            kind: The kind, which is installed if it isn't yet.
            spec: The composite's spec.
            functions: The functions of its pipeline.
            cluster: Whether the kind has no namespaces.
            more: Arguments of `definition`.
        """
        self.define(definition(kind, **({"scope": "Cluster"} if cluster else {}), **more))
        self.pipeline(f"{GROUP}/v1", kind, *functions)
        return self.create(f"{GROUP}/v1", kind, spec, cluster=cluster)

    def composites(
        self, kind: str, spec: Json, names: Collection[str], count: int, *functions: Function, **more: Any
    ) -> dict[str, Composite]:
        """Make composites whose status has `vpcId`, and return them, by name, when all are Ready and quiet.

        Args:
            kind: The kind, which is installed.
            spec: The spec of each.
            names: The ends of their names.
            count: How many resources each composes.
            functions: The functions of their pipeline.
            more: Arguments of `pipeline`.
        """
        self.define(definition(kind, status={"vpcId": "string"}))
        self.pipeline(f"{GROUP}/v1", kind, *functions, **more)
        found = {name: self.create(f"{GROUP}/v1", kind, spec, cluster=False, suffix=f"-{name}") for name in names}
        for one in found.values():
            assert wait(lambda one=one: len(one.composed()) == count, 60), one.told()
            one.wait_ready()
        self.settle(quiet=2)
        return found

    def create(self, api_version: str, kind: str, spec: Json, *, cluster: bool, suffix: str = "") -> Composite:
        """Make a composite that the scenario's Composition composes."""
        metadata = {"name": f"{self.name}{suffix}", **({} if cluster else {"namespace": self.namespace})}
        spec = {**spec, "crossplane": {"compositionRef": {"name": self.name}}}
        one = Composite(self.plane, {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec})
        self._composites.append(one)
        return one

    def example(self, folder: str, *functions: Function, **changes: Any) -> Composite:
        """Make the composite of one of the project's examples, with the example's definition and composition.

        Args:
            folder: The example's folder.
            functions: The functions of its pipeline, in the order of its steps.
            changes: Fields that the composite's spec has in place of the example's.
        """
        names = ("xrd", "composition", "xr")
        files = {name: yaml.safe_load((ROOT / "examples" / folder / f"{name}.yaml").read_text()) for name in names}
        self.define(files["xrd"])
        for step, function in zip(files["composition"]["spec"]["pipeline"], functions, strict=True):
            step["functionRef"]["name"] = function.name
        self._compose(files["composition"])
        one = files["xr"]
        cluster = "namespace" not in one["metadata"]
        return self.create(one["apiVersion"], one["kind"], {**one["spec"], **changes}, cluster=cluster)

    def react(self, composite: Composite, *functions: Function, quiet: float = 4, seconds: float = 90) -> None:
        """Let Crossplane reconcile, and return when no function was called for `quiet` seconds."""
        functions = functions or tuple(self._functions)
        count = self._count(functions)
        composite.poke()
        wait(lambda: self._count(functions) > count, 30)
        self.settle(*functions, quiet=quiet, seconds=seconds)

    def settle(self, *functions: Function, quiet: float = 4, seconds: float = 90) -> None:
        """Return when no function was called for `quiet` seconds."""
        functions = functions or tuple(self._functions)
        until = time.monotonic() + seconds
        last, since = self._count(functions), time.monotonic()
        while time.monotonic() - since < quiet and time.monotonic() < until:
            time.sleep(0.5)
            now = self._count(functions)
            if now != last:
                last, since = now, time.monotonic()

    def _count(self, functions: tuple[Function, ...]) -> int:
        return sum(one.calls for one in functions)

    def logs(self) -> Iterator[tuple[str, str]]:
        """Yield each log of a function, with its path."""
        for path in sorted((self.plane.folder / "log").glob(f"function-function-{self.name}*.log")):
            yield str(path), path.read_text(errors="replace")

    def command(self, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command of `crossplane-lite` with the control plane's kubeconfig."""
        return subprocess.run(
            [sys.executable, "-m", "crossplane_lite", *map(str, arguments)],
            cwd=cwd or ROOT,
            env={**self.environment(), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def environment(self) -> dict[str, str]:
        return {**os.environ, "KUBECONFIG": str(self.plane.kubeconfig)}

    def close(self) -> None:
        """End the scenario's servers, and let its composites go, which Crossplane would otherwise go on to compose."""
        for one in self._composites:
            with contextlib.suppress(ApiError, OSError):  # gone already
                one.delete()
        for function in self._functions:
            for path in self.plane.folder.glob(f"function-{function.name}*.pid"):
                self.plane.end(path.stem)


def _differences(before: Any, after: Any, at: str = "") -> list[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        keys = sorted({*before, *after})
        return [path for key in keys for path in _differences(before.get(key), after.get(key), f"{at}.{key}")]
    return [] if before == after else [at]


def _by_crossplane(one: Json) -> Json:
    """Return the fields of a composed resource that Crossplane has applied, with their values."""
    entries = one["metadata"].get("managedFields", [])
    owned = [entry["fieldsV1"] for entry in entries if entry["manager"].startswith(_MANAGER)]
    return {"fields": owned, "values": [_values(one, fields) for fields in owned]}


def _values(one: Any, fields: Json) -> Any:
    if not fields or not isinstance(one, dict):
        return one
    keys = [key[2:] for key in fields if key.startswith("f:")]
    return {key: _values(one.get(key), fields[f"f:{key}"]) for key in keys}
