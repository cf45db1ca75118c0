"""Values that a schema takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite._tools.simulate.values import required_values
from tests.wheels import ROOT

CRDS = ROOT.parent / "shared" / "data" / "crds"

STRING = {"type": "string"}
FIELDS: dict[str, tuple[dict[str, Any], Any]] = {
    "enum": ({"type": "string", "enum": ["b", "a"]}, "b"),
    "name": (STRING, "name"),
    "short": ({"type": "string", "maxLength": 3}, "sho"),
    "long": ({"type": "string", "minLength": 6}, "longxx"),
    "when": ({"type": "string", "format": "date-time"}, "2024-01-01T00:00:00Z"),
    "flag": ({"type": "boolean"}, True),
    "least": ({"type": "integer", "minimum": 5}, 5),
    "more": ({"type": "integer", "minimum": 5, "exclusiveMinimum": True}, 6),
    "most": ({"type": "number", "maximum": 0.5}, 0.5),
    "empty": ({"type": "array", "items": STRING}, []),
    "many": ({"type": "array", "minItems": 2, "items": {"type": "integer"}}, [1, 1]),
    "inner": ({"type": "object", "required": ["a"], "properties": {"a": STRING, "b": STRING}}, {"a": "inner-a"}),
}


@pytest.mark.parametrize("name", FIELDS)
def test_required_fields(name: str) -> None:
    """A required field gets a value of its type, within its limits."""
    schema, value = FIELDS[name]
    assert required_values({"required": [name], "properties": {name: schema}}) == {name: value}


def test_what_is_left_out() -> None:
    """Fields that nobody requires, that have a default or no schema are left out."""
    schema = {"required": ["a", "b"], "properties": {"a": {"type": "string", "default": "x"}, "c": STRING}}
    assert required_values(schema) == {}
    assert required_values({}) == {}


@pytest.mark.slow
@pytest.mark.skipif(not CRDS.exists(), reason="the definitions are not there")
def test_real_definitions() -> None:
    """What is made up for real kinds is right by their schemas."""
    from crossplane_lite.schemas import errors_in

    files = sorted(CRDS.glob("*.yaml"))
    assert len(files) > 10
    for file in files:
        crd = pyyaml.safe_load(Path(file).read_text(encoding="utf-8"))
        for version in crd["spec"]["versions"]:
            schema = version["schema"]["openAPIV3Schema"]
            api_version = f"{crd['spec']['group']}/{version['name']}"
            made = {"apiVersion": api_version, "kind": crd["spec"]["names"]["kind"], "metadata": {"name": "a"}}
            made |= required_values(schema)
            assert [str(one) for one in errors_in(made, json.loads(json.dumps(schema)))] == [], file.name
