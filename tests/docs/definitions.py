"""The definitions of the provider's kinds that the tutorial downloads."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.codegen.generated import crd, obj
from tests.docs.blocks import ROOT

__all__ = ["write_network_kinds"]

_REAL = ROOT.parent / "shared" / "cluster" / "crds"
_GROUP = "ec2.aws.m.upbound.io"
_FIELDS = {
    "VPC": {"region": "s", "cidrBlock": "s"},
    "Subnet": {"region": "s", "availabilityZone": "s", "cidrBlock": "s", "vpcId": "s"},
}


def write_network_kinds(folder: str) -> None:
    """Write the definitions of a VPC and a subnet: the provider's, or, where these aren't there, the fields in use."""
    Path(folder).mkdir(parents=True)
    for kind, fields in _FIELDS.items():
        file = f"{_GROUP}_{kind.lower()}s.yaml"
        if (_REAL / file).is_file():
            shutil.copy(_REAL / file, folder)
            continue
        schema = obj(spec=obj(forProvider=obj(**fields)), status=obj(atProvider=obj(id="s")))
        definition = crd(schema, group=_GROUP, kind=kind, versions=["v1beta1"])
        Path(folder, file).write_text(json.dumps(definition), encoding="utf-8")
