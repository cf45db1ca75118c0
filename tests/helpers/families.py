"""Messages of every implementation, and random requests for them.

The official SDK needs Python 3.11. What compares with it is skipped where it isn't installed.
"""

from __future__ import annotations

import datetime
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from crossplane_lite.proto.v1 import run_function_pb2 as ours_v1
from crossplane_lite.proto.v1beta1 import run_function_pb2 as ours_v1beta1

__all__ = [
    "CONDITIONS",
    "EXAMPLES",
    "FAMILIES",
    "NAMES",
    "NO_OFFICIAL",
    "OBJECTS",
    "REQUESTS",
    "ROOT",
    "STATUSES",
    "TEXTS",
    "VALUES",
    "Family",
    "official",
    "stable",
]

ROOT = Path(__file__).resolve().parents[2]
"""The project's root, from which programs import the package."""

_FACTOR = int(os.environ.get("CROSSPLANE_LITE_TEST_FACTOR", "1"))

EXAMPLES = settings(max_examples=80 * _FACTOR, deadline=None, derandomize=_FACTOR == 1)
"""How many examples a property is tried with; the environment variable asks for a longer run with fresh ones."""

NO_OFFICIAL = "the official SDK isn't installed; it needs Python 3.11"


def official(name: str) -> Any:
    """Return a module of the official SDK, such as `request`, or skip the test."""
    if sys.version_info < (3, 11) and not name.startswith("proto."):
        # Installed all the same it works but for times, which it reads as only 3.11 and later can.
        pytest.skip("the official SDK's helpers need Python 3.11", allow_module_level=True)
    return pytest.importorskip(f"crossplane.function.{name}", reason=NO_OFFICIAL)


class Family(NamedTuple):
    """The messages of one implementation and version.

    Attributes:
        name: What it is called.
        module: The module that has them.
    """

    name: str
    module: str

    @property
    def messages(self) -> Any:
        """The module of its messages; the test is skipped where it isn't installed."""
        return pytest.importorskip(self.module, reason=NO_OFFICIAL)

    @property
    def struct(self) -> Any:
        """The class of its Structs."""
        return type(self.messages.Resource().resource)


FAMILIES = [
    Family("ours v1", ours_v1.__name__),
    Family("ours v1beta1", ours_v1beta1.__name__),
    Family("official v1", "crossplane.function.proto.v1.run_function_pb2"),
    Family("official v1beta1", "crossplane.function.proto.v1beta1.run_function_pb2"),
]


def stable(message: Any) -> bytes:
    """Return the bytes of a message, the same for equal ones."""
    data: bytes = message.SerializeToString(deterministic=True)
    return data


# Few names, so that what is asked for is there as often as not.
NAMES = st.sampled_from(["a", "b", "", "ops.crossplane.io/watched-resource"])
TEXTS = st.text(max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
TIMES = st.datetimes(timezones=st.just(datetime.timezone.utc)).map(lambda time: time.isoformat().replace("+00:00", "Z"))
CONDITIONS = st.fixed_dictionaries(
    {"type": st.sampled_from(["Ready", "Synced"]), "status": st.sampled_from(["True", "False", "Unknown"])},
    optional={"reason": TEXTS, "message": TEXTS, "lastTransitionTime": TIMES},
)
STATUSES = st.dictionaries(TEXTS, VALUES, max_size=2) | st.fixed_dictionaries(
    {"conditions": st.lists(CONDITIONS, max_size=3)}
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3) | st.fixed_dictionaries({"kind": TEXTS, "status": STATUSES})


@st.composite
def _requests(draw: st.DrawFn) -> bytes:
    request = ours_v1.RunFunctionRequest()
    request.meta.tag = draw(TEXTS)
    request.meta.capabilities.extend(draw(st.lists(st.integers(0, 7), max_size=4)))
    for state in (request.observed, request.desired):
        if draw(st.booleans()):
            state.composite.resource.update(draw(OBJECTS))
        for name in draw(st.sets(NAMES, max_size=2)):
            resource = state.resources[name]
            resource.resource.update(draw(OBJECTS))
            resource.ready = draw(st.integers(0, 2))
            for key in draw(st.sets(TEXTS, max_size=2)):
                resource.connection_details[key] = draw(st.binary(max_size=4))
    for struct in (request.input, request.context):
        if draw(st.booleans()):
            struct.SetInParent()
            struct.update(draw(OBJECTS))
    for answers in (request.required_resources, request.extra_resources):
        for name in draw(st.sets(NAMES, max_size=2)):
            answers[name].SetInParent()
            for value in draw(st.lists(OBJECTS, max_size=2)):
                answers[name].items.add().resource.update(value)
    for name in draw(st.sets(NAMES, max_size=2)):
        request.required_schemas[name].SetInParent()
        if draw(st.booleans()):
            request.required_schemas[name].openapi_v3.SetInParent()
            request.required_schemas[name].openapi_v3.update(draw(OBJECTS))
    for name in draw(st.sets(NAMES, max_size=2)):
        request.credentials[name].SetInParent()
        if draw(st.booleans()):
            request.credentials[name].credential_data.SetInParent()
            for key in draw(st.sets(TEXTS, max_size=2)):
                request.credentials[name].credential_data.data[key] = draw(TEXTS).encode()
    return stable(request)


REQUESTS = _requests()
"""The bytes of requests with anything in them."""
