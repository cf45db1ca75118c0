"""Functions against the functions specification."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite.cli import main
from crossplane_lite.errors import UsageError
from crossplane_lite.testing.conformance import findings
from tests.runtime.certificates import Authority, write
from tests.runtime.serving import serving
from tests.test_examples import EXAMPLES

Change = Callable[[fnv1.RunFunctionRequest, fnv1.RunFunctionResponse], object]


@composition.function
def good(ctx: composition.Context) -> None:
    """Compose one resource."""
    made = Unstructured("example.org/v1", "Thing")
    made.spec = {"a": 1}
    ctx.resource("thing", made)


def raw(change: Change) -> Callable[[bytes], bytes]:
    """Return a function that passes everything on, and then changes its answer."""
    count = iter(range(1000))

    def run(data: bytes) -> bytes:
        request = fnv1.RunFunctionRequest.FromString(data)
        response = fnv1.RunFunctionResponse(meta=fnv1.ResponseMeta(tag=request.meta.tag))
        response.meta.ttl.seconds = 60
        response.desired.CopyFrom(request.desired)
        response.context.CopyFrom(request.context)
        response.output.update({"n": next(count)}) if change is numbered else change(request, response)
        answer: bytes = response.SerializeToString(deterministic=True)
        return answer

    return run


def numbered(_req: Any, _rsp: Any) -> None:
    """Stands for a function that answers differently each time."""


def found(change: Change) -> list[tuple[str, str]]:
    """Return level and rule of what such a function doesn't keep, but for depth, which its protobuf can't do."""
    return [(one.level, one.rule) for one in findings(raw(change)) if one.rule != "answer deep and large requests"]


def asks_for_more(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
    """Require one thing more in each call."""
    for at in range(len(req.required_resources) + 1):
        rsp.requirements.resources[f"k{at}"].kind = "Thing"


def desires(**fields: Any) -> Change:
    """Desire a resource."""
    return lambda _req, rsp: rsp.desired.resources["a"].resource.update(
        {"apiVersion": "example.org/v1", "kind": "Thing", **fields}
    )


@pytest.mark.parametrize(
    ("change", "level", "rule"),
    [
        (lambda _req, rsp: setattr(rsp.meta, "tag", "x"), "MUST", "copy the tag"),
        (lambda _req, rsp: rsp.meta.ClearField("ttl"), "MUST", "set a ttl"),
        (lambda _req, rsp: rsp.desired.resources.clear(), "MUST", "pass desired state on"),
        (lambda _req, rsp: rsp.desired.composite.connection_details.clear(), "MUST", "pass desired state on"),
        (
            lambda _req, rsp: [one.resource.update({"x": 1}) for one in rsp.desired.resources.values()],
            "MUST",
            "pass desired state on",
        ),
        (lambda _req, rsp: rsp.context.Clear(), "SHOULD", "pass the context on"),
        (lambda _req, rsp: [one.DiscardUnknownFields() for one in rsp.desired.resources.values()], "SHOULD",
         "keep unknown fields"),
        (numbered, "MUST", "answer the same request the same"),
        (lambda _req, rsp: rsp.results.add(severity=fnv1.SEVERITY_NORMAL, message="hello"), "MUST",
         "return no result in every call"),
        (desires(metadata={"name": "mine"}), "SHOULD", "leave names to Crossplane"),
        (desires(status={"a": 1}), "MUST", "desire no status of composed resources"),
        (lambda _req, rsp: rsp.desired.composite.resource.update({"spec": {}}), "MUST", "desire no composite spec"),
        (asks_for_more, "MUST", "let requirements settle"),
        (lambda _req, rsp: rsp.results.add(severity=fnv1.SEVERITY_FATAL, message="no"), "SHOULD",
         "answer the request without a fatal result"),
    ],
)  # fmt: skip
def test_what_isnt_kept(change: Change, level: str, rule: str) -> None:
    """Each rule that isn't kept is found, with the level that the specification gives it, and no other is."""
    assert set(found(change)) == {(level, rule)}


def test_a_good_function() -> None:
    """A function made with this package keeps to all of it, also one with requirements, input and many resources."""
    testing.assert_conforms(good)
    assert found(lambda _req, _rsp: None) == []


def test_deep_requests() -> None:
    """A function that can't parse a deep request is told; ours can."""
    rules = [one.rule for one in findings(raw(lambda _req, _rsp: None))]
    assert rules == ["answer deep and large requests"]
    assert findings(good.run) == []


def test_what_never_answers() -> None:
    """A function that never answers is found, and so is an answer that is none."""
    for broken in (lambda _data: b"\xff", lambda _data: bytes(1 // 0)):
        assert [one.rule for one in findings(broken)] == ["answer a request"]


def test_the_message() -> None:
    """The error has every rule that isn't kept; those that are allowed needn't be."""

    class Bad:
        def RunFunction(self, request: Any, _context: Any) -> Any:
            return type(request).__module__ and fnv1.RunFunctionResponse()

    with pytest.raises(AssertionError) as caught:
        testing.assert_conforms(Bad())
    text = str(caught.value)
    assert "- MUST copy the tag: the tag is ''" in text
    assert "- MUST set a ttl: meta.ttl isn't set" in text
    rules = [line.removeprefix("- ").partition(" ")[2].partition(": ")[0] for line in text.splitlines()[1:]]
    testing.assert_conforms(Bad(), allow=rules)
    with pytest.raises(UsageError, match="must be a @composition.function, an object with a method RunFunction"):
        testing.assert_conforms(3)


@pytest.mark.slow
@pytest.mark.parametrize("example", ["storage_bucket", "vpc", "network", "database"])
def test_examples_conform(example: str) -> None:
    """The examples keep to the specification."""
    import importlib

    compose = importlib.import_module(f"examples.{example}.function").compose
    testing.assert_conforms(compose, testing.request(EXAMPLES / example / "xr.yaml"))


@pytest.mark.slow
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """A running function is checked over gRPC; nobody there is one line, and status 1."""
    with serving("tests.testing.test_conformance:good", "--insecure") as server:
        assert main(["conformance", server.address]) == 0
        assert capsys.readouterr().out == "the function keeps to the functions specification\n"
        assert main(["conformance", server.address, "--xr", str(EXAMPLES / "vpc" / "xr.yaml")]) == 0
        address = server.address
    capsys.readouterr()
    assert main(["conformance", address]) == 1
    assert "MUST answer a request: no answer: no server answers at" in capsys.readouterr().out


@pytest.mark.slow
def test_the_command_with_mutual_tls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A function that is served with mutual TLS is checked with a client's certificate, and with none it isn't."""
    authority = Authority()
    there, here = (write(tmp_path / name, authority.issue(name), authority) for name in ("server", "client"))
    with serving("tests.testing.test_conformance:good", "--tls-certs-dir", str(there)) as server:
        assert main(["conformance", server.address, "--tls-certs-dir", str(here)]) == 0
        assert capsys.readouterr().out == "the function keeps to the functions specification\n"
        assert main(["conformance", server.address]) == 1
    (here / "tls.key").unlink()
    assert main(["conformance", "localhost:1", "--tls-certs-dir", str(here)]) == 2
    assert str(here / "tls.key") in capsys.readouterr().err
