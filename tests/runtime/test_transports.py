"""Which transport serves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest

from crossplane_lite.errors import InputError, MissingExtraError, UsageError
from crossplane_lite.runtime import main, serve, transports
from crossplane_lite.runtime.tls import Certificates
from crossplane_lite.runtime.transports.budget import Limits
from tests.runtime.certificates import Authority, write
from tests.runtime.serving import ROOT, Serving, channel, serving, stub
from tests.support import Response, build

XR = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "x"}, "spec": {"location": "EU"}}

# A program in which packages can't be imported, as if they weren't installed, and which is `crossplane-lite` otherwise.
WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(%r))
from crossplane_lite.cli import main
sys.exit(main())
"""


def without(packages: list[str], *arguments: str) -> list[str]:
    """Return a command that serves where packages aren't installed."""
    flags = ["--insecure", "--address", "127.0.0.1:0", *arguments]
    return [sys.executable, "-c", WITHOUT % packages, "serve", "tests.runtime.functions:echo", *flags]


def refused(packages: list[str], *arguments: str) -> str:
    """Return with which line it doesn't start."""
    done = subprocess.run(
        without(packages, *arguments), cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.slow
def test_h2_is_the_default() -> None:
    """If nothing is asked for, h2 serves, and the log says why."""
    with serving("tests.runtime.functions:echo", "--insecure") as server:
        assert server.records[-1]["transport"] == "h2"
        assert server.records[-1]["why"] == "h2 is installed"


def test_certificates_that_h2_cannot_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If h2 can't verify the clients of a CA, grpcio serves; without grpcio it is an error."""
    authority = Authority()

    class Unusable:
        @property
        def context(self) -> None:
            raise InputError("no client of this CA")

        def changed(self) -> bool:
            return False

        files = Certificates(str(write(tmp_path, authority.issue("server"), authority))).files

    unusable: Any = Unusable()
    made = transports.make(None, bytes, Limits(), lambda path: None, unusable)
    assert (made.name, made.why) == ("grpcio", "the ssl of this Python can't verify clients of the CA in ca.crt")
    monkeypatch.setitem(sys.modules, "grpc", None)
    monkeypatch.delitem(sys.modules, "crossplane_lite.runtime.transports.grpcio", raising=False)
    with pytest.raises(InputError, match="no client of this CA"):
        transports.make(None, bytes, Limits(), lambda path: None, unusable)


@pytest.mark.slow
def test_h2_where_there_is_no_grpcio() -> None:
    """Where grpcio isn't installed, h2 serves without being asked for, from the start to a drained end."""
    server = Serving(without(["grpc"]))
    try:
        assert server.records[-1]["transport"] == "h2"
        with channel(server.address) as opened:
            answer = stub(opened).RunFunction(build(xr=XR), timeout=60)
        assert Response(answer.SerializeToString()).resources["bucket"]["spec"]["forProvider"]["location"] == "EU"
    finally:
        status = server.stop()
    assert status == 0
    assert [record["msg"] for record in server.records] == ["serving", "stopping", "stopped"]


def test_grpcio_where_there_is_no_h2() -> None:
    """Where h2 isn't installed, grpcio serves as ever."""
    server = Serving(without(["h2"]))
    assert server.stop() == 0
    assert server.records[0]["transport"] == "grpcio"


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("packages", "arguments", "text"),
    [
        (
            ["grpc"],
            ["--transport", "grpcio"],
            "grpcio is not installed: pip install grpcio, or choose the transport h2",
        ),
        (
            ["h2", "h2.connection"],
            ["--transport", "h2"],
            "h2 is not installed; it comes with an extra: pip install 'crossplane-lite[h2]'",
        ),
        (
            ["grpc", "h2", "h2.connection"],
            [],
            "no package that serves gRPC is installed: pip install 'crossplane-lite[h2]', or pip install grpcio",
        ),
    ],
)
def test_missing(packages: list[str], arguments: list[str], text: str) -> None:
    """A transport that isn't installed is one line that says what to install."""
    assert refused(packages, *arguments) == f"crossplane-lite serve: {text}"


def test_unknown() -> None:
    """A name that is none is an error that lists those that there are."""
    with pytest.raises(InputError, match="'tcp' is not a transport; the transports are grpcio, h2"):
        transports.make("tcp", lambda data: data, Limits(), lambda path: None)


def test_credentials_of_others() -> None:
    """`runtime.serve` takes credentials of `load_credentials` alone, and the error for others says so."""
    creds: Any = grpc.ssl_server_credentials([(b"key", b"certificate")])
    with pytest.raises(UsageError, match=r"must be what load_credentials\(\) returns"):
        serve(object(), "127.0.0.1:0", creds=creds, insecure=False)


def test_raw_functions(tmp_path: Path) -> None:
    """`runtime.serve` and `runtime.main` know both transports."""

    class Runner:
        def RunFunction(self, req: object, _: object) -> object:
            return req

    with pytest.raises(InputError, match="not a transport"):
        serve(Runner(), "127.0.0.1:0", creds=None, insecure=True, transport="tcp")
    with pytest.raises(SystemExit):
        main(Runner(), ["--insecure", "--transport", "tcp"])


def test_missing_extra_is_an_import_error() -> None:
    """The error for what isn't installed is one of imports as well."""
    assert issubclass(MissingExtraError, ImportError)
