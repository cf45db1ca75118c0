"""The shipped models of io.k8s.apimachinery.pkg.apis.meta.v1."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import attrs
import pytest

from crossplane_lite.model import Model, Resource, from_dict, to_dict
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1
from tests.models.tables import DATA, ROOT, fields_of, schema_type, table_of

PREFIX = "io.k8s.apimachinery.pkg.apis.meta.v1."
DOCUMENT = DATA / "openapi" / "core_v1.json"
TABLE = table_of(v1)
# Types of the document that are plain values in JSON.
SCALARS = {"Time": "s", "MicroTime": "s", "FieldsV1": "o"}
SAMPLES: dict[str, Any] = {"s": "a", "i": 3, "b": True, "o": {"f:spec": {}}}


def sample(type_: str) -> Any:
    """Return a value of a table's type."""
    type_ = type_.partition("#")[0]
    if type_[0] == "[":
        return [sample(type_[1:])]
    if type_[0] == "{":
        return {"key": sample(type_[1:])}
    if type_ in SAMPLES:
        return SAMPLES[type_]
    return {wire: sample(inner) for wire, inner in fields_of(TABLE[type_]).items()}


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the API server's OpenAPI document is not there")
@pytest.mark.parametrize("name", sorted(TABLE))
def test_fields_are_those_of_the_api_server(name: str) -> None:
    """Each class has the fields of the API server's OpenAPI document, with their types and list-map keys."""
    schema = json.loads(DOCUMENT.read_text())["components"]["schemas"][PREFIX + name]
    wanted = {field: schema_type(value, PREFIX, SCALARS) for field, value in schema["properties"].items()}
    assert fields_of(TABLE[name]) == wanted


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_class_can_be_made_and_used(name: str) -> None:
    """Each string of the table parses: the class is an attrs class, and an object with all fields set keeps them."""
    cls = getattr(v1, name)
    assert attrs.has(cls)
    assert issubclass(cls, Model)
    assert not issubclass(cls, Resource)
    assert cls.__module__ == v1.__name__
    values = sample(name)
    assert to_dict(from_dict(cls, values)) == values


def test_names_that_python_wants_for_itself() -> None:
    """The field `continue` is the attribute `continue_`, and keeps its name in Kubernetes' objects."""
    assert to_dict(v1.ListMeta(continue_="a")) == {"continue": "a"}


def test_the_module_lists_its_classes() -> None:
    """`dir` and `__all__` have the classes, and any other name is an error that suggests the near one."""
    assert {*TABLE} <= {*dir(v1)}
    assert v1.__all__ == sorted(TABLE)
    with pytest.raises(AttributeError, match="ObjectMeta"):
        _ = v1.ObjectMetta  # type: ignore[attr-defined]  # misspelt on purpose


def test_importing_the_module_makes_no_class() -> None:
    """The module is data: after its import none of its classes exists yet."""
    code = f"import sys, {v1.__name__}; print(*vars(sys.modules[{v1.__name__!r}]))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    names = done.stdout.split()
    assert "__getattr__" in names
    assert not {*TABLE} & {*names}
