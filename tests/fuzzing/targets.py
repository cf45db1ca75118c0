"""What is fuzzed: functions of bytes that raise where something doesn't hold, whatever the bytes are."""

from __future__ import annotations

import gzip
import io
import json
import logging
import random
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.codec import decode_struct, encode_struct
from crossplane_lite._tools.codegen.definitions import definitions
from crossplane_lite._tools.codegen.generate import generate, select
from crossplane_lite._tools.manifests.archive import read_archive
from crossplane_lite._tools.manifests.yaml import Document, dump, parse_documents
from crossplane_lite.errors import CrossplaneLiteError, InputError, WireError
from crossplane_lite.krm.files import Package
from crossplane_lite.krm.resource_list import ResourceList
from tests.fuzzing.choices import Choices

__all__ = ["TARGETS", "WRONG", "Target"]

# Where what was found so far ends in the depth of the harness's own recursion, in protobuf and in Python's parser.
_DEEPEST = 80


class Target(NamedTuple):
    """One target.

    Attributes:
        run: Takes an input; raises where something doesn't hold.
        seeds: Makes inputs to begin with, by name.
        longest: How many bytes an input may have.
    """

    run: Callable[[bytes], None]
    seeds: Callable[[], dict[str, bytes]]
    longest: int = 4096


# The codec


def codec(data: bytes) -> None:
    """Our readers and a slow and simple one agree on each Struct, and so does protobuf where nothing is replaced."""
    from tests.wire.readers import ProtobufRefusal, by_protobuf, slowly, typed
    from tests.wire.test_properties import level_by_level

    found: list[Any] = []
    for decode in (decode_struct, level_by_level):
        try:
            found.append(typed(decode(data)))
        except WireError:
            found.append(None)
        except RecursionError:  # level_by_level is a test's own, and recurses
            return
    try:
        expected: Any = typed(by_protobuf(data))
    except ProtobufRefusal:
        expected = None
    except RecursionError:
        return
    if found != [expected, expected]:
        try:
            lenient, replaced = slowly(data)
        except (RecursionError, ProtobufRefusal) as error:
            assert isinstance(error, RecursionError), ("malformed, and read", found)
            return
        # Data that is replaced later on may be malformed: whoever reads it refuses it, and others don't see it.
        assert replaced or (expected is None and _depth(lenient) > _DEEPEST), ("read in another way", found, expected)
        assert all(one in (None, typed(lenient)) for one in found), ("read in two ways", found)
        assert expected is None or None not in found, ("refused, though protobuf reads it", expected)
    if found[0] is not None:
        tree = decode_struct(data)
        try:
            written = encode_struct(tree)
        except (CrossplaneLiteError, ValueError):  # a number that JSON doesn't have
            return
        assert typed(decode_struct(written)) == found[0]


def _depth(tree: Any) -> int:
    deepest, level = 0, [tree]
    while level:
        deepest += 1
        level = [
            child
            for one in level
            if isinstance(one, (dict, list))
            for child in (one.values() if isinstance(one, dict) else one)
        ]
    return deepest


def codec_seeds() -> dict[str, bytes]:
    from tests.wire.oddities import odd_struct, regular

    tree = {"a": 1, "b": [True, None, "x", {"c": 2.5}], "d": {"e": {"f": ""}}, "long": "x" * 200}
    odd = {f"odd-{seed}": odd_struct(tree, random.Random(seed)) for seed in range(8)}
    group = b"\x1b\x08\x01\x23\x2d1234\x24\x1c"
    return {"regular": regular(tree), "empty": b"", "group": group + regular({"k": 1}), **odd}


# A whole call


@composition.function(name="fuzzed", auto_ready=True)
def _compose(ctx: Any) -> None:
    """Use as much of what a request has as one function can."""
    xr = ctx.composite(Unstructured)
    spec = xr.observed.spec
    bucket = ctx.resource("bucket", Unstructured("v1", "Bucket"))
    bucket.spec.location = spec.location
    bucket.spec.name = f"{spec.name}-x"
    other = ctx.resource("other", Unstructured("v1", "Bucket"))
    other.spec.bucket = bucket.observed.external_name
    other.spec.all = spec.all
    xr.status.bucket = bucket.observed.status.id
    ctx.results.normal(f"location {spec.location}")
    ctx.log.debug("tag %s", spec.location)
    for name, observed in ctx.observed.items():
        ctx.log.debug("%s is of kind %s", name, observed.kind)
    ctx.conditions.set("Fuzzed", "True" == spec.flag, reason="Fuzzed", message=f"{dict(ctx.environment)}")
    ctx.context["fuzzed"] = {"name": spec.name}


def call(data: bytes) -> None:
    """A request is answered with what protobuf reads, the same each time, or is refused as malformed."""
    from crossplane.function.proto.v1 import run_function_pb2 as fnv1
    from google.protobuf.message import DecodeError

    logging.disable(logging.CRITICAL)
    answers = []
    try:
        for _ in range(2):
            try:
                answers.append(_compose.run(data))
            except WireError:
                pass
    finally:
        logging.disable(logging.NOTSET)
    assert len(answers) != 1, "refused once"
    if not answers:
        return
    answer, again = answers
    try:
        one, other = fnv1.RunFunctionResponse.FromString(answer), fnv1.RunFunctionResponse.FromString(again)
    except DecodeError:
        # Desired state is handed on as it came, and protobuf takes no more than 100 levels.
        try:
            fnv1.RunFunctionRequest.FromString(data)
        except DecodeError:
            return
        raise
    assert one == other or "nan" in str(one), "two answers to one request"
    for result in one.results:
        if result.severity == fnv1.SEVERITY_FATAL:
            kind = result.message.partition(":")[0]
            assert kind not in _DEFECTS or _OF_DATA.match(result.message), result.message


# What no input may make of a function that uses the package as it is meant.
_DEFECTS = {"KeyError", "IndexError", "AttributeError", "AssertionError", "RecursionError", "OverflowError"}


def call_seeds() -> dict[str, bytes]:
    from tests.support import request

    xr = {
        "apiVersion": "example.org/v1",
        "kind": "XBucket",
        "metadata": {"name": "a", "uid": "1", "labels": {"b": "c"}},
        "spec": {"location": "T", "name": "n", "all": [1, {"x": None}]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }
    bucket = {
        "apiVersion": "v1",
        "kind": "Bucket",
        "metadata": {"name": "b", "annotations": {"crossplane.io/external-name": "ext"}},
        "status": {"id": "i", "conditions": [{"type": "Ready", "status": "True"}]},
    }
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"password": "c2VjcmV0LXZhbHVl"}}
    return {
        "first": request(xr=xr),
        "observed": request(xr=xr, observed={"bucket": bucket, "other": bucket}),
        "desired": request(xr=xr, desired={"bucket": bucket, "x": bucket}, desired_xr={"status": {"a": 1}}),
        "more": request(
            xr=xr,
            required={"r": [bucket]},
            extra={"e": [secret]},
            credentials={"c": {"k": b"canary-value"}},
            context={"k": {"v": 1}, "crossplane-lite/held-back": {"s": {"held": ["a"]}}},
            input={"apiVersion": "v1", "kind": "Input", "x": 1},
            connection={"bucket": {"p": b"canary-value"}},
            observed={"bucket": bucket},
        ),
        "nothing": b"",
        "tag": b"\x0a\x05\x0a\x03tag",
    }


# A text or number where the function reads an object, and there is no schema that says so.
_OF_DATA = re.compile(
    r"AttributeError: ('(str|int|float|bool|list|NoneType)' object has no attribute|\S+ is a list, so it has no field)"
)


# YAML


def manifests(data: bytes) -> None:
    """A stream of manifests is refused with a message, or read, written and read again the same."""
    choices = Choices(data)
    as_written = choices.byte() % 2 == 1
    text = choices.rest().decode(errors="replace")
    try:
        found = [one.content for one in parse_documents(text, "file.yaml", as_written=as_written)]
    except InputError as error:
        _check_message(error)
        return
    try:
        written = dump(found)
    except InputError:
        assert any(_depth(one) > 100 for one in found)
        return
    again = [one.content for one in parse_documents(written, "again.yaml", as_written=as_written)]
    assert repr(again) == repr(found), (found, again, written)


def krm(data: bytes) -> None:
    """A ResourceList, and a file, goes out as it came; with a label set, nothing else is another value."""
    try:
        rl = ResourceList.read(data)
    except InputError as error:
        _check_message(error)
    else:
        before = [one.to_dict() for one in rl.items]
        if rl._root.get(["items"]) is not None:  # a list is written where there is none
            _same(rl.write(), data)
        if _label(rl):
            _compare(before, [one.to_dict() for one in ResourceList.read(rl.write()).items])
    try:
        package = Package(None, ["-"], data)
        rl = package.read()
    except InputError as error:
        _check_message(error)
        return
    before = [one.to_dict() for one in rl.items]
    assert not package.changes(rl)
    if _label(rl):
        changes = package.changes(rl)
        written = (changes[0][2] or b"") if changes else data
        _compare(before, [one.to_dict() for one in Package(None, ["-"], written).read().items])


def _same(one: bytes, other: bytes) -> None:
    assert one.decode() == other.decode("utf-8-sig") or one == other, (one, other)


def _label(rl: Any) -> bool:
    """Set a label in each item; return whether all can have one."""
    try:
        for one in rl.items:
            one.labels["fuzz"] = "yes"
    except CrossplaneLiteError as error:  # metadata that is a list
        _check_message(error)
        return False
    return True


def _compare(before: list[Any], after: list[Any]) -> None:
    for one, other in zip(before, after, strict=True):
        other = json.loads(json.dumps(other))
        metadata = other["metadata"]
        assert metadata["labels"].pop("fuzz") == "yes"
        plain = json.loads(json.dumps(one))
        for each in (plain, other):  # an object that is empty or null may have become one
            if not (each.get("metadata") or {}).get("labels", 1):
                del each["metadata"]["labels"]
            if not each.get("metadata"):
                each.pop("metadata", None)
            elif isinstance(each["metadata"].get("annotations"), dict):
                for key in [key for key in each["metadata"]["annotations"] if ".io/index" in key or ".io/path" in key]:
                    del each["metadata"]["annotations"][key]
                if not each["metadata"]["annotations"]:
                    del each["metadata"]["annotations"]
        assert repr(_sorted(plain)) == repr(_sorted(other)), (one, other)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, _sorted(value[key])) for key in sorted(value)]
    return [_sorted(one) for one in value] if isinstance(value, list) else value


def _check_message(error: Exception) -> None:
    """A message is short, on one line, and can be written to any log."""
    text = str(error)
    assert text
    assert len(text) < 5000, len(text)
    text.encode()


_RESOURCE_LIST = b"""# head
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: a, labels: &l {x: "1"}}  # flow
  data:
    # comment
    k: |-
      two
      lines
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: b
    labels: *l
    annotations:
      internal.config.kubernetes.io/path: 'a.yaml'
      internal.config.kubernetes.io/index: '0'
  spec: {replicas: 3, list: [1, ~, yes, 0x1F, 1e3]}
functionConfig: {apiVersion: v1, kind: ConfigMap, data: {a: b}}
"""
_MANIFESTS = b"""%YAML 1.1
---
apiVersion: v1
kind: A
metadata: {name: "a\\u00e9", labels: {<<: {a: b}, c: !!str 1}}
spec: &x
- ? complex
  : >+
    folded
    text

- 1_000
- 2001-01-01
- .inf
- 0o17
- !!binary YQ==
...
---
other: [*x]
---
b: 'it''s'
"""


def manifest_seeds() -> dict[str, bytes]:
    plain = _MANIFESTS.replace(b"other: [*x]", b"other: [y]")
    found = {f"{form}-{number}": bytes([number]) + plain for form in ("plain",) for number in (0, 1)}
    found["list"] = b"\x01" + _RESOURCE_LIST
    found["json"] = b'\x00{"apiVersion": "v1", "kind": "A", "x": [1, 2.5, null, true, "\\u00e9"]}'
    return found


def krm_seeds() -> dict[str, bytes]:
    items = b"apiVersion: v1\nkind: A\nmetadata:\n  name: a\n---\n# b\napiVersion: v1\nkind: B\nmetadata: {name: b}\n"
    return {
        "list": _RESOURCE_LIST,
        "crlf": _RESOURCE_LIST.replace(b"\n", b"\r\n"),
        "files": items,
        "json": b'{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": '
        b'[{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "x": [1, {"y": null}]}]}',
    }


# The generator


_NAMES = ("spec", "status", "a", "from", "class", "x-y", "metadata", "apiVersion", "kind", "item", "$ref", "")
_WORDS = ("type", "properties", "items", "additionalProperties", "enum", "format", "description", "required", "default",
          "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields", "nullable", "allOf", "anyOf", "oneOf",
          "$ref", "pattern", "x-kubernetes-embedded-resource", "x-kubernetes-list-type")  # fmt: skip
_TYPES = ("string", "object", "array", "integer", "number", "boolean", "null", "", "date")


def _anything(choices: Choices, depth: int) -> Any:
    kind = choices.below(9 if depth else 6)
    if kind == 0:
        return choices.of(_TYPES)
    if kind == 1:
        return choices.text()
    if kind == 2:
        return choices.of((0, -1, 1.5, 2**53, 10**30, 1e308))
    if kind == 3:
        return choices.of((True, False))
    if kind == 4:
        return None
    if kind == 5:
        return choices.of(("#/components/schemas/A", "#/components/schemas/org.example.v1.Thing", "#", "x", "*", "@a"))
    if kind == 6:
        return [_anything(choices, depth - 1) for _ in range(choices.below(4))]
    return _schema(choices, depth - 1)


def _schema(choices: Choices, depth: int) -> Any:
    found: dict[str, Any] = {}
    shape = choices.below(8)
    if shape < 6:
        found["type"] = choices.of(_TYPES[:6])
    if depth > 0 and (shape == 1 or found.get("type") == "object"):
        found["properties"] = {
            choices.of(_NAMES) if choices.below(4) else choices.text(8): _schema(choices, depth - 1)
            for _ in range(choices.below(5))
        }
    if depth > 0 and found.get("type") == "array":
        found["items"] = _schema(choices, depth - 1)
    for _ in range(choices.below(4) if choices.left else 0):
        found[choices.of(_WORDS)] = _anything(choices, max(depth, 0))
    return found


def generator(data: bytes) -> None:
    """Definitions are refused with a message, or become modules and stubs that are valid Python."""
    choices = Choices(data)
    names = {"plural": "things", "kind": "Thing"}
    schema = _schema(choices, 6)
    if choices.below(2):
        content: dict[str, Any] = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.example.org"},
            "spec": {
                "group": "example.org" if choices.below(4) else choices.text(),
                "names": names if choices.below(4) else _anything(choices, 2),
                "versions": [
                    {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
                    if choices.below(8)
                    else _anything(choices, 3)
                ],
            },
        }
    else:
        mark = [{"group": "example.org", "version": "v1", "kind": "Thing"}]
        content = {
            "openapi": "3.0.0",
            "components": {
                "schemas": {
                    "org.example.v1.Thing": {**schema, "x-kubernetes-group-version-kind": mark},
                    "A": _schema(choices, 4),
                    choices.text() if choices.below(3) == 0 else "B": _anything(choices, 4),
                }
            },
        }
    try:
        kinds = select(definitions([Document("file.yaml, document 1", content)]).kinds, "all")
        output = generate(kinds)
    except InputError as error:
        _check_message(error)
        return
    for text in (*output.modules.values(), *output.stubs.values()):
        compile(text, "generated.py", "exec", dont_inherit=True)
    again = generate(kinds, output.modules.get)
    assert again == output, "generated again, it is something else"


def generator_seeds() -> dict[str, bytes]:
    return {f"random-{seed}": random.Random(seed).randbytes(60 * (seed + 1)) for seed in range(8)}


# Archives


def archive(data: bytes) -> None:
    """A saved image is refused with a message, or its package is read."""
    choices = Choices(data)
    built = choices.rest() if choices.byte() % 4 == 0 else _built(choices)
    try:
        found = read_archive(io.BytesIO(built), "file.xpkg")
    except InputError as error:
        _check_message(error)
        return
    assert found
    assert all(type(one.data) is bytes and one.label.startswith("file.xpkg") for one in found)


def _built(choices: Choices) -> bytes:
    """Return an archive whose digests are right, so that what is behind them is reached."""
    from tests.manifests.packages import Oci, digest, docker, layer, tar

    inner = layer(choices.bytes(40), choices.of(("package.yaml", "./package.yaml", "x", "../package.yaml", "")))
    other = choices.of((inner, gzip.compress(choices.bytes(), mtime=0), choices.bytes(), tar({"x": b""})))
    if choices.below(2):
        made: Mapping[str, Any] = docker(
            inner, other, labels={f"io.crossplane.xpkg:{digest(choices.of((inner, other)))}": choices.of(("base", "x"))}
        )
    else:
        oci = Oci()
        described = oci.image((inner, {"io.crossplane.xpkg": choices.of(("base", "", "upbound"))}), (other, {}))
        entries = [described, _anything(choices, 3)] if choices.below(4) == 0 else [described]
        made = oci.saved(*entries)
    files = dict(made)
    for _ in range(choices.below(4)):
        name = choices.of((*files, "new"))
        change = choices.below(5)
        if change == 0:
            files.pop(name, None)
        elif change == 1:
            files[name] = choices.bytes()
        elif change == 2:
            files[name] = json.dumps(_anything(choices, 4)).encode()
        elif change == 3:
            member = tarfile.TarInfo(name)
            member.type = choices.of((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, b"X"))
            member.linkname = choices.of((*files, "/etc/passwd", "../x", name))
            files[name] = member
        elif isinstance(content := files.get(name), bytes) and content:
            piece = bytearray(content)
            piece[choices.below(len(piece))] ^= 1 + choices.below(255)
            files[name] = bytes(piece)
    whole = bytearray(tar(files))
    for _ in range(choices.below(3)):
        whole[choices.below(len(whole))] = choices.byte()
    out = bytes(whole)
    if choices.below(3) == 1:
        out = gzip.compress(out, mtime=0)
        out = out[: len(out) - choices.below(20)]
    return out


def archive_seeds() -> dict[str, bytes]:
    from tests.manifests.packages import Oci, docker, layer, tar

    oci = Oci()
    entry = oci.image((layer(), {"io.crossplane.xpkg": "base"}))
    made = {
        "docker": b"\x00" + tar(docker(layer())),
        "oci": b"\x00" + tar(oci.saved(entry)),
        "gzipped": b"\x00" + gzip.compress(tar(docker(layer())), mtime=0),
    }
    return made | {f"built-{seed}": b"\x01" + random.Random(seed).randbytes(120) for seed in range(8)}


# HTTP/2


def http2(data: bytes) -> None:
    """Whatever a peer sends, in whatever pieces, nothing is raised and no call is left behind."""
    from tests.runtime.test_fuzz import Echo

    choices = Choices(data)
    mode = choices.byte()
    said = choices.rest() if mode % 2 == 0 else b"".join(_frames(choices))
    Echo(answers=mode % 4 < 2).talk(said, random.Random(mode))


def _frames(choices: Choices) -> Iterator[bytes]:
    from tests.runtime.http2 import PREFACE, frame
    from tests.runtime.test_fuzz import BLOCK

    yield PREFACE + frame(4)
    while choices.left:
        kind = choices.byte() % 12
        stream = choices.of((1, 3, 5, 0, 2, 7, 2**31 - 1))
        payload = choices.of((BLOCK, BLOCK[: len(BLOCK) // 2], b"", b"\x00\x00\x00\x00\x05hello", bytes(4), bytes(8)))
        payload = payload if choices.below(3) else choices.bytes()
        yield frame(kind, choices.of((0, 1, 4, 5, 8, 0x20, 0x25, 0xFF)), stream, payload)


def http2_seeds() -> dict[str, bytes]:
    from tests.runtime.test_fuzz import conversations

    # h2's own encoder is the same each time.
    found = {f"conversation-{number}": b"\x00" + b"".join(one) for number, one in enumerate(conversations())}
    return found | {f"frames-{seed}": b"\x01" + random.Random(seed).randbytes(200) for seed in range(4)}


TARGETS: dict[str, Target] = {
    "codec": Target(codec, codec_seeds),
    "call": Target(call, call_seeds),
    "manifests": Target(manifests, manifest_seeds),
    "krm": Target(krm, krm_seeds),
    "generator": Target(generator, generator_seeds),
    "archive": Target(archive, archive_seeds, 20_000),
    "http2": Target(http2, http2_seeds),
}


# A target that is wrong, so that a search can be seen to find it. The package's own code tells the fuzzer the way.


def _wrong(data: bytes) -> None:
    if data[:1] == b"b":
        assert data[1:3] != b"oo", "boo"


WRONG = Target(_wrong, dict)
