"""All examples over both transports."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite.runtime.transports import NAMES
from tests.runtime.examples import requests_of_stage
from tests.runtime.serving import channel, in_process, raw_call, stub
from tests.test_examples import STAGES, Stage


def by_grpcio(address: str, request: bytes) -> bytes:
    """Call with grpcio, bytes to bytes."""
    with channel(address) as opened:
        return raw_call(opened, request)


def by_official_stub(address: str, request: bytes) -> bytes:
    """Call with the official SDK's generated client and its messages."""
    with channel(address) as opened:
        answer = stub(opened).RunFunction(fnv1.RunFunctionRequest.FromString(request), timeout=60)
    data: bytes = answer.SerializeToString()
    return data


CALLERS: Mapping[str, Callable[[str, bytes], bytes]] = {"grpcio": by_grpcio, "official stub": by_official_stub}


@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: f"{stage.example}-{stage.name}")
def test_an_example_is_answered_alike(
    stage: Stage, caller: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An example's function gives the same answer at any stage over either transport as it gives by itself."""
    for function, request in requests_of_stage(stage, monkeypatch, capsys):
        expected = fnv1.RunFunctionResponse.FromString(function.run(request))
        for name in NAMES:
            with in_process(function.run, name) as (_, address):
                answer = fnv1.RunFunctionResponse.FromString(CALLERS[caller](address, request))
            assert answer == expected
