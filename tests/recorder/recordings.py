"""Recordings for tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from crossplane_lite import testing
from crossplane_lite._core import codec
from crossplane_lite._tools.recorder.messages import as_json
from crossplane_lite._tools.recorder.recording import Event, Subject
from crossplane_lite._tools.recorder.writing import Writer
from crossplane_lite.proto import _view
from crossplane_lite.runtime._message_functions import runner_of

NETWORK = Subject("example.org/v1", "XNetwork", "team", "example", "11", "networks")


def at(second: float) -> str:
    """Return a time of a recording."""
    return f"2026-11-24T18:30:{second:09.6f}Z"


def event(kind: str, second: float = 0, **fields: Any) -> Event:
    """Return an event of one step of a pipeline."""
    usual: dict[str, Any] = {
        "trace": "t1", "span": "s1", "step": "compose", "number": 0, "iteration": 0, "function": "function-network",
        "subject": NETWORK,
    }  # fmt: skip
    return Event(kind, at(second), **{**usual, **fields})


def write_call(writer: Writer, request: Any, response: Any, second: float = 0, **fields: Any) -> None:
    """Write a request and its answer; a text in the place of the answer is an error."""
    writer.write(event("request", second, **fields), json.dumps(request).encode())
    error = response if isinstance(response, str) else ""
    content = b"" if error else json.dumps(response).encode()
    writer.write(event("response", second + 0.001, **fields)._replace(error=error), content)
    writer.flush()


def writer(folder: Path, file_bytes: int = 1 << 20, total_bytes: int = 1 << 24) -> Writer:
    """Return a writer of a recording."""
    return Writer(folder, file_bytes, total_bytes)


def play(
    made: Writer, version: Any, request: bytes, second: float = 0, subject: Subject = NETWORK, /, **fields: Any
) -> bytes:
    """Ask a function, write the call, and return the answer's bytes."""
    run = version.run if hasattr(version, "run") else runner_of(version).run
    answer: bytes = run(request)
    contents = (_view.RunFunctionRequest.FromString(request), _view.RunFunctionResponse.FromString(answer))
    asked, answered = map(as_json, contents)
    fields = {"trace": f"t{second}{subject.name}", "span": f"s{second}{subject.name}", "subject": subject, **fields}
    write_call(made, asked, answered, second, **fields)
    return answer


def network(name: str = "example", zones: Sequence[str] = "ab", **spec: Any) -> dict[str, Any]:
    """Return a composite."""
    return {
        "apiVersion": "example.org/v1",
        "kind": "XNetwork",
        "metadata": {"name": name, "namespace": "team", "uid": f"uid-{name}"},
        "spec": {"size": "small", "zones": list(zones), **spec},
    }


def grown(function: Any, xr: dict[str, Any], rounds: int = 3) -> Iterator[bytes]:
    """Yield the requests of a composite from birth on. Each composed resource gets a status with its id."""
    observed: dict[str, Any] = {}
    uid = xr["metadata"]["uid"]
    for _ in range(rounds):
        request = testing.request(xr, observed=list(observed.values()))
        yield request
        run = function.run if hasattr(function, "run") else runner_of(function).run
        desired = _view.RunFunctionResponse.FromString(run(request)).desired.resources
        for name in desired:
            one = codec.decode_struct(desired[name].resource)
            metadata = one.setdefault("metadata", {})
            metadata["name"], metadata["namespace"] = f"{xr['metadata']['name']}-{name}", "team"
            metadata.setdefault("annotations", {})["crossplane.io/composition-resource-name"] = name
            metadata["ownerReferences"] = [
                {"apiVersion": xr["apiVersion"], "kind": xr["kind"], "name": xr["metadata"]["name"], "uid": uid,
                 "controller": True}
            ]  # fmt: skip
            conditions = [{"type": "Ready", "status": "True", "reason": "Available"}]
            observed[name] = {**one, "status": {"id": f"{name}-id", "conditions": conditions}}


def subject_of(xr: dict[str, Any]) -> Subject:
    """Return what calls for a composite are about."""
    metadata = xr["metadata"]
    return Subject(xr["apiVersion"], xr["kind"], metadata["namespace"], metadata["name"], metadata["uid"], "networks")


def record_all(folder: Path, function: Any, *composites: dict[str, Any], rounds: int = 3) -> Path:
    """Write a recording of composites from birth on."""
    made = writer(folder)
    for number, xr in enumerate(composites):
        for turn, request in enumerate(grown(function, xr, rounds)):
            play(made, function, request, turn + number / 100, subject_of(xr))
    made.close()
    return folder
