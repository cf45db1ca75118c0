"""Which clients mutual TLS accepts, by each transport: those of Crossplane's own CA, and of ordinary ones.

`crossplane core init` gives its CA and all certificates one name, and the certificates no identifier of the CA's key.
OpenSSL takes such certificates for self-signed; `crossplane_lite.runtime.same_name` finds who has signed them.
"""

from __future__ import annotations

import _ssl
import datetime
import ssl
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

from crossplane_lite.errors import InputError
from crossplane_lite.runtime.tls import Certificates
from tests.runtime.certificates import CORE_INIT, Authority, CrossplaneAuthority, Pair, client_key, read, write
from tests.runtime.serving import PREFIX, ROOT, Serving, channel, in_process, stub
from tests.support import build

# Python contains its own OpenSSL and hides its functions, as the builds of python-build-standalone do.
STATIC = getattr(_ssl, "__file__", None) is None

SERVER_AUTH = ExtendedKeyUsageOID.SERVER_AUTH
DAY = datetime.timedelta(days=1)
NOW = datetime.datetime.now(datetime.timezone.utc)

authority = CrossplaneAuthority()
namesake = CrossplaneAuthority()
ordinary = Authority()
own = authority.issue("server")
client = authority.issue("client")


# BoringSSL looks at one authority of a name, and doesn't say at which.
ONLY_H2 = {"h2": True}
NOT_H2 = {"h2": False, "grpcio": True}


class Case(NamedTuple):
    """What a server has, which client comes, and whether it is accepted.

    Attributes:
        client: The client's certificate.
        ca: What is in ca.crt.
        accepted: By both transports; or by each, without one whose answer isn't sure.
        own: The server's certificate.
        trusted: The authority that the client trusts.
    """

    client: Pair | None
    ca: bytes = authority.certificate
    accepted: bool | dict[str, bool] = False
    own: Pair = own
    trusted: Authority | CrossplaneAuthority = authority


def chain() -> Pair:
    """Return a certificate of an intermediate authority, with that authority's."""
    middle = Authority(ordinary)
    pair = middle.issue("client")
    return Pair(pair.certificate + middle.certificate, pair.key)


def tampered() -> Pair:
    """Return a certificate with one changed bit in its signature."""
    der = bytearray(x509.load_pem_x509_certificate(client.certificate).public_bytes(Encoding.DER))
    der[-1] ^= 1
    return Pair(ssl.DER_cert_to_PEM_cert(bytes(der)).encode(), client.key)


def changed() -> Pair:
    """Return a certificate for servers that has been changed into one for clients."""
    der = x509.load_pem_x509_certificate(authority.issue("server").certificate).public_bytes(Encoding.DER)
    usage = bytes.fromhex("06082b06010505070301")
    assert der.count(usage) == 1
    pem = ssl.DER_cert_to_PEM_cert(der.replace(usage, usage[:-1] + b"\x02"))
    return Pair(pem.encode(), client.key)


def of(issuer: CrossplaneAuthority, accepted: bool | dict[str, bool] = False) -> Case:
    """Return a case of a client with an authority of its own, which is the only one in ca.crt."""
    return Case(issuer.issue("client"), issuer.certificate, accepted)


def constrained() -> Case:
    """Return a case of an authority that may issue certificates only for other names."""
    limits = x509.NameConstraints(permitted_subtrees=[x509.DNSName("example.org")], excluded_subtrees=None)
    return of(CrossplaneAuthority(more=limits))


CASES: dict[str, Callable[[], Case]] = {
    "right": lambda: Case(client, accepted=True),
    "two authorities of the name": lambda: Case(client, namesake.certificate + authority.certificate, ONLY_H2),
    "two authorities, the other way round": lambda: Case(client, authority.certificate + namesake.certificate, ONLY_H2),
    "beside an expired authority": lambda: Case(
        client, CrossplaneAuthority(begins=NOW - 2 * DAY, ends=NOW - DAY).certificate + authority.certificate, ONLY_H2
    ),
    "ordinary": lambda: Case(ordinary.issue("client"), ordinary.certificate, True, ordinary.issue("server"), ordinary),
    "ordinary, beside Crossplane's": lambda: Case(
        *(ordinary.issue("client"), ordinary.certificate + authority.certificate, True),
        *(ordinary.issue("server"), ordinary),
    ),
    "ordinary, by an intermediate authority": lambda: Case(
        chain(), ordinary.certificate, True, ordinary.issue("server"), ordinary
    ),
    "ordinary, for Crossplane's server": lambda: Case(ordinary.issue("client"), ordinary.certificate, True),
    "another authority of the name": lambda: Case(namesake.issue("client")),
    "another authority": lambda: Case(ordinary.issue("client")),
    "self-signed": lambda: Case(CrossplaneAuthority(key=client_key()).issue("client")),
    "self-signed authority": lambda: Case(Pair(CrossplaneAuthority(key=client_key()).certificate, client.key)),
    "expired": lambda: Case(authority.issue("client", begins=NOW - 2 * DAY, ends=NOW - DAY)),
    "not yet valid": lambda: Case(authority.issue("client", begins=NOW + DAY, ends=NOW + 2 * DAY)),
    "for servers only": lambda: Case(authority.issue("server")),
    "no certificate": lambda: Case(None),
    "tampered signature": lambda: Case(tampered()),
    "tampered usage": lambda: Case(changed()),
    "expired authority": lambda: of(CrossplaneAuthority(begins=NOW - 2 * DAY, ends=NOW - DAY)),
    "authority not yet valid": lambda: of(CrossplaneAuthority(begins=NOW + DAY, ends=NOW + 2 * DAY)),
    "authority that is none": lambda: of(CrossplaneAuthority(is_authority=False)),
    "authority for other names": constrained,
    "signed in another name": lambda: Case(authority.issue("client", name=ordinary.name)),
    # OpenSSL refuses these also of ordinary authorities; BoringSSL doesn't.
    "authority for servers": lambda: of(CrossplaneAuthority(more=x509.ExtendedKeyUsage([SERVER_AUTH])), NOT_H2),
    "authority that is no root": lambda: of(CrossplaneAuthority(parent=ordinary), NOT_H2),
    "authority with a weak key": lambda: of(CrossplaneAuthority(key=rsa.generate_private_key(65537, 1024)), NOT_H2),
    "weak signature": lambda: Case(authority.issue("client", weak=True), accepted=NOT_H2),
}

needs_library = pytest.mark.skipif(STATIC, reason="this Python hides OpenSSL's functions")


def credentials(trusted: Authority | CrossplaneAuthority, pair: Pair | None) -> grpc.ChannelCredentials:
    """Return what a client connects with."""
    shown = (None, None) if pair is None else (pair.key, pair.certificate)
    return grpc.ssl_channel_credentials(trusted.certificate, *shown)


def answers(address: str, trusted: Authority | CrossplaneAuthority, pair: Pair | None) -> bool:
    """Say whether a server answers a client of grpcio with that certificate."""
    with channel(address, credentials(trusted, pair)) as opened:
        try:
            call = opened.unary_unary(PREFIX + "RunFunction")
            return bool(call(b"hello", timeout=30) == b"hello")
        except grpc.RpcError as e:
            assert e.code() == grpc.StatusCode.UNAVAILABLE
            return False


# Where no CA in ca.crt has the name of the server's certificate.
ORDINARY = {name for name in CASES if name.startswith("ordinary")} | {"authority that is none"}


def folder(path: Path, case: Case) -> Path:
    """Lay out the server's files."""
    write(path, case.own, case.trusted)
    (path / "ca.crt").write_bytes(case.ca)
    return path


def client_context(path: Path, version: ssl.TLSVersion, pair: Pair = client) -> ssl.SSLContext:
    """Return a client of Python's ssl for one version of TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # it has OpenSSL's opinion of the server's certificate, too
    context.minimum_version = context.maximum_version = version
    context.set_alpn_protocols(["h2"])
    (path / "client.pem").write_bytes(pair.certificate + pair.key)
    context.load_cert_chain(path / "client.pem")
    return context


def shaken(server: ssl.SSLContext, client: ssl.SSLContext, session: Any = None) -> Any:
    """Do a handshake, where each side gets one byte at a time, and return the client's session."""
    wires = [(ssl.MemoryBIO(), ssl.MemoryBIO()) for _ in range(2)]  # what one side has written, and the other can read
    (up, up_read), (down, down_read) = wires
    caller = client.wrap_bio(down_read, up, server_hostname="localhost", session=session)
    called = server.wrap_bio(up_read, down, server_side=True)
    sides: list[ssl.SSLObject] = [caller, called]
    for _ in range(100_000):
        for written, readable in wires:
            readable.write(written.read(1))
        for side in list(sides):
            try:
                side.do_handshake()
                sides.remove(side)
            except ssl.SSLWantReadError:
                pass
        if not sides:
            assert caller.session_reused == (session is not None)
            return caller.session
    raise AssertionError("the handshake isn't over")


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", CASES)
def test_matrix(tmp_path: Path, transport: str, name: str) -> None:
    """A client is accepted if its certificate is valid, for clients, and of a valid CA in ca.crt; no other is."""
    case = CASES[name]()
    certificates = Certificates(str(folder(tmp_path, case)))
    if STATIC and transport == "h2" and name not in ORDINARY:
        with pytest.raises(InputError, match="--transport grpcio"):
            _ = certificates.context
        return
    # The server's certificate has a name, as Crossplane's have, and no address.
    with in_process(lambda data: data, transport, "localhost:0", certificates=certificates) as (_, address):
        accepted = answers(address, case.trusted, case.client)
        wanted = case.accepted if isinstance(case.accepted, bool) else case.accepted.get(transport, accepted)
        assert accepted == wanted
        assert not answers(address, case.trusted, None)


def test_as_core_init() -> None:
    """The certificates of these tests differ from those of a real `core init` only in keys, dates and addresses."""

    def facts(certificate: x509.Certificate) -> list[object]:
        lives = certificate.not_valid_after_utc - certificate.not_valid_before_utc
        own: list[object] = [certificate.subject.public_bytes(), certificate.issuer.public_bytes()]
        own += [certificate.version, certificate.serial_number, certificate.signature_algorithm_oid, lives // (9 * DAY)]
        key = certificate.public_key()
        assert isinstance(key, rsa.RSAPublicKey)
        own += [key.key_size, key.public_numbers().e]
        for extension in certificate.extensions:
            same = isinstance(extension.value, (x509.KeyUsage, x509.ExtendedKeyUsage, x509.BasicConstraints))
            own.append((extension.oid, extension.critical, extension.value if same else None))
        return own

    for name, pem in (("ca.crt", authority.certificate), ("client.crt", client.certificate)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            assert facts(x509.load_pem_x509_certificate(pem)) == facts(read(CORE_INIT / name))


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@needs_library
def test_byte_by_byte(tmp_path: Path, version: ssl.TLSVersion) -> None:
    """However little of a handshake arrives at once, and if a CA of the name didn't sign, it goes on."""
    write(tmp_path, own, authority)
    (tmp_path / "ca.crt").write_bytes(namesake.certificate + authority.certificate)
    server = Certificates(str(tmp_path)).context
    assert shaken(server, client_context(tmp_path, version)) is not None
    with pytest.raises(ssl.SSLCertVerificationError) as caught:
        shaken(server, client_context(tmp_path, version, CrossplaneAuthority().issue("client")))
    assert caught.value.verify_code == 18


@pytest.mark.slow
@needs_library
def test_resumption(tmp_path: Path) -> None:
    """A session of TLS 1.2 lets nobody in whose CA has been taken out of ca.crt since then."""
    certificates = Certificates(str(write(tmp_path, own, authority)))
    caller = client_context(tmp_path, ssl.TLSVersion.TLSv1_2)
    session = shaken(certificates.context, caller)
    assert session is not None
    assert shaken(certificates.context, caller, session) is not None
    (tmp_path / "ca.crt").write_bytes(namesake.certificate)
    assert certificates.changed()
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(certificates.context, caller, session)


@pytest.mark.slow
@needs_library
def test_rotation(tmp_path: Path) -> None:
    """New certificates of another Crossplane are used from the next handshake on, and only they."""
    newer = namesake.issue("client")
    certificates = Certificates(str(write(tmp_path, own, authority)))
    with in_process(lambda data: data, "h2", "localhost:0", certificates=certificates) as (_, address):
        assert answers(address, authority, client)
        write(tmp_path, namesake.issue("server"), namesake)
        assert answers(address, namesake, newer)
        assert not answers(address, namesake, client)
        write(tmp_path, ordinary.issue("server"), ordinary)
        assert answers(address, ordinary, ordinary.issue("client"))
        assert not answers(address, ordinary, newer)
        write(tmp_path, own, authority)
        assert answers(address, authority, client)


@pytest.mark.slow
@needs_library
def test_only_when_needed(tmp_path: Path) -> None:
    """Servers with ordinary certificates, and those of grpcio, don't load ctypes."""
    write(tmp_path / "crossplane", own, authority)
    write(tmp_path / "ordinary", ordinary.issue("server"), ordinary)
    program = """if True:
        import sys
        from crossplane_lite.runtime.tls import Certificates
        certificates = Certificates(sys.argv[1])
        assert "ctypes" not in sys.modules
        certificates.context
        print("ctypes" in sys.modules)
    """
    for name, loads in (("ordinary", "False"), ("crossplane", "True")):
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / name)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert done.stdout.strip() == loads


# Serves without ctypes, as some small images of Python have it.
WITHOUT = "import sys; sys.modules['ctypes'] = None; from crossplane_lite.cli import main; sys.exit(main(sys.argv[1:]))"


def without_ctypes(path: Path, transport: str) -> list[str]:
    flags = ["--tls-certs-dir", str(path), "--transport", transport, "--address", "localhost:0"]
    return [sys.executable, "-c", WITHOUT, "serve", "tests.runtime.functions:echo", *flags]


@pytest.mark.slow
def test_where_it_cannot_work(tmp_path: Path) -> None:
    """Where OpenSSL's functions can't be reached, h2 ends at the start and names grpcio, which serves."""
    write(tmp_path, own, authority)
    command = without_ctypes(tmp_path, "h2")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "--transport grpcio" in done.stderr
    server = Serving(without_ctypes(tmp_path, "grpcio"))
    try:
        with channel(server.address, credentials(authority, client)) as opened:
            assert "bucket" in stub(opened).RunFunction(build(xr={"spec": {}}), timeout=30).desired.resources
    finally:
        server.stop()


def test_where_it_may_not_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There too, a server of another name beside Crossplane's CA serves other clients, and warns."""
    monkeypatch.setitem(sys.modules, "crossplane_lite.runtime.same_name", None)
    write(tmp_path, ordinary.issue("server"), ordinary)
    (tmp_path / "ca.crt").write_bytes(authority.certificate + ordinary.certificate)
    certificates = Certificates(str(tmp_path))
    with in_process(lambda data: data, "h2", "localhost:0", certificates=certificates) as (_, address):
        assert answers(address, ordinary, ordinary.issue("client"))
        assert not answers(address, ordinary, client)
    said = [record.getMessage() for record in caplog.records if record.name == "crossplane_lite.runtime.tls"]
    assert ["--transport grpcio" in text for text in said if "expires" not in text] == [True]
