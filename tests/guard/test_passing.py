"""What the guard passes on, to the byte but for its own annotations."""

from __future__ import annotations

import random
import time
from typing import Any, Final

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import struct_pb2

from crossplane_lite._core.guard.guard import Guard
from crossplane_lite._core.guard.seen import Options
from crossplane_lite.runtime.transports.status import UNAVAILABLE, Refused
from tests.support import KNOWN, MARKER

_REQUESTS: Final = 500
_UNKNOWN_FIELD: Final = b"\xfa\x3e\x03abc"
"""A field that no version of the protocol has."""
_LARGE: Final = 10 << 20


def struct(random_: random.Random, depth: int = 0) -> dict[str, Any]:
    """Return fields of any form."""
    found: dict[str, Any] = {}
    for number in range(random_.randint(0, 4)):
        kinds = [None, True, 1.5, -3, "text", "", "ü", [], {}, ["a", {"b": 1}]]
        value = random_.choice(kinds)
        if depth < 3 and random_.random() < 0.3:
            value = struct(random_, depth + 1)
        found[f"field{number}"] = value
    return found


def body(random_: random.Random, kind: str) -> dict[str, Any]:
    """Return an object."""
    found = {"apiVersion": "example.org/v1", "kind": kind, "spec": struct(random_)}
    if random_.random() < 0.4:
        found["metadata"] = {"labels": {"a": "b"}}
    if random_.random() < 0.6:
        found["status"] = struct(random_)
    return found


def request(random_: random.Random) -> fnv1.RunFunctionRequest:
    """Return a request of any form."""
    req = fnv1.RunFunctionRequest()
    req.meta.tag = str(random_.random())
    if random_.random() < 0.5:
        req.meta.capabilities.extend([1, 2, 3, 4])
    if random_.random() < 0.9:
        req.observed.composite.resource.update(body(random_, "XNetwork"))
    for name in random_.sample("abcdef", random_.randint(0, 4)):
        req.observed.resources[name].resource.update(body(random_, "Thing"))
        req.observed.resources[name].connection_details["key"] = b"\xff"
    for name in random_.sample("abcdef", random_.randint(0, 2)):
        req.desired.resources[name].resource.update(body(random_, "Thing"))
    if random_.random() < 0.3:
        req.input.update(struct(random_))
    if random_.random() < 0.3:
        req.context.update(struct(random_))
    if random_.random() < 0.3:
        req.required_resources["env"].items.add().resource.update(body(random_, "Env"))
    return req


def answer(random_: random.Random, req: fnv1.RunFunctionRequest) -> bytes:
    """Return an answer of any form, which keeps what is observed."""
    rsp = fnv1.RunFunctionResponse(desired=req.desired)
    rsp.meta.tag = req.meta.tag
    rsp.meta.ttl.seconds = random_.choice([0, 1, 60])
    for name in {*req.observed.resources, *random_.sample("ghi", random_.randint(0, 2))}:
        if random_.random() < 0.8 or name in req.observed.resources:
            rsp.desired.resources[name].resource.update(body(random_, "Thing"))
            rsp.desired.resources[name].ready = random_.choice([0, 1, 2])
    if random_.random() < 0.4:
        rsp.desired.composite.resource.update({"status": struct(random_)})
        rsp.desired.composite.connection_details["password"] = b"secret"
    if random_.random() < 0.3:
        rsp.results.add(severity=random_.choice([1, 2, 3]), message="told", reason="Reason")
    if random_.random() < 0.3:
        rsp.conditions.add(type="Own", status=2, reason="Reason", message="told")
    if random_.random() < 0.3:
        rsp.requirements.resources["env"].api_version = "v1"
    if random_.random() < 0.3:
        rsp.requirements.extra_resources["more"].kind = "Env"
    if random_.random() < 0.3:
        rsp.context.update(struct(random_))
    data = rsp.SerializeToString()
    return data + _UNKNOWN_FIELD if random_.random() < 0.5 else data


def without_ours(data: bytes) -> fnv1.RunFunctionResponse:
    """Return an answer without the annotations of the guard."""
    rsp = fnv1.RunFunctionResponse.FromString(data)
    for one in rsp.desired.resources.values():
        fields = one.resource.fields
        annotations = fields["metadata"].struct_value.fields["annotations"].struct_value.fields
        annotations.pop(MARKER, None)
        annotations.pop(KNOWN, None)
        if not annotations:
            fields["metadata"].struct_value.fields.pop("annotations")
        if not fields["metadata"].struct_value.fields:
            fields.pop("metadata")
    return rsp


def test_answers_pass_through() -> None:
    """The answer is the target's to the byte, but for two annotations on what the target desires."""
    untouched = 0
    for number in range(_REQUESTS):
        random_ = random.Random(number)
        req = request(random_)
        own = answer(random_, req)
        guard = Guard(lambda *_, own=own: own, Options())  # type: ignore[misc]
        passed = guard.run(req.SerializeToString())
        if passed == own:
            untouched += 1
        assert without_ours(passed) == without_ours(own), number
    assert _REQUESTS / 10 < untouched < _REQUESTS


def test_the_target_gets_the_request_as_it_is() -> None:
    """The target is asked with the bytes of the request, once."""
    for number in range(50):
        random_ = random.Random(number)
        req = request(random_)
        own = answer(random_, req)
        data = req.SerializeToString() + _UNKNOWN_FIELD
        asked: list[bytes] = []

        def ask(one: bytes, *_: object, asked: list[bytes] = asked, own: bytes = own) -> bytes:
            asked.append(one)
            return own

        Guard(ask, Options()).run(data)
        assert asked == [data]


def test_large_requests_pass() -> None:
    """A request and an answer of ten megabytes pass."""
    req = fnv1.RunFunctionRequest()
    req.observed.composite.resource.update({"kind": "XNetwork"})
    rsp = fnv1.RunFunctionResponse()
    rsp.desired.resources["a"].resource.update({"kind": "Thing", "spec": {"text": "x" * _LARGE}})
    req.observed.resources["a"].resource.CopyFrom(rsp.desired.resources["a"].resource)
    own = rsp.SerializeToString()
    passed = Guard(lambda *_: own, Options()).run(req.SerializeToString())
    assert without_ours(passed) == rsp


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\xff\xff", b""])
def test_what_is_malformed_is_passed_on(data: bytes) -> None:
    """The target says what is wrong with a request, and Crossplane what is wrong with an answer."""
    assert Guard(lambda one, *_: b"answer to " + one, Options()).run(data) == b"answer to " + data
    req = fnv1.RunFunctionRequest()
    req.observed.composite.resource.update({"kind": "XNetwork"})
    assert Guard(lambda *_: data, Options()).run(req.SerializeToString()) == data


def test_the_status_of_a_call_is_passed_on() -> None:
    """Where the target isn't there, the caller gets its status."""

    def ask(*_: object) -> bytes:
        raise Refused(UNAVAILABLE, "nothing listens there")

    req = fnv1.RunFunctionRequest()
    req.observed.composite.resource.update({"kind": "XNetwork"})
    with pytest.raises(Refused, match="nothing listens there"):
        Guard(ask, Options()).run(req.SerializeToString())


def test_requirements_settle_first() -> None:
    """An answer that requires more than the request has is passed on as it is."""
    req = fnv1.RunFunctionRequest()
    req.observed.composite.resource.update({"kind": "XNetwork"})
    rsp = fnv1.RunFunctionResponse()
    rsp.desired.resources["a"].resource.update({"kind": "Thing"})
    rsp.requirements.resources["env"].kind = "Env"
    own = rsp.SerializeToString()
    guard = Guard(lambda *_: own, Options())
    assert guard.run(req.SerializeToString()) == own
    req.required_resources["env"].items.add().resource.CopyFrom(struct_pb2.Struct())
    assert MARKER.encode() in guard.run(req.SerializeToString())


def time_to_make(count: int) -> float:
    """Return how many seconds of the processor a guard takes to note what parts in that number have in their status."""
    req, rsp = fnv1.RunFunctionRequest(), fnv1.RunFunctionResponse()
    req.observed.composite.resource.update({"kind": "XNetwork"})
    for part in range(count):
        body = {"kind": f"Part{part % 5}", "spec": {"of": f"owner-{part}", "text": "x" * 300}}
        rsp.desired.resources[f"part-{part}"].resource.update(body)
        body["status"] = {f"field{number}": f"value-{part}-{number}" for number in range(40)}
        req.observed.resources[f"part-{part}"].resource.update(body)
    data, own = req.SerializeToString(), rsp.SerializeToString()
    start = time.process_time()
    Guard(lambda *_: own, Options()).run(data)
    return time.process_time() - start


def test_time_grows_with_resources_and_not_with_their_square() -> None:
    """Where not all values fit, eight times as many resources take less than sixteen times as long."""
    assert time_to_make(320) < 16 * time_to_make(40)
