"""Notes that somebody forged or broke: they may be wrong, but they end no call."""

from __future__ import annotations

import json
import time
from typing import Any, Final

import pytest

from crossplane_lite._core import codec
from crossplane_lite.proto import _view
from tests.guard.functions import lost_field
from tests.guard.test_notes import Guarded, lose, network
from tests.official import Call
from tests.safety.cluster import Cluster
from tests.support import KNOWN


def of(values: str, **fields: Any) -> str:
    """Return notes with JSON for the value of `vpc.status.atProvider.id`."""
    return json.dumps({"net": {"n": 9, "v": {"vpc": {"status.atProvider.id": 0}}, **fields}}).replace(": 0}", values)


HOSTILE: Final = {
    "a number with too many digits": '{"net":{"n":' + "9" * 4300 + "}}",
    "paths that are lists": '{"net":{"n":9,"x":{"vpc":[[]]}}}',
    "paths to forget that are objects": '{"net":{"n":9,"d":{"vpc":[{}]}}}',
    "half a character as a value": of(r': "\ud800"}'),
    "half a character as an object": r'{"net":{"n":9,"v":{"\ud800":{"status.a":"a"}}}}',
    "half a character in another step": r'{"net":{"n":9},"other":{"n":1,"m":"\uDFFF"}}',
    "half a character in the signature": of(': "a"}', k="\ud800"),
    "not a number": of(": NaN}"),
    "an infinite number": of(": -1e400}"),
    "a whole number that no object has": of(": " + "9" * 400 + "}"),
    "no path": of(': "a", "": 1, "status[": 2, "status[a=b]": 3}'),
    "a required resource without a number": '{"net":{"n":9,"v":{"?env[x]":{"a":1},"?env[-9]":{"a":1},"?":{"a":1}}}}',
    "a required resource with a huge number": '{"net":{"n":9,"v":{"?env[' + "9" * 5000 + ']":{"a":1}}}}',
    "deep values": of(": " + "[" * 9000 + "]" * 9000 + "}"),
}


class WithRequired:
    """A guarded function that gets a required resource."""

    def __init__(self, guarded: Guarded) -> None:
        self._guarded = guarded

    def run(self, data: bytes) -> bytes:
        """Answer a request."""
        req = _view.RunFunctionRequest.FromString(data)
        req.required_resources["env"].items.add().resource = codec.encode_struct({"kind": "Env"})
        return self._guarded.run(req.SerializeToString())


def with_notes(text: str, key: bytes | None) -> Cluster:
    """Return a cluster of a network, on one resource of which the notes are replaced."""
    cluster = network(WithRequired(Guarded(lost_field, key=key)))
    cluster.objects["subnet"].live["metadata"]["annotations"][KNOWN] = text
    return cluster


@pytest.mark.parametrize("key", [None, b"k" * 32])
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_notes_end_no_call(name: str, key: bytes | None) -> None:
    """Whatever notes say, the guard answers: at rest, while the user edits and while a value is lost."""
    cluster = with_notes(HOSTILE[name], key)
    for change in ("nothing", "edit", "loss"):
        changed = cluster.copy()
        if change == "edit":
            changed.xr["spec"]["region"] = "us"
        if change == "loss":
            lose(changed)
        assert changed.reconcile().deleted == []
        assert changed.reconcile().deleted == []


def test_forged_notes_set_no_spec() -> None:
    """Who may edit a composed resource, but not the XR, can't set fields of the XR's spec for the function."""

    def public(call: Call) -> None:
        lost_field(call)
        call.compose("gate", "Gate", public=bool(call.spec.get("public")))

    cluster = network(Guarded(public))
    forged = {"": {"spec.public": True}, "vpc": {"status.atProvider.id": "vpc-1"}}
    cluster.objects["subnet"].live["metadata"]["annotations"][KNOWN] = json.dumps({"net": {"n": 9, "v": forged}})
    lose(cluster)
    assert cluster.reconcile().deleted == []
    assert cluster.objects["gate"].live["spec"]["forProvider"]["public"] is False


def seconds_for(count: int) -> float:
    """Return the processor's seconds of a call with a noted list and a list in a status, with other elements."""
    cluster = with_notes(
        json.dumps({"net": {"n": 9, "v": {"vpc": {"status.l": [n + 0.5 for n in range(count)]}}}}), None
    )
    cluster.objects["vpc"].live["status"]["l"] = list(range(count))
    lose(cluster)
    data = cluster.request().SerializeToString()
    start = time.process_time()
    cluster.functions[0].run(data)
    return time.process_time() - start


def test_long_lists_take_no_square_of_time() -> None:
    """Four times as many elements take less than eight times as long."""
    assert seconds_for(12000) < 8 * seconds_for(3000)
