"""Where spans of OpenTelemetry end up in tests. A process has one provider for good, so all tests share it."""

from __future__ import annotations

import functools

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

__all__ = ["empty_exporter"]


@functools.cache
def _exporter() -> InMemorySpanExporter:
    made = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(made))
    trace.set_tracer_provider(provider)
    return made


def empty_exporter() -> InMemorySpanExporter:
    """Return the exporter that has all spans from now on."""
    exporter = _exporter()
    exporter.clear()
    return exporter
