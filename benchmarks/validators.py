"""Validators from PyPI compared on schemas of Kubernetes: `python -m benchmarks.validators`.

What they get right, alone and behind the translation that `crossplane_lite.schemas` makes; what
deep schemas and values do to them; import time and size; and time to get ready and to check one
object, in turns. It needs the extra `bench`.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import statistics
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks import models
from benchmarks.measuring import in_turns, per_call
from benchmarks.report import show
from crossplane_lite import schemas
from crossplane_lite._core.schemas.translate import translate

__all__ = ["main"]

_LIBRARIES = ("jsonschema-rs", "jsonschema", "openapi-schema-validator")
_ROUNDS = 9
_KINDS = (models.BUCKET, models.CLUSTER)

Check = Callable[[Any], bool]
Json = dict[str, Any]

_A: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
_INT_OR_STRING: Json = {"x-kubernetes-int-or-string": True}
_EMBEDDED: Json = {
    "type": "object",
    "x-kubernetes-embedded-resource": True,
    "properties": {"spec": {"type": "object"}},
}
_PORTS: Json = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port"],
    "items": {"type": "object", "properties": {"port": {"type": "integer"}}},
}
# What is meant, the schema of a field, its value, and whether an API server takes it.
_CASES: tuple[tuple[str, Json, Any, bool], ...] = (
    ("int-or-string, an integer", _INT_OR_STRING, 80, True),
    ("int-or-string, text", _INT_OR_STRING, "50%", True),
    ("int-or-string, a list", _INT_OR_STRING, [], False),
    (
        "preserve-unknown-fields",
        {**_A, "x-kubernetes-preserve-unknown-fields": True},
        {"b": 1},
        True,
    ),
    ("unknown field", _A, {"b": 1}, False),
    ("unknown field behind a reference", {"allOf": [_A], "default": {}}, {"b": 1}, False),
    (
        "field that only allOf says more of",
        {**_A, "allOf": [{"properties": {"a": {"minLength": 1}}}]},
        {"a": "x"},
        True,
    ),
    ("cycle that was cut", {"type": "object"}, {"any": {"thing": 1}}, True),
    ("nullable", {"type": "string", "nullable": True}, None, True),
    ("nullable with an enum", {"type": "string", "nullable": True, "enum": ["a"]}, None, True),
    ("null where nothing has to be", {"type": "string"}, None, True),
    ("null in a list", {"type": "array", "items": {"type": "string"}}, [None], False),
    (
        "embedded resource",
        _EMBEDDED,
        {"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {}},
        True,
    ),
    ("embedded resource without a kind", _EMBEDDED, {"apiVersion": "v1"}, False),
    (
        "required with a default",
        {"required": ["a"], "properties": {"a": {"default": "x"}}},
        {},
        True,
    ),
    ("list that is a set", {"type": "array", "x-kubernetes-list-type": "set"}, ["a", "a"], False),
    ("list that is a map", _PORTS, [{"port": 1}, {"port": 1}], False),
    (
        "exclusiveMinimum: true",
        {"type": "integer", "minimum": 5, "exclusiveMinimum": True},
        5,
        False,
    ),
    ("int32, too large", {"type": "integer", "format": "int32"}, 2**31, False),
    ("int64", {"type": "integer", "format": "int64"}, 2**53, True),
    ("number for an integer, 5.0", {"type": "integer"}, 5.0, True),
    ("byte", {"type": "string", "format": "byte"}, "aGk=", True),
    ("byte, no base64", {"type": "string", "format": "byte"}, "h!", False),
    (
        "date-time, no such day",
        {"type": "string", "format": "date-time"},
        "2023-02-30T00:00:00Z",
        False,
    ),
    ("duration, as Go has it", {"type": "string", "format": "duration"}, "1h30m", True),
    ("pattern, $ before a line end", {"type": "string", "pattern": "^a$"}, "a\n", False),
    ("pattern in Go's syntax", {"type": "string", "pattern": r"^\pL+\z"}, "é", True),
    ("pattern, digits of ASCII", {"type": "string", "pattern": r"^\d$"}, "٣", False),
    (
        "name that looks like a number",
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"0": 1},
        False,
    ),
)


def _jsonschema_rs(schema: Json, *, plain: bool) -> Check:
    import jsonschema_rs

    cls = jsonschema_rs.Draft202012Validator if plain else jsonschema_rs.Draft4Validator
    validator = cls(schema, validate_formats=True, pattern_options=jsonschema_rs.RegexOptions())
    return lambda value: not list(validator.iter_errors(value))


def _jsonschema(schema: Json, *, plain: bool) -> Check:
    import jsonschema

    cls = jsonschema.Draft202012Validator if plain else jsonschema.Draft4Validator
    validator = cls(schema, format_checker=cls.FORMAT_CHECKER)
    return lambda value: not list(validator.iter_errors(value))


def _openapi(schema: Json, *, plain: bool) -> Check:
    import openapi_schema_validator as oapi

    cls = oapi.OAS31Validator if plain else oapi.OAS30Validator
    validator = cls(schema, format_checker=cls.FORMAT_CHECKER)
    return lambda value: not list(validator.iter_errors(value))


_SIDES: dict[str, Callable[..., Check]] = dict(
    zip(_LIBRARIES, (_jsonschema_rs, _jsonschema, _openapi), strict=True)
)


def _verdict(check: Callable[[], bool]) -> bool | str:
    """Return what a check says, or the name of the exception that it ends in."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return check()
    except Exception as error:
        return type(error).__name__


def _verdicts(field: Json, value: Any) -> list[bool | str]:
    """Return what each side says of a field: alone, behind the translation, and ours."""
    schema = {"type": "object", "properties": {"x": field}}
    data = {"x": value}
    alone = [
        _verdict(lambda side=side: side(schema, plain=False)(data)) for side in _SIDES.values()
    ]
    behind = [
        _verdict(lambda side=side: side(translate(schema), plain=True)(data))
        for side in _SIDES.values()
    ]
    return [*alone, *behind, _verdict(lambda: not schemas.errors_in(data, schema))]


def _correctness() -> None:
    columns = [*_LIBRARIES, *(f"+ {name}" for name in _LIBRARIES), "ours"]
    right = dict.fromkeys(columns, 0)
    print(
        "Verdicts that an API server shares (.), and those that it doesn't; + is behind the"
        " translation\n"
    )
    print(f"{'':<36} " + " ".join(f"{column[:16]:<16}" for column in columns))
    for name, field, value, valid in _CASES:
        shown = []
        for column, verdict in zip(columns, _verdicts(field, value), strict=True):
            right[column] += verdict is valid
            shown.append(
                "."
                if verdict is valid
                else {True: "takes it", False: "refuses it"}.get(verdict, verdict)
            )
        print(f"{name:<36} " + " ".join(f"{str(one)[:16]:<16}" for one in shown))
    print(
        f"{'right, of ' + str(len(_CASES)):<36} "
        + " ".join(f"{right[column]:<16}" for column in columns)
    )


def _chain(depth: int) -> tuple[Json, Any]:
    """Return a schema of objects in each other, and a value that fits it but for its end."""
    schema: Json = {"type": "string"}
    value: Any = 5
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
        value = {"a": value}
    return schema, value


def check_deep(library: str, depth: int) -> None:
    """Print what becomes of a deep schema and value, on a thread with the usual stack of a small
    system (1 MB).
    """

    def check() -> None:
        schema, value = _chain(depth)
        if library == "ours":
            print(_verdict(lambda: not schemas.errors_in(value, schema)))
        else:
            print(_verdict(lambda: _SIDES[library](schema, plain=False)(value)))

    threading.stack_size(1024 * 1024)
    thread = threading.Thread(target=check)
    thread.start()
    thread.join()


def _deep() -> None:
    print("\nA schema and a value so many objects deep, with one error at the end\n")
    depths = (30, 60, 120, 1000, 10_000)
    print(f"{'':<26} " + " ".join(f"{depth:<16}" for depth in depths))
    for library in (*_LIBRARIES, "ours"):
        shown = []
        for depth in depths:
            program = (
                f"from benchmarks.validators import check_deep; check_deep({library!r}, {depth})"
            )
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            crashed = done.returncode < 0
            shown.append(
                "crashes"
                if crashed
                else {"False": "found"}.get(done.stdout.strip(), done.stdout.strip())
            )
        print(f"{library:<26} " + " ".join(f"{one:<16}" for one in shown))


def _import_seconds(module: str) -> float:
    # What a served function has imported anyway isn't counted.
    program = (
        "import sys, time, grpc, attr, json, logging, re, google.protobuf.descriptor_pool\n"
        f"start = time.perf_counter()\nimport {module}\nprint(time.perf_counter() - start)"
    )
    return float(
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout
    )


def _distributions(name: str) -> dict[str, int]:
    """Return the distributions that one needs, itself among them, with their sizes in bytes."""
    from packaging.requirements import Requirement

    found: dict[str, int] = {}
    work = [name]
    while work:
        name = work.pop()
        if name in found:
            continue
        files = importlib.metadata.files(name) or []
        found[name] = sum(file.locate().stat().st_size for file in files if file.locate().exists())
        for text in importlib.metadata.requires(name) or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                work.append(requirement.name)
    return found


def _weight() -> None:
    sides = {
        name: functools.partial(_import_seconds, name.replace("-", "_")) for name in _LIBRARIES
    }
    in_turns(sides, 1)  # leaves byte code behind
    imports = in_turns(sides, _ROUNDS)
    print("\nImport beside grpc and attrs (median), and what is installed\n")
    for name in _LIBRARIES:
        found = _distributions(name)
        seconds = show(statistics.median(imports[name]), "s")
        print(f"{name:<26} {seconds:>10}   {len(found)} packages, {show(sum(found.values()), 'B')}")


def _object_of(schema: Json, depth: int = 0) -> Any:
    """Return an object with a value for each field, to some depth."""
    if depth > 6:
        return None
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return {name: _object_of(inner, depth + 1) for name, inner in fields.items()}
    if kind == "array":
        return [_object_of(schema.get("items", {}), depth + 1)]
    return {
        "string": schema.get("enum", ["x"])[0],
        "integer": 1,
        "number": 1.5,
        "boolean": True,
    }.get(str(kind))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return (
        [_without_nulls(item) for item in value if item is not None]
        if isinstance(value, list)
        else value
    )


def _speed_of(file: str, schema: Json) -> None:
    value = _without_nulls({"spec": _object_of(schema["properties"]["spec"])})
    plain = translate(schema)
    checks = {name: side(plain, plain=True) for name, side in _SIDES.items()}
    verdicts = {check(value) for check in checks.values()}
    assert len(verdicts) == 1, verdicts
    ready = per_call(
        {name: functools.partial(side, plain, plain=True) for name, side in _SIDES.items()}, _ROUNDS
    )
    checked = per_call(
        {name: functools.partial(check, value) for name, check in checks.items()}, _ROUNDS
    )
    kept = schemas.Schema(schema, "key")
    around = per_call(
        {"translation": lambda: translate(schema), "errors_in": lambda: kept.validate(value)},
        _ROUNDS,
    )
    print(f"{file}: {len(json.dumps(schema))} bytes of schema, {len(json.dumps(value))} of object")
    for name in _LIBRARIES:
        times = (
            show(statistics.median(ready[name]), "s"),
            show(statistics.median(checked[name]), "s"),
        )
        print(f"  {name:<26} ready {times[0]:>8}   check {times[1]:>8}")
    for name, samples in around.items():
        print(f"  {name:<26} {show(statistics.median(samples), 's')}")


def _speed() -> None:
    import yaml

    print(
        "\nTime to get ready, and to check one object with a value for nearly every field (medians)"
    )
    print(f"Schemas of CRDs: {models.source()}\n")
    for file in _KINDS:
        with models.crd_file(file).open(encoding="utf-8") as stream:
            crd = yaml.load(stream, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        _speed_of(file, crd["spec"]["versions"][-1]["schema"]["openAPIV3Schema"])


def main(parts: Iterable[str] = ()) -> None:
    """Print the tables.

    Args:
        parts: Those that are wanted, of `correctness`, `deep`, `weight` and `speed`; all of them
            without any.
    """
    tables = {"correctness": _correctness, "deep": _deep, "weight": _weight, "speed": _speed}
    start = time.perf_counter()
    for name in list(parts) or tables:
        tables[name]()
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
