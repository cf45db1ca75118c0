"""Files and values that a reconcile is made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.render.inputs import (
    files_of,
    read_composite,
    read_context,
    read_functions,
    read_object,
    read_observed,
    read_resources,
    read_secrets,
)
from crossplane_lite.errors import InputError
from tests.render.files import XR, function, put

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: cloud, namespace: system}\n"


def thing(name: str, kind: str = "Thing") -> str:
    """Return a composed resource of that composition resource name."""
    return (
        f"apiVersion: example.org/v1\nkind: {kind}\nmetadata:\n"
        f"  annotations:\n    crossplane.io/composition-resource-name: {name}\n"
    )


def failure(read: Callable[..., Any], path: Path, *more: Any) -> str:
    """Return the one line with which reading fails, without the directory."""
    with pytest.raises(InputError) as caught:
        read(path, *more)
    line = str(caught.value)
    assert "\n" not in line
    return line.replace(f"{path if path.is_dir() else path.parent}/", "")


def test_composite(tmp_path: Path) -> None:
    """The composite is the one object of its file."""
    put(tmp_path, xr=f"---\n{XR}---\n")
    found = read_composite(tmp_path / "xr.yaml")
    assert found.content["spec"] == {"size": 3}
    assert found.where == f"{tmp_path}/xr.yaml, document 1 (line 2)"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "xr.yaml must hold one composite resource (it holds 0 documents)"),
        (f"{XR}---\n{XR}", "xr.yaml must hold one composite resource (it holds 2 documents)"),
        ("kind: X\n", "xr.yaml, document 1 (line 1) has no apiVersion"),
        (
            "apiVersion: v1\nkind: 1\n",
            "xr.yaml, document 1 (line 1): kind must be a non-empty string (got 1 that is an integer)",
        ),
        ("apiVersion: v1\nkind: X\n", "xr.yaml, document 1 (line 1) has no metadata.name"),
        (
            "apiVersion: v1\nkind: X\nmetadata: x\n",
            "xr.yaml, document 1 (line 1): metadata must be a mapping (got a string)",
        ),
        (
            "apiVersion: v1\nkind: X\nmetadata: {name: 1}\n",
            "xr.yaml, document 1 (line 1): metadata.name must be a string (got an integer)",
        ),
        (
            "apiVersion: v1\nkind: X\nmetadata: {name: x, namespace: 1}\n",
            "xr.yaml, document 1 (line 1): metadata.namespace must be a string (got an integer)",
        ),
        (
            "apiVersion: v1\nkind: X\nmetadata: {name: x, labels: {a: 1}}\n",
            "xr.yaml, document 1 (line 1): metadata.labels.a must be a string (got an integer); quote it",
        ),
        (
            "apiVersion: v1\nkind: X\nmetadata: {name: x, annotations: [a]}\n",
            "xr.yaml, document 1 (line 1): metadata.annotations must be a mapping (got a list)",
        ),
        (f"{XR}status: []\n", "xr.yaml, document 1 (line 1): status must be a mapping (got a list)"),
        (
            XR.replace("spec:\n  size: 3", "spec: 3"),
            "xr.yaml, document 1 (line 1): spec must be a mapping (got an integer)",
        ),
        ("- x\n", "xr.yaml, document 1 (line 1) is not a mapping (got ['x'])"),
        ("a: 1\na: 2\n", "xr.yaml, line 2: the key 'a' occurs twice; remove one of the two"),
        ("a: [1\nb: 2", "xr.yaml, line 2: while parsing a flow sequence, did not find expected ',' or ']'"),
    ],
)
def test_composite_that_is_none(tmp_path: Path, text: str, line: str) -> None:
    """What isn't one named object is refused with its place."""
    put(tmp_path, xr=text)
    assert failure(read_composite, tmp_path / "xr.yaml") == line


def test_directory_for_a_file(tmp_path: Path) -> None:
    """A directory where one object belongs is refused, and so is a file that isn't there or isn't text."""
    assert failure(read_object, tmp_path, "Composition").endswith(
        " is a directory; one Composition is expected, so give its file"
    )
    gone = tmp_path / "gone.yaml"
    assert failure(read_object, gone, "Composition") == "can't read gone.yaml: No such file or directory"
    (tmp_path / "latin.yaml").write_bytes(b"a: \xe9\n")
    assert (
        failure(read_object, tmp_path / "latin.yaml", "Composition")
        == "latin.yaml is not UTF-8 text (byte 3): save it in UTF-8"
    )


def test_directory(tmp_path: Path) -> None:
    """Of a directory the YAML and JSON files are read in the order of their names; others and directories are not."""
    put(tmp_path, one=thing("one"))
    (tmp_path / "two.yml").write_text(thing("two"))
    (tmp_path / "three.json").write_text(
        '{"apiVersion": "v1", "kind": "Thing", '
        '"metadata": {"annotations": {"crossplane.io/composition-resource-name": "three"}}}'
    )
    (tmp_path / "notes.txt").write_text("not YAML: [")
    (tmp_path / "more.yaml").mkdir()
    assert [file.name for file in files_of(tmp_path)] == ["one.yaml", "three.json", "two.yml"]
    assert len(read_observed(tmp_path)) == 3


def test_directory_without_files(tmp_path: Path) -> None:
    """A directory with nothing to read is refused, and a link that leads nowhere is told."""
    (tmp_path / "notes.txt").write_text("")
    assert failure(files_of, tmp_path) == f"there is no .yaml, .yml or .json file in {tmp_path}"
    (tmp_path / "link.yaml").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match=r"can't read .*link\.yaml: No such file or directory"):
        read_resources([tmp_path])


def test_lists_are_taken_apart(tmp_path: Path) -> None:
    """The items of a List are objects like those of other documents, each with its place."""
    items = "".join(f"- {{apiVersion: v1, kind: Thing, metadata: {{name: {name}}}}}\n" for name in "ab")
    text = f"apiVersion: v1\nkind: List\nitems:\n{items}---\napiVersion: v1\nkind: List\nitems: null\n"
    put(tmp_path, all=text + "---\napiVersion: v1\nkind: Other\n")
    found = read_resources([tmp_path])
    assert [document.content["kind"] for document in found] == ["Thing", "Thing", "Other"]
    assert found[1].where == f"{tmp_path}/all.yaml, document 1 (line 1), items[1] (b)"
    assert found[2].content["metadata"] == {}


@pytest.mark.parametrize(
    ("items", "line"),
    [
        ("x", "all.yaml, document 1 (line 1): items must be a list (got a string)"),
        ("[x]", "all.yaml, document 1 (line 1), items[0] must be a mapping (got a string)"),
        ("[{kind: X}]", "all.yaml, document 1 (line 1), items[0] has no apiVersion"),
    ],
)
def test_wrong_lists(tmp_path: Path, items: str, line: str) -> None:
    """A List whose items aren't objects is refused with the place."""
    put(tmp_path, all=f"apiVersion: v1\nkind: List\nitems: {items}\n")
    assert failure(lambda path: read_resources([path]), tmp_path / "all.yaml") == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            f"{thing('a')}---\n{XR}",
            "observed.yaml, document 2 (line 7): XBucket photos has no annotation "
            "crossplane.io/composition-resource-name; set it to the name that the function gives this resource",
        ),
        (
            f"{thing('a')}---\n{thing('a')}",
            "observed.yaml, document 2 (line 7) and observed.yaml, document 1 (line 1) have the same annotation "
            "crossplane.io/composition-resource-name: 'a'",
        ),
        ("kind: X\n", "observed.yaml, document 1 (line 1) has no apiVersion"),
        (
            thing("3"),
            'observed.yaml, document 1 (line 1): metadata.annotations["crossplane.io/composition-resource-name"] '
            "must be a string (got an integer); quote it",
        ),
        (
            "apiVersion: v1\nkind: X\nmetadata: {annotations: [a]}\n",
            "observed.yaml, document 1 (line 1): metadata.annotations must be a mapping (got a list)",
        ),
    ],
)
def test_observed_that_is_none(tmp_path: Path, text: str, line: str) -> None:
    """What has no composition resource name, or another's, is refused with its place."""
    put(tmp_path, observed=text)
    assert failure(read_observed, tmp_path / "observed.yaml") == line


@pytest.mark.parametrize("api_version", ["example.org/v1", "example.org/v1beta1"])
def test_the_composite_among_the_observed(tmp_path: Path, api_version: str) -> None:
    """The composite in the file of observed resources is named with kind and name, in whatever version it stands."""
    put(tmp_path, xr=XR, observed=f"{thing('a')}---\n{XR.replace('example.org/v1', api_version)}")
    composite = read_composite(tmp_path / "xr.yaml")
    assert failure(lambda path: read_observed(path, composite), tmp_path / "observed.yaml") == (
        "observed.yaml, document 2 (line 7): this is the composite itself, XBucket photos; leave it out, because "
        "observed resources are those that it is composed of"
    )


@pytest.mark.parametrize(
    ("one", "other", "named"),
    [
        ("name: photos", "name: others", "XBucket others"),
        ("name: photos", "{name: photos, namespace: a}", "XBucket photos"),
        ("kind: XBucket", "kind: XOther", "XOther photos"),
        ("example.org/v1", "example.com/v1", "XBucket photos"),
    ],
)
def test_others_without_a_name(tmp_path: Path, one: str, other: str, named: str) -> None:
    """An object that isn't the composite and has no composition resource name is named with its kind and name."""
    text = XR.replace(one, other) if "namespace" not in other else XR.replace(one, "name: photos\n  namespace: a")
    put(tmp_path, xr=XR, observed=text)
    composite = read_composite(tmp_path / "xr.yaml")
    said = failure(lambda path: read_observed(path, composite), tmp_path / "observed.yaml")
    assert said.startswith(f"observed.yaml, document 1 (line 1): {named} has no annotation crossplane.io/")


def test_secrets_are_as_stored(tmp_path: Path) -> None:
    """What a Secret has in stringData stands in data, in base64, and wins over what is there."""
    put(tmp_path, one=f"{SECRET}data: {{a: YQ==, b: YQ==}}\nstringData: {{b: x, c: é}}\n", two=SECRET)
    one, two = read_secrets(tmp_path)
    assert one.content["data"] == {"a": "YQ==", "b": "eA==", "c": "w6k="}
    assert "stringData" not in one.content
    assert "data" not in two.content


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{SECRET}data: {{a: plain}}\n", "document 1 (line 1): data.a is not base64; use stringData for plain text"),
        (f"{SECRET}data: [a]\n", "document 1 (line 1): data must be a mapping (got a list)"),
        (f"{SECRET}stringData: {{a: 1}}\n", "document 1 (line 1): stringData.a must be a string (got an integer)"),
        ("apiVersion: v1\nkind: Secret\n", "document 1 (line 1) has no metadata.name"),
        (XR, "document 1 (line 1): the kind is XBucket of example.org/v1, and must be Secret of v1"),
    ],
)
def test_wrong_secrets(tmp_path: Path, text: str, line: str) -> None:
    """A Secret that holds something else, and what isn't a Secret, is refused without showing values."""
    put(tmp_path, secret=text)
    assert failure(read_secrets, tmp_path / "secret.yaml") == f"secret.yaml, {line}"


def test_functions(tmp_path: Path) -> None:
    """Function documents are found by name, those of v1beta1 as well."""
    put(tmp_path, functions=function("a") + function("b").replace("/v1", "/v1beta1"))
    assert list(read_functions(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            XR,
            "document 1 (line 1): the kind is XBucket of example.org/v1, and must be Function of pkg.crossplane.io/v1",
        ),
        ("apiVersion: pkg.crossplane.io/v1\nkind: Function\n", "document 1 (line 1) has no metadata.name"),
        (
            "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {name: [a]}\n",
            "document 1 (line 1): metadata.name must be a string (got a list)",
        ),
        (
            "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {name: a, annotations: {b: true}}\n",
            "document 1 (line 1): metadata.annotations.b must be a string (got a boolean); quote it",
        ),
        (function("a") * 2, "document 2 (line 10) and functions.yaml, document 1 (line 2) are both named 'a'"),
    ],
)
def test_wrong_functions(tmp_path: Path, text: str, line: str) -> None:
    """What isn't a Function with a name of its own is refused with its place."""
    put(tmp_path, functions=text)
    assert failure(read_functions, tmp_path / "functions.yaml") == f"functions.yaml, {line}"


def test_context() -> None:
    """Context values are YAML or JSON of any type, and an empty one is null."""
    values = [("b", '{"y": "1,2"}'), ("c", "yes"), ("d", "")]
    assert read_context(values) == {"b": {"y": "1,2"}, "c": True, "d": None}


@pytest.mark.parametrize(("text", "problem"), [("{", "line 2: "), ("a: 1\n---\nb: 2\n", "must hold one value")])
def test_wrong_context(text: str, problem: str) -> None:
    """A context value that isn't one YAML document is refused."""
    with pytest.raises(InputError, match=f"^--context-values k.*{problem}"):
        read_context([("k", text)])
