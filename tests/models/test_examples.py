"""The models of the examples: generated ones, and those of the network, which are written by hand."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import attrs
import pytest

from crossplane_lite.model import Resource
from tests.models.tables import DATA, ROOT, fields_of, schema_type, table_of

MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for example in ("storage_bucket", "network")
    for path in sorted((ROOT / "examples" / example / "model").rglob("v*.py"))
]
AWS = "examples.network.model.io.upbound.aws.ec2"
# The module of each kind, and the definition that it is a part of.
KINDS = {
    "VPC": (f"{AWS}.vpc.v1beta1", "ec2.aws.upbound.io_vpcs"),
    "Subnet": (f"{AWS}.subnet.v1beta1", "ec2.aws.upbound.io_subnets"),
    "SecurityGroup": (f"{AWS}.securitygroup.v1beta1", "ec2.aws.upbound.io_securitygroups"),
}


@pytest.mark.parametrize("name", MODULES)
def test_every_class_can_be_made(name: str) -> None:
    """Each string of the tables parses, and the resources know their apiVersion and kind."""
    module = importlib.import_module(name)
    for class_, text in table_of(module).items():
        cls: Any = getattr(module, class_)
        assert len(attrs.fields(cls)) == len(fields_of(text)) + 2 * text.startswith("@")
        made = cls()
        if text.startswith("@"):
            assert isinstance(made, Resource)
            assert [made.apiVersion, made.kind] == [text.split(" ")[0][1:].partition(";")[0], class_]


@pytest.mark.parametrize("kind", KINDS)
def test_fields_are_those_of_the_provider(kind: str) -> None:
    """Each field stands in the provider's definition with the same type."""
    name, definition = KINDS[kind]
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    file: Path = DATA / "crds" / f"{definition}.yaml"
    if not file.exists():
        pytest.skip("the provider's definitions are not there")
    (version,) = (one for one in yaml.safe_load(file.read_text())["spec"]["versions"] if one["name"] == "v1beta1")
    table = table_of(importlib.import_module(name))
    unknown = set()
    work = [("", kind, version["schema"]["openAPIV3Schema"])]
    while work:
        path, class_, schema = work.pop()
        for wire, type_ in fields_of(table[class_]).items():
            place = f"{path}.{wire}".lstrip(".")
            field = schema["properties"].get(wire)
            if field is None:
                unknown.add(place)
            elif type_.lstrip("[") in table:
                work.append((place, type_.lstrip("["), field["items"] if type_[0] == "[" else field))
            elif not type_.lstrip("[").startswith("meta."):
                assert type_ == schema_type(field), place
    assert not unknown
