"""Spans of OpenTelemetry around calls, with its SDK at the other end."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.call import results
from crossplane_lite._core.call.results import Tally
from crossplane_lite.errors import MissingExtraError, WireError
from crossplane_lite.runtime import flags
from crossplane_lite.runtime.traces import traced
from tests.runtime.spans import empty_exporter
from tests.support import request

XR = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "photos", "namespace": "team"}}


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """Return where spans end up."""
    return empty_exporter()


@composition.function(name="buckets")
def compose(ctx: composition.Context) -> None:
    """Composes a bucket, and something that waits for it; fails where the composite asks for it."""
    with trace.get_tracer("mine").start_as_current_span("asking the cloud"):
        bucket = Unstructured("example.org/v1", "Bucket")
        ctx.resource("bucket", bucket)
    grant = Unstructured("example.org/v1", "Grant")
    grant.spec.bucket = bucket.observed.status.id
    ctx.resource("grant", grant)
    if ctx.composite(Unstructured).observed.spec.fail:
        raise LookupError("the password is sesame")


def spans(exporter: InMemorySpanExporter, data: bytes) -> list[Any]:
    """Return the spans of one call, in the order of their ends."""
    exporter.clear()
    traced(compose.run, compose.name)(data)
    return list(exporter.get_finished_spans())


def test_a_call(exporter: InMemorySpanExporter) -> None:
    """A call is a span named after the step, with tag, composite and counts; spans of compose() are inside of it."""
    *inner, outer = spans(exporter, request(xr=XR, tag="a tag"))
    assert outer.name == "buckets"
    assert dict(outer.attributes) == {
        "crossplane.tag": "a tag",
        "crossplane.composite": "team/photos",
        "crossplane.emitted": 1,
        "crossplane.held": 1,
        "crossplane.kept": 0,
        "crossplane.rehearsals": len(inner) - 1,
    }
    assert outer.status.is_ok or outer.status.status_code is trace.StatusCode.UNSET
    assert inner
    for span in inner:
        assert span.name == "asking the cloud"
        assert span.parent.span_id == outer.context.span_id


def test_a_fatal_result(exporter: InMemorySpanExporter) -> None:
    """A Fatal result makes the span one of an error, with the text of the result."""
    *_, outer = spans(exporter, request(xr={**XR, "spec": {"fail": True}}))
    assert outer.status.status_code is trace.StatusCode.ERROR
    assert "LookupError" in outer.status.description
    assert not outer.events


def test_a_cancelled_call(exporter: InMemorySpanExporter) -> None:
    """A call that was cancelled has no answer, and its span is one of an error."""
    exporter.clear()
    assert traced(lambda data: b"", "buckets")(request(xr=XR)) == b""
    (span,) = exporter.get_finished_spans()
    assert span.status.status_code is trace.StatusCode.ERROR
    assert span.status.description == "cancelled after the call's deadline"


def test_a_malformed_request(exporter: InMemorySpanExporter) -> None:
    """What a call raises is named by its type alone, because its text may hold anything."""
    exporter.clear()
    with pytest.raises(WireError):
        traced(compose.run, "buckets")(b"\xff")
    (span,) = exporter.get_finished_spans()
    assert span.status.description == "WireError"
    assert not span.events


def test_metrics_count_as_well(exporter: InMemorySpanExporter) -> None:
    """Counts of a span are those of the metrics around it too."""
    counts = Tally()
    before = results.counting.set(counts)
    try:
        spans(exporter, request(xr=XR))
    finally:
        results.counting.reset(before)
    assert counts.counts[:3] == (1, 1, 0)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where opentelemetry-api isn't installed, --traces is an error that names the extra."""
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    monkeypatch.delitem(sys.modules, "crossplane_lite.runtime.traces")
    parsed, _ = flags._parse(["--insecure", "--traces"])
    with pytest.raises(MissingExtraError, match=r"crossplane-lite\[otel\]"):
        flags._listening(parsed, compose, [])
