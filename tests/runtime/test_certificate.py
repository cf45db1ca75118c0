"""Dates and kinds of keys, read from certificates of the package cryptography."""

from __future__ import annotations

import datetime

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite.errors import InputError
from crossplane_lite.runtime.certificate import ED25519, P521, UNUSABLE, facts_in
from tests.runtime.certificates import KEYS, Authority

authority = Authority()
UTC = datetime.timezone.utc


@pytest.mark.parametrize("kind", KEYS)
def test_kind_of_key(kind: str) -> None:
    """Each kind of key is told apart."""
    (facts,) = facts_in(authority.issue("server", kind).certificate, "tls.crt")
    assert (facts.key == ED25519) == (kind == "Ed25519")
    assert (facts.key == P521) == (kind == "P-521")
    assert UNUSABLE.get(facts.key) == (kind if kind in UNUSABLE.values() else None)


@pytest.mark.parametrize("year", [1960, 1999, 2000, 2049, 2050, 9999])
def test_dates(year: int) -> None:
    """Dates are those of the certificate, in either of the ways in which it can say them."""
    begins = datetime.datetime(1955, 6, 30, 23, 59, 58, tzinfo=UTC)
    ends = datetime.datetime(year, 12, 31, 23, 59, 59, tzinfo=UTC)
    pair = authority.issue("server", begins=begins, ends=ends)
    (facts,) = facts_in(pair.certificate, "tls.crt")
    found = x509.load_pem_x509_certificate(pair.certificate)
    assert facts.begins == found.not_valid_before_utc.timestamp() == begins.timestamp()
    assert facts.ends == found.not_valid_after_utc.timestamp() == ends.timestamp()


def test_more_than_one() -> None:
    """All certificates of a file are read, and text between them is left out."""
    pem = b"# first\n" + authority.issue("a").certificate + b"# second\n" + authority.certificate
    assert len(facts_in(pem, "ca.crt")) == 2


@given(st.data())
def test_damage(data: st.DataObject) -> None:
    """Whatever is wrong with a certificate, the error names the file."""
    pem = bytearray(authority.certificate)
    at = data.draw(st.integers(30, len(pem) - 30))
    pem[at : at + data.draw(st.integers(1, 50))] = data.draw(st.binary(max_size=3))
    try:
        facts_in(bytes(pem), "/certs/ca.crt")
    except InputError as e:
        assert "/certs/ca.crt, certificate " in str(e)
