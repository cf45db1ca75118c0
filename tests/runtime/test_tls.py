"""Mutual TLS: who may call, and certificates that change while the server runs."""

from __future__ import annotations

import datetime
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from crossplane.function.proto.v1beta1 import run_function_pb2 as fnv1beta1

from crossplane_lite.errors import InputError
from crossplane_lite.runtime import tls
from crossplane_lite.runtime.tls import Certificates
from tests.runtime.certificates import Authority, CrossplaneAuthority, Pair, encrypted, write
from tests.runtime.go_programs import grpc_client
from tests.runtime.serving import ROOT, Serving, channel, in_process, serving, stub, stub_v1beta1
from tests.support import build

XR = {
    "apiVersion": "example.org/v1alpha1",
    "kind": "XStorageBucket",
    "metadata": {"name": "photos"},
    "spec": {"location": "EU"},
}
ECHO = "tests.runtime.functions:echo"

authority = Authority()
stranger = Authority()
first, second, client = (authority.issue(name) for name in ("first", "second", "client"))


def credentials(pair: Pair | None, trusted: Authority = authority) -> grpc.ChannelCredentials:
    """Return what a client connects with."""
    if pair is None:
        return grpc.ssl_channel_credentials(trusted.certificate)
    return grpc.ssl_channel_credentials(trusted.certificate, pair.key, pair.certificate)


def answers(server: Serving, pair: Pair | None) -> bool:
    """Say whether a client with that certificate is answered on a new connection."""
    with channel(server.address, credentials(pair)) as opened:
        try:
            response = stub(opened).RunFunction(build(xr=XR), timeout=30)
        except grpc.RpcError as e:
            assert e.code() == grpc.StatusCode.UNAVAILABLE
            return False
        return "bucket" in response.desired.resources


def presented(server: Serving, directory: Path) -> str:
    """Return the name in the certificate that a new handshake shows."""
    host, _, port = server.address.rpartition(":")
    context = ssl.create_default_context(cadata=authority.certificate.decode())
    context.set_alpn_protocols(["h2"])
    pair = directory / "client.pem"
    pair.write_bytes(client.certificate + client.key)
    context.load_cert_chain(pair)
    with socket.create_connection((host, int(port)), timeout=60) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as secure:
            certificate = secure.getpeercert()
    assert certificate is not None
    subject: Any = certificate["subject"]
    ((_, name),) = subject[0]
    return str(name)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory with the first certificate."""
    return write(tmp_path / "certs", first, authority)


@pytest.fixture
def server(directory: Path, transport: str) -> Iterator[Serving]:
    """A server with the first certificate."""
    with serving(ECHO, "--tls-certs-dir", str(directory), "--transport", transport) as running:
        yield running


@pytest.mark.sample(1)
def test_client_with_a_certificate(server: Serving) -> None:
    """A client with a certificate of the CA is answered, v1 and v1beta1."""
    assert answers(server, client)
    with channel(server.address, credentials(client)) as opened:
        data = build(xr=XR).SerializeToString()
        response = stub_v1beta1(opened).RunFunction(fnv1beta1.RunFunctionRequest.FromString(data))
    assert "bucket" in response.desired.resources
    assert server.records[-1]["tls"] is True


@pytest.mark.slow
@pytest.mark.sample(1)
def test_client_without_a_certificate(server: Serving) -> None:
    """A client that shows no certificate, or one of another CA, is refused, and so is plain text."""
    assert not answers(server, None)
    assert not answers(server, stranger.issue("client"))
    with channel(server.address) as opened, pytest.raises(grpc.RpcError) as caught:
        stub(opened).RunFunction(build(xr=XR), timeout=30)
    assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
    assert answers(server, client)


@pytest.mark.slow
@pytest.mark.sample(1)
def test_rotation(server: Serving, directory: Path, tmp_path: Path) -> None:
    """New files count at the next handshake; a connection that stands goes on."""
    assert presented(server, tmp_path) == "first"
    with channel(server.address, credentials(client)) as opened:
        crossplane = stub(opened)
        assert "bucket" in crossplane.RunFunction(build(xr=XR)).desired.resources
        write(directory, second, authority)
        assert presented(server, tmp_path) == "second"
        assert "bucket" in crossplane.RunFunction(build(xr=XR)).desired.resources
    assert answers(server, client)
    server.stop()
    assert [record["msg"] for record in server.records].count("certificates changed") == 1


@pytest.mark.slow
@pytest.mark.sample(1)
def test_rotation_of_the_authority(server: Serving, directory: Path) -> None:
    """A new ca.crt decides from the next handshake on who may call."""
    newcomer = stranger.issue("newcomer")
    assert not answers(server, newcomer)
    (directory / "ca.crt").write_bytes(stranger.certificate)
    assert answers(server, newcomer)
    assert not answers(server, client)


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param({"tls.crt": second.certificate[:300]}, id="half a certificate"),
        pytest.param({"tls.crt": second.certificate}, id="a certificate without its key"),
        pytest.param({"tls.key": second.key}, id="a key without its certificate"),
        pytest.param({"tls.key": b""}, id="an empty key"),
        pytest.param({"ca.crt": authority.certificate[:200]}, id="half a CA"),
        pytest.param({"tls.crt": None}, id="a missing certificate"),
        pytest.param({"tls.key": encrypted()}, id="a key with a password"),
    ],
)
def test_half_written_files(server: Serving, directory: Path, tmp_path: Path, damage: dict[str, bytes | None]) -> None:
    """Files that are incomplete or don't fit together leave the last good ones in place, until they are whole."""
    for name, content in damage.items():
        if content is None:
            (directory / name).unlink()
        else:
            (directory / name).write_bytes(content)
    assert presented(server, tmp_path) == "first"
    assert answers(server, client)
    write(directory, second, authority)
    assert presented(server, tmp_path) == "second"
    server.stop()
    (complaint,) = [record["msg"] for record in server.records if record["level"] == "error"]
    assert complaint.startswith("the new certificates can't be used, so the last good ones stay in use: ")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["P-384", "RSA", "P-521", "Ed25519"])
def test_kinds_of_keys(server: Serving, directory: Path, tmp_path: Path, kind: str) -> None:
    """Crossplane can use these; P-384 and RSA are for all clients."""
    write(directory, authority.issue("third", kind), authority)
    assert presented(server, tmp_path) == "third"
    if kind in ("P-384", "RSA"):
        assert answers(server, client)


def test_a_certificate_for_clients(tmp_path: Path) -> None:
    """A certificate that servers may not show is an error at the start: every client would refuse it."""
    crossplane = CrossplaneAuthority()
    with pytest.raises(InputError, match="unsupported certificate purpose|unsuitable certificate purpose"):
        Certificates(str(write(tmp_path, crossplane.issue("client"), crossplane)))


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["P-521", "Ed25519"])
def test_what_go_makes_of_keys(tmp_path: Path, transport: str, kind: str) -> None:
    """A client of grpc-go, as Crossplane is one, is answered where the key is one that clients in C++ can't use."""
    program = str(grpc_client())
    directory = write(tmp_path / "certs", authority.issue("server", kind), authority)
    (directory / "client.crt").write_bytes(client.certificate)
    (directory / "client.key").write_bytes(client.key)
    with in_process(lambda data: data, transport, certificates=Certificates(str(directory))) as (_, address):
        command = [program, address, str(directory)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["results"]["v1"] == "OK"


def test_a_failing_handshake(directory: Path) -> None:
    """A pair that loads is tried in memory before it counts."""
    write(directory, second, authority)
    assert Certificates(str(directory)).files.certificate == second.certificate
    write(directory, authority.issue("third", "secp256k1"), authority)
    with pytest.raises(InputError, match="no handshake succeeds with"):
        Certificates(str(directory))


DAY = datetime.timedelta(days=1)


def now() -> datetime.datetime:
    """Return the time, in whole seconds as certificates have it."""
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


@pytest.mark.parametrize(
    ("begins", "ends", "text"),
    [
        (-2 * DAY, -DAY, "expired at {ends}"),
        (DAY, 2 * DAY, "is not valid before {begins}"),
        (-9 * DAY, DAY + DAY / 24, "expires at {ends}, in 25.0 hours: it should have been renewed"),
        (-3000 * DAY, 29 * DAY, "expires at {ends}, in 29 days: it should have been renewed"),
        (-DAY, DAY, ""),
        (-3000 * DAY, 31 * DAY, ""),
    ],
)
def test_dates(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    begins: datetime.timedelta,
    ends: datetime.timedelta,
    text: str,
) -> None:
    """A certificate that isn't valid, or that won't be soon, is a warning with the date, once."""
    start = now()
    pair = authority.issue("server", begins=start + begins, ends=start + ends)
    found = Certificates(str(write(tmp_path / "certs", pair, authority)))
    for _ in range(3):
        found.look()
    said = [record.getMessage() for record in caplog.records if "tls.crt" in record.getMessage()]
    dates = {"begins": start + begins, "ends": start + ends}
    wanted = text.format(**{name: when.strftime("%Y-%m-%dT%H:%M:%SZ") for name, when in dates.items()})
    assert len(said) == bool(text)
    assert not text or wanted in said[0]


def test_time_goes_by(directory: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A server that runs warns when the certificate is late to be renewed, and again when it has expired."""
    found = Certificates(str(directory))
    start = now().timestamp()
    for seconds in range(0, 7200, 60):
        found.look(start + seconds)
    said = [record.getMessage() for record in caplog.records]
    for name in ("tls.crt", "ca.crt"):
        texts = [text for text in said if name in text]
        assert [("expires at" in text, "expired at" in text) for text in texts] == [(True, False), (False, True)]


@pytest.mark.parametrize("year", [1960, 1999, 2000, 2049, 2050, 9999])
def test_dates_of_all_times(tmp_path: Path, year: int) -> None:
    """Dates are those of the certificate, in either of the ways in which it can say them."""
    begins = datetime.datetime(1955, 6, 30, 23, 59, 58, tzinfo=datetime.timezone.utc)
    ends = begins.replace(year=year, month=12)
    pair = authority.issue("server", begins=begins, ends=ends)
    assert Certificates(str(write(tmp_path, pair, authority))).expires == ends.timestamp()


@pytest.mark.parametrize(("begins", "ends"), [(-2 * DAY, -DAY), (DAY, 2 * DAY)])
def test_no_valid_certificate_is_replaced_by_another(
    directory: Path, caplog: pytest.LogCaptureFixture, begins: datetime.timedelta, ends: datetime.timedelta
) -> None:
    """Files with a certificate that has expired, or isn't valid yet, leave valid ones in place as long as they are."""
    found = Certificates(str(directory))
    bad = authority.issue("server", begins=now() + begins, ends=now() + ends)
    write(directory, bad, authority)
    assert not found.changed()
    assert not found.changed()
    assert found.files.certificate == first.certificate
    (said,) = [record.getMessage() for record in caplog.records if "last good ones stay in use" in record.getMessage()]
    assert "expired at" in said or "is not valid before" in said
    found.look((now() + DAY + DAY / 2).timestamp())  # the first has expired by now, too
    assert found.files.certificate == bad.certificate


def test_no_valid_authority_is_replaced_by_an_expired_one(directory: Path) -> None:
    """The same holds for ca.crt, where one valid certificate is enough."""
    found = Certificates(str(directory))
    expired = CrossplaneAuthority(begins=now() - 2 * DAY, ends=now() - DAY).certificate
    (directory / "ca.crt").write_bytes(expired)
    assert not found.changed()
    (directory / "ca.crt").write_bytes(expired + authority.certificate)
    assert found.changed()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "text"),
    [pytest.param(0.2, "tls.crt expires at", id="late"), pytest.param(0, "tls.crt expired at", id="expired")],
)
def test_renewed_without_a_handshake(
    directory: Path, caplog: pytest.LogCaptureFixture, before: float, text: str
) -> None:
    """Before a warning the files are read again: if the certificate was renewed in time, nothing is wrong."""
    begins, ends = now(), now() + DAY / 48
    authority = CrossplaneAuthority()  # it lasts ten years: a CA that soon expires is read again as well
    write(directory, authority.issue("server", begins=begins, ends=ends), authority)
    found = Certificates(str(directory))
    at = (ends - before * (ends - begins)).timestamp()
    found.look(at - 20)
    renewed = authority.issue("server", begins=begins, ends=ends + 365 * DAY)
    write(directory, renewed, authority)
    found.look(at - 10)
    assert found.expires == ends.timestamp()
    found.look(at + 10)
    assert found.expires == (ends + 365 * DAY).timestamp()
    assert found.files.certificate == renewed.certificate
    assert not [record for record in caplog.records if text in record.getMessage()]


def test_files_are_read_once_a_minute(directory: Path, caplog: pytest.LogCaptureFixture) -> None:
    """New files are found within a minute, and those that can't be used are reported, once, without a handshake."""
    found = Certificates(str(directory))
    start = now().timestamp()
    found.look(start)
    (directory / "tls.key").write_bytes(second.key)
    for seconds, complaints in ((59, 0), (60, 1), (120, 1)):
        found.look(start + seconds)
        said = [record.getMessage() for record in caplog.records]
        assert len([text for text in said if "so the last good ones stay in use" in text]) == complaints
    (directory / "tls.crt").write_bytes(second.certificate)
    found.look(start + 179)
    assert found.files.certificate == first.certificate
    found.look(start - 3600)  # the clock was set back
    assert found.files.certificate == second.certificate


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("tls.crt", None, "can't read {path}: No such file or directory"),
        ("ca.crt", None, "can't read {path}: No such file or directory"),
        ("tls.key", b"", "{path} is not a complete PEM file"),
        ("ca.crt", authority.certificate[:200], "{path} is not a complete PEM file"),
        ("tls.key", second.key, "{path} is not the key of {directory}/tls.crt"),
        ("tls.key", authority.issue("other", "RSA").key, "{path} is a key of another kind than {directory}/tls.crt"),
        ("tls.key", encrypted(), "{directory}/tls.crt and {path} can't be used"),
        ("ca.crt", second.key, "{path} can't be used"),
    ],
)
def test_unusable_at_the_start(directory: Path, name: str, content: bytes | None, text: str) -> None:
    """At the start an unusable file is an error that names it."""
    path = directory / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Certificates(str(directory))
    assert text.format(path=path, directory=directory) in str(caught.value)


@pytest.mark.parametrize("name", ["tls.crt", "tls.key", "ca.crt"])
def test_a_fifo_as_a_file(directory: Path, name: str) -> None:
    """A FIFO instead of a file is an error that names it, and the start doesn't wait for a writer."""
    (directory / name).unlink()
    os.mkfifo(directory / name)
    command = [sys.executable, "-m", "crossplane_lite", "serve", ECHO, "--tls-certs-dir", str(directory)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert f"{directory / name} is not a regular file" in done.stderr


def test_rotation_between_two_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Files that are replaced after some of them were read are read again, and nothing is logged as an error."""
    old, new = (write(tmp_path / pair_name, pair, authority) for pair_name, pair in (("1", first), ("2", second)))
    current = tmp_path / "current"
    current.symlink_to(old)
    for name in ("tls.crt", "tls.key", "ca.crt"):
        (tmp_path / name).symlink_to(current / name)
    certificates = Certificates(str(tmp_path))
    (old / "ca.crt").write_bytes(authority.certificate + stranger.certificate)  # a change that lets all be read again
    opened: list[str] = []

    def swapping(path: str, *rest: Any) -> Any:
        opened.append(path)
        if len(opened) == 5:  # the second time, between tls.crt and tls.key
            (tmp_path / "next").symlink_to(new)
            (tmp_path / "next").replace(current)
        return open(path, *rest)

    monkeypatch.setattr(tls, "open", swapping, raising=False)
    assert certificates.changed()
    assert certificates.files.certificate == second.certificate
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.slow
def test_handshakes_at_the_same_time(tmp_path: Path) -> None:
    """Of several handshakes that find the new files at the same time, one takes them over; the others wait for it."""
    write(tmp_path, first, authority)
    certificates = Certificates(str(tmp_path))
    for pair in (second, first) * 5:
        write(tmp_path, pair, authority)
        barrier = threading.Barrier(8)

        def ask(_: int, barrier: threading.Barrier = barrier) -> tuple[bool, bytes]:
            barrier.wait(60)
            return certificates.changed(), certificates.files.certificate

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(ask, range(8)))
        assert sum(changed for changed, _ in found) == 1
        assert {certificate for _, certificate in found} == {pair.certificate}
