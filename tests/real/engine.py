"""Crossplane's own render engine: built from the modules that `engine/go.mod` requires, and called as a process.

The Go module proxy gives the source, and the binary is kept in a folder of its own below the user's cache directory. It
takes about two minutes on two cores to build it, once.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, struct_pb2

__all__ = ["Event", "Outcome", "binary", "definitions", "render", "struct"]

_MODULE: Final = Path(__file__).parent / "engine"
_COMMAND: Final = "github.com/crossplane/crossplane/v2/cmd/crossplane"
_PACKAGE: Final = "crossplane.render.v1alpha1"

# Field numbers of the engine's messages, as the module's proto/render has them: name, number, type, repeated.
_STRUCT: Final = ".google.protobuf.Struct"
_MESSAGES: Final[Mapping[str, Sequence[tuple[str, int, str, bool]]]] = {
    "FunctionInput": (("name", 1, "", False), ("address", 2, "", False)),
    "Event": (("type", 1, "", False), ("reason", 2, "", False), ("message", 3, "", False)),
    "CompositeInput": (
        ("composite_resource", 1, _STRUCT, False),
        ("composition", 2, _STRUCT, False),
        ("functions", 3, "FunctionInput", True),
        ("observed_resources", 4, _STRUCT, True),
        ("required_resources", 5, _STRUCT, True),
        ("credentials", 6, _STRUCT, True),
        ("required_schemas", 7, _STRUCT, True),
        ("composite_resource_definition", 8, _STRUCT, False),
    ),
    "CompositeOutput": (
        ("composite_resource", 1, _STRUCT, False),
        ("composed_resources", 2, _STRUCT, True),
        ("deleted_resources", 3, _STRUCT, True),
        ("events", 4, "Event", True),
        ("required_resources", 5, _STRUCT, True),
        ("required_schemas", 6, _STRUCT, True),
    ),
    "OperationInput": (
        ("operation", 1, _STRUCT, False),
        ("functions", 2, "FunctionInput", True),
        ("required_resources", 3, _STRUCT, True),
        ("credentials", 4, _STRUCT, True),
        ("required_schemas", 5, _STRUCT, True),
    ),
    "OperationOutput": (
        ("operation", 1, _STRUCT, False),
        ("applied_resources", 2, _STRUCT, True),
        ("events", 3, "Event", True),
        ("required_resources", 4, _STRUCT, True),
        ("required_schemas", 5, _STRUCT, True),
    ),
    "CronOperationInput": (("cron_operation", 1, _STRUCT, False),),
    "CronOperationOutput": (("operation", 1, _STRUCT, False),),
    "WatchOperationInput": (("watch_operation", 1, _STRUCT, False), ("watched_resource", 2, _STRUCT, False)),
    "WatchOperationOutput": (("operation", 1, _STRUCT, False),),
    "RenderRequest": tuple(
        (f"{kind}", number, f"{title}Input", False)
        for number, kind, title in (
            (2, "composite", "Composite"),
            (3, "operation", "Operation"),
            (4, "cron_operation", "CronOperation"),
            (5, "watch_operation", "WatchOperation"),
        )
    ),
    "RenderResponse": tuple(
        (f"{kind}", number, f"{title}Output", False)
        for number, kind, title in (
            (2, "composite", "Composite"),
            (3, "operation", "Operation"),
            (4, "cron_operation", "CronOperation"),
            (5, "watch_operation", "WatchOperation"),
        )
    ),
}


class Event(NamedTuple):
    """An event that the engine would send."""

    type: str
    reason: str
    message: str


class Outcome(NamedTuple):
    """What one run of the engine came to.

    Attributes:
        status: The process's exit status: 0; 3 after a fatal result; 1 after any other failure.
        error: What it wrote on stderr.
        primary: The composite or the Operation afterwards, None where the engine gives none.
        applied: The objects that it applies.
        deleted: The objects that it deletes.
        events: The events.
    """

    status: int
    error: str
    primary: dict[str, Any] | None
    applied: list[dict[str, Any]]
    deleted: list[dict[str, Any]]
    events: list[Event]


@functools.cache
def binary() -> Path:
    """Return the engine, built where it isn't yet; the test is skipped where there is no Go."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("the engine is built from source, and Go is not installed")
    said = b"".join((_MODULE / name).read_bytes() for name in ("go.mod", "go.sum"))
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "crossplane-lite" / "engine" / hashlib.sha256(said).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    built = folder / "crossplane"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        if not built.exists():
            for name in ("go.mod", "go.sum"):
                shutil.copy(_MODULE / name, folder / name)
            command = [go, "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-o", "crossplane.part", _COMMAND]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"the engine can't be built: {done.stderr[-4000:]}"
            (folder / "crossplane.part").rename(built)
    return built


@functools.cache
def definitions() -> list[Path]:
    """Return the folders of the definitions of Crossplane's own kinds, as the engine's version has them."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("the definitions come from Go's module proxy, and Go is not installed")
    command = [go, "mod", "download", "-json", _COMMAND.removesuffix("/cmd/crossplane")]
    done = subprocess.run(command, cwd=_MODULE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"the definitions can't be downloaded: {done.stdout}{done.stderr}"
    cluster = Path(json.loads(done.stdout)["Dir"]) / "cluster"
    return [cluster / "crds", cluster / "meta"]


@functools.cache
def _messages() -> dict[str, Any]:
    """Return the engine's message classes by name."""
    file = descriptor_pb2.FileDescriptorProto(
        name="render_of_tests.proto",
        package=_PACKAGE,
        syntax="proto3",
        dependency=["google/protobuf/struct.proto"],
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, type_, repeated in fields:
            made = message.field.add(name=field, number=number)
            made.label = made.LABEL_REPEATED if repeated else made.LABEL_OPTIONAL
            made.type = made.TYPE_MESSAGE if type_ else made.TYPE_STRING
            if type_:
                made.type_name = type_ if type_.startswith(".") else f".{_PACKAGE}.{type_}"
    pool = descriptor_pool.DescriptorPool()
    structs = descriptor_pb2.FileDescriptorProto()
    struct_pb2.DESCRIPTOR.CopyToProto(structs)
    pool.Add(structs)  # type: ignore[no-untyped-call]
    pool.Add(file)  # type: ignore[no-untyped-call]
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _MESSAGES
    }


def struct(content: Mapping[str, Any]) -> bytes:
    """Return an object as the bytes of a Struct, its numbers as doubles."""
    made = json_format.ParseDict(_doubles(content), struct_pb2.Struct())
    data: bytes = made.SerializeToString()
    return data


def render(kind: str, timeout: float = 60, **fields: Any) -> Outcome:
    """Run the engine once.

    Args:
        kind: `composite`, `operation`, `cron_operation` or `watch_operation`.
        timeout: Seconds for the run.
        fields: The fields of the input by name: objects, lists of objects, and the addresses of functions by name.
    """
    request = _messages()["RenderRequest"]()
    given = getattr(request, kind)
    given.SetInParent()
    for name, value in fields.items():
        if value is None:
            continue
        if name == "functions":
            for function, address in value.items():
                given.functions.add(name=function, address=address)
        elif isinstance(value, Mapping):
            getattr(given, name).ParseFromString(struct(value))
        else:
            for one in value:
                getattr(given, name).add().ParseFromString(struct(one))
    done = subprocess.run(
        [binary(), "internal", "render", f"--timeout={timeout:g}s"],
        input=request.SerializeToString(),
        capture_output=True,
        check=False,
        timeout=timeout + 30,
        env={**os.environ, "no_proxy": "*", "NO_PROXY": "*"},
    )
    answer = getattr(_messages()["RenderResponse"].FromString(done.stdout), kind)
    is_composite = kind == "composite"
    primary = answer.composite_resource if is_composite else answer.operation
    applied = "composed_resources" if is_composite else "applied_resources"
    return Outcome(
        done.returncode,
        done.stderr.decode(errors="replace"),
        plain(primary) or None,
        _plains(getattr(answer, applied, ())),
        _plains(getattr(answer, "deleted_resources", ())),
        [Event(one.type, one.reason, one.message) for one in getattr(answer, "events", ())],
    )


def plain(message: Any) -> dict[str, Any]:
    """Return a Struct as plain values, whole numbers as integers."""
    found: dict[str, Any] = _integers(json_format.MessageToDict(message))
    return found


def _plains(messages: Iterable[Any]) -> list[dict[str, Any]]:
    return [plain(one) for one in messages]


def _integers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _integers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_integers(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _doubles(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _doubles(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_doubles(one) for one in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
