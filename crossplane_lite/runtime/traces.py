"""Makes OpenTelemetry spans for calls, with opentelemetry-api. OpenTelemetry's SDK sends the spans, if it is set up."""

from __future__ import annotations

from typing import Final

from .._core.base.extras import load
from .._core.call import results
from .._core.call.results import Tally
from ..proto import _view
from .calls import Run, subject_of

__all__ = ["traced"]

_trace: Final = load("opentelemetry.trace", "otel")


def traced(run: Run, name: str) -> Run:
    """Return a function that calls `run` in a span.

    The span has the request's tag, the composite's name and the counts of the call's `Tally`, such as the number of
    emitted resources, as attributes. After a Fatal result, a cancellation or an exception, the span's status is ERROR.
    Exceptions of `run` are raised again.

    Args:
        run: The function, which takes request bytes and returns response bytes.
        name: The name of the spans: the function's name.
    """
    tracer = _trace.get_tracer("crossplane_lite")
    error = _trace.StatusCode.ERROR

    def run_traced(request: bytes) -> bytes:
        attributes = {f"crossplane.{key}": value for key, value in subject_of(request).items()}
        # The texts of exceptions may have secrets, so they aren't recorded. The texts of results are already masked.
        span = tracer.start_span(name, kind=_trace.SpanKind.SERVER, attributes=attributes)
        counts = Tally()
        outer = results.counting.get()
        before = results.counting.set(counts)
        try:
            with _trace.use_span(span, record_exception=False, set_status_on_exception=False):
                response = run(request)
            for key in counts.__slots__:
                span.set_attribute(f"crossplane.{key}", getattr(counts, key))
            # A function answers a call that was cancelled after its deadline with no bytes.
            fatal = _first_fatal(response) if response else "cancelled after the call's deadline"
            if fatal is not None:
                span.set_status(error, fatal)
            return response
        except BaseException as e:
            span.set_status(error, type(e).__name__)
            raise
        finally:
            results.counting.reset(before)
            if outer is not None:
                outer.add(counts)
            span.end()

    return run_traced


def _first_fatal(response: bytes) -> str | None:
    try:
        results = _view.RunFunctionResponse.FromString(response).results
    except Exception:  # a malformed response is the caller's to report
        return None
    return next((str(one.message) for one in results if one.severity == _view.SEVERITY_FATAL), None)
