"""Files and folders that define kinds, or none."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.manifests.kind_sources import Source
from crossplane_lite.errors import InputError
from tests.codegen.generated import component, obj, openapi, thing

CRD = json.dumps(thing(a="s"))
OPENAPI = json.dumps(openapi(Thing=component(obj(a="s"), "example.org", "v1", "Thing")))
XR = "apiVersion: example.org/v1\nkind: XThing\nmetadata:\n  name: CustomResourceDefinition\n"


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        (CRD, False),
        (OPENAPI, False),
        (f"# Größe\n{CRD}", False),
        (CRD.replace("Definition", "\\u0044efinition"), False),
        ("kind: 'CompositeResourceDefinition'\n", False),
        ("openapi: 3.0.0\n", False),
        ("", True),
        (XR, True),
        (f"# Größe\n{XR}", True),
        (f"{XR}spec: {{x: 'myopenapi:'}}\n", True),
    ],
)
def test_a_file_without_definitions(tmp_path: Path, text: str, is_empty: bool) -> None:
    """A file is empty if it has neither a definition nor an OpenAPI document."""
    (tmp_path / "a.yaml").write_text(text)
    assert Source(str(tmp_path / "a.yaml")).is_empty() == is_empty


def test_a_parsed_file(tmp_path: Path) -> None:
    """Once a file is parsed, its kinds say whether it is empty; those of memory always do."""
    (tmp_path / "a.yaml").write_text("a: 'openapi: 3'\n")
    file = Source(str(tmp_path / "a.yaml"))
    assert not file.is_empty()
    assert file.kinds() == {}
    assert file.is_empty()
    assert Source(kinds={}).is_empty()


def test_a_pipe(tmp_path: Path) -> None:
    """A pipe, which can be read only once, is parsed at once, and its kinds are found afterwards."""
    path = tmp_path / "a.yaml"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(CRD,))
    writer.start()
    schemas = Schemas()
    schemas.add_definitions(path)
    writer.join()
    assert schemas.find("example.org/v1", "Thing") is not None


def test_a_path_without_definitions(tmp_path: Path) -> None:
    """Definitions are refused where there are none, with the path, or where there is no path."""
    (tmp_path / "xr.yaml").write_text(XR)
    for path in (tmp_path / "xr.yaml", tmp_path):
        with pytest.raises(InputError, match=f"^{path} has no definition of a kind: give CustomResourceDefinitions"):
            Schemas().add_definitions(path)
    with pytest.raises(InputError, match="there is no file or folder none"):
        Schemas().add_definitions("none")
