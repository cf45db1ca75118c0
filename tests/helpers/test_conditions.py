"""Status conditions of resources in raw messages."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import resource
from tests.helpers.families import CONDITIONS, EXAMPLES, FAMILIES, STATUSES, VALUES, official, stable


@pytest.fixture(params=FAMILIES, ids=lambda family: str(family.name))
def messages(request: pytest.FixtureRequest) -> Any:
    """The messages of every implementation."""
    return request.param.messages


def condition_fields(condition: Any) -> tuple[Any, ...]:
    """Return what both SDKs have of a condition."""
    return condition.typ, condition.status, condition.reason, condition.message, condition.last_transition_time


@EXAMPLES
@given(st.lists(CONDITIONS, max_size=4), st.sampled_from(["Ready", "Synced", "Other"]))
def test_conditions_like_the_official_sdk(conditions: list[dict[str, Any]], typ: str) -> None:
    """A well-formed condition is what the official SDK gives, from Structs and Resources of any implementation."""
    value = {"status": {"conditions": conditions}}
    wanted = official("resource").get_condition(official("resource").dict_to_struct(value), typ)
    for family in FAMILIES:
        r = family.messages.Resource()
        resource.update(r, value)
        before = stable(r)
        for given_as in (r, r.resource, value):
            assert condition_fields(resource.get_condition(given_as, typ)) == condition_fields(wanted), family.name
        assert stable(r) == before


@EXAMPLES
@given(STATUSES | VALUES | st.fixed_dictionaries({"conditions": VALUES | st.lists(VALUES, max_size=3)}))
def test_a_malformed_status_never_raises(status: Any) -> None:
    """Whatever a status holds, a condition comes back, as the official SDK's where that doesn't raise."""
    theirs = official("resource")
    struct = theirs.dict_to_struct({"status": status})
    before = stable(struct)
    found = resource.get_condition(struct, "Ready")
    assert stable(struct) == before
    try:
        wanted = theirs.get_condition(struct, "Ready")
    except (TypeError, ValueError):
        assert found == resource.Condition("Ready", "Unknown")
    else:
        assert condition_fields(found) == condition_fields(wanted)


MALFORMED = [
    ([{"type": "Ready"}], ("Unknown", None, None)),
    ([{"status": "True"}], ("Unknown", None, None)),
    ([{"type": "Ready", "status": None}], ("Unknown", None, None)),
    ([{"type": "Ready", "status": True, "reason": 5, "message": ["m"]}], ("Unknown", None, None)),
    (["text", None, {"type": "Ready", "status": "True"}], ("True", None, None)),
    ([{"type": "Ready", "status": "True", "reason": None, "lastTransitionTime": "yesterday"}], ("True", None, None)),
    ([{"type": "Ready", "status": "True", "lastTransitionTime": 5}], ("True", None, None)),
    ({"type": "Ready", "status": "True"}, ("Unknown", None, None)),
    ("text", ("Unknown", None, None)),
    (None, ("Unknown", None, None)),
]


@pytest.mark.parametrize(("conditions", "wanted"), MALFORMED)
def test_malformed_conditions(conditions: Any, wanted: Any) -> None:
    """What is malformed reads as if it weren't there; the rest is read."""
    found = resource.get_condition({"status": {"conditions": conditions}}, "Ready")
    assert (found.status, found.reason, found.message) == wanted
    assert found.last_transition_time is None


@pytest.mark.parametrize("status", ["conditions", 5, None, [], True])
def test_malformed_statuses(status: Any) -> None:
    """A status that is no object has no conditions."""
    assert resource.get_condition({"status": status}, "Ready") == resource.Condition("Ready", "Unknown")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2024-01-01T10:20:30Z", datetime.datetime(2024, 1, 1, 10, 20, 30, tzinfo=datetime.timezone.utc)),
        ("2024-01-01T10:20:30.123456Z", datetime.datetime(2024, 1, 1, 10, 20, 30, 123456, datetime.timezone.utc)),
        (
            "2024-01-01T10:20:30+01:00",
            datetime.datetime(2024, 1, 1, 10, 20, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
        ),
    ],
)
def test_transition_times(text: str, wanted: datetime.datetime) -> None:
    """Times in the forms that Kubernetes writes are read, on every version of Python."""
    condition = {"type": "Ready", "status": "True", "lastTransitionTime": text}
    found = resource.get_condition({"status": {"conditions": [condition]}}, "Ready")
    assert found.last_transition_time == wanted


def test_conditions_of_nothing(messages: Any) -> None:
    """A resource that isn't there has no condition, and asking makes no entry."""
    req = messages.RunFunctionRequest()
    unknown = resource.Condition("Ready", "Unknown")
    assert resource.get_condition(req.observed.resources.get("missing"), "Ready") == unknown
    assert resource.get_condition(req.observed.composite, "Ready") == unknown
    assert resource.get_condition(None, "Ready") == unknown
    assert stable(req) == b""
    with pytest.raises(TypeError, match=r"get_condition\(\) takes a Resource, a Struct, a mapping or None"):
        resource.get_condition("text", "Ready")  # type: ignore[arg-type]
