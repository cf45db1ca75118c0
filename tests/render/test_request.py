"""Requests from YAML files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import json_format

from crossplane_lite.errors import InputError
from crossplane_lite.render.request import build_request, read_composite, read_observed
from tests.support import ALL_CAPABILITIES

XR = "apiVersion: example.org/v1\nkind: XBucket\nmetadata:\n  name: photos\nspec:\n  size: 3\n"


def thing(name: str, kind: str = "Thing") -> str:
    """Return a composed resource of that composition resource name."""
    return (
        f"apiVersion: example.org/v1\nkind: {kind}\nmetadata:\n"
        f"  annotations:\n    crossplane.io/composition-resource-name: {name}\n"
    )


def failure(function: Any, path: Path) -> str:
    """Return the one line with which reading fails, without the directory."""
    with pytest.raises(InputError) as caught:
        function(path)
    line = str(caught.value)
    assert "\n" not in line
    return line.replace(f"{path if path.is_dir() else path.parent}/", "")


def test_request(tmp_path: Path) -> None:
    """The request holds the composite, the observed resources by name, what Crossplane advertises, and no more."""
    (tmp_path / "xr.yaml").write_text(XR)
    (tmp_path / "observed.yaml").write_text(f"{thing('a')}---\n{thing('b')}spec: {{on: [1, x, null]}}\n")
    observed = read_observed(tmp_path / "observed.yaml")
    request = fnv1.RunFunctionRequest.FromString(build_request(read_composite(tmp_path / "xr.yaml"), observed))
    plain = json_format.MessageToDict(request)
    assert plain.pop("meta") == {"capabilities": list(ALL_CAPABILITIES)}
    composite = plain["observed"]["composite"]["resource"]
    assert composite == {
        "apiVersion": "example.org/v1",
        "kind": "XBucket",
        "metadata": {"name": "photos"},
        "spec": {"size": 3},
    }
    resources = plain["observed"]["resources"]
    assert sorted(resources) == ["a", "b"]
    assert resources["b"]["resource"]["spec"] == {"true": [1, "x", None]}
    assert list(plain) == ["observed"]


def test_directory(tmp_path: Path) -> None:
    """Of a directory the YAML and JSON files are read, others and directories are not."""
    for name in ("one.yaml", "two.yml"):
        (tmp_path / name).write_text(thing(name.partition(".")[0]))
    (tmp_path / "three.json").write_text(
        '{"apiVersion": "v1", "kind": "Thing", '
        '"metadata": {"annotations": {"crossplane.io/composition-resource-name": "three"}}}'
    )
    (tmp_path / "notes.txt").write_text("not YAML: [")
    (tmp_path / "more.yaml").mkdir()
    assert sorted(read_observed(tmp_path)) == ["one", "three", "two"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "xr.yaml must hold one composite resource (it holds 0 documents)"),
        (f"{XR}---\n{XR}", "xr.yaml must hold one composite resource (it holds 2 documents)"),
        ("kind: X\n", "xr.yaml, document 1 (line 1) has no apiVersion"),
        ("apiVersion: v1\nkind: 1\n", "xr.yaml, document 1 (line 1) has no kind"),
        ("apiVersion: v1\nkind: X\n", "xr.yaml, document 1 (line 1) has no metadata.name"),
        ("apiVersion: v1\nkind: X\nmetadata: x\n", "xr.yaml, document 1 (line 1): metadata is not a mapping"),
        ("apiVersion: v1\nkind: X\nmetadata: {name: 1}\n", "xr.yaml, document 1 (line 1) has no metadata.name"),
        ("- x\n", "xr.yaml, document 1 (line 1) is not a mapping"),
    ],
)
def test_composite_that_is_none(tmp_path: Path, text: str, line: str) -> None:
    """What isn't one named resource is refused with its place."""
    path = tmp_path / "xr.yaml"
    path.write_text(text)
    assert failure(read_composite, path) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            f"{thing('a')}---\n{XR}",
            "observed.yaml, document 2 (line 7) has no annotation crossplane.io/composition-resource-name, "
            "which says what resource it is",
        ),
        (
            f"{thing('a')}---\n{thing('a')}",
            "observed.yaml, document 2 (line 7) and observed.yaml, document 1 (line 1) are both named 'a'",
        ),
        ("kind: X\n", "observed.yaml, document 1 (line 1) has no apiVersion"),
    ],
)
def test_observed_that_is_none(tmp_path: Path, text: str, line: str) -> None:
    """What has no composition resource name, or another's, is refused with its place."""
    path = tmp_path / "observed.yaml"
    path.write_text(text)
    assert failure(read_observed, path) == line


def test_missing_and_empty(tmp_path: Path) -> None:
    """A path that isn't there, and a directory with nothing to read, are refused."""
    assert failure(read_observed, tmp_path / "gone.yaml") == "can't read gone.yaml: No such file or directory"
    with pytest.raises(InputError, match=r"there is no \.yaml, \.yml or \.json file in "):
        read_observed(tmp_path)


@pytest.mark.parametrize(("value", "path"), [("9007199254740993", "spec.size"), (".nan", "spec.size")])
def test_value_that_a_struct_cannot_carry(tmp_path: Path, value: str, path: str) -> None:
    """A number that would change on its way is refused with its path."""
    (tmp_path / "xr.yaml").write_text(XR.replace("size: 3", f"size: {value}"))
    with pytest.raises(InputError) as caught:
        build_request(read_composite(tmp_path / "xr.yaml"), {})
    assert str(caught.value).startswith(f"{tmp_path}/xr.yaml, document 1 (line 1): {path}: ")
