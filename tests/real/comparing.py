"""One case in both engines: what functions were sent, what is applied, deleted and reported, and how it ends."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

import grpc
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.manifests.objects import APPLIED_BY
from crossplane_lite._tools.manifests.yaml import Document
from crossplane_lite._tools.render.cluster import Files
from crossplane_lite._tools.render.composition import composition_steps, operation_of, operation_steps, watching
from crossplane_lite._tools.render.output import events, shortened
from crossplane_lite.errors import CrossplaneLiteError
from crossplane_lite.render import FatalResultError, Rendered, RenderError, render, render_operation
from tests.real import engine
from tests.render.scripted import Scripted

__all__ = ["DIFFERENCES", "TIME", "Case", "Side", "Sides", "compare", "engines", "meant", "served", "timeless"]

Script = Callable[[fnv1.RunFunctionRequest, fnv1.RunFunctionResponse], object]

TIME: Final = "2024-01-01T00:00:00Z"
_SERVICE: Final = "apiextensions.fn.proto.v1.FunctionRunnerService"


# The differences that are meant: where they are, and why. A case names those that it has.
DIFFERENCES: Final[Mapping[str, tuple[str, str]]] = {
    "desired status of a composed resource": (
        r"applied[.\[].*\.status",
        "the engine shows what it sends; an API server takes no status from an apply, and neither do we show one",
    ),
    "order of references in a request": (
        r"requests[.\[].*\.resourceRefs\[",
        "the engine's render takes the order of the files; in a cluster Crossplane keeps them sorted, as we do",
    ),
    "observedGeneration after the pipeline": (
        r"primary\.status\.conditions\[.\]\.observedGeneration",
        "the engine's client forgets the composite's generation when the status is patched; an API server doesn't",
    ),
    "status that Crossplane wrote": (
        r"primary\.status\.(claimConditionTypes|connectionDetails|lastHandledReconcileAt)",
        "the engine's client replaces the whole status; an API server keeps fields of other managers",
    ),
    "labels of what is deleted": (
        r"deleted[.\[].*\.labels",
        "Crossplane takes its own labels off before it deletes; we show the resource as it is observed",
    ),
    "two observed resources of one name": (
        r"(status|primary|deleted.*|events|requests.*): ",
        "the engine takes one of the two without a word; in files this is a mistake, and we refuse it",
    ),
    "a cluster-scoped resource of a namespaced composite": (
        r"(status|primary.*|applied.*|events.*): ",
        "the engine's client calls every kind namespaced; Crossplane in a cluster refuses it, and so do we",
    ),
    "a namespaced resource without a namespace": (
        r"(status|primary.*|applied.*|events.*): ",
        "the engine's client takes it; an API server refuses it, and so do we if the composite is cluster-scoped",
    ),
    "what an API server refuses": (
        r"(status|primary.*|applied.*|events.*): ",
        "the engine's client takes objects without a kind or a name; no API server does, and we say so",
    ),
    "what is made of a template": (
        r"primary\.metadata",
        "Crossplane generates the name, and notes the watched resource in annotations; we keep the template's name, as "
        "`crossplane render op` does, so that the output is the same each time",
    ),
}


class Case(NamedTuple):
    """One case.

    Attributes:
        name: What it is about.
        steps: The functions of the pipeline, each a script that fills in its answer; the steps are called one, two...
        xr: The composite, or the Operation.
        observed: The observed composed resources.
        required: What else exists.
        secrets: The Secrets of credentials and connection details.
        xrd: The CompositeResourceDefinition.
        schemas: OpenAPI documents.
        pipeline: What the steps of the Composition have besides, by step name.
        labels: Labels of the Composition.
        watched: The watched resource of a WatchOperation.
        fails: A text that both errors have, None where both must succeed.
        meant: The names of the differences that are meant, from `DIFFERENCES`.
    """

    name: str
    steps: Sequence[Script]
    xr: Mapping[str, Any]
    observed: Sequence[Mapping[str, Any]] = ()
    required: Sequence[Mapping[str, Any]] = ()
    secrets: Sequence[Mapping[str, Any]] = ()
    xrd: Mapping[str, Any] | None = None
    schemas: Sequence[Mapping[str, Any]] = ()
    pipeline: Mapping[str, Mapping[str, Any]] = {}
    watched: Mapping[str, Any] | None = None
    fails: str | None = None
    meant: Sequence[str] = ()

    def __repr__(self) -> str:
        return self.name


class Side(NamedTuple):
    """What one engine made of a case.

    Attributes:
        status: `done`, `fatal` or `failed`.
        error: The error's text.
        primary: The composite or Operation afterwards; None where the engine gives none.
        applied: What is applied, by kind, namespace and name.
        deleted: What is deleted, in the same way.
        events: The events, sorted.
        requests: What the functions were sent, by step, one for each call.
    """

    status: str
    error: str
    primary: Any
    applied: dict[str, Any]
    deleted: dict[str, Any]
    events: list[tuple[str, str, str]]
    requests: dict[str, list[Any]]


class Sides(NamedTuple):
    """Both."""

    ours: Side
    real: Side


_NAMES: Final = ("one", "two", "three", "four")


@contextlib.contextmanager
def served(functions: Mapping[str, Callable[[bytes], bytes]]) -> Iterator[dict[str, str]]:
    """Serve functions, each at an address of its own; yields the addresses."""
    servers = []
    addresses = {}
    try:
        for name, function in functions.items():
            server = grpc.server(ThreadPoolExecutor(2), options=[("grpc.max_receive_message_length", -1)])
            handler = grpc.unary_unary_rpc_method_handler(lambda data, _context, run=function: run(data))
            server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(_SERVICE, {"RunFunction": handler}),))
            addresses[name] = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
            server.start()
            servers.append(server)
        yield addresses
    finally:
        for server in servers:
            server.stop(None)


def engines(case: Case) -> Sides:
    """Run a case through both engines."""
    return Sides(_ours(case), _real(case))


def _is_operation(case: Case) -> bool:
    return str(case.xr["kind"]).endswith("Operation")


def _pipeline(case: Case) -> list[dict[str, Any]]:
    return [
        {"step": name, "functionRef": {"name": f"function-{name}"}, **case.pipeline.get(name, {})}
        for name, _ in zip(_NAMES, case.steps, strict=False)
    ]


def _composition(case: Case) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "a-composition"},
        "spec": {
            "compositeTypeRef": {key: case.xr[key] for key in ("apiVersion", "kind")},
            "mode": "Pipeline",
            "pipeline": _pipeline(case),
        },
    }


def _scripted(case: Case) -> dict[str, Scripted]:
    return {f"function-{name}": Scripted(script) for name, script in zip(_NAMES, case.steps, strict=False)}


def _requests(functions: Mapping[str, Scripted]) -> dict[str, list[Any]]:
    return {name: [_request(one) for one in function.requests] for name, function in functions.items()}


def _request(message: fnv1.RunFunctionRequest) -> Any:
    """Return a request as plain data, without what is another one in each run."""
    plain = engine.plain(message)
    plain.pop("meta", None)
    capabilities = sorted(fnv1.Capability.Name(one) for one in message.meta.capabilities)
    composite = plain.get("observed", {}).get("composite", {}).get("resource", {})
    composite.get("metadata", {}).pop("resourceVersion", None)
    for one in plain.get("observed", {}).get("resources", {}).values():
        # Files that people write have none; a preview adds those that Crossplane's own entry would have.
        metadata = one.get("resource", {}).get("metadata", {})
        if [entry.get("manager") for entry in metadata.get("managedFields", ())] == [APPLIED_BY]:
            del metadata["managedFields"]
    for state in ("requiredResources", "extraResources"):
        for found in plain.get(state, {}).values():
            for item in found.get("items", ()):
                if item["resource"].get("kind") == composite.get("kind"):
                    item["resource"]["metadata"].pop("resourceVersion", None)
    if not plain.get("context"):
        plain.pop("context", None)  # which is empty, or not there: the same for every function
    return timeless({"capabilities": capabilities, **plain})


def timeless(value: Any) -> Any:
    """Return plain data whose conditions have all the same transition time."""
    if isinstance(value, Mapping):
        return {key: TIME if key == "lastTransitionTime" else timeless(one) for key, one in value.items()}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def _by_place(objects: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found = {}
    for one in objects:
        metadata = one.get("metadata", {})
        place = "/".join(str(part) for part in (one["kind"], metadata.get("namespace", ""), metadata.get("name", "")))
        assert place not in found, f"two objects at {place}"
        found[place] = timeless(one)
    return found


def _ours(case: Case) -> Side:
    functions = _scripted(case)
    given = copy.deepcopy((case.xr, list(case.observed), list(case.required)))
    schemas = Schemas()
    for number, document in enumerate(case.schemas):
        schemas.add_openapi(document, f"schemas[{number}]")
    cluster = Files([*case.required, *case.secrets, *([case.watched] if case.watched else [])], schemas)
    composite = dict(case.xr)
    try:
        if _is_operation(case):
            document = Document("operation.yaml", composite)
            operation = operation_of(document)
            steps = operation_steps(operation)
            if case.watched is not None:
                steps = watching(steps, document, Document("watched.yaml", dict(case.watched)))
            composite = dict(operation.content)
            rendered = render_operation(composite, steps, functions, cluster=cluster)
        else:
            steps = composition_steps(Document("composition.yaml", _composition(case)), Document("xr.yaml", composite))
            rendered = render(
                composite,
                steps,
                functions,
                cluster=cluster,
                observed=case.observed,
                xrd=case.xrd,
                composition="a-composition",
            )
    except CrossplaneLiteError as error:
        return _failed(error, case, composite, functions)
    assert given == (case.xr, list(case.observed), list(case.required))
    return Side(
        "done",
        "",
        timeless(shortened(rendered.composite, legacy=rendered.legacy)),
        _by_place(list(rendered.composed.values())),
        _by_place(list(rendered.deleted.values())),
        _events(rendered, case, composite),
        _requests(functions),
    )


def _events(rendered: Rendered, case: Case, composite: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    named = None if _is_operation(case) else "a-composition"
    return sorted((one.severity, one.reason, one.message) for one in events(rendered, composite, named))


def _failed(
    error: CrossplaneLiteError, case: Case, composite: Mapping[str, Any], functions: Mapping[str, Scripted]
) -> Side:
    primary = error.composite if isinstance(error, RenderError) else None
    found: list[tuple[str, str, str]] = []
    if isinstance(error, RenderError) and primary is not None:
        legacy = bool(case.xrd and case.xrd["spec"].get("scope", "LegacyCluster") == "LegacyCluster")
        rendered = Rendered(primary, {}, {}, {}, list(error.results), {}, {}, list(error.steps), legacy=legacy)
        found = _events(rendered, case, composite)
        if not _is_operation(case):
            found.append(("Warning", "ComposeResources", f"cannot compose resources: {error}"))
        else:
            found.append(("Warning", "FunctionInvocation", str(error)))
        primary = shortened(primary, legacy=legacy)
    return Side(
        "fatal" if isinstance(error, FatalResultError) else "failed",
        str(error),
        timeless(primary),
        {},
        {},
        sorted(found),
        _requests(functions),
    )


def _real(case: Case) -> Side:
    functions = _scripted(case)
    with served({name: lambda data, one=one: one.run(data, 0.0) for name, one in functions.items()}) as addresses:
        kind, fields = _engine_input(case)
        if kind in ("cron_operation", "watch_operation"):
            made = engine.render(kind, **fields)
            if made.status or made.primary is None:
                return Side("failed", made.error, None, {}, {}, [], {})
            kind, fields = "operation", {"operation": made.primary}
        if kind == "operation":
            fields["required_resources"] = [*case.required, *([case.watched] if case.watched else [])]
        else:
            fields["required_resources"] = case.required
        found = engine.render(
            kind, functions=addresses, credentials=case.secrets, required_schemas=case.schemas, **fields
        )
    legacy = bool(case.xrd and case.xrd["spec"].get("scope", "LegacyCluster") == "LegacyCluster")
    return Side(
        {0: "done", 3: "fatal"}.get(found.status, "failed"),
        found.error,
        None if found.primary is None else timeless(shortened(found.primary, legacy=legacy)),
        {} if found.status else _by_place(found.applied),
        {} if found.status else _by_place(found.deleted),
        sorted(tuple(one) for one in found.events),
        _requests(functions),
    )


def _engine_input(case: Case) -> tuple[str, dict[str, Any]]:
    if not _is_operation(case):
        return "composite", {
            "composite_resource": case.xr,
            "composition": _composition(case),
            "observed_resources": case.observed,
            "composite_resource_definition": case.xrd,
        }
    kinds = {"Operation": "operation", "CronOperation": "cron_operation", "WatchOperation": "watch_operation"}
    kind = kinds[case.xr["kind"]]
    fields = {kind: case.xr}
    if case.watched is not None:
        fields["watched_resource"] = case.watched
    return kind, fields


def compare(sides: Sides) -> list[str]:
    """Return the differences, each as `part.path: ours | real`."""
    found: list[str] = []
    # Where it fails for another reason than a fatal result, the engine prints an error and nothing else.
    silent = ("primary", "events") if sides.ours.status == sides.real.status == "failed" else ()
    for part in Side._fields:
        if part != "error" and part not in silent:
            _differences(part, getattr(sides.ours, part), getattr(sides.real, part), found)
    return found


def meant(difference: str, names: Sequence[str]) -> str | None:
    """Return which of these meant differences a difference is, None where it is none of them."""
    return next((name for name in names if re.match(DIFFERENCES[name][0], difference)), None)


def _differences(path: str, ours: Any, real: Any, found: list[str]) -> None:
    if isinstance(ours, dict) and isinstance(real, dict):
        for key in sorted({*ours, *real}):
            at = f"{path}[{key!r}]" if "." in key or "/" in key else f"{path}.{key}"
            _differences(at, ours.get(key, "(nothing)"), real.get(key, "(nothing)"), found)
    elif isinstance(ours, list) and isinstance(real, list) and len(ours) == len(real):
        for at, (one, other) in enumerate(zip(ours, real, strict=True)):
            _differences(f"{path}[{at}]", one, other, found)
    elif ours != real or isinstance(ours, bool) is not isinstance(real, bool):
        found.append(f"{path}: {ours!r} | {real!r}")
