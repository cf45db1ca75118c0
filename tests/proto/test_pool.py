"""The message classes with either implementation of protobuf."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from google.protobuf.internal import api_implementation

from tests.runtime.serving import ROOT
from tests.support import request

PROGRAM = """
import sys
from google.protobuf.internal import api_implementation
from examples.storage_bucket.function import compose
answer = compose.run(bytes.fromhex(sys.argv[1]))
from crossplane_lite.proto.v1 import run_function_pb2 as v1
message = v1.RunFunctionResponse.FromString(answer)
assert type(message.desired) is v1.State
assert message.desired.resources["bucket"].resource["kind"] == "Bucket"
print(api_implementation.Type(), message.SerializeToString(deterministic=True).hex())
"""


def answered(implementation: str | None) -> list[str]:
    """Return the implementation that took part, and the answer in hexadecimal digits."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PROTOCOL_BUFFERS")}
    if implementation is not None:
        environment["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = implementation
    xr = {
        "apiVersion": "platform.example.com/v1alpha1",
        "kind": "XStorageBucket",
        "metadata": {"name": "x"},
        "spec": {"parameters": {"location": "eu", "acl": "private"}},
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, request(xr=xr).hex()],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.slow  # processes
def test_in_python() -> None:
    """A function answers the same with protobuf's implementation in Python as with the one in C."""
    if api_implementation.Type() == "python":
        pytest.skip("protobuf has no implementation in C here")
    native, answer = answered(None)
    assert native != "python"
    assert answered("python") == ["python", answer]
