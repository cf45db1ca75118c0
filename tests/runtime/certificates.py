"""Certificates for mutual TLS, made on the spot."""

from __future__ import annotations

import datetime
import functools
import hashlib
import ipaddress
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = ["CORE_INIT", "KEYS", "Authority", "CrossplaneAuthority", "Pair", "client_key", "encrypted", "read", "write"]

CORE_INIT = Path(__file__).parents[1] / "data" / "core_init"
"""The CA and the client's certificate of a real `crossplane core init`, of Crossplane 2.4.0."""

KEYS = {
    "P-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "P-384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "P-521": lambda: ec.generate_private_key(ec.SECP521R1()),
    "RSA": lambda: rsa.generate_private_key(65537, 2048),
    "Ed25519": ed25519.Ed25519PrivateKey.generate,
    "Ed448": ed448.Ed448PrivateKey.generate,
    "secp256k1": lambda: ec.generate_private_key(ec.SECP256K1()),
    "DSA": lambda: dsa.generate_private_key(1024),
}
"""Kinds of keys, and what makes one."""


def _key_usage(**uses: bool) -> x509.KeyUsage:
    names = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
    others = ("key_cert_sign", "crl_sign", "encipher_only", "decipher_only")
    return x509.KeyUsage(**{name: uses.get(name, False) for name in (*names, *others)})


class Pair(NamedTuple):
    """A certificate and its key, both PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """A certificate authority.

    Args:
        parent: The authority that has signed its certificate; itself, if nothing else is said.
        kind: The kind of its key, one of `KEYS`.
    """

    def __init__(self, parent: Authority | None = None, kind: str = "P-256") -> None:
        self.key: Any = KEYS[kind]()
        self._digest = None if kind.startswith("Ed") else hashes.SHA256()
        name = "test authority" if parent is None else "test intermediate authority"
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        signer = parent or self
        builder = _builder(self.name, signer.name, self.key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        builder = builder.add_extension(_key_usage(key_cert_sign=True), critical=True)
        identifier = x509.SubjectKeyIdentifier.from_public_key(self.key.public_key())
        builder = builder.add_extension(identifier, critical=False)
        if parent is not None:
            above = x509.AuthorityKeyIdentifier.from_issuer_public_key(parent.key.public_key())
            builder = builder.add_extension(above, critical=False)
        self.certificate = builder.sign(signer.key, signer._digest).public_bytes(Encoding.PEM)

    def issue(
        self,
        name: str,
        kind: str = "P-256",
        *,
        begins: datetime.datetime | None = None,
        ends: datetime.datetime | None = None,
    ) -> Pair:
        """Return a certificate for a server on this machine, or for a client.

        Args:
            name: Its common name.
            kind: One of `KEYS`.
            begins: When it begins to be valid; an hour ago, if nothing else is said.
            ends: When it ends to be; in an hour.
        """
        key: Any = KEYS[kind]()
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = _builder(subject, self.name, key.public_key(), begins, ends)
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        builder = builder.add_extension(identifier, critical=False)
        certificate = builder.sign(self.key, self._digest).public_bytes(Encoding.PEM)
        return Pair(certificate, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def read(path: Path) -> x509.Certificate:
    """Return the certificate in a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the country of Crossplane is Earth, which has too many letters
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
        assert certificate.subject
        return certificate


@functools.cache
def client_key() -> rsa.RSAPrivateKey:
    """Return the key of all certificates that a `CrossplaneAuthority` issues."""
    return rsa.generate_private_key(65537, 2048)


class CrossplaneAuthority:
    """A certificate authority whose certificates are as `crossplane core init` makes them.

    Args:
        begins: When the authority's certificate begins to be valid; an hour ago, if nothing else is said.
        ends: When it ends to be; in ten years.
        key: Its key.
        more: One more extension. Crossplane's has none.
        is_authority: Whether the certificate says that it is an authority's.
        parent: The authority that has signed its certificate; itself, if nothing else is said.
    """

    def __init__(
        self,
        *,
        begins: datetime.datetime | None = None,
        ends: datetime.datetime | None = None,
        key: rsa.RSAPrivateKey | None = None,
        more: x509.ExtensionType | None = None,
        is_authority: bool = True,
        parent: Authority | None = None,
    ) -> None:
        self._key = key or rsa.generate_private_key(65537, 2048)
        builder = self._builder(self._key, begins, ends, issuer=parent and parent.name)
        signs = {"key_cert_sign": is_authority, "crl_sign": is_authority, "digital_signature": not is_authority}
        builder = builder.add_extension(_key_usage(**signs), critical=True)
        builder = builder.add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        builder = builder.add_extension(identifier, critical=False)
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("crossplane-root-ca")]), False)
        if more is not None:
            builder = builder.add_extension(more, critical=True)
        signer: Any = parent.key if parent is not None else self._key
        self.certificate = builder.sign(signer, hashes.SHA256()).public_bytes(Encoding.PEM)

    def issue(
        self,
        usage: str,
        *,
        begins: datetime.datetime | None = None,
        ends: datetime.datetime | None = None,
        weak: bool = False,
        name: x509.Name | None = None,
    ) -> Pair:
        """Return a certificate for a server on this machine, or for a client.

        Args:
            usage: `server` or `client`.
            begins: When it begins to be valid; an hour ago, if nothing else is said.
            ends: When it ends to be; in ten years.
            weak: Whether the digest of the signature is SHA-1 instead of SHA-256.
            name: The name of the client, and of the CA in its certificate; Crossplane's.
        """
        key = client_key()
        usages = {"server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH}
        uses = _key_usage(digital_signature=True, key_encipherment=True, data_encipherment=True)
        builder = self._builder(key, begins, ends, name, name).add_extension(uses, critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usages[usage]]), critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        if weak:
            certificate = self._weakened(certificate)
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
        return Pair(certificate.public_bytes(Encoding.PEM), pem)

    def _weakened(self, certificate: x509.Certificate) -> x509.Certificate:
        """Return the same certificate, signed with SHA-1, which the package cryptography doesn't do any more."""
        with_sha256, with_sha1 = (bytes.fromhex("06092a864886f70d01010" + digit) for digit in "b5")
        signed = certificate.tbs_certificate_bytes.replace(with_sha256, with_sha1)
        numbers = self._key.private_numbers()
        size = self._key.key_size // 8
        digest = bytes.fromhex("3021300906052b0e03021a05000414") + hashlib.sha1(signed).digest()
        padded = b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest
        signature = pow(int.from_bytes(padded, "big"), numbers.d, numbers.public_numbers.n).to_bytes(size, "big")
        der = certificate.public_bytes(Encoding.DER).replace(with_sha256, with_sha1)
        return x509.load_der_x509_certificate(der.replace(certificate.signature, signature))

    def _builder(
        self,
        key: rsa.RSAPrivateKey,
        begins: datetime.datetime | None,
        ends: datetime.datetime | None,
        subject: x509.Name | None = None,
        issuer: x509.Name | None = None,
    ) -> x509.CertificateBuilder:
        name = read(CORE_INIT / "ca.crt").subject
        years = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=3652)
        return _builder(subject or name, issuer or name, key.public_key(), begins, ends or years, 2022)


def write(directory: Path, pair: Pair, authority: Authority | CrossplaneAuthority) -> Path:
    """Lay the files out as a Kubernetes secret of type tls does."""
    directory.mkdir(exist_ok=True)
    (directory / "tls.crt").write_bytes(pair.certificate)
    (directory / "tls.key").write_bytes(pair.key)
    (directory / "ca.crt").write_bytes(authority.certificate)
    return directory


def encrypted() -> bytes:
    """Return a private key that only a password opens."""
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: Any,
    begins: datetime.datetime | None = None,
    ends: datetime.datetime | None = None,
    serial: int | None = None,
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.timezone.utc)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(serial or x509.random_serial_number())
        .not_valid_before(begins or now - datetime.timedelta(hours=1))
        .not_valid_after(ends or now + datetime.timedelta(hours=1))
    )
